"""The grammar of formulas as text, and its parser. A text is never evaluated; an error names the
column.

    equation = sum "=" sum
    sum      = product { ("(+)" | "⊕") product }
    product  = kron { ["*"] kron }
    kron     = operand { ("(x)" | "⊗") operand }
    operand  = atom { "^-1" }
    atom     = "(" sum ")" | NAME "(" size { "," size } ")" | NAME scripts | ("inv" | "transpose" | "conj") "(" sum ")"
             | "prod" "(" SYMBOL "," size "," size "," sum ")" | "diag" "(" atom "," "..." "," atom
             ")"
    scripts  = { "_" script | "^" script }         script = NAME | NUMBER | "{" size { "," size } "}"
    size     = term { ("+" | "-") term }           term = power { ("*" | "/") power }         power = base [ ("^" | "**") power ]
    base     = SYMBOL | NUMBER | "-" base | "(" size ")"       SYMBOL = NAME { "_" ( NAME | NUMBER ) }, such as r_1, without spaces

The scripts are how the program prints: F_8, L^8_2, Γ_{2,4,8}^-1, A_{4,8}^{1/2}; a SYMBOL with a _
stands in braces there, L^{N_1}_r. The names of matrices stand in MATRICES (tokens.py).
"""  # noqa: E501

from __future__ import annotations

from fractions import Fraction

from derive.text.syntax import (
    BINDING,
    Applied,
    Beside,
    FormulaError,
    Leaf,
    Name,
    Number,
    Operation,
    Ordered,
    Sides,
    Size,
    Stacked,
    Text,
    Times,
    value,
)
from derive.text.tokens import ALIASES, MATRICES, OPERATORS, Token, tokens

DEEPEST = 60
"""So many parentheses may be open at once."""


