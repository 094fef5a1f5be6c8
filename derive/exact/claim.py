"""A claim that two linear maps are equal, and the entries in which they differ."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact.angles import Angles
from derive.exact.complexes import spelled
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Elements, Monomials, Ring, Sums
from derive.verdict import Refuted

Action = Callable[[Elements, Ring], Elements]
"""A linear map of vectors, given the ring that their elements live in."""
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Difference:
    """An entry in which the two sides of an equation differ."""

    row: int
    column: int
    left: str
    right: str

    def __str__(self) -> str:
        return (
            f"entry ({self.row}, {self.column}) is {self.left} on the left and {self.right} on the"
            " right"
        )


@dataclass(frozen=True)
class Claim:
    """That two linear maps of vectors of `size` elements are equal.

    `order` is a multiple of the orders of all roots of unity on both sides and of 4, `roots` the
    least common multiple of those orders, where it is known. `growth` bounds the
    absolute row sums of the two together, times the number that makes algebraic integers of
    their entries. `fourier` says that the left side is F_N, `hartley` that it is H_N; `real` that
    entries are no sums of roots of unity, but cosines, sines and quotients of such. `letters` are
    the matrix variables, entries being polynomials of this `degree` in theirs. `locate`
    names the smallest wrong part, given a difference, and `shown` is the difference in words.
    """

    statement: str
    size: int
    order: int
    growth: int
    left: Action
    right: Action
    fourier: bool = False
    hartley: bool = False
    real: bool = False
    rows: int = 0
    letters: tuple[str, ...] = ()
    degree: int = 0
    locate: Callable[[Difference, Ring], str] = lambda found, ring: ""
    shown: Callable[[Difference, Ring], str] = lambda found, ring: str(found)
    roots: int = 0

    @property
    def numbers(self) -> str:
        """The ring that the entries of both sides are in."""
        order = self.roots or self.order
        return f"Z[zeta_{order}]" if order > 2 else "Z"

    @property
    def entries(self) -> int:
        """The number of entries of each side."""
        return self.size * (self.rows or self.size)

    def refuted(self, found: Difference, ring: Ring) -> Refuted:
        """Return that the claim is false, as a difference seen in this ring shows."""
        return Refuted(self.statement, self.shown(found, ring), self.locate(found, ring))


def difference(claim: Claim, columns: range, ring: Ring) -> Difference | None:
    """Return the first entry of these columns in which the two sides differ, or None."""
    x = ring.units(claim.size, columns)
    left, right = claim.left(x, ring), claim.right(x, ring)
    place = first_unequal(left, right, ring)
    if place is None:
        return None
    row, column = place
    return Difference(
        row, columns[column], _value(left[row, column], ring), _value(right[row, column], ring)
    )


def first_unequal(left: Elements, right: Elements, ring: Ring) -> tuple[int, int] | None:
    """Return the first place (row, stimulus), by stimuli, of unequal elements, or None; raise
    Collision where sums differ, which may be the same number.
    """
    if not np.array_equal(left, right):
        left, right = _lowest(left, ring), _lowest(right, ring)
    if np.array_equal(left, right):
        return None
    if isinstance(ring, Sums):
        raise Collision
    unequal = (left != right).reshape(*left.shape[:2], -1).any(axis=2)
    stimulus, row = divmod(int(unequal.T.argmax()), len(left))
    return row, stimulus


def _lowest(x: Elements, ring: Ring) -> Elements:
    """Return the numbers of a ring in the one way that equal ones share."""
    return ring.lowest(x) if isinstance(ring, Angles | Sums) else x


def _value(element: NDArray[Any], ring: Ring) -> str:
    """Return an element as text, a sum of roots of unity also as a complex number."""
    if isinstance(ring, Monomials):
        return "0" if element < 0 else valued([(int(element), 1)], ring.order)
    if isinstance(ring, Angles):
        return "0" if ring.lowest(element) < 0 else _cas(int(element), ring.order)
    if isinstance(ring, Residues):
        return f"{int(element)} in GF({ring.field.q})"
    return valued([(i, int(c)) for i, c in enumerate(np.atleast_1d(element)) if c], ring.order)


def valued(terms: Sequence[tuple[int, int | Fraction]], order: int) -> str:
    """Return the sum of c w_order^e over terms (e, c) as text, and its value, w_n = exp(-2πi/n),
    unless it is rational.

    >>> valued([(2, 1)], 12), valued([(0, 1), (1, -2)], 4), valued([(0, 3)], 8), valued([], 8)
    ('w_6 = 0.5 - 0.866025i', '1 - 2 w_4 = 1 + 2i', '3', '0')
    """
    text = " + ".join(root(order, e, c) for e, c in terms).replace("+ -", "- ") or "0"
    if "w_" not in text:
        return text
    value = sum(c * cmath.exp(-2j * cmath.pi * (e % order) / order) for e, c in terms)
    return f"{text} = {spelled(value)}"


def _cas(e: int, order: int) -> str:
    """Return cas(2π e/order) as text, in lowest terms, and its value."""
    part, angle = Fraction(e, order), 2 * cmath.pi * e / order
    words = f"{part.numerator}/{part.denominator}"
    return f"cas(2π·{words}) = {spelled(cos(angle) + sin(angle))}"


def root(order: int, exponent: int, c: int | Fraction = 1) -> str:
    """Return c w_order^exponent as text, with the least order, without factors 1.

    >>> root(8, 3), root(8, 3, -1), root(8, 0, 2), root(12, 2), root(8, 4), root(4, 1, 3)
    ('w_8^3', '-w_8^3', '2', 'w_6', '-1', '3 w_4')
    """
    part = Fraction(exponent, order) % 1
    if part.denominator <= 2:
        return str(-c if part else c)
    power = f"^{part.numerator}" * (part.numerator > 1)
    return f"{'-' if c == -1 else '' if c == 1 else f'{c} '}w_{part.denominator}{power}"
