"""Chains of equalities as LaTeX that a notebook shows: one equality on a line, its reason beside
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain as joined

from proofs.show.chain import Argument, Chain
from proofs.show.markup import ESCAPED, FORMULA, LATEX_OF, Markup, marked

MOST = 24
"""So many lines are shown."""


def _letter(x: str, accent: str) -> str:
    """Return a letter among words."""
    if accent or x in LATEX_OF:
        return f"${marked(x + accent, FORMULA).strip()}$"
    return ESCAPED.get(x, x) if x not in "\\^~" else " "


def _scripted(base: str, scripts: Mapping[str, str]) -> str:
    """Return a letter among words with its scripts."""
    return base + "".join(rf"${sign}{{\text{{{inner}}}}}$" for sign, inner in scripts.items())


WORDS = Markup("", _letter, _scripted)


def aligned(arguments: Sequence[Argument], most: int | None = MOST) -> str:
    r"""Return chains of equalities with dollar signs; of long ones the first lines, with how many
    are left out, or all where `most` is None.

    >>> from proofs.show.chain import Step
    >>> print(aligned([Argument("", "", (Chain("", "F_{2} A", (Step("A", "by γ"),)),))]))
    $$\begin{aligned}
    F_{2}\, A & \\
    &= A && \text{by $\gamma$}
    \end{aligned}$$
    """
    chains = [chain for argument in arguments for chain in argument.chains]
    lines = [*joined.from_iterable(map(_lines, chains))]
    shown = lines[:most]
    if len(lines) > len(shown):
        shown.append(rf"& \cdots && \text{{first {most} of {len(lines)} lines}}")
    body = " \\\\\n".join(shown)
    return f"$$\\begin{{aligned}}\n{body}\n\\end{{aligned}}$$"


def _lines(chain: Chain) -> Iterator[str]:
    """Yield what a chain begins with, and its equalities."""
    if chain.heading:
        yield rf"& \text{{{_words(chain.heading)}:}}"
    yield f"{_formula(chain.start)} &"
    for step in chain.steps:
        yield rf"&= {_formula(step.formula)} && \text{{{_words(step.reason)}}}"


def _words(text: str) -> str:
    """Return words with mathematics among them, which side by side is one."""
    return marked(text, WORDS).replace("$$", "")


def _formula(text: str) -> str:
    return marked(text, FORMULA).replace(r"\s ", r"\, ")
