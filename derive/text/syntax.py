"""Formulas as they are written: the tree of a text, how it prints, and what its sizes are at given
values.

    size    = Number(value) | Name(name) | Operation(sign, left, right)              sign one of + - * / ^
    text    = Leaf(name, sizes) | Times(factors) | Beside(operands) | Stacked(terms) | Ordered(index, first, last, body) | Applied(name, of)

Times is the product, Beside the Kronecker product, Stacked the direct sum, Ordered the product
prod(k, a, b, A). Every node knows the column where it stands, which is no part of it: equal trees
are equal texts but for spaces and parentheses.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from derive.arguments import values_of
from derive.lazy import lazily

_latex = lazily("derive.text.latex")

Values = Mapping[str, Fraction | int]
"""What the symbols of sizes stand for."""


class FormulaError(ValueError):
    """A text is no formula, or its sizes do not fit."""


class NotWhole(FormulaError):
    """A size is no positive integer at the given values."""


class TooLarge(FormulaError):
    """A product has too many factors at the given values."""


@dataclass(frozen=True)
class Node:
    """A part of a text; `column` is where it begins, from 1."""

    column: int = field(default=0, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Number(Node):
    """A natural number."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Name(Node):
    """A symbol."""

    name: str

    def __str__(self) -> str:
        return self.name


BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
"""How tightly an operation on sizes binds; ^ from the right, the others from the left."""


@dataclass(frozen=True)
class Operation(Node):
    """An operation on two sizes."""

    sign: str
    left: Size
    right: Size

    def __str__(self) -> str:
        if self.sign == "-" and self.left == Number(0):
            return f"-{self._part(self.right, True)}"
        return f"{self._part(self.left, self.sign == '^')}{self.sign}{self._part(self.right, self.sign != '^')}"  # noqa: E501

    def _part(self, size: Size, strict: bool) -> str:
        loose = isinstance(size, Operation) and BINDING[size.sign] < BINDING[self.sign] + strict
        return f"({size})" if loose else str(size)


Size = Number | Name | Operation


@dataclass(frozen=True)
class Leaf(Node):
    """A matrix by its name and sizes, such as T(8, 2)."""

    name: str
    sizes: tuple[Size, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.sizes))})"


@dataclass(frozen=True)
class Times(Node):
    """A product, the rightmost factor applied first."""

    factors: tuple[Text, ...]

    def __str__(self) -> str:
        return " * ".join(_within(factor, Stacked | Times) for factor in self.factors)


@dataclass(frozen=True)
class Beside(Node):
    """A Kronecker product."""

    operands: tuple[Text, ...]

    def __str__(self) -> str:
        return " (x) ".join(_within(operand, Stacked | Times | Beside) for operand in self.operands)


@dataclass(frozen=True)
class Stacked(Node):
    """A direct sum."""

    terms: tuple[Text, ...]

    def __str__(self) -> str:
        return " (+) ".join(_within(term, Stacked) for term in self.terms)


@dataclass(frozen=True)
class Ordered(Node):
    """The product A(first) A(first + 1) ... A(last) of the body over its index; the identity where
    first > last.
    """

    index: str
    first: Size
    last: Size
    body: Text

    def __str__(self) -> str:
        return f"prod({self.index}, {self.first}, {self.last}, {self.body})"


@dataclass(frozen=True)
class Applied(Node):
    """inv(A), transpose(A) or conj(A)."""

    name: str
    of: Text

    def __str__(self) -> str:
        return f"{self.name}({self.of})"


Text = Leaf | Times | Beside | Stacked | Ordered | Applied


@dataclass(frozen=True)
class Equation:
    """An equation, left = right, as it is written: its sizes may have symbols."""

    left: Text
    right: Text

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"

    def __repr__(self) -> str:
        return f"Equation({str(self)!r})"

    def to_latex(self) -> str:
        """Return the equation as LaTeX, without dollar signs."""
        return str(_latex.equation(self))

    def _repr_latex_(self) -> str:
        """Return the equation as a notebook shows it."""
        return str(_latex.displayed(self))

    @property
    def symbols(self) -> set[str]:
        """The symbols of both sides that are not bound by a prod."""
        return symbols(self.left) | symbols(self.right)


Sides = Equation
"""Its name where derive.formula.grammar.Equation is another."""


def _within(text: Text, looser: object) -> str:
    """Return a text as it stands in an operator: in parentheses if it binds more loosely."""
    return f"({text})" if isinstance(text, looser) else str(text)  # type: ignore[arg-type]


