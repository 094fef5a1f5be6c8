"""Formulas as mathematics of a page, and wrong texts with a mark below the column."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from derive.text.latex import formula_in_letters
from derive.text.parse import parse_formula
from proofs.show.markup import mathml

_COLUMN = re.compile(r"column (\d+)")


def mathematics(formula: str) -> str:
    """Return a typed formula as MathML.

    >>> mathematics("I(2)")
    '<math><msub><mi>I</mi><mrow><mn>2</mn></mrow></msub></math>'
    """
    return mathml(formula_in_letters(parse_formula(formula)))


def read(text: str, reader: Callable[[str], Any]) -> Any:
    r"""Return what a text stands for; of a wrong one the error shows the column in a line below it.

    >>> read("F(r*s", parse_formula)
    Traceback (most recent call last):
    ValueError: column 6: ')' or ',' after a size of F is expected, not the end of the text
    F(r*s
         ^
    """
    try:
        return reader(text)
    except ValueError as error:
        found = _COLUMN.match(str(error))
        mark = f"\n{text}\n{' ' * (int(found[1]) - 1)}^" if found else ""
        raise ValueError(f"{error}{mark}") from error
