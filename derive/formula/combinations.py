"""Sums of matrices, each times a number, matrix variables, and diagonals by their entries.

    formula = .. | Added(terms) | Scaled(by, imaginary, of) | Variable(name, rows, cols, turned)
            | Ranged(name, indices, of) | Sqrt(a)

What is imaginary stands for i · by · of, i being w_4^-1 of numpy's roots w_n.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from numbers import Rational
from typing import Any

from derive.call_arguments import counted, needs_arguments, text
from derive.formula.grammar import Formula
from derive.lazy import lazily
from derive.sizes import Size, same
from derive.text.expressions import Name, Node, size_replaced, size_symbols, unused

_syntax = lazily("derive.text.syntax")
Term = tuple[Fraction, bool, Formula]
LARGEST = 2**30
"""Denominators of numbers are below it, so that no prime of a field divides them."""


@dataclass(frozen=True)
class Added(Formula):
    """A sum of matrices, of which some are `Scaled`; built by `combination`, + and -.

    >>> from derive.formula.transforms import F
    >>> print(F(2) + F(2) / 2 - 1j * F(2))
    (F_2 + 1/2 F_2 - i F_2)
    """

    terms: tuple[Formula, ...]


@dataclass(frozen=True)
class Scaled(Formula):
    """A matrix times a number, or times i and a number: a Fraction, or as it was typed."""

    by: Any
    imaginary: bool
    of: Formula


def terms_of(formula: Formula) -> tuple[Term, ...]:
    """Return the terms of a sum; any other formula is its own only term."""
    parts = formula.terms if isinstance(formula, Added) else (formula,)
    return tuple(
        (one.by, one.imaginary, one.of) if isinstance(one, Scaled) else (Fraction(1), False, one)
        for one in parts
    )


def in_letters(formula: Formula) -> str:
    """Return a sum in letters, a diagonal or a permutation as it is typed."""
    if not isinstance(formula, Added | Scaled):
        return str(_syntax.as_typed(formula))
    (number, imaginary, first), *others = terms_of(formula)
    begin = ("-" if number < 0 else "") + _term(abs(number), imaginary, first)
    return f"({begin}{''.join(map(_added, others))})"


def _added(term: Term) -> str:
    number, imaginary, formula = term
    return f" {'-' if number < 0 else '+'} {_term(abs(number), imaginary, formula)}"


def _term(number: Fraction, imaginary: bool, formula: Formula) -> str:
    scalar = f"{number}*i" if imaginary and number != 1 else "i" if imaginary else f"{number}"
    return str(formula) if scalar == "1" else f"{scalar} {formula}"


def combination(terms: Iterable[Term]) -> Formula:
    """Return a sum of multiples of matrices: sums in it flatten, and 1 · A is A.

    Raises ValueError where two sizes differ, and for a denominator from 2^30 on.

    >>> from derive.formula.grammar import I
    >>> print(combination([(Fraction(1), False, I(2))]))
    I_2
    >>> combination([(Fraction(1), False, I(2)), (Fraction(1), False, I(3))])
    Traceback (most recent call last):
    ValueError: I_2 is 2 x 2 and I_3 is 3 x 3: the terms of a sum must have the same size
    """
    flat = tuple(
        part
        for number, turned, formula in terms
        for part in _flat(Fraction(number), turned, formula)
    )
    first = flat[0][2]
    for number, _, formula in flat:
        if not alike(first, formula):
            raise ValueError(f"{both(first, formula)}: the terms of a sum must have the same size")
        if number.denominator >= LARGEST:
            raise ValueError(f"{number}: the denominators of numbers are below 2^30")
    found = tuple(of if c == 1 and not i else Scaled(c, i, of) for c, i, of in flat)
    return found[0] if len(found) == 1 else Added(found)


def _flat(number: Fraction, imaginary: bool, formula: Formula) -> tuple[Term, ...]:
    return tuple(
        (-number * other if imaginary and turned else number * other, imaginary != turned, part)
        for other, turned, part in terms_of(formula)
    )


def multiple(number: object, formula: Formula) -> Formula:
    """Return a matrix times a rational number or times a + b i, a and b whole.

    Raises ValueError for any other number.

    >>> from derive.formula.grammar import I
    >>> print(multiple(1 - 2j, I(2)))
    (I_2 - 2*i I_2)
    >>> multiple(0.3, I(2))
    Traceback (most recent call last):
    ValueError: 0.3: a formula is multiplied by an integer, a Fraction, or a + b i, a and b whole
    """
    match number:
        case Rational():
            return combination([(Fraction(number), False, formula)])
        case complex() if number.real.is_integer() and number.imag.is_integer():
            parts = (Fraction(int(number.real)), False), (Fraction(int(number.imag)), True)
            kept = [(c, turned, formula) for c, turned in parts if c] or [(*parts[0], formula)]
            return combination(kept)
    raise ValueError(
        f"{number}: a formula is multiplied by an integer, a Fraction, or a + b i, a and b whole"
    )


def alike(a: Formula, b: Formula) -> bool:
    """Return whether two matrices have the same numbers of rows and columns."""
    return same(a.size, b.size) and same(a.columns, b.columns)


def both(a: Formula, b: Formula) -> str:
    """Return two matrices with their sizes in words."""
    return " and ".join(f"{one} is {one.size} x {one.columns}" for one in (a, b))


def unfit(a: object, columns: object, b: object, rows: object, at: str = "") -> str:
    """Return why two neighbouring factors make no product, in words.

    >>> unfit("A", "n", "B", "m")
    'the n columns of A meet the m rows of B; in a product these numbers must be equal'
    """
    meet = "meets" if str(columns) == "1" else "meet"
    met = f"the {counted(columns, 'column')} of {a} {meet} the {counted(rows, 'row')} of {b}{at}"
    return f"{met}; in a product these numbers must be equal"


@needs_arguments
@dataclass(frozen=True)
class Variable(Formula):
    """A variable that stands for any matrix of a given shape.

    Args:
        name: its name, a word.
        rows: the number of rows, a size as for `F`.
        cols: the number of columns, a size as for `F`.
        turned: whether this is the transpose of the variable.

    Raises:
        ValueError: the name is not a word, or rows or cols is not a size.

    Examples:
        >>> A = Variable("A", 2, 3)
        >>> A.shape, (A @ Variable("A", 2, 3, turned=True)).shape
        ((2, 3), (2, 2))
    """

    name: str
    rows: Size
    cols: Size
    turned: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for a name that is no word, and for what is no size."""
        if self.typed:
            return
        if not (text(self.name, "name").isidentifier() and self.name.isalnum()):
            raise ValueError(f"name must be a word, such as 'A'; got {self.name!r}")
        super().__post_init__()

    @property
    def typed(self) -> bool:
        return isinstance(self.rows, Node)

    @property
    def declaration(self) -> str:
        """The name with the number of rows and of columns."""
        return f"{self.name} : {self.rows} x {self.cols}"

    @property
    def size(self) -> Size:
        return self.cols if self.turned else self.rows

    @property
    def columns(self) -> Size:
        return self.rows if self.turned else self.cols

    def __str__(self) -> str:
        return f"transpose({self.name})" if self.turned else self.name


