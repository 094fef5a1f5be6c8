"""The phases of a diagonal as sums of products of at most two digits of an index."""

from __future__ import annotations

from math import prod

from derive.formula.combinations import Ranged
from derive.text.text_matrices import exponents_of, polynomial

Digit = tuple[int, int]
"""What a digit counts, and its radix."""
MOST_DIGITS = 2


def phases_of(diagonal: Ranged) -> tuple[int, list[tuple[list[Digit], int]]]:
    """Return the order of the roots of unity of a diagonal, and the products of digits in an
    exponent, each with its coefficient; raise ValueError where it has others.

    >>> from derive.text.elaborate import formula
    >>> from derive.text.parse import parse_formula
    >>> phases_of(formula(parse_formula("diag(a < 2, b < 4, (a*b + b^2)/16 + b/4)"), {}))
    (16, [([(4, 2), (1, 4)], 1), ([(1, 4), (1, 4)], 1), ([(1, 4)], 4)])
    """
    radices, order = [radix for _, radix in diagonal.indices], exponents_of(diagonal)[1]
    digits = {
        name: (prod(radices[i + 1 :]), radices[i]) for i, (name, _) in enumerate(diagonal.indices)
    }
    terms = list[tuple[list[Digit], int]]()
    for names, number in polynomial(diagonal.of).items():
        exponent = number * order
        if len(names) > MOST_DIGITS or exponent.denominator > 1:
            raise ValueError(_too_high(diagonal))
        if exponent % order:
            terms.append(([digits[name] for name in names], int(exponent) % order))
    return order, terms


def _too_high(diagonal: Ranged) -> str:
    return (
        f"{diagonal} cannot be a step of a program; the phase of a diagonal must be a polynomial of"
        " degree at most 2 in its digits, such as j^2/(2*n) or a*b/n"
    )
