"""What a program takes and gives: how many elements, their types and shapes, and where they are."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.formula.placement import Placement
from derive.sizes import OnRanks
from proofs.certify.ends.divided import Divided

SLICES, LAYOUTS = "slices", {"input": "INPUT_LAYOUT", "output": "OUTPUT_LAYOUT"}
"""A function of a layout and a rank, which main reads and writes by, and the layouts."""
OF_SIDES = ("INPUT_SHAPE", "OUTPUT_SHAPE", "INPUT_DTYPE", "OUTPUT_DTYPE")
"""Constants that main takes, which follow from others."""


class Sides(OnRanks):
    """The input and the output of a program on P ranks, where both have N elements of one type."""

    dtype: np.dtype[Any]

    @property
    def whole(self) -> tuple[int, ...]:
        """The shape of all elements."""
        return (self.N,)

    @property
    def chosen(self) -> dict[str, Any]:
        """What a request for such a program states beside sizes, ends and choices."""
        return {}

    def whole_of(self, side: str) -> tuple[int, ...]:
        """Return the shape of all elements of the input or the output."""
        return self.whole

    def count(self, side: str) -> int:
        """Return the number of elements of the input or the output."""
        return prod(self.whole_of(side))

    def dtype_of(self, side: str) -> np.dtype[Any]:
        """Return the type of the elements of the input or the output."""
        return self.dtype

    def layout(self, side: str) -> Placement | Divided:
        """Return the layout of the input or the output."""
        raise NotImplementedError

    def part(self, side: str, rank: int) -> tuple[int, ...]:
        """Return the shape of a rank's part of the input or the output."""
        return (self.M,)

    def indices(self, side: str) -> list[NDArray[np.int64]]:
        """Return for each rank the indices that live there, by their offsets."""
        return _indices_of(self, side)


@lru_cache(2)
def _indices_of(d: Sides, side: str) -> list[NDArray[np.int64]]:
    j = np.arange(d.count(side))
    rank, offset = d.layout(side).place(j)
    ends = np.cumsum(np.bincount(rank, minlength=d.P))
    held = np.empty_like(j)
    held[np.concatenate([[0], ends])[rank] + offset] = j
    held.flags.writeable = False
    return np.split(held, ends[:-1])
