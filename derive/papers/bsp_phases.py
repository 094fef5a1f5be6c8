"""The phases of the group-cyclic FFT (Inda & Bisseling 2000): their radices, the ranks of a group,
the virtual processors of a rank, the permutations between them, and the indices of Appendix A.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from derive.formula.grammar import Equation, I, kron
from derive.formula.permutation_matrices import Gamma, S, inverse
from derive.sizes import Size, Sizes, divide
from derive.verdict import Checked, Refuted, Verdict

SIZES = Sizes("the radix-2 framework", lambda N, P: P < N, "the group-cyclic framework needs P < N")


def phases(N: int, P: int) -> int:
    """Return H, the smallest integer with (N/P)^H >= N: the number of computation phases.

    >>> phases(1024, 4), phases(1024, 256), phases(2**21, 2**18)
    (2, 5, 7)
    """
    n, p = SIZES.exponents(N, P)
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


def radices(N: int, P: int) -> tuple[int, ...]:
    """Return the radix d of each phase: N/P, and what is left for the last.

    >>> radices(1024, 4), radices(1024, 256), radices(32, 8)
    ((256, 4), (4, 4, 4, 4, 4), (4, 4, 2))
    """
    before = groups(N, P)[:-1]
    n = N // P
    return (n,) + tuple(min(n, P // u) for u in before)


def distributions(N: int, P: int, phases: Sequence[int] = ()) -> tuple[int, ...]:
    """Return u, the ranks of a group, for phases of these sizes: elements are cyclic in groups of u
    ranks.

    A phase that multiplies K to K d is local where N/P u >= K d and u <= K. The u of the phase
    before is kept while it can be, and else is the largest, min(P, K), which will serve longest: so
    the exchanges are as few as these phases allow. Raises ValueError unless the sizes are powers of
    two from 2 to N/P whose product is N.

    >>> distributions(1024, 256), distributions(1024, 4, (256, 4)), distributions(1024, 32, (16, 2, 32))
    ((1, 4, 16, 64, 256), (1, 4), (1, 1, 32))
    """  # noqa: E501
    n, K, found = N // P, 1, [1]
    for d in phase_sizes(N, P, phases):
        if K * d > n * found[-1]:
            found.append(min(P, K))
        elif K > 1:
            found.append(found[-1])
        K *= d
    return tuple(found)


def phase_sizes(N: int, P: int, phases: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of the phases, those of (2.8) if none are given."""
    SIZES.exponents(N, P)
    if not phases:
        return radices(N, P)
    n, text = N // P, ",".join(map(str, phases))
    wrong = next((d for d in phases if not 2 <= d <= n or d & d - 1), None)
    if wrong is not None:
        raise ValueError(
            f"phases {text}: {wrong} is no power of two from 2 to N/P = {n}, which is what a rank"
            " can do by itself"
        )
    if prod(phases) != N:
        raise ValueError(f"phases {text}: their product is {prod(phases)}, not N = {N}")
    return tuple(phases)


CACHE_POINTS = 2**13
"""From so many points on, a local transform is done in two steps: in one, it leaves the cache
(measured with numpy's).
"""
VIRTUAL = 256
"""The virtual processors of two steps: of 8, 16, .., 1024 those that took least time, or nearly so,
for 2^13 to 2^24 points.
"""


def virtual_processors(n: int) -> int:
    """Return v for a local transform of n points: 256 where one step leaves the cache, else 1.

    >>> virtual_processors(1024), virtual_processors(2**19)
    (1, 256)
    """
    return VIRTUAL if n >= CACHE_POINTS else 1


def equation_3_5(u: Size, d: Size, P: Size, n: Size) -> Equation:
    """Return the permutation γ_u^{du} = γ_{du} γ_u^-1 between two distributions, eq. (3.5), as a
    local one, j to (j mod d, j div d), and one of packets of n/d elements in groups of d ranks.

    d u divides P, and d divides n = N/P. For u = 1 and d = P it is (3.6).

    >>> print(equation_3_5(2, 2, 8, 4))
    Γ_{4,8,32} Γ_{2,8,32}^-1 = (I_4 ⊗ S_{2,4} ⊗ I_2) (I_2 ⊗ S_{2,8} ⊗ I_2) (I_8 ⊗ S_{2,4})
    """
    groups, c, N = divide(P, d * u), divide(n, d), P * n
    left = Gamma(d * u, P, N) @ inverse(Gamma(u, P, N))
    ranks = kron(I(groups), kron(I(d), kron(S(u, d * u), I(c))))
    packets = kron(I(groups), kron(S(d, d * d * u), I(c)))
    return Equation("bsp-3.5", "(3.5)", left, ranks @ packets @ kron(I(P), S(d, n)))


