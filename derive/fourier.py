"""Factorizations of the Fourier matrix, a function per numbered equation of Inda & Bisseling (2000).

N and P are powers of two with P < N, n = N/P is the local size. Where a size may be symbolic the equation says so.
"""

from __future__ import annotations

from itertools import accumulate

from derive.formula import (
    A,
    AHat,
    B,
    ButterflySum,
    D,
    Equation,
    F,
    Formula,
    Gamma,
    I,
    R,
    S,
    Size,
    T,
    divide,
    factors_of,
    inverse,
    kron,
    product,
    stride,
)
from derive.permute import lg

PAPER = "Inda & Bisseling 2000"


def sizes(N: int, P: int) -> tuple[int, int]:
    """Return (lg N, lg P) for a transform of N elements on P ranks.

    Raises ValueError unless both are powers of two and 1 <= P < N.

    >>> sizes(1024, 24)
    Traceback (most recent call last):
    ValueError: P = 24 is not a power of two: the radix-2 framework needs N and P to be
    """
    for name, value in (("N", N), ("P", P)):
        if value < 1 or value & value - 1:
            raise ValueError(f"{name} = {value} is not a power of two: the radix-2 framework needs N and P to be")
    if P >= N:
        raise ValueError(f"P = {P} ranks for N = {N} elements: the group-cyclic framework needs P < N")
    return lg(N), lg(P)


