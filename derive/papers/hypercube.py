"""Factorizations of the Fourier matrix for hypercubes: Progs. 1 to 5 of Aykanat & Dervis, in the
order of storage addresses.

N = 2^n elements on P = 2^d ranks, M = N/P = 2^m; Progs. 3 to 5 want M >= 2. An address z = R·M + o
is held by rank R; in Progs. 3 to 5 o = (t, p), t the half of the local array. X_l exchanges address
bits m-1 (t) and m+l-1 (bit l-1 of the rank), Q_l = X_l .. X_1 is the dynamic mapping, from index to
address; the static mapping is the identity.
"""

from __future__ import annotations

from collections.abc import Sequence

from derive.call_arguments import unknown
from derive.formula.affine_layouts import dynamic
from derive.formula.grammar import Equation, Formula, I, kron, product
from derive.formula.permutation_matrices import Bmmc, R, inverse
from derive.formula.permutations import lg
from derive.formula.transforms import A, F, T, W
from derive.gf2.bits import Affine
from derive.gf2.bmmc import identity
from derive.sizes import Sizes

PAPER = "Aykanat & Dervis"
SCHEMES = ("2", "3", "4", "5", "5r")
"""Progs. 2 to 5, and Prog. 5 with four rotating half blocks."""
PROGRAMS = ("1", *SCHEMES)
"""Prog. 1, which is sequential, and those of several ranks."""
OVERLAPPED = SCHEMES[2:]
"""Those that compute while messages are under way."""
FORMS = ("time", "frequency")
"""Decimation in time, from bit-reversed input; and its transpose, to bit-reversed output."""


OF = "a hypercube FFT"
HALVES = {
    scheme: Sizes(
        OF,
        lambda N, P: P == 1 or 2 * P <= N,
        f"Prog. {scheme} exchanges half arrays and needs N >= 2P",
    )
    for scheme in SCHEMES[1:]
}
SIZES = {
    "1": Sizes(OF, lambda N, P: P == 1, "Prog. 1 is sequential and needs P = 1"),
    "2": Sizes(OF, lambda N, P: P <= N, "every rank needs at least one element"),
    **HALVES,
}
"""Which sizes each of the programs takes."""


def exponents(N: int, P: int, scheme: str) -> tuple[int, int]:
    """Return (lg N, lg P) for a transform of N elements on P ranks by one of the programs.

    Raises ValueError for any other scheme, and for sizes that it does not take.

    >>> exponents(8, 8, "3")
    Traceback (most recent call last):
    ValueError: Prog. 3 exchanges half arrays and needs N >= 2P; got N = 8 and P = 8; try 4 ranks
    """
    if scheme not in SIZES:
        raise unknown("scheme", scheme, PROGRAMS, rule="the schemes are")
    return SIZES[scheme].exponents(N, P)


def bit_swap(n: int, i: int, j: int) -> Affine:
    """Return the exchange of bits i and j of n.

    >>> bit_swap(3, 0, 2)(1)
    4
    """
    columns = list(identity(n).columns)
    columns[i], columns[j] = columns[j], columns[i]
    return Affine(tuple(columns), n)


