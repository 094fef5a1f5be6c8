"""Parts of a page that a notebook shows, on light and on dark ground; all texts are escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from derive.show.shapes import Drawing
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
LEFT = "text-align:left;vertical-align:top"


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
    lines = [_row("th", head)] * bool(head) + [_row("td", row) for row in rows[:most]]
    said = f"\nfirst {most} of {len(rows)} rows" if len(rows) > most else ""
    return Markup("<table>\n" + "\n".join(lines) + f"\n</table>{said}")


def _row(cell: str, values: Sequence[object]) -> str:
    cells = (f'<{cell} style="{LEFT}">{words(value)}</{cell}>' for value in values)
    return f"<tr>{''.join(cells)}</tr>"


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
