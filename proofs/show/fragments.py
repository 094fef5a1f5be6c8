"""Proofs as parts of a page that a notebook shows: texts with scripts, equations, equalities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from derive.show import html
from derive.text.syntax import Sides
from derive.text.text_latex import in_letters
from proofs.show.chain import Argument
from proofs.show.markup import HTML, marked, mathml


def shown_as_html(text: str) -> html.Markup:
    """Return a text of a proof with its scripts.

    >>> shown_as_html("F_{2} < A^-1")
    'F<sub>2</sub> &lt; A<sup>-1</sup>'
    """
    return html.Markup(marked(text, HTML))


def typeset(sides: Sides, statement: str) -> html.Markup:
    """Return a statement with its equation as mathematics; definitions and conditions are words.

    >>> from derive.text.parse import parse
    >>> print(typeset(parse("F(n) = I(n)"), "F(n) = I(n), where n < 2").rpartition("</math>")[2])
    , where n &lt; 2
    """
    before, _, after = statement.partition(f"{sides.left} = {sides.right}")
    return html.Markup(f"{html.words(before)}{mathml(in_letters(sides))}{html.words(after)}")


def rows(arguments: Sequence[Argument]) -> Iterator[tuple[html.Markup, html.Markup]]:
    """Yield the equalities of chains with their reasons, below what each chain begins with."""
    for chain in (chain for argument in arguments for chain in argument.chains):
        if chain.heading:
            yield html.bold(shown_as_html(f"{chain.heading}:")), html.Markup()
        yield shown_as_html(chain.start), html.Markup()
        yield from (step.cells() for step in chain.steps)
