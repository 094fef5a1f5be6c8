"""Parts of a page that a notebook shows, on light and on dark ground; all texts are escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from derive.show.drawing import Drawing
from derive.show.svg import svg

GROUND = {
    "proved": "#2f8f4e",
    "proved under hypotheses": "#a67c00",
    "checked": "#2f8f4e",
    "holds": "#2f8f4e",
    "tested": "#2f7fb5",
    "refuted": "#c8432e",
    "undecided": "#a67c00",
}
"""The color of a verdict, by its word."""
PADDED = "vertical-align:top;padding:2px 14px 2px 0;text-align:"
"""The form of a cell, which keeps the numbers of adjacent columns apart on every page."""


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


def words(text: object) -> Markup:
    """Return a text as HTML: what is HTML stays.

    >>> words("a < b"), words(Markup("<b>a</b>"))
    ('a &lt; b', '<b>a</b>')
    """
    return text if isinstance(text, Markup) else Markup(escape(str(text)))


def fragment(*parts: Markup | str | Drawing) -> str:
    """Return parts of a page, pictures among them, one below the other; empty ones are left out."""
    shown = (svg(part) if isinstance(part, Drawing) else words(part) for part in parts)
    return "<div>\n" + "\n".join(f"<div>{part}</div>" for part in shown if part) + "\n</div>"


def bold(text: object) -> Markup:
    """Return a text in bold type."""
    return Markup(f"<b>{words(text)}</b>")


def verdict(kind: str, statement: object, evidence: object = "") -> Markup:
    """Return a verdict: its word on colored ground, what was judged, and why in a line below."""
    ground = GROUND.get(kind, "#777777")
    form = f"background:{ground};color:#fff;border-radius:3px;padding:0 6px"
    badge = f'<span style="{form}">{words(kind)}</span>'
    below = f"<br/>{words(evidence)}" if evidence else ""
    return Markup(f"{badge} {words(statement)}{below}")


def table(head: Sequence[object], rows: Sequence[Sequence[object]], most: int = 64) -> Markup:
    """Return a table, of many rows the first, with what is left out.

    >>> table(["n"], [[1], [2]], most=1).splitlines()[-1]
    'first 1 of 2 rows'
    """
    if not rows:
        return Markup()
    widest = max(map(len, rows))
    columns = [[row[k] for row in rows if k < len(row)] for k in range(widest)]
    sides = ["right" if head and all(map(_is_number, each)) else "left" for each in columns]
    named = [_row("th", head, sides)] if head else []
    lines = named + [_row("td", row, sides) for row in rows[:most]]
    said = f"\nfirst {most} of {len(rows)} rows" if len(rows) > most else ""
    return Markup("<table>\n" + "\n".join(lines) + f"\n</table>{said}")


def _is_number(value: object) -> bool:
    """Return whether a cell is a number, which is aligned with those below it.

    >>> [_is_number(each) for each in (8, "4.1e-05", "4 x 4", words("2"))]
    [True, True, False, True]
    """
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _row(cell: str, values: Sequence[object], sides: Sequence[str]) -> str:
    cells = (
        f'<{cell} style="{PADDED}{side}">{words(value)}</{cell}>'
        for value, side in zip(values, sides, strict=False)
    )
    return f"<tr>{' '.join(cells)}</tr>"


def named(values: Mapping[str, object]) -> Markup:
    """Return names with their values, a row each."""
    return table((), [(bold(name), value) for name, value in values.items()])


def code(text: str, most: int = 40) -> Markup:
    r"""Return a text of a program, folded; of a long one its first lines, with what is left out.

    >>> "first 1 of 2 lines" in code("a\nb\n", most=1)
    True
    """
    lines = text.splitlines()
    size = f"first {most} of {len(lines)} lines" if len(lines) > most else f"{len(lines)} lines"
    shown = words("\n".join(lines[:most]))
    return Markup(f"<details><summary>{size}</summary><pre>{shown}</pre></details>")
