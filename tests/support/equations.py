"""Formulas and equations with symbols in their sizes, expressions of sympy, at numbers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from derive.formula.combinations import Added, Ranged, Scaled, combination, terms_of
from derive.formula.grammar import (
    Applied,
    DirectSum,
    Equation,
    Formula,
    Kron,
    Product,
    direct_sum,
    kron,
    product,
)
from derive.formula.leaves import Called
from derive.formula.permutation_matrices import Bmmc, inverse


def instantiate_equation(equation: Equation, values: Mapping[Any, int]) -> Equation:
    """Return the equation with its symbols replaced.

    >>> from derive.formula.permutation_matrices import L, S
    >>> from derive.symbolic import positive_integers
    >>> N = positive_integers("N")
    >>> print(instantiate_equation(Equation("", "", S(2, N), L(N, 2)), {N: 8}))
    S_{2,8} = L^8_2
    """
    at = partial(instantiate, values=values)
    sides = at(equation.left), at(equation.right)
    return Equation(equation.name, equation.source, *sides)


def instantiate(formula: Formula, values: Mapping[Any, int]) -> Formula:
    """Return the formula with its symbols replaced, sizes as plain integers; an exponent α may keep
    its symbols.

    Raises ValueError where a size is then no positive integer.

    >>> from derive.formula.permutation_matrices import L, S
    >>> from derive.symbolic import positive_integers
    >>> N = positive_integers("N")
    >>> print(instantiate(L(N, N / 2), {N: 8}))
    L^8_4
    >>> instantiate(L(N / 2, 1), {N: 7})
    Traceback (most recent call last):
    ValueError: N/2 = 7/2: the size in L^{N/2}_1 must be a positive integer
    """
    match formula:
        case Bmmc() | Ranged() | Called():
            return formula
        case Kron((left, right)):
            return kron(instantiate(left, values), instantiate(right, values))
        case DirectSum(terms):
            return direct_sum(instantiate(term, values) for term in terms)
        case Product(factors):
            return product(instantiate(factor, values) for factor in factors)
        case Applied("inv", of):
            return inverse(instantiate(of, values))
        case Added() | Scaled():
            return combination(
                (c, turned, instantiate(of, values)) for c, turned, of in terms_of(formula)
            )
    arguments = ((name, getattr(formula, name)) for name in formula.__match_args__)
    return type(formula)(*(_at(formula, *argument, values) for argument in arguments))


def plain(size: Any) -> Any:
    """Return a size or an exponent multiplied out, as an int or a Fraction where it is a number.

    >>> plain(6), plain(Fraction(4, 2)), plain(Fraction(1, 2))
    (6, 2, Fraction(1, 2))
    """
    expanded = size.expand() if hasattr(size, "expand") else size
    if getattr(expanded, "is_Rational", False):
        expanded = Fraction(int(expanded.p), int(expanded.q))
    whole = isinstance(expanded, Fraction) and expanded.denominator == 1
    return int(expanded) if whole else expanded


def _at(leaf: Formula, name: str, value: Any, values: Mapping[Any, int]) -> Any:
    if isinstance(value, str):
        return value
    new = plain(value.subs(dict(values), simultaneous=True) if hasattr(value, "subs") else value)
    if name != "alpha" and not (isinstance(new, int) and new > 0):
        raise ValueError(f"{value} = {new}: the size in {leaf} must be a positive integer")
    return new
