"""Real elements as complex numbers: how many of them a program has, and where they lie."""

from __future__ import annotations

from typing import Any

from codegen import shapes
from codegen.program.digits.steps import Trade, Turn
from codegen.program.reals import rows
from codegen.program.reals.halves import Halves, between
from codegen.program.reals.rows import Rows
from codegen.program.reals.untangle import of_pairs
from codegen.spec import Spec
from derive.digits.layouts import ArrayLayout


def in_rows(spec: Spec) -> bool:
    """Return whether an array is transformed along its last axis by rows of real elements.

    >>> in_rows(Spec("fht", **shapes.stated("12x8", 2))), in_rows(Spec("fft", 16, 2))
    (True, False)
    """
    of_array = spec.system == "fht" and len(spec.shape) > 1
    return of_array and rows.in_rows(*shapes.layouts(spec))


def by_halves(spec: Spec) -> Halves | None:
    """Return the superstep between a vector and its pairs, None where there is none.

    >>> by_halves(Spec("fht", **shapes.stated(50, 5)))
    Halves(M=10, P=5, back=False)
    """
    if spec.system != "fht" or not spec.in_pairs or spec.batch or len(spec.shape) > 1:
        return None
    return next((step for step in shapes.of_digits(spec) if isinstance(step, Halves)), None)


def of_neighbours(spec: Spec) -> bool:
    """Return whether two neighbours are one complex number, all those of a rank."""
    return spec.system == "rfft" or in_rows(spec) or by_halves(spec) is not None


def reals_of(step: Trade | Turn, spec: Spec) -> int:
    """Return how many real elements make a number that a superstep moves: 2 a complex one."""
    size = step.pack.size if isinstance(step, Trade) else step.order.size
    return 1 + (spec.in_pairs and size == numbers(spec))


def on_reals(step: Any, spec: Spec) -> bool:
    """Return whether a superstep is on real elements, where others are on pairs of them."""
    moves = isinstance(step, Trade | Turn) and spec.in_pairs
    return isinstance(step, Rows | Halves) or (moves and reals_of(step, spec) == 1)


def numbers(spec: Spec) -> int:
    """Return how many numbers of a rank a transform is of: its elements, or pairs of them; those of
    an odd array are real.
    """
    arrays = spec.batch or 1 + of_neighbours(spec)
    return spec.M * -(-arrays // 2) // arrays if spec.in_pairs else spec.M


def has_room(spec: Spec) -> bool:
    """Return whether complex numbers need room of their own: a rank's elements do not fill it."""
    return spec.in_pairs and 2 * numbers(spec) > spec.M


def complex_layouts(spec: Spec) -> tuple[ArrayLayout, ArrayLayout]:
    """Return the layouts of the numbers that a program transforms."""
    before, after = shapes.layouts(spec)
    if step := by_halves(spec):
        return between(before, after, step.back)
    if spec.system == "fht":
        return rows.of_complex(before, after)
    return (of_pairs(before), of_pairs(after)) if spec.system == "rfft" else (before, after)
