"""Digits of the indices of an array on their way: which of them lie on ranks, and which in offsets.

A digit is of an axis, of its input index until it is transformed and of its output index when that
is `done`; it counts `weight` in that index. Lists of digits have the most significant first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from math import gcd, prod
from typing import NamedTuple

from codegen.program.digits.steps import Field, Kept, Number, Trade
from derive.digits.layouts import ArrayLayout
from derive.digits.radices import DigitPermutation, weights


class Digit(NamedTuple):
    """index div weight mod radix, of the input index of an axis, or of its output index."""

    axis: int
    done: bool
    weight: int
    radix: int

    @property
    def end(self) -> int:
        """What the digit above it counts."""
        return self.weight * self.radix

    def within(self, other: Digit) -> bool:
        """Return whether this is a part of another digit."""
        same = (self.axis, self.done) == (other.axis, other.done)
        return same and self.weight % other.weight == 0 and other.end % self.end == 0

    def low(self, radix: int) -> Digit:
        """Return its low part."""
        return Digit(self.axis, self.done, self.weight, radix)

    def high(self, radix: int) -> Digit:
        """Return what is above its low part of this radix."""
        return self._replace(weight=self.weight * radix, radix=self.radix // radix)


def digits_of(layout: ArrayLayout, done: bool) -> tuple[list[Digit], list[Digit]]:
    """Return the digits that say the rank, and those that say the offset; a batch is done from the
    start.
    """
    ranks, offsets = list[Digit](), list[Digit]()
    for axis, cut in enumerate(layout.cuts):
        whole = done or (layout.batched and axis == 0)
        known = [
            Digit(axis, whole, weight, radix)
            for weight, radix in zip(weights(cut.radices), cut.radices, strict=True)
        ]
        ranks += [known[i] for i in cut.ranks if cut.radices[i] > 1]
        offsets += [known[i] for i in cut.offsets if cut.radices[i] > 1]
    return ranks, offsets


def refined(digits: Iterable[Digit], others: Iterable[Digit]) -> list[Digit]:
    """Return digits cut wherever others begin or end.

    Raises ValueError where that would cut no digits.

    >>> refined([Digit(0, True, 1, 12)], [Digit(0, True, 3, 2)])
    [Digit(axis=0, done=True, weight=6, radix=2), Digit(axis=0, done=True, weight=3, radix=2), Digit(axis=0, done=True, weight=1, radix=3)]
    """  # noqa: E501
    known, found = list(others), list[Digit]()
    for digit in digits:
        ends = {
            end
            for other in known
            if (other.axis, other.done) == (digit.axis, digit.done)
            for end in (other.weight, other.end)
            if digit.weight < end < digit.end
        }
        places = sorted({digit.weight, digit.end, *ends})
        if any(high % low for low, high in pairwise(places)):
            raise ValueError(f"{digit} has no digits that begin at {places}")
        parts = [digit._replace(weight=a, radix=b // a) for a, b in pairwise(places)]
        found += reversed(parts)
    return found


def in_both(one: Iterable[Digit], other: Iterable[Digit]) -> int | None:
    """Return the product of the digits that stay on the ranks; None where they overlap otherwise
    than one within the other.
    """
    kept = 1
    for a, b in product(one, other):
        if (a.axis, a.done) == (b.axis, b.done) and a.weight < b.end and b.weight < a.end:
            if not (a.within(b) or b.within(a)):
                return None
            kept *= min(a.radix, b.radix)
    return kept


def permutation(source: Sequence[Digit], goal: Sequence[Digit]) -> DigitPermutation:
    """Return the permutation that takes digits in one order to the same in another."""
    finer = refined(source, goal)
    order = [finer.index(digit) for digit in refined(goal, source)]
    return DigitPermutation(tuple(digit.radix for digit in finer), tuple(order))


def number(digits: Sequence[Digit], wanted: Digit, unit: int) -> Number:
    """Return the part of an index within `wanted` in terms of storage addresses, which have these
    digits; its lowest place counts wanted.weight div unit.
    """
    finer = refined(digits, [wanted])
    places = weights([digit.radix for digit in finer])
    fields = [
        Field(place, digit.radix, digit.weight // unit)
        for place, digit in zip(places, finer, strict=True)
        if digit.within(wanted)
    ]
    return Number(tuple(joined(fields)))


def joined(fields: Iterable[Field]) -> list[Field]:
    """Return fields, the highest first, those that are side by side and count on as one."""
    found = list[Field]()
    for low in fields:
        high = found[-1] if found else None
        if high and (low.place * low.radix, low.value * low.radix) == (high.place, high.value):
            found[-1] = Field(low.place, low.radix * high.radix, low.value)
        else:
            found.append(low)
    return found


def filled(holes: Sequence[int], digits: Sequence[Digit]) -> list[list[Digit]]:
    """Return digits for each of several holes, cut so that their product is that of the hole.

    >>> [[digit.radix for digit in part] for part in filled([4, 9], [Digit(0, True, 1, 6), Digit(1, True, 1, 6)])]
    [[2, 2], [3, 3]]
    """  # noqa: E501
    left, found = list(digits), list[list[Digit]]()
    for hole in holes:
        part = list[Digit]()
        rest = list[Digit]()
        for digit in left:
            fits = gcd(hole // prod(each.radix for each in part), digit.radix)
            part += [digit.low(fits)] if fits > 1 else []
            rest += [digit.high(fits)] if fits < digit.radix else []
        found.append(part)
        left = rest
    return found


def traded(
    ranks: Sequence[Digit], offsets: Sequence[Digit], new: Sequence[Digit], order: Sequence[Digit]
) -> Trade:
    """Return the trade after which `new` digits lie on the ranks, and the offset has this order;
    both lists of the ranks have whole digits in common, or none.
    """
    old, now = (
        dict(zip(digits, weights([digit.radix for digit in digits]), strict=True))
        for digits in (ranks, new)
    )
    kept, leaving = ([d for d in ranks if (d in now) == stays] for stays in (True, False))
    entering = [digit for digit in new if digit not in old]
    rest = [d for d in refined(offsets, [*entering, *order]) if d not in entering]
    return Trade(
        permutation(offsets, [*entering, *rest]),
        prod(digit.radix for digit in ranks),
        tuple(Kept(old[digit], digit.radix, now[digit]) for digit in kept),
        tuple((old[digit], digit.radix) for digit in leaving),
        tuple((now[digit], digit.radix) for digit in entering),
        permutation([*leaving, *rest], order),
    )


def gathered(digits: list[Digit], runs: Iterable[Digit]) -> list[Digit]:
    """Return digits in this order, but the parts of each run side by side, the highest first."""
    found = list(digits)
    for run in runs:
        parts = [digit for digit in found if digit.within(run)]
        at = found.index(parts[0])
        if parts != sorted(parts, key=lambda d: -d.weight) or found[at : at + len(parts)] != parts:
            others = [digit for digit in found if digit not in parts]
            found = [*others[:at], *sorted(parts, key=lambda d: -d.weight), *others[at:]]
    return found
