"""C. Aykanat, A. Dervis: Progs. 1 to 5, executed modulo a prime on all ranks in step, and what is
printed otherwise than they need it.

N = 2^n, P = 2^d, M = N/P. A program gets the array X of each rank, and Wfac as a function of the
stage k, the rank R and the number i of a product in its loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from proofs.errata.entry import Evaluation, halves

PRIME = 998244353
"""119·2^23 + 1: roots of unity of all orders up to 2^23."""
Factor = Callable[[int, int, int], int]
"""Wfac of k, R and i."""
Arrays = list[list[int]]
"""X of each rank."""


def lg(size: int) -> int:
    """Return the logarithm of a power of two."""
    return size.bit_length() - 1


def bit_reversed(j: int, n: int) -> int:
    """Return the reversal of n bits."""
    return int(f"{j:0{n}b}"[::-1], 2) if n else 0


def butterflies(X: list[int], k: int, factor: Callable[[int], int]) -> None:
    """Do SEQFFT_k of Prog. 1 on one array."""
    for start in range(0, len(X), 2 << k):
        for j in range(1 << k):
            p, q = start + j, start + j + (1 << k)
            temp = factor(j) * X[q] % PRIME
            X[p], X[q] = (X[p] + temp) % PRIME, (X[p] - temp) % PRIME


def updates(p: list[int], q: list[int], factor: Callable[[int], int]) -> Arrays:
    """Return p + Wfac q and p - Wfac q of half arrays."""
    temp = [factor(i) * value % PRIME for i, value in enumerate(q)]
    return [[(a + sign * b) % PRIME for a, b in zip(p, temp, strict=True)] for sign in (1, -1)]


def local_stages(X: Arrays, count: int, factor: Factor) -> None:
    """Do the first stages, which combine elements of one rank."""
    for k in range(count):
        for R, local in enumerate(X):
            butterflies(local, k, partial(factor, k, R))


def program_2(X: Arrays, factor: Factor) -> None:
    """Do Prog. 2, which is Prog. 1 on one rank."""
    m, P = lg(len(X[0])), len(X)
    local_stages(X, m, factor)
    for l in range(1, lg(P) + 1):
        sent = [
            [factor(m + l - 1, R, q) * value % PRIME for q, value in enumerate(local)]
            if R >> l - 1 & 1
            else list(local)
            for R, local in enumerate(X)
        ]
        for R in range(P):
            sign, own, other = -1 if R >> l - 1 & 1 else 1, sent[R], sent[R ^ 1 << l - 1]
            X[R] = [
                (b + sign * a if sign < 0 else a + b) % PRIME
                for a, b in zip(own, other, strict=True)
            ]


def program_3(X: Arrays, factor: Factor) -> None:
    """Do Prog. 3."""
    m, half = lg(len(X[0])), len(X[0]) // 2
    local_stages(X, m, factor)
    for l in range(1, lg(len(X)) + 1):
        for R in (R for R in range(len(X)) if not R >> l - 1 & 1):
            low, high = X[R], X[R ^ 1 << l - 1]
            low[half:], high[:half] = high[:half], low[half:]
        for R, local in enumerate(X):
            butterflies(local, m - 1, partial(factor, m + l - 1, R))


def program_4(X: Arrays, factor: Factor, q_of_p: bool = False) -> None:
    """Do Prog. 4; q_of_p: with X(q) := Wfac × X(p) in the branch of bit 1."""
    m, half = lg(len(X[0])), len(X[0]) // 2
    local_stages(X, m - 1, factor)
    for l in range(lg(len(X))):
        sent = []
        for R, local in enumerate(X):
            upper, p = R >> l & 1, local[:half]
            q = p if upper and q_of_p else local[half:]
            plus, minus = updates(p, q, partial(factor, m - 1 + l, R))
            sent.append(plus if upper else minus)
            local[:] = [0] * half + minus if upper else plus + [0] * half
        for R, local in enumerate(X):
            place = slice(0, half) if R >> l & 1 else slice(half, None)
            local[place] = sent[R ^ 1 << l]
    for R, local in enumerate(X):
        butterflies(local, m - 1, partial(factor, m - 1 + lg(len(X)), R))


def program_5(X: Arrays, factor: Factor) -> None:
    """Do Prog. 5; X has four quarters, two of them the receive buffers."""
    m, half = lg(len(X[0])), len(X[0]) // 2
    local_stages(X, m - 1, factor)
    quarters = [[local[:half], local[half:], [], []] for local in X]
    start = [(0, 1)] * len(X)
    for l in range(lg(len(X))):
        sent, buffer = [], 2 + l % 2
        for R, X_R in enumerate(quarters):
            p, q = start[R]
            plus, minus = updates(X_R[p], X_R[q], partial(factor, m - 1 + l, R))
            if R >> l & 1:
                X_R[1], start[R] = minus, (buffer, 1)
                sent.append(plus)
            else:
                X_R[0], start[R] = plus, (0, buffer)
                sent.append(minus)
        for R, X_R in enumerate(quarters):
            X_R[buffer] = sent[R ^ 1 << l]
    for R, X_R in enumerate(quarters):
        p, q = start[R]
        plus, minus = updates(X_R[p], X_R[q], partial(factor, m - 1 + lg(len(X)), R))
        X[R] = plus + minus


PROGRAMS: dict[int, Callable[..., None]] = {
    1: program_2,
    2: program_2,
    3: program_3,
    4: program_4,
    5: program_5,
}


def exponent(number: int, N: int, P: int) -> Factor:
    """Return the exponent r of Wfac = W_N^r in a program."""
    M, n, d = N // P, lg(N), lg(P)

    def r(k: int, R: int, i: int) -> int:
        l = k - (n - d) + 1
        if l <= 0:
            return i << n - 1 - k
        if number == 2:
            return (R % (1 << l - 1) * M + i) << d - l
        return (R % (1 << l) * (M // 2) + i) << d - l

    return r


def wrong_entry(number: int, N: int, P: int, r: Factor, **slip: bool) -> str | None:
    """Return where a program with these exponents of Wfac is not F_N, for all unit vectors."""
    n, M, w = lg(N), N // P, pow(3, (PRIME - 1) // N, PRIME)
    powers = {pow(w, e, PRIME): f"w^{e}" for e in range(N)} | {0: "0"}
    for j in range(N):
        X = [[int(bit_reversed(R * M + o, n) == j) for o in range(M)] for R in range(P)]
        PROGRAMS[number](X, lambda k, R, i: pow(w, r(k, R, i), PRIME), **slip)
        for R, local in enumerate(X):
            for o, found in enumerate(local):
                scrambled = o // (M // 2) * (N // 2) + R * (M // 2) + o % (M // 2) if M > 1 else R
                index = R * M + o if number <= 2 else scrambled
                if found != pow(w, j * index, PRIME):
                    name = powers.get(found, "no power of w")
                    return f"entry ({index}, {j}) is {name}, not w^{j * index % N}"
    return None


def program_4_as_printed(N: int, P: int, slip: str) -> str | None:
    """Return where Prog. 4 is not F_N with a slip: "product", "last stage" or none."""
    right = exponent(4, N, P)

    def local_last(k: int, R: int, i: int) -> int:
        return i << lg(P) if k == lg(N) - 1 else right(k, R, i)

    r = local_last if slip == "last stage" else right
    return wrong_entry(4, N, P, r, q_of_p=slip == "product")


def one_factor(N: int, P: int, number: int) -> str | None:
    """Return whether a program is not F_N with any one power of w as Wfac in all products."""
    found = [wrong_entry(number, N, P, lambda k, R, i, e=e: e) for e in range(N)]  # type: ignore[misc]
    if None in found:
        return None
    return f"with each of w^0, ..., w^{N - 1} as Wfac it is not F_{N}; with w^0 {found[0]}"


def sizes_of_programs() -> Iterator[tuple[int, int, int]]:
    """Yield N, P and the number of a program that has these sizes."""
    for n in range(1, 5):
        for d in range(n + 1):
            numbers = ((1,) if d == 0 else ()) + (2,) + ((3, 4, 5) if d < n else ())
            yield from ((1 << n, 1 << d, number) for number in numbers)


EVALUATIONS: dict[str, Evaluation] = {
    "hypercube-prog-4-product": Evaluation(
        "N P",
        partial(halves, 5),
        lambda N, P: program_4_as_printed(N, P, "product"),
        lambda N, P: program_4_as_printed(N, P, ""),
    ),
    "hypercube-prog-4-last-stage": Evaluation(
        "N P",
        partial(halves, 5),
        lambda N, P: program_4_as_printed(N, P, "last stage"),
        lambda N, P: program_4_as_printed(N, P, ""),
    ),
    "hypercube-wfac-index": Evaluation(
        "N P program",
        sizes_of_programs,
        one_factor,
        lambda N, P, number: wrong_entry(number, N, P, exponent(number, N, P)),
    ),
}
