"""Digits of the indices of an array on their way: which of them lie on ranks, and which in offsets.

A digit is of an axis, of its input index until it is transformed and of its output index when that
is `done`; it counts `weight` in that index. Lists of digits have the most significant first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import gcd, prod
from typing import NamedTuple

from codegen.program.digits.digit_exchanges import DigitExchange, Kept
from codegen.program.digits.digit_supersteps import Trade
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import DigitPermutation, weights
from derive.maps.map_expressions import Field, Number, joined

MOST_SAID = 4
"""So many digits of a number are said in words."""


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
        return Digit(self.axis, self.done, self.weight, radix)

    def high(self, radix: int) -> Digit:
        """Return what is above its low part of this radix."""
        return self._replace(weight=self.weight * radix, radix=self.radix // radix)


def digits_of(layout: ArrayLayout, done: bool) -> tuple[list[Digit], list[Digit]]:
    """Return the digits that say the rank, and those that say the offset; axes that are not
    transformed are done from the start.
    """
    ranks, offsets = list[Digit](), list[Digit]()
    for axis, cut in enumerate(layout.cuts):
        whole = done or axis in layout.still
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
    ends, found = dict[tuple[int, bool], set[int]](), list[Digit]()
    for axis, done, weight, radix in others:
        known = ends.setdefault((axis, done), set())
        known.add(weight)
        known.add(weight * radix)
    for digit in digits:
        axis, done, low, radix = digit
        high = low * radix
        inner = [end for end in ends.get((axis, done), ()) if low < end < high]
        if not inner:
            found.append(digit)
            continue
        places = [low, *sorted(inner), high]
        if any(high % low for low, high in pairwise(places)):
            raise ValueError(f"{digit} has no digits that begin at {places}")
        parts = [Digit(axis, done, a, b // a) for a, b in pairwise(places)]
        found += reversed(parts)
    return found


def in_both(one: Iterable[Digit], other: Iterable[Digit]) -> int | None:
    """Return the product of the digits that stay on the ranks; None where they overlap otherwise
    than one within the other.
    """
    kept, those = 1, list(other)
    for a in one:
        axis, done, low, radix = a
        for b in those:
            if axis == b[0] and done == b[1] and low < b[2] * b[3] and b[2] < low * radix:
                if not (a.within(b) or b.within(a)):
                    return None
                kept *= min(radix, b[3])
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


def placed(
    ranks: Sequence[Digit], content: Sequence[Digit], home: Sequence[Digit]
) -> tuple[Digit, ...]:
    """Return the digits that are to lie on the ranks in their order: those that stay remain where
    they are, the others come where they are at `home` if there is room, else in the order of home.

    Raises ValueError where digits do not cut each other.

    >>> a, b, c, d, e = (Digit(axis, True, 1, 2) for axis in range(5))
    >>> [digit.axis for digit in placed([a, b, c], [c, d, e], [d, c, e])]
    [3, 4, 2]
    >>> [digit.axis for digit in placed([a, b, c], [b, d, e], [d, c, e])]
    [3, 1, 4]
    """
    found = {
        weight: digit
        for digit, weight in weighed(refined(ranks, content)).items()
        if any(digit.within(each) for each in content)
    }
    stays = list(found.values())
    coming = [
        digit
        for digit in refined(content, [*stays, *home])
        if not any(digit.within(each) for each in stays)
    ]
    wanted = weighed(refined(home, coming))
    for digit in coming:
        if digit in wanted and _fits(wanted[digit], digit.radix, _holes(found, ranks)):
            found[wanted[digit]] = digit
    here = set(found.values())
    rest = [digit for digit in (*wanted, *coming) if digit in coming and digit not in here]
    holes = _holes(found, ranks)
    parts = filled([radix for _, radix in holes], list(dict.fromkeys(rest)))
    for (weight, _), part in zip(holes, parts, strict=True):
        found |= {weight * each: digit for digit, each in weighed(part).items()}
    return tuple(found[weight] for weight in sorted(found, reverse=True))


def weighed(digits: Sequence[Digit]) -> dict[Digit, int]:
    """Return what digits count in the number that they are the digits of."""
    return dict(zip(digits, weights([digit.radix for digit in digits]), strict=True))


def said(digits: Sequence[Digit]) -> str:
    """Return a number with these digits of a vector's indices in words: j is the index of the
    input, k that of the output.

    >>> said([Digit(0, True, 256, 4)]), said([Digit(0, False, 8, 2), Digit(0, True, 1, 4)])
    ('k div 256 mod 4', '4 (j div 8 mod 2) + k mod 4')
    """
    runs = list[Digit]()
    for digit in digits:
        high = runs[-1] if runs else None
        if high and digit.end == high.weight and (digit.axis, digit.done) == high[:2]:
            runs[-1] = digit._replace(radix=digit.radix * high.radix)
        else:
            runs.append(digit)
    terms = list[str]()
    for run, goal in weighed(runs).items():
        term = f"{'jk'[run.done]}" + f" div {run.weight}" * (run.weight > 1) + f" mod {run.radix}"
        terms.append(f"{goal} ({term})" if goal > 1 else term)
    return " + ".join(terms) if len(terms) <= MOST_SAID else "of other digits"


def _holes(found: Mapping[int, Digit], ranks: Sequence[Digit]) -> list[tuple[int, int]]:
    """Return weight and radix of what is between digits of a rank, the highest first."""
    ends = [(weight, weight * found[weight].radix) for weight in sorted(found)]
    P = prod(digit.radix for digit in ranks)
    pairs = zip([1, *(end for _, end in ends)], [*(weight for weight, _ in ends), P], strict=True)
    return [(low, high // low) for low, high in pairs if high > low][::-1]


def _fits(weight: int, radix: int, holes: Iterable[tuple[int, int]]) -> bool:
    """Return whether there is a hole for a digit there, of which it leaves whole digits."""
    return any(
        weight % low == 0 and low * size % (weight * radix) == 0
        for low, size in holes
        if low <= weight < low * size
    )


def sent(ranks: Sequence[Digit], new: Sequence[Digit]) -> tuple[int, int]:
    """Return how much a rank sends at most where digits of the ranks are exchanged, in P-ths of its
    elements, and in how many messages: it keeps one if the digits that stay count what they did.

    >>> a, b, c = (Digit(axis, True, 1, 2) for axis in range(3))
    >>> sent([a, b], [c, b]), sent([a, b], [b, c])
    ((2, 1), (4, 2))
    """
    old = weighed(refined(ranks, new))
    stay = [digit for digit in refined(new, ranks) if digit in old]
    kept, P = (prod(digit.radix for digit in each) for each in (stay, ranks))
    messages = P // kept - in_place(ranks, new)
    return messages * kept, messages


def in_place(ranks: Sequence[Digit], new: Sequence[Digit]) -> bool:
    """Return whether the digits that both have count the same in both."""
    old, now = weighed(refined(ranks, new)), weighed(refined(new, ranks))
    return all(now.get(digit, weight) == weight for digit, weight in old.items())


def traded(
    ranks: Sequence[Digit], offsets: Sequence[Digit], new: Sequence[Digit], order: Sequence[Digit]
) -> Trade:
    """Return the trade after which `new` digits lie on the ranks, and the offset has this order;
    both lists of the ranks have whole digits in common, or none.
    """
    old, now = weighed(ranks), weighed(new)
    kept, leaving = ([d for d in ranks if (d in now) == stays] for stays in (True, False))
    entering = [digit for digit in new if digit not in old]
    rest = [d for d in refined(offsets, [*entering, *order]) if d not in entering]
    exchange = DigitExchange(
        prod(digit.radix for digit in ranks),
        tuple(Kept(old[digit], digit.radix, now[digit]) for digit in kept),
        tuple((old[digit], digit.radix) for digit in leaving),
        tuple((now[digit], digit.radix) for digit in entering),
    )
    pack, unpack = permutation(offsets, [*entering, *rest]), permutation([*leaving, *rest], order)
    return Trade(pack, exchange, unpack)


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