def equation_3_6(P: Size, c: Size) -> Equation:
    """Return σ_{P,N}, eq. (3.6), as a local σ_{P,b}, b = N/P, and a cyclic permutation of packets
    of c = b/P elements.

    >>> print(equation_3_6(2, 2))
    S_{2,8} = (S_{2,4} ⊗ I_2) (I_2 ⊗ S_{2,4})
    """
    right = kron(S(P, P * P), I(c)) @ kron(I(P), S(P, P * c))
    return Equation("bsp-3.6", "(3.6)", S(P, P * P * c), right)


def sigma(u: int, M: int, j: int) -> int:
    """Return σ_{u,M}(j), eq. (2.2).

    >>> [sigma(2, 8, j) for j in range(8)]
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    return j % u * (M // u) + j // u


def lemma_a_1(u: int, M: int, k: int) -> Verdict:
    """Return whether the three parts of Lemma A.1 hold for every index j.

    >>> print(lemma_a_1(4, 32, 8))
    checked: Lemma A.1, u = 4, M = 32, k = 8 (all 32 indices)
    """
    statement, K, n = f"Lemma A.1, u = {u}, M = {M}, k = {k}", k * u, M // u
    back = {sigma(u, M, j): j for j in range(M)}
    for j in range(M):
        first = j % K >= K // 2 or sigma(u, M, j) % k < k // 2
        second = j + K // 2 >= M or sigma(u, M, j + K // 2) == sigma(u, M, j) + k // 2
        third = Fraction(back[j] % K, K) == (j % n % k + Fraction(j // n, u)) / k
        for part, holds in enumerate((first, second, third), 1):
            if not holds:
                return Refuted(statement, f"part {part} at j = {j}")
    return Checked(statement, f"all {M} indices")


Rows = dict[int, tuple[int, int, Fraction, int]]
"""For each row its two columns, the exponent of the weight of the second in turns, and its sign."""


def equation_a_1(K: int, M: int) -> Rows:
    """Return A_{K,M} by eq. (A.1).

    >>> equation_a_1(2, 2)
    {0: (0, 1, Fraction(0, 1), 1), 1: (0, 1, Fraction(0, 1), -1)}
    """
    rows: Rows = {}
    for j in (j for j in range(M) if j % K < K // 2):
        for sign, row in ((1, j), (-1, j + K // 2)):
            rows[row] = (j, j + K // 2, Fraction(j % K, K), sign)
    return rows


def equation_a_2(u: int, M: int, k: int) -> Rows:
    """Return S_{u,M} A_{ku,M} S_{u,M}^-1 by eq. (A.2): (A.1) with σ for every index.

    >>> equation_a_2(1, 4, 2) == equation_a_1(2, 4)
    True
    """
    return {
        sigma(u, M, row): (sigma(u, M, p), sigma(u, M, q), turn, sign)
        for row, (p, q, turn, sign) in equation_a_1(k * u, M).items()
    }


def equation_a_3(u: int, M: int, k: int) -> Rows:
    """Return the same by eq. (A.3): the weight w_k^(l' mod k + s_1/u) for l = s_1 M/u + l'.

    >>> all(equation_a_3(u, 32, k) == equation_a_2(u, 32, k) for u in (1, 2, 4) for k in (2, 4, 8))
    True
    """
    rows: Rows = {}
    n = M // u
    for l in (l for l in range(M) if l % k < k // 2):
        turn = (l % n % k + Fraction(l // n, u)) / k
        for sign, row in ((1, l), (-1, l + k // 2)):
            rows[row] = (l, l + k // 2, turn, sign)
    return rows


def exchanges(N: int, P: int) -> tuple[Equation, ...]:
    """Return (3.5) for each exchange between two phases, and (3.6) where P divides N/P.

    >>> [equation.name for equation in exchanges(64, 8)], [e.name for e in exchanges(32, 8)]
    (['bsp-3.5', 'bsp-3.6'], ['bsp-3.5', 'bsp-3.5'])
    """
    n, moves = N // P, zip(groups(N, P), groups(N, P)[1:], strict=False)
    between = tuple(equation_3_5(u, v // u, P, n) for u, v in moves if v > u)
    return between + ((equation_3_6(P, n // P),) if 1 < P <= n else ())
