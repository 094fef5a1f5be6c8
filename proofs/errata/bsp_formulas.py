"""M. A. Inda, R. H. Bisseling: A simple and efficient parallel FFT algorithm using the BSP model,
2000: the formulas, and the ranges of indices and sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from codegen.cost.bsp_cost import permutations_of
from derive.exact.exact_check import check
from derive.formula.affine_layouts import group_cyclic
from derive.formula.grammar import Equation, Formula, I
from derive.formula.grammar import product as multiplied
from derive.formula.permutation_matrices import Gamma, R, inverse
from derive.formula.permutations import target
from derive.formula.transforms import A, AHat, F
from derive.papers import bsp_phases
from derive.verdict import Refuted
from proofs.errata.entry import Evaluation, both, differ
from proofs.errata.printed_formulas import unequal

PRIME = 257
"""2^8 + 1: roots of unity of all orders up to 2^8."""
powers = bsp_phases.powers_of_two


def ranks(last: int, first: int = 2, least: int = 1) -> Iterator[tuple[int, int]]:
    """Yield N and p, powers of two, least <= p < N."""
    return ((N, p) for N in powers(first, last) for p in powers(least, N // 2))


def phases(N: int, p: int, strict: bool) -> str | None:
    """Return whether the largest H with (N/p)^(H-1) <= N, or < N, is not the smallest with (N/p)^H
    >= N.
    """
    n = N // p
    least = next(H for H in range(1, 99) if n**H >= N)
    most = max(
        H
        for H in range(1, N.bit_length() + 2)
        if (n ** (H - 1) < N if strict else n ** (H - 1) <= N)
    )
    return differ(most, least, "H = {}, and ⌈log N / log(N/p)⌉ = {}")


def last_phase(N: int, p: int, printed: bool) -> str | None:
    """Return whether the last phase of (2.8) does not begin at the stage after the first H - 1
    phases; printed: 2((N/p)H-1)/p for 2(N/p)^(H-1)/p.
    """
    n, H = N // p, bsp_phases.phases(N, p)
    first = Fraction(2 * (n * H - 1 if printed else n ** (H - 1)), p)
    return differ(
        first * p,
        Fraction(2 * n ** (H - 1)),
        "the stages begin at k u = {}, the phases before end at half of {}",
    )


def algorithm_3_1(N: int, p: int, printed: bool) -> str | None:
    """Return where the supersteps of Algorithm 3.1 do not make F_N; with superstep 6 for p = 1,
    too, where it is as printed.
    """
    n, H = N // p, bsp_phases.phases(N, p)
    factors: list[Formula] = [R(N), *(A(K, N) for K in powers(2, n)), Gamma(min(p, n), p, N)]
    for J in range(1, H - 1):
        u = n**J
        factors += [
            *(AHat(k, u, p, N) for k in powers(2, n)),
            inverse(Gamma(u, p, N)),
            Gamma(min(p, n * u), p, N),
        ]
    if p > 1 or printed:
        factors += [AHat(k, p, p, N) for k in powers(2 * n ** (H - 1) // p, n)]
    return unequal(
        F(N),
        multiplied(
            [*reversed(factors), I(N)] if p == 1 else [inverse(Gamma(p, p, N)), *reversed(factors)]
        ),
    )


def bit_reversal(N: int, p: int, printed: bool) -> str | None:
    """Return where Algorithm 3.3 does not reverse the bits; printed: x has index N/p + j div p."""
    n = N // p
    reversal, local, outer = (target(R(size)) for size in (N, n, p))
    x = [-1] * (2 * N)
    for j in range(N):
        x[(n if printed else int(outer[j % p]) * n) + j // p] = j
    y = [-1] * N
    for s, t in product(range(p), range(n)):
        y[s * n + int(local[t])] = x[s * n + t]
    wrong = next((j for j in range(N) if y[reversal[j]] != j), None)
    return (
        None
        if wrong is None
        else f"place {reversal[wrong]} holds element {y[reversal[wrong]]}, not {wrong}"
    )


def whole_phases() -> Iterator[tuple[int, int]]:
    """Yield n and v of (4.4) for l = 2, with two phases at least."""
    return ((n, v) for n in powers(4, 32) for v in powers(2, n // 2))


def last_of_4_4(n: int, v: int, printed: bool) -> str | None:
    """Return whether the last factor of the last phase of (4.4) is not the stage after the other
    phases: Â_{2, c^(h-1)/v} or Â_{2 c^(h-1)/v, v}.
    """
    c = n // v
    h = next(h for h in range(1, 99) if c**h >= n)
    k, u = (
        (Fraction(2), Fraction(c ** (h - 1), v))
        if printed
        else (Fraction(2 * c ** (h - 1), v), Fraction(v))
    )
    return differ(k * u, Fraction(2 * c ** (h - 1)), "it is the stage {}, not {}") or (
        None if u == v else f"u = {u} inside Γ_v, v = {v}"
    )


def inverse_transform(N: int, last: int) -> str | None:
    """Return where (1.2) is not element j of the vector, 0 <= j < last, modulo PRIME."""
    w = pow(3, (PRIME - 1) // N, PRIME)
    z = [j + 1 for j in range(N)]
    Z = [sum(z[j] * pow(w, j * k, PRIME) for j in range(N)) for k in range(N)]
    for j in range(last):
        found = sum(Z[k] * pow(w, -j * k, PRIME) for k in range(N)) * pow(N, -1, PRIME) % PRIME
        if j >= N:
            return f"j = {j}: the sum over k is z_{z.index(found)}, and there is no z_{j}"
        if found != z[j] % PRIME:
            return f"j = {j}: {found}, not z_{j} = {z[j]}"
    return None


def groups(N: int, p: int, r: int, sizes: bool) -> str | None:
    """Return whether r is not the number of processors of a group of the r-cyclic distribution, or
    not the number of groups.
    """
    n, M, layout = N // p, N // r, group_cyclic(N, p, r)
    found = [{int(layout.address(j)) // n for j in range(i * M, i * M + M)} for i in range(r)]
    if sizes:
        return differ(r, len(found[0]), "r = {}, and a group has {} processors")
    return differ(r, len({frozenset(group) for group in found}), "r = {}, and there are {} groups")


def one_processor(N: int, p: int, printed: bool) -> str | None:
    """Return whether the permutations of (3.9), or none on one processor, are not those that move
    data between processors.
    """
    counted = bsp_phases.phases(N, p) + 1 if printed or p > 1 else 0
    return differ(
        counted, permutations_of(N, p, "block", "block"), "{} permutations, and {} move data"
    )


def one_phase() -> Iterator[tuple[int, int, int]]:
    """Yield n, v and l of (4.4) with j = h - 1."""
    for n in powers(4, 32):
        for v in powers(2, n // 2):
            first = 2 * (n // v) ** (bsp_phases.phases(n, v) - 1)
            yield from ((n, v, l) for l in powers(first, n))


def equation_4_4(n: int, v: int, l: int, printed: bool) -> str | None:
    """Return where (4.4) with one phase is not R_{l,n}^α, α = 1/2: with the last phase and phase 0,
    or with the stages l to n in the distribution of Γ_v alone.
    """
    alpha, c = Fraction(1, 2), n // v
    u, first = c ** (bsp_phases.phases(n, v) - 1), 2 * c ** (bsp_phases.phases(n, v) - 1)
    written = [(v, K) for K in powers(first if printed else l, n)]
    if printed:
        written = [(u, K) for K in powers(l, c * u)] + written
    for w, K in written:
        if K > n or v % w:
            return f"phase 0 has a stage {K} of {n} and Γ_{{{w},{v},{n}}}"
    stages = [
        inverse(Gamma(w, v, n))
        @ (Gamma(w, v, n) @ A(K, n, alpha) @ inverse(Gamma(w, v, n)))
        @ Gamma(w, v, n)
        for w, K in reversed(written)
    ]
    wanted = [A(K, n, alpha) for K in reversed(list(powers(l, n)))]
    verdict = check(Equation("", "", multiplied([*wanted, I(n)]), multiplied([*stages, I(n)])))
    return verdict.counterexample if isinstance(verdict, Refuted) else None


def processors(last: int) -> Iterator[tuple[int, int]]:
    """Yield N and p, powers of two, 2 <= p < N."""
    return ((N, p) for N in powers(4, last) for p in powers(2, N // 2))


EVALUATIONS: dict[str, Evaluation] = {
    "bsp-number-of-phases": Evaluation("N p", lambda: ranks(2**10), *both(phases, False, True)),
    "bsp-2.8-last-phase": Evaluation(
        "N p", lambda: ranks(256, 4, 2), *both(last_phase, True, False)
    ),
    "bsp-algorithm-3.1-one-processor": Evaluation(
        "N p", lambda: ranks(64), *both(algorithm_3_1, True, False)
    ),
    "bsp-algorithm-3.3-index": Evaluation(
        "N p", lambda: ranks(128), *both(bit_reversal, True, False)
    ),
    "bsp-4.4-last-phase": Evaluation("n v", whole_phases, *both(last_of_4_4, True, False)),
    "bsp-1.2-index": Evaluation(
        "N",
        lambda: [(N,) for N in powers(2, 16)],
        lambda N: inverse_transform(N, 2 * N),
        lambda N: inverse_transform(N, N),
    ),
    "bsp-3.3-groups": Evaluation(
        "N p r",
        lambda: ((N, p, r) for N, p in processors(64) for r in powers(1, p)),
        *both(groups, True, False),
    ),
    "bsp-3.9-one-processor": Evaluation(
        "N p",
        lambda: ((N, p) for N in powers(2, 64) for p in powers(1, N // 2)),
        *both(one_processor, True, False),
    ),
    "bsp-4.4-one-phase": Evaluation("n v l", one_phase, *both(equation_4_4, True, False)),
}
