"""The Hartley transform of Lin, Chan & Karplus (1988): its factorization, the partition of its
computations, and the paper's tables.

H_N has the entries cas(2 pi jk/N), cas = cos + sin. After stage s of lg N, F(s, m) stands at place
m, and F(0, m) is the bit-reversed input. With u = m mod 2^s, h = 2^(s-1) and base = m - u, a stage
is

    F(s, m) = F(s-1, base + u mod h) + F(s-1, base + h + u mod h) C_u + F(s-1, base + h + (-u mod
    h)) S_u,

C_u = cos(2 pi u/2^s), S_u = sin(2 pi u/2^s).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.formula.adjoints import transposed
from derive.formula.grammar import Equation
from derive.formula.permutations import lg
from derive.papers.statements.statement_tables import at_sizes
from derive.sizes import Sizes
from derive.verdict import Checked, Refuted, Verdict

PAPER = "Lin, Chan & Karplus 1988"


ON_RANKS = "the Hartley transform on ranks"
SIZES = Sizes(ON_RANKS, lambda N, P: 2 * P <= N, f"{ON_RANKS} needs P <= N/2")
"""A rank holds a pair of computations at least."""


def factorization(N: int, back: bool = False) -> Equation:
    """Return H_N = L_lgN ... L_2 L_1 P_N; LH_{s,N} is the paper's L_s. Where `back`, it is the
    transposed product: H_N is symmetric.

    Figure 1 prints s = 1, 2, ..., N: there are lg N factors.

    >>> print(factorization(8))
    H_8 = LH_{3,8} LH_{2,8} LH_{1,8} P_8
    >>> print(factorization(4, back=True))
    H_4 = P_4 (I_2 ⊗ transpose(BH_2)) transpose(BH_4)
    """
    found = at_sizes("fht-factorization", n=lg(N))
    return replace(found, right=transposed(found.right), original=()) if back else found


def equations(N: int) -> tuple[Equation, ...]:
    """Return the equations of the Hartley transform of N = 2^n elements: a step for each stage, and
    the factorization.

    >>> [str(equation) for equation in equations(2)]
    ['H_2 = BH_2 (I_2 ⊗ H_1) S_{2,2}', 'H_2 = LH_{1,2} P_2']
    """
    return (*(at_sizes("fht-step", h=1 << s) for s in range(lg(N))), factorization(N))


def comp(x: Any, s: int) -> Any:
    """Return x with its s low bits complemented as in section 2: t -> -t mod 2^s, but 0 and 2^(s-1)
    change places. An involution.

    x: integer or array of integers. The highest bit that changes is s - 1. For s >= 4 it is not
    affine over GF(2): 1, 2, 4 and 7 sum to 0, and their images, all negated, to 4.

    >>> [comp(t, 3) for t in range(8)]
    [4, 7, 6, 5, 0, 3, 2, 1]
    """
    mask, half = (1 << s) - 1, 1 << s - 1
    return x & ~mask | -x & mask ^ (x & mask >> 1 == 0) * half


def algorithm_1(node: int, stage: int, nfd: int, np_: int) -> list[int]:
    """Return the list `lst` of Algorithm 1, statement by statement as printed: right for the stages
    1 .. lg np + 1 only.

    >>> algorithm_1(1, 2, 4, 4)
    [1, 3, 9, 11]
    """
    tsss = ~(~0 << stage)
    t = node & tsss
    tt = node >> stage - 1 << stage
    tmp = 0o1 << stage - 1
    if t == 0:
        nd = tt | tmp
    elif t == tmp:
        nd = tt | 0
    else:
        nd = tt | (t ^ ~0) + 0o1 & tsss
    lst = [tt | t, nd]
    for _ in range(1, nfd // 2):
        lst += [lst[-2] + np_ * 2, lst[-1] + np_ * 2]
    return lst


def partition(rank: Any, stage: int, N: int, P: int) -> NDArray[np.int64]:
    """Return the computations of a rank at a stage, slot by slot: those of stage lg P + 1 stay
    where they are in all later stages.

    rank: an integer, or an array of integers with a list for each.

    >>> partition(1, 3, 16, 4).tolist(), partition(1, 4, 16, 4).tolist()
    ([1, 7, 9, 15], [1, 7, 9, 15])
    """
    _, p = SIZES.exponents(N, P)
    s = min(stage, p + 1)
    first = np.asarray(rank)[..., None] >> s - 1 << s | np.asarray(rank)[..., None] & (1 << s) - 1
    pairs = np.stack([first, comp(first, s)], axis=-1) + 2 * P * np.arange(N // (2 * P))[:, None]
    return pairs.reshape(*np.shape(rank), N // P)


def partner(rank: Any, s: int) -> Any:
    """Return the rank with which a rank exchanges before stage s, 2 <= s <= lg P + 1:
    comp_{s-1}(rank), an edge of the Hartley graph.

    >>> [partner(rank, 3) for rank in range(4)]
    [2, 3, 0, 1]
    """
    return comp(rank, s - 1)


Lists = Callable[[Any, int, int, int], NDArray[np.int64]]
"""(ranks, stage, N, P) to an array with a list of computations for each rank."""


def as_printed(rank: Any, stage: int, N: int, P: int) -> NDArray[np.int64]:
    """Return the lists of Algorithm 1 as printed, by the arguments of `partition`.

    >>> as_printed(0, 3, 8, 2).tolist()
    [0, 4, 4, 8]
    """
    lists = [algorithm_1(node, stage, N // P, P) for node in np.ravel(rank).tolist()]
    return np.array(lists).reshape(*np.shape(rank), N // P)


def inputs(s: int, m: Any) -> tuple[Any, Any, Any]:
    """Return the places of the three numbers of stage s - 1 that F(s, m) is made of; the last two
    may be the same.

    >>> inputs(3, 13)
    (9, 13, 15)
    """
    h = 1 << s - 1
    u = m % (2 * h)
    base = m - u
    return base + u % h, base + h + u % h, base + h + -u % h


def check_partition(N: int, P: int, lists: Lists = partition) -> Verdict:
    """Return whether every stage does each computation on one rank, from numbers that this rank or
    its partner has.

    At stage 1 the inputs are the rank's own. With `as_printed` in place of `partition`, stage lg P
    + 2 is refuted if there is one.

    >>> print(check_partition(16, 4))
    checked: partition of the 16-element FHT onto 4 ranks: each F(s, m) is computed once, from a rank's own and its partner's numbers (4 stages)
    >>> print(check_partition(8, 2, as_printed).counterexample)
    stage 3: F(3, 2) is computed 0 times
    """  # noqa: E501
    n, p = SIZES.exponents(N, P)
    statement = (
        f"partition of the {N}-element FHT onto {P} ranks: each F(s, m) is computed once, from a"
        " rank's own and its partner's numbers"
    )
    ranks = np.arange(P)
    holder = np.empty(N, np.int64)
    for s in range(1, n + 1):
        now = lists(ranks, s, N, P)
        times = np.bincount(now[(0 <= now) & (now < N)], minlength=N)
        if (times != 1).any():
            m = int((times != 1).argmax())
            return Refuted(statement, f"stage {s}: F({s}, {m}) is computed {times[m]} times")
        if s == 1:
            holder[lists(ranks, 1, N, P)] = ranks[:, None]
        near = partner(ranks, s) if 2 <= s <= p + 1 else ranks
        for places in inputs(s, now):
            far = (holder[places] != ranks[:, None]) & (holder[places] != near[:, None])
            if far.any():
                rank, slot = np.argwhere(far)[0].tolist()
                made = (
                    f"stage {s}: rank {rank} computes F({s}, {now[rank, slot]}) from F({s - 1},"
                    f" {places[rank, slot]})"
                )
                return Refuted(statement, f"{made}, which neither it nor its partner has")
        holder[now] = ranks[:, None]
    return Checked(statement, f"{n} stages")


def range_of_algorithm_1(N: int, P: int) -> list[int]:
    """Return the stages s at which Algorithm 1 as printed does each computation once: 1 .. lg P +
    1.

    >>> range_of_algorithm_1(64, 4), range_of_algorithm_1(8, 4)
    ([1, 2, 3], [1, 2, 3])
    """
    n, _ = SIZES.exponents(N, P)
    return [
        s
        for s in range(1, n + 1)
        if np.array_equal(np.sort(as_printed(np.arange(P), s, N, P), axis=None), np.arange(N))
    ]


def table_2(N: int, P: int) -> list[list[list[int]]]:
    """Return Table 2 for N data points on P nodes: entry [node][slot][s - 1] is the index m of the
    computation F(s, m).

    >>> table_2(16, 4)[3]
    [[7, 7, 3, 3], [6, 5, 5, 5], [15, 15, 11, 11], [14, 13, 13, 13]]
    """
    n, _ = SIZES.exponents(N, P)
    columns: list[list[list[int]]] = np.stack(
        [partition(np.arange(P), s, N, P) for s in range(1, n + 1)], axis=-1
    ).tolist()
    return columns
