"""LaTeX of formulas, equations and sizes; equations as a block and in the lines of a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.formula.grammar import Equation, Formula
from derive.formula.values import Stated
from derive.lazy import lazily
from derive.text.expressions import Name, Number, Operation

_texts, _symbolic = lazily("derive.text.text_latex"), lazily("derive.symbolic")

BETWEEN = r" \, "
"""What stands between two factors."""
MOST, LINE = 48, 60
"""So many factors a notebook shows, and so many letters on a line of an equation."""


@dataclass(frozen=True)
class Style:
    """The style of a printed formula: operators, a product over an index, which letter of
    a matrix, what is applied to a formula, a sum of sizes and a product of numbers, a diagonal
    or a permutation by its digits, what stands between these, the imaginary unit, a sum over an
    index, a square root, what stands before a statement beside an equation, a matrix of sizes, a
    symbol that is a size.
    """

    times: str
    kron: str
    plus: str
    product: str
    applied: Mapping[str, str]
    letter: str
    other: str
    sums: str
    dot: str
    ranged: str
    comma: str
    unit: str
    sum: str
    root: str
    beside: str
    member: str
    whole: str


LATEX = Style(
    times=BETWEEN,
    kron=r" \otimes ",
    plus=r" \oplus ",
    product=r"\prod_{{{}={}}}^{{{}}} {}",
    applied={"inv": "{}^{{-1}}", "transpose": r"{}^{{\mathsf{{T}}}}", "conj": r"\overline{{{}}}"},
    letter="tex",
    other=r"\mathrm{{{}}}",
    sums="{}{}{}",
    dot=r" \cdot ",
    ranged=r"\operatorname{{{}}}_{{{}}} ({})",
    comma=r",\,",
    unit=r"\mathrm{i}",
    sum=r"\sum_{{{} < {}}} {}",
    root=r"\sqrt{{{}}}",
    beside=r", \quad ",
    member=r"{} \in \mathbb{{C}}^{{{} \times {}}}",
    whole=r"{} \in \{{1, 2, \dots\}}",
)
LETTERS = Style(
    times=" ",
    kron=" ⊗ ",
    plus=" ⊕ ",
    product="∏_{{{} = {}}}^{{{}}} {}",
    applied={"inv": "{}^-1", "transpose": "{}^T", "conj": "{}^{{*}}"},
    letter="letter",
    other="{}",
    sums="{} {} {}",
    dot=" · ",
    ranged="{}_{{{}}} ({})",
    comma=", ",
    unit="i",
    sum="∑_{{{} < {}}} {}",
    root="({})^{{1/2}}",
    beside=", ",
    member="{} ∈ ℂ^{{{} × {}}}",
    whole="{} = 1, 2, ..",
)


def aligned(equations: Iterable[Equation]) -> str:
    r"""Return equations as one block of LaTeX, align* of amsmath, each below a comment with its
    name and source; a product goes on in a new line where one is full.

    >>> from derive.formula.grammar import I
    >>> from derive.formula.permutation_matrices import R
    >>> from derive.formula.transforms import F, H
    >>> print(aligned([Equation("one", "a paper", F(2), H(2)), Equation("two", "", I(2), R(2))]))
    \begin{align*}
      % one: a paper
      F_{2} &= H_{2} \\
      % two
      I_{2} &= P_{2}
    \end{align*}
    """
    return block(
        (each.name, each.source, latex(each.left), _broken(_texts.factors(each.right)))
        for each in equations
    )


def block(equations: Iterable[tuple[str, str, str, str]]) -> str:
    """Return equations, each as name, source and both sides in LaTeX, as `aligned` does."""
    lines = (
        f"  % {': '.join(filter(None, (name, source)))}\n  {left} &= {right}"
        for name, source, left, right in equations
    )
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def latex(formula: Formula | Stated) -> str:
    r"""Return the LaTeX of a formula or an equation, without dollar signs.

    >>> from derive.papers.statements.statement_tables import at_sizes
    >>> print(latex(at_sizes("cooley-tukey", r=2, s=4)))
    F_{8} = (F_{2} \otimes I_{4}) \, T^{8}_{4} \, (I_{2} \otimes F_{4}) \, L^{8}_{2}
    """
    return str((_texts.latex if isinstance(formula, Formula) else _texts.equation)(formula))


def displayed(formula: Formula | Stated) -> str:
    r"""Return the LaTeX of a formula or an equation as a notebook shows it, with dollar signs; of a
    long product the first factors, with how many are left out.

    >>> from derive.papers.statements.statement_tables import at_sizes
    >>> print(displayed(at_sizes("cooley-tukey", r=2, s=4)))
    $$\begin{aligned}
    F_{8} &= (F_{2} \otimes I_{4}) \, T^{8}_{4} \, (I_{2} \otimes F_{4}) \, L^{8}_{2}
    \end{aligned}$$
    """
    if isinstance(formula, Formula):
        return "$" + BETWEEN.join(_first(_texts.factors(formula))) + "$"
    factors = _broken(_first(_texts.factors(formula.right)))
    stated = f"{latex(formula.left)} &= {factors}{_texts.given(formula)}"
    return f"$$\\begin{{aligned}}\n{stated}\n\\end{{aligned}}$$"


def _broken(factors: Sequence[str]) -> str:
    """Return a product of these factors for an aligned block, a new line where one is full."""
    lines, size = [list[str]()], 0
    for factor in factors:
        letters = len(_COMMAND.sub("x", factor))
        if size and size + letters > LINE:
            lines, size = [*lines, []], 0
        lines[-1].append(factor)
        size += letters
    return " \\\\\n&\\quad ".join(BETWEEN.join(line) for line in lines)


_COMMAND = re.compile(r"\\[a-zA-Z]+|[{}_^ \\,]+")


def _first(factors: Sequence[str]) -> list[str]:
    """Return the factors that are shown, and how many there are more."""
    more = len(factors) - MOST
    said = [rf"\cdots \text{{ ({more} more factors)}}"] if more > 0 else []
    return [*factors[:MOST], *said]


def size(value: Any, style: Style = LATEX) -> str:
    r"""Return a size as mathematics in a style.

    >>> from derive.text.expressions import Name, Number, Operation
    >>> size(Operation("*", Number(2), Operation("+", Name("n1"), Number(3))))
    '2 (n_{1}+3)'
    >>> print(size(Operation("*", Operation("/", Name("n"), Name("r")), Number(2))))
    (n/r) \cdot 2
    """
    match value:
        case Number(number):
            return str(number)
        case Name(name):
            return name_in(name, style)
        case Operation("^", left, right):
            return f"{_enclosed(left, '+-*/^', style)}^{{{size(right, style)}}}"
        case Operation("-", Number(0), right):
            return f"-{_enclosed(right, '+-', style)}"
        case Operation("*", left, right):
            before, after = _enclosed(left, "+-/", style), _enclosed(right, "+-", style)
            return before + (style.dot if after[0].isdecimal() else " ") + after
        case Operation("/", left, right):
            return f"{_enclosed(left, '+-', style)}/{_enclosed(right, '+-*/', style)}"
        case Operation(sign, left, right):
            return style.sums.format(size(left, style), sign, _enclosed(right, "+-", style))
        case int() | Fraction():
            return str(value)
    return str(_symbolic.size_latex(value))


def _enclosed(value: Any, signs: str, style: Style) -> str:
    """Return a size as it stands in another: operations with these signs in parentheses."""
    in_parentheses = isinstance(value, Operation) and value.sign in signs
    return f"({size(value, style)})" if in_parentheses else size(value, style)


def name_in(name: str, style: Style) -> str:
    r"""Return a symbol: its letter, and digits or a subscript below it.

    >>> print(*(name_in(each, LATEX) for each in ("n1", "n", "size", "r_1", "N_max")))
    n_{1} n \mathrm{size} r_{1} N_{\mathrm{max}}
    """
    word, *scripts = name.split("_")
    below = ",".join(scripts)
    letters = word.rstrip("0123456789")
    if len(letters) > 1:
        letters = style.other.format(word)
    elif word != letters:
        below = ",".join(filter(None, (word[1:], below)))
    if not below.replace(",", "").isdecimal() and len(below) > 1:
        below = style.other.format(below)
    return f"{letters}_{{{below}}}" if below else letters
