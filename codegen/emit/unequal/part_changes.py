"""Which steps of a program with unequal parts change the layout of its array, or its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codegen.program.ragged.chirp_steps import Pointwise
from codegen.program.ragged.cosine_steps import Sorted
from codegen.program.ragged.part_steps import COMPLEX, AlongAxis
from codegen.program.ragged.vector_steps import Twiddles


def changes(step: Any) -> bool:
    """Return whether numbers come to another layout, or become others."""
    same = isinstance(step, Twiddles | Pointwise | Sorted) or getattr(step, "kind", "") == COMPLEX
    return not same


def is_half(step: Any) -> bool:
    """Return whether a step is from real numbers to complex ones, or back."""
    return isinstance(step, AlongAxis) and step.kind != COMPLEX


def real_layouts(steps: Iterable[Any]) -> list[int]:
    """Return the numbers of the layouts of real numbers, [] where there are no others."""
    made = [step.makes_real for step in steps if changes(step)]
    known = [each for each in made if each is not None]
    states = [not known[0]] if known else []
    for each in made if known else ():
        states.append(states[-1] if each is None else each)
    return [i for i, is_real in enumerate(states) if is_real]