@dataclass(frozen=True)
class Ranged(Formula):
    """A diagonal diag(j < n, phase) with w^phase at place j, w^x = exp(-2πi x), or a permutation
    perm(j < n, target) from j to target mod n; several digits make up a place.
    """

    name: str
    indices: tuple[tuple[str, Any], ...]
    of: Any

    @property
    def typed(self) -> bool:
        return any(isinstance(radix, Node) for _, radix in self.indices)

    @property
    def size(self) -> Size:
        return prod(radix for _, radix in self.indices)

    @property
    def bound(self) -> set[str]:
        """The names of the digits."""
        return {name for name, _ in self.indices}

    def replaced(self, by: Mapping[str, Any]) -> Ranged:
        """Return it with symbols replaced by sizes; a digit that has the name of one is renamed."""
        inner = {name: by[name] for name in by.keys() - self.bound}
        taken = {x for size in inner.values() for x in size_symbols(size)}
        others = taken | self.bound | size_symbols(self.of)
        new = {old: unused(old, others) for old in self.bound & taken}
        indices = ((new.get(old, old), size_replaced(radix, by)) for old, radix in self.indices)
        of = size_replaced(self.of, inner | {old: Name(name) for old, name in new.items()})
        return replace(self, indices=tuple(indices), of=of)


@lru_cache
def _square_and_primes(a: int) -> tuple[int, tuple[int, ...]]:
    """Return the largest s with s^2 d = a, and the primes of d, up to MOST_ROOT."""
    s, rest, found = 1, a, list[int]()
    for p in range(2, MOST_ROOT + 1):
        while rest % p**2 == 0:
            s, rest = s * p, rest // p**2
        if rest % p == 0:
            found, rest = [*found, p], rest // p
    return s, tuple(found)


@dataclass(frozen=True)
class Sqrt(Formula):
    """The square root of an integer a >= 1, as a matrix of order 1.

    >>> from derive.formula.grammar import kron
    >>> from derive.formula.transforms import F
    >>> print((kron(Sqrt(8), F(1)) @ Sqrt(2)).to_matrix().real.round(9).tolist())
    [[4.0]]
    """

    a: int

    @property
    def size(self) -> Size:
        return 1

    @property
    def primes(self) -> tuple[int, tuple[int, ...]]:
        """The largest s with s^2 d = a, and the primes of d.

        >>> Sqrt(360).primes
        (6, (2, 5))
        """
        return _square_and_primes(self.a)

    def __post_init__(self) -> None:
        """Raise ValueError where it has primes that are too large."""
        s, primes = self.primes
        if s**2 * prod(primes) != self.a:
            raise ValueError(f"the prime divisors of {self.a} are at most {MOST_ROOT} here")

    def __str__(self) -> str:
        return f"sqrt({self.a})"


MOST_ROOT = 1024
"""The square root of a prime p, a Gauss sum, has p terms."""
MOST_ENTRIES = 2**18
"""So many entries a matrix variable has, where its size is a number."""


def letters(formula: Formula) -> dict[str, Variable]:
    """Return the matrix variables of a formula by their names.

    >>> list(letters(Variable("A", 2, 3) @ Variable("B", 3, 2)))
    ['A', 'B']
    """
    found = {formula.name: formula} if isinstance(formula, Variable) else {}
    for part in formula.parts:
        found |= letters(part)
    return found
