"""Transforms of a rank's elements in tiles that fit a cache: each is gathered, transformed and put
where it goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from codegen.program.digits.digit_supersteps import Transform, Turn
from codegen.program.protocol import Step, Unit, Words, Works, written
from derive.digits.radices import DigitPermutation, common, groups
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula


@dataclass(frozen=True)
class Tiled(Step):
    """`after` times the transforms, the last first, times `before`, one tile after the other.

    Between the permutations an offset has the digits `radices`; those in `loops` choose the tile.
    Where it `puts`, the last transform stores its rows where they go.
    """

    before: DigitPermutation
    transforms: tuple[Transform, ...]
    after: DigitPermutation
    radices: tuple[int, ...]
    loops: tuple[int, ...]
    puts: bool = False

    @property
    def size(self) -> int:
        return prod(r for i, r in enumerate(self.radices) if i not in self.loops)

    @property
    def factors(self) -> tuple[Formula, ...]:
        return sum((each.factors for each in reversed(self.transforms)), ())

    @property
    def transforms_of_ranks(self) -> tuple[Transform, ...]:
        return self.of_tile

    @property
    def of_tile(self) -> tuple[Transform, ...]:
        """The transforms of the elements of one tile: of as many columns as it has, or copies."""
        found = [replace(each, c=min(each.c, self.radices[-1])) for each in self.transforms]
        found = [replace(each, copies=self.size // (each.d * each.c)) for each in found]
        return (*found[:-1], replace(found[-1], put=self.target.rows if self.puts else ()))

    @property
    def unit(self) -> Unit:
        return self.transforms[0].unit

    def flops(self, rank: int = 0) -> int:
        return sum(each.flops() for each in self.transforms)

    @property
    def row_sum(self) -> int:
        return prod(each.row_sum for each in self.transforms)

    @property
    def in_words(self) -> Words:
        return (Works(written(tuple(each.factor for each in self.transforms))),)

    @cached_property
    def source(self) -> View:
        return View.of(self.radices, self.loops, self.before.inverse())

    @cached_property
    def target(self) -> View:
        return View.of(self.radices, self.loops, self.after)

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        P = len(x) // self.before.size
        x = Turn(self.before, P).interpret(x)
        for each in self.transforms:
            x = each.interpret(x, ring)
        return Turn(self.after, P).interpret(x)


@dataclass(frozen=True)
class View:
    """Tiles of an array: reshape, transpose, so many of these axes before those of a tile."""

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    count: tuple[int, ...]

    @classmethod
    def of(cls, radices: tuple[int, ...], loops: tuple[int, ...], stored: DigitPermutation) -> View:
        """Return the tiles of digits of which these choose one, after a permutation.

        Raises ValueError where digits of both are none of the other's.

        >>> View.of((4, 3, 5), (1,), DigitPermutation((2, 30), (1, 0)))
        View(shape=(2, 3, 5, 2), axes=(1, 3, 0, 2), count=(3,))
        """
        finer = common(radices, stored.radices)
        split = stored.split(finer)
        parts, at = list[range](), 0
        for group in groups(radices, finer):
            parts.append(range(at, at := at + len(group)))
        first = [digit for loop in loops for digit in parts[loop]]
        rest = [digit for digit in range(len(finer)) if digit not in first]
        place = np.argsort(split.order).tolist()
        axes = tuple(place[digit] for digit in (*first, *rest))
        return cls(split.inverse().radices, axes, tuple(finer[digit] for digit in first))

    @property
    def tile(self) -> tuple[int, ...]:
        return tuple(self.shape[axis] for axis in self.axes[len(self.count) :])

    @property
    def steps(self) -> tuple[int, ...]:
        """How far each axis takes an element, those that choose the tile first."""
        return tuple(prod(self.shape[axis + 1 :]) for axis in self.axes)

    @property
    def rows(self) -> tuple[tuple[int, int], ...]:
        """The digits of the rows of a tile, the least significant first, and how far each takes
        one.
        """
        several = zip(self.tile, self.steps[len(self.count) :], strict=True)
        return tuple([*several][-2::-1])

    @property
    def is_whole(self) -> bool:
        """Whether the elements of a tile lie one after the other."""
        return self.axes == tuple(range(len(self.axes)))


def lie_evenly(radices: Sequence[int], digits: Sequence[tuple[int, int]]) -> bool:
    """Return whether the rows that butterflies of the last radix make lie at one distance, if the
    digits of a row take it so far.

    >>> lie_evenly((8, 4), ((2, 64), (16, 8))), lie_evenly((8, 4), ((16, 64), (2, 8)))
    (True, False)
    """
    try:
        *_, last = parts_of_rows(radices, digits)
    except ValueError:  # digits of both are none of the other's
        return False
    return len(last) == 1


def parts_of_rows(
    radices: Sequence[int], far: Sequence[tuple[int, int]]
) -> list[list[tuple[str, int]]]:
    """Return the parts of each digit, the least significant first: what takes it from the digit,
    in words with `{}` for its name, and how far it takes a row.

    >>> parts_of_rows((8, 4), ((2, 64), (16, 8)))
    [[('({} % 2)', 64), ('({} // 2)', 8)], [('{}', 32)]]
    """
    given = [radix for radix, _ in far][::-1]
    finer = common(radices[::-1], given)
    steps = [
        step * prod(group[i + 1 :])
        for group, (_, step) in zip(groups(given, finer), far[::-1], strict=True)
        for i in range(len(group))
    ]
    found = list[list[tuple[str, int]]]()
    for group in groups(radices[::-1], finer)[::-1]:
        own, low = list[tuple[str, int]](), 1
        for radix in group[::-1]:
            text = "{}" + f" // {low}" * (low > 1) + f" % {radix}" * (low * radix < prod(group))
            own.append((f"({text})" if group[1:] else text, steps.pop()))
            low *= radix
        found.append(own)
    return found
