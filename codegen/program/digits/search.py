"""Which digits lie on the ranks in each phase of a transform: as few exchanges as can be, then as
few words.

An axis of n elements is transformed in runs, n = R_1 R_2 .. R_h: first the R_1 highest digits of
the input index, which become the lowest of the output index, and so on. A run is done in a phase in
which none of its digits lies on the ranks. So a route is a list of phases: which digits lie on the
ranks, and which runs are done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise, product, zip_longest
from math import gcd, prod
from operator import mul

from codegen.program.digits.cuts import MOST_PHASES, Phases, fit, parts, runs_of_axes
from codegen.program.digits.places import Digit, digits_of, in_both, refined
from derive.digits.layouts import ArrayLayout
from derive.digits.radices import divisors

MOST_ENDS = 8
MANY, FEW = (1000, 100), (64, 16)
"""So many ways to cut all axes are looked at, and so many to fill the ranks in a phase, those with
the fewest digits first; FEW where routes are known and better ones are looked for. Of each way
to cut, MOST_ENDS routes are kept.
"""
Content = tuple[Digit, ...]
Progress = tuple[int, ...]
Ends = tuple[ArrayLayout, ArrayLayout]
Width = tuple[int, int]  # ways to cut all axes, and to fill the ranks
Run = tuple[int, int]  # an axis, and the number of a run of it
States = dict[tuple[Content, Progress], tuple[int, tuple[Content, ...], tuple[Progress, ...]]]
"""What lies on the ranks and what is done, with what has been sent until then and how."""


@dataclass(frozen=True)
class Route:
    """The digits on the ranks in each phase, and how many runs of each axis are done after it."""

    runs: tuple[tuple[int, ...], ...]
    contents: tuple[Content, ...]
    progress: tuple[Progress, ...]
    messages: int
    """Of which share of its elements, in P-ths, a rank sends to others."""

    @property
    def price(self) -> tuple[int, int, int]:
        """Exchanges, then what is sent, then how many runs there are."""
        return len(self.contents) - 1, self.messages, sum(map(len, self.runs))

    @property
    def phases(self) -> tuple[tuple[int, ...], ...]:
        """The sizes of what is transformed of each axis in each phase, 1 where nothing is."""
        return tuple(tuple(map(prod, runs)) for runs in self._runs_of_phases)

    @property
    def kept(self) -> list[int]:
        """The product of the digits that stay on the ranks in each exchange."""
        return [in_both(one, other) or 1 for one, other in pairwise(self.contents)]

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


def routes(
    source: ArrayLayout, target: ArrayLayout, phases: Phases = (), most: int = MOST_PHASES
) -> list[Route]:
    """Return the routes from one layout to another, in these phases if they are stated, the best
    first, none of more exchanges than `most`. If that is stated, fewer ways are looked at; else
    axes are cut elsewhere, too, if that takes fewer exchanges.
    """
    width = MANY if most == MOST_PHASES else FEW
    found = _routes((source, target), phases, most, width, every=False)
    if not found:
        return _routes((source, target), phases, most, width, every=True)
    fewer = found[0].price[0] - 1
    if most < MOST_PHASES or phases or fewer < 1:
        return found
    return _routes((source, target), (), fewer, FEW, every=True) or found


def _routes(ends: Ends, phases: Phases, most: int, width: Width, every: bool) -> list[Route]:
    """Return those of at most so many exchanges: axes cut where layouts cut, or `every`where."""
    (source, target), (forms, fillings), found = ends, width, list[Route]()
    several = [phases] if phases else product(*runs_of_axes(source, target, every, forms))
    for runs in islice(several, forms):
        if phases and not fit(source, target, runs):
            return []
        best = min((route.price[:2] for route in found), default=(most, most * source.P))
        found += _Search(source, target, runs, fillings).routes(best)
    return sorted(found, key=lambda route: route.price)


@dataclass(frozen=True)
class _Search:
    """The phases of a transform whose axes are done in these runs."""

    source: ArrayLayout
    target: ArrayLayout
    runs: tuple[tuple[int, ...], ...]
    fillings: int

    @cached_property
    def _digits(self) -> list[list[tuple[list[Digit], list[Digit]]]]:
        """The digits of each run before and after it is done, cut as the layouts cut them."""
        cuts = [
            [digit for part in digits_of(layout, done) for digit in part]
            for layout, done in ((self.source, False), (self.target, True))
        ]
        found = []
        for axis, (n, runs) in enumerate(zip(self.source.shape, self.runs, strict=True)):
            sides = [
                [refined([Digit(axis, done, *part)], cuts[done]) for part in parts(n, runs, done)]
                for done in (False, True)
            ]
            found.append(list(zip(*sides, strict=True)))
        return found

    def _whole(self, layout: ArrayLayout, done: bool) -> Content:
        """Return the digits on the ranks of a layout, cut where runs begin and end."""
        parts = [digit for axis in self._digits for run in axis for digit in run[done]]
        return tuple(sorted(refined(digits_of(layout, done)[0], parts)))

    def routes(self, best: tuple[int, int]) -> list[Route]:
        """Return the routes with as few exchanges as can be, no worse than the best that is known:
        so many exchanges, so much that is sent.
        """
        first, last = self._whole(self.source, False), self._last
        start = tuple(0 for _ in self.runs)
        now = self._advanced(first, start)
        if first == last:
            return [Route(self.runs, (first,), (now,), 0)]
        states: States = {(first, now): (0, (first,), ())}
        for exchanges in range(1, best[0] + 1):
            found = [self._ended(state, how) for state, how in states.items()]
            if ends := sorted((each for each in found if each), key=lambda each: each.price):
                return ends[:MOST_ENDS]
            if exchanges < best[0]:
                states = self._next(states, best[1] if exchanges + 1 == best[0] else None)
        return []

    def _ended(
        self,
        state: tuple[Content, Progress],
        how: tuple[int, tuple[Content, ...], tuple[Progress, ...]],
    ) -> Route | None:
        """Return the route that ends with an exchange to the last layout, if it may."""
        (content, progress), (sent, contents, before) = state, how
        kept = in_both(content, self._last) if self._leads(progress) else None
        if kept is None:
            return None
        ends = tuple(map(len, self.runs))
        sent += self.source.P - kept
        return Route(self.runs, (*contents, self._last), (*before, progress, ends), sent)

    def _next(self, states: States, most: int | None) -> States:
        """Return the states after one more exchange, each by the way that sends least; those only
        that send no more than this, and lead to the last layout, where the next exchange ends.
        """
        found: States = {}
        choices = {
            progress: [
                (other, now)
                for other, now in self._contents(progress)
                if most is None or self._leads(now)
            ]
            for progress in {progress for _, progress in states}
        }
        for (content, progress), (sent, contents, before) in states.items():
            for other, now in choices[progress]:
                kept = in_both(content, other)
                words = sent + self.source.P - (kept or 0)
                if kept is None or (most is not None and words > most):
                    continue
                if (other, now) not in found or words < found[other, now][0]:
                    found[other, now] = words, (*contents, other), (*before, progress)
        return found

    def _leads(self, progress: Progress) -> bool:
        """Return whether the digits of the last layout are there when so many runs are done."""
        if progress not in self._leading:
            known = self._known(progress)
            self._leading[progress] = all(
                any(digit.within(each) for each in known) for digit in self._last
            )
        return self._leading[progress]

    @cached_property
    def _last(self) -> Content:
        """What lies on the ranks in the end."""
        return self._whole(self.target, True)

    @cached_property
    def _leading(self) -> dict[Progress, bool]:
        """Whether the last layout may be next when so much is done."""
        return {}

    def _known(self, progress: Progress) -> list[Digit]:
        """Return the digits that there are when so many runs are done."""
        return [
            digit
            for axis, count in zip(self._digits, progress, strict=True)
            for t, run in enumerate(axis)
            for digit in run[t < count]
        ] + [Digit(0, True, 1, self.source.shape[0])] * self.source.batched

    def _contents(self, progress: Progress) -> list[tuple[Content, Progress]]:
        """Return what may lie on the ranks, low parts of digits, P of them in all; with what is
        done then, which is more.
        """
        if progress not in self._filled:
            every = _chosen(self._known(progress), self._held_up(progress), self.source.P)
            found = [tuple(sorted(each)) for each in islice(every, self.fillings)]
            self._filled[progress] = [(each, self._advanced(each, progress)) for each in found]
        return self._filled[progress]

    def _held_up(self, progress: Progress) -> dict[Run, set[Digit]]:
        """Return the runs that may be done next, each with the digits that hold it up."""
        return {
            (axis, t): set(self._digits[axis][t][False])
            for axis, t in enumerate(progress)
            if t < len(self.runs[axis])
        }

    @cached_property
    def _filled(self) -> dict[Progress, list[tuple[Content, Progress]]]:
        """What may lie on the ranks when so much is done."""
        return {}

    def _advanced(self, content: Content, progress: Progress) -> Progress:
        """Return how many runs are done in a phase with these digits on the ranks."""
        held = {self._run_of[digit.axis, digit.weight] for digit in content if not digit.done}
        found = list(progress)
        for axis, runs in enumerate(self.runs):
            while found[axis] < len(runs) and (axis, found[axis]) not in held:
                found[axis] += 1
        return tuple(found)

    @cached_property
    def _run_of(self) -> dict[tuple[int, int], Run]:
        """The axis and the number of the run in which each digit of an input index is."""
        return {
            (axis, digit.weight): (axis, t)
            for axis, runs in enumerate(self._digits)
            for t, run in enumerate(runs)
            for digit in run[0]
        }


def _chosen(
    digits: Sequence[Digit], held_up: dict[Run, set[Digit]], count: int
) -> Iterator[Content]:
    """Yield low parts of digits whose product is this count, such that not all of these runs are
    held up: the fewest digits first, of so many the large parts of the first before.
    """
    beyond = [*accumulate((digit.radix for digit in reversed(digits)), mul, initial=1)][::-1]
    holds = [{run for run, those in held_up.items() if digit in those} for digit in digits]

    def below(start: int, left: int, few: int, free: set[Run], known: Content) -> Iterator[Content]:
        if few == 0 and left == 1:
            yield known
        for i in range(start, len(digits) - few + 1):
            if few == 0 or beyond[i] % left:
                return
            if then := free - holds[i]:
                for radix in divisors(gcd(digits[i].radix, left))[:0:-1]:
                    if few > 1 or radix == left:
                        more = (*known, digits[i].low(radix))
                        yield from below(i + 1, left // radix, few - 1, then, more)

    for few in range(len(digits) + 1):
        yield from below(0, count, few, set(held_up), ())
