"""The cheapest local transforms of each rank between exchanges.

What a rank does in a phase costs the same however data came there: so the cheapest few ways to do a
local transform in radices are found once for each size.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from heapq import nsmallest
from itertools import accumulate, product
from operator import mul

from codegen import shapes
from codegen.cost import local_passes
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.routes.axis_cuts import fit
from codegen.program.digits.routes.route_search import Route
from codegen.search.prices import Figures, Prices
from codegen.systems.record import Request
from derive.digits.radices import divisors

MOST_RADICES = 4
"""So many radices of an axis in a phase are looked at."""
Runs = tuple[tuple[int, ...], ...]
"""The radices of each axis, the first to be done first."""
Way = tuple[float, Runs]
"""The radices of local transforms, with their price."""


def least(k: int, found: Iterable[Way]) -> list[Way]:
    """Return the cheapest; of equal ones those of fewer radices, then of large ones first."""
    return nsmallest(k, found, key=lambda one: (one[0], sum(map(len, one[1])), order(one[1])))


def order(runs: Runs) -> list[tuple[int, ...]]:
    """Return what puts radices in order, large ones first."""
    return [tuple(-radix for radix in radices) for radices in runs]


class Local:
    """The cheapest local transforms on each rank."""

    def __init__(self, request: Request, prices: Prices, k: int) -> None:
        self.M, self.kernels, self.prices, self.k = request.M, request.kernels, prices, k
        self.twiddles = self.price(
            Figures(passes=local_passes.of_twiddles(request.kernels), flops=6 * self.M)
        )
        self.places = _places(request)
        self.radices, self.transform = cache(self._radices), cache(self._transform)
        self.of_phase = cache(self._of_phase)

    def price(self, figures: Figures) -> float:
        return self.prices.of(figures, self.M)

    def at_least(self, cut: Runs) -> float:
        """Return the least that the transforms of a cut of the axes cost."""
        price = (max(map(len, cut), default=1) - 1) * self.twiddles
        for axis, sizes in enumerate(cut):
            for done, d in zip(accumulate(sizes, mul, initial=1), sizes, strict=False):
                price += self.of_phase(axis, done, d)
        return price

    def whole(self, route: Route) -> list[Way]:
        """Return the cheapest ways to do all phases of a route; where nothing is exchanged there is
        one phase, which is done as a whole.
        """
        done = (1,) * len(route.runs)
        found: list[Way] = [(0.0, ((),) * len(done))]
        most = MOST_RADICES if len(route.contents) > 1 else 1
        for sizes in route.phases:
            more = self._phase(done, sizes, most)
            found = least(self.k, (_both(one, other) for one in found for other in more))
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
            ways = {t: least(self.k, found) for t, found in both.items()}
        later = any(size > 1 < before for size, before in zip(sizes, done, strict=True))
        return least(
            self.k,
            (
                (price + (max(t - 1, 0) + later) * self.twiddles, runs)
                for t, found in ways.items()
                for price, runs in found
            ),
        )

    def _of_phase(self, axis: int, done: int, d: int) -> float:
        """Return the least that the next d points cost."""
        several = (self.radices(axis, done, d, u)[:1] for u in range(1, MOST_RADICES + 1))
        inner = self.twiddles if len(self.places) == 1 else 0  # axes share what stands between them
        return min(price + (len(x) - 1) * inner for way in several for price, x in way)

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


def _places(request: Request) -> list[set[int]]:
    """Return for each axis the numbers of points after which both layouts let radices begin."""
    ends, whole = shapes.layouts(request), [(n,) for n in shapes.axes_of(request)]
    return [
        {c for c in divisors(n) if fit(*ends, (*whole[:axis], (c, n // c), *whole[axis + 1 :]))}
        for axis, n in enumerate(shapes.axes_of(request))
    ]
