"""Formulas as they are written: the tree of a text, how it prints, and what its sizes are at given
values.

    text    = Leaf(name, sizes) | Product(factors) | Kron(operands) | DirectSum(terms) | Ordered(index, first, last, body, name) | Applied(name, of)
            | Added(terms) | Scaled(by, imaginary, of) | Power(of, exponent)
            | Ranged(name, indices, of) | Variable(name, rows, columns) | Defined(by, arguments) | Again(name, arguments)

Product is the product, Kron the Kronecker product, DirectSum the direct sum, Ordered the product
prod(k, a, b, A) or the sum sum(k < n, A), Added the sum of matrices, Scaled a matrix times a number, Ranged a diagonal or a
permutation by its digits, Variable any matrix of its size, Defined one by a definition of one's
own, Again the same within it. Trees are equal but for the columns where their nodes stand.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from derive.formula.combinations import Added as Added
from derive.formula.combinations import Ranged as Ranged
from derive.formula.combinations import Scaled as Scaled
from derive.formula.combinations import Variable as Variable
from derive.formula.grammar import Applied as Applied
from derive.formula.grammar import DirectSum as DirectSum
from derive.formula.grammar import Formula
from derive.formula.grammar import Kron as Kron
from derive.formula.grammar import Product as Product
from derive.formula.leaves import Called as Called
from derive.formula.leaves import Leaf as Leaf
from derive.formula.leaves import leaf as leaf
from derive.formula.values import Stated
from derive.lazy import lazily
from derive.text.expressions import (
    Name,
    Number,
    Operation,
    Size,
    is_negative,
    loose,
    negative,
    rebuilt,
    size_replaced,
    size_symbols,
    unused,
)

_definitions = lazily("derive.text.definitions")


class Typed(Formula):
    """A formula that has its sizes as they were typed, and no values."""

    @property
    def typed(self) -> bool:
        return True


@dataclass(frozen=True)
class Power(Typed):
    """The product of so many equal matrices."""

    of: Text
    exponent: Size


@dataclass(frozen=True)
class Ordered(Typed):
    """The product A(first) A(first + 1) ... A(last) of the body over its index, the identity where
    first > last; or the sum A(0) + ... + A(n - 1), last being n - 1.
    """

    index: str
    first: Size
    last: Size
    body: Text
    name: str = "prod"

    @property
    def size(self) -> Any:
        return size_replaced(self.body.size, {self.index: self.first})

    @property
    def columns(self) -> Any:
        return size_replaced(self.body.columns, {self.index: self.first})

    @property
    def count(self) -> Size:
        """The number of terms of a sum."""
        return self.last.left  # type: ignore[union-attr]


@dataclass(frozen=True)
class Definition:
    """A definition, let G(n) = body; where the body speaks of G, its last cases G(b) = text and the
    place of the parameter that comes down to such a b.
    """

    name: str
    parameters: tuple[str, ...]
    body: Text
    bases: tuple[tuple[int, Text], ...] = ()
    at: int = 0

    @property
    def head(self) -> str:
        """The name with its parameters."""
        return f"{self.name}({', '.join(self.parameters)})"


@dataclass(frozen=True)
class Defined(Typed):
    """A matrix by a definition of one's own."""

    by: Definition
    arguments: tuple[Size, ...]

    @property
    def size(self) -> Any:
        return _definitions.closed(self).size

    @property
    def columns(self) -> Any:
        return _definitions.closed(self).columns


@dataclass(frozen=True)
class Again(Typed):
    """A definition that speaks of itself."""

    name: str
    arguments: tuple[Size, ...]


Own = Ranged | Variable | Defined | Again
Text = Formula
MINUS_ONE = negative(Number(1))
FACTORS = DirectSum | Added | Scaled | Product | Kron  # in parentheses below a power


def signed(term: Text) -> tuple[str, Text]:
    """Return a term of a sum as a sign and a term without it.
    >>> [str(part) for part in signed(Scaled(negative(Number(2)), False, Called("F", ())))]
    ['-', '2 * F()']
    """
    match term:
        case Scaled(by, False, of) if by in (MINUS_ONE, -1) and not isinstance(of, Scaled):
            return "-", of
        case Scaled(by, imaginary, of) if is_negative(by):
            return "-", Scaled(negative(by), imaginary, of, column=term.column)
    return "+", term


