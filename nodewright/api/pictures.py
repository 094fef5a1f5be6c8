"""Figures of matplotlib for a report or a slide; a notebook shows the same pictures by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from derive.show.shapes import Drawing
from nodewright import plot

if TYPE_CHECKING:
    from nodewright.plot import Figure


class Drawn(Protocol):
    """An object that has a picture: a factorization, a layout, a bit matrix, a program."""

    def drawing(self) -> Drawing:
        """Return it as a picture."""
        ...


def figure(found: Drawn) -> Figure:
    """Return a figure of matplotlib of what has a picture: the matrices and messages of
    `nw.factor`, where a `nw.layout` puts indices, the bit matrix of `nw.recognize`, the data flow
    of a program on up to 32 ranks.

    `savefig` of a figure writes it. Raises ValueError without matplotlib, for a program on more
    ranks, and for what has no picture.

    >>> from nodewright.api.layouts import layout
    >>> figure(layout("cyclic", 16, 4)).savefig("cyclic.png")  # doctest: +SKIP
    """
    if not hasattr(found, "drawing"):
        raise ValueError(
            f"{type(found).__name__} has no picture: layouts, factorizations, bit matrices and"
            " programs have one"
        )
    return plot.figure(found.drawing())
