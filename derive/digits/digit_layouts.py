"""Where the elements of an array live: of each axis some digits say the rank, the rest the offset.

Ranks form a grid with as many axes as the array, and the last axis counts fastest, in ranks as in
offsets. A first axis of a batch lies on no ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt

import numpy as np

from derive.call_arguments import counted, perhaps
from derive.digits.grid_layouts import GridLayout
from derive.digits.radices import DigitPermutation
from derive.formula.affine_layouts import named
from derive.maps.layout_digits import (
    NUMBERS,
    OF_AXES,
    OF_VECTORS,
    PAIRS,
    WHOLE,
    Cut,
    cut,
    of_bits,
    spelled,
)

NAMES = spelled(OF_AXES)
MOST_REVERSED = 2**8
"""Up to so many ranks their bits are followed one by one where they are in reverse order."""


def cut_of_axis(name: str, n: int, p: int) -> Cut:
    """Return how a layout cuts an axis of n elements over p ranks, p a divisor of n.

    Raises ValueError for an unknown name, for groups that do not divide the ranks, for a whole axis
    on several, and for pairs of an odd number of elements.

    >>> cut_of_axis("cyclic", 12, 4).radices, cut_of_axis("cyclic-pairs", 12, 3).radices
    ((3, 4), (2, 3, 2))
    """
    stem, _, argument = name.partition(":")
    if stem not in OF_AXES or not (argument.isdecimal() if stem in NUMBERS else stem == name):
        near = perhaps(name, NAMES)
        raise ValueError(
            f"unknown layout {name!r} of an axis of {counted(n, 'element')}{near}: the layouts are"
            f" {', '.join(NAMES)}"
        )
    if name == WHOLE and p > 1:
        raise ValueError(
            f"a whole axis must be on one rank; got {p} ranks for {counted(n, 'element')}; give the"
            " axis the layout block, or 1 rank of the grid"
        )
    if name == PAIRS and n // p % 2:
        raise ValueError(
            f"{name} needs an even number of elements on each rank; got {n // p} on"
            f" {counted(p, 'rank')}; try {sizes_near(n // 2, p, 2, False)}"
        )
    groups = int(argument or 0)
    if stem in NUMBERS and (groups < 1 or p % groups):
        raise ValueError(f"{name}: the number of groups must divide the number of ranks, {p}")
    return cut(stem, n, p, groups)


@dataclass(frozen=True, repr=False)
class ArrayLayout(GridLayout):
    """The layout of an array: `name` for all axes, or one name for each, between commas.

    shape: the axes, that of a batch first if `batched`, that of pairs of elements which are
    transformed already last if `paired`. grid: how many ranks lie on each axis.
    Raises ValueError where a number of ranks does not divide its axis.

    >>> layout = ArrayLayout("cyclic,block", (4, 6), (2, 1))
    >>> layout.place(13), layout.index(0, 7), layout.local_shape
    ((0, 7), 13, (2, 6))
    >>> ArrayLayout("block", (4, 6), (3, 1))
    Traceback (most recent call last):
    ValueError: 3 ranks must divide the 4 elements of axis 0; try 1 or 2 ranks, or 9 elements
    """

    paired: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for axis, (n, p) in enumerate(zip(self.shape, self.grid, strict=True)):
            if p < 1 or n % p:
                several = len(self.shape) - self.batched > 1
                which = (
                    f"the {n} elements of axis {axis - self.batched}"
                    if several
                    else f"{n} elements"
                )
                raise ValueError(f"{p} ranks must divide {which}; {working_sizes(n, p)}")
        vars(self).update(name=",".join(dict.fromkeys(self.names)) if self._alike else self.name)
        self.cuts  # noqa: B018  which raises for names that there are not

    @property
    def still(self) -> tuple[int, ...]:
        """The axes that are not transformed."""
        return (0,) * self.batched + (len(self.shape) - 1,) * self.paired

    def said(self, axis: int) -> str:
        """Return an axis and its ranks in words."""
        which = f"axis {axis - self.batched} of " * (len(self.shape) - self.batched > 1)
        return (
            f"{which}{counted(self.shape[axis], 'element')} on {counted(self.grid[axis], 'rank')}"
        )

    @property
    def _alike(self) -> bool:
        return len(set(self.names)) == 1

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """How each axis is cut."""
        names = ("block",) * self.batched + self.names
        return tuple(map(cut_of_axis, names, self.shape, self.grid))

    @property
    def axes(self) -> tuple[Cut, ...]:
        """How each axis is cut."""
        return self.cuts

    @property
    def in_order(self) -> ArrayLayout:
        """The layout with the same indices on the ranks, in which their digits are in order."""
        return self

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of a rank's part."""
        return tuple(n // p for n, p in zip(self.shape, self.grid, strict=True))

    @cached_property
    def address(self) -> DigitPermutation:
        """The permutation from an index, last axis fastest, to its storage address s M + o."""
        radices = tuple(radix for each in self.cuts for radix in each.radices)
        starts = np.cumsum([0, *(len(each.radices) for each in self.cuts)])
        pairs = list(zip(starts.tolist(), self.cuts, strict=False))
        ranks = [start + i for start, each in pairs for i in each.ranks]
        offsets = [start + i for start, each in pairs for i in each.offsets]
        return DigitPermutation(radices, (*ranks, *offsets))

    @cached_property
    def back(self) -> DigitPermutation:
        """The permutation from a storage address to the index that lives there."""
        return self.address.inverse()


@dataclass(frozen=True, repr=False)
class VectorLayout(ArrayLayout):
    """The layout of a vector of 2^n elements on 2^p ranks, which has more names than an axis, as
    bmmc:FILE where the matrix permutes bits. Raises ValueError for an unknown name.

    >>> VectorLayout("f:1", (32,), (4,)).place(10), VectorLayout("scrambled", (16,), (4,)).place(9)
    ((1, 2), (0, 3))
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The layout of the one axis; the name of a file may have commas."""
        return (self.name,)

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        placed = named(self.name, self.N, self.P)
        stem, _, argument = self.name.partition(":")
        if stem in OF_VECTORS:
            return (cut(stem, self.N, self.P, int(argument or 0)),)
        if self.P > MOST_REVERSED:
            raise ValueError(f"layout {self.name} is none of whole digits, or of too many")
        return (of_bits(placed.address, self.p),)

    @classmethod
    def near(cls, name: str, N: int, P: int) -> VectorLayout:
        """Return the layout of this name, or cyclic if it is none of whole digits."""
        try:
            return cls(name, (N,), (P,))
        except ValueError:
            return cls("cyclic", (N,), (P,))

    @property
    def in_order(self) -> ArrayLayout:
        """The layout with the same indices on the ranks up to their order, where that has fewer
        digits than a search is for.
        """
        many = self.name == "bit-reversed" and self.P > MOST_REVERSED
        return replace(self, name="cyclic") if many else self


def either(numbers: Sequence[int]) -> str:
    """Return numbers, at least one, of which one can be chosen.

    >>> either([1, 2, 5]), either([7])
    ('1, 2 or 5', '7')
    """
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


def working_sizes(n: int, p: int, each: int = 1, twos: bool = True) -> str:
    """Return numbers of ranks that work for an axis of n elements with any layouts, and numbers of
    elements near n that work for p ranks: squares of the ranks divide the elements. What is
    distributed may be groups of `each` elements. If `twos` is false, powers of two do not work.

    >>> working_sizes(1000, 4)
    'try 1, 2, 5 or 10 ranks, or 992 or 1008 elements'
    """
    ranks = [d for d in range(1, min(isqrt(n), MOST_TRIED) + 1) if n % (d * d) == 0][-8:]
    plural = "s" * (ranks[1:] != [])
    return f"try {either(ranks)} rank{plural}, or {sizes_near(n, p, each, twos)}"


def sizes_near(n: int, p: int, each: int = 1, twos: bool = True) -> str:
    """Return the multiples of the square of p ranks that are next to n, powers of two left out
    where `twos` is false.

    >>> sizes_near(1000, 4), sizes_near(1000, 4, twos=False), sizes_near(60, 8, twos=False)
    ('992 or 1008 elements', '992 or 1008 elements', '192 elements')
    """
    square = max(p, 1) ** 2
    first = n - n % square
    sides = range(first, 0, -square), range(first + square, 4 * (first + square), square)
    sizes = [next((k for k in side if twos or k & k - 1), 0) for side in sides]
    return f"{either([k * each for k in sizes if k])} elements"


MOST_TRIED = 10**5
"""The most ranks that are tried for a message."""
