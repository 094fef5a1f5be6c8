"""Pictures of layouts: which index lives where, of an array also which rank has each element."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from derive.call_arguments import counted
from derive.show.drawing import (
    COLORS,
    INK,
    Boxes,
    Drawing,
    Shape,
    Words,
    beside,
    color,
    heading,
    product,
    stacked,
    wide,
)
from derive.show.grids import MOST_INDICES, index_line, storage

if TYPE_CHECKING:
    from derive.formula.placement import Placement

MOST_ROWS, MOST_SLICES = 32, 4
"""Rows and columns of an array, and slices of it, that are drawn."""


def layout(placement: Placement) -> Drawing:
    """Return a layout as a picture: the indices in their order with the colors of their ranks, of
    an array the array itself, and what each rank holds.

    >>> from derive.formula.affine_layouts import block
    >>> layout(block(8, 2)).title
    'the layout block: N = 8 elements on P = 2 ranks'
    >>> from derive.digits.digit_layouts import ArrayLayout
    >>> layout(ArrayLayout("cyclic,block", (4, 6), (2, 1))).title
    'the layout cyclic,block: N = 4 x 6 = 24 elements on P = 2 x 1 = 2 ranks'
    """
    shape: tuple[int, ...] = getattr(placement, "shape", (placement.N,))
    grid: tuple[int, ...] = getattr(placement, "grid", (placement.P,))
    size, ranks = product(shape), product(grid)
    title = f"the layout {placement.name}: N = {size} elements on P = {counted(ranks, 'rank')}"

    def held(s: int, o: int) -> tuple[str, int]:
        return str(int(placement.index(s, o))) if o < placement.elements(s) else "", s

    parts = (
        heading(title),
        _array(placement, shape) if len(shape) > 1 else _line(placement),
        storage("indices by rank and offset", held, placement.P, placement.M),
    )
    return stacked(parts, title)


def _again(P: int) -> str:
    return f"; colors begin again after {COLORS} ranks" if P > COLORS else ""


def _line(placement: Placement) -> Drawing:
    """Return the indices of a vector in their order."""
    N = placement.N
    first = np.arange(min(N, MOST_INDICES))
    ranks, _ = placement.place(first)
    step = N // len(first) if np.ptp(ranks) == 0 else 1  # long runs are seen from afar
    ranks, _ = placement.place(step * first)
    title = f"indices in their order, colored by rank{_again(placement.P)}"
    return index_line(title, ranks.tolist(), N, step)


def _array(placement: Placement, shape: tuple[int, ...]) -> Drawing:
    """Return the elements of an array in rows and columns, of one with more axes slices of it."""
    *leading, rows, columns = shape
    count, high, across = prod(leading), min(rows, MOST_ROWS), min(columns, MOST_ROWS)
    at = np.add.outer(columns * np.arange(high), np.arange(across))
    slices = []
    for k in range(min(count, MOST_SLICES)):
        ranks, _ = placement.place((rows * columns * k + at).reshape(-1))
        where = ", ".join(map(str, np.unravel_index(k, leading))) if leading else ""
        slices.append(_slice(f"x[{where}, :, :]" if where else "", np.reshape(ranks, at.shape)))
    cut = [
        f"first {shown} of {whole} {what}"
        for shown, whole, what in (
            (len(slices), count, "slices"),
            (high, rows, "rows"),
            (across, columns, "columns"),
        )
        if shown < whole
    ]
    said = f"the array, each element with its rank{_again(placement.P)}"
    return stacked([heading(said, *[", ".join(cut)] * bool(cut), size=11), beside(slices)], gap=6)


def _slice(title: str, ranks: NDArray[np.int64]) -> Drawing:
    """Return a matrix of ranks as cells with their numbers, where they are large enough."""
    cell = 20.0 if max(ranks.shape) <= 16 else 9.0
    top, left = (20.0 if title else 4.0), 0.0
    shapes: list[Shape] = [Words(0, 8, title, 10, INK, "start")] if title else []
    for rank in np.unique(ranks).tolist():
        places = tuple(
            (left + cell * j, top + cell * i) for i, j in np.argwhere(ranks == rank).tolist()
        )
        shapes.append(Boxes(places, 0.94 * cell, 0.94 * cell, color(rank), 0.5))
        if cell > wide(str(rank), 9) + 4:
            middle = 0.47 * cell
            shapes += [Words(x + middle, y + middle, str(rank), 9) for x, y in places]
    high, across = ranks.shape
    return Drawing(title, max(cell * across, wide(title, 10)), top + cell * high, tuple(shapes))
