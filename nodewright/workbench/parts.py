"""Parts of the page as HTML, in which what is to be clicked stands as text of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

from derive.show import html

Part = object
"""HTML, as text or as what is formatted to it."""

_SIGNS = re.compile(r"[*_`\\$\[\]~^:+!|]")
"""Signs of Markdown."""
_COLUMN = re.compile(r"column (\d+)")
HEAD = '<p class="head"><b>nodewright</b> workbench</p>'


def stack(*parts: Part) -> str:
    """Return parts one below the other; empty ones are left out.

    >>> stack("a", "", "b")
    '<div class="stack"><div>a</div><div>b</div></div>'
    """
    return _within("stack", parts)


def row(*parts: Part) -> str:
    """Return parts side by side, as many as fit."""
    return _within("row", parts)


def form(*parts: Part) -> str:
    """Return what is to be filled in, as many side by side as fit."""
    return _within("form", parts)


def pictures(*drawn: Part) -> str:
    """Return pictures side by side, each of which scrolls where it is too wide."""
    return _within("pictures", drawn)


def grid(columns: int, cells: list[Part]) -> str:
    """Return cells in so many columns."""
    inner = "".join(f"<div>{each}</div>" for each in cells)
    return f'<div class="bits" style="--columns: {columns}">{inner}</div>'


def scrolled(inner: Part) -> str:
    """Return a table that scrolls where it is too wide."""
    return f'<div class="scroll">{inner}</div>' if inner else ""


def wrong(message: str) -> str:
    """Return what is wrong, nothing where nothing is."""
    return f'<div class="wrong" role="alert">{escape(message)}</div>' if message else ""


def read(text: str, reader: Callable[[str], Any]) -> Any:
    r"""Return what a text stands for; of a wrong one the error shows the column in a line below it.

    >>> from derive.text.parse import parse_formula
    >>> read("F(r*s", parse_formula)
    Traceback (most recent call last):
    ValueError: column 6: expected ')' or ',' after a size of F, got the end of the formula
    F(r*s
         ^
    """
    try:
        return reader(text)
    except ValueError as error:
        found = _COLUMN.match(str(error))
        mark = f"\n{text}\n{' ' * (int(found[1]) - 1)}^" if found else ""
        raise ValueError(f"{error}{mark}") from error


def title(words: str) -> str:
    """Return a line in bold type."""
    return f"<p><b>{escape(words)}</b></p>"


def words(*lines: str) -> str:
    """Return lines of text."""
    return "".join(f"<p>{html.words(line)}</p>" for line in lines if line)


def label(text: str) -> str:
    """Return a text as the label of a button, which is read as Markdown.

    >>> label("m=2*r, n=s_1")
    'm=2&#42;r, n=s&#95;1'
    """
    return _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", escape(text))


def folded(summary: str, inner: Part) -> str:
    """Return a part that opens at a click."""
    return f"<details><summary>{escape(summary)}</summary>{inner}</details>"


def document(name: str, text: str) -> str:
    """Return a document of HTML within the page."""
    return f'<iframe title="{escape(name)}" srcdoc="{escape(text)}"></iframe>'


def _within(kind: str, parts: tuple[Part, ...]) -> str:
    inner = (text for text in map(format, parts) if text)
    return f'<div class="{kind}">{"".join(f"<div>{text}</div>" for text in inner)}</div>'
