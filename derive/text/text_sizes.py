"""Reading the words of a text, and of them sizes.

    size = term { ("+" | "-") term }         power = base [ ("^" | "**") power ]
    term = power { ("*" | "/") power }       base  = SYMBOL | NUMBER | "-" base | "(" size ")"

A SYMBOL is NAME { "_" ( NAME | NUMBER ) }, such as r_1, without spaces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from derive.formula.named_matrices import MATRICES
from derive.text.expressions import (
    BINDING,
    FormulaError,
    Name,
    Number,
    Operation,
    Size,
    is_negative,
    negative,
    size_symbols,
)
from derive.text.syntax import Added, Kron, Power, Scaled, Text, leaf
from derive.text.tokens import Token, tokens

Read = TypeVar("Read")
DEEPEST = 60
"""So many parentheses may be open at once."""


def _not_x(column: int) -> FormulaError:
    return FormulaError(f"column {column}: x cannot be a size symbol; (x) is the Kronecker product")


class Reader:
    """Reads words from left to right, and of them sizes; a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0
        self.declared: set[str] = set()
        """The symbols that are declared to be sizes."""

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
        found = "the end of the formula" if self.next.kind == "end" else repr(self.next.text)
        return FormulaError(f"column {self.next.column}: expected {wanted}, got {found}")

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

    def listed(self, read: Callable[[], Read], mark: str) -> tuple[Read, ...]:
        """Read one or more of these, with a mark between two."""
        found = [read()]
        while self.skip(mark):
            found.append(read())
        return tuple(found)

    def inside(self, read: Callable[[], Read], where: str) -> Read:
        """Read this and the parenthesis after it, where the one before it is read."""
        self.deeper()
        found = read()
        self.want(")", where)
        self.depth -= 1
        return found

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
            return self.inside(self.size, "at the end of the parentheses")
        if self.next.kind == "kron":
            raise _not_x(column)
        raise self.error("a size, such as 8 or r*s")

    def subscripted(self) -> Name:
        """Read a symbol, perhaps with subscripts: r_1."""
        found = self.symbol()
        while self.next.text == "_" and self.next.column == found.column + len(found.name):
            mark, below = self.tokens[self.at : self.at + 2]
            if below.kind not in ("name", "number") or below.column != mark.column + 1:
                break
            self.at += 2
            found = Name(f"{found.name}_{below.text}", column=found.column)
        return replace(found, declared=found.name in self.declared)

    def symbol(self) -> Name:
        """Read a symbol; x is none."""
        word = self.take()
        if word.text == "x":
            raise _not_x(word.column)
        return Name(word.text, column=word.column)


ONE = leaf("I", Number(1))
UNIT = "i is the imaginary unit before a matrix: name the size i otherwise"


def without_unit(size: Size) -> Size:
    """Return an exponent, or what stands below a root; raise FormulaError where i stands in it."""
    if "i" in size_symbols(size):
        raise FormulaError(f"column {size.column}: {size}: {UNIT}")
    return size


def negated(found: Text, minus: bool) -> Text:
    """Return a matrix, or minus the matrix."""
    if not minus:
        return found
    if isinstance(found, Scaled) and not is_negative(found.by):
        return replace(found, by=negative(found.by))
    return Scaled(negative(Number(1)), False, found, column=found.column)


@dataclass(frozen=True)
class Scalar:
    """A number before a matrix: sqrt(root) for each root times numbers such as 1 + i; i where
    imaginary.
    """

    by: Size
    imaginary: bool
    roots: tuple[Size, ...]
    complexes: tuple[Text, ...]

    def times(self, of: Text, column: int) -> Text:
        """Return a matrix times the number; roots and complex numbers are 1 x 1 matrices."""
        roots = (leaf("sqrt", root, column=root.column) for root in self.roots)
        before = (*roots, *self.complexes)
        found = Kron((*before, of), column=column) if before else of
        plain = (before or of == ONE) and self.by == Number(1) and not self.imaginary
        return found if plain else Scaled(self.by, self.imaginary, found, column=column)


