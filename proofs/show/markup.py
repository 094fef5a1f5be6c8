"""Texts of proofs/theorems/notation.py as markup, by one walk: A_{..}, A^{..}, A^-1 are scripts,
letters beyond ASCII are mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from derive.show.mathml import of_latex

LATEX_OF = {
    "⊗": r"\otimes", "⊕": r"\bigoplus", "⊞": r"\boxplus", "∏": r"\prod", "∑": r"\sum", "Γ": r"\Gamma", "Λ": r"\Lambda", "Π": r"\Pi", "Ω": r"\Omega",  # noqa: E501
    "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta", "κ": r"\kappa", "ν": r"\nu", "ρ": r"\rho", "σ": r"\sigma", "ω": r"\omega",  # noqa: E501
    "α": r"\alpha", "·": r"\cdot", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "λ": r"\lambda", "π": r"\pi", "τ": r"\tau",  # noqa: E501
    "≤": r"\le", "≥": r"\ge", "±": r"\pm", "→": r"\to", "⟶": r"\to", "⊢": r"\vdash", "∈": r"\in",
    "×": r"\times", "ℂ": r"\mathbb{C}",
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
BAR = "⁄"
"""What begins a fraction: BAR{above}{below}."""
OPERATORS = {*"=⊗⊕⊞+-<≤≥±→⟶⊢∈"}
_SCRIPT = re.compile(r"([_^])(?:(?P<braces>\{)|(?P<parentheses>\()|(?P<word>-?[^\W_]+'*))")
_AROUND = re.compile(r"\\s (\\otimes|\\oplus|\\boxplus|[-+=<]) ?\\s ")
_SUM = re.compile(r"\\s \\bigoplus ?\\s ")
_BOUND = re.compile(r"(?<![^\W_])k(\d+)")
_NAMES = re.compile(r"(?<![^\W_])(?:diag|perm|bits|xor|powers|ButterflySum|[BL]H)(?![^\W_])")
"""Matrices whose names are words."""
_PHASE = re.compile(r"(?<![^\W_])w\^\{")


@dataclass(frozen=True)
class Markup:
    """The markup of a document: a character, which may carry an accent; a base with scripts,
    "_" and "^"; a fraction, None where a division stays on its line; a word in a formula, None
    where all are words.
    """

    template: str
    character: Callable[[str, str], str]
    scripted: Callable[[str, Mapping[str, str]], str]
    fraction: Callable[[str, str], str] | None = None
    word: str | None = None


def marked(text: str, markup: Markup) -> str:
    r"""Return a text in a markup.

    >>> print(marked("S_{2,2^{n}} ⊗ A^-1 < k1", HTML))
    S<sub>2,2<sup>n</sup></sub> ⊗ A<sup>-1</sup> &lt; k<sub>1</sub>
    >>> print(marked("S_{2,2^{n}} ⊗ A^-1 B w^{1/2 r^-1 j}", FORMULA))
    S_{2,2^{n}} \otimes A^{-1}\s B\s w^{\frac{j}{2\s r}}
    """
    return _spaced(_prepared(text, markup), markup)


def _spaced(prepared: str, markup: Markup) -> str:
    """Return a prepared text in a markup, its operators with the space that they have."""
    return _AROUND.sub(r" \1 ", _SUM.sub(r" \\oplus ", _walked(prepared, markup)))


def mathml(text: str) -> str:
    """Return a formula as MathML, in pieces between which a line may end: a factor each, with the
    operator before it.

    >>> print(mathml("A^-1 = w^{1/2 r^-1}"))
    <math><msup><mi>A</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup></math> <math><mo>=</mo><msup><mi>w</mi><mfrac><mn>1</mn><mrow><mn>2</mn><mspace width="0.1667em"></mspace><mi>r</mi></mrow></mfrac></msup></math>
    """  # noqa: E501
    pieces, waiting = [], ""
    for word in _words(_prepared(text, FORMULA)):
        waiting += _spaced(word, FORMULA).replace(r"\s ", r"\, ") + " "
        if word not in OPERATORS:
            pieces.append(waiting)
            waiting = ""
    return " ".join(map(of_latex, pieces))


def _prepared(text: str, markup: Markup) -> str:
    """Return a text with its accents as characters, bound numbers as scripts, and quotients in the
    exponents of w as fractions.
    """
    text = _BOUND.sub(r"k_{\1}", text.replace("Â", "A\u0302").replace("Ā", "A\u0304"))
    return "".join(_with_fractions(text)) if markup.fraction else text


def _walked(text: str, markup: Markup) -> str:
    found: list[str] = []
    i = 0
    while i < len(text):
        scripts: dict[str, str] = {}
        while (script := _SCRIPT.match(text, i)) and script[1] not in scripts:
            inner, i = (script["word"], script.end()) if script["word"] else _group(text, script)
            scripts[script[1]] = _walked(inner, markup)
        if scripts:
            found.append(markup.scripted(found.pop() if found else "", scripts))
        elif text[i] == BAR and markup.fraction:
            middle = _closing(text, i + 1)
            end = _closing(text, middle + 1)
            parts = text[i + 2 : middle], text[middle + 2 : end]
            found.append(markup.fraction(*(_walked(part, markup) for part in parts)))
            i = end + 1
        elif markup.word and (name := _NAMES.match(text, i)):
            found.append(markup.word.format(name[0]))
            i = name.end()
        else:
            accent = text[i + 1 : i + 2] if text[i + 1 : i + 2] in ACCENTS else ""
            found.append(markup.character(text[i], accent))
            i += 1 + len(accent)
    return "".join(found)


def _group(text: str, script: re.Match[str]) -> tuple[str, int]:
    """Return what stands in the brackets of a script, and where the text goes on."""
    end = _closing(text, script.end() - 1)
    return text[script.end() : end], end + 1


def _closing(text: str, start: int) -> int:
    depth, opening = 0, text[start]
    closing = {"{": "}", "(": ")"}[opening]
    for i in range(start, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i
    raise ValueError(f"{text!r} has no bracket that closes the one at {start}")


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, of which one in brackets is none of its own."""
    word, depth = "", 0
    for character in f"{text} ":
        depth += (character in "([{") - (character in ")]}")
        if character == " " and depth == 0:
            if word:
                yield word
            word = ""
        else:
            word += character


