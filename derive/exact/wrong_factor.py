"""The wrong factor of a wrong equation: the first after which its factors do something else than
those that it was made of.
"""

from __future__ import annotations

import numpy as np

from derive.exact.action import act
from derive.exact.claim import Difference, first_unequal
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Elements, Ring
from derive.fields import RootField, wide_primes
from derive.formula.grammar import DirectSum, Equation, Formula, I, Kron, Product, factors_of
from derive.formula.transforms import LH, A, ButterflySum

COLUMNS = 2**14
"""Other columns are looked at, too, up to so many elements: with a factor too many, a wrong product
may be right in one column.
"""


def smallest_wrong(equation: Equation, found: Difference, ring: Ring) -> str:
    """Return the wrong factor of an equation, down to its smallest wrong block, in the columns from
    that of an entry that differs.

    There every factor is applied to what the ones before it have made, and the result is compared
    with that of the factors that the equation was made of. The first that differs is wrong. An
    equation that is as it was made has a block to name only if a side is a single factor.
    """
    try:
        return _named(equation, found, ring)
    except Collision:
        q = wide_primes(ring.order)
        return _named(
            equation,
            found,
            Residues(RootField.draw(ring.order, np.random.default_rng(found.column), np.array(q))),
        )


def _named(equation: Equation, found: Difference, ring: Ring) -> str:
    N, (left, right) = equation.left.size, equation.original
    width = max(1, min(N, COLUMNS // N))
    first = min(found.column, N - width)
    x = ring.units(N, range(first, first + width))
    wrong = "" if equation.right is right else _wrong_in(equation.right, right, x, ring)
    if wrong:
        return wrong
    if equation.left is left:
        return _only_block(equation.right, found.row)
    several = len(factors_of(equation.left)) > 1
    wrong = _wrong_in(equation.left, left, x, ring) if several else ""
    return f"{wrong}, on the left side" if wrong else f"{equation.left}, the left side"


def _only_block(side: Formula, row: int) -> str:
    return str(block_at(side, row)) if len(factors_of(side)) == 1 else ""


def _wrong_in(side: Formula, original: Formula, x: Elements, ring: Ring) -> str:
    """Return the first factor from the right that is wrong, and how many are too few or too many,
    or nothing.
    """
    factors, known = factors_of(side)[::-1], factors_of(original)[::-1]
    y = want = x
    for i, (factor, right) in enumerate(zip(factors, known, strict=False)):
        y, want = act(factor, y, ring), act(right, want, ring)
        place = first_unequal(y, want, ring)
        if place:
            if len(factors) == len(known) == 1:
                return str(block_at(factor, place[0]))
            missing = len(factors) < len(known) and (
                first_unequal(act(factor, want, ring), act(known[i + 1], want, ring), ring) is None
            )
            name = f"{block_at(factor, place[0])} in factor {i + 1} from the right, {factor}"
            return f"{name}: one is missing before it" if missing else name
    return too_many_or_few(factors, known)


def too_many_or_few(factors: tuple[Formula, ...], known: tuple[Formula, ...]) -> str:
    """Return which factor from the right is one too many, or how many are missing, or nothing."""
    if len(factors) > len(known):
        return (
            f"factor {len(known) + 1} from the right, {factors[len(known)]}: the product is"
            " complete without it"
        )
    if len(factors) < len(known):
        return f"a factor left of {factors[-1]}: {len(known) - len(factors)} missing"
    return ""


def block_at(formula: Formula, row: int) -> Formula:
    """Return the smallest diagonal block of a formula that holds this row.

    >>> print(block_at(A(4, 8), 6))
    B_4
    """
    match formula:
        case A() | LH() | ButterflySum():
            return block_at(formula.definition, row)
        case Kron((I(), right)):
            return block_at(right, row % right.size)
        case DirectSum(terms):
            for term in terms:
                if row < term.size:
                    return block_at(term, row)
                row -= term.size
        case Product((only,)):
            return block_at(only, row)
    return formula