def value(size: Size, at: Values) -> Fraction:
    """Return a size at these values of its symbols.

    Raises FormulaError for a symbol without a value, a division by zero and an exponent that is no
    small integer.

    >>> value(Operation("/", Name("N"), Number(4)), {"N": 6})
    Fraction(3, 2)
    """
    match size:
        case Number(number):
            return Fraction(number)
        case Name(name):
            if name not in at:
                raise FormulaError(
                    f"column {size.column}: {name} has no value: give it by {values_of([name])}"
                )
            return Fraction(at[name])
        case Operation(sign, left, right):
            return _operated(size, sign, value(left, at), value(right, at), at)


def _operated(size: Operation, sign: str, a: Fraction, b: Fraction, at: Values) -> Fraction:
    match sign:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            if b == 0:
                raise NotWhole(f"column {size.column}: {size} divides by 0{_given(size, at)}")
            return a / b
    if b.denominator != 1 or abs(b) > 64 or (a == 0 and b < 0):
        raise NotWhole(
            f"column {size.column}: {size} has the exponent {b}{_given(size, at)}: exponents are"
            " integers up to 64"
        )
    return Fraction(a**b.numerator)


def positive_integer(size: Size, at: Values, what: str) -> int:
    """Return a size that must be an integer at these values and at least 1.

    Raises NotWhole where it is none.

    >>> positive_integer(Operation("/", Name("N"), Number(4), column=3), {"N": 6}, "L(N, N/4)")
    Traceback (most recent call last):
    derive.text.syntax.NotWhole: column 3: N/4 = 3/2 at N = 6: the sizes in L(N, N/4) are integers, at least 1
    """  # noqa: E501
    found = value(size, at)
    if found.denominator != 1 or found < 1:
        raise NotWhole(
            f"column {size.column}: {size} = {found}{_given(size, at)}: the sizes in {what} are"
            " integers, at least 1"
        )
    return int(found)


def _given(size: Size, at: Values) -> str:
    used = [f"{name} = {at[name]}" for name in sorted(size_symbols(size)) if name in at]
    return f" at {', '.join(used)}" if used else ""


def size_symbols(size: Size) -> set[str]:
    """Return the symbols of a size."""
    match size:
        case Name(name):
            return {name}
        case Operation(_, left, right):
            return size_symbols(left) | size_symbols(right)
    return set()


def sizes_of(text: Text) -> tuple[Size, ...]:
    """Return the sizes that stand in a node itself."""
    match text:
        case Leaf(_, sizes):
            return sizes
        case Ordered(_, first, last, _):
            return first, last
    return ()


def parts_of(text: Text) -> tuple[Text, ...]:
    """Return the texts that a node is made of."""
    match text:
        case Times(parts) | Beside(parts) | Stacked(parts):
            return parts
        case Ordered(_, _, _, body) | Applied(_, body):
            return (body,)
    return ()


def symbols(text: Text) -> set[str]:
    """Return the symbols of a text that are not bound by a prod."""
    found = {name for size in sizes_of(text) for name in size_symbols(size)}
    inner = {name for part in parts_of(text) for name in symbols(part)}
    return found | (inner - {text.index} if isinstance(text, Ordered) else inner)


def replaced(text: Text, by: Mapping[str, Size]) -> Text:
    """Return a text with symbols that no prod binds replaced by sizes.

    >>> print(replaced(Leaf("I", (Name("N"),)), {"N": Operation("*", Name("r"), Name("s"))}))
    I(r*s)
    """
    match text:
        case Leaf(name, sizes):
            return Leaf(name, tuple(size_replaced(size, by) for size in sizes), column=text.column)
        case Times(parts) | Beside(parts) | Stacked(parts):
            return type(text)(tuple(replaced(part, by) for part in parts), column=text.column)
        case Ordered(index, first, last, body):
            inner = {name: size for name, size in by.items() if name != index}
            return Ordered(
                index,
                size_replaced(first, by),
                size_replaced(last, by),
                replaced(body, inner),
                column=text.column,
            )
        case Applied(name, of):
            return Applied(name, replaced(of, by), column=text.column)


def size_replaced(size: Size, by: Mapping[str, Size]) -> Size:
    """Return a size with symbols replaced by sizes, which stand where the symbols stood."""
    match size:
        case Name(name):
            return replace(by.get(name, size), column=size.column)
        case Operation(sign, left, right):
            return Operation(
                sign, size_replaced(left, by), size_replaced(right, by), column=size.column
            )
    return size
