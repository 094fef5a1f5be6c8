"""Where the elements of an array of any shape are, on any grid of ranks: every axis is divided into
parts, of which the last ones may have fewer elements than the others, or none.

Ranks form a grid with as many axes as the array, and the last axis counts fastest, in ranks as in
offsets. A first axis of a batch is on one rank of the grid. Where the ranks of an axis divide its
elements, these are the layouts of ArrayLayout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from derive.call_arguments import counted, indices, perhaps
from derive.digits.grid_layouts import GridLayout
from derive.maps.layout_digits import WHOLE


class Division(NamedTuple):
    """How an axis of n elements is divided into p parts; for integers and arrays of integers.

    Attributes:
        first, count_of: functions of n, p and i for the first index of part i, and how many it has.
        part_of: a function of n, p and j for the part that has index j.
        words: a function of n, p and j for the part and the offset of an index, in words.
    """

    first: Callable[[int, int, Any], Any]
    count_of: Callable[[int, int, Any], Any]
    part_of: Callable[[int, int, Any], Any]
    words: Callable[[int, int, str], tuple[str, str]]


def _words_of_balanced(n: int, p: int, j: str) -> tuple[str, str]:
    size, more = divmod(n, p)
    if not more:
        return f"{j} div {size}", f"{j} mod {size}"
    if not size:
        return j, "0"
    part_of = f"max({j} div {size + 1}, ({j} - {more}) div {size})"
    return part_of, f"{j} - first index of its part"


BLOCK, BALANCED = "block", "balanced"
DIVISIONS: Mapping[str, Division] = {
    BLOCK: Division(
        lambda n, p, i: np.minimum(i * -(-n // p), n),
        lambda n, p, i: np.clip(n - i * -(-n // p), 0, -(-n // p)),
        lambda n, p, j: j // -(-n // p),
        lambda n, p, j: (f"{j} div {-(-n // p)}", f"{j} mod {-(-n // p)}"),
    ),
    BALANCED: Division(
        lambda n, p, i: i * (n // p) + np.minimum(i, n % p),
        lambda n, p, i: n // p + (i < n % p),
        lambda n, p, j: np.maximum(j // (n // p + 1), (j - n % p) // max(n // p, 1)),
        _words_of_balanced,
    ),
    WHOLE: Division(
        lambda n, p, i: i * 0,
        lambda n, p, i: n + i * 0,
        lambda n, p, j: j * 0,
        lambda n, p, j: ("0", j),
    ),
}
"""The divisions of an axis, by the name of the layout."""


@dataclass(frozen=True)
class DividedAxis:
    """An axis of n elements that is divided into p parts.

    >>> [*map(DividedAxis("block", 10, 4).part, range(4))][2:]
    [slice(6, 9, None), slice(9, 10, None)]
    >>> [*map(DividedAxis("balanced", 10, 4).part, range(4))][2:]
    [slice(6, 8, None), slice(8, 10, None)]
    >>> DividedAxis("block", 5, 4).counts.tolist(), DividedAxis("balanced", 5, 4).counts.tolist()
    ([2, 2, 1, 0], [2, 1, 1, 1])
    """

    name: str
    n: int
    p: int = 1

    @property
    def _division(self) -> Division:
        return DIVISIONS[self.name]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many elements each part has."""
        return np.asarray(self._division.count_of(self.n, self.p, np.arange(self.p)))

    def count(self, i: Any) -> Any:
        """Return how many elements part i has."""
        return self._division.count_of(self.n, self.p, i)

    def part(self, i: int) -> slice:
        """Return the indices of part i."""
        first = int(self._division.first(self.n, self.p, i))
        return slice(first, first + int(self.count(i)))

    def place(self, j: Any) -> tuple[Any, Any]:
        """Return the part of an index, and the offset in it."""
        i = self._division.part_of(self.n, self.p, j)
        return i, j - self._division.first(self.n, self.p, i)

    def index(self, i: Any, o: Any) -> Any:
        """Return the index at offset o of part i."""
        return self._division.first(self.n, self.p, i) + o

    def words(self, j: str) -> tuple[str, str]:
        """Return the part and the offset of an index, in words.

        >>> DividedAxis("balanced", 10, 4).words("j")
        ('max(j div 3, (j - 2) div 2)', 'j - first index of its part')
        """
        return DIVISIONS[self.name if self.p > 1 else WHOLE].words(self.n, self.p, j)


