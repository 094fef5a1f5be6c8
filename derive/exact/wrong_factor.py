"""The wrong factor of a wrong equation: the first that does not lead from one partial product to
the next.
"""

from __future__ import annotations

from collections.abc import Sequence

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

    There every factor is applied to what the ones before it have made, and the result compared with
    the stated partial product. As the statements do not follow from the factors, and hold, the
    first factor that fails is wrong: before it nothing is. Without statements only a side of a
    single factor has a block to name.
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
    N = equation.left.size
    width = max(1, min(N, COLUMNS // N))
    first = min(found.column, N - width)
    x = ring.units(N, range(first, first + width))
    wrong = _wrong_in(equation.right, equation.partial, x, ring)
    if wrong or not equation.partial:
        return wrong or _only_block(equation.right, found.row)
    wrong = _wrong_in(equation.left, equation.partial_left, x, ring)
    return f"{wrong}, on the left side" if wrong else f"{equation.left}, the left side"


def _only_block(side: Formula, row: int) -> str:
    return str(block_at(side, row)) if len(factors_of(side)) == 1 else ""


def _wrong_in(side: Formula, partial: Sequence[Formula], x: Elements, ring: Ring) -> str:
    """Return the first factor from the right that is wrong, and how many are too few or too many,
    or nothing.
    """
    factors = factors_of(side)[::-1]
    y = x
    for i, (factor, stated) in enumerate(zip(factors, partial, strict=False)):
        y, want = act(factor, y, ring), act(stated, x, ring)
        place = first_unequal(y, want, ring)
        if place:
            if len(factors) == len(partial) == 1:
                return str(block_at(factor, place[0]))
            missing = (
                len(factors) < len(partial)
                and first_unequal(act(factor, want, ring), act(partial[i + 1], x, ring), ring)
                is None
            )
            name = f"{block_at(factor, place[0])} in factor {i + 1} from the right, {factor}"
            return f"{name}: one is missing before it" if missing else name
    if partial and len(factors) > len(partial):
        return (
            f"factor {len(partial) + 1} from the right, {factors[len(partial)]}: the product is"
            " complete without it"
        )
    if len(factors) < len(partial):
        return f"a factor left of {factors[-1]}: {len(partial) - len(factors)} missing"
    return ""


def block_at(formula: Formula, row: int) -> Formula:
    """Return the smallest diagonal block of a formula that holds this row.

    >>> print(block_at(A(4, 8), 6))
    B_4
    """
    match formula:
        case A() | LH():
            return block_at(formula.definition, row)
        case ButterflySum(_, n, _):
            return block_at(formula.term(row // n), row % n)
        case Kron(I(), right):
            return block_at(right, row % right.size)
        case DirectSum(terms):
            for term in terms:
                if row < term.size:
                    return block_at(term, row)
                row -= term.size
        case Product((only,)):
            return block_at(only, row)
    return formula
