"""Equations whose rows or columns have a digit of few values, proved value by value. Not trusted:
the kernel has a rule for it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import reduce

from proofs.kernel.diagrams import refined
from proofs.kernel.kernel_rules import Thm, cases, chosen, sym, trans
from proofs.kernel.numbers import ONE, Dim
from proofs.kernel.path_sums import diagrams
from proofs.kernel.phases import number
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Kron, Mul, Term
from proofs.prove.budget import look
from proofs.prove.path_sum_cache import diag
from proofs.prove.tactics import factors, flat

MOST_VALUES = 8
"""A digit is looked at value by value where it has no more."""
MOST_CASES = 64
"""So many values of all digits together are looked at."""


@dataclass(frozen=True)
class DigitAtEnd:
    """A digit of d values in the rows (side 0) or columns (side 1), between others."""

    side: int
    above: Dim
    d: int
    below: Dim

    def at(self, value: int, term: Term) -> Term:
        """Return the rows or columns of a term at which the digit has this value."""
        one = chosen(value, self.d, self.side == 1)
        one = Kron(I(self.above), Kron(one, I(self.below)))
        return Mul(term, one) if self.side else Mul(one, term)


def by_cases(left: Term, right: Term) -> Thm:
    """Return left = right by path sums for each value of digits that have few, those of columns
    first, else those of rows; raise Refused where that is not seen.

    What stands at the chosen ends is multiplied first, so that most of a product is 0 early.

    >>> from proofs.kernel.terms import F
    >>> by_cases(F(Dim.of(2)), F(Dim.of(2), -1)).rule
    'trans'
    """
    try:
        return _each(left, right, 1, MOST_CASES)
    except Refused:
        return _each(left, right, 0, MOST_CASES)


def _each(left: Term, right: Term, side: int, most: int) -> Thm:
    look()
    one, two = (_nested(x, side) for x in (left, right))
    with suppress(Refused):
        return trans(trans(one, diag(one.right, two.right)), sym(two))
    place = _place(one.right, two.right, side)
    if place is None or place.d > most:
        raise Refused(f"cannot show that {left} = {right} in a case")
    each = (
        _each(place.at(v, left), place.at(v, right), side, most // place.d) for v in range(place.d)
    )
    return cases(left, right, place.side, place.above, place.below, *each)


def _nested(term: Term, side: int) -> Thm:
    """Return term = its factors nested to the right (side 1) or to the left."""
    found = flat(term)
    return found if side else trans(found, sym(flat(reduce(Mul, factors(term)))))


def _place(left: Term, right: Term, first: int) -> DigitAtEnd | None:
    """Return the first digits of few values of columns or rows, as the path sums of both sides have
    them.
    """
    found = diagrams(left) + diagrams(right)
    for side in (first, 1 - first):
        for i in range(1, len(found)):
            found[0], found[i] = refined(found[0], side, found[i], side)
        radices = [x.radix for x in found[0].ports[side]] if found else []
        if i := next((i + 1 for i, radix in enumerate(radices) if _few([radix])), 0):
            last = next(j for j in range(len(radices), 0, -1) if _few(radices[i - 1 : j]))
            above, d, below = map(_whole, (radices[: i - 1], radices[i - 1 : last], radices[last:]))
            return DigitAtEnd(side, above, number(d), below)
    return None


def _whole(radices: list[Dim]) -> Dim:
    return reduce(Dim.__mul__, radices, ONE)


def _few(radices: list[Dim]) -> bool:
    return 1 < number(_whole(radices)) <= MOST_VALUES
