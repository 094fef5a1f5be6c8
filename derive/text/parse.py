"""Texts read: equations, formulas, values of symbols and conditions on them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from derive.call_arguments import named
from derive.text.expressions import FormulaError, Name, Size, size_symbols, value
from derive.text.sorts import need_symbols
from derive.text.statements import Statements
from derive.text.syntax import Sides, Text
from derive.text.text_grammar import Parser


def parse(text: str, known: Iterable[Text] = ()) -> Sides:
    """Return the sides of an equation, which may speak of what texts that are known define and
    declare.

    Raises FormulaError with the column where the text is no equation.

    >>> print(parse("F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2"))
    F(8) = F(2) (x) I(4) * T(8, 4) * I(2) (x) F(4) * L(8, 2)
    >>> parse("F(8) = F(2) (x) * I(4)")
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: column 17: expected a matrix, such as F(8), or '(', got '*'
    >>> print(parse("A * A = I(m)", [parse("A : m x m; A = A").left]))
    A : m x m; A * A = I(m)
    """  # noqa: E501
    return Statements(text, known).equation()


def parse_formula(text: str, statements: str = "") -> Text:
    """Return a formula, which may speak of what statements define and declare.

    >>> print(parse_formula("prod(k, 1, n, I(2^k)) Γ_{u,p,N}^-1"))
    prod(k, 1, n, I(2^k)) * inv(Gamma(u, p, N))
    >>> print(parse_formula("G(4) * A", "let G(n) = F(n); A : 4 x 4; "))
    G(4) * A
    """
    if statements:
        return Statements(f"{statements}{text} = I(1)").equation().left
    parser = Parser(text)
    found = parser.sum()
    parser.end()
    return found


def parse_values(
    text: str, known: dict[str, Fraction] | None = None, sides: Sides | None = None
) -> dict[str, Fraction]:
    """Return the values of symbols: n=4, alpha=1/2, r=2^n; with those in `known`, which are not
    stated again.

    Raises FormulaError where the text is no list of these, or, given the sides of an equation, has
    a symbol that stands in none of them nor in other values.

    >>> parse_values("n=4, r=2^n")
    {'n': Fraction(4, 1), 'r': Fraction(16, 1)}
    """
    found = dict(known or {})
    used = sides.symbols if sides else set()
    for name, relation, size in parse_relations(text):
        if not isinstance(name, Name) or relation != "=":
            raise FormulaError(f"column {name.column}: values must be written as n=4,r=2")
        if name.name in found:
            raise FormulaError(
                f"{name} is given twice in {named('set')}: {found[name.name]} and {size}"
            )
        if missing := size_symbols(size) - found.keys():
            raise FormulaError(
                f"column {name.column}: {name} = {size}: {', '.join(sorted(missing))} has no value"
                f" before it: write a number, as {name}=4, or symbols that have one"
            )
        used |= size_symbols(size)
        found[name.name] = value(size, found)
    if sides:
        need_symbols(found.keys() - (known or {}).keys(), used, "set")
    return found


def parse_relations(text: str) -> list[tuple[Size, str, Size]]:
    """Return conditions on symbols, each a size, one of = >= > <= <, and a size.

    >>> [(str(a), relation, str(b)) for a, relation, b in parse_relations("n >= 1, N = 2^n")]
    [('n', '>=', '1'), ('N', '=', '2^n')]
    """
    parser = Parser(text)
    found: list[tuple[Size, str, Size]] = []
    while parser.next.kind != "end":
        left = parser.size()
        if parser.next.text not in ("=", ">=", ">", "<=", "<"):
            raise parser.error("one of = >= > <= <")
        relation = parser.take().text
        found.append((left, relation, parser.size()))
        if parser.next.kind != "end":
            parser.want(",", "between two conditions")
            if parser.next.kind == "end":
                raise parser.error("a condition")
    return found
