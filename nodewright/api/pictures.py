"""Figures of matplotlib for a report or a slide; a notebook shows the same pictures by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from derive.formula.grammar import Equation, Formula
from derive.show.shapes import Drawing
from derive.show.sparsity import sparsity
from derive.text import elaborate
from derive.text.parse import parse_values
from derive.text.syntax import Sides
from nodewright import plot
from nodewright.api.equations import Value, stated_values, typed

if TYPE_CHECKING:
    from nodewright.plot import Figure


class Drawn(Protocol):
    """An object that has a picture: a factorization, a layout, a bit matrix, a program."""

    def drawing(self) -> Drawing:
        """Return it as a picture."""
        ...


def figure(found: Drawn) -> Figure:
    """Return a matplotlib figure of an object; its `savefig` writes a file.

    Args:
        found: a factorization from `nw.factor` (matrices and messages), a layout from `nw.layout`
            (the indices of each rank), a result of `nw.recognize` (the bit matrix) or a program
            for at most 32 ranks (its data flow).

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: the object has no picture, the program has more ranks, or matplotlib is not
            installed.

    Examples:
        >>> from nodewright.api.layouts import layout
        >>> figure(layout("cyclic", 16, 4)).savefig("cyclic.png")  # doctest: +SKIP
    """
    return plot.figure(drawing(found, **values))


def drawing(found: Drawn | Formula | Equation | Sides | str, /, **values: Value) -> Drawing:
    """Return what has a picture as one; raises what `figure` does."""
    if isinstance(found, str | Sides):
        sides = typed(found)
        found = elaborate.equation(sides, parse_values(stated_values(values), sides=sides))
    if isinstance(found, Formula | Equation):
        return sparsity(found)
    if not hasattr(found, "drawing"):
        raise ValueError(
            f"{type(found).__name__} has no picture: layouts, factorizations, bit matrices,"
            " programs, formulas and equations have one"
        )
    return found.drawing()
