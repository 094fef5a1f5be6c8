"""Exchanges of equal messages between ranks, by digits of their numbers: they have the members of
`codegen.program.protocol.Exchange`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from codegen.systems.exchanges import Way
from derive.digits.radices import DigitPermutation, weights
from derive.maps.map_expressions import Field, Number


@dataclass(frozen=True)
class Kept:
    """A digit of the rank that stays one, and counts something else afterwards, or the same."""

    weight: int
    radix: int
    after: int


@dataclass(frozen=True)
class DigitExchange:
    """Digits of P ranks change places with digits of the offset.

    stay: the digits that stay. leave, enter: (what it counts, radix) of the digits that leave the
    number of the rank, and of those that enter it, the first on top. Message b of a rank holds the
    elements in which the entering digits are b; what is received is in the order of the leaving
    ones.
    """

    P: int
    stay: tuple[Kept, ...]
    leave: tuple[tuple[int, int], ...]
    enter: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        """Make one digit of those that are side by side before and after."""
        stay = list[Kept]()
        for low in self.stay:
            ends, high = (low.weight * low.radix, low.after * low.radix), stay[-1:]
            if high and (high[0].weight, high[0].after) == ends:
                low = Kept(low.weight, low.radix * stay.pop().radix, low.after)
            stay.append(low)
        leave, enter = _joined(self.leave), _joined(self.enter)
        vars(self).update(stay=tuple(stay), leave=leave, enter=enter)

    @property
    def in_rounds(self) -> bool:
        return self.messages == 1

    @property
    def crosses(self) -> int | None:
        """The one bit of the rank across which messages go, if there is one."""
        if not (self.in_groups and self.messages == 2):
            return None
        ((weight, _),) = self.leave
        return weight.bit_length() - 1

    @property
    def messages(self) -> int:
        return prod(radix for _, radix in self.enter)

    @property
    def to(self) -> Number:
        stay = [Field(each.weight * self.messages, each.radix, each.after) for each in self.stay]
        return Number((*stay, *self._of_message(self.enter)))

    @property
    def come_from(self) -> Number:
        stay = [Field(each.after * self.messages, each.radix, each.weight) for each in self.stay]
        found, to = Number((*stay, *self._of_message(self.leave))), self.to
        return to if {*found.fields} == {*to.fields} else found  # one map, one expression

    def _of_message(self, digits: tuple[tuple[int, int], ...]) -> list[Field]:
        places = weights([radix for _, radix in digits])
        return [Field(at, r, value) for at, (value, r) in zip(places, digits, strict=True)]

    @property
    def position(self) -> Number:
        return self._of_rank(self.leave)

    @property
    def arrival(self) -> Number:
        return self._of_rank(self.enter)

    def _of_rank(self, digits: tuple[tuple[int, int], ...]) -> Number:
        places = zip(digits, weights([radix for _, radix in digits]), strict=True)
        fields = (Field(weight * self.messages, radix, at) for (weight, radix), at in places)
        return Number(tuple(fields))

    @property
    def colour(self) -> Number:
        return Number(tuple(Field(each.weight, each.radix, each.weight) for each in self.stay))

    @property
    def in_groups(self) -> bool:
        """Whether ranks that agree in the digits that stay send to each other, and to no others."""
        return all(digit.weight == digit.after for digit in self.stay)

    @property
    def is_whole(self) -> bool:
        return self.messages == self.P

    def by_groups(self, way: Way) -> bool:
        return self.in_groups and not way.one_by_one

    def by_counts(self, size: int) -> bool:
        return self.messages > 1 and self.P <= size

    def addresses(self, M: int) -> DigitPermutation:
        """Return the permutation of storage addresses that the exchange is, of M numbers a rank."""
        ranks = [(each.weight, each.radix, (0, -each.after)) for each in self.stay]
        ranks += [(weight, radix, (1, i)) for i, (weight, radix) in enumerate(self.leave)]
        digits = [(radix, goal) for _, radix, goal in sorted(ranks, reverse=True)]
        digits += [(radix, (0, -weight)) for weight, radix in self.enter]
        digits += [(M // self.messages, (2, 0))]
        order = sorted(range(len(digits)), key=lambda i: digits[i][1])
        return DigitPermutation(tuple(radix for radix, _ in digits), tuple(order))

    def sent(self, ranks: Any) -> Any:
        if self.in_groups:
            return np.full_like(ranks, self.messages - 1)
        stay = (Field(each.weight, each.radix, each.after) for each in self.stay)
        enter = (Field(weight, radix, weight) for weight, radix in self.enter)
        return self.messages - (Number((*stay, *enter))(ranks) == ranks)

    def targets(self, ranks: Any) -> Any:
        first, messages = ranks * self.messages, self.messages
        return self.to(first + (self.position(first) + np.arange(messages)) % messages)


def _joined(digits: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return digits (what it counts, radix), those that are side by side as one."""
    found = list[tuple[int, int]]()
    for weight, radix in digits:
        if found and found[-1][0] == weight * radix:
            radix *= found.pop()[1]
        found.append((weight, radix))
    return tuple(found)
