"""Matrices of a text: at values of its symbols, those with a name and matrix variables; and what
those with a name mean, the texts that define them (derive.formula.leaves).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache, reduce
from itertools import product
from math import gcd, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.formula.combinations import MOST_ENTRIES
from derive.formula.grammar import Formula
from derive.formula.named_matrices import MATRICES, MOST_PLACES, parameters, row_of
from derive.formula.permutations import is_permutation
from derive.lazy import lazily
from derive.text.expressions import (
    FormulaError,
    Name,
    NotWhole,
    Number,
    Operation,
    Size,
    TooLarge,
    Values,
    number,
    positive_integer,
    rebuilt,
    size_replaced,
    size_symbols,
    value,
)
from derive.text.parse import parse_formula
from derive.text.syntax import Leaf, Ranged, Text, Variable, replaced, symbols
from derive.text.text_sizes import Reader

_elaborate = lazily("derive.text.elaborate")

RULES = {"sqrt": "the argument of sqrt must be an integer >= 1; the imaginary unit is i"}
"""What is said of sizes that are none, where it is not that they are sizes."""
PERMUTATIONS = ("I", "L", "R", "J", "bits", "xor", "powers")
"""The permutations that have no definition."""
_parsed = cache(parse_formula)
Polynomial = dict[tuple[str, ...], Fraction]
"""The coefficients of products of digits, by their names in order."""


@lru_cache(1024)
def _leaf(name: str, *sizes: Any) -> Formula:
    return MATRICES[name](*sizes)


def named(leaf: Leaf, at: Values) -> Formula:
    """Return a matrix by its name and sizes."""
    sorts = (one.sort for one in parameters(leaf.name, len(leaf.sizes)))
    sizes = [
        number(size, at)
        if sort == "real"
        else positive_integer(size, at, leaf, RULES.get(leaf.name, ""))
        for sort, size in zip(sorts, leaf.sizes, strict=False)
    ]
    try:
        return _leaf(leaf.name, *sizes)
    except ValueError as error:
        raise NotWhole(f"column {leaf.column}: {leaf}{stated(leaf, at)}: {error}") from error


def variable(text: Variable, at: Values) -> Formula:
    """Return a matrix variable; raise TooLarge where it has too many entries."""
    rows, columns = (
        positive_integer(size, at, text.declaration) for size in (text.rows, text.columns)
    )
    if rows * columns > MOST_ENTRIES:
        raise TooLarge(
            f"column {text.column}: {text} is {rows} x {columns}{stated(text, at)}: at most"
            f" {MOST_ENTRIES} entries are drawn"
        )
    return Variable(text.name, rows, columns)


def ranged(text: Ranged, at: Values) -> Ranged:
    """Return a diagonal or a permutation by its digits."""
    radices = [positive_integer(radix, at, text) for _, radix in text.indices]
    shown = text.replaced({name: _number(at[name]) for name in symbols(text) if name in at})
    indices = ((name, radix) for (name, _), radix in zip(shown.indices, radices, strict=True))
    return replace(shown, indices=tuple(indices))


def need_places(formula: Formula) -> None:
    """Raise NotWhole where in a permutation two elements go to one place, or a target is no
    integer; TooLarge where it or a diagonal has many places.
    """
    for part in formula.parts:
        need_places(part)
    if isinstance(formula, Ranged):
        where = f"column {formula.column}: "
        if formula.size > MOST_PLACES:
            raise TooLarge(f"{where}{formula}: at most {MOST_PLACES} places")
        try:
            (exponents_of if formula.name == "diag" else targets_of)(formula)
        except FormulaError:
            raise
        except ValueError as error:
            raise NotWhole(f"{where}{error}") from error


@lru_cache(64)
def exponents_of(diagonal: Ranged) -> tuple[NDArray[Any], int]:
    """Return the exponents of a diagonal at all places, and the order of its roots of unity."""
    above, below = _at_places(diagonal)
    return np.array((above % below).tolist()), below


@lru_cache(64)
def targets_of(permutation: Ranged) -> NDArray[np.int64]:
    """Return where a permutation puts each element.

    Raises ValueError where two elements go to one place, or a target is no integer.
    """
    above, below = _at_places(permutation)
    if np.any(above % below):
        raise ValueError(f"{permutation}: places are integers")
    found = (above // below % permutation.size).tolist()
    seen: dict[int, int] = {}
    for j, place in enumerate(found if len({*found}) < len(found) else ()):
        if (first := seen.setdefault(place, j)) != j:
            raise ValueError(
                f"{permutation}: {first} and {j} both go to {place}: a permutation takes no two"
                " elements to one place"
            )
    return np.array(found)


def _at_places(text: Ranged) -> tuple[NDArray[Any], int]:
    """Return a phase or a target at all places: what stands above the line, and below it."""
    names, radices = zip(*text.indices, strict=True)
    places = np.indices(radices).reshape(len(radices), -1).astype(object)
    digits = dict(zip(names, places, strict=True))
    found = polynomial(text.of)
    below = lcm(*(weight.denominator for weight in found.values()))
    above = np.zeros(text.size, dtype=object)
    for row, weight in found.items():
        above = above + int(weight * below) * prod(digits[name] for name in row)
    common = gcd(below, int(np.gcd.reduce(above)))
    return above // common, below // common


def polynomial(size: Size) -> Polynomial:
    """Return a phase or a target as a polynomial in its digits.

    >>> polynomial(_size("(a+2)*a/4"))
    {('a', 'a'): Fraction(1, 4), ('a',): Fraction(1, 2)}
    """
    match size:
        case Name(name):
            return {(name,): Fraction(1)}
        case _ if not size_symbols(size):
            return {(): value(size, {})}
        case Operation("+" | "-" as sign, left, right):
            one, other = polynomial(left), polynomial(right)
            turn = 1 if sign == "+" else -1
            names = dict.fromkeys((*one, *other))
            return {x: one.get(x, Fraction(0)) + turn * other.get(x, 0) for x in names}
        case Operation("*", left, right):
            return _times(polynomial(left), polynomial(right))
        case Operation("/", left, right) if not size_symbols(right):
            if not (by := value(right, {})):
                raise NotWhole(f"column {size.column}: {size} divides by 0")
            return {x: weight / by for x, weight in polynomial(left).items()}
        case Operation("^", left, right) if not size_symbols(right):
            exponent = positive_integer(right, {}, size)
            return reduce(_times, [polynomial(left)] * exponent)
    raise FormulaError(f"column {size.column}: {size} divides by a digit, or has one above")


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    found = Polynomial()
    for (a, x), (b, y) in product(one.items(), other.items()):
        names = tuple(sorted(a + b))
        found[names] = found.get(names, Fraction(0)) + x * y
    return found


def _number(found: Fraction | int) -> Size:
    p, q = Fraction(found).as_integer_ratio()
    above: Size = Operation("-", Number(0), Number(-p)) if p < 0 else Number(p)
    return above if q == 1 else Operation("/", above, Number(q))


def stated(text: Text, at: Values) -> str:
    """Return the values of a text's symbols in words."""
    used = [f"{name} = {at[name]}" for name in sorted(symbols(text)) if name in at]
    return f" at {', '.join(used)}" if used else ""


