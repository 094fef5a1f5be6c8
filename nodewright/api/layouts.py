"""Layouts: where each index of a vector lives on the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.call_arguments import needs_arguments, texts
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.part_layouts import BALANCED, DIVISIONS, PartLayout
from derive.formula.placement import Placement
from derive.maps.layout_digits import PAIRS, WHOLE
from derive.papers.hartley_layouts import placement
from derive.sizes import axes

Sizes = int | str | Sequence[int]


@needs_arguments
def layout(name: str | Sequence[str], size: Sizes, ranks: Sizes) -> Placement:
    """Return a layout: the map between global indices and (rank, offset).

    Args:
        name: for powers of two block, cyclic, group-cyclic:R, f:K, bit-reversed, scrambled,
            bmmc:FILE, hartley, hartley-input or half-spectrum; for other sizes and for arrays
            block, balanced, cyclic, cyclic-pairs, group-cyclic:R or whole: one name for all axes,
            or one per axis, as a sequence or separated by commas.
        size: the number of elements, or the shape of an array.
        ranks: the number of ranks, or a grid with the axes of the array. For an array, a plain
            number is the grid that `nw.fft` chooses.

    Returns:
        The layout. `place(j)` is the (rank, offset) of index j, `index(rank, offset)` the inverse;
        both accept integers and integer arrays. j is the flat index of an array. `table()` is a
        string with a column per rank.

    Raises:
        ValueError: the name is unknown, or the ranks do not divide an axis that is not block,
            balanced or whole.

    References:
        Inda & Bisseling (2000), section 2, for block, cyclic and group-cyclic; Cormen (1997),
        section 6, for f:K; Aykanat & Dervis for scrambled; Lin, Chan & Karplus (1988) for hartley.

    Examples:
        >>> layout("cyclic", 1024, 4).place(6), layout("cyclic", 1024, 4).index(2, 1)
        ((2, 1), 6)
        >>> layout("block", 10, 4).place(9), layout("balanced", 10, 4).place(9)
        ((3, 0), (3, 1))
        >>> layout("cyclic", 1000, 4).place(6), layout("cyclic,block", (4, 6), (2, 1)).place(13)
        ((2, 1), (0, 7))
    """
    name, shape, grid = texts(name, "layout"), axes(size, "size"), axes(ranks, "ranks")
    by_bits = all(number & (number - 1) == 0 for number in (*shape, *grid))
    if name in (PAIRS, WHOLE, BALANCED) or len(shape) > 1 or len(grid) > 1 or not by_bits:
        return _of_axes(name, shape, grid)
    return placement(name, *shape, *grid)


def _of_axes(name: str, shape: tuple[int, ...], grid: tuple[int, ...]) -> Placement:
    """Return the layout of an array, in unequal parts where the ranks do not divide its axes."""
    if len(shape) > 1 and len(grid) == 1:
        grid = resolve(
            make_request("fft", prod(shape), *grid, name, name, shape=shape)
        ).request.grid
    fits = len(shape) != len(grid) or not any(n % p for n, p in zip(shape, grid, strict=True))
    if {*name.split(",")} <= {*DIVISIONS} and (BALANCED in name or not fits):
        return PartLayout(name, shape, grid)
    return ArrayLayout(name, shape, grid)
