"""LaTeX of formula texts, with the letters of derive.formula.latex."""

from __future__ import annotations

from collections.abc import Sequence

from derive.formula.latex import BETWEEN, LETTERS, in_lines
from derive.text.expressions import Name, Number, Operation, Size, loose, negative
from derive.text.syntax import (
    Added,
    Again,
    Applied,
    Beside,
    Defined,
    Leaf,
    Ordered,
    Power,
    Ranged,
    Scaled,
    Sides,
    Stacked,
    Text,
    Times,
    Variable,
    signed,
)

NAMED = {kind.__name__: letter for kind, letter in LETTERS.items()}
UPPER = ("T", "L")
"""Matrices whose first size stands above."""
BELOW = {"Omega": 1, "B": 1, "D": 1, "A": 2}
"""So many sizes of these stand below, and what follows them is an exponent."""
OPERATORS = {"inv": "{}^{{-1}}", "transpose": r"{}^{{\mathsf{{T}}}}", "conj": r"\overline{{{}}}"}
FACTOR = Stacked | Times | Beside | Added | Scaled
LOOSE = FACTOR | Ordered


def latex(text: Text) -> str:
    r"""Return a text as LaTeX, without dollar signs.

    >>> from derive.text.parse import parse
    >>> print(latex(parse("F(r*s) = F(r) (x) I(s) * T(r*s,s) * L(2^n,r)").right))
    (F_{r} \otimes I_{s}) \, T^{r s}_{s} \, L^{2^{n}}_{r}
    """
    match text:
        case Leaf():
            return _leaf(text)
        case Times(parts):
            return BETWEEN.join(_factors(parts))
        case Beside(parts):
            return r" \otimes ".join(_within(part, LOOSE) for part in parts)
        case Stacked(parts):
            return r" \oplus ".join(_within(part, LOOSE) for part in parts)
        case Ordered(index, first, last, body):
            bounds = f"_{{{_name(index)}={size(first)}}}^{{{size(last)}}}"
            return rf"\prod{bounds} {_within(body, FACTOR)}"
        case Applied(name, of):
            inner = latex(of) if name == "conj" else _within(of, LOOSE | Applied | Leaf | Power)
            return OPERATORS[name].format(inner)
        case Ranged(name, indices, of):
            digits = r",\,".join(f"{_name(index)} < {size(radix)}" for index, radix in indices)
            shown = f"w^{{{size(of)}}}" if name == "diag" else size(of)
            return rf"\operatorname{{{name}}}_{{{digits}}} ({shown})"
        case Defined() | Again():
            name = text.definition.name if isinstance(text, Defined) else text.name
            return f"{_name(name)}_{{{','.join(map(size, text.arguments))}}}"
        case Variable(name):
            return _name(name)
        case Added(terms):
            return _within(terms[0], Added) + "".join(map(_added, terms[1:]))
        case Scaled(by, imaginary, of):
            return f"{_scalar(by, imaginary)}{BETWEEN}{_within(of, Stacked | Added | Scaled)}"
        case Power(of, exponent):
            return f"{_within(of, LOOSE | Applied | Leaf | Power)}^{{{size(exponent)}}}"


def equation(sides: Sides) -> str:
    """Return an equation as LaTeX, without dollar signs."""
    return f"{latex(sides.left)} = {latex(sides.right)}"


def displayed(sides: Sides) -> str:
    """Return an equation as a notebook shows it, in lines, with dollar signs."""
    right = sides.right
    factors = _factors(right.factors) if isinstance(right, Times) else [latex(right)]
    return in_lines(latex(sides.left), factors)


def _added(term: Text) -> str:
    sign, shown = signed(term)
    return f" {sign} {_within(shown, Added)}"


def _scalar(by: Size, imaginary: bool) -> str:
    r"""Return the number before a matrix.

    >>> from derive.text.parse import parse_formula
    >>> print(latex(parse_formula("i/2 * F(4) - 2^n * I(4)")))
    1/2 \mathrm{i} \, F_{4} - 2^{n} \, I_{4}
    """
    unit = r"\mathrm{i}"
    if imaginary and by in (Number(1), negative(Number(1))):
        return ("-" if by != Number(1) else "") + unit
    shown = f"({size(by)})" if loose(by) else size(by)
    return f"{shown} {unit}" if imaginary else shown


def _factors(parts: Sequence[Text]) -> list[str]:
    r"""Return the factors of a product; one of \prod ends where the next begins."""
    before = [_within(part, FACTOR | Ordered) for part in parts[:-1]]
    return [*before, _within(parts[-1], FACTOR)]


def _within(text: Text, looser: object) -> str:
    """Return a text as it stands in an operator: in parentheses if it binds more loosely."""
    return f"({latex(text)})" if isinstance(text, looser) else latex(text)  # type: ignore[arg-type]


def _leaf(leaf: Leaf) -> str:
    letter = NAMED.get(leaf.name, rf"\mathrm{{{leaf.name}}}")
    shown = [size(each) for each in leaf.sizes]
    below = BELOW.get(leaf.name, len(shown))
    if leaf.name in UPPER:
        return f"{letter}^{{{shown[0]}}}_{{{shown[1]}}}"
    above = f"^{{{shown[below]}}}" if below < len(shown) else ""
    return f"{letter}_{{{','.join(shown[:below])}}}{above}"


def size(value: Size) -> str:
    r"""Return a size as LaTeX.

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
            return _name(name)
        case Operation("^", left, right):
            return f"{_enclosed(left, Operation)}^{{{size(right)}}}"
        case Operation("-", Number(0), right):
            return f"-{_factor(right)}"
        case Operation("*", left, right):
            before, after = _factor(left, "+-/"), _factor(right)
            return before + (r" \cdot " if after[0].isdecimal() else " ") + after
        case Operation("/", left, right):
            return f"{_factor(left)}/{_enclosed(right, Operation)}"
        case Operation(sign, left, right):
            return f"{size(left)}{sign}{_factor(right)}"


def _factor(value: Size, signs: str = "+-") -> str:
    """Return a size as it stands in a product: with these signs in parentheses."""
    loose = isinstance(value, Operation) and value.sign in signs
    return f"({size(value)})" if loose else size(value)


def _enclosed(value: Size, kind: type) -> str:
    return f"({size(value)})" if isinstance(value, kind) else size(value)


def _name(name: str) -> str:
    r"""Return a symbol: its letter, and digits below it.

    >>> print(_name("n1"), _name("n"), _name("size"))
    n_{1} n \mathrm{size}
    """
    letters = name.rstrip("0123456789")
    if len(letters) > 1:
        return rf"\mathrm{{{name}}}"
    return f"{letters}_{{{name[1:]}}}" if name[1:] else name
