"""The grammar of formulas as text, and its parser. A text is never evaluated; an error names the
column.

    equation = sum "=" sum
    sum      = product { ("(+)" | "⊕") product }
    product  = kron { ["*"] kron }
    kron     = operand { ("(x)" | "⊗") operand }
    operand  = atom { "^-1" }
    atom     = "(" sum ")" | NAME "(" size { "," size } ")" | NAME scripts
             | ("inv" | "transpose" | "conj") "(" sum ")"
             | "prod" "(" SYMBOL "," size "," size "," sum ")"
             | "diag" "(" atom "," "..." "," atom ")"
    scripts  = { "_" script | "^" script }
    script   = NAME | NUMBER | "{" size { "," size } "}"

The scripts are how the program prints: F_8, L^8_2, Γ_{2,4,8}^-1, A_{4,8}^{1/2}; a SYMBOL with a _
stands in braces there, L^{N_1}_r. A size is read by sizes.py; MATRICES (tokens.py) has
the names of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from derive.text.expressions import FormulaError, Name, Number, Operation, Size, size_symbols, value
from derive.text.sizes import Reader
from derive.text.sorts import need_symbols
from derive.text.syntax import Applied, Beside, Leaf, Ordered, Sides, Stacked, Text, Times
from derive.text.tokens import ALIASES, MATRICES, OPERATORS, Token

Rule = Callable[[Token], Text]


class Parser(Reader):
    """Reads a text of formulas; a method for each rule of the grammar."""

    def equation(self) -> Sides:
        """Read an equation."""
        left = self.sum()
        self.want("=", "between the sides of an equation")
        right = self.sum()
        self.end()
        return Sides(left, right)

    def sum(self) -> Text:
        """Read a direct sum."""
        column, terms = self.next.column, self.listed(self.product, "(+)")
        return terms[0] if len(terms) == 1 else Stacked(terms, column=column)

    def product(self) -> Text:
        """Read a product; between two factors * may be left out."""
        column, factors = self.next.column, [self.kron()]
        while self.skip("*") or self.next.kind == "name" or self.next.text == "(":
            factors.append(self.kron())
        return factors[0] if len(factors) == 1 else Times(tuple(factors), column=column)

    def kron(self) -> Text:
        """Read a Kronecker product."""
        column, operands = self.next.column, self.listed(self.operand, "(x)")
        return operands[0] if len(operands) == 1 else Beside(operands, column=column)

    def operand(self) -> Text:
        """Read a matrix or a formula in parentheses, perhaps its inverse."""
        column = self.next.column
        found = self.atom()
        while self.follows("^", "-", "1"):
            self.at += 3
            found = Applied("inv", found, column=column)
        return found

    def atom(self) -> Text:
        """Read what an operator may stand before and after."""
        if self.skip("("):
            return self.inside(self.sum, "at the end of the parentheses")
        if self.next.kind != "name":
            raise self.error("a matrix, such as F(8), or '('")
        word = self.take()
        if word.text in (*OPERATORS, "prod", "diag"):
            return self.applied(word)
        name = ALIASES.get(word.text, word.text)
        if name not in MATRICES:
            raise FormulaError(
                f"column {word.column}: {word.text} is no matrix: known are {', '.join(MATRICES)},"
                f" and {', '.join(OPERATORS)}, prod"
            )
        return self.called(name, word) if self.skip("(") else self.scripted(name, word)

    def applied(self, word: Token) -> Text:
        """Read inv(A), transpose(A), conj(A), prod(k, a, b, A) or diag(A, ..., A)."""
        self.want("(", f"after {word.text}")
        rules: dict[str, Rule] = {"prod": self.ordered, "diag": self.stages}
        read = partial(rules.get(word.text, self.function), word)
        return self.inside(read, f"at the end of {word.text}")

    def function(self, word: Token) -> Text:
        """Read A of inv, transpose or conj."""
        return Applied(word.text, self.sum(), column=word.column)

    def ordered(self, word: Token) -> Ordered:
        """Read k, a, b, A of a prod."""
        index = self.index()
        first, last = self.comma(index).size(), self.comma(index).size()
        return Ordered(index, first, last, self.comma(index).sum(), column=word.column)

    def index(self) -> str:
        """Read the index of a prod."""
        if self.next.kind != "name":
            raise self.error("the index of the product, a name,")
        return self.subscripted().name

    def comma(self, index: str) -> Parser:
        """Go past a comma of a prod."""
        self.want(",", f"in prod({index}, first, last, formula)")
        return self

    def stages(self, word: Token) -> Leaf:
        """Read A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}, as a direct sum of stages is printed."""
        first = self.atom()
        for mark in (",", "...", ","):
            self.want(mark, "in diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u})")
        last = self.atom()
        match first, last:
            case Leaf("A", (k, n, Operation("/", Number(0), u))), Leaf(
                "A", (k1, n1, Operation("/", Operation("-", u1, Number(1)), u2))
            ):
                if (k, n, u, u) == (k1, n1, u1, u2):
                    return Leaf("ButterflySum", (k, n, u), column=word.column)
        raise FormulaError(
            f"column {word.column}: diag is read as diag(A_{{k,n}}^{{0/u}}, ...,"
            " A_{k,n}^{(u-1)/u}): write other ones with (+)"
        )

    def called(self, name: str, word: Token) -> Leaf:
        """Read the sizes of a matrix in parentheses."""
        read = partial(self.listed, self.size, ",")
        return self.leaf(name, self.inside(read, f"or ',' after a size of {word.text}"), word)

    def scripted(self, name: str, word: Token) -> Leaf:
        """Read the sizes of a matrix as scripts: L^N_r, T^N_s, others below, the alpha of a stage
        above.
        """
        scripts: dict[str, tuple[Size, ...]] = {}
        while self.next.text in ("_", "^") and not self.follows("^", "-", "1"):
            mark = self.take()
            if mark.text in scripts:
                raise FormulaError(f"column {mark.column}: {word.text} has two scripts {mark.text}")
            scripts[mark.text] = self.script()
        if not scripts:
            why = ", and x is no size symbol" if self.next.kind == "kron" else ""
            raise FormulaError(
                f"column {word.column}: {word.text} stands without its size{why}: write"
                f" {word.text}({', '.join(MATRICES[name])})"
            )
        above, below = scripts.get("^", ()), scripts.get("_", ())
        return self.leaf(name, above + below if name in ("L", "T") else below + above, word)

    def script(self) -> tuple[Size, ...]:
        """Read a script: a name, a number, or sizes in braces."""
        if not self.skip("{"):
            return (self.symbol() if self.next.kind == "name" else self.base(),)
        sizes = self.listed(self.size, ",")
        self.want("}", "at the end of a script")
        return sizes

    def leaf(self, name: str, sizes: tuple[Size, ...], word: Token) -> Leaf:
        """Return a matrix with so many sizes as it takes."""
        wanted = MATRICES[name]
        if not len(wanted) - wanted.count("alpha?") <= len(sizes) <= len(wanted):
            raise FormulaError(
                f"column {word.column}: {word.text} has {len(sizes)} sizes: it is"
                f" {word.text}({', '.join(wanted)})"
            )
        return Leaf(name, sizes, column=word.column)


def parse(text: str) -> Sides:
    """Return the sides of an equation.

    Raises FormulaError with the column where the text is no equation.

    >>> print(parse("F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2"))
    F(8) = F(2) (x) I(4) * T(8, 4) * I(2) (x) F(4) * L(8, 2)
    >>> parse("F(8) = F(2) (x) * I(4)")
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: column 17: a matrix, such as F(8), or '(' is expected, not '*'
    """  # noqa: E501
    return Parser(text).equation()


def parse_formula(text: str) -> Text:
    """Return a formula.

    >>> print(parse_formula("prod(k, 1, n, I(2^k)) Γ_{u,p,N}^-1"))
    prod(k, 1, n, I(2^k)) * inv(Gamma(u, p, N))
    """
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
        if not isinstance(name, Name) or relation != "=" or name.name in found:
            raise FormulaError(f"column {name.column}: values are stated once each, as n=4,r=2")
        if missing := size_symbols(size) - found.keys():
            raise FormulaError(
                f"column {name.column}: {name} = {size}: {', '.join(sorted(missing))} has no value"
                f" before it: write a number, as {name}=4, or symbols that have one"
            )
        used |= size_symbols(size)
        found[name.name] = value(size, found)
    if sides:
        need_symbols(found.keys() - (known or {}).keys(), used, "--set")
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
