"""The messages of a program as heat maps: for each superstep the elements from rank to rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from codegen.cost.flow import Sends, by_step, volumes
from codegen.program.supersteps import Program
from derive.call_arguments import counted
from derive.show.drawing import BLUE, GAPS, INK, RED, Boxes, Drawing, Shape, Words, beside, stacked
from derive.show.grids import framed

MOST_CELLS = 64
"""Rows and columns of a heat map; of more ranks a cell is a square of several."""
SHADES = 5
"""Shades from the smallest to the largest message."""
PER_LINE = 3
"""Heat maps side by side."""
HOW = "row: the rank that sends; column: the rank that receives; darker: more elements"

Sizes = NDArray[np.int64]


def heat_maps(program: Program, now: Sequence[int] = ()) -> Drawing:
    """Return a heat map for each superstep in which ranks exchange; the titles of those that are
    `now` are red. Numbers are those of the parts of `flow`.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> heat_maps(resolve(make_request("fft", 1024, 32, "cyclic", "cyclic"))).title
    'superstep 2: elements from rank to rank'
    """
    maps = [heat_map(f"superstep {i}", sizes, i - 1 in now) for i, sizes in _matrices(program)]
    if not maps:
        return Drawing("", 1, 1, ())
    lines = [maps[start : start + PER_LINE] for start in range(0, len(maps), PER_LINE)]
    return stacked([beside(line) for line in lines])


def _matrices(program: Program) -> Iterator[tuple[int, Sizes]]:
    """Yield the number of each part that sends, from 1, with the elements from rank to rank."""
    i = 0
    for step, parts in zip(program.steps, by_step(program), strict=True):
        for part in parts:
            i += 1
            if isinstance(part, Sends):
                yield i, volumes(step, program)


def heat_map(name: str, sizes: Sizes, marked: bool = False) -> Drawing:
    """Return the elements from rank to rank as cells, a row for each rank that sends.

    >>> heat_map("one", np.array([[0, 2], [2, 0]])).title
    'one: elements from rank to rank'
    """
    P = len(sizes)
    each = -(-P // MOST_CELLS)
    cells = summed(sizes, each)
    cell, left, top = max(3.5, 230 / len(cells)), 40.0, 48.0
    inner = 0.94 * cell if cell >= GAPS else cell
    side, most = cell * len(cells), int(cells.max())
    least = int(cells[cells > 0].min()) if most else 0
    title = f"{name}: elements from rank to rank"
    said = f"{'a cell' if each == 1 else f'a cell of {each} x {each} ranks'}: "
    said += counted(least, "element") if least == most else f"{least} to {most} elements"
    shapes = list[Shape]()
    shade = np.ceil(SHADES * (cells - least + 1) / (most - least + 1)).astype(int)
    for k in range(1, SHADES + 1):
        rows, columns = np.nonzero((shade == k) & (cells > 0))
        places = zip((left + cell * columns).tolist(), (top + cell * rows).tolist(), strict=True)
        if len(rows):
            shapes.append(Boxes(tuple(places), inner, inner, BLUE, k / SHADES))
    for k in range(0, len(cells), max(1, len(cells) // 8)):
        at = cell * (k + 0.5)
        shapes.append(Words(left - 6, top + at, f"P{k * each}", 8, anchor="end"))
        shapes.append(Words(left + at, top - 8, f"P{k * each}", 8))
    return framed(title, said, (left, top), (side, side), shapes, RED if marked else INK)


def summed(sizes: Sizes, each: int) -> Sizes:
    """Return the sums over squares of `each` x `each` ranks.

    >>> summed(np.arange(9).reshape(3, 3), 2).tolist()
    [[8, 7], [13, 8]]
    """
    more = -len(sizes) % each
    padded = np.pad(sizes, (0, more))
    n = len(padded) // each
    return np.asarray(padded.reshape(n, each, n, each).sum(axis=(1, 3)))
