"""Which digits lie on the ranks in each phase of a transform: as few exchanges as can be, then as
few words.

An axis of n elements is transformed in runs, n = R_1 R_2 .. R_h: first the R_1 highest digits of
the input index, which become the lowest of the output index, and so on. A run is done in a phase in
which none of its digits lies on the ranks. So a route is a list of phases: which digits lie on the
ranks, and which runs are done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice, pairwise, zip_longest
from math import prod

from codegen.program.digits.digit_places import in_both, in_place, placed, sent
from codegen.program.digits.routes.axis_cuts import Phases, fit, ways
from codegen.program.digits.routes.fillings import Content, Fillings, Progress
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import divisors

MOST_PHASES, MOST_ENDS = 64, 8
MANY, FEW = (1000, 100), (64, 16)
"""So many ways to cut all axes are looked at, and so many to fill the ranks in a phase, those with
the fewest digits first; FEW where routes are known and better ones are looked for. Of each way
to cut, MOST_ENDS routes are kept.
"""
Ends = tuple[ArrayLayout, ArrayLayout]
Price = tuple[int, int, int]  # exchanges, words, messages
Width = tuple[int, int]  # ways to cut all axes, and to fill the ranks
Sent = tuple[int, int]  # words in P-ths of a rank's elements, and messages
State = tuple[Content, Progress, bool]
"""What lies on the ranks, what is done, and whether what stays to the end is where it will be."""
How = tuple[Sent, tuple[Content, ...], tuple[Progress, ...]]
"""What has been sent until then, what lay on the ranks in the phases before, what was done."""
States = dict[State, How]
UNKNOWN: How = (1 << 62, 0), (), ()
"""More than is ever sent."""


@dataclass(frozen=True)
class Route:
    """The digits on the ranks in each phase, and how many runs of each axis are done after it."""

    runs: tuple[tuple[int, ...], ...]
    contents: tuple[Content, ...]
    progress: tuple[Progress, ...]
    sent: Sent
    """What a rank sends to others at most: words in P-ths of its elements, and messages."""

    @property
    def price(self) -> tuple[int, int, int]:
        """Exchanges, then what is sent: words, then messages."""
        return len(self.contents) - 1, *self.sent

    @property
    def size(self) -> tuple[int, int]:
        """How many transforms there are, and how many runs."""
        return sum(size > 1 for sizes in self.phases for size in sizes), sum(map(len, self.runs))

    @property
    def phases(self) -> tuple[tuple[int, ...], ...]:
        """The sizes of what is transformed of each axis in each phase, 1 where nothing is."""
        return tuple(tuple(map(prod, runs)) for runs in self._runs_of_phases)

    @property
    def merged(self) -> Phases:
        """The runs of each axis, those of one phase as one."""
        return tuple(
            tuple(size for size in sizes if size > 1) for sizes in zip(*self.phases, strict=True)
        )

    @property
    def parted(self) -> int:
        """How many axes are transformed in several phases."""
        return sum(len(sizes) > 1 for sizes in self.merged)

    @property
    def kept(self) -> list[int]:
        """The product of the digits that stay on the ranks in each exchange."""
        return [in_both(one, other) or 1 for one, other in pairwise(self.contents)]

    def mirrored(self, still: Collection[int]) -> Route:
        """Return the route in the other direction, axes that are `still` not transformed: digits of
        input indices become those of output indices, with the same weights, as F_N is symmetric.
        """
        before = (tuple(0 for _ in self.runs), *self.progress)[:-1]
        return replace(
            self,
            runs=tuple(runs[::-1] for runs in self.runs),
            contents=tuple(
                tuple(digit._replace(done=digit.axis in still or not digit.done) for digit in each)
                for each in reversed(self.contents)
            ),
            progress=tuple(
                tuple(len(runs) - n for runs, n in zip(self.runs, done, strict=True))
                for done in reversed(before)
            ),
        )

    def parts(self, phase: int) -> list[tuple[int, ...]]:
        """Return the sizes of what is transformed of each axis in a phase run by run."""
        return list(zip_longest(*self._runs_of_phases[phase], fillvalue=1))

    @property
    def _runs_of_phases(self) -> list[list[tuple[int, ...]]]:
        """The runs of each axis that are done in each phase."""
        before = (tuple(0 for _ in self.runs), *self.progress)
        return [
            [runs[a:b] for runs, a, b in zip(self.runs, was, now, strict=True)]
            for was, now in pairwise(before)
        ]


@lru_cache(64)
def routes(
    source: ArrayLayout, target: ArrayLayout, phases: Phases = (), most: int = MOST_PHASES
) -> list[Route]:
    """Return the routes from one layout to another, in these phases if they are stated, the best
    first, none of more exchanges than `most`. If that is stated, fewer ways are looked at; else
    axes are also cut elsewhere if there is more than one exchange, and routes from the output to
    the input are also tried if there are more than two.
    """
    ends, limit = (source, target), (most, most * source.P, most * source.P)
    width = MANY if most == MOST_PHASES else FEW
    found = _routes(ends, phases, limit, width, every=False)
    if not found and not phases:
        found = _routes(ends, (), limit, width, every=True)
    elif most == MOST_PHASES and not phases:
        best = min(route.price for route in found)
        found += _routes(ends, (), best, FEW, every=True) if best[0] > 1 else []
        found += _backwards(ends, min(route.price for route in found)) if best[0] > 2 else []
    return sorted(found, key=lambda route: (route.price, route.size))


def _backwards(ends: Ends, best: Price) -> list[Route]:
    """Return the routes that send less than this and are found from the output to the input: the
    search in this direction places digits on the ranks in another order.
    """
    source, target = ends
    found = [
        route
        for width, every in ((MANY, False), (FEW, True))
        for route in _routes((target, source), (), best, width, every)
    ]
    return [route.mirrored(source.still) for route in found if route.price < best]


def _routes(ends: Ends, phases: Phases, best: Price, width: Width, every: bool) -> list[Route]:
    """Return routes that are no worse than this: axes cut where layouts cut, or `every`where."""
    (source, target), (forms, fillings), found = ends, width, list[Route]()
    several = [phases] if phases else ways(source, target, every, forms)
    for runs in islice(several, forms):
        if phases and not fit(source, target, runs):
            return []
        more = _Search(Fillings(source, target, runs, fillings), best).routes()
        best = min([best, *(route.price for route in more)])
        found += more
    return found


@dataclass(frozen=True)
class _Search:
    """The phases of a transform whose axes are done in certain runs."""

    fillings: Fillings
    best: Price
    """What is known: of more exchanges, or as many that send more, there are no routes."""

    def routes(self) -> list[Route]:
        """Return the routes with as few exchanges as can be, no worse than the best known."""
        of, first = self.fillings, self.fillings.first
        now = of.advanced(first, (0,) * len(of.runs))
        if first == of.last:
            return [Route(of.runs, (first,), (now,), (0, 0))]
        states: States = {(first, now, False): ((0, 0), (first,), ())}
        seen, left = set[tuple[Content, Progress]](), self.best[0]
        while states and of.may_end(now, self.best[0]):
            found = [self._ended(state, how) for state, how in states.items()]
            if ends := [each for each in found if each and each.price <= self.best]:
                return sorted(ends, key=lambda each: (each.price, each.size))[:MOST_ENDS]
            seen |= {state[:2] for state in states}
            left -= 1
            states = self._next(states, seen, left)
        return []

    def _ended(self, state: State, how: How) -> Route | None:
        """Return the route that ends with an exchange to the last layout, if it may."""
        (_, progress, _), (before, contents, done), of = state, how, self.fillings
        if not of.may_end(progress, 1) or in_both(contents[-1], of.last) is None:
            return None
        both = _sum(before, sent(contents[-1], of.last))
        ends = tuple(map(len, of.runs))
        return Route(of.runs, (*contents, of.last), (*done, progress, ends), both)

    def _next(self, states: States, seen: set[tuple[Content, Progress]], left: int) -> States:
        """Return the states after one more exchange that have not been seen, each by the way that
        sends least; those only from which the rest takes no more exchanges than are left, and if
        it takes as many, sends no more than the best that is known.
        """
        found: States = {}
        choices = {
            progress: [
                (other, now)
                for other, now in self.fillings.contents(progress)
                if (other, now) not in seen and self.fillings.may_end(now, left)
            ]
            for progress in {progress for _, progress, _ in states}
        }
        for (_, progress, _), (before, contents, done) in states.items():
            for other, now in choices[progress]:
                if self._may_be_better(before[0], contents[-1], other, now, left, found):
                    for new, more, is_home in self._exchanged(contents[-1], other):
                        both, state = _sum(before, more), (other, now, is_home)
                        if both < found.get(state, UNKNOWN)[0]:
                            found[state] = both, (*contents, new), (*done, progress)
        return found

    def _may_be_better(
        self, before: int, ranks: Content, content: Content, now: Progress, left: int, found: States
    ) -> bool:
        """Return whether an exchange, after so many words, may lead to something better than what
        is known and has been found.
        """
        kept, last = _kept(ranks, content), _kept(content, self.fillings.home) or 0
        if kept is None:
            return False
        words, rest = before + self._P - kept, self._least * left if left > 1 else self._P - last
        if words + rest > self.best[1] and not self.fillings.may_end(now, left - 1):
            return False
        there, elsewhere = (
            found.get((content, now, is_home), UNKNOWN)[0][0] for is_home in (True, False)
        )
        return words <= max(elsewhere, min(there, elsewhere + last))

    def _exchanged(self, ranks: Content, content: Content) -> Iterator[tuple[Content, Sent, bool]]:
        """Yield the ways in which these digits come on the ranks, with what each sends: those that
        stay remain where they are, or come where they are in the end, if that may send less. With
        each is said whether they are there.
        """
        home, P = self.fillings.home, self._P
        kept, last = _kept(ranks, content) or 1, _kept(content, home) or 1
        new = _placed(ranks, content, home)
        is_home = _in_place(new, home)
        yield new, (P - kept, P // kept - 1), is_home
        if not is_home and kept < last:
            yield _placed(home, content, ranks), (P, P // kept), True

    @cached_property
    def _P(self) -> int:
        return self.fillings.source.P

    @cached_property
    def _least(self) -> int:
        """What a rank sends at least in an exchange, in P-ths of its elements."""
        return self._P - self._P // min(divisors(self._P)[1:], default=1)


_kept, _in_place, _placed = (
    lru_cache(2**14)(in_both),
    lru_cache(2**14)(in_place),
    lru_cache(2**14)(placed),
)


def _sum(one: Sent, other: Sent) -> Sent:
    return one[0] + other[0], one[1] + other[1]
