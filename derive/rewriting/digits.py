"""Stride permutations of symbolic size as moves of digits.

An index below d_0 d_1 ... d_t is written with the digits (j_0, ..., j_t), the most significant
first, j_i < d_i. Permutations that take whole digits to other places are equal if they leave the
same order: for all values of the d_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from derive.formula.grammar import Equation, Formula, I, Inverse, Kron, Product, Size, divide, same
from derive.formula.permutation_matrices import Gamma, L, S, inverse
from derive.rewriting.rewrite import conditions
from derive.verdict import Derived

Digits = tuple[tuple[int, Size], ...]
"""Digits as pairs (number, size)."""


def cut(digits: Digits, size: Size) -> tuple[Digits, Digits] | None:
    """Return the leading digits whose sizes have this product, and the others; None where no digit
    ends there.

    >>> cut(((0, 2), (1, 3), (2, 5)), 6)
    (((0, 2), (1, 3)), ((2, 5),))
    """
    product: Size = 1
    for i, (_, digit) in enumerate(digits):
        if same(product, size):
            return digits[:i], digits[i:]
        product = product * digit
    return (digits, ()) if same(product, size) else None


def moved(formula: Formula, digits: Digits) -> Digits | None:
    """Return the digits in their order after a permutation; None where it does not take whole
    digits.

    >>> moved(L(30, 5), ((0, 2), (1, 3), (2, 5)))
    ((2, 5), (0, 2), (1, 3))
    >>> moved(L(30, 3), ((0, 2), (1, 3), (2, 5))) is None
    True
    """
    match formula:
        case I():
            return digits
        case L(N, r):
            return _exchanged(digits, divide(N, r))
        case Inverse(L(_, r)):
            return _exchanged(digits, r)
        case S() | Gamma():
            return moved(formula.definition, digits)
        case Inverse(S() | Gamma() as of):
            return moved(inverse(of.definition), digits)
        case Kron(left, right):
            return _beside(left, right, digits)
        case Product(factors):
            return _in_turn(factors, digits)
    return None


def _exchanged(digits: Digits, size: Size) -> Digits | None:
    parts = cut(digits, size)
    return parts[1] + parts[0] if parts else None


def _beside(left: Formula, right: Formula, digits: Digits) -> Digits | None:
    parts = cut(digits, left.size)
    high, low = (moved(left, parts[0]), moved(right, parts[1])) if parts else (None, None)
    return None if high is None or low is None else high + low


def _in_turn(factors: Sequence[Formula], digits: Digits) -> Digits | None:
    place: Digits | None = digits
    for factor in reversed(factors):
        place = None if place is None else moved(factor, place)
    return place


def prove_moves(equation: Equation, digits: Sequence[Size]) -> Derived | None:
    """Return the proof that both sides of an equation move digits of these sizes, the most
    significant first, to the same order.

    >>> prove_moves(Equation("", "", L(30, 15), L(30, 3) @ L(30, 5)), (2, 3, 5)).rests_on
    ('(2.2) on digits of sizes 2, 3, 5',)
    >>> prove_moves(Equation("", "", L(30, 15), L(30, 3) @ L(30, 3)), (2, 3, 5)) is None
    True
    """
    order = reduce(lambda a, b: a * b, digits, 1)
    numbered = tuple(enumerate(digits))
    sides = moved(equation.left, numbered), moved(equation.right, numbered)
    if not same(order, equation.left.size) or None in sides or sides[0] != sides[1]:
        return None
    named = f"(2.2) on digits of sizes {', '.join(map(str, digits))}"
    return Derived(str(equation), (*conditions((equation.left, equation.right)), named))
