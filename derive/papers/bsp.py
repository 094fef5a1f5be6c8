"""Factorizations of the Fourier matrix, a function per numbered equation of Inda & Bisseling, 2000.

N and P are powers of two with P < N, n = N/P is the local size. Where a size may be symbolic the
equation says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import prod
from operator import itemgetter

from derive.formula.grammar import Equation, Formula, I, kron, product
from derive.formula.permutation_matrices import Gamma, R, inverse, stride
from derive.formula.transforms import AHat, D, F, T
from derive.papers.bsp_phases import (
    SIZES,
    distributions,
    groups,
    phase_sizes,
    powers_of_two,
    radices,
    virtual_processors,
)
from derive.papers.statements.statement_tables import at_sizes
from derive.sizes import Size, divide

PAPER = "Inda & Bisseling 2000"


def in_order(name: str, place: str, left: Formula, factors: Sequence[Formula]) -> Equation:
    """Return left = the product of the factors, of which the first acts first."""
    return Equation(name, place, left, product(reversed(factors)))


def equation_1_12(K: Size) -> Equation:
    """Return D_K = B_K (I_2 ⊗ B_{K/2}), eq. (1.12); K may be symbolic.

    >>> print(equation_1_12(8))
    D_8 = B_8 (I_2 ⊗ B_4)
    """
    return Equation("bsp-1.12", f"{PAPER}, (1.12)", D(K), D(K).definition)


def equation_2_7(N: int, P: int) -> Equation:
    """Return (2.5) in two phases of stages Â_{k,u} = Γ_u A_{ku,N} Γ_u^-1, eq. (2.7), for P <=
    sqrt(N).

    Raises ValueError for P > sqrt(N).

    >>> print(equation_2_7(8, 2))
    F_8 = Γ_{2,2,8}^-1 Â_{4,2,2,8} Γ_{2,2,8} Γ_{1,2,8}^-1 Â_{4,1,2,8} Â_{2,1,2,8} Γ_{1,2,8} P_8
    """
    SIZES.exponents(N, P)
    if P * P > N:
        why = f"(2.7) needs P <= sqrt(N), not P = {P}, N = {N}: (2.8) is the general case"
        raise ValueError(why)
    general = equation_2_8(N, P)
    return Equation("bsp-2.7", f"{PAPER}, (2.7)", general.left, general.right)


def equation_2_8(N: int, P: int, phases: Sequence[int] = ()) -> Equation:
    """Return F_N as phases of block diagonal stages Â_{k,u} between permutations Γ_u, eq. (2.8); u
    = (N/P)^J in phase J.

    Its last phase has the stages k u > (N/P)^{H-1}: in the paper's notation k = 2 (N/P)^{H-1}/P,
    ..., N/P. With the sizes of `phases` given, phase J has the stages K = k u that multiply up to
    the J-th of them (section 4.2).

    >>> print(equation_2_8(8, 4))
    F_8 = Γ_{4,4,8}^-1 Â_{2,4,4,8} Γ_{4,4,8} Γ_{2,4,8}^-1 Â_{2,2,4,8} Γ_{2,4,8} Γ_{1,4,8}^-1 Â_{2,1,4,8} Γ_{1,4,8} P_8
    """  # noqa: E501
    SIZES.exponents(N, P)
    factors: list[Formula] = [R(N)]
    done = 1
    for d, u in zip(phases or radices(N, P), distributions(N, P, phases), strict=True):
        stages = (AHat(K // u, u, P, N) for K in powers_of_two(2 * done, d * done))
        factors += [Gamma(u, P, N), *stages, inverse(Gamma(u, P, N))]
        done *= d
    return in_order("bsp-2.8", f"{PAPER}, (2.8)", F(N), factors)


def group_cyclic(N: int, P: int, v: int = 1, phases: Sequence[int] = ()) -> Equation:
    """Return F_N as local transforms of radix d between moves: (2.8) with every phase as a DFT, the
    form that is emitted.

    Phase 0 is I_P ⊗ F_n on the cyclic distribution (4.2), or I_P ⊗ F_d ⊗ I_{n/d} where its size d
    is less than n. A later phase joins d transforms of length K each to one of length d K: (I ⊗ F_d
    ⊗ I_{K/u}) after Γ_u (I_r ⊗ T^{dK}_K) (L^{rd}_r ⊗ I_K), r d K = N. That is Cooley-Tukey's
    equation with s = K, on data that Γ_u has distributed cyclically over groups of u ranks
    (`distributions`).

    With v > 1 virtual processors a rank does F_n in two steps that fit its cache, F_v and F_{n/v}
    (section 4.3). Raises ValueError unless v divides the size of phase 0, and where the phases are
    none of N on P ranks.

    >>> print(group_cyclic(8, 2))
    F_8 = Γ_{2,2,8}^-1 (I_2 ⊗ F_2 ⊗ I_2) Γ_{2,2,8} T^8_4 (I_2 ⊗ F_4) L^8_2
    >>> print(group_cyclic(8, 2, 1, (2, 4)))
    F_8 = Γ_{2,2,8}^-1 (I_2 ⊗ F_4) Γ_{2,2,8} T^8_2 (L^4_2 ⊗ I_2) (I_2 ⊗ L^4_2) (I_2 ⊗ F_2 ⊗ I_2) L^8_2
    """  # noqa: E501
    found, factors, K = phase_sizes(N, P, phases), [stride(N, P)], 1
    groups = zip(distributions(N, P, phases), found, strict=True)
    for u, run in groupby(groups, key=itemgetter(0)):
        radix = tuple(d for _, d in run)
        if K == 1:
            factors += _first_phases(N, P, radix, v)
        else:
            D, r = prod(radix), N // (K * prod(radix))
            factors += [kron(stride(r * D, r), I(K)), *_joining(N, P, K, radix, u, 1)]
        K *= prod(radix)
    return in_order("bsp-fft", f"{PAPER}, (2.8) and (4.2)", F(N), factors)


def _first_phases(N: int, P: int, radix: Sequence[int], v: int) -> list[Formula]:
    """Return the phases before data moves: I_P ⊗ F_d ⊗ I_{n/d}, then those that join on a rank."""
    d, D, n = radix[0], prod(radix), N // P
    rest, c = n // d, n // D
    transform: tuple[Formula, ...] = (F(d),)
    if v > 1:
        u = d // v
        transform = kron(F(v), I(u)), T(d, u), kron(I(v), F(u)), stride(d, divide(d, v))
    if rest == 1:
        return [kron(I(P), factor) for factor in transform]
    factors = [kron(I(P), factor, I(rest)) for factor in transform]
    factors += [kron(I(P), stride(n, rest))]
    if len(radix) > 1:
        factors += [kron(I(P), kron(stride(rest, c), I(d)))]
        factors += _joining(N, P, d, radix[1:], 1, c)
    return [*factors, kron(stride(P * c, c), I(D))]


def _joining(N: int, P: int, K: int, radix: Sequence[int], u: int, c: int) -> list[Formula]:
    """Return the phases of one distribution: they join D = d0 d1 .. transforms of length K each."""
    factors: list[Formula] = []
    gamma = Gamma(u, P, N) if u > 1 else I(N)
    for i, d in enumerate(radix):
        more, r = prod(radix[i + 1 :]), N // (d * K)
        factors += [
            kron(I(r // more), kron(stride(d * more, more), I(K))),
            kron(I(r), T(d * K, K)),
            gamma,
            kron(I(N * u // (d * K)), kron(F(d), I(K // u))),
            inverse(gamma),
        ]
        K *= d
    return factors


def equations(N: int, P: int) -> tuple[Equation, ...]:
    """Return every equation of the group-cyclic FFT at this size, the emitted form last.

    (2.5) and (2.7) are there for P <= sqrt(N); (1.12), Theorem 2.2 and Corollary 2.3 for every
    stage and group size u > 1 that the transform uses (u = 1 is no permutation); Lemma 3.1 and
    Corollary 3.2 for u = P.

    >>> [equation.name for equation in equations(8, 2)][:3]
    ['bsp-1.6', 'bsp-1.12', 'bsp-1.12']
    """
    n, p = SIZES.exponents(N, P)
    m, n = n - p, N // P
    used = [
        {"u": u, "h": k // 2, "c": n // k} for u in groups(N, P)[1:] for k in powers_of_two(2, n)
    ]
    return (
        *([at_sizes("bsp-1.6", n=p + m)] if N > 1 else ()),
        *(equation_1_12(K) for K in powers_of_two(4, N)),
        *(at_sizes("bsp-theorem-2.2", 2, **sizes) for sizes in used),
        *(at_sizes("bsp-corollary-2.3", r=P // sizes["u"], **sizes) for sizes in used),
        *((at_sizes("bsp-2.5", a=p, e=m - p), equation_2_7(N, P)) if P * P <= N else ()),
        equation_2_8(N, P),
        at_sizes("bsp-lemma-3.1", q=p, d=m),
        at_sizes("bsp-corollary-3.2", q=p, d=m),
        group_cyclic(N, P, virtual_processors(n)),
    )