@cache
def _size(text: str) -> Size:
    return Reader(text).size()


def _names(name: str) -> list[str]:
    return [one.shown.removesuffix("?") for one in parameters(name)]


def defined_at(name: str, values: Sequence[Any]) -> Formula:
    """Return the definition of a matrix at values of its sizes, integers or expressions.

    >>> print(defined_at("D", (8, 0)))
    B_8 (I_2 ⊗ B_4)
    """
    at = dict(zip(_names(name), values, strict=True))
    found: Formula = _elaborate.at_values(_parsed(row_of(name).means), at)
    return found


def meant(leaf: Leaf) -> Text | None:
    """Return the definition of a matrix at its sizes; None where its row has none.

    >>> print(meant(parse_formula("Gamma(u, r*u, N)")))
    I(r*u/u) (x) S(u, N/(r*u)*u)
    """
    means = row_of(leaf.name).means
    if not means:
        return None
    names = _names(leaf.name)
    sizes = (*leaf.sizes, *[Number(0)] * (len(names) - len(leaf.sizes)))
    found: Text = replaced(_parsed(means), dict(zip(names, sizes, strict=True)))
    return _placed(found, leaf.column)


@cache
def permutes(name: str) -> bool:
    """Return whether a matrix is a permutation, or is defined by permutations alone.

    >>> permutes("Gamma"), permutes("A")
    (True, False)
    """
    means = row_of(name).means
    return name in PERMUTATIONS or (bool(means) and is_permutation(_parsed(means)))


def quotients(leaf: Leaf) -> list[Size]:
    """Return the quotients of the sizes of a matrix that are integers.

    >>> [str(each) for each in quotients(parse_formula("A(2*h, 4*h)"))]
    ['4*h/(2*h)', '2*h/2']
    """
    sizes = dict(zip(_names(leaf.name), leaf.sizes, strict=False))
    whole = (size_replaced(_size(one), sizes) for one in row_of(leaf.name).whole)
    return [_placed(one, leaf.column) for one in whole]


def _placed(part: Any, column: int) -> Any:
    """Return a text of which every node stands in this column."""
    new = rebuilt(part, lambda size: _placed(size, column), lambda one: _placed(one, column))
    return replace(new, column=column)
