"""The grammar of formulas as text, and its parser. A text is never evaluated; an error names the
column.

    equation = { sizes ";" } sum "=" sum
    sizes    = letters { "," letters }
    letters  = NAME { "," NAME } ":" size "x" size
    sum      = ["-"] direct { ("+" | "-") direct }
    direct   = product { ("(+)" | "⊕") product }
    product  = [ scalar ["*"] ] kron { ["*"] kron }
    kron     = operand { ("(x)" | "⊗") operand }
    operand  = atom { "^-1" | "^" exponent }
    exponent = SYMBOL | NUMBER | "(" size ")"
    scalar   = number { ("*" | "/") number }
    number   = ( "i" | SYMBOL | NUMBER | "(" size ")" ) [ "^" exponent ]
    atom     = LETTER | "(" sum ")" | NAME "(" size { "," size } ")" | NAME scripts
             | ("inv" | "transpose" | "conj") "(" sum ")"
             | "prod" "(" SYMBOL "," size "," size "," sum ")"
             | "diag" "(" atom "," "..." "," atom ")"
    scripts  = { "_" script | "^" script }
    script   = NAME | NUMBER | "{" size { "," size } "}"

A LETTER is a matrix variable, A : m x n, which hides a matrix of this name. In a scalar, i is the
imaginary unit. The scripts are how the program prints: F_8, L^8_2, Γ_{2,4,8}^-1, A_{4,8}^{1/2}; a
SYMBOL with a _ stands in braces there, L^{N_1}_r. A size is read by sizes.py; MATRICES (tokens.py)
has the names of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from derive.text.expressions import BINDING, FormulaError, Number, Operation, Size
from derive.text.sizes import Reader
from derive.text.syntax import (
    Added,
    Applied,
    Beside,
    Leaf,
    Ordered,
    Power,
    Scaled,
    Sides,
    Stacked,
    Text,
    Times,
    Variable,
    is_negative,
    negative,
    symbols,
)
from derive.text.tokens import ALIASES, MATRICES, OPERATORS, Token

Rule = Callable[[Token], Text]


class Parser(Reader):
    """Reads a text of formulas; a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.units: list[Token] = []
        """Where i stands as the imaginary unit."""
        self.letters: dict[str, Variable] = {}
        """The matrix variables."""
        self.indices: set[str] = set()
        """The indices of products."""

    def equation(self) -> Sides:
        """Read an equation, and before it the sizes of matrix variables."""
        while self.next.kind == "name" and self.tokens[self.at + 1].text in (":", ","):
            self.sizes()
        left = self.sum()
        self.want("=", "between the sides of an equation")
        right = self.sum()
        self.end()
        if 0 < len(self.units) < sum(token.text == "i" for token in self.tokens):
            raise FormulaError(
                f"column {self.units[0].column}: i is the imaginary unit before a matrix: name the"
                " size i otherwise"
            )
        found = Sides(left, right)
        self.need_own_names(found)
        return found

    def sizes(self) -> None:
        """Read the sizes of matrix variables: A, B : m x n, C : n x n;."""
        named = [self.letter()]
        while self.skip(","):
            named.append(self.letter())
        self.want(":", "and the size m x n of a matrix variable")
        rows = self.size()
        self.want("x", "between the numbers of rows and columns")
        columns = self.size()
        for word in named:
            found = Variable(word.text, rows, columns, column=word.column)
            if found != self.letters.setdefault(word.text, found):
                raise FormulaError(
                    f"column {word.column}: {found.declaration} and"
                    f" {self.letters[word.text].declaration}: a matrix variable has one size"
                )
        if not self.skip(","):
            self.want(";", "after the sizes of matrix variables")

    def letter(self) -> Token:
        """Read the name of a matrix variable."""
        if self.next.kind != "name" or self.next.text in (*OPERATORS, "prod", "diag", "x"):
            raise self.error("the name of a matrix variable")
        return self.take()

    def need_own_names(self, found: Sides) -> None:
        """Raise FormulaError where a name stands for a matrix and for a size, or a size of a matrix
        variable is an index.
        """
        sizes = found.symbols | self.indices
        of_letters = {x for one in self.letters.values() for x in symbols(one)}
        for name, one in self.letters.items():
            if name in sizes | of_letters:
                raise FormulaError(f"column {one.column}: {name} is a matrix variable and a size")
        for name in sorted(of_letters & self.indices):
            raise FormulaError(f"{name} is the index of a prod and in a size of a matrix variable")

    def sum(self) -> Text:
        """Read a sum of matrices."""
        column, terms = self.next.column, [self.signed(self.skip("-"))]
        while self.next.text in ("+", "-"):
            terms.append(self.signed(self.take().text == "-"))
        return terms[0] if len(terms) == 1 else Added(tuple(terms), column=column)

    def signed(self, minus: bool) -> Text:
        """Read a direct sum, or minus a direct sum."""
        column, found = self.next.column, self.direct()
        if not minus:
            return found
        if isinstance(found, Scaled) and not is_negative(found.by):
            return replace(found, by=negative(found.by))
        return Scaled(negative(Number(1)), False, found, column=column)

    def direct(self) -> Text:
        """Read a direct sum."""
        column, terms = self.next.column, self.listed(self.product, "(+)")
        return terms[0] if len(terms) == 1 else Stacked(terms, column=column)

    def product(self) -> Text:
        """Read a product, perhaps with a number before it; between two factors * may be left
        out.
        """
        column = self.next.column
        if self.number_next():
            by, imaginary = self.scalar()
            self.skip("*")
            return Scaled(by, imaginary, self.factors(), column=column)
        return self.factors()

    def factors(self) -> Text:
        """Read the factors of a product."""
        column, factors = self.next.column, [self.kron()]
        while self.skip("*") or self.next.kind == "name" or self.next.text == "(":
            factors.append(self.kron())
        return factors[0] if len(factors) == 1 else Times(tuple(factors), column=column)

    def scalar(self) -> tuple[Size, bool]:
        """Read a number before a matrix, and whether it is a multiple of i."""
        sign, units = "*", 0
        found: Size = Number(1)
        while sign:
            if self.follows("i"):
                if sign == "/":
                    raise self.error("a divisor without i")
                units += 1
                self.units.append(self.take())
            else:
                column, part = self.next.column, self.size(BINDING["^"])
                plain = sign == "*" and found == Number(1)
                found = part if plain else Operation(sign, found, part, column=column)
            sign = self.take().text if self.number_next(1) else ""
        return negative(found) if units % 4 > 1 else found, units % 2 == 1

    def number_next(self, after: int = 0) -> bool:
        """Return whether a number comes next, or `after` an operator * or /."""
        if after and self.next.text not in ("*", "/"):
            return False
        at, depth = self.at + after, 0
        while (token := self.tokens[at]).kind != "end":
            called = self.tokens[at + 1].text == "(" and token.text != "i"
            named = token.kind == "name" and not called and not self.is_matrix(token.text)
            if not (named or token.kind == "number" or token.text in tuple("+-*/^()")):
                return False
            depth += (token.text == "(") - (token.text == ")")
            at += 1
            if depth <= 0:
                return named or token.kind == "number" or token.text == ")"
        return False

    def is_matrix(self, name: str) -> bool:
        """Return whether a name is that of a matrix or of an operator."""
        return name in (*MATRICES, *ALIASES, *OPERATORS, "prod", "diag", *self.letters)

    def kron(self) -> Text:
        """Read a Kronecker product."""
        column, operands = self.next.column, self.listed(self.operand, "(x)")
        return operands[0] if len(operands) == 1 else Beside(operands, column=column)

    def operand(self) -> Text:
        """Read a matrix or a formula in parentheses, perhaps its inverse or a power."""
        column = self.next.column
        found = self.atom()
        while self.next.text == "^":
            if self.follows("^", "-", "1"):
                self.at += 3
                found = Applied("inv", found, column=column)
                continue
            self.take()
            found = Power(found, self.base(), column=column)
        return found

    def atom(self) -> Text:
        """Read what an operator may stand before and after."""
        if self.skip("("):
            return self.inside(self.sum, "at the end of the parentheses")
        if self.next.text in self.letters:
            return self.lettered(self.take())
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

    def lettered(self, word: Token) -> Variable:
        """Return a matrix variable."""
        if self.next.text == "(" and self.next.column == word.column + len(word.text):
            raise FormulaError(
                f"column {word.column}: {word.text} is a matrix variable, and stands without sizes"
            )
        return replace(self.letters[word.text], column=word.column)

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
        self.indices.add(index)
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
