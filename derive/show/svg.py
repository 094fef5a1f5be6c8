"""Pictures as SVG, which stands in a page and takes the color of its text."""

from __future__ import annotations

from html import escape

from derive.show.drawing import Boxes, Drawing, Lines, Shape, Words, in_unicode


def svg(drawing: Drawing) -> str:
    """Return a picture as an element of HTML, which is a document of its own, too.

    >>> from derive.show.drawing import Lines
    >>> svg(Drawing("a < b", 2, 1, (Lines(((0, 0, 2, 1),)),))).splitlines()[1:]
    ['<title>a &lt; b</title>', '<path d="M0 0L2 1" stroke="currentColor" stroke-width="1"/>', '</svg>']
    """  # noqa: E501
    size = f'width="{drawing.width:.6g}" height="{drawing.height:.6g}"'
    view = f'viewBox="0 0 {drawing.width:.6g} {drawing.height:.6g}" {size} role="img"'
    form = 'style="max-width:100%;height:auto" font-family="sans-serif" fill="currentColor"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {view} {form}>'
    title = f"<title>{escape(in_unicode(drawing.title))}</title>"
    return "\n".join([head, title, *map(_element, drawing.shapes), "</svg>"])


def _element(shape: Shape) -> str:
    color = shape.color or "currentColor"
    match shape:
        case Boxes(places, width, height, _, opacity):
            box = f"h{width:.6g}v{height:.6g}h-{width:.6g}z"
            path = "".join(f"M{x:.6g} {y:.6g}{box}" for x, y in places)
            return f'<path d="{path}" fill="{color}"{_seen(opacity)}/>'
        case Lines(segments, _, width, opacity):
            path = "".join(f"M{a:.6g} {b:.6g}L{c:.6g} {d:.6g}" for a, b, c, d in segments)
            return f'<path d="{path}" stroke="{color}" stroke-width="{width:.6g}"{_seen(opacity)}/>'
        case Words(x, y, text, size, _, anchor, bold):
            place = f'x="{x:.6g}" y="{y:.6g}" dy="0.35em" font-size="{size:.6g}"'
            weight = ' font-weight="bold"' if bold else ""
            form = f'fill="{color}" text-anchor="{anchor}"{weight}'
            return f"<text {place} {form}>{escape(in_unicode(text))}</text>"


def _seen(opacity: float) -> str:
    return "" if opacity == 1 else f' opacity="{opacity:.3g}"'
