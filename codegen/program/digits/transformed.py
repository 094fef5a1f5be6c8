"""What the transforms of a program by digits are of."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.program.protocol import REAL, Unit
from derive.digits.digit_layouts import ArrayLayout
from derive.formula.grammar import Formula


@dataclass(frozen=True)
class Numbers:
    """The numbers that are transformed, all of one kind, and their layouts before it and after."""

    unit: Unit
    before: ArrayLayout
    after: ArrayLayout
    first: tuple[Formula, ...] = ()
    last: tuple[Formula, ...] = ()
    """The factors before all steps and after them, for which nothing moves as elements lie so."""

    @property
    def of_rank(self) -> int:
        """How many a rank has; real ones count in twos, as two fill a complex number."""
        return self.before.M // (2 if self.unit == REAL else 1)
