"""Formulas as they are written: the tree of a text, how it prints, and what its sizes are at given
values.

    text    = Leaf(name, sizes) | Times(factors) | Beside(operands) | Stacked(terms) | Ordered(index, first, last, body, name) | Applied(name, of)
            | Added(terms) | Scaled(by, imaginary, of) | Power(of, exponent)
            | Ranged(name, indices, of) | Variable(name, rows, columns) | Defined(definition, arguments) | Again(name, arguments)

Times is the product, Beside the Kronecker product, Stacked the direct sum, Ordered the product
prod(k, a, b, A) or the sum sum(k < n, A), Added the sum of matrices, Scaled a matrix times a number, Ranged a diagonal or a
permutation by its digits, Variable any matrix of its size, Defined one by a definition of one's
own, Again the same within it. Trees are equal but for the columns where their nodes stand.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from derive.lazy import lazily
from derive.text.expressions import (
    Name,
    Node,
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

_latex, _definitions = lazily("derive.text.latex"), lazily("derive.text.definitions")


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
        return " * ".join(
            _within(factor, Stacked | Times | Added | Scaled) for factor in self.factors
        )


@dataclass(frozen=True)
class Beside(Node):
    """A Kronecker product."""

    operands: tuple[Text, ...]

    def __str__(self) -> str:
        return " (x) ".join(_within(operand, FACTORS) for operand in self.operands)


@dataclass(frozen=True)
class Stacked(Node):
    """A direct sum."""

    terms: tuple[Text, ...]

    def __str__(self) -> str:
        return " (+) ".join(_within(term, Stacked | Added | Scaled) for term in self.terms)


@dataclass(frozen=True)
class Added(Node):
    """A sum of matrices."""

    terms: tuple[Text, ...]

    def __str__(self) -> str:
        first, *others = self.terms
        more = [f" {sign} {_within(term, Added)}" for sign, term in map(signed, others)]
        return "".join([_within(first, Added), *more])


@dataclass(frozen=True)
class Scaled(Node):
    """A matrix times a number, or times i and a number."""

    by: Size
    imaginary: bool
    of: Text

    def __str__(self) -> str:
        return f"{self.scalar} * {_within(self.of, Stacked | Added | Scaled)}"

    @property
    def scalar(self) -> str:
        """The number as it is written."""
        shown = f"({self.by})" if loose(self.by) else str(self.by)
        return {"1": "i", "-1": "-i"}.get(shown, f"{shown}*i") if self.imaginary else shown


@dataclass(frozen=True)
class Power(Node):
    """The product of so many equal matrices."""

    of: Text
    exponent: Size

    def __str__(self) -> str:
        shown = f"({self.exponent})" if isinstance(self.exponent, Operation) else self.exponent
        return f"{_within(self.of, FACTORS | Power)}^{shown}"


@dataclass(frozen=True)
class Ordered(Node):
    """The product A(first) A(first + 1) ... A(last) of the body over its index, the identity where
    first > last; or the sum A(0) + ... + A(n - 1), last being n - 1.
    """

    index: str
    first: Size
    last: Size
    body: Text
    name: str = "prod"

    def __str__(self) -> str:
        bounds = f" < {self.count}" if self.name == "sum" else f", {self.first}, {self.last}"
        return f"{self.name}({self.index}{bounds}, {self.body})"

    @property
    def count(self) -> Size:
        """The number of terms of a sum."""
        return self.last.left  # type: ignore[union-attr]


@dataclass(frozen=True)
class Applied(Node):
    """inv(A), transpose(A) or conj(A)."""

    name: str
    of: Text

    def __str__(self) -> str:
        return f"{self.name}({self.of})"


@dataclass(frozen=True)
class Variable(Node):
    """A letter for any matrix of so many rows and columns."""

    name: str
    rows: Size
    columns: Size

    def __str__(self) -> str:
        return self.name

    @property
    def declaration(self) -> str:
        """The letter with its size."""
        return f"{self.name} : {self.rows} x {self.columns}"


@dataclass(frozen=True)
class Definition:
    """A definition, let G(n) = body; where the body speaks of G, its last case G(b) = text and the
    place of the parameter that comes down to b.
    """

    name: str
    parameters: tuple[str, ...]
    body: Text
    base: tuple[int, Text] | None = None
    at: int = 0

    @property
    def head(self) -> str:
        """The name with its parameters."""
        return f"{self.name}({', '.join(self.parameters)})"


@dataclass(frozen=True)
class Defined(Node):
    """A matrix by a definition of one's own."""

    definition: Definition
    arguments: tuple[Size, ...]

    def __str__(self) -> str:
        return f"{self.definition.name}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Again(Node):
    """A definition that speaks of itself."""

    name: str
    arguments: tuple[Size, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Ranged(Node):
    """A diagonal diag(j < n, phase) with w^phase at place j, w^x = exp(-2πi x), or a permutation
    perm(j < n, target) from j to target mod n; several digits make up a place.
    """

    name: str
    indices: tuple[tuple[str, Size], ...]
    of: Size

    def __str__(self) -> str:
        digits = ", ".join(f"{index} < {radix}" for index, radix in self.indices)
        return f"{self.name}({digits}, {self.of})"

    @property
    def bound(self) -> set[str]:
        """The names of the digits."""
        return {name for name, _ in self.indices}

    def replaced(self, by: Mapping[str, Size]) -> Ranged:
        """Return it with symbols replaced by sizes; a digit that has the name of one is renamed."""
        inner = {name: by[name] for name in by.keys() - self.bound}
        taken = {x for size in inner.values() for x in size_symbols(size)}
        others = taken | self.bound | size_symbols(self.of)
        new = {old: unused(old, others) for old in self.bound & taken}
        indices = ((new.get(old, old), size_replaced(radix, by)) for old, radix in self.indices)
        of = size_replaced(self.of, inner | {old: Name(name) for old, name in new.items()})
        return replace(self, indices=tuple(indices), of=of)


Own = Ranged | Variable | Defined | Again
Text = Leaf | Times | Beside | Stacked | Ordered | Applied | Added | Scaled | Power | Own
FACTORS = Stacked | Added | Scaled | Times | Beside  # in parentheses below a power


def signed(term: Text) -> tuple[str, Text]:
    """Return a term of a sum as a sign and a term without it.
    >>> [str(part) for part in signed(Scaled(negative(Number(2)), False, Leaf("F", ())))]
    ['-', '2 * F()']
    """
    match term:
        case Scaled(by, False, of) if by == negative(Number(1)) and not isinstance(of, Scaled):
            return "-", of
        case Scaled(by, imaginary, of) if is_negative(by):
            return "-", Scaled(negative(by), imaginary, of, column=term.column)
    return "+", term


@dataclass(frozen=True)
class Equation:
    """An equation, left = right, as it is written: its sizes may have symbols."""

    left: Text
    right: Text

    def __str__(self) -> str:
        return f"{self.statements}{self.left} = {self.right}"

    @property
    def statements(self) -> str:
        """The definitions and matrix variables before the equation."""
        return str(_definitions.statements(self))

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


def parts_of(text: Text) -> tuple[Text, ...]:
    """Return the texts that a node is made of."""
    match text:
        case Times(parts) | Beside(parts) | Stacked(parts) | Added(parts):
            return parts
        case Ordered(_, _, _, body) | Applied(_, body) | Scaled(_, _, body) | Power(body, _):
            return (body,)
    return ()


def symbols(text: Text) -> set[str]:
    """Return the symbols of a text that are not bound by a prod."""
    found = {name for size in sizes_of(text) for name in size_symbols(size)}
    inner = {name for part in parts_of(text) for name in symbols(part)}
    if isinstance(text, Ranged):
        radices = {name for _, radix in text.indices for name in size_symbols(radix)}
        return radices | size_symbols(text.of) - text.bound
    return found | (inner - {text.index} if isinstance(text, Ordered) else inner)


def replaced(text: Text, by: Mapping[str, Size]) -> Text:
    """Return a text with symbols that no prod binds replaced by sizes, in which no index is.

    >>> print(replaced(Leaf("I", (Name("N"),)), {"N": Operation("*", Name("r"), Name("s"))}))
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
