"""Formulas as MathML, which browsers show without scripts, fonts or a network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util import logging

from derive.show.mathml import of_latex


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, which scroll where they are too long for the page."""
    writer.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def mathml(node: nodes.Element, as_block: bool) -> str:
    """Return a formula as MathML; warn of one that cannot be read."""
    try:
        return of_latex(node.astext(), as_block)
    except ValueError as error:
        logging.getLogger(__name__).warning("%s", error, location=node)
        return ""


def setup(app: Any) -> dict[str, bool]:
    """Have Sphinx write formulas as MathML."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
