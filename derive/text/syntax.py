"""Formulas as they are written: the tree of a text, how it prints, and what its sizes are at given
values.

    text    = Leaf(name, sizes) | Times(factors) | Beside(operands) | Stacked(terms) | Ordered(index, first, last, body) | Applied(name, of)

Times is the product, Beside the Kronecker product, Stacked the direct sum, Ordered the product
prod(k, a, b, A). Every node knows the column where it stands, which is no part of it: equal trees
are equal texts but for spaces and parentheses.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from derive.lazy import lazily
from derive.text.expressions import Node, Size, size_replaced, size_symbols

_latex = lazily("derive.text.latex")


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
class Sides:
    """An equation, left = right."""

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


def _within(text: Text, looser: object) -> str:
    """Return a text as it stands in an operator: in parentheses if it binds more loosely."""
    return f"({text})" if isinstance(text, looser) else str(text)  # type: ignore[arg-type]


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
