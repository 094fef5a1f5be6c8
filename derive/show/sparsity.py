"""A product of matrices as a picture: where each factor has entries that are not zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from derive.formula.grammar import Equation, Formula, factors_of
from derive.show.drawing import BLUE, GAPS, Boxes, Drawing, Words, beside, heading, stacked
from derive.show.grids import framed

MOST_ROWS = 256
"""Matrices with more rows or columns are not drawn."""
MOST_FACTORS, PER_LINE = 24, 4
"""Factors that are drawn, and matrices side by side."""
ZERO = 1e-9
"""Entries of a smaller magnitude are zeros that were computed in floating point."""
HOW = "cells: entries that are not zero; the factor on the right is applied first"


def sparsity(stated: Formula | Equation) -> Drawing:
    """Return the factors of a product as sparsity patterns, of an equation behind its left side.

    Raises ValueError where a size has a symbol, and for more than 256 rows.

    >>> from derive.formula.grammar import I, kron
    >>> from derive.formula.transforms import F
    >>> sparsity(kron(F(2), I(2)) @ kron(I(2), F(2))).title
    '(F_2 ⊗ I_2) (I_2 ⊗ F_2)'
    """
    whole, left = (stated.right, stated.left) if isinstance(stated, Equation) else (stated, None)
    factors = factors_of(whole)
    if (rows := whole.size) not in range(1, MOST_ROWS + 1):
        raise ValueError(
            f"{rows} rows: sparsity patterns are drawn of matrices with 1 to {MOST_ROWS} rows, and"
            " sizes that are numbers"
        )
    parts = [pattern(str(each), each) for each in factors[:MOST_FACTORS]]
    if left is not None:
        shown = pattern(str(left), left)
        parts = [shown, beside([_sign(shown.height), parts[0]]), *parts[1:]]
    lines = [beside(parts[k : k + PER_LINE]) for k in range(0, len(parts), PER_LINE)]
    more = len(factors) - MOST_FACTORS
    said = [HOW, *[f"first {MOST_FACTORS} of {len(factors)} factors"] * (more > 0)]
    name, size = str(stated), f"{rows} x {whole.columns}"
    title = name if len(name) <= 100 else f"{name[:100]} .."
    return stacked([heading(title, f"matrices of {size}", *said), *lines], title)


def _sign(height: float) -> Drawing:
    return Drawing("", 8, height, (Words(4, height / 2, "=", 14),))


def pattern(title: str, matrix: Formula) -> Drawing:
    """Return where a matrix has entries that are not zero, with how many there are."""
    entries = np.abs(matrix.to_matrix()) > ZERO
    high, across = entries.shape
    cell, top = max(1.0, 150 / max(high, across)), 36.0
    inner = 0.92 * cell if cell >= GAPS else cell
    count = int(entries.sum())
    places = tuple((cell * j, top + cell * i) for i, j in np.argwhere(entries).tolist())
    said = f"{count} of {high * across} entries"
    name = title if len(title) <= 30 else f"{title[:28]} .."
    shapes = [Boxes(places, inner, inner, BLUE)] * bool(places)
    found = framed(name, said, (0, top), (cell * across, cell * high), shapes)
    return replace(found, title=title)
