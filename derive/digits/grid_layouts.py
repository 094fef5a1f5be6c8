"""What the layouts of an array on a grid of ranks have in common: the names of its axes, the sizes,
and where an element is, in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

from derive.formula.permutations import lg
from derive.formula.placement import Mapped


class Distributed(Protocol):
    """An axis that is distributed over ranks."""

    def words(self, j: str) -> tuple[str, str]:
        """Return the rank along this axis and the offset of an index, in words."""
        ...


@dataclass(frozen=True, repr=False)
class GridLayout(Mapped):
    """The layout of an array: `name` for all axes, or one name for each, between commas.

    shape: the axes, that of a batch first if `batched`. grid: the number of ranks along each axis.
    Raises ValueError where these have different numbers of axes.
    """

    name: str
    shape: tuple[int, ...]
    grid: tuple[int, ...]
    batched: bool = False

    def __post_init__(self) -> None:
        if len(self.shape) != len(self.grid):
            raise ValueError(f"shape {self.shape} and grid {self.grid} have as many axes")

    @property
    def names(self) -> tuple[str, ...]:
        """The layout of each axis but that of a batch."""
        given, count = tuple(self.name.split(",")), len(self.shape) - self.batched
        if len(given) == 1:
            given *= count
        if len(given) != count:
            raise ValueError(
                f"layout {self.name!r} must be one name for all {count} axes, or one name for each"
            )
        return given

    @property
    def axes(self) -> Sequence[Distributed]:
        """How each axis is distributed, that of a batch first."""
        raise NotImplementedError

    @property
    def N(self) -> int:  # the papers' letter
        """The number of elements."""
        return prod(self.shape)

    @property
    def P(self) -> int:  # the papers' letter
        """The number of ranks."""
        return prod(self.grid)

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank, the most of any."""
        return self.N // self.P

    @property
    def n(self) -> int:
        """lg N."""
        return lg(self.N)

    @property
    def p(self) -> int:
        """lg P."""
        return lg(self.P)

    @property
    def m(self) -> int:
        """lg M."""
        return lg(self.M)

    def words(self, x: str) -> str:
        """Return where an element of an array x is, in words.

        >>> from derive.digits.digit_layouts import ArrayLayout
        >>> from derive.digits.part_layouts import PartLayout
        >>> PartLayout("block,whole", (100, 10), (3, 1)).words("x")
        'x[j_0, j_1] lives on rank j_0 div 34, offset (j_0 mod 34, j_1)'
        >>> ArrayLayout("cyclic,block", (4, 6), (2, 2)).words("y")
        'y[j_0, j_1] lives on rank (j_0 mod 2, j_1 div 3) of the grid 2 x 2, offset (j_0 div 2, j_1 mod 3)'
        """  # noqa: E501
        count, batch = len(self.shape) - self.batched, ["b"] * self.batched
        names = batch + ([f"j_{axis}" for axis in range(count)] if count > 1 else ["j"])
        found = [each.words(name) for each, name in zip(self.axes, names, strict=True)]
        ranks, offsets = ([*part] for part in zip(*found, strict=True))
        cut = [rank for rank, p in zip(ranks, self.grid, strict=True) if p > 1]
        grid = " x ".join(map(str, self.grid[self.batched :]))
        several = f"({', '.join(ranks[self.batched :])}) of the grid {grid}"
        rank = several if cut[1:] else (cut or ["0"])[0]
        offset = f"({', '.join(offsets)})" if offsets[1:] else offsets[0]
        return f"{x}[{', '.join(names)}] lives on rank {rank}, offset {offset}"
