"""The layouts of a declaration by digits, also of those between which no supersteps are known: a
program written by hand needs none.
"""

from __future__ import annotations

from math import prod
from typing import Any

from codegen import shapes
from codegen.program.digits.lower import NoRoute
from codegen.program.resolve import resolve
from derive.digits.digit_layouts import ArrayLayout
from proofs.certify.ends.divided import WHOLE, Divided, divided

Layout = ArrayLayout | Divided
Ends = tuple[Layout, Layout]
Shape = tuple[int, ...]
SIDES = ("input", "output")


def is_routed(d: Any) -> bool:
    """Return whether there are supersteps between the layouts of a declaration; raise ValueError
    where it contradicts itself otherwise.
    """
    if is_divided(d):
        try:
            return resolve(d.request).request.unequal
        except ValueError:
            return False
    if d.N < d.fewest * d.P:
        return False
    try:
        return not d.request.shape or resolve(d.request) is not None
    except NoRoute:
        return False


def ends(d: Any) -> Ends | None:
    """Return the layouts of input and output; None where digits are bits."""
    if is_divided(d) or not is_routed(d):
        return _without_route(d)
    return shapes.layouts(d.request) if d.request.shape else None


def part(d: Any, side: str, rank: int) -> Shape:
    """Return the shape of a rank's part of the input or the output."""
    at = SIDES.index(side)
    if not is_divided(d) and is_routed(d):
        return shapes.parts(d.request)[at]
    layout = _without_route(d)[at]
    return layout.part(rank) if isinstance(layout, Divided) else layout.local_shape


def is_divided(d: Any) -> bool:
    """Return whether a declaration is of arrays of which ranks may have unequal parts, or not all
    axes are transformed, or the result has other axes than the input.
    """
    if not getattr(d, "shape", ()):
        return bool(d.N % d.P) or "balanced" in (d.input, d.output)
    wholes, grids = [d.whole_of(side) for side in SIDES], _grids(d)
    pairs = [pair for both in zip(wholes, grids, strict=True) for pair in zip(*both, strict=True)]
    names = {name for side in SIDES for name in getattr(d, side).split(",")}
    odd = any(n % p for n, p in pairs) or "balanced" in names
    return odd or wholes[0] != wholes[1] or bool(getattr(d, "axes", ()))


def names_of(d: Any, side: str) -> tuple[str, ...]:
    """Return the layout of each axis, that of a batch first."""
    batched, given = getattr(d, "batch", 0) > 0, tuple(getattr(d, side).split(","))
    count = len(d.whole) - batched
    given = given * count if len(given) == 1 else given
    if len(given) != count:
        raise ValueError(
            f"layout {getattr(d, side)!r} must be one name for all {count} axes, or one for each"
        )
    return (WHOLE,) * batched + given


def _grids(d: Any) -> tuple[Shape, Shape]:
    """Return how many ranks lie on each axis of the input, and of the output: axes that are not
    whole have the numbers of those of the input, in their order.
    """
    batched, shape = getattr(d, "batch", 0) > 0, getattr(d, "shape", ()) or (d.N,)
    grid = getattr(d, "grid", ()) or (d.P,)
    if prod(d.whole) != d.N or min(d.whole) < 1:
        raise ValueError(
            f"N = {d.N}: axes {shape} and batch {getattr(d, 'batch', 0)} have other elements"
        )
    if len(grid) != len(shape) or prod(grid) != d.P or min(grid) < 1:
        raise ValueError(
            f"GRID = {grid}: it must have as many axes as SHAPE = {shape} and {d.P} ranks"
        )
    grid = (1,) * batched + grid
    before, after = ([name != WHOLE for name in names_of(d, side)] for side in SIDES)
    if before == after:
        return grid, grid
    numbers = iter([p for p, on_ranks in zip(grid, before, strict=True) if on_ranks])
    other = tuple(next(numbers, 1) if on_ranks else 1 for on_ranks in after)
    if prod(other) != d.P:
        raise ValueError(
            f"INPUT, OUTPUT = {d.input!r}, {d.output!r}: both must be on the {d.P} ranks of GRID ="
            f" {d.grid}"
        )
    return grid, other


def _without_route(d: Any) -> Ends:
    several = [
        (getattr(d, side), names_of(d, side), d.whole_of(side), grid)
        for side, grid in zip(SIDES, _grids(d), strict=True)
    ]
    if is_divided(d):
        before, after = (divided(names, whole, grid) for _, names, whole, grid in several)
        return before, after
    batched = getattr(d, "batch", 0) > 0
    one, two = (ArrayLayout(name, whole, grid, batched) for name, _, whole, grid in several)
    return one, two
