"""Conjugate, transposed and inverse formulas.

    formula = .. | Conjugate(F | Omega | T | W) | Inverted(F | Conjugate(F) | H) | Transposed(BH)

All others are taken apart: the conjugate of a product is the product of the conjugates, and a leaf
that has a definition, such as a butterfly, is what that says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from derive.formula.combinations import Diagonal, Sqrt, Sum, Variable, combination
from derive.formula.grammar import (
    DirectSum,
    Formula,
    Kron,
    Made,
    Product,
    direct_sum,
    kron,
    product,
)
from derive.formula.permutation_matrices import inverse
from derive.formula.permutations import is_permutation
from derive.formula.transforms import BH, LH, E, F, H, Omega, T, W


@dataclass(frozen=True)
class Conjugate(Made, form="conj({})"):
    """The complex conjugate of F, T or Omega; built by `conjugate`."""


@dataclass(frozen=True)
class Inverted(Made, form="inv({})"):
    """The inverse of F, of its conjugate or of H; built by `inverted`."""


@dataclass(frozen=True)
class Transposed(Made, form="transpose({})"):
    """The transposed butterfly of Hartley's transform; built by `transposed`."""

    of: BH


def _of_parts(formula: Formula, of: Callable[[Formula], Formula], turns: bool) -> Formula:
    """Return a formula with `of` applied to its parts; `turns`: factors in turned order."""
    match formula:
        case Kron(left, right):
            return kron(of(left), of(right))
        case DirectSum(terms):
            return direct_sum(of(term) for term in terms)
        case Product(factors):
            return product(of(factor) for factor in factors[:: -1 if turns else 1])
        case Sum(terms):
            return combination((number, turned, of(term)) for number, turned, term in terms)
    return formula if formula.definition is None else of(formula.definition)


def conjugate(formula: Formula) -> Formula:
    """Return the complex conjugate.

    >>> from derive.formula.grammar import I
    >>> print(conjugate(kron(F(2), I(4)) @ T(8, 4)))
    (conj(F_2) ⊗ I_4) conj(T^8_4)
    """
    match formula:
        case F() | T() | Omega() | W() | Diagonal() | Variable():
            return Conjugate(formula)
        case BH() | LH() | Transposed():
            return formula
        case Conjugate(of):
            return of
        case _ if is_permutation(formula):
            return formula
        case Inverted(of):
            return Inverted(conjugate(of))
        case Sum(terms):
            return combination(
                (-c if turned else c, turned, conjugate(of)) for c, turned, of in terms
            )
    return _of_parts(formula, conjugate, turns=False)


def transposed(formula: Formula) -> Formula:
    """Return the transposed matrix.

    >>> from derive.formula.grammar import I
    >>> print(transposed(kron(F(2), I(4)) @ T(8, 4)))
    T^8_4 (F_2 ⊗ I_4)
    """
    match formula:
        case BH():
            return Transposed(formula)
        case Transposed(of):
            return of
        case E(m, n):
            return E(n, m)
        case Variable(name, rows, columns, turned):
            return Variable(name, rows, columns, not turned)
        case Conjugate(Variable() as of):
            return Conjugate(transposed(of))
        case _ if is_permutation(formula):
            return inverse(formula)
    return _of_parts(formula, transposed, turns=True)


def inverted(formula: Formula) -> Formula:
    """Return the inverse matrix.

    >>> from derive.formula.grammar import I
    >>> print(inverted(kron(F(2), I(4)) @ T(8, 4)))
    conj(T^8_4) (inv(F_2) ⊗ I_4)
    """
    match formula:
        case F() | H() | Conjugate(F()):
            return Inverted(formula)
        case Variable() | Conjugate(Variable()):
            raise ValueError(f"inv({formula}): a matrix variable need not have an inverse")
        case Inverted(of):
            return of
        case T() | Omega() | W() | Diagonal() | Conjugate():
            return conjugate(formula)
        case Sqrt(a):
            return combination([(Fraction(1, a), False, formula)])
        case Sum(((number, turned, only),)) if number:
            return combination([(-1 / number if turned else 1 / number, turned, inverted(only))])
        case BH() | Transposed():
            return combination([(Fraction(1, 2), False, transposed(formula))])
        case Sum() | E():
            raise ValueError(f"inv({formula}): its inverse has no name here")
        case _ if is_permutation(formula):
            return inverse(formula)
    return _of_parts(formula, inverted, turns=True)
