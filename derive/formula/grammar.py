"""Formulas: the grammar in which factorizations are written, and how they print.

    formula = a matrix with a name and sizes (derive.formula.leaves) | W(order, i, j, name)
            | HatSum(k, w, v, n, u) | Bmmc(address, name) | Kron(operands) | DirectSum(terms)
            | Product(factors) | Applied(name, of) | a sum (derive.formula.combinations)

A size is a positive integer or a symbolic expression with the same arithmetic. Formulas that are
read from a text have their sizes as they were typed, and what derive.text.syntax adds. w_N is a
primitive N-th root of unity, exp(2 pi i/N) or exp(-2 pi i/N): an identity between formulas holds
for both signs or for none. Indices start at 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from math import prod
from typing import Any

from derive.call_arguments import needs_arguments
from derive.formula.leaves import Leaf as Leaf
from derive.formula.values import Formula as Formula
from derive.formula.values import Stated, shortened, written_alike
from derive.lazy import lazily
from derive.sizes import Size, same

_combinations = lazily("derive.formula.combinations")
_permutations = lazily("derive.formula.permutations")


def _formulas(parts: Iterable[Any]) -> list[Formula]:
    """Return formulas; raise ValueError where there are none, or something else is among them."""
    found = list(parts)
    wrong = next((part for part in found if not isinstance(part, Formula)), None)
    if wrong is not None or not found:
        what = shortened(repr(wrong)) if found else "none"
        raise ValueError(
            f"factors, operands and terms must be formulas, such as F(2) or I(4); got {what}"
        )
    return found


@needs_arguments
@dataclass(frozen=True)
class I(Leaf, form="I_n", order="n"):  # noqa: E742  I is the identity
    """The identity matrix I_n.

    Args:
        n: the order, a size as for `F`.

    Raises:
        ValueError: n is not a size.

    Examples:
        >>> I(4) @ I(4)
        I_4
    """

    n: Size


@dataclass(frozen=True)
class Kron(Formula):
    """The Kronecker product (Inda & Bisseling 2000, Definition 1.1); built by `kron` of two."""

    operands: tuple[Formula, ...]

    @property
    def left(self) -> Formula:
        """The first of two operands."""
        return self.operands[0]

    @property
    def right(self) -> Formula:
        """The second of two operands."""
        return self.operands[1]

    @property
    def size(self) -> Size:
        return prod(operand.size for operand in self.operands)

    @property
    def columns(self) -> Size:
        return prod(operand.columns for operand in self.operands)


@dataclass(frozen=True)
class DirectSum(Formula):
    """The direct sum, a block diagonal matrix; built by `direct_sum`."""

    terms: tuple[Formula, ...]

    @property
    def size(self) -> Size:
        return sum((term.size for term in self.terms), start=0)

    @property
    def columns(self) -> Size:
        return sum((term.columns for term in self.terms), start=0)


@dataclass(frozen=True)
class Product(Formula):
    """A product of formulas, the rightmost applied first; built by `product` and @."""

    factors: tuple[Formula, ...]


@dataclass(frozen=True)
class Applied(Formula):
    """The inverse inv(A), the transposed transpose(A) or the conjugate conj(A) of a square matrix;
    built by `inverted`, `inverse`, `transposed` and `conjugate`.
    """

    name: str
    of: Formula


def in_letters(formula: Formula) -> str:
    """Return a formula that is made of others in letters."""
    match formula:
        case Product(factors):
            return " ".join(map(str, factors))
        case Kron():
            return f"({' ⊗ '.join(map(_operand, operands_of(formula)))})"
        case DirectSum(terms):
            return f"({' ⊕ '.join(map(_operand, terms))})"
        case Applied(name, of):
            inverse = name == "inv" and _permutations.is_permutation(of)
            return f"{of}^-1" if inverse else f"{name}({of})"
    return str(_combinations.in_letters(formula))


def operands_of(formula: Formula) -> list[Formula]:
    """Return the operands of a Kronecker product, of nested ones unless it is typed so."""
    if not isinstance(formula, Kron):
        return [formula]
    if formula.typed:
        return [*formula.operands]
    return [one for part in formula.operands for one in operands_of(part)]


def _operand(formula: Formula) -> str:
    """Return a formula as it stands under ⊗ or ⊕: in parentheses if it is a product."""
    return f"({formula})" if isinstance(formula, Product) else str(formula)


def kron(*operands: Formula) -> Formula:
    """Return the Kronecker product A ⊗ (B ⊗ ..) of formulas; it drops I_1 and merges identities.

    Args:
        operands: the factors, at least one.

    Returns:
        The product, whose order is the product of the orders.

    Raises:
        ValueError: there are no operands, or one is not a formula.

    References:
        Inda & Bisseling (2000), Lemma 1.2.

    Examples:
        >>> from derive.formula.transforms import F
        >>> print(kron(I(2), kron(I(3), F(2))), kron(F(2), I(1)))
        (I_6 ⊗ F_2) F_2
    """
    return reduce(lambda right, left: _kron(left, right), reversed(_formulas(operands)))


def _kron(left: Formula, right: Formula) -> Formula:
    if isinstance(left, I) and left.n == 1:
        return right
    if isinstance(right, I) and right.n == 1:
        return left
    if isinstance(left, Kron):
        return _kron(left.left, _kron(left.right, right))
    if isinstance(left, I) and isinstance(right, I):
        return I(left.n * right.n)
    if isinstance(left, I) and isinstance(right, Kron) and isinstance(right.left, I):
        return Kron((I(left.n * right.left.n), right.right))
    return Kron((left, right))


def direct_sum(*terms: Formula | Iterable[Formula]) -> Formula:
    """Return the direct sum A ⊕ B ⊕ .. of formulas or of an iterable; one term is returned as is.

    Args:
        terms: the diagonal blocks, or iterables of them, at least one.

    Returns:
        The block diagonal matrix, whose order is the sum of the orders.

    Raises:
        ValueError: there are no terms, or one is not a formula.

    Examples:
        >>> from derive.formula.transforms import F
        >>> print(direct_sum(F(2), I(3)), direct_sum([F(2)]))
        (F_2 ⊕ I_3) F_2
    """
    lists = (term if isinstance(term, Iterable) else [term] for term in terms)
    kept = _formulas(part for each in lists for part in each)
    return kept[0] if len(kept) == 1 else DirectSum(tuple(kept))


def product(factors: Iterable[Formula]) -> Formula:
    """Return the product; identities vanish and products flatten.

    Raises ValueError where two neighbouring sizes differ.

    >>> from derive.formula.transforms import F
    >>> product([F(2), F(4)])
    Traceback (most recent call last):
    ValueError: the 2 columns of F_2 meet the 4 rows of F_4; in a product these numbers must be equal
    """  # noqa: E501
    flat = [
        part
        for factor in _formulas(factors)
        for part in (factor.factors if isinstance(factor, Product) else (factor,))
    ]
    for a, b in pairwise(flat):
        if not same(a.columns, b.size):
            raise ValueError(_combinations.unfit(a, a.columns, b, b.size))
    kept = tuple(factor for factor in flat if not isinstance(factor, I))
    if not kept:
        return flat[0]
    return kept[0] if len(kept) == 1 else Product(kept)


def factors_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the factors of a product, leftmost first; any other formula is its own only factor.

    >>> from derive.formula.transforms import F
    >>> len(factors_of(F(2) @ F(2))), len(factors_of(F(2)))
    (2, 1)
    """
    return formula.factors if isinstance(formula, Product) else (formula,)


