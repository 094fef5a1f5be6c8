"""Sizes as sympy expressions: plain integers where they are, quotients, and what visibly divides
what.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from derive.formula.grammar import Size


def plain(size: Any) -> Any:
    """Return a size or an exponent multiplied out, as an int or a Fraction where it is a number.

    >>> plain(6), plain(Fraction(4, 2)), plain(Fraction(1, 2))
    (6, 2, Fraction(1, 2))
    """
    expanded = size.expand() if hasattr(size, "expand") else size
    if getattr(expanded, "is_Rational", False):
        expanded = Fraction(int(expanded.p), int(expanded.q))
    return (
        int(expanded) if isinstance(expanded, Fraction) and expanded.denominator == 1 else expanded
    )


def whole(size: Any) -> bool:
    """Return whether a quotient is visibly a positive integer for all values of its symbols.

    >>> whole(3), whole(Fraction(3, 2))
    (True, False)
    """
    value = plain(size)
    if isinstance(value, int | Fraction):
        return isinstance(value, int) and value > 0
    return bool(getattr(value, "is_integer", False) and getattr(value, "is_positive", False))


def quotient(a: Size, b: Size) -> Size:
    """Return a/b, a Fraction where integers do not divide."""
    return plain(Fraction(a, b) if isinstance(a, int) and isinstance(b, int) else a / b)


def divides(a: Size, b: Size) -> bool:
    """Return whether a visibly divides b.

    >>> divides(2, 6), divides(4, 6)
    (True, False)
    """
    return whole(quotient(b, a))
