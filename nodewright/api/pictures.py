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


def figure(found: Drawn | Formula | Equation | Sides | str, /, **values: Value) -> Figure:
    """Return a figure of matplotlib: the matrices and messages of `nw.factor`, where a `nw.layout`
    of any shape puts indices, the bit matrix of `nw.recognize`, the data flow of a program on up to
    256 ranks (of more than 16 as heat maps of message sizes), and the factors of a formula or an
    equation as sparsity patterns.

    values: those of the symbols of an equation. `savefig` of a figure writes it. Raises ValueError
    without matplotlib, for a program on more ranks, for matrices of more than 256 rows, and for
    what has no picture.

    >>> from nodewright.api.layouts import layout
    >>> figure(layout("cyclic", 16, 4)).savefig("cyclic.png")  # doctest: +SKIP
    >>> figure("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", r=2, s=4).axes
    [<Axes: >]
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
