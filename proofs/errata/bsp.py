"""M. A. Inda, R. H. Bisseling: A simple and efficient parallel FFT algorithm using the BSP model,
2000: the formulas.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from derive.exact.check import check
from derive.formula.grammar import DirectSum, Equation, Formula, I, kron
from derive.formula.grammar import product as multiplied
from derive.formula.permutation_matrices import Gamma, R, inverse
from derive.formula.permutations import target
from derive.formula.transforms import A, AHat, F
from derive.papers import bsp_phases
from derive.verdict import Refuted
from proofs.errata.bsp_limits import LIMITS
from proofs.errata.bsp_prose import PROSE
from proofs.errata.bsp_tables import TABLES
from proofs.errata.entry import COPY, EITHER, EQUATION, INTERPRETATION, PAPER, Erratum, both, differ

powers = bsp_phases.powers_of_two


def unequal(left: Formula, right: Formula) -> str | None:
    """Return where two formulas differ, None if every entry is equal."""
    if left.size != right.size:
        return f"{left.size} x {left.size} on the left, {right.size} x {right.size} on the right"
    verdict = check(Equation("", "", left, right))
    return verdict.counterexample if isinstance(verdict, Refuted) else None


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


def gamma_pairs() -> Iterator[tuple[int, int, int, int]]:
    """Yield p, N, u1 and u2."""
    return ((p, N, a, b) for N, p in ranks(64) for a in powers(1, p) for b in powers(1, p))


def inverse_of_3_5(p: int, N: int, u1: int, u2: int, printed: bool) -> str | None:
    """Return where the inverse of γ_{u1}^{u2} is not γ_{u2}^-1, or not γ_{u2}^{u1}."""
    back = np.argsort(target(Gamma(u2, p, N) @ inverse(Gamma(u1, p, N))))
    found = target(
        inverse(Gamma(u2, p, N)) if printed else Gamma(u1, p, N) @ inverse(Gamma(u2, p, N))
    )
    wrong = np.flatnonzero(back != found)
    return f"{wrong[0]} goes to {found[wrong[0]]}, not {back[wrong[0]]}" if len(wrong) else None


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


def virtual() -> Iterator[tuple[int, int, int, int]]:
    """Yield n, v, u and k of (4.5)."""
    return (
        (n, v, u, k)
        for n in powers(4, 32)
        for v in powers(2, n // 2)
        for u in powers(1, v)
        for k in powers(2, n // v)
    )


def equation_4_5(n: int, v: int, u: int, k: int, copies: int) -> str | None:
    """Return where (4.5) fails for α = 1/2 with so many copies on its right."""
    alpha, c = Fraction(1, 2), n // v
    if copies * u * c != n:
        return f"order {n} on the left, {copies}·{u}·{c} = {copies * u * c} on the right"
    gamma = Gamma(u, v, n)
    return unequal(
        gamma @ A(k * u, n, alpha) @ inverse(gamma),
        kron(I(copies), DirectSum(tuple(A(k, c, (alpha + s) / u) for s in range(u)))),
    )


def stages() -> Iterator[tuple[int, int, int, int]]:
    """Yield N, p, u and k of (2.9)."""
    return ((N, p, u, k) for N, p in ranks(32) for u in powers(1, p) for k in powers(2, N // p))


def equation_2_9(N: int, p: int, u: int, k: int, K: int) -> str | None:
    """Return where (2.9) fails for the stage A_{K,N} in (2.6)."""
    gamma, n = Gamma(u, p, N), N // p
    return unequal(
        gamma @ A(K, N) @ inverse(gamma),
        kron(I(p // u), DirectSum(tuple(A(k, n, Fraction(s, u)) for s in range(u)))),
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


ERRATA = (
    Erratum(
        "bsp-number-of-phases",
        EQUATION,
        "section 2.1",
        r"The number of phases is the largest integer H for which $(N/p)^{H-1} \leq N$.",
        "H is the largest integer with (N/p)^(H-1) ≤ N",
        "(N/p)^(H-1) < N, that is the smallest H with (N/p)^H ≥ N, the value ⌈log N/log(N/p)⌉ that"
        " is given with it",
        PAPER,
        "N p",
        lambda: ranks(2**10),
        *both(phases, False, True),
    ),
    Erratum(
        "bsp-2.6-stage",
        INTERPRETATION,
        "(2.6), Theorem 2.2, the line before (4.5)",
        r"\hat{A}_{k,u,p,N} = \Gamma_{u,p,N} A_{k,u,N} \Gamma_{u,p,N}^{-1} [...] S_{u,M} "
        r"A_{k,u,M} S_{u,M}^{-1} [...] \Gamma_{u,v,n} A_{k,u,n}^\alpha \Gamma_{u,v,n}^{-1}",
        "a stage of three indices is not defined; with k for its size, A_{k,N}, (2.9) does not "
        "hold",
        "A_{ku,N}: the proof of Theorem 2.2 defines K = ku",
        EITHER,
        "N p u k",
        stages,
        lambda N, p, u, k: equation_2_9(N, p, u, k, k),
        lambda N, p, u, k: equation_2_9(N, p, u, k, k * u),
        "bsp-corollary-2.3",
    ),
    Erratum(
        "bsp-2.8-last-phase",
        EQUATION,
        "(2.8), first stage of phase H-1",
        r"\hat{A}_{2\frac{(N/p)H-1}{p},p}",
        "the phase begins with k = 2((N/p)H-1)/p",
        "k = 2 (N/p)^(H-1)/p",
        COPY,
        "N p",
        lambda: ranks(256, 4, 2),
        *both(last_phase, True, False),
        "bsp-2.8",
    ),
    Erratum(
        "bsp-3.5-inverse",
        EQUATION,
        "(3.5), the note",
        r"(\gamma_{u_1}^{u_2})^{-1} = \gamma_{u_2}^{-1}",
        "(γ_{u1}^{u2})^-1 = γ_{u2}^-1",
        "(γ_{u1}^{u2})^-1 = γ_{u2}^{u1}",
        EITHER,
        "p N u1 u2",
        gamma_pairs,
        *both(inverse_of_3_5, True, False),
    ),
    Erratum(
        "bsp-algorithm-3.1-one-processor",
        EQUATION,
        "Algorithm 3.1, p < N",
        r"p is a power of 2 with $p < N$ [...] BTFLY($0, sign, \frac{N}{p}, 4, "
        r"\mathbf{y}_{s\frac{N}{p}}$) [...] BTFLY($\frac{s}{p}, sign, \frac{N}{p}, "
        r"4\frac{(N/p)^{H-1}}{p}, \mathbf{y}_{s\frac{N}{p}}$)",
        "for p = 1 supersteps 2 and 6 are the same phase, and both are done",
        "right for 2 ≤ p < N; for p = 1 superstep 6 is left out",
        PAPER,
        "N p",
        lambda: ranks(64),
        *both(algorithm_3_1, True, False),
    ),
    Erratum(
        "bsp-algorithm-3.3-index",
        EQUATION,
        "Algorithm 3.3, superstep 1",
        r"x_{dest, \frac{N}{p} + j \text{ div } p} \leftarrow \text{Put}(dest, 1, y_j)",
        "x has the index N/p + j div p on processor dest",
        "x_{dest·N/p + j div p}",
        COPY,
        "N p",
        lambda: ranks(128),
        *both(bit_reversal, True, False),
    ),
    Erratum(
        "bsp-4.4-last-phase",
        EQUATION,
        "(4.4), last factor of the last phase",
        r"\hat{A}_{2, \frac{(n/v)^{h-1}}{v}}^\alpha",
        "the last factor is Â_{2, (n/v)^(h-1)/v}^α",
        "Â_{2(n/v)^(h-1)/v, v}^α",
        EITHER,
        "n v",
        whole_phases,
        *both(last_of_4_4, True, False),
        "bsp-4.4",
    ),
    Erratum(
        "bsp-4.5-copies",
        EQUATION,
        "(4.5)",
        r"I_{\frac{n}{v}} \otimes \text{diag}(A_{k,\frac{n}{v}}^{\alpha/u}, "
        r"A_{k,\frac{n}{v}}^{(\alpha+1)/u}, \dots, A_{k,\frac{n}{v}}^{(\alpha+u-1)/u})",
        "I_{n/v} ⊗ diag(A_{k,n/v}^{α/u}, ..., A_{k,n/v}^{(α+u-1)/u})",
        "I_{v/u} ⊗ diag(...)",
        PAPER,
        "n v u k",
        virtual,
        lambda n, v, u, k: equation_4_5(n, v, u, k, n // v),
        lambda n, v, u, k: equation_4_5(n, v, u, k, v // u),
        "bsp-4.5",
    ),
    *TABLES,
    *PROSE,
    *LIMITS,
)
