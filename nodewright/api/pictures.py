"""Figures of matplotlib for a report or a slide; a notebook shows the same pictures by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from derive.call_arguments import needs_arguments
from derive.formula.grammar import Equation, Formula
from derive.show.drawing import Drawing
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


@needs_arguments
def figure(found: Drawn | Formula | Equation | Sides | str, /, **values: Value) -> Figure:
    """Return a matplotlib figure of an object; its `savefig` writes a file.

    Args:
        found: a factorization from `nw.factor` (matrices and messages), a layout from `nw.layout`
            (the indices of each rank), a result of `nw.recognize` (the bit matrix), a program for
            at most 256 ranks (its data flow, as heat maps of message sizes for more than 16), or
            a formula or an equation of at most 256 rows (its factors as sparsity patterns).
        values: the values of the symbols of an equation.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: the object has no picture, the program has more ranks, the matrices have more
            rows, or matplotlib is not installed.

    Examples:
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
