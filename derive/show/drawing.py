"""Pictures as data, which SVG (svg.py) and matplotlib (nodewright/plot.py) print alike.

    drawing = Drawing(title, width, height, shapes)
    shape   = Boxes(places, width, height, color, opacity)
            | Lines(segments, color, width, opacity) | Words(x, y, text, size, color, anchor, bold)

Lengths are points, x to the right and y downwards from the top left. A color is a hexadecimal
number, or nothing for that of the text around the picture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod

INK, BLUE, RED = "", "#2f7fb5", "#d0562f"
COLORS = 16
"""So many ranks, or rounds, have colors of their own."""
LETTER = 0.64
"""The width of a letter of size 1, about."""
GAPS = 8
"""Points from which on cells have gaps between them."""
GAP = 24
"""Points between two pictures."""


@dataclass(frozen=True)
class Boxes:
    """Rectangles of one size, filled alike, with their top left corners at these places."""

    places: tuple[tuple[float, float], ...]
    width: float
    height: float
    color: str = INK
    opacity: float = 1.0


@dataclass(frozen=True)
class Lines:
    """Straight lines, each from (x, y) to (x, y)."""

    segments: tuple[tuple[float, float, float, float], ...]
    color: str = INK
    width: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Words:
    """A text on one line, its middle, start or end at x and its middle at y."""

    x: float
    y: float
    text: str
    size: float = 10
    color: str = INK
    anchor: str = "middle"
    bold: bool = False


Shape = Boxes | Lines | Words


@dataclass(frozen=True)
class Drawing:
    """A picture of this width and height, with a title for readers who do not see it."""

    title: str
    width: float
    height: float
    shapes: tuple[Shape, ...]


def color(k: int) -> str:
    """Return the color of rank, or round, k: sixteen differ, and read on white and on black.

    >>> color(0), color(16) == color(0)
    ('#2c8ba0', True)
    """
    k %= COLORS
    parts = hls_to_rgb((0.53 + k * 0.381966) % 1, (0.4, 0.6)[k % 2], 0.57)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def wide(text: str, size: float) -> float:
    """Return the width of a text, about."""
    return LETTER * size * len(text)


def product(axes: Sequence[int]) -> str:
    """Return the number of elements or ranks of these axes in words.

    >>> product((4, 6)), product((8,)), product((4, 1))
    ('4 x 6 = 24', '8', '4 x 1 = 4')
    """
    return f"{' x '.join(map(str, axes))} = {prod(axes)}" if len(axes) > 1 else str(prod(axes))


def shifted(shape: Shape, x: float, y: float) -> Shape:
    """Return a shape so far to the right and down."""
    match shape:
        case Boxes(places):
            return replace(shape, places=tuple((u + x, v + y) for u, v in places))
        case Lines(segments):
            moved = tuple((a + x, b + y, c + x, d + y) for a, b, c, d in segments)
            return replace(shape, segments=moved)
        case Words(u, v):
            return replace(shape, x=u + x, y=v + y)


def beside(drawings: Sequence[Drawing], title: str = "") -> Drawing:
    """Return pictures side by side as one."""
    starts = [0, *accumulate(each.width + GAP for each in drawings)]
    shapes = (
        shifted(s, x, 0) for x, each in zip(starts, drawings, strict=False) for s in each.shapes
    )
    height = max(each.height for each in drawings)
    return Drawing(title or _titles(drawings), starts[-1] - GAP, height, tuple(shapes))


def stacked(drawings: Sequence[Drawing], title: str = "", gap: float = GAP) -> Drawing:
    """Return pictures one below the other as one."""
    starts = [0, *accumulate(each.height + gap for each in drawings)]
    shapes = (
        shifted(s, 0, y) for y, each in zip(starts, drawings, strict=False) for s in each.shapes
    )
    width = max(each.width for each in drawings)
    return Drawing(title or _titles(drawings), width, starts[-1] - gap, tuple(shapes))


def _titles(drawings: Sequence[Drawing]) -> str:
    return "; ".join(each.title for each in drawings if each.title)


def paragraph(*lines: str, size: float = 9) -> Drawing:
    """Return lines of text as a picture."""
    row = 1.55 * size
    shapes = tuple(
        Words(0, row * (i + 0.5), text, size, anchor="start") for i, text in enumerate(lines)
    )
    return Drawing("", max(wide(text, size) for text in lines), row * len(lines), shapes)


def heading(title: str, *lines: str, size: float = 13) -> Drawing:
    """Return a line in bold type, with smaller ones below it, as a picture."""
    bold = Words(0, 0.8 * size, title, size, anchor="start", bold=True)
    above = Drawing("", wide(title, size), 1.6 * size, (bold,))
    return stacked([above, paragraph(*lines, size=0.8 * size)], gap=2) if lines else above


ABOVE = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
BELOW = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_MATRIX = re.compile(
    r"(?<![^\W\d_])(?P<base>[^\W_]|\))(?P<scripts>(?:[_^](?:\{[-+\d,]+\}|-?\d+)(?![\w/]*[a-z]))+)"
)
_SCRIPT = re.compile(r"([_^])\{?([-+\d,]+)\}?")


def in_unicode(text: str) -> str:
    """Return a text in which scripts of numbers are raised and lowered characters; others stay.

    >>> print(in_unicode("Γ_{4,4,64}^-1 (I_4 ⊗ F_16) T^64_16: N = 2^10, 2^n, A^{1/2}, name_2.txt"))
    Γ₄,₄,₆₄⁻¹ (I₄ ⊗ F₁₆) T⁶⁴₁₆: N = 2¹⁰, 2^n, A^{1/2}, name_2.txt
    """
    return _MATRIX.sub(lambda found: found["base"] + _SCRIPT.sub(_set, found["scripts"]), text)


def _set(script: re.Match[str]) -> str:
    return script[2].translate(ABOVE if script[1] == "^" else BELOW)
