"""Matrices of a text at values of its symbols: those with a name, and matrix variables."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from derive.formula.combinations import MOST_ENTRIES
from derive.formula.combinations import Variable as Letter
from derive.formula.grammar import Formula, I
from derive.formula.permutation_matrices import Gamma, J, L, R, S
from derive.formula.transforms import BH, LH, A, AHat, B, ButterflySum, D, F, H, Omega, T
from derive.text.expressions import NotWhole, TooLarge, Values, positive_integer, value
from derive.text.syntax import Leaf, Text, Variable, symbols
from derive.text.tokens import MATRICES

LEAVES: dict[str, Callable[..., Formula]] = {
    leaf.__name__: leaf
    for leaf in (I, F, H, J, R, L, T, S, Gamma, Omega, B, D, A, AHat, ButterflySum, BH, LH)
}


def named(leaf: Leaf, at: Values) -> Formula:
    """Return a matrix by its name and sizes."""
    names = MATRICES[leaf.name]
    sizes: list[Any] = [
        value(size, at) if name == "alpha?" else positive_integer(size, at, str(leaf))
        for name, size in zip(names, leaf.sizes, strict=False)
    ]
    try:
        return LEAVES[leaf.name](
            *(
                int(size) if isinstance(size, Fraction) and size.denominator == 1 else size
                for size in sizes
            )
        )
    except ValueError as error:
        raise NotWhole(f"column {leaf.column}: {leaf}{stated(leaf, at)}: {error}") from error


def variable(text: Variable, at: Values) -> Formula:
    """Return a matrix variable; raise TooLarge where it has too many entries."""
    rows, columns = (
        positive_integer(size, at, text.declaration) for size in (text.rows, text.columns)
    )
    if rows * columns > MOST_ENTRIES:
        raise TooLarge(
            f"column {text.column}: {text} is {rows} x {columns}{stated(text, at)}: at most"
            f" {MOST_ENTRIES} entries are drawn"
        )
    return Letter(text.name, rows, columns)


def stated(text: Text, at: Values) -> str:
    """Return the values of a text's symbols in words."""
    used = [f"{name} = {at[name]}" for name in sorted(symbols(text)) if name in at]
    return f" at {', '.join(used)}" if used else ""
