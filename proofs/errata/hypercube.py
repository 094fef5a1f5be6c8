"""C. Aykanat, A. Dervis: Efficient overlapped FFT algorithms for hypercube-connected
multicomputers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from codegen.cost.hypercube import Network, differs
from proofs.errata.entry import COPY, PAPER, Erratum, both, differ, halves
from proofs.errata.hypercube_sizes import SIZES

PRIME = 998244353
"""119·2^23 + 1: roots of unity of all orders up to 2^23."""
Slip = str
"""What is kept as printed: "", "product" or "last stage"."""


def root(N: int) -> int:
    """Return a root of unity of order N mod PRIME."""
    return pow(3, (PRIME - 1) // N, PRIME)


def bit_reversed(j: int, n: int) -> int:
    """Return the reversal of n bits."""
    return int(f"{j:0{n}b}"[::-1], 2) if n else 0


def program_4(N: int, P: int, x: list[int], slip: Slip) -> dict[int, int]:
    """Return index and value of every result of Prog. 4 mod PRIME, all ranks in step."""
    n, d = N.bit_length() - 1, P.bit_length() - 1
    M, w = N // P, root(N)
    half = M // 2
    X = [[x[bit_reversed(R * M + o, n)] for o in range(M)] for R in range(P)]

    def weight(R: int, l: int, p: int) -> int:
        return pow(w, (R % (1 << l) * half + p) << d - l, PRIME)

    for k in range(n - d - 1):
        for local in X:
            butterflies(local, k, lambda j, k=k: pow(w, j << n - 1 - k, PRIME))  # type: ignore[misc]
    for l in range(d):
        sent = []
        for R, local in enumerate(X):
            upper = R >> l & 1
            source = local[:half] if upper and slip == "product" else local[half:]
            q = [weight(R, l, p) * source[p] % PRIME for p in range(half)]
            plus, minus = (
                [(local[p] + sign * q[p]) % PRIME for p in range(half)] for sign in (1, -1)
            )
            sent.append(plus if upper else minus)
            local[:] = [0] * half + minus if upper else plus + [0] * half
        for R, local in enumerate(X):
            place = slice(0, half) if R >> l & 1 else slice(half, M)
            local[place] = sent[R ^ 1 << l]
    for R, local in enumerate(X):
        last = (lambda j: pow(w, j << d, PRIME)) if slip == "last stage" else partial(weight, R, d)
        butterflies(local, half.bit_length() - 1, last)
    return {o // half * (N // 2) + R * half + o % half: X[R][o] for R in range(P) for o in range(M)}


def butterflies(local: list[int], k: int, weight: Callable[[int], int]) -> None:
    """Do stage k of Prog. 1 on a local array."""
    for start in range(0, len(local), 2 << k):
        for j in range(1 << k):
            p, q = start + j, start + j + (1 << k)
            temp = weight(j) * local[q] % PRIME
            local[p], local[q] = (local[p] + temp) % PRIME, (local[p] - temp) % PRIME


def transforms(N: int, P: int, slip: Slip) -> str | None:
    """Return where Prog. 4 is not F_N, for all unit vectors."""
    w = root(N)
    for j in range(N):
        found = program_4(N, P, [int(i == j) for i in range(N)], slip)
        for k in range(N):
            if found[k] != pow(w, j * k, PRIME):
                power = next((e for e in range(N) if pow(w, e, PRIME) == found[k]), None)
                return (
                    f"entry ({k}, {j}) is"
                    f" {'0' if found[k] == 0 else f'w^{power}' if power is not None else 'no power of w'},"  # noqa: E501
                    f" not w^{j * k % N}"
                )
    return None


def overlap(ratio: int, setup: int, M: int, alpha: bool) -> str | None:
    """Return whether (6), with or without α = 13/10, promises complete overlap where the maximum in
    (5) is the communication.

    t_calc = 1, t_tr = ratio, t_su = setup.
    """
    needed = setup + (Fraction(13, 10) if alpha else 1) * Fraction(M, 2) * ratio
    communication = setup + Fraction(13, 10) * Fraction(M, 2) * ratio
    if needed <= M < communication:
        return f"{M} ≥ {needed}, but the maximum in (5) is {communication}, the communication"
    return None


def timings() -> Iterator[tuple[int, ...]]:
    """Yield N, P, t_su, t_tr and t_copy."""
    return (
        (1 << n, 1 << d, *times)
        for n in range(2, 6)
        for d in range(n)
        for times in product((0, 4, 64), (1, 6), (0, 2))
    )


def halves_of_blocks(n: int, k: int, i: int, exponent: bool) -> str | None:
    """Return whether blocks 2^i (or 2i) and the next of stage k - 1 are no halves of block i of
    stage k.
    """
    first = 2**i if exponent else 2 * i
    points = [*range(first << k, first + 2 << k)]
    block = [*range(i << k + 1, i + 1 << k + 1)]
    return (
        None
        if points == block
        else (
            f"blocks {first} and {first + 1} hold points {points[0]} to {points[-1]}, block {i}"
            f" {block[0]} to {block[-1]}"
        )
    )


def blocks() -> Iterator[tuple[int, int, int]]:
    """Yield n, k and i."""
    return ((n, k, i) for n in range(2, 6) for k in range(1, n) for i in range(1 << n - k - 1))


def block_size(N: int, k: int, printed: bool) -> str | None:
    """Return whether b_k, the number of blocks of Prog. 1 (printed), or its share of N, is not the
    block size: 2 for k = 0, N for k = n - 1.
    """
    size, starts = 2 << k, range(0, N, 2 << k)
    return differ(
        len(starts) if printed else N // len(starts),
        size,
        "b_k = {}, the block size is {}" if printed else "N/b_k = {}, not {}",
    )


def first_and_last() -> Iterator[tuple[int, int]]:
    """Yield N and the first and the last stage."""
    return ((1 << n, k) for n in range(1, 9) for k in dict.fromkeys((0, n - 1)))


def fragmented(N: int, P: int, k: int, printed: bool) -> str | None:
    """Return a butterfly that is not fragmented in the first loop of Prog. 2, k < n - d, or is in
    the second (printed), or the reverse.
    """
    M, first = N // P, k < (N // P).bit_length() - 1
    for p in (p for p in range(N) if not p >> k & 1):
        q = p + (1 << k)
        if (p // M != q // M) != (first == printed):
            return (
                f"stage {k} is of the {'first' if first else 'second'} loop, points {p} and {q} are"
                f" on processors {p // M} and {q // M}"
            )
    return None


def stages_of_ranks() -> Iterator[tuple[int, int, int]]:
    """Yield N, P >= 2 and k."""
    return ((1 << n, 1 << d, k) for n in range(1, 7) for d in range(1, n + 1) for k in range(n))


def granularity(P: int, halves: int) -> str | None:
    """Return whether no N <= 64K has 16K <= N/(halves P) <= 32K at both ends on P ranks."""
    largest = (64 * 1024) // (halves * P)
    return (
        None
        if largest >= 32 * 1024
        else f"with N ≤ 64K, N/{halves if halves > 1 else ''}P is at most {largest // 1024}K"
    )


SLIPS = (
    (
        "hypercube-prog-4-product",
        "Prog. 4, branch bit is 1, first inner loop",
        "X(q) := Wfac × X(p)",
        "X(q) := Wfac × X(q)",
        "product",
        PAPER,
    ),
    (
        "hypercube-prog-4-last-stage",
        "Prog. 4, last line",
        (
            "Call SEQFFT(X, Wfac, M, m-1): by Prog. 1 that is stage m - 1, with the twiddle factors"
            " of its index"
        ),
        (
            "butterflies of stage index m - 1 with the twiddle factors of stage n - 1: r = (R M/2 +"
            " p), 0 ≤ p < M/2"
        ),
        "last stage",
        PAPER,
    ),
)
TIMES = (
    (
        "hypercube-3",
        "(3)",
        (
            "T_P2 = .. + (t_su + (N/P) t_tr) lg P, as the bottleneck processors never copy what"
            " they receive"
        ),
        (
            "(N/P) t_copy lg P more: a processor that multiplies receives late and copies, and one"
            " of them does so before every stage"
        ),
        "2",
    ),
    (
        "hypercube-5",
        "(5)",
        "T_P4 = .. + (Max{(N/P) t_calc, t_su + α (N/2P) t_tr} + (N/2P) t_copy) lg P",
        (
            "(N/2P) t_copy only where (N/P) t_calc > t_su: else the receive is pending when the"
            " message begins to arrive; this is about the model, by the paper's rules as they are"
            " simulated"
        ),
        "4",
    ),
)
"""Times that contradict the paper's rules, as codegen/cost/hypercube.py has them; t_calc = 1."""
ERRATA = (
    *(
        Erratum(
            name,
            place,
            printed,
            correction,
            cause,
            "N P",
            partial(halves, 5),
            lambda N, P, slip=slip: transforms(N, P, slip),
            lambda N, P: transforms(N, P, ""),
            "hypercube-prog-4",
        )
        for name, place, printed, correction, slip, cause in SLIPS
    ),
    Erratum(
        "hypercube-blocks",
        "section 2, blocks of stage k",
        "blocks 2^i and 2^i + 1 of stage k - 1 are the halves of block i of stage k",
        "blocks 2i and 2i + 1",
        COPY,
        "n k i",
        blocks,
        *both(halves_of_blocks, True, False),
    ),
    Erratum(
        "hypercube-block-size",
        "section 2, the note on the block size",
        "the block size is b_0 = 2 at the first stage and reaches b_{n-1} = 2^n = N at the last"
        " stage",
        "the block size is N/b_k = 2^(k+1), 2 at the first and N at the last stage; b_k = N/2^(k+1)"
        " is the number of blocks",
        PAPER,
        "N k",
        first_and_last,
        *both(block_size, True, False),
    ),
    Erratum(
        "hypercube-fragmented",
        "section 3, on Prog. 2",
        "the first and second loops perform the computations of the fragmented and unfragmented"
        " butterflies, respectively",
        "of the unfragmented and fragmented butterflies, respectively, as the paragraph before"
        " has it",
        PAPER,
        "N P k",
        stages_of_ranks,
        *both(fragmented, True, False),
    ),
    *(
        Erratum(
            name,
            place,
            printed,
            correction,
            PAPER,
            "N P t_su t_tr t_copy",
            timings,
            lambda N, P, *times, scheme=scheme: differs(scheme, N, P, Network(1, *times)),
            lambda N, P, *times, scheme=scheme: differs(
                scheme, N, P, Network(1, *times), corrected=True
            ),
        )
        for name, place, printed, correction, scheme in TIMES
    ),
    Erratum(
        "hypercube-6",
        "(6)",
        "complete overlap where (N/P) t_calc ≥ t_su + (N/2P) t_tr",
        "(N/P) t_calc ≥ t_su + α (N/2P) t_tr, as the maximum in (5) has it",
        PAPER,
        "t_tr/t_calc t_su N/P",
        lambda: [
            (ratio, setup, M)
            for M in (2, 4, 8, 16, 32)
            for setup in range(4)
            for ratio in range(1, 4)
        ],
        *both(overlap, False, True),
    ),
    Erratum(
        "hypercube-overlap-range",
        "section 4, percent overlap",
        "overlap decreases at 16K ≤ N/2P ≤ 32K, for N ≤ 64K on 2 to 32 processors",
        "N/P in place of N/2P",
        PAPER,
        "P",
        lambda: [(2,)],
        *both(granularity, 2, 1),
    ),
    *SIZES,
)
