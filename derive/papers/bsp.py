"""Factorizations of the Fourier matrix, a function per numbered equation of Inda & Bisseling, 2000.

N and P are powers of two with P < N, n = N/P is the local size. Where a size may be symbolic the
equation says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from math import prod
from operator import itemgetter

from derive.formula import entries
from derive.formula.entries import Entries, Indices
from derive.formula.grammar import Equation, Formula, I, Kron, kron, product
from derive.formula.permutation_matrices import Gamma, R, S, inverse, stride
from derive.formula.transforms import A, AHat, B, ButterflySum, D, F, T
from derive.papers.bsp_phases import (
    SIZES,
    distributions,
    groups,
    phase_sizes,
    powers_of_two,
    radices,
    virtual_processors,
)
from derive.sizes import Size, divide

PAPER = "Inda & Bisseling 2000"
Step = tuple[Formula, Entries]
"""A factor, and what the product of the factors up to it is, said without them."""


def _stated(
    name: str, place: str, left: Formula, factors: Sequence[Formula], claims: Sequence[Entries]
) -> Equation:
    """Return left = the product of the factors; claims state those of the last, last two, ..."""
    if not claims:
        return Equation(name, place, left, product(factors))
    return made(name, place, left, list(zip(reversed(factors), claims, strict=True)))


def made(name: str, place: str, left: Formula, steps: Sequence[Step]) -> Equation:
    """Return left = the product of the factors, of which the first acts first; I vanishes."""
    claims = tuple(claim for factor, claim in steps if not isinstance(factor, I))
    return Equation(name, place, left, product(factor for factor, _ in reversed(steps)), claims)


def equation_1_6(N: int) -> Equation:
    """Return F_N = A_{N,N} ... A_{4,N} A_{2,N} P_N, eq. (1.6).

    >>> print(equation_1_6(8))
    F_8 = A_{8,8} A_{4,8} A_{2,8} P_8
    """
    right = [*(A(K, N) for K in reversed(powers_of_two(2, N))), R(N)]
    return _stated("bsp-1.6", f"{PAPER}, (1.6)", F(N), right, entries.stages(N, N))


def equation_1_12(K: Size) -> Equation:
    """Return D_K = B_K (I_2 ⊗ B_{K/2}), eq. (1.12); K may be symbolic.

    >>> print(equation_1_12(8))
    D_8 = B_8 (I_2 ⊗ B_4)
    """
    right = B(K), kron(I(2), B(divide(K, 2)))
    return _stated("bsp-1.12", f"{PAPER}, (1.12)", D(K), right, entries.four_butterfly(K))


def theorem_2_2(u: Size, M: Size, k: Size) -> Equation:
    """Return S_{u,M} A_{ku,M} S_{u,M}^-1 = diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), n = M/u,
    Theorem 2.2; sizes may be symbolic.

    The paper writes A_{k,u,M} on the left; the stage that holds is A_{ku,M}.

    >>> print(theorem_2_2(2, 8, 4))
    S_{2,8} A_{8,8} S_{2,8}^-1 = diag(A_{4,4}^{0/2}, ..., A_{4,4}^{(2-1)/2})
    """
    shuffle, n = S(u, M), divide(M, u)
    left, right = shuffle @ A(k * u, M) @ inverse(shuffle), ButterflySum(k, n, u)
    whole, steps = entries.butterfly_sum(k, n, u), entries.between_shuffles(u, M, k)
    return Equation("bsp-theorem-2.2", f"{PAPER}, Theorem 2.2", left, right, whole, steps)


def corollary_2_3(r: Size, p: Size, N: Size, k: Size) -> Equation:
    """Return Â_{k,u,p,N} = I_r ⊗ diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), u = p/r, n = N/p,
    Corollary 2.3; sizes may be symbolic.

    >>> print(corollary_2_3(2, 4, 16, 4))
    Â_{4,2,4,16} = (I_2 ⊗ diag(A_{4,4}^{0/2}, ..., A_{4,4}^{(2-1)/2}))
    """
    u, n = divide(p, r), divide(N, p)
    left, right = AHat(k, u, p, N), kron(I(r), ButterflySum(k, n, u))
    claim = entries.butterfly_sum(k, n, u, r)
    return Equation("bsp-corollary-2.3", f"{PAPER}, Corollary 2.3", left, right, claim)


def equation_2_5(N: int, P: int) -> Equation:
    """Return F_N = Γ_P^-1 (Γ_P A_{N,N} Γ_P^-1) ... (Γ_P A_{2N/P,N} Γ_P^-1) Γ_P A_{N/P,N} ...
    A_{2,N} P_N, eq. (2.5), for P <= sqrt(N).

    Raises ValueError for P > sqrt(N).

    >>> print(equation_2_5(8, 2))
    F_8 = Γ_{2,2,8}^-1 Γ_{2,2,8} A_{8,8} Γ_{2,2,8}^-1 Γ_{2,2,8} A_{4,8} A_{2,8} P_8
    """
    _at_most_root(N, P, "(2.5)")
    gamma, cyclic = Gamma(P, P, N), partial(entries.undistributed, P, P, N)
    long, short = powers_of_two(2 * N // P, N), powers_of_two(2, N // P)
    steps: list[Step] = [(A(K, N), entries.stage(K, N)) for K in short]
    steps = [(R(N), entries.stage(1, N)), *steps]
    steps += [(gamma, entries.stage(N // P, N).moved(cyclic))]
    for K in long:
        before, done = entries.stage(K // 2, N), entries.stage(K, N)
        steps += [(inverse(gamma), before), (A(K, N), done), (gamma, done.moved(cyclic))]
    return made("bsp-2.5", f"{PAPER}, (2.5)", F(N), [*steps, (inverse(gamma), entries.stage(N, N))])


def equation_2_7(N: int, P: int) -> Equation:
    """Return (2.5) in two phases of stages Â_{k,u} = Γ_u A_{ku,N} Γ_u^-1, eq. (2.7), for P <=
    sqrt(N).

    Raises ValueError for P > sqrt(N).

    >>> print(equation_2_7(8, 2))
    F_8 = Γ_{2,2,8}^-1 Â_{4,2,2,8} Γ_{2,2,8} Γ_{1,2,8}^-1 Â_{4,1,2,8} Â_{2,1,2,8} Γ_{1,2,8} P_8
    """
    _at_most_root(N, P, "(2.7)")
    general = equation_2_8(N, P)
    return Equation("bsp-2.7", f"{PAPER}, (2.7)", general.left, general.right, general.partial)


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
    steps: list[Step] = [(R(N), entries.stage(1, N))]
    done = 1
    for d, u in zip(phases or radices(N, P), distributions(N, P, phases), strict=True):
        gamma, grouped = Gamma(u, P, N), partial(entries.undistributed, u, P, N)
        steps += [(gamma, entries.stage(done, N).moved(grouped))]
        for K in powers_of_two(2 * done, d * done):
            steps += [(AHat(K // u, u, P, N), entries.stage(K, N).moved(grouped))]
        done *= d
        steps += [(inverse(gamma), entries.stage(done, N))]
    return made("bsp-2.8", f"{PAPER}, (2.8)", F(N), steps)


def _at_most_root(N: int, P: int, place: str) -> None:
    SIZES.exponents(N, P)
    if P * P > N:
        why = f"{place} needs P <= sqrt(N), not P = {P}, N = {N}: (2.8) is the general case"
        raise ValueError(why)


def lemma_3_1(u: Size, N: Size) -> Equation:
    """Return rev_N(j) = rev_{N/u}(j div u) + N/u rev_u(j mod u) as matrices, Lemma 3.1; sizes may
    be symbolic.

    The digits of j = a u + b are reversed apart, then b goes to the front: P_N = S_{u,N} (P_{N/u} ⊗
    P_u).

    >>> print(lemma_3_1(2, 8))
    P_8 = S_{2,8} (P_4 ⊗ P_2)
    """
    right, claims = (S(u, N), kron(R(divide(N, u)), R(u))), entries.reversed_apart(u, N)
    return _stated("bsp-lemma-3.1", f"{PAPER}, Lemma 3.1", R(N), right, claims)


def corollary_3_2(u: Size, N: Size) -> Equation:
    """Return P_N = (I_u ⊗ P_{N/u}) (P_u ⊗ I_{N/u}) S_{u,N}, Corollary 3.2; sizes may be symbolic.

    >>> print(corollary_3_2(2, 8))
    P_8 = (I_2 ⊗ P_4) (P_2 ⊗ I_4) S_{2,8}
    """
    n = divide(N, u)
    right = kron(I(u), R(n)), kron(R(u), I(n)), S(u, N)
    claims = entries.reversed_in_turn(u, N)
    return _stated("bsp-corollary-3.2", f"{PAPER}, Corollary 3.2", R(N), right, claims)


def cooley_tukey(r: Size, s: Size) -> Equation:
    """Return F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r; sizes may be symbolic.

    >>> print(cooley_tukey(2, 4))
    F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2
    """
    right = kron(F(r), I(s)), T(r * s, s), kron(I(r), F(s)), stride(r * s, r)
    place = f"Cooley & Tukey 1965; {PAPER}, (1.15)"
    return _stated("cooley-tukey", place, F(r * s), right, entries.decimation(r, s))


def transposed_cooley_tukey(r: Size, s: Size) -> Equation:
    """Return F_rs = L^rs_s (I_r ⊗ F_s) T^rs_s (F_r ⊗ I_s), the transpose of `cooley_tukey`; SIZES
    may be symbolic.

    >>> print(transposed_cooley_tukey(2, 4))
    F_8 = L^8_4 (I_2 ⊗ F_4) T^8_4 (F_2 ⊗ I_4)
    """
    right = stride(r * s, s), kron(I(r), F(s)), T(r * s, s), kron(F(r), I(s))
    name, claims = "cooley-tukey-transposed", entries.transposed_decimation(r, s)
    return _stated(name, "Cooley & Tukey 1965", F(r * s), right, claims)


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
    found, steps, K = phase_sizes(N, P, phases), [(stride(N, P), entries.subsequences(P, N))], 1
    groups = zip(distributions(N, P, phases), found, strict=True)
    for u, run in groupby(groups, key=itemgetter(0)):
        radix = tuple(d for _, d in run)
        if K == 1:
            steps += _first_phases(N, P, radix, v)
        else:
            D, r = prod(radix), N // (K * prod(radix))
            together = (
                entries.joined(D, r, N, False)
                if len(radix) == 1
                else entries.transforms(r * D, N).moved(partial(_place, r, 1, D, K))
            )
            steps += [(kron(stride(r * D, r), I(K)), together), *_joining(N, P, K, radix, u, 1)]
        K *= prod(radix)
    return made("bsp-fft", f"{PAPER}, (2.8) and (4.2)", F(N), steps)


def _first_phases(N: int, P: int, radix: Sequence[int], v: int) -> list[Step]:
    """Return the phases before data moves: I_P ⊗ F_d ⊗ I_{n/d}, then those that join on a rank."""
    d, D, n = radix[0], prod(radix), N // P
    rest, c = n // d, n // D
    factors: tuple[Formula, ...] = (F(d),)
    claims: tuple[Entries, ...] = (entries.transforms(P * rest, N),)
    if v > 1:
        u = d // v
        factors = kron(F(v), I(u)), T(d, u), kron(I(v), F(u)), stride(d, divide(d, v))
        claims = entries.transposed_decimation(v, u, P * rest)
    if rest == 1:
        return [(kron(I(P), factor), claim) for factor, claim in zip(factors, claims, strict=True)]
    whole = entries.transforms(P * rest, N)

    def apart(z: Indices) -> Indices:
        return (z % rest * P + z // n) * d + z % n // rest

    def in_rows(z: Indices) -> Indices:
        return (z % n // d * P + z // n) * d + z % d

    steps: list[Step] = [
        (kron(I(P), _beside(factor, rest)), claim.moved(apart))
        for factor, claim in zip(factors, claims, strict=True)
    ]
    steps += [(kron(I(P), stride(n, rest)), whole.moved(in_rows))]
    if len(radix) > 1:
        order = partial(_place, P, c, rest // c, d)
        steps += [(kron(I(P), kron(stride(rest, c), I(d))), whole.moved(order))]
        steps += _joining(N, P, d, radix[1:], 1, c)
    return [*steps, (kron(stride(P * c, c), I(D)), entries.transforms(P * c, N))]


def _joining(N: int, P: int, K: int, radix: Sequence[int], u: int, c: int) -> list[Step]:
    """Return the phases of one distribution: they join D = d0 d1 .. transforms of length K each."""
    steps: list[Step] = []
    gamma, grouped = Gamma(u, P, N) if u > 1 else I(N), partial(entries.undistributed, u, P, N)
    for i, d in enumerate(radix):
        more, r = prod(radix[i + 1 :]), N // (d * K)

        claims = [entries.joined(d, r, N, False), entries.joined(d, r, N, True)]
        claims += [entries.transforms(r, N)]
        if more * c > 1:
            order = partial(_place, r // (more * c), c, more, d * K)
            claims = [claim.moved(order) for claim in claims]
        joined, weighted, done = claims
        local = kron(I(N * u // (d * K)), kron(F(d), I(K // u)))
        steps += [
            (kron(I(r // more), kron(stride(d * more, more), I(K))), joined),
            (kron(I(r), T(d * K, K)), weighted),
            (gamma, weighted.moved(grouped)),
            (local, done.moved(grouped)),
            (inverse(gamma), done),
        ]
        K *= d
    return steps


def _place(r: int, c: int, D: int, K: int, z: Indices) -> Indices:
    """Return where element z of transforms of length K belongs, whose numbers b < r c D are in the
    order (b mod r, (b div r) mod c, b div r c).
    """
    b, k = z // K, z % K
    return ((b % D * c + b // D % c) * r + b // (D * c)) * K + k


def _beside(factor: Formula, c: int) -> Formula:
    """Return factor ⊗ I_c with identities merged."""
    match factor:
        case Kron(I() as left, right):
            return kron(left, kron(right, I(c)))
        case Kron(left, I(h)):
            return kron(left, I(h * c))
    return kron(factor, I(c))


def equations(N: int, P: int) -> tuple[Equation, ...]:
    """Return every equation of the group-cyclic FFT at this size, the emitted form last.

    (2.5) and (2.7) are there for P <= sqrt(N); (1.12), Theorem 2.2 and Corollary 2.3 for every
    stage and group size u > 1 that the transform uses (u = 1 is no permutation); Lemma 3.1 and
    Corollary 3.2 for u = P.

    >>> [equation.name for equation in equations(8, 2)][:3]
    ['bsp-1.6', 'bsp-1.12', 'bsp-1.12']
    """
    SIZES.exponents(N, P)
    n = N // P
    used = [(u, k) for u in groups(N, P)[1:] for k in powers_of_two(2, n)]
    return (
        equation_1_6(N),
        *(equation_1_12(K) for K in powers_of_two(4, N)),
        *(theorem_2_2(u, u * n, k) for u, k in used),
        *(corollary_2_3(P // u, P, N, k) for u, k in used),
        *((equation_2_5(N, P), equation_2_7(N, P)) if P * P <= N else ()),
        equation_2_8(N, P),
        lemma_3_1(P, N),
        corollary_3_2(P, N),
        group_cyclic(N, P, virtual_processors(n)),
    )