@dataclass(frozen=True, repr=False)
class PartLayout(GridLayout):
    """The layout of an array: `name` for all axes, or one name for each, between commas.

    `block`: parts of ceil(n/p) elements, the last ones less or nothing. `balanced`: the first n mod
    p parts have one element more than the others. `whole`: on no ranks.

    shape: the axes, that of a batch first if `batched`. grid: how many ranks are on each axis.
    order: the axes in the order in which they count in ranks, the last one fastest; their own order
    if it is empty.
    Raises ValueError for names that there are not, and for a grid of other axes.

    >>> layout = PartLayout("block,whole", (5, 2), (3, 1))
    >>> [layout.local_shape(rank) for rank in range(3)], layout.place(9), layout.index(2, 1)
    ([(2, 2), (2, 2), (1, 2)], (2, 1), 9)
    >>> layout.slices(1)
    (slice(2, 4, None), slice(0, 2, None))
    """

    order: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, n, p in zip(self.names, self.shape, self.grid, strict=True):
            if name not in DIVISIONS:
                rule = f"the layouts are {', '.join(DIVISIONS)}"
                raise ValueError(
                    f"unknown layout {name!r} of an axis of {counted(n, 'element')} on"
                    f" {counted(p, 'rank')}{perhaps(name, DIVISIONS)}: {rule}"
                )
            if name == WHOLE and p > 1:
                raise ValueError(
                    f"a whole axis must be on one rank; got {p} ranks for {counted(n, 'element')};"
                    f" give the axis the layout {BLOCK}, or 1 rank of the grid"
                )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The division of each axis, that of a batch first."""
        return (WHOLE,) * self.batched + super().names

    @cached_property
    def axes(self) -> tuple[DividedAxis, ...]:
        """How each axis is divided."""
        return tuple(map(DividedAxis, self.names, self.shape, self.grid))

    @property
    def M(self) -> int:  # the papers' letter
        """The most elements of a rank, which the first one has."""
        return prod(self.local_shape(0))

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The difference of two ranks that are neighbours along each axis of the grid.

        >>> PartLayout("block", (5, 2), (3, 2)).strides
        (2, 1)
        """
        found, stride = [0] * len(self.grid), 1
        for axis in reversed(self.order or range(len(self.grid))):
            found[axis] = stride
            stride *= self.grid[axis]
        return tuple(found)

    def coordinates(self, rank: Any) -> tuple[Any, ...]:
        """Return the place of a rank in the grid, or of an array of ranks.

        >>> PartLayout("block", (5, 2), (3, 2)).coordinates(5)
        (2, 1)
        """
        both = zip(self.grid, self.strides, strict=True)
        return tuple(rank // stride % p for p, stride in both)

    def slices(self, rank: int) -> tuple[slice, ...]:
        """Return the indices of a rank's part along each axis."""
        both = zip(self.axes, self.coordinates(rank), strict=True)
        return tuple(axis.part(i) for axis, i in both)

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """Return the shape of a rank's part."""
        both = zip(self.axes, self.coordinates(rank), strict=True)
        return tuple(int(axis.count(i)) for axis, i in both)

    def elements(self, s: int) -> int:
        """Return how many elements rank s has; raise ValueError for one out of range."""
        return prod(self.local_shape(indices(s, self.P, "rank")))

    def sizes(self, ranks: Any) -> Any:
        """Return how many elements each of these ranks has."""
        found = ranks * 0 + 1
        for axis, i in zip(self.axes, self.coordinates(ranks), strict=True):
            found = found * axis.count(i)
        return found

    def place(self, j: Any) -> tuple[Any, Any]:
        """Return the rank of a flat index, and the offset in that rank's part."""
        left = j = indices(j, self.N)
        rank, offset, size = j * 0, j * 0, self.N
        for axis, stride in zip(self.axes, self.strides, strict=True):
            size //= axis.n
            i, o = axis.place(left // size)
            rank, offset, left = rank + i * stride, offset * axis.count(i) + o, left % size
        return (rank, offset) if np.ndim(j) else (int(rank), int(offset))

    def index(self, s: Any, o: Any) -> Any:
        """Return the flat index at offset o on rank s; raise ValueError where that rank has no such
        offset.
        """
        s = indices(s, self.P, "rank")
        wrong = np.asarray(o)[(o < 0) | (o >= self.sizes(s))].ravel()
        if wrong.size:
            raise ValueError(
                f"offset {wrong[0]} is beyond the {self.sizes(s)} elements of rank {s}"
            )
        j, size = s * 0, 1
        for axis, i in reversed([*zip(self.axes, self.coordinates(s), strict=True)]):
            count = axis.count(i)
            j, o = j + axis.index(i, o % count) * size, o // count
            size *= axis.n
        return j if np.ndim(j) else int(j)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the part of each rank begins if all parts are stored one after the other."""
        return np.cumsum([0, *self.sizes(np.arange(self.P))])[:-1]

    def address(self, j: Any) -> Any:
        """Return where a flat index is if all parts are stored one after the other."""
        rank, offset = self.place(j)
        return self.starts[rank] + offset
