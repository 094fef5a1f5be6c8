"""Reading the words of a text, and of them sizes.

    size = term { ("+" | "-") term }         power = base [ ("^" | "**") power ]
    term = power { ("*" | "/") power }       base  = SYMBOL | NUMBER | "-" base | "(" size ")"

A SYMBOL is NAME { "_" ( NAME | NUMBER ) }, such as r_1, without spaces.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

from derive.text.expressions import BINDING, FormulaError, Name, Number, Operation, Size, negative
from derive.text.tokens import MATRICES, Token, tokens

Read = TypeVar("Read")
DEEPEST = 60
"""So many parentheses may be open at once."""


class Reader:
    """Reads words from left to right, and of them sizes; a method for each rule of the grammar."""

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


class Numbers(Reader):
    """Reads the numbers that stand before matrices, too."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.units: list[Token] = []
        """Where i stands as the imaginary unit."""

    def is_matrix(self, name: str) -> bool:
        """Return whether a name is that of a matrix or of an operator."""
        return name in MATRICES

    def scalar(self) -> tuple[Size, bool, Size | None]:
        """Read a number before a matrix: without its unit and its root, whether it is a multiple of
        i, and what it has a square root of, if anything.
        """
        sign, units = "*", 0
        found: Size = Number(1)
        root: Size | None = None
        while sign:
            column = self.next.column
            if self.follows("i"):
                if sign == "/":
                    raise self.error("a divisor without i")
                units += 1
                self.units.append(self.take())
            elif self.follows("sqrt", "("):
                part = self.under_root()
                root = part if root is None else Operation("*", root, part, column=column)
                if sign == "/":
                    found = Operation("/", found, part, column=column)
            else:
                part = self.size(BINDING["^"])
                plain = sign == "*" and found == Number(1)
                found = part if plain else Operation(sign, found, part, column=column)
            sign = self.take().text if self.number_next(1) else ""
        return negative(found) if units % 4 > 1 else found, units % 2 == 1, root

    def under_root(self) -> Size:
        """Read sqrt(a), and return a."""
        self.at += 2
        return self.inside(self.size, "at the end of sqrt")

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
