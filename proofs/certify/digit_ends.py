"""The layouts of a declaration by digits, also of those between which no supersteps are known: a
program written by hand needs none.
"""

from __future__ import annotations

from typing import Any

from codegen import shapes
from codegen.program.digits.lower import NoRoute
from codegen.program.resolve import resolve
from derive.digits.layouts import ArrayLayout

Ends = tuple[ArrayLayout, ArrayLayout]
Shape = tuple[int, ...]


def is_routed(d: Any) -> bool:
    """Return whether there are supersteps between the layouts of a declaration; raise ValueError
    where it contradicts itself otherwise.
    """
    if d.N < d.fewest * d.P:
        return False
    try:
        return not d.request.shape or resolve(d.request) is not None
    except NoRoute:
        return False


def ends(d: Any) -> Ends | None:
    """Return the layouts of input and output; None where digits are bits."""
    if not is_routed(d):
        return _without_route(d)
    return shapes.layouts(d.request) if d.request.shape else None


def parts(d: Any) -> tuple[Shape, Shape]:
    """Return the shape of a rank's part before the transform, and after it."""
    if is_routed(d):
        return shapes.parts(d.request)
    before, after = _without_route(d)
    return before.local_shape, after.local_shape


def _without_route(d: Any) -> Ends:
    batch, shape = getattr(d, "batch", 0), getattr(d, "shape", ()) or (d.N,)
    grid = getattr(d, "grid", ()) or (d.P,)
    whole, of_ranks = (batch,) * (batch > 0) + shape, (1,) * (batch > 0) + grid
    before, after = (ArrayLayout(name, whole, of_ranks, batch > 0) for name in (d.input, d.output))
    return before, after
