"""Layouts: where each index of a vector lives on the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from codegen.spec import Spec
from derive.arguments import texts
from derive.digits.layouts import PAIRS, WHOLE, ArrayLayout
from derive.formula.placement import Placement
from derive.papers.hartley_layouts import placement
from derive.sizes import axes

Sizes = int | str | Sequence[int]


def layout(name: str | Sequence[str], size: Sizes, ranks: Sizes) -> Placement:
    """Return the layout of `size` elements over `ranks` ranks with this name: block, cyclic,
    group-cyclic:R, f:K, bit-reversed, scrambled, bmmc:FILE, hartley, hartley-input, half-spectrum;
    of any size, and of an array over a grid of ranks, block, cyclic, cyclic-pairs, group-cyclic:R
    and whole, one name for all axes or one each. A plain number of ranks is the grid of the program
    of `fft` from this layout to itself.

    place(j) is (rank, offset) of index j, and index(rank, offset) the index there, for integers and
    arrays of them; table() is a text with a column per rank. Of an array j is the flat index.

    Raises ValueError for an unknown name, and for ranks that do not divide an axis.

    >>> layout("cyclic", 1024, 4).place(6), layout("cyclic", 1024, 4).index(2, 1)
    ((2, 1), 6)
    >>> layout("cyclic", 1000, 4).place(6), layout("cyclic,block", (4, 6), (2, 1)).place(13)
    ((2, 1), (0, 7))
    """
    name, shape, grid = texts(name, "layout"), axes(size, "size"), axes(ranks, "ranks")
    by_bits = all(number & (number - 1) == 0 for number in (*shape, *grid))
    if name in (PAIRS, WHOLE) or len(shape) > 1 or len(grid) > 1 or not by_bits:
        if len(shape) > 1 and len(grid) == 1:
            grid = Spec("fft", prod(shape), *grid, name, name, shape=shape).grid
        return ArrayLayout(name, shape, grid)
    return placement(name, *shape, *grid)