class Numbers(Reader):
    """Reads the numbers that stand before matrices, too."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.units: list[Token] = []
        """Where i stands as the imaginary unit."""

    def is_matrix(self, name: str) -> bool:
        """Return whether a name is that of a matrix or of an operator."""
        return name in MATRICES

    def scalar(self) -> Scalar:
        """Read a number before a matrix."""
        sign, units = "*", 0
        found: Size = Number(1)
        roots: list[Size] = []
        complexes: list[Text] = []
        while sign:
            column = self.next.column
            if sign == "/" and (self.unit_at(self.at) or self.complex_next()):
                raise self.error("a divisor without i")
            if self.unit_at(self.at):
                units += 1
                self.units.append(self.take())
            elif self.complex_next():
                complexes.append(self.complex_number())
            elif self.follows("sqrt", "("):
                roots.append(part := self.under_root())
                if sign == "/":
                    found = Operation("/", found, part, column=column)
            else:
                part = without_unit(self.size(BINDING["^"]))
                plain = sign == "*" and found == Number(1)
                found = part if plain else Operation(sign, found, part, column=column)
            sign = self.take().text if self.number_next(1) else ""
        by = negative(found) if units % 4 > 1 else found
        return Scalar(by, units % 2 == 1, tuple(roots), tuple(complexes))

    def unit_at(self, at: int) -> bool:
        """Return whether the word there is i, and not the beginning of i_1."""
        return self.tokens[at].text == "i" and self.tokens[at + 1].text != "_"

    def complex_next(self) -> bool:
        """Return whether a number in parentheses comes next in which i stands."""
        depth, at = 0, self.at
        while (depth or at == self.at) and self.tokens[at].kind != "end":
            depth += (self.tokens[at].text == "(") - (self.tokens[at].text == ")")
            if depth and self.unit_at(at):
                return True
            at += 1
        return False

    def complex_number(self) -> Text:
        """Read a number in parentheses in which i stands, perhaps a power of it, as a matrix."""
        column = self.next.column
        self.want("(", "before a complex number")
        found = self.inside(self.complex_sum, "at the end of the parentheses")
        return Power(found, without_unit(self.base()), column=column) if self.skip("^") else found

    def complex_sum(self) -> Text:
        """Read a sum of numbers as a matrix of one element."""
        column, terms = self.next.column, [self.complex_term(self.skip("-"))]
        while self.next.text in ("+", "-"):
            terms.append(self.complex_term(self.take().text == "-"))
        return terms[0] if len(terms) == 1 else Added(tuple(terms), column=column)

    def complex_term(self, minus: bool) -> Text:
        """Read a number, or minus a number, as a matrix of one element."""
        column = self.next.column
        return negated(self.scalar().times(ONE, column), minus)

    def end(self) -> None:
        """Raise FormulaError where words are left, or i is the imaginary unit and a size."""
        super().end()
        if 0 < len(self.units) < sum(map(self.unit_at, range(len(self.tokens) - 1))):
            raise FormulaError(f"column {self.units[0].column}: {UNIT}")

    def under_root(self) -> Size:
        """Read sqrt(a), and return a."""
        self.at += 2
        return without_unit(self.inside(self.size, "at the end of sqrt"))

    def number_next(self, after: int = 0) -> bool:
        """Return whether a number comes next, or `after` an operator * or /."""
        if after and self.next.text not in ("*", "/"):
            return False
        at, depth = self.at + after, 0
        if self.tokens[at].text == "sqrt":
            return self.root_at(at)
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

    def root_at(self, at: int) -> bool:
        """Return whether sqrt(a) stands there before a matrix or a number, and is none itself."""
        depth = 0
        for before, token in pairwise(self.tokens[at:]):
            depth += (before.text == "(") - (before.text == ")")
            if before.text == ")" and not depth:
                return token.kind in ("name", "number") or token.text in ("*", "/", "(")
        return False
