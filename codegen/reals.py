"""Real elements as complex numbers: how many of them a program has, and where they lie."""

from __future__ import annotations

from codegen import shapes
from codegen.program.reals import rows
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


def numbers(spec: Spec) -> int:
    """Return how many numbers of a rank a transform is of: its elements, or pairs of them; those of
    an odd array are real.
    """
    arrays = spec.batch or 1 + (spec.system == "rfft" or in_rows(spec))
    return spec.M * -(-arrays // 2) // arrays if spec.in_pairs else spec.M


def has_room(spec: Spec) -> bool:
    """Return whether complex numbers need room of their own: a rank's elements do not fill it."""
    return spec.in_pairs and 2 * numbers(spec) > spec.M


def complex_layouts(spec: Spec) -> tuple[ArrayLayout, ArrayLayout]:
    """Return the layouts of the numbers that a program transforms."""
    before, after = shapes.layouts(spec)
    if spec.system == "fht":
        return rows.of_complex(before, after)
    return (of_pairs(before), of_pairs(after)) if spec.system == "rfft" else (before, after)
