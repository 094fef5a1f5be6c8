"""Dynamic programming for the cheapest plans.

A state is how many bits of the index are transformed, K, and how many of these lie on ranks, q: the
ranks hold those q and the last p - q bits, and the next phase takes any of the bits K, .., m + q - 1
from its first on. What a plan does from a state on costs the same however it came there, so that
the cheapest few of each state are kept, and no others.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

import numpy as np

from codegen.cost.counted import RANKS_COUNTED
from codegen.program.moves import plan as plan_move
from codegen.search.plans import Phase, Plan, of_across, of_digits, of_exchange, of_twiddles
from codegen.search.prices import Figures, Prices
from derive.formula.layout import Layout, block, cyclic
from derive.gf2.bits import Affine

Found = tuple[float, Plan]
"""A plan with its price."""
Way = tuple[float, tuple[int, ...]]
"""The radices of a local transform, as exponents, with their price."""


@dataclass(frozen=True)
class Task:
    """A task of the search: plans from one layout to another for these kernels, at these prices."""

    input: Layout
    output: Layout
    kernels: str
    prices: Prices

    @property
    def m(self) -> int:
        """lg of the elements of a rank."""
        return self.input.m

    @cached_property
    def moves(self) -> tuple[Affine, Affine]:
        """The changes of layout before the first phase and after the last, which are cyclic."""
        inner = cyclic(1 << self.input.n, 1 << self.input.p).address
        before, after = self.input.address, self.output.address
        return inner @ before.inverse(), after @ inner.inverse()

    @cached_property
    def ends(self) -> Figures:
        """The figures of both changes of layout."""
        return _moved(self.moves, self.input.p)

    @cached_property
    def inner(self) -> tuple[bool, bool]:
        """Whether nothing is rearranged before the first phase, and after the last."""
        before, after = (move == Affine.identity(move.bits) for move in self.moves)
        return before, after

    @property
    def across(self) -> list[Plan]:
        """The plan whose last F_2 joins two ranks, where numba has kernels for it."""
        n, p = self.input.n, self.input.p
        home = self.output.address == block(1 << n, 1 << p).address
        there = (self.kernels, p) == ("numba", 1) and home
        return [Plan(n, p, (Phase((n - 1,), 0),), across=True)] * there

    def price(self, figures: Figures) -> float:
        """Return what figures are worth."""
        return self.prices.of(figures, 1 << self.m)

    def rearranged(self, phase: Phase, first: bool, last: bool) -> Figures:
        """Return the figures of what a phase has rearranged and no exchange takes along: elements
        before a first phase that takes fewer than a rank has, results of a last one in radices.
        """
        before, after = self.inner
        passes = (first and before and phase.bits < self.m) + (
            last and after and len(phase.digits) > 1
        )
        return Figures(passes=passes)

    def figures(self, plan: Plan) -> Figures:
        """Return the figures of a plan.

        >>> from derive.formula.layout import block
        >>> task = Task(block(64, 4), block(64, 4), "numpy", Prices(1000, 4))
        >>> task.figures(Plan(6, 2, (Phase((4,), 0), Phase((2,), 2))))
        Figures(exchanges=3, messages=9, words=36, passes=3, flops=576)
        """
        if plan.across:
            begun = _moved(self.moves[:1], plan.p)
            whole = of_digits(plan.phases[0].digits, self.m, self.kernels)
            return begun.plus(whole).plus(of_across(self.m))
        found = self.ends
        for i, phase in enumerate(plan.phases):
            found = found.plus(of_digits(phase.digits, self.m, self.kernels))
            found = found.plus(self.rearranged(phase, i == 0, i == len(plan.phases) - 1))
            if i:
                groups = plan.phases[i - 1].group, phase.group
                found = found.plus(of_twiddles(self.m, self.kernels))
                found = found.plus(of_exchange(*groups, self.m, plan.p))
        return found


def _moved(moves: Sequence[Affine], p: int) -> Figures:
    """Return the figures of changes of layout: the most that any rank sends in all of them."""
    P = 1 << p
    ranks = np.arange(P)
    if P > RANKS_COUNTED:
        ranks = np.random.default_rng(0).integers(P, size=RANKS_COUNTED)
    found, messages, words = Figures(), np.zeros_like(ranks), np.zeros_like(ranks)
    for address in moves:
        exchange = plan_move(address, p).exchange
        if exchange is None:
            found = found.plus(Figures(passes=int(address != Affine.identity(address.bits))))
            continue
        sent = exchange.sent(ranks)
        found, messages = found.plus(Figures(exchanges=1)), messages + sent
        words = words + sent * (1 << address.bits - p >> exchange.rank_gamma)
    return found.plus(Figures(0, int(messages.max()), int(words.max())))


def cheapest(task: Task, k: int) -> list[Plan]:
    """Return the k cheapest plans, the cheapest first; of equal ones those of fewer radices, then
    those that do most at the beginning.

    >>> from derive.formula.layout import block
    >>> for plan in cheapest(Task(block(2**20, 4), block(2**20, 4), "numpy", Prices(1000, 4)), 2):
    ...     print(plan)
    2^13 | 2^7
    2^12 | 2^8
    """
    n, p = task.input.n, task.input.p
    states: dict[tuple[int, int], list[Found]] = {(0, 0): [(task.price(task.ends), Plan(n, p, ()))]}
    whole: list[Found] = []
    search = _Search(task, k, _ways(task, k))
    for K in range(n):
        for q in range(p + 1):
            before = _least(states.pop((K, q), []), k)
            for after, found in search.continued(before, K, q):
                whole += found if after == n else []
                for more in range(q + 1, min(p, after) + 1) if after < n else ():
                    moved = task.price(of_exchange(q, more, n - p, p))
                    states.setdefault((after, more), []).extend(
                        (price + moved, plan) for price, plan in found
                    )
    whole += [(task.price(task.figures(plan)), plan) for plan in task.across]
    return [plan for _, plan in _least(whole, k)]


@dataclass(frozen=True)
class _Search:
    task: Task
    k: int
    ways: list[list[Way]]

    def continued(self, before: list[Found], K: int, q: int) -> Iterator[tuple[int, list[Found]]]:
        """Yield the cheapest plans with a further phase, with the bits transformed after it."""
        task, n = self.task, self.task.input.n
        twiddles = task.price(of_twiddles(task.m, task.kernels)) if K else 0.0
        for after in range(K + 1, min(n, task.m + q) + 1) if before else ():
            found = []
            for inner, digits in self.ways[after - K]:
                phase = Phase(digits, q)
                inner += twiddles + task.price(task.rearranged(phase, K == 0, after == n))
                found += [
                    (price + inner, Plan(n, plan.p, (*plan.phases, phase)))
                    for price, plan in before
                ]
            yield after, _least(found, self.k)


def _ways(task: Task, k: int) -> list[list[Way]]:
    """Return for each b the k cheapest ways to do local transforms of 2^b points: as a whole, or
    the first radix and then the rest. The whole is always among them, as it alone leaves results
    in order.
    """
    m = task.input.m
    whole = [task.price(of_digits((b,), m, task.kernels)) for b in range(m + 1)]
    twiddles = task.price(of_twiddles(m, task.kernels))
    found: list[list[Way]] = [[]]
    for bits in range(1, m + 1):
        ways: list[Way] = [(whole[bits], (bits,))]
        for digit in range(1, bits):
            first = whole[digit] + twiddles
            ways += [(first + rest, (digit, *digits)) for rest, digits in found[bits - digit]]
        found.append(_first(k, ways))
        if ways[0] not in found[bits]:
            found[bits].append(ways[0])
    return found


def _first(k: int, ways: Iterable[Way]) -> list[Way]:
    return nsmallest(k, ways, key=lambda way: (way[0], len(way[1]), way[1]))


def _least(found: Iterable[Found], k: int) -> list[Found]:
    return nsmallest(k, found, key=lambda one: (one[0], one[1].leaves, one[1].order))
