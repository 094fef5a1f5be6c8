"""Proofs as documents, LaTeX or HTML: the statement, its source, what it rests on, and every chain
of equalities with its reasons.

A text of proofs/theorems/notation.py becomes markup by proofs/show/markup.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from derive.formula.latex import BETWEEN, LETTERS
from derive.printing import printed
from derive.text.syntax import Sides
from derive.text.text_latex import equation
from proofs.show.chain import Argument
from proofs.show.kernel_chains import IN_WORDS, OF_INDUCTION, read
from proofs.show.markup import FORMULA, HTML, WORDS, Markup, marked, mathml
from proofs.show.own import OwnTheorem
from proofs.theorems import Theorem
from proofs.theorems.by_blocks import BlockTheorem

BETWEEN_FACTORS = r"\s "
"""The space between two factors, at which a line may end."""
_IN_HEADING = re.compile(
    r"(?<=by the assumption ).+?(?=, for all |$)|(?<=in row ).+?(?= and column )"
    r"|(?<= and column ).+?(?=, where |$)|(?<=, where ).+$"
)
"""The formulas in the heading of a chain."""


def document(known: Sequence[Theorem | BlockTheorem], latex: bool, short: bool = False) -> str:
    """Return the proofs of theorems as a LaTeX or an HTML document that needs no other file; a
    short one has the statements with the reasons for them, and no equalities.

    >>> from proofs.theorems import theorems
    >>> print(document([theorems()["cooley-tukey"]], latex=False).splitlines()[0])
    <!doctype html>
    """
    words = WORDS if latex else HTML
    views = [
        _view(theorem, words, short) | {"anchor": f"theorem-{i}"}
        for i, theorem in enumerate(known, 1)
    ]
    return printed("proofs.show", words.template, {"theorems": views, "short": short})


def _formula(text: str, words: Markup) -> str:
    """Return a formula as mathematics of a document in which other text is in these words."""
    return mathml(text) if words is HTML else f"${marked(text, FORMULA)}$"


def _typed(sides: Sides, words: Markup) -> str:
    """Return an equation of one's own as mathematics of a document."""
    if words is HTML:
        return mathml(equation(sides, LETTERS))
    return f"${equation(sides).replace(BETWEEN, BETWEEN_FACTORS)}$"


def _gloss(text: str, words: Markup) -> str:
    """Return what a theorem says: words, and formulas between dollars."""
    parts = text.split("$")
    return "".join(
        _formula(part, words) if i % 2 else marked(part, words) for i, part in enumerate(parts)
    )


def _view(theorem: Theorem | BlockTheorem, words: Markup, short: bool) -> dict[str, object]:

    def shown(text: str) -> str:
        return _formula(text, words) if isinstance(theorem, Theorem) else marked(text, words)

    inductive = isinstance(theorem, Theorem) and not any(
        part.hypotheses for part in theorem.prove()
    )
    in_words = IN_WORDS | ({"assume": OF_INDUCTION} if inductive else {})
    rests_on = [in_words.get(reason, reason) for reason in theorem.verdict().rests_on]
    assumed = theorem.assumed() if isinstance(theorem, BlockTheorem) else {}
    proof = read(theorem)
    gloss, _, more = theorem.gloss.partition("\n\n")
    own = isinstance(theorem, OwnTheorem)
    return {
        "name": theorem.name,
        "anchor": "".join(x if x.isalnum() else "-" for x in theorem.name),
        "source": marked(theorem.source, words),
        "gloss": "" if own else f"In the paper's letters: {_gloss(gloss, words)}",
        "more": marked(" ".join(more.split()), words),
        "assumed": [
            f"{marked(why, words)}: {', '.join(shown(str(r)) for r in relations)}"
            for why, relations in assumed.items()
        ],
        "letters": [shown(text) for text in proof.letters],
        "rests_on": [marked(reason, words) for reason in rests_on],
        "arguments": [_argument(one, words, shown, short) for one in proof.arguments],
    }


def _argument(
    argument: Argument, words: Markup, shown: Callable[[str], str], short: bool
) -> dict[str, object]:
    """Return a template's print of a theorem's part and its chains, or of the reasons in them."""
    reasons = dict.fromkeys(step.reason for chain in argument.chains for step in chain.steps)
    typed, statement, kernel = argument.typed, "", ""
    if typed:
        statement = _typed(typed.sides, words) + _gloss(typed.conditions, words)
    if typed and typed.kernel:
        notes = ", where " * bool(typed.notes) + "; ".join(typed.notes)
        kernel = f"The kernel proves: {shown(typed.kernel)}{_gloss(notes, words)}."
    return {
        "title": argument.title,
        "named": argument.title.partition("Lemma ")[2].lstrip("0123456789"),
        "statement": statement or shown(argument.statement),
        "kernel": kernel,
        "reasons": marked("; ".join(reasons), words),
        "chains": [
            {
                "heading": _gloss(_IN_HEADING.sub(r"$\g<0>$", chain.heading), words),
                "start": shown(chain.start),
                "steps": [
                    {"formula": shown(step.formula), "reason": marked(step.reason, words)}
                    for step in chain.steps
                ],
            }
            for chain in (() if short else argument.chains)
        ],
    }
