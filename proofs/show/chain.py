"""Proofs as chains of equalities, to be read: what is printed of them.

    argument = Argument(title, statement, chains[, typed])
    typed    = Typed(sides, conditions, kernel, notes)
    chain    = Chain(heading, start, steps)
    step     = Step(formula, reason)

Formulas are text as proofs/theorems/notation.py writes it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from derive.show.html import Markup
from derive.text.syntax import Sides
from proofs.show.markup import HTML, marked


@dataclass(frozen=True)
class Step:
    """One more equality."""

    formula: str
    reason: str

    def row(self) -> tuple[str, str]:
        return f"= {self.formula}", self.reason

    def cells(self) -> tuple[Markup, Markup]:
        formula, reason = (Markup(marked(text, HTML)) for text in self.row())
        return formula, reason


@dataclass(frozen=True)
class Chain:
    """start = formula of the first step = formula of the second = ..."""

    heading: str
    start: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Typed:
    """An equation of one's own with its conditions; the equation of the kernel that proves it, ""
    where it is written alike, and what is said of the way from one to the other.

    Conditions and notes are words, their formulas between dollars.
    """

    sides: Sides
    conditions: str
    kernel: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Argument:
    """A statement and the chains that prove it; that of a typed equation can be typed back in."""

    title: str
    statement: str
    chains: tuple[Chain, ...]
    typed: Typed | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what `derive` prints of it with --json."""
        chains = [*map(asdict, self.chains)]
        return {"title": self.title, "statement": self.statement, "chains": chains}

    def row(self) -> tuple[str, str]:
        return self.title or "Theorem", self.statement
