"""LaTeX of formulas and equations, with the letters of Inda & Bisseling (2000); the Hartley factors
as L of s and N, with the letter H.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from derive.formula.combinations import Diagonal, Sqrt, Sum, Term, Variable
from derive.formula.grammar import DirectSum, Equation, Formula, Inverse, Kron, Product
from derive.formula.leaves import Leaf, beside
from derive.formula.permutation_matrices import Bmmc, L, Permutation
from derive.formula.transforms import ButterflySum, HatSum, T, W
from derive.lazy import lazily

_symbolic = lazily("derive.symbolic")


PLAIN = str.maketrans(
    {each: rf"\{each}" for each in "{}$&#_%"}
    | {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", "<": r"\lt ", ">": r"\gt "}
)
"""Names of permutations, those of files among them, as LaTeX."""
BETWEEN = r" \, "
"""What stands between two factors."""
MOST, LINE = 48, 60
"""So many factors a notebook shows, and so many letters on a line of an equation."""


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
        (each.name, each.source, latex(each.left), _broken(written(each.right)))
        for each in equations
    )


def block(equations: Iterable[tuple[str, str, str, str]]) -> str:
    """Return equations, each as name, source and both sides in LaTeX, as `aligned` does."""
    lines = (
        f"  % {': '.join(filter(None, (name, source)))}\n  {left} &= {right}"
        for name, source, left, right in equations
    )
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def latex(formula: Formula | Equation) -> str:
    r"""Return the LaTeX of a formula or an equation, without dollar signs.

    >>> from derive.papers.statements.statement_tables import at_sizes
    >>> print(latex(at_sizes("cooley-tukey", r=2, s=4)))
    F_{8} = (F_{2} \otimes I_{4}) \, T^{8}_{4} \, (I_{2} \otimes F_{4}) \, L^{8}_{2}
    """
    match formula:
        case Equation(left=left, right=right):
            return f"{latex(left)} = {latex(right)}"
        case Kron(left, right):
            return (
                f"{_operand(left, (Product, DirectSum, Sum))} \\otimes"
                f" {_operand(right, (Product, DirectSum, Sum))}"
            )
        case DirectSum(terms):
            return r" \oplus ".join(
                _operand(term, (Product, Kron, DirectSum, Sum)) for term in terms
            )
        case Sum(terms):
            return " ".join(map(_term, terms)).removeprefix("+ ")
        case Product(factors):
            return BETWEEN.join(map(_factor, factors))
        case Inverse(of):
            return f"{_operand(of, (L, ButterflySum, Product, Kron, DirectSum, Inverse))}^{{-1}}"
    return _leaf(formula)


def _term(term: Term) -> str:
    r"""Return a term of a sum with its sign.

    >>> from derive.formula.transforms import F
    >>> print(latex(F(2) - F(2) / 2))
    F_{2} - \tfrac{1}{2} \, F_{2}
    """
    number, imaginary, of = term
    sign, (p, q) = "-" if number < 0 else "+", abs(number).as_integer_ratio()
    shown = f"{p}" if q == 1 else rf"\tfrac{{{p}}}{{{q}}}"
    scalar = ("" if shown == "1" else shown) + r"\mathrm{i}" * imaginary
    inner = _operand(of, (Sum, DirectSum))
    return f"{sign} {scalar}{BETWEEN}{inner}" if scalar else f"{sign} {inner}"


def displayed(formula: Formula | Equation) -> str:
    r"""Return the LaTeX of a formula or an equation as a notebook shows it, with dollar signs; of a
    long product the first factors, with how many are left out.

    >>> from derive.papers.statements.statement_tables import at_sizes
    >>> print(displayed(at_sizes("cooley-tukey", r=2, s=4)))
    $$\begin{aligned}
    F_{8} &= (F_{2} \otimes I_{4}) \, T^{8}_{4} \, (I_{2} \otimes F_{4}) \, L^{8}_{2}
    \end{aligned}$$
    """
    if isinstance(formula, Equation):
        return in_lines(latex(formula.left), written(formula.right))
    return "$" + BETWEEN.join(_first(written(formula))) + "$"


def written(formula: Formula) -> list[str]:
    """Return the factors of a product, each as LaTeX."""
    if isinstance(formula, Product):
        return [*map(_factor, formula.factors)]
    return [latex(formula)]


def in_lines(left: str, factors: Sequence[str]) -> str:
    """Return an equation with this product on the right, in lines."""
    return f"$$\\begin{{aligned}}\n{left} &= {_broken(_first(factors))}\n\\end{{aligned}}$$"


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


def _factor(formula: Formula) -> str:
    return _operand(formula, (Kron, DirectSum, Sum))


def _operand(formula: Formula, enclosed: tuple[type[Formula], ...]) -> str:
    """Return the LaTeX of a part, in parentheses where it is one of the enclosed kinds."""
    return f"({latex(formula)})" if isinstance(formula, enclosed) else latex(formula)


def _size(size: object) -> str:
    """Return a size; sympy, which takes a while to import, has the LaTeX of those with symbols."""
    return str(size) if isinstance(size, int) else str(_symbolic.size_latex(size))


def _indexed(letter: str, *sizes: object) -> str:
    return f"{letter}_{{{','.join(map(_size, sizes))}}}"


def _raised(alpha: object) -> str:
    if alpha == 0:
        return ""
    plain = isinstance(alpha, int | Fraction) and alpha > 0
    return f"^{{{alpha if plain else _symbolic.angle_latex(alpha)}}}"


def _leaf(leaf: Formula) -> str:
    match leaf:
        case T(n, s) | L(n, s):
            return _indexed(f"{leaf._row.tex}^{{{_size(n)}}}", s)
        case Leaf():
            below, above = beside(leaf, "_"), beside(leaf, "^")
            return _indexed(leaf._row.tex, *below) + "".join(map(_raised, above))
        case Sqrt(a):
            return rf"\sqrt{{{a}}}"
        case Diagonal(tex=tex) | Permutation(tex=tex):
            return tex or rf"\mathrm{{{leaf}}}"
        case Variable(name, _, _, turned):
            return rf"{name}^{{\mathsf{{T}}}}" if turned else name
        case W(name=name):
            return _indexed("W", name)
        case Bmmc(_, name):
            return rf"\Pi_{{\mathrm{{{name.translate(PLAIN)}}}}}"
        case ButterflySum():
            return _butterfly_sum(leaf)
        case HatSum():
            return f"({latex(leaf.definition)})"
    return str(leaf)


def _butterfly_sum(leaf: ButterflySum) -> str:
    """Return diag(A^{0/u}, ..., A^{(u-1)/u}), with all terms where a number u is at most 3."""
    u = _size(leaf.u)
    last = str(leaf.u - 1) if isinstance(leaf.u, int) else f"({u}-1)"
    shown = (
        [str(s) for s in range(leaf.u)]
        if isinstance(leaf.u, int) and leaf.u <= 3
        else ["0", "1", r"\ldots", last]
    )
    stage = _indexed("A", leaf.k, leaf.n)
    terms = [top if top == r"\ldots" else f"{stage}^{{{top}/{u}}}" for top in shown]
    return rf"\operatorname{{diag}}({', '.join(terms)})"