def channel(N: int, P: int, l: int) -> Formula:
    """Return X_l, the exchange across channel l-1: half of the array of every rank, for half of its
    neighbour's, 1 <= l <= d.

    >>> channel(16, 4, 1).address.columns
    (1, 4, 2, 8)
    """
    m = lg(N // P)
    return Bmmc(bit_swap(lg(N), m - 1, m + l - 1), f"X{l}")


def mapping(N: int, P: int, l: int) -> Formula:
    """Return Q_l, from index to address after l exchanges: the identity for l = 0.

    >>> print(mapping(16, 4, 2), mapping(16, 4, 0))
    Π_Q2 I_16
    """
    return Bmmc(dynamic(lg(N), lg(P), l), f"Q{l}") if l else I(N)


def exchanges(N: int, P: int, l: int) -> Equation:
    """Return Q_l = X_l Q_{l-1}, section 3.1.

    >>> print(exchanges(16, 4, 2))
    Π_Q2 = Π_X2 Π_Q1
    """
    return Equation(
        "hypercube-mapping",
        f"{PAPER}, section 3.1",
        mapping(N, P, l),
        channel(N, P, l) @ mapping(N, P, l - 1),
    )


def halves(N: int, P: int, l: int) -> tuple[Formula, Formula]:
    """Return (I_P ⊗ F_2 ⊗ I_{M/2}, W_l): the butterflies of stage n-d+l-1 in the dynamic mapping, 0
    <= l <= d.

    W_l has W_N^r, r = ((R mod 2^l) M/2 + p) 2^(d-l), where t = 1.

    >>> print(*halves(16, 4, 1))
    (I_4 ⊗ F_2 ⊗ I_2) W_1
    """
    n, m = lg(N), lg(N // P)
    t = Affine(tuple(int(b == m - 1) for b in range(n)), 1)
    p = tuple(1 << b if b < m - 1 else 1 << b - 1 if m <= b < m + l else 0 for b in range(n))
    return kron(I(P), kron(F(2), I(N // P // 2))), W((N // P) << l, t, Affine(p, m - 1 + l), f"{l}")


def stage_in_mapping(N: int, P: int, l: int) -> Equation:
    """Return Q_l A_{K,N} Q_l^-1 = (I_P ⊗ F_2 ⊗ I_{M/2}) W_l, K = 2^l M: stage k = n-d+l-1 in the
    dynamic mapping, Progs. 3 to 5.

    >>> print(stage_in_mapping(16, 4, 1))
    Π_Q1 A_{8,16} Π_{Q1^-1} = (I_4 ⊗ F_2 ⊗ I_2) W_1
    """
    Q = mapping(N, P, l)
    return Equation(
        "hypercube-stage",
        f"{PAPER}, Progs. 3 to 5",
        Q @ A((N // P) << l, N) @ inverse(Q),
        product(halves(N, P, l)),
    )


def prog_1(N: int) -> Equation:
    """Return F_N = A_{N,N} .. A_{4,N} A_{2,N} P_N, Prog. 1: SEQFFTk is A_{K,N}, K = 2^(k+1).

    >>> print(prog_1(8))
    F_8 = A_{8,8} A_{4,8} A_{2,8} P_8
    """
    factors = [R(N), *(A(2 << k, N) for k in range(lg(N)))]
    return _equation("hypercube-prog-1", "Prog. 1", N, factors)


def prog(scheme: str, N: int, P: int, form: str = "time") -> Equation:
    """Return F_N as the programs compute it, the local stages together; 4, 5 and 5r have one
    factorization, and differ in their schedule.

    `form` "frequency" is the transpose: the factors, which are symmetric but for Q_d, in reverse.
    Raises ValueError as `sizes` does.

    >>> print(prog("1", 8, 1))
    F_8 = F_8 P_8 P_8
    >>> print(prog("2", 8, 2))
    F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) (I_2 ⊗ P_4) P_8
    >>> print(prog("3", 8, 2))
    F_8 = Π_{Q1^-1} (I_2 ⊗ F_2 ⊗ I_2) W_1 Π_X1 (I_2 ⊗ F_4) (I_2 ⊗ P_4) P_8
    >>> print(prog("5", 8, 2, "frequency"))
    F_8 = P_8 (I_4 ⊗ P_2) (I_4 ⊗ F_2) W_0 (I_2 ⊗ F_2 ⊗ I_2) Π_X1 W_1 (I_2 ⊗ F_2 ⊗ I_2) Π_Q1
    """
    exponents(N, P, scheme)
    factors = (_time if form == "time" else _frequency)(N, P, scheme)
    place = f"Prog. {scheme.removesuffix('r')}" + ("" if form == "time" else ", transposed")
    return _equation(
        f"hypercube-prog-{scheme}" + ("" if form == "time" else "-transposed"), place, N, factors
    )


def _equation(name: str, place: str, N: int, factors: Sequence[Formula]) -> Equation:
    """Return F_N = the product of the factors, of which the first acts first."""
    right = product([I(N), *reversed(factors)]) if N > 1 else I(1)
    return Equation(name, f"{PAPER}, {place}", F(N), right)


def _across(N: int, K: int) -> tuple[Formula, Formula]:
    """Return the two factors of A_{K,N}: I ⊗ F_2 ⊗ I_{K/2} and I ⊗ T^K_{K/2}."""
    return kron(I(N // K), kron(F(2), I(K // 2))), kron(I(N // K), T(K, K // 2))


def _later(N: int, P: int, scheme: str) -> list[int]:
    """Return l of the stages n-d+l-1 that stand alone: 1 .. d, and in Progs. 4 and 5 also 0, on
    which they start their first exchange.
    """
    return list(range(0 if scheme in OVERLAPPED and N > 1 else 1, lg(P) + 1))


def _local(N: int, P: int, stages: list[int]) -> tuple[Formula, Formula, int]:
    """Return (I ⊗ F_b, I ⊗ P_b, b) for the stages in which every rank has blocks of b elements."""
    b = N // P // (2 if 0 in stages else 1)
    return (kron(I(N // b), F(b)), kron(I(N // b), R(b)), b) if b > 1 else (I(N), I(N), 1)


def _time(N: int, P: int, scheme: str) -> list[Formula]:
    """Return the factors, of which the first acts first."""
    stages = _later(N, P, scheme)
    transform, reversal, _ = _local(N, P, stages)
    factors: list[Formula] = [R(N), reversal, transform]
    for l in stages:
        if scheme == "2":
            sums, twiddles = _across(N, (N // P) << l)
            factors += [twiddles, sums]
        else:
            here, diagonal = halves(N, P, l)
            factors += [channel(N, P, l)] if l else []
            factors += [diagonal, here]
    home = mapping(N, P, 0 if scheme == "2" else lg(P))
    return [*factors, inverse(home)]


def _frequency(N: int, P: int, scheme: str) -> list[Formula]:
    """Return the factors of the transposed program, of which the first acts first."""
    stages = _later(N, P, scheme)
    transform, reversal, _ = _local(N, P, stages)
    factors: list[Formula] = [mapping(N, P, 0 if scheme == "2" else lg(P))]
    for l in reversed(stages):
        if scheme == "2":
            factors += _across(N, (N // P) << l)
        else:
            factors += halves(N, P, l)
            factors += [channel(N, P, l)] if l else []
    return [*factors, transform, reversal, R(N)]


def equations(N: int, P: int, scheme: str) -> tuple[Equation, ...]:
    """Return every equation of a scheme at this size: Prog. 1, its mapping and stages, its program
    and the transposed one.

    >>> [equation.name for equation in equations(8, 2, "3")]
    ['hypercube-prog-1', 'hypercube-mapping', 'hypercube-stage', 'hypercube-prog-3', 'hypercube-prog-3-transposed']
    """  # noqa: E501
    _, d = exponents(N, P, scheme)
    moving = scheme != "2"
    return (
        prog_1(N),
        *(exchanges(N, P, l) for l in range(1, d + 1) if moving),
        *(stage_in_mapping(N, P, l) for l in _later(N, P, scheme) if moving),
        *(prog(scheme, N, P, form) for form in FORMS),
    )
