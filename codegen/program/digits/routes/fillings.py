"""What may lie on the ranks of a transform while its axes are done in certain runs.

A run is done in a phase in which none of its digits lies on the ranks. Low parts of digits may lie
there, of the input index of runs that are to be done, and of the output index of those that are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from math import gcd, prod
from operator import mul

from codegen.program.digits.digit_places import Digit, digits_of, refined
from codegen.program.digits.routes.axis_cuts import parts
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import divisors

Content = tuple[Digit, ...]
Progress = tuple[int, ...]
"""How many runs of each axis are done."""
Run = tuple[int, int]  # an axis, and the number of a run of it
Sides = list[tuple[list[Digit], list[Digit]]]
"""The digits of runs before and after they are done."""


@dataclass(frozen=True)
class Fillings:
    """What may lie on the ranks between two layouts while axes are done in these runs, so many ways
    in each phase.

    >>> layout = ArrayLayout("cyclic", (12,), (2,))
    >>> fillings = Fillings(layout, layout, ((6, 2),), 10)
    >>> fillings.first, fillings.advanced(fillings.first, (0,)), fillings.may_end((1,), 1)
    ((Digit(axis=0, done=False, weight=1, radix=2),), (1,), True)
    >>> [(content[0].done, done) for content, done in fillings.contents((1,))]
    [(True, (2,))]
    """

    source: ArrayLayout
    target: ArrayLayout
    runs: tuple[tuple[int, ...], ...]
    most: int

    @cached_property
    def first(self) -> Content:
        """What lies on the ranks in the beginning, cut where runs begin and end."""
        return tuple(refined(digits_of(self.source, False)[0], self._parts))

    @cached_property
    def home(self) -> Content:
        """What lies on the ranks in the end."""
        return tuple(digits_of(self.target, True)[0])

    @cached_property
    def last(self) -> Content:
        """The same, cut where runs begin and end."""
        return tuple(refined(self.home, self._parts))

    def contents(self, progress: Progress) -> list[tuple[Content, Progress]]:
        """Return what may lie on the ranks when so much is done, P in all; with what is done then,
        which is more.
        """
        if progress not in self._contents:
            every = _chosen(self._known(progress), self._held_up(progress), self.source.P)
            found = [tuple(sorted(each)) for each in islice(every, self.most)]
            self._contents[progress] = [(each, self.advanced(each, progress)) for each in found]
        return self._contents[progress]

    def advanced(self, content: Content, progress: Progress) -> Progress:
        """Return how many runs are done in a phase with these digits on the ranks."""
        held = {self._run_of[digit.axis, digit.weight] for digit in content if not digit.done}
        found = list(progress)
        for axis, runs in enumerate(self.runs):
            while found[axis] < len(runs) and (axis, found[axis]) not in held:
                found[axis] += 1
        return tuple(found)

    def may_end(self, progress: Progress, exchanges: int) -> bool:
        """Return whether so many exchanges may do from here on: after all but the last, the digits
        of the last layout are there.
        """
        state = progress, min(exchanges, sum(map(len, self.runs)) + 1 - sum(progress))
        if state not in self._may_end:
            known = self._known(progress)
            self._may_end[state] = exchanges > 0 and (
                all(any(digit.within(each) for each in known) for digit in self.last)
                or (exchanges > 1 and self._may_end_later(progress, exchanges - 1))
            )
        return self._may_end[state]

    def _may_end_later(self, progress: Progress, exchanges: int) -> bool:
        """Return whether so many exchanges may do after one more, as if none were hindered."""
        after = {now for _, now in self.contents(progress)}
        return any(self.may_end(now, exchanges) for now in sorted(after, key=sum, reverse=True))

    @cached_property
    def _contents(self) -> dict[Progress, list[tuple[Content, Progress]]]:
        return {}

    @cached_property
    def _may_end(self) -> dict[tuple[Progress, int], bool]:
        return {}

    @cached_property
    def _digits(self) -> list[Sides]:
        return [_sides(self.source, self.target, i, runs) for i, runs in enumerate(self.runs)]

    @cached_property
    def _parts(self) -> list[Digit]:
        """The digits of all runs, before and after they are done."""
        return [part for axis in self._digits for run in axis for side in run for part in side]

    def _known(self, progress: Progress) -> list[Digit]:
        """Return the digits that there are when so many runs are done."""
        return [
            digit
            for axis, count in zip(self._digits, progress, strict=True)
            for t, run in enumerate(axis)
            for digit in run[t < count]
        ] + [Digit(axis, True, 1, self.source.shape[axis]) for axis in self.source.still]

    def _held_up(self, progress: Progress) -> dict[Run, set[Digit]]:
        """Return the runs that may be done next, each with the digits that hold it up."""
        return {
            (axis, t): set(self._digits[axis][t][False])
            for axis, t in enumerate(progress)
            if t < len(self.runs[axis])
        }

    @cached_property
    def _run_of(self) -> dict[tuple[int, int], Run]:
        """The axis and the number of the run in which each digit of an input index is."""
        return {
            (axis, digit.weight): (axis, t)
            for axis, runs in enumerate(self._digits)
            for t, run in enumerate(runs)
            for digit in run[0]
        }


@lru_cache(2**12)
def _sides(source: ArrayLayout, target: ArrayLayout, axis: int, runs: tuple[int, ...]) -> Sides:
    """Return the digits of the runs of an axis, cut as the layouts cut them."""
    before, after = (
        [
            refined([Digit(axis, done, *part)], [digit for each in ends for digit in each])
            for part in parts(source.shape[axis], runs, done)
        ]
        for done, ends in ((False, digits_of(source, False)), (True, digits_of(target, True)))
    )
    return list(zip(before, after, strict=True))


def _chosen(
    digits: Sequence[Digit], held_up: dict[Run, set[Digit]], count: int
) -> Iterator[Content]:
    """Yield low parts of digits whose product is this count, such that not all of these runs are
    held up: the fewest digits first, of so many the large parts of the first before.
    """
    runs = set(held_up)
    holds = {digit: {run for run in runs if digit in held_up[run]} for digit in digits}
    able = [digit for digit in digits if digit.radix > 1 and holds[digit] < runs]
    beyond = [prod(digit.radix for digit in able[i:]) for i in range(len(able) + 1)]
    largest = [_largest(digit.radix for digit in able[i:]) for i in range(len(able) + 1)]

    def below(start: int, left: int, few: int, free: set[Run], known: Content) -> Iterator[Content]:
        if few == 0 and left == 1:
            yield known
        for i in range(start, len(able) - few + 1 if few else start):
            if beyond[i] % left or largest[i][few] < left:
                return
            if then := free - holds[able[i]]:
                for radix in divisors(gcd(able[i].radix, left))[:0:-1]:
                    rest = left // radix
                    if largest[i + 1][few - 1] < rest:
                        break
                    if rest >> (few - 1):
                        more = (*known, able[i].low(radix))
                        yield from below(i + 1, rest, few - 1, then, more)

    for few in range(len(able) + 1):
        yield from below(0, count, few, runs, ())


def _largest(radices: Iterable[int]) -> list[int]:
    """Return the largest products of none, one, two of these radices, and so on."""
    return [*accumulate(sorted(radices, reverse=True), mul, initial=1)]
