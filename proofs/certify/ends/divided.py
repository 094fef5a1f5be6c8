"""Layouts of arrays whose ranks may have unequal parts, by their definition: the parts of an axis
are listed, and a rank has the indices in one part of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
WHOLE = "whole"
OWNERS: dict[str, Callable[[Indices, int, int], Indices]] = {
    "block": lambda j, n, p: j // -(-n // p),
    "balanced": lambda j, n, p: np.repeat(np.arange(p), [n // p + (i < n % p) for i in range(p)]),
    "cyclic": lambda j, n, p: j % p,
    WHOLE: lambda j, n, p: 0 * j,
}
"""The part that has each index j of an axis of n elements in p parts."""


def parts_of_axis(name: str, n: int, p: int) -> list[Indices]:
    """Return the indices in each of p parts of an axis of n elements.

    >>> [part.tolist() for part in parts_of_axis("block", 5, 4)]
    [[0, 1], [2, 3], [4], []]
    >>> [part.tolist() for part in parts_of_axis("balanced", 5, 3)]
    [[0, 1], [2, 3], [4]]
    """
    if name not in OWNERS:
        known = ", ".join(OWNERS)
        raise ValueError(f"unknown layout {name!r} of an axis in unequal parts: use one of {known}")
    if name == WHOLE and p > 1:
        raise ValueError(f"a whole axis must be on one rank; got {p} ranks for {n} elements")
    j = np.arange(n)
    owner = OWNERS[name](j, n, p)
    ends = np.cumsum(np.bincount(owner, minlength=p))
    return np.split(j[np.argsort(owner, kind="stable")], ends[:-1])


@dataclass(frozen=True)
class Divided:
    """The layout of an array: the name of each axis, its elements, and how many ranks lie on it."""

    names: tuple[str, ...]
    shape: tuple[int, ...]
    grid: tuple[int, ...]

    @property
    def name(self) -> str:
        """The names of the axes."""
        return ",".join(self.names)

    @cached_property
    def axes(self) -> list[list[Indices]]:
        """The parts of each axis."""
        return [*map(parts_of_axis, self.names, self.shape, self.grid)]

    def held(self, rank: int) -> list[Indices]:
        """Return the indices of a rank's part along each axis."""
        coordinates = np.unravel_index(rank, self.grid)
        return [axis[int(i)] for axis, i in zip(self.axes, coordinates, strict=True)]

    def part(self, rank: int) -> tuple[int, ...]:
        """Return the shape of a rank's part.

        >>> [Divided(("block", "whole"), (5, 2), (4, 1)).part(rank) for rank in range(4)]
        [(2, 2), (2, 2), (1, 2), (0, 2)]
        """
        return tuple(map(len, self.held(rank)))

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        found = np.empty((2, prod(self.shape)), np.int64)
        for rank in range(prod(self.grid)):
            pairs = zip(self.held(rank), self.shape, strict=True)
            flat = reduce(_next_axis, pairs, np.zeros(1, np.int64))
            found[0, flat], found[1, flat] = rank, np.arange(len(flat))
        return found

    def place(self, j: Any) -> tuple[Any, Any]:
        """Return the rank of a flat index, and the offset there."""
        rank, offset = self._places[:, j]
        return rank, offset


def _next_axis(flat: Indices, axis: tuple[Indices, int]) -> Indices:
    """Return flat indices with one more axis, of these indices and that many elements."""
    held, n = axis
    return (flat[:, None] * n + held).reshape(-1)


@lru_cache(8)
def divided(names: tuple[str, ...], shape: tuple[int, ...], grid: tuple[int, ...]) -> Divided:
    """Return a layout, which keeps its tables."""
    return Divided(names, shape, grid)