def _with_fractions(text: str) -> Iterator[str]:
    """Yield the parts of a text, each quotient in an exponent of w as BAR{above}{below}."""
    done = 0
    for phase in _PHASE.finditer(text):
        if phase.start() < done:
            continue
        end = _closing(text, phase.end() - 1)
        yield text[done : phase.end()]
        term: list[str] = []
        for word in _words(text[phase.end() : end]):
            if word in ("+", "-"):
                yield f"{_quotient(term)} {word} "
                term = []
            else:
                term.append(word)
        yield _quotient(term)
        done = end
    yield text[done:]


def _quotient(factors: list[str]) -> str:
    """Return a product as a fraction where a factor is one, or has a negative exponent."""
    above: list[str] = []
    below: list[str] = []
    sign = "-" if factors[0].startswith("-") and len(factors[0]) > 1 else ""
    for factor in (factors[0].removeprefix(sign), *factors[1:]):
        if number := re.fullmatch(r"(\d+)/(\d+)", factor):
            above += [number[1]] * (number[1] != "1")
            below.append(number[2])
        elif power := re.fullmatch(r"(.+)\^-(\w+)", factor):
            below.append(power[1] + f"^{{{power[2]}}}" * (power[2] != "1"))
        else:
            above.append(factor)
    if not below:
        return " ".join(factors)
    return f"{sign}{BAR}{{{' '.join(above) or '1'}}}{{{' '.join(below)}}}"


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


def _scripted_in_latex(base: str, scripts: Mapping[str, str]) -> str:
    return base + "".join(f"{sign}{{{inner}}}" for sign, inner in scripts.items())


def _scripted_in_words(base: str, scripts: Mapping[str, str]) -> str:
    name = {"_": r"\textsubscript", "^": r"\textsuperscript"}
    return base + "".join(f"{name[sign]}{{{inner}}}" for sign, inner in scripts.items())


def _scripted_in_html(base: str, scripts: Mapping[str, str]) -> str:
    tag = {"_": "sub", "^": "sup"}
    return base + "".join(f"<{tag[s]}>{inner}</{tag[s]}>" for s, inner in scripts.items())


HTML = Markup("proof.html.jinja", lambda x, accent: escape(x) + accent, _scripted_in_html)
FORMULA = Markup(
    "proof.tex.jinja",
    _in_formula,
    _scripted_in_latex,
    lambda a, b: rf"\frac{{{a}}}{{{b}}}",
    r"\operatorname{{{}}}",
)
WORDS = Markup("proof.tex.jinja", _in_words, _scripted_in_words)
"""LaTeX in mathematics and among words."""