def phases(N: int, P: int) -> int:
    """Return H, the smallest integer with (N/P)^H >= N: the number of computation phases.

    >>> phases(1024, 4), phases(1024, 256), phases(2**21, 2**18)
    (2, 5, 7)
    """
    n, p = sizes(N, P)
    return -(-n // (n - p))


def groups(N: int, P: int) -> tuple[int, ...]:
    """Return u = min(P, (N/P)^J), the ranks in a group, for the phases J = 0, ..., H-1.

    >>> groups(1024, 256)
    (1, 4, 16, 64, 256)
    """
    return tuple(min(P, (N // P) ** J) for J in range(phases(N, P)))


def powers_of_two(first: int, last: int) -> tuple[int, ...]:
    """Return the powers of two from `first` to `last`.

    >>> powers_of_two(2, 8)
    (2, 4, 8)
    """
    return tuple(first << i for i in range((last // first).bit_length()))


def _transformed(K: int, N: int) -> Formula:
    """Return (I_{N/K} ⊗ F_K P_K) P_N: what the stages up to K have made of a vector."""
    return kron(I(N // K), product([F(K), R(K)])) @ R(N)


def equation_1_6(N: int) -> Equation:
    """Return F_N = A_{N,N} ... A_{4,N} A_{2,N} P_N, eq. (1.6).

    >>> print(equation_1_6(8))
    F_8 = A_{8,8} A_{4,8} A_{2,8} P_8
    """
    stages = powers_of_two(2, N)
    right = product([*(A(K, N) for K in reversed(stages)), R(N)])
    return Equation("bsp-1.6", f"{PAPER}, (1.6)", F(N), right, (R(N), *(_transformed(K, N) for K in stages)))


def equation_1_12(K: Size) -> Equation:
    """Return D_K = B_K (I_2 ⊗ B_{K/2}), eq. (1.12); K may be symbolic.

    >>> print(equation_1_12(8))
    D_8 = B_8 (I_2 ⊗ B_4)
    """
    return Equation("bsp-1.12", f"{PAPER}, (1.12)", D(K), B(K) @ kron(I(2), B(divide(K, 2))))


def theorem_2_2(u: Size, M: Size, k: Size) -> Equation:
    """Return S_{u,M} A_{ku,M} S_{u,M}^-1 = diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), n = M/u, Theorem 2.2; sizes may be symbolic.

    The paper writes A_{k,u,M} on the left; the stage that holds is A_{ku,M}.

    >>> print(theorem_2_2(2, 8, 4))
    S_{2,8} A_{8,8} S_{2,8}^-1 = diag(A_{4,4}^{0/2}, ..., A_{4,4}^{(2-1)/2})
    """
    shuffle = S(u, M)
    return Equation("bsp-theorem-2.2", f"{PAPER}, Theorem 2.2", shuffle @ A(k * u, M) @ inverse(shuffle), ButterflySum(k, divide(M, u), u))


def corollary_2_3(r: Size, p: Size, N: Size, k: Size) -> Equation:
    """Return Â_{k,u,p,N} = I_r ⊗ diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), u = p/r, n = N/p, Corollary 2.3; sizes may be symbolic.

    >>> print(corollary_2_3(2, 4, 16, 4))
    Â_{4,2,4,16} = (I_2 ⊗ diag(A_{4,4}^{0/2}, ..., A_{4,4}^{(2-1)/2}))
    """
    u = divide(p, r)
    return Equation("bsp-corollary-2.3", f"{PAPER}, Corollary 2.3", AHat(k, u, p, N), kron(I(r), ButterflySum(k, divide(N, p), u)))


def equation_2_5(N: int, P: int) -> Equation:
    """Return F_N = Γ_P^-1 (Γ_P A_{N,N} Γ_P^-1) ... (Γ_P A_{2N/P,N} Γ_P^-1) Γ_P A_{N/P,N} ... A_{2,N} P_N, eq. (2.5), for P <= sqrt(N).

    Raises ValueError for P > sqrt(N).

    >>> print(equation_2_5(8, 2))
    F_8 = Γ_{2,2,8}^-1 Γ_{2,2,8} A_{8,8} Γ_{2,2,8}^-1 Γ_{2,2,8} A_{4,8} A_{2,8} P_8
    """
    _at_most_root(N, P, "(2.5)")
    gamma = Gamma(P, P, N)
    long = [gamma @ A(K, N) @ inverse(gamma) for K in reversed(powers_of_two(2 * N // P, N))]
    short = [A(K, N) for K in reversed(powers_of_two(2, N // P))]
    return Equation("bsp-2.5", f"{PAPER}, (2.5)", F(N), product([inverse(gamma), *long, gamma, *short, R(N)]))


def equation_2_7(N: int, P: int) -> Equation:
    """Return (2.5) in two phases of stages Â_{k,u} = Γ_u A_{ku,N} Γ_u^-1, eq. (2.7), for P <= sqrt(N).

    Raises ValueError for P > sqrt(N).

    >>> print(equation_2_7(8, 2))
    F_8 = Γ_{2,2,8}^-1 Â_{4,2,2,8} Γ_{2,2,8} Γ_{1,2,8}^-1 Â_{4,1,2,8} Â_{2,1,2,8} Γ_{1,2,8} P_8
    """
    _at_most_root(N, P, "(2.7)")
    general = equation_2_8(N, P)
    return Equation("bsp-2.7", f"{PAPER}, (2.7)", general.left, general.right, general.partial)


def equation_2_8(N: int, P: int) -> Equation:
    """Return F_N as H phases of block diagonal stages Â_{k,u}, u = (N/P)^J, between permutations Γ_u, eq. (2.8).

    Its last phase has the stages k u > (N/P)^{H-1}: in the paper's notation k = 2 (N/P)^{H-1}/P, ..., N/P.

    >>> print(equation_2_8(8, 4))
    F_8 = Γ_{4,4,8}^-1 Â_{2,4,4,8} Γ_{4,4,8} Γ_{2,4,8}^-1 Â_{2,2,4,8} Γ_{2,4,8} Γ_{1,4,8}^-1 Â_{2,1,4,8} Γ_{1,4,8} P_8
    """
    sizes(N, P)
    factors: list[Formula] = [R(N)]
    partial: list[Formula] = [R(N)]
    done = 1
    for u in groups(N, P):
        gamma = Gamma(u, P, N)
        stages = powers_of_two(2 * done // u, N // P)
        factors += [gamma, *(AHat(k, u, P, N) for k in stages), inverse(gamma)]
        partial += [gamma @ _transformed(done, N), *(gamma @ _transformed(k * u, N) for k in stages)]
        done = stages[-1] * u
        partial += [_transformed(done, N)]
    return Equation("bsp-2.8", f"{PAPER}, (2.8)", F(N), product(reversed(factors)), tuple(partial))


def _at_most_root(N: int, P: int, place: str) -> None:
    sizes(N, P)
    if P * P > N:
        raise ValueError(f"{place} needs P <= sqrt(N), not P = {P}, N = {N}: (2.8) is the general case")


def lemma_3_1(u: Size, N: Size) -> Equation:
    """Return rev_N(j) = rev_{N/u}(j div u) + N/u rev_u(j mod u) as matrices, Lemma 3.1; sizes may be symbolic.

    The digits of j = a u + b are reversed apart, then b goes to the front: P_N = S_{u,N} (P_{N/u} ⊗ P_u).

    >>> print(lemma_3_1(2, 8))
    P_8 = S_{2,8} (P_4 ⊗ P_2)
    """
    return Equation("bsp-lemma-3.1", f"{PAPER}, Lemma 3.1", R(N), S(u, N) @ kron(R(divide(N, u)), R(u)))


def corollary_3_2(u: Size, N: Size) -> Equation:
    """Return P_N = (I_u ⊗ P_{N/u}) (P_u ⊗ I_{N/u}) S_{u,N}, Corollary 3.2; sizes may be symbolic.

    >>> print(corollary_3_2(2, 8))
    P_8 = (I_2 ⊗ P_4) (P_2 ⊗ I_4) S_{2,8}
    """
    n = divide(N, u)
    return Equation("bsp-corollary-3.2", f"{PAPER}, Corollary 3.2", R(N), kron(I(u), R(n)) @ kron(R(u), I(n)) @ S(u, N))


def cooley_tukey(r: Size, s: Size) -> Equation:
    """Return F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r; sizes may be symbolic.

    >>> print(cooley_tukey(2, 4))
    F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2
    """
    right = kron(F(r), I(s)) @ T(r * s, s) @ kron(I(r), F(s)) @ stride(r * s, r)
    return Equation("cooley-tukey", f"Cooley & Tukey 1965; {PAPER}, (1.15)", F(r * s), right)


def radices(N: int, P: int) -> tuple[int, ...]:
    """Return the radix d of each phase: N/P, and what is left for the last.

    >>> radices(1024, 4), radices(1024, 256), radices(32, 8)
    ((256, 4), (4, 4, 4, 4, 4), (4, 4, 2))
    """
    before = groups(N, P)[:-1]
    n = N // P
    return (n,) + tuple(min(n, P // u) for u in before)


def transposed_cooley_tukey(r: Size, s: Size) -> Equation:
    """Return F_rs = L^rs_s (I_r ⊗ F_s) T^rs_s (F_r ⊗ I_s), the transpose of `cooley_tukey`; sizes may be symbolic.

    >>> print(transposed_cooley_tukey(2, 4))
    F_8 = L^8_4 (I_2 ⊗ F_4) T^8_4 (F_2 ⊗ I_4)
    """
    right = stride(r * s, s) @ kron(I(r), F(s)) @ T(r * s, s) @ kron(F(r), I(s))
    return Equation("cooley-tukey-transposed", "Cooley & Tukey 1965", F(r * s), right)


def group_cyclic(N: int, P: int, v: int = 1) -> Equation:
    """Return F_N as local transforms of radix d between moves: (2.8) with every phase as a DFT, the form that is emitted.

    Phase 0 is I_P ⊗ F_n on the cyclic distribution (4.2). Phase J joins d groups of u ranks to a group of U = u d ranks:
    (I_P ⊗ F_d ⊗ I_{n/d}) after Γ_U (I_{P/U} ⊗ T^{Un}_{Un/d}) (L^{P/u}_{P/U} ⊗ I_{un}) Γ_u^-1. That is Cooley-Tukey's
    equation with r = d, s = u n within every group, on data that Γ_U has distributed cyclically over the group.

    With v > 1 virtual processors a rank does F_n in two steps that fit its cache, F_v and F_{n/v} (section 4.3).
    Raises ValueError unless v divides n.

    >>> print(group_cyclic(8, 2))
    F_8 = Γ_{2,2,8}^-1 (I_2 ⊗ F_2 ⊗ I_2) Γ_{2,2,8} T^8_4 (I_2 ⊗ F_4) L^8_2
    """
    sizes(N, P)
    n = N // P
    factors: list[Formula] = [factor for factor in (stride(N, P), *_local_transform(n, P, v)) if not isinstance(factor, I)]
    partial: list[Formula] = _products(factors)
    partial[-1] = kron(I(P), F(n)) @ stride(N, P)
    u = 1
    for d in radices(N, P)[1:]:
        U = u * d
        before, gamma = Gamma(u, P, N), Gamma(U, P, N)
        join = kron(stride(P // u, P // U), I(u * n))
        phase = [join, kron(I(P // U), T(U * n, U * n // d)), gamma, kron(I(P), kron(F(d), I(n // d)))]
        phase = ([inverse(before)] if u > 1 else []) + [factor for factor in phase if not isinstance(factor, I)]
        partial += _products([partial[-1], *phase])[1:]
        partial[-1] = gamma @ kron(I(P // U), F(U * n)) @ stride(N, P // U)
        factors += phase
        u = U
    if u > 1:
        factors.append(inverse(gamma))
        partial.append(F(N))
    return Equation("bsp-fft", f"{PAPER}, (2.8) and (4.2)", F(N), product(reversed(factors)), tuple(partial))


CACHE_POINTS = 2**13
"""From so many points on, a local transform is done in two steps: measured, numpy's own slows down by half there."""


def virtual_processors(n: int) -> int:
    """Return v for a local transform of n points: 8 where one step leaves the cache, else 1.

    >>> virtual_processors(1024), virtual_processors(2**19)
    (1, 8)
    """
    return 8 if n >= CACHE_POINTS else 1


def _local_transform(n: int, P: int, v: int) -> list[Formula]:
    """Return the factors of I_P ⊗ F_n, the first that acts first."""
    if v == 1:
        return [kron(I(P), F(n))]
    return [kron(I(P), factor) for factor in reversed(factors_of(transposed_cooley_tukey(v, divide(n, v)).right))]


def _products(factors: list[Formula]) -> list[Formula]:
    """Return the products of the first factor, the first two, ...; each factor acts after those before it."""
    return list(accumulate(factors, lambda done, factor: factor @ done))


def equations(N: int, P: int) -> tuple[Equation, ...]:
    """Return every equation of the group-cyclic FFT at this size, the emitted form last.

    (2.5) and (2.7) are there for P <= sqrt(N); (1.12), Theorem 2.2 and Corollary 2.3 for every stage and group size u > 1 that
    the transform uses (u = 1 is no permutation); Lemma 3.1 and Corollary 3.2 for u = P.

    >>> [equation.name for equation in equations(8, 2)][:3]
    ['bsp-1.6', 'bsp-1.12', 'bsp-1.12']
    """
    sizes(N, P)
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
