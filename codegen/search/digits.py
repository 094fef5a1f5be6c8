"""Plans of transforms of any size and of several axes: the radices of each axis, and between which
of them data moves.

Which digits lie on the ranks is found by codegen/program/digits/routes/route_search.py for every
way to cut the axes into as many phases as it takes, those that may be cheapest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import islice, product

from codegen import shapes
from codegen.program.digits.digit_places import digits_of, placed, sent
from codegen.program.digits.lower import said
from codegen.program.digits.routes.route_search import Route, routes
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.search.local_transforms import Local, Runs, Way, order
from codegen.search.prices import Figures, Prices, figures_of
from codegen.systems.fft import ends_between_two
from codegen.systems.record import Request
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import divisors

MOST_CUTS, MOST_COUNTED = 600, 200
"""So many ways to cut all axes are looked at, and so many of the programs are counted."""


@dataclass(frozen=True)
class DigitPlan:
    """A transform in radices: its program.

    >>> from codegen.requests import make_request
    >>> cyclic = make_request("fft", 1000, 10, "cyclic", "cyclic", phases="50,2,10")
    >>> plan = DigitPlan(resolve(cyclic))
    >>> print(plan)
    50 · 2 | 10
    >>> plan.figures
    Figures(exchanges=1, messages=9, words=90, passes=5, flops=6183)
    """

    program: Program

    @property
    def request(self) -> Request:
        """The request for the program, which states the radices."""
        return self.program.request

    @cached_property
    def figures(self) -> Figures:
        """The figures that are counted of its program."""
        return figures_of(self.program)

    @property
    def runs(self) -> Runs:
        """The radices of each axis, the first to be done first."""
        return tuple(
            tuple(radix for phase in self.phases for radix in phase[axis])
            for axis in range(len(shapes.axes_of(self.request)))
        )

    @property
    def across(self) -> bool:
        """Whether its last F_2 joins two ranks that send each other all that they have."""
        steps = self.program.steps
        return any(each.exchanges for step in steps for each in step.transforms_of_ranks)

    @property
    def key(self) -> tuple[list[Runs], bool]:
        """What tells it from other plans: phases as they are done, which may be stated or not."""
        return self.phases, self.across

    @property
    def leaves(self) -> int:
        """The number of radices."""
        return sum(map(len, self.runs))

    @cached_property
    def phases(self) -> list[Runs]:
        """The radices of each axis in each phase of the program in which there are any."""
        shape = shapes.axes_of(self.request)
        found: list[list[list[int]]] = [[[] for _ in shape]]
        for step in self.program.steps:
            if step.exchanges:
                found.append([[] for _ in shape])
            for each in step.transforms_of_ranks:
                axis, radix = (0, 2) if each.exchanges else (each.axis, each.d)
                found[-1][axis].append(radix)
        return [tuple(map(tuple, phase)) for phase in found if any(phase)]

    @property
    def order(self) -> list[tuple[int, ...]]:
        """The order of equally cheap plans: the first phases are to be large."""
        return [radices for phase in self.phases for radices in order(phase)]

    def _said(self, radix: int) -> str:
        """Return a radix as it is written: for a vector of 2^n elements as a power."""
        return str(radix) if self.request.shape else f"2^{radix.bit_length() - 1}"

    def __str__(self) -> str:
        return " | ".join(
            " x ".join(" · ".join(map(self._said, radices)) or "1" for radices in phase)
            for phase in self.phases
        )


def cheapest(request: Request, prices: Prices, k: int) -> list[DigitPlan]:
    """Return the k cheapest plans of a request, the cheapest first; of equal ones those of fewer
    radices, then those that do most at the beginning.

    >>> from codegen.requests import make_request
    >>> cyclic = make_request("fft", 10**9, 1000, "cyclic", "cyclic")
    >>> for plan in cheapest(cyclic, Prices(1000, 4), 2):
    ...     print(plan)
    8000 | 5000 · 25
    8000 | 2500 · 50
    """
    across = request.backend.is_whole and ends_between_two(request)
    found = [DigitPlan(resolve(request))] if across else []
    for least, runs in _Ways(request, prices, k).in_order():
        if len(found) == k and prices.of(found[-1].figures, request.M) <= least:
            break
        if not runs:
            continue
        with suppress(ValueError):  # ranks cannot trade the digits of some radices
            plan = DigitPlan(resolve(replace(request, phases=said(runs, False))))
            found += [plan] * (plan.key not in [one.key for one in found])
        found = sorted(found, key=lambda one: _rank(one, prices))[:k]
    return found


def _rank(plan: DigitPlan, prices: Prices) -> tuple[float, int, list[tuple[int, ...]]]:
    return prices.of(plan.figures, plan.request.M), plan.leaves, plan.order


@dataclass(frozen=True)
class _Ways:
    """The radices of all axes of a transform, each way with the least that its program may cost."""

    request: Request
    prices: Prices
    k: int

    def in_order(self) -> Iterator[Way]:
        """Yield the cheapest ways of every cut of the axes, each once, the cheapest of all first;
        and where the next ones are not known yet, the least that they may cost, with no radices.
        """
        left = [(self._least(cut), 0, list[tuple[int, ...]](), cut) for cut in self._cuts()]
        heapify(left)
        seen = set[Runs]()
        while left and len(seen) < MOST_COUNTED:
            price, leaves, _, runs = heappop(left)
            if leaves == 0:
                yield price, ()
                for one in self._of_cut(runs):
                    heappush(left, one)
            elif runs not in seen:
                seen.add(runs)
                yield price, runs

    def _of_cut(self, cut: Runs) -> Iterator[tuple[float, int, list[tuple[int, ...]], Runs]]:
        """Yield the cheapest ways of the best route of a cut: price, leaves, order and radices."""
        for route in routes(*self._ends, cut)[:1]:
            if route.merged == cut:
                moves = _moves(route, self.request, self.prices)
                for price, runs in self._local.whole(route):
                    yield moves + price, 1 + sum(map(len, runs)), order(runs), runs

    def _cuts(self) -> Iterable[Runs]:
        """Return the ways to cut the axes, into at most one part more than needed, few parts first;
        a rank has room for each part.
        """
        request, known = self.request, [route.merged for route in self._known]
        shape, more = shapes.axes_of(request), request.P > 1
        several = (_cuts(n, len(runs) + more) for n, runs in zip(shape, known[0], strict=True))
        cuts = dict.fromkeys((*known, *islice(product(*several), MOST_CUTS)))
        return [cut for cut in cuts if all(max(sizes, default=1) <= request.M for sizes in cut)]

    def _least(self, cut: Runs) -> float:
        """Return the least that a program of these phases may cost: with as few exchanges as can be
        it sends no less than the best known route, with more at least half of everything in each.
        """
        M, P, known = self.request.M, self.request.P, self._known[0]
        few, needed = known.price[0], max(map(len, cut)) - 1
        more, half = max(few + 1, needed), M - M // (divisors(P)[1:] or (1,))[0]
        moves = [self.prices.of(Figures(more, more, more * half), M)]
        moves += [self._known_moves] * (needed <= few)
        return min(moves) + self._local.at_least(cut)

    @cached_property
    def _local(self) -> Local:
        return Local(self.request, self.prices, self.k)

    @cached_property
    def _ends(self) -> tuple[ArrayLayout, ArrayLayout]:
        return shapes.layouts(self.request)

    @cached_property
    def _known_moves(self) -> float:
        return _moves(self._known[0], self.request, self.prices)

    @cached_property
    def _known(self) -> list[Route]:
        return routes(*self._ends)


def _moves(route: Route, request: Request, prices: Prices) -> float:
    """Return the price of what a rank sends at most."""
    ends = shapes.layouts(request)
    (ranks, _), (home, _) = digits_of(ends[0], False), digits_of(ends[1], True)
    reverses, moved = any(end.in_order != end for end in ends), list[tuple[int, int]]()
    for content in route.contents[1:]:
        new = placed(ranks, content, home) if reverses else content
        moved.append(sent(ranks, new))
        ranks = [*new]
    words, messages = (sum(each) for each in zip((0, 0), *moved, strict=True))
    return prices.of(Figures(len(moved), messages, words * request.M // request.P), request.M)


def _cuts(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the factorizations of n in at most so many factors, in every order, few factors first.

    >>> list(_cuts(12, 2))
    [(12,), (2, 6), (3, 4), (4, 3), (6, 2)]
    """
    if n == 1:
        yield ()
    for count in range(1, most + 1) if n > 1 else ():
        yield from _factors(n, count)


def _factors(n: int, count: int) -> Iterator[tuple[int, ...]]:
    if count == 1:
        yield (n,)
    for first in divisors(n)[1:-1] if count > 1 else ():
        yield from ((first, *rest) for rest in _factors(n // first, count - 1))


def sequences_of(N: int, M: int) -> int:
    """Return the number of ways to write N as a product of radices that divide M, in every order.

    >>> sequences_of(12, 6), sequences_of(8, 8)
    (5, 4)
    """
    every, found = divisors(N), {1: 1}
    for d in every[1:]:
        found[d] = sum(found[d // a] for a in every[1:] if d % a == 0 and M % a == 0)
    return found[N]
