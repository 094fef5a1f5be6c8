"""Plans of transforms of any size and of several axes: the radices of each axis, and between which
of them data moves.

Which digits lie on the ranks is found by codegen/program/digits/routes/search.py for every way to
cut the axes into as many phases as it takes. What a rank does in a phase costs the same however
data came there: so the cheapest few ways to do a local transform in radices are found once for each
size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from heapq import nsmallest
from itertools import islice, product
from math import inf

from codegen import shapes
from codegen.cost import local_passes
from codegen.program.digits.lower import said
from codegen.program.digits.routes.cuts import fit
from codegen.program.digits.routes.search import Route, routes
from codegen.program.digits.steps import Transform
from codegen.program.lower import ends_between_two, lower
from codegen.program.supersteps import Program
from codegen.requests import complete
from codegen.search.prices import Figures, Prices, figures_of
from codegen.systems.record import Request
from derive.digits.radices import divisors

MOST_CUTS, MOST_RADICES, MOST_COUNTED = 600, 4, 200
"""So many ways to cut all axes are looked at, so many radices of an axis in a phase, and so many of
the programs are counted.
"""
Runs = tuple[tuple[int, ...], ...]
"""The radices of each axis, the first to be done first."""
Way = tuple[float, Runs]
"""The radices of local transforms, with their price."""


@dataclass(frozen=True)
class DigitPlan:
    """A transform in radices: the request for its program, which states them.

    >>> from codegen.requests import make_request
    >>> plan = DigitPlan(make_request("fft", 1000, 10, "cyclic", "cyclic", phases="50,2,10"))
    >>> print(plan)
    50 · 2 | 10
    >>> plan.figures
    Figures(exchanges=1, messages=9, words=90, passes=5, flops=6183)
    """

    spec: Request

    @cached_property
    def program(self) -> Program:
        """The supersteps of its program."""
        return lower(self.spec)

    @cached_property
    def figures(self) -> Figures:
        """The figures that are counted of its program."""
        return figures_of(self.program)

    @property
    def runs(self) -> Runs:
        """The radices of each axis, the first to be done first."""
        return tuple(
            tuple(radix for phase in self.phases for radix in phase[axis])
            for axis in range(len(shapes.axes_of(self.spec)))
        )

    @property
    def across(self) -> bool:
        """Whether its last F_2 joins two ranks that send each other all that they have."""
        steps = self.program.steps
        return any(each.exchanges for step in steps for each in step.transforms_of_ranks)

    @property
    def leaves(self) -> int:
        """The number of radices."""
        return sum(map(len, self.runs))

    @cached_property
    def phases(self) -> list[Runs]:
        """The radices of each axis in each phase of the program in which there are any."""
        shape = shapes.axes_of(self.spec)
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
        return [radices for phase in self.phases for radices in _order(phase)]

    def _said(self, radix: int) -> str:
        """Return a radix as it is written: for a vector of 2^n elements as a power."""
        return str(radix) if self.spec.shape else f"2^{radix.bit_length() - 1}"

    def __str__(self) -> str:
        return " | ".join(
            " x ".join(" · ".join(map(self._said, radices)) or "1" for radices in phase)
            for phase in self.phases
        )


def cheapest(spec: Request, prices: Prices, k: int) -> list[DigitPlan]:
    """Return the k cheapest plans of a request, the cheapest first; of equal ones those of fewer
    radices, then those that do most at the beginning.

    >>> from codegen.requests import make_request
    >>> cyclic = make_request("fft", 10**9, 1000, "cyclic", "cyclic")
    >>> for plan in cheapest(cyclic, Prices(1000, 4), 2):
    ...     print(plan)
    8000 | 5000 · 25
    8000 | 2500 · 50
    """
    local, found = _Local(spec, prices, k), list[DigitPlan]()
    several = dict[Runs, float]()
    for route in _coarse(spec):
        moves = _moves(route, spec, prices)
        for price, runs in local.whole(route):
            several[runs] = min(moves + price, several.get(runs, inf))
    if spec.backend.is_whole and ends_between_two(spec):
        found.append(DigitPlan(spec))
    for least, runs in _least(MOST_COUNTED, ((price, runs) for runs, price in several.items())):
        if len(found) == k and prices.of(found[-1].figures, spec.M) <= least:
            break
        with suppress(ValueError):  # ranks cannot trade the digits of some radices
            plan = DigitPlan(complete(replace(spec, phases=said(runs, False))))
            found += [plan] * (plan not in found)
        found = sorted(found, key=lambda one: _rank(one, prices))[:k]
    return found


def _rank(plan: DigitPlan, prices: Prices) -> tuple[float, int, list[tuple[int, ...]]]:
    return prices.of(plan.figures, plan.spec.M), plan.leaves, plan.order


def _moves(route: Route, spec: Request, prices: Prices) -> float:
    """Return the price of what the mean rank sends, which is at most that of the program."""
    P, kept = spec.P, route.kept
    messages, words = (
        sum(P // one - 1 for one in kept),
        sum((P - one) * spec.M // P for one in kept),
    )
    return prices.of(Figures(len(kept), messages, words), spec.M)


def _least(k: int, found: Iterable[Way]) -> list[Way]:
    """Return the cheapest; of equal ones those of fewer radices, then of large ones first."""
    return nsmallest(k, found, key=lambda one: (one[0], sum(map(len, one[1])), _order(one[1])))


def _order(runs: Runs) -> list[tuple[int, ...]]:
    return [tuple(-radix for radix in radices) for radices in runs]


def _coarse(spec: Request) -> Iterator[Route]:
    """Yield the best route of every way to cut the axes, into at most one part more than needed,
    those with the fewest exchanges first.
    """
    ends, shape = shapes.layouts(spec), shapes.axes_of(spec)
    known = [route.merged for route in routes(*ends)]
    several = (_cuts(n, len(runs) + (spec.P > 1)) for n, runs in zip(shape, known[0], strict=True))
    for cut in dict.fromkeys((*known, *islice(product(*several), MOST_CUTS))):
        found = routes(*ends, cut)[:1]
        if found and found[0].merged == cut:
            yield found[0]


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


class _Local:
    """The cheapest local transforms on each rank."""

    def __init__(self, spec: Request, prices: Prices, k: int) -> None:
        self.M, self.kernels, self.prices, self.k = spec.M, spec.kernels, prices, k
        self.twiddles = self.price(
            Figures(passes=local_passes.of_twiddles(spec.kernels), flops=6 * self.M)
        )
        self.places = _places(spec)
        self.radices, self.transform = cache(self._radices), cache(self._transform)

    def price(self, figures: Figures) -> float:
        """Return what figures are worth."""
        return self.prices.of(figures, self.M)

    def whole(self, route: Route) -> list[Way]:
        """Return the cheapest ways to do all phases of a route; where nothing is exchanged there is
        one phase, which is done as a whole.
        """
        done = (1,) * len(route.runs)
        found: list[Way] = [(0.0, ((),) * len(done))]
        most = MOST_RADICES if len(route.contents) > 1 else 1
        for sizes in route.phases:
            more = self._phase(done, sizes, most)
            found = _least(self.k, (_both(one, other) for one in found for other in more))
            done = tuple(size * before for size, before in zip(sizes, done, strict=True))
        return found

    def _phase(self, done: tuple[int, ...], sizes: tuple[int, ...], most: int) -> list[Way]:
        """Return the cheapest ways to transform so many points of each axis. Twiddles stand between
        the radices, those of all axes together, and before the first ones if it is a later phase.
        """
        ways: dict[int, list[Way]] = {0: [(0.0, ())]}
        for axis, (before, size) in enumerate(zip(done, sizes, strict=True)):
            both: dict[int, list[Way]] = {}
            for (t, known), u in product(ways.items(), range(1, most + 1) if size > 1 else (0,)):
                both.setdefault(max(t, u), []).extend(
                    (a + b, (*runs, radices))
                    for a, runs in known
                    for b, radices in self.radices(axis, before, size, u)
                )
            ways = {t: _least(self.k, found) for t, found in both.items()}
        later = any(size > 1 < before for size, before in zip(sizes, done, strict=True))
        return _least(
            self.k,
            (
                (price + (max(t - 1, 0) + later) * self.twiddles, runs)
                for t, found in ways.items()
                for price, runs in found
            ),
        )

    def _radices(
        self, axis: int, done: int, d: int, count: int
    ) -> list[tuple[float, tuple[int, ...]]]:
        """Return the cheapest ways to transform the next d points locally in so many radices."""
        if count <= 1:
            return [(self.transform(d), (d,))] if count else [(0.0, ())]
        found = [
            (self.transform(first) + rest, (first, *radices))
            for first in divisors(d)[1:-1]
            if done * first in self.places[axis]
            for rest, radices in self.radices(axis, done * first, d // first, count - 1)
        ]
        return nsmallest(self.k, found, key=lambda way: (way[0], [-radix for radix in way[1]]))

    def _transform(self, d: int) -> float:
        flops = Transform(None, self.M // d, d, 1).flops()
        return self.price(Figures(passes=local_passes.of_transform(d, self.kernels), flops=flops))


def _both(one: Way, other: Way) -> Way:
    """Return local transforms one after the other, along each axis."""
    return one[0] + other[0], tuple(x + y for x, y in zip(one[1], other[1], strict=True))


def _places(spec: Request) -> list[set[int]]:
    """Return for each axis the numbers of points after which both layouts let radices begin."""
    ends, whole = shapes.layouts(spec), [(n,) for n in shapes.axes_of(spec)]
    return [
        {c for c in divisors(n) if fit(*ends, (*whole[:axis], (c, n // c), *whole[axis + 1 :]))}
        for axis, n in enumerate(shapes.axes_of(spec))
    ]


def sequences_of(N: int, M: int) -> int:
    """Return the number of ways to write N as a product of radices that divide M, in every order.

    >>> sequences_of(12, 6), sequences_of(8, 8)
    (5, 4)
    """
    every, found = divisors(N), {1: 1}
    for d in every[1:]:
        found[d] = sum(found[d // a] for a in every[1:] if d % a == 0 and M % a == 0)
    return found[N]