@dataclass(frozen=True, repr=False)
class Equation(Stated):
    """An equation between formulas at given sizes: left = right.

    `bool(equation)` is true if both sides are written alike; `nw.check` decides if they are equal.

    Attributes:
        name: the name, such as bsp-2.8.
        source: the paper and the number of the equation there.
        left: the left side.
        right: the right side.
        original: both sides as the equation was made. If `dataclasses.replace` puts another formula
            for a side, a check of it names the first factor whose action differs.

    Raises:
        ValueError: the sides have different sizes.
    """

    name: str
    source: str
    left: Formula
    right: Formula
    original: tuple[Formula, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.original:
            object.__setattr__(self, "original", (self.left, self.right))
        if not _combinations.alike(self.left, self.right):
            both = _combinations.both(self.left, self.right)
            raise ValueError(f"{both}: both sides of an equation must have the same size")

    def __bool__(self) -> bool:
        """Return whether both sides are written alike: whether they are equal, a check says."""
        return written_alike(self.left, self.right)

    def to_dict(self) -> dict[str, str]:
        """Return the equation as `formula --json` prints it.

        >>> Equation("1", "text", I(2), I(2)).to_dict()
        {'name': '1', 'source': 'text', 'text': 'I_2 = I_2', 'latex': 'I_{2} = I_{2}'}
        """
        return {
            "name": self.name,
            "source": self.source,
            "text": str(self),
            "latex": self.to_latex(),
        }

    def row(self) -> tuple[str, str]:
        """Return what a list shows of it."""
        return self.name, shortened(str(self))