class Parser:
    """Reads one text from left to right; a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        """The word that comes next."""
        return self.tokens[self.at]

    def take(self) -> Token:
        """Return the next word and go past it."""
        self.at += 1
        return self.tokens[self.at - 1]

    def follows(self, *words: str) -> bool:
        """Return whether these words come next."""
        return tuple(token.text for token in self.tokens[self.at : self.at + len(words)]) == words

    def skip(self, word: str) -> bool:
        """Go past a word if it comes next, and return whether it did."""
        found = self.next.kind != "end" and self.next.text == word
        self.at += found
        return found

    def want(self, word: str, after: str) -> None:
        """Go past a word that has to come next."""
        if not self.skip(word):
            raise self.error(f"{word!r} {after}")

    def error(self, wanted: str) -> FormulaError:
        """Return an error at the next word."""
        found = "the end of the text" if self.next.kind == "end" else repr(self.next.text)
        return FormulaError(f"column {self.next.column}: {wanted} is expected, not {found}")

    def end(self) -> None:
        """Raise FormulaError unless all words are read."""
        if self.next.kind != "end":
            raise self.error("an operator or the end")

    def deeper(self) -> None:
        """Count an open parenthesis."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(
                f"column {self.next.column}: more than {DEEPEST} parentheses are open"
            )

    def equation(self) -> Sides:
        """Read an equation."""
        left = self.sum()
        self.want("=", "between the sides of an equation")
        right = self.sum()
        self.end()
        return Sides(left, right)

    def sum(self) -> Text:
        """Read a direct sum."""
        column, terms = self.next.column, [self.product()]
        while self.skip("(+)"):
            terms.append(self.product())
        return terms[0] if len(terms) == 1 else Stacked(tuple(terms), column=column)

    def product(self) -> Text:
        """Read a product; between two factors * may be left out."""
        column, factors = self.next.column, [self.kron()]
        while self.skip("*") or self.next.kind == "name" or self.next.text == "(":
            factors.append(self.kron())
        return factors[0] if len(factors) == 1 else Times(tuple(factors), column=column)

    def kron(self) -> Text:
        """Read a Kronecker product."""
        column, operands = self.next.column, [self.operand()]
        while self.skip("(x)"):
            operands.append(self.operand())
        return operands[0] if len(operands) == 1 else Beside(tuple(operands), column=column)

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
            self.deeper()
            inner = self.sum()
            self.want(")", "at the end of the parentheses")
            self.depth -= 1
            return inner
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
        self.deeper()
        if word.text == "prod":
            index = self.index()
            first = self.comma(index).size()
            last = self.comma(index).size()
            found: Text = Ordered(index, first, last, self.comma(index).sum(), column=word.column)
        elif word.text == "diag":
            found = self.stages(word)
        else:
            found = Applied(word.text, self.sum(), column=word.column)
        self.want(")", f"at the end of {word.text}")
        self.depth -= 1
        return found

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
        self.deeper()
        sizes = [self.size()]
        while self.skip(","):
            sizes.append(self.size())
        self.want(")", f"or ',' after a size of {word.text}")
        self.depth -= 1
        return self.leaf(name, tuple(sizes), word)

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
        sizes = [self.size()]
        while self.skip(","):
            sizes.append(self.size())
        self.want("}", "at the end of a script")
        return tuple(sizes)

    def leaf(self, name: str, sizes: tuple[Size, ...], word: Token) -> Leaf:
        """Return a matrix with so many sizes as it takes."""
        wanted = MATRICES[name]
        if not len(wanted) - wanted.count("alpha?") <= len(sizes) <= len(wanted):
            raise FormulaError(
                f"column {word.column}: {word.text} has {len(sizes)} sizes: it is"
                f" {word.text}({', '.join(wanted)})"
            )
        return Leaf(name, sizes, column=word.column)

    def size(self, binding: int = 1) -> Size:
        """Read a size whose operators bind at least so tightly."""
        column, left = self.next.column, self.base()
        while BINDING.get(self.next.text, 0) >= binding:
            sign = self.take().text
            left = Operation(sign, left, self.size(BINDING[sign] + (sign != "^")), column=column)
        return left

    def base(self) -> Size:
        """Read a number, a symbol, a negative size or one in parentheses."""
        column = self.next.column
        if self.next.kind == "number":
            word = self.take()
            if len(word.text) > 19:
                raise FormulaError(
                    f"column {column}: {word.text[:9]}... has {len(word.text)} digits: numbers have"
                    " at most 19"
                )
            return Number(int(word.text), column=column)
        if self.next.kind == "name":
            return self.subscripted()
        if self.skip("-"):
            self.deeper()
            found = Operation("-", Number(0), self.size(BINDING["*"]), column=column)
            self.depth -= 1
            return found
        if self.skip("("):
            self.deeper()
            inner = self.size()
            self.want(")", "at the end of the parentheses")
            self.depth -= 1
            return inner
        if self.next.kind == "kron":
            raise FormulaError(
                f"column {column}: x is no size symbol: (x) is the Kronecker product"
            )
        raise self.error("a size, such as 8 or r*s,")

    def subscripted(self) -> Name:
        """Read a symbol, perhaps with subscripts: r_1."""
        found = self.symbol()
        while self.next.text == "_" and self.next.column == found.column + len(found.name):
            mark, below = self.tokens[self.at : self.at + 2]
            if below.kind not in ("name", "number") or below.column != mark.column + 1:
                break
            self.at += 2
            found = Name(f"{found.name}_{below.text}", column=found.column)
        return found

    def symbol(self) -> Name:
        """Read a symbol; x is none."""
        word = self.take()
        if word.text == "x":
            raise FormulaError(
                f"column {word.column}: x is no size symbol: (x) is the Kronecker product"
            )
        return Name(word.text, column=word.column)


def parse(text: str) -> Sides:
    """Return the sides of an equation.

    Raises FormulaError with the column where the text is no equation.

    >>> print(parse("F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2"))
    F(8) = F(2) (x) I(4) * T(8, 4) * I(2) (x) F(4) * L(8, 2)
    >>> parse("F(8) = F(2) (x) * I(4)")
    Traceback (most recent call last):
    derive.text.syntax.FormulaError: column 17: a matrix, such as F(8), or '(' is expected, not '*'
    """
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


def parse_values(text: str, known: dict[str, Fraction] | None = None) -> dict[str, Fraction]:
    """Return the values of symbols: n=4, alpha=1/2, r=2^n; with those in `known`, which are not
    stated again.

    Raises FormulaError where the text is no list of these.

    >>> parse_values("n=4, r=2^n")
    {'n': Fraction(4, 1), 'r': Fraction(16, 1)}
    """
    found = dict(known or {})
    for name, relation, size in parse_relations(text):
        if not isinstance(name, Name) or relation != "=" or name.name in found:
            raise FormulaError(f"column {name.column}: values are stated once each, as n=4,r=2")
        found[name.name] = value(size, found)
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
