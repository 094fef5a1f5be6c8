"""Layouts: where each index of a vector lives on the ranks."""

from __future__ import annotations

from derive.formula.placement import Placement
from derive.papers.hartley_layouts import placement
from derive.sizes import number


def layout(name: str, size: int | str, ranks: int | str) -> Placement:
    """Return the layout of `size` elements over `ranks` ranks with this name: block, cyclic,
    group-cyclic:R, f:K, bit-reversed, scrambled, bmmc:FILE, hartley, hartley-input, half-spectrum.

    place(j) is (rank, offset) of index j, and index(rank, offset) the index there, for integers and
    arrays of them; table() is a text with a column per rank.

    Raises ValueError for an unknown name, and for sizes that are no powers of two.

    >>> layout("cyclic", 1024, 4).place(6), layout("cyclic", 1024, 4).index(2, 1)
    ((2, 1), 6)
    >>> layout("cyclic", 1000, 4)
    Traceback (most recent call last):
    ValueError: N = 1000 is not a power of two: a layout needs N and P to be
    """
    return placement(name, number(size), number(ranks, "ranks"))
