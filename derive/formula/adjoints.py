"""Conjugate, transposed and inverse formulas.

    formula = .. | conj(F | Omega | T | W) | inv(F | conj(F) | H) | transpose(BH)

All others but inverses of permutations are taken apart: the conjugate of a product is the product
of the conjugates, and a leaf that has a definition, such as a butterfly, is what that says.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from derive.formula.combinations import Added, Ranged, Scaled, Sqrt, Variable, combination, terms_of
from derive.formula.grammar import (
    Applied,
    DirectSum,
    Formula,
    Kron,
    Product,
    direct_sum,
    kron,
    product,
)
from derive.formula.named_matrices import Pad
from derive.formula.permutation_matrices import inverse
from derive.formula.permutations import is_permutation
from derive.formula.transforms import BH, LH, E, F, H, Omega, T, W


def _of_parts(formula: Formula, of: Callable[[Formula], Formula], turns: bool) -> Formula:
    """Return a formula with `of` applied to its parts; `turns`: factors in turned order."""
    match formula:
        case Kron((left, right)):
            return kron(of(left), of(right))
        case DirectSum(terms):
            return direct_sum(of(term) for term in terms)
        case Product(factors):
            return product(of(factor) for factor in factors[:: -1 if turns else 1])
        case Added() | Scaled():
            return combination((number, i, of(term)) for number, i, term in terms_of(formula))
    return formula if formula.definition is None else of(formula.definition)


def conjugate(formula: Formula) -> Formula:
    """Return the complex conjugate.

    >>> from derive.formula.grammar import I
    >>> print(conjugate(kron(F(2), I(4)) @ T(8, 4)))
    (conj(F_2) ⊗ I_4) conj(T^8_4)
    """
    match formula:
        case F() | T() | Omega() | W() | Ranged("diag") | Variable():
            return Applied("conj", formula)
        case BH() | LH() | Applied("transpose"):
            return formula
        case Applied("conj", of):
            return of
        case _ if is_permutation(formula):
            return formula
        case Applied("inv", of):
            return Applied("inv", conjugate(of))
        case Added() | Scaled():
            return combination((-c if i else c, i, conjugate(of)) for c, i, of in terms_of(formula))
    return _of_parts(formula, conjugate, turns=False)


def transposed(formula: Formula) -> Formula:
    """Return the transposed matrix.

    >>> from derive.formula.grammar import I
    >>> print(transposed(kron(F(2), I(4)) @ T(8, 4)))
    T^8_4 (F_2 ⊗ I_4)
    """
    match formula:
        case BH():
            return Applied("transpose", formula)
        case Applied("transpose", of):
            return of
        case E(m, n) | Pad(m, n):
            return type(formula)(n, m)
        case Variable(name, rows, columns, turned):
            return Variable(name, rows, columns, not turned)
        case Applied("conj", Variable() as of):
            return Applied("conj", transposed(of))
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
        case F() | H() | Applied("conj", F()):
            return Applied("inv", formula)
        case Variable() | Applied("conj", Variable()):
            raise ValueError(f"inv({formula}): a matrix variable need not have an inverse")
        case Applied("inv", of):
            return of
        case T() | Omega() | W() | Ranged("diag") | Applied("conj"):
            return conjugate(formula)
        case Sqrt(a):
            return combination([(Fraction(1, a), False, formula)])
        case Scaled(number, turned, only) if number:
            return combination([(-1 / number if turned else 1 / number, turned, inverted(only))])
        case BH() | Applied("transpose"):
            return combination([(Fraction(1, 2), False, transposed(formula))])
        case Added() | Scaled() | E() | Pad():
            raise ValueError(f"inv({formula}): its inverse has no name here")
        case _ if is_permutation(formula):
            return inverse(formula)
    return _of_parts(formula, inverted, turns=True)
