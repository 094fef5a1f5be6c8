"""Formulas as mathematics of a page, and wrong texts with a mark below the column."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from derive.text.expressions import FormulaError
from derive.text.parse import parse_formula
from derive.text.syntax import Text
from derive.text.text_latex import formula_in_letters
from proofs.show.markup import mathml

_COLUMN = re.compile(r"column (\d+)")


def formula_of(formula: str, statements: str) -> Text:
    """Return a formula, which may speak of what statements define and declare."""
    try:
        return parse_formula(formula)
    except FormulaError:
        return parse_formula(formula, statements)


def mathematics(formula: str, statements: str = "") -> str:
    """Return a typed formula as MathML.

    >>> mathematics("I(2)")
    '<math><msub><mi>I</mi><mn>2</mn></msub></math>'
    """
    return mathml(formula_in_letters(formula_of(formula, statements)))


def read(text: str, reader: Callable[[str], Any]) -> Any:
    r"""Return what a text stands for; of a wrong one the error shows the column in a line below it.

    >>> read("F(r*s", parse_formula)
    Traceback (most recent call last):
    ValueError: column 6: expected ')' or ',' after a size of F, got the end of the formula
    F(r*s
         ^
    """
    try:
        return reader(text)
    except ValueError as error:
        found = _COLUMN.match(str(error))
        mark = f"\n{text}\n{' ' * (int(found[1]) - 1)}^" if found else ""
        raise ValueError(f"{error}{mark}") from error