@dataclass(frozen=True, repr=False)
class Equation(Stated):
    """An equation, left = right, as it is written: its sizes may have symbols."""

    left: Text
    right: Text

    @property
    def symbols(self) -> set[str]:
        """The symbols of both sides that are not bound by a prod."""
        return symbols(self.left) | symbols(self.right)


Sides = Equation
"""Its name where derive.formula.grammar.Equation is another."""


def as_typed(text: Text) -> str:
    """Return a text as it can be typed."""
    match text:
        case Leaf(name, sizes) | Again(name, sizes):
            return f"{name}({', '.join(map(str, sizes))})"
        case Defined(definition, sizes):
            return f"{definition.name}({', '.join(map(str, sizes))})"
        case Product(factors):
            looser = DirectSum | Product | Added | Scaled
            return " * ".join(_within(factor, looser) for factor in factors)
        case Kron(operands):
            return " (x) ".join(_within(operand, FACTORS) for operand in operands)
        case DirectSum(terms):
            return " (+) ".join(_within(term, DirectSum | Added | Scaled) for term in terms)
        case Added((first, *others)):
            more = (f" {sign} {_within(term, Added)}" for sign, term in map(signed, others))
            return "".join([_within(first, Added), *more])
        case Scaled(of=of):
            return f"{scalar(text)} * {_within(of, DirectSum | Added | Scaled)}"
        case Power(of, exponent):
            shown = f"({exponent})" if isinstance(exponent, Operation) else f"{exponent}"
            return f"{_within(of, FACTORS | Power)}^{shown}"
        case Ordered(index, first, last, body, name):
            bounds = f" < {text.count}" if name == "sum" else f", {first}, {last}"
            return f"{name}({index}{bounds}, {body})"
        case Applied(name, of):
            return f"{name}({of})"
        case Ranged(name, indices, of):
            digits = ", ".join(f"{index} < {radix}" for index, radix in indices)
            return f"{name}({digits}, {of})"
    raise TypeError(f"{type(text).__name__} is not typed")


def scalar(text: Scaled) -> str:
    """Return a number before a matrix as it is typed."""
    shown = f"({text.by})" if loose(text.by) else str(text.by)
    return {"1": "i", "-1": "-i"}.get(shown, f"{shown}*i") if text.imaginary else shown


def _within(text: Text, looser: object) -> str:
    """Return a text as it stands in an operator: in parentheses if it binds more loosely."""
    return f"({text})" if isinstance(text, looser) else str(text)  # type: ignore[arg-type]


def sizes_of(text: Text) -> tuple[Size, ...]:
    """Return the sizes that stand in a node itself."""
    match text:
        case Leaf(_, sizes) | Defined(_, sizes) | Again(_, sizes):
            return sizes
        case Ordered(_, a, b, _) | Variable(_, a, b):
            return a, b
        case Scaled(one, _, _) | Power(_, one):
            return (one,)
        case Ranged(_, indices, of):
            return *(radix for _, radix in indices), of
    return ()


def symbols(text: Text) -> set[str]:
    """Return the symbols of a text that are not bound by a prod."""
    found = {name for size in sizes_of(text) for name in size_symbols(size)}
    inner = {name for part in text.parts for name in symbols(part)}
    if isinstance(text, Ranged):
        radices = {name for _, radix in text.indices for name in size_symbols(radix)}
        return radices | size_symbols(text.of) - text.bound
    return found | (inner - {text.index} if isinstance(text, Ordered) else inner)


def replaced(text: Text, by: Mapping[str, Size]) -> Text:
    """Return a text with symbols that no prod binds replaced by sizes, in which no index is.

    >>> print(replaced(leaf("I", Name("N")), {"N": Operation("*", Name("r"), Name("s"))}))
    I(r*s)
    """
    if isinstance(text, Ranged):
        return text.replaced(by)
    inner = {x: by[x] for x in by if not (isinstance(text, Ordered) and x == text.index)}
    taken = {x for size in inner.values() for x in size_symbols(size)}
    if isinstance(text, Ordered) and text.index in taken:
        index = unused(text.index, taken | symbols(text.body))
        inner[text.index], text = Name(index), replace(text, index=index)
    return rebuilt(text, lambda size: size_replaced(size, by), lambda part: replaced(part, inner))
