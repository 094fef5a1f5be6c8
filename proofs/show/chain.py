"""Proofs as chains of equalities, to be read: what is printed of them.

    argument = Argument(title, statement, chains)
    chain    = Chain(heading, start, steps)
    step     = Step(formula, reason)

Formulas are text as proofs/theorems/notation.py writes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from derive.show.html import Markup
from proofs.show.markup import HTML, marked


@dataclass(frozen=True)
class Step:
    """One more equality."""

    formula: str
    reason: str

    def row(self) -> tuple[str, str]:
        """Return what a list shows of it."""
        return f"= {self.formula}", self.reason

    def cells(self) -> tuple[Markup, Markup]:
        """Return what a notebook shows of it."""
        formula, reason = (Markup(marked(text, HTML)) for text in self.row())
        return formula, reason


@dataclass(frozen=True)
class Chain:
    """start = formula of the first step = formula of the second = ..."""

    heading: str
    start: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Argument:
    """A statement and the chains that prove it."""

    title: str
    statement: str
    chains: tuple[Chain, ...]

    def row(self) -> tuple[str, str]:
        """Return what a list shows of it."""
        return self.title or "Theorem", self.statement
