"""The phases of the group-cyclic FFT (Inda & Bisseling 2000): their radices, the ranks of a group,
the virtual processors of a rank, the permutations between them, and the indices of Appendix A.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact.action import act
from derive.exact.rings import Terms
from derive.formula.grammar import Equation, Formula
from derive.formula.permutation_matrices import S, inverse
from derive.formula.transforms import A, ButterflySum
from derive.papers.statements.statement_tables import at_sizes
from derive.sizes import Sizes
from derive.verdict import Checked, Refuted, Verdict

SIZES = Sizes("fft with phases", lambda N, P: P < N, "fft on powers of two needs P < N")


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
            f"each phase must be a power of two from 2 to N/P = {n}; got {wrong} in {text}"
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


def sigma(u: int, M: int, j: Any) -> Any:
    """Return σ_{u,M}(j), eq. (2.2), of an index or an array of indices.

    >>> sigma(2, 8, np.arange(8)).tolist()
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    return j % u * (M // u) + j // u


def lemma_a_1(u: int, M: int, k: int) -> Verdict:
    """Return whether the three parts of Lemma A.1 hold for every index j.

    >>> print(lemma_a_1(4, 32, 8))
    checked: Lemma A.1, u = 4, M = 32, k = 8 (all 32 indices)
    """
    statement, K, n, j = f"Lemma A.1, u = {u}, M = {M}, k = {k}", k * u, M // u, np.arange(M)
    moved, back = sigma(u, M, j), np.argsort(sigma(u, M, j))
    parts = (
        (j % K >= K // 2) | (moved % k < k // 2),
        (j + K // 2 >= M) | (sigma(u, M, j + K // 2) == moved + k // 2),
        back % K == j % n % k * u + j // n,
    )
    for part, holds in enumerate(parts, 1):
        if not holds.all():
            return Refuted(statement, f"part {part} at j = {int(np.argmin(holds))}")
    return Checked(statement, f"all {M} indices")


Rows = NDArray[np.int64]
"""For each row its two columns and e: the entries are 1 and w_K^e; the sign - is w_K^(K/2)."""


def equation_a_1(K: int, M: int) -> Rows:
    """Return the rows of A_{K,M} by eq. (A.1).

    >>> equation_a_1(2, 2).tolist()
    [[0, 1, 0], [0, 1, 1]]
    """
    j = np.arange(M)
    second = j % K >= K // 2
    first = j - second * (K // 2)
    return np.stack([first, first + K // 2, first % K + second * (K // 2)], axis=1)


def equation_a_2(u: int, M: int, k: int) -> Rows:
    """Return those of S_{u,M} A_{ku,M} S_{u,M}^-1 by eq. (A.2): (A.1) with σ for every index.

    >>> (equation_a_2(1, 4, 2) == equation_a_1(2, 4)).all()
    np.True_
    """
    before = equation_a_1(k * u, M)
    rows = np.empty_like(before)
    rows[sigma(u, M, np.arange(M))] = np.column_stack([sigma(u, M, before[:, :2]), before[:, 2]])
    return rows


def equation_a_3(u: int, M: int, k: int) -> Rows:
    """Return the same by eq. (A.3): the weight w_k^(l' mod k + s_1/u) for l = s_1 M/u + l'.

    >>> all((equation_a_3(u, 32, k) == equation_a_2(u, 32, k)).all() for u in (1, 2, 4) for k in (2, 4, 8))
    True
    """  # noqa: E501
    n, l = M // u, np.arange(M)
    second = l % k >= k // 2
    first = l - second * (k // 2)
    turned = first % n % k * u + first // n
    return np.stack([first, first + k // 2, turned + second * (k * u // 2)], axis=1)


def has_rows(name: str, rows: Rows, stage: Formula, K: int) -> Verdict:
    """Return whether a stage has these rows, entry by entry.

    >>> print(has_rows("(A.1)", equation_a_1(4, 8), A(4, 8), 4))
    checked: (A.1) is A_{4,8} (the nonzero entries of all 8 rows)
    """
    ring, statement = Terms(lcm(4, K)), f"{name} is {stage}"
    found = ring.rows(act(stage, ring.units(len(rows), range(len(rows))), ring))
    exponents = np.column_stack([0 * rows[:, 2], rows[:, 2] * (ring.order // K)])
    same = (found == rows[:, :2] * ring.order + exponents).all(axis=1)
    if not same.all():
        return Refuted(statement, f"row {int(np.argmin(same))}")
    return Checked(statement, f"the nonzero entries of all {len(rows)} rows")


APPENDIX = 4096
"""Up to so many elements the indices of Appendix A are compared."""


def appendix_a(N: int, P: int) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (name, source, verdict) for Lemma A.1 and (A.1) to (A.3) with u = P, M = N, k = N/P.

    >>> [name for name, _, verdict in appendix_a(32, 4) if verdict.holds]
    ['bsp-lemma-a.1', 'bsp-a.1', 'bsp-a.2', 'bsp-a.3']
    """
    if N > APPENDIX:
        return
    k, stage, source = N // P, A(N, N), "Inda & Bisseling 2000, Appendix A"
    moved = S(P, N) @ stage @ inverse(S(P, N))
    yield "bsp-lemma-a.1", source, lemma_a_1(P, N, k)
    yield "bsp-a.1", source, has_rows("(A.1)", equation_a_1(N, N), stage, N)
    yield "bsp-a.2", source, has_rows("(A.2)", equation_a_2(P, N, k), moved, N)
    blocks = ButterflySum(k, k, P)
    yield "bsp-a.3", source, has_rows("(A.3)", equation_a_3(P, N, k), blocks, N)


def exchanges(N: int, P: int) -> tuple[Equation, ...]:
    """Return (3.5) for each exchange between two phases, and (3.6) where P divides N/P.

    >>> [equation.name for equation in exchanges(64, 8)], [e.name for e in exchanges(32, 8)]
    (['bsp-3.5', 'bsp-3.6'], ['bsp-3.5', 'bsp-3.5'])
    """
    n, moves = N // P, zip(groups(N, P), groups(N, P)[1:], strict=False)
    between = tuple(
        at_sizes("bsp-3.5", u=u, d=v // u, g=P // v, c=n * u // v) for u, v in moves if v > u
    )
    return between + ((at_sizes("bsp-3.6", p=P, c=n // P),) if 1 < P <= n else ())
