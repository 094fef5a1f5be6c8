"""Proofs as documents, LaTeX or HTML: the statement, its source, what it rests on, and every chain
of equalities with its reasons.

A text of proofs/theorems/notation.py becomes markup by one walk: A_{..}, A^{..}, A^-1 are scripts,
letters beyond ASCII are mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from derive.printing import printed
from proofs.show.chain import Argument
from proofs.show.kernel_chains import IN_WORDS, OF_INDUCTION, read
from proofs.theorems import Theorem
from proofs.theorems.by_blocks import BlockTheorem

LATEX_OF = {
    "⊗": r"\otimes", "⊕": r"\bigoplus", "∏": r"\prod", "∑": r"\sum", "Γ": r"\Gamma", "Λ": r"\Lambda", "Π": r"\Pi", "Ω": r"\Omega",  # noqa: E501
    "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta", "κ": r"\kappa", "ν": r"\nu", "ρ": r"\rho", "σ": r"\sigma", "ω": r"\omega",  # noqa: E501
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "λ": r"\lambda", "π": r"\pi", "τ": r"\tau",  # noqa: E501
    "≤": r"\le", "±": r"\pm", "→": r"\to", "⟶": r"\to", "⊢": r"\vdash", "∈": r"\in",
}  # fmt: skip
"""The letters beyond ASCII."""
ACCENTS = {"\u0302": r"\hat", "\u0304": r"\bar"}
ESCAPED = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "²": r"\textsuperscript{2}",
}
_SCRIPT = re.compile(r"([_^])(?:(?P<braces>\{)|(?P<parentheses>\()|(?P<word>-?[^\W_]+'*))")
_AROUND = re.compile(r"\\s (\\otimes|[-+=<]) ?\\s ")
_BOUND = re.compile(r"(?<![^\W_])k(\d+)")


@dataclass(frozen=True)
class Markup:
    """How a document writes: a character, which may carry an accent, and a script, "_" or "^"."""

    template: str
    character: Callable[[str, str], str]
    script: Callable[[str, str], str]


def marked(text: str, markup: Markup) -> str:
    r"""Return a text in a markup.

    >>> print(marked("S_{2,2^{n}} ⊗ A^-1 < k1", HTML))
    S<sub>2,2<sup>n</sup></sub> ⊗ A<sup>-1</sup> &lt; k<sub>1</sub>
    >>> print(marked("S_{2,2^{n}} ⊗ A^-1 B", FORMULA))
    S_{2,2^{n}} \otimes A^{-1}\s B
    """
    text, found, i = (
        _BOUND.sub(r"k_{\1}", text.replace("Â", "A\u0302").replace("Ā", "A\u0304")),
        [],
        0,
    )
    while i < len(text):
        script = _SCRIPT.match(text, i)
        if script and script["word"]:
            found.append(markup.script(script[1], marked(script["word"], markup)))
            i = script.end()
        elif script:
            end = _closing(text, script.end() - 1)
            found.append(markup.script(script[1], marked(text[script.end() : end], markup)))
            i = end + 1
        else:
            accent = text[i + 1 : i + 2] if text[i + 1 : i + 2] in ACCENTS else ""
            found.append(markup.character(text[i], accent))
            i += 1 + len(accent)
    return _AROUND.sub(r" \1 ", "".join(found))


def _closing(text: str, start: int) -> int:
    """Return where the bracket at start closes."""
    depth, opening = 0, text[start]
    closing = {"{": "}", "(": ")"}[opening]
    for i in range(start, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i
    raise ValueError(f"{text!r} has no bracket that closes the one at {start}")


def _in_formula(x: str, accent: str) -> str:
    if accent:
        return f"{ACCENTS[accent]}{{{_in_formula(x, '').strip()}}}"
    return (
        LATEX_OF[x] + " "
        if x in LATEX_OF
        else r"\s "
        if x == " "
        else "'"
        if x == "'"
        else ESCAPED.get(x, x)
    )


def _in_words(x: str, accent: str) -> str:
    return (
        rf"\ensuremath{{{_in_formula(x, accent).strip()}}}"
        if accent or x in LATEX_OF or x in "<>|"
        else ESCAPED.get(x, x)
    )


def _text_script(sign: str, inner: str) -> str:
    return rf"\text{'sub' if sign == '_' else 'super'}script{{{inner}}}"


def _html_script(sign: str, inner: str) -> str:
    tag = "sub" if sign == "_" else "sup"
    return f"<{tag}>{inner}</{tag}>"


HTML = Markup("proof.html.jinja", lambda x, accent: escape(x) + accent, _html_script)
FORMULA = Markup("proof.tex.jinja", _in_formula, lambda sign, inner: f"{sign}{{{inner}}}")
WORDS = Markup("proof.tex.jinja", _in_words, _text_script)
"""LaTeX in mathematics and among words."""


def document(known: Sequence[Theorem | BlockTheorem], latex: bool) -> str:
    """Return the proofs of theorems as a LaTeX or an HTML document that needs no other file.

    >>> from proofs.theorems import theorems
    >>> print(document([theorems()["cooley-tukey"]], latex=False).splitlines()[0])
    <!doctype html>
    """
    words, formula = (WORDS, FORMULA) if latex else (HTML, HTML)
    views = [
        _view(theorem, words, formula if isinstance(theorem, Theorem) else words)
        | {"anchor": f"theorem-{i}"}
        for i, theorem in enumerate(known, 1)
    ]
    return printed("proofs.show", words.template, {"theorems": views})


def _view(theorem: Theorem | BlockTheorem, words: Markup, formula: Markup) -> dict[str, object]:
    """Return what a template prints of a theorem."""

    def shown(text: str) -> str:
        return f"${marked(text, formula)}$" if formula is FORMULA else marked(text, formula)

    inductive = isinstance(theorem, Theorem) and not any(
        part.hypotheses for part in theorem.prove()
    )
    in_words = IN_WORDS | ({"assume": OF_INDUCTION} if inductive else {})
    rests_on = [in_words.get(reason, reason) for reason in theorem.verdict().rests_on]
    assumed = theorem.assumed() if isinstance(theorem, BlockTheorem) else {}
    proof = read(theorem)
    gloss, _, more = theorem.gloss.partition("\n\n")
    return {
        "name": theorem.name,
        "anchor": "".join(x if x.isalnum() else "-" for x in theorem.name),
        "source": marked(theorem.source, words),
        "gloss": marked(gloss, words),
        "more": marked(" ".join(more.split()), words),
        "assumed": [
            f"{marked(why, words)}: {', '.join(shown(str(r)) for r in relations)}"
            for why, relations in assumed.items()
        ],
        "letters": [shown(text) for text in proof.letters],
        "rests_on": [marked(reason, words) for reason in rests_on],
        "arguments": [_argument(one, words, shown) for one in proof.arguments],
    }


def _argument(argument: Argument, words: Markup, shown: Callable[[str], str]) -> dict[str, object]:
    """Return what a template prints of a part of a theorem and the chains that prove it."""
    return {
        "title": argument.title,
        "statement": shown(argument.statement),
        "chains": [
            {
                "heading": marked(chain.heading, words),
                "start": shown(chain.start),
                "steps": [
                    {"formula": shown(step.formula), "reason": marked(step.reason, words)}
                    for step in chain.steps
                ],
            }
            for chain in argument.chains
        ],
    }
