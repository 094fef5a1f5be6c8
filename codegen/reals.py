"""Real elements as complex numbers: how many of them a program has, and where they lie."""

from __future__ import annotations

from codegen import shapes
from codegen.program.reals import reflect
from codegen.program.reals.halves import Halves
from codegen.program.reals.untangle import of_pairs
from codegen.spec import Spec
from derive.digits.layouts import ArrayLayout


def way_of(spec: Spec) -> reflect.Way | None:
    """Return how Hartley transforms of arrays are done, None for others.

    >>> way = way_of(Spec("fht", **shapes.stated(50, 5)))
    >>> way.halves, way.is_real
    (Halves(M=10, P=5, arrays=1, back=False), False)
    """
    by_digits = spec.system == "fht" and spec.in_pairs
    return reflect.best(*shapes.layouts(spec)) if by_digits else None


def by_halves(spec: Spec) -> Halves | None:
    """Return the superstep between vectors and their pairs, None where there is none."""
    way = way_of(spec)
    return way.halves if way else None


def of_neighbours(spec: Spec) -> bool:
    """Return whether two neighbours fill one complex number, all those of a rank."""
    way = way_of(spec)
    return way.numbers < spec.M if way else spec.system == "rfft"


def numbers(spec: Spec) -> int:
    """Return how many numbers of a rank a transform is of: its elements, or pairs of them."""
    return spec.M // 2 if of_neighbours(spec) else spec.M


def has_room(spec: Spec) -> bool:
    """Return whether complex numbers need room of their own: a rank's elements do not fill it."""
    return spec.in_pairs and 2 * numbers(spec) > spec.M


def number_layouts(spec: Spec) -> tuple[ArrayLayout, ArrayLayout]:
    """Return the layouts of the numbers that a program transforms."""
    if way := way_of(spec):
        return way.before, way.after
    before, after = shapes.layouts(spec)
    return (of_pairs(before), of_pairs(after)) if spec.system == "rfft" else (before, after)
