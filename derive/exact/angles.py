"""Numbers cas(a) = cos(a) + sin(a) by their angles: the exact ring in which every entry of the
Hartley factorization is an integer.

A factor of the Hartley matrix forms cos(a) cas(b) + sin(a) cas(-b) = cas(a + b), so the columns of
its partial products have entries 0 and cas(b), and angles are only added. This ring knows no other
sums: it raises Collision, and a larger one decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from derive.exact.rings import Collision, Elements, Exponents, Monomials


@dataclass(frozen=True)
class Angles:
    """Zero (stored as -1) and cas(2 pi e/order) (stored as e), for an order that 8 divides.

    cas(b) = cas(pi/2 - b), and cas(3 pi/4) = 0: a number may be stored in two ways, `lowest` makes
    it one.
    """

    order: int

    def units(self, size: int, columns: range) -> Elements:
        return Monomials(self.order).units(size, columns)

    def add(self, x: Elements, y: Elements) -> Elements:
        return Monomials(self.order).add(x, y)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        if (2 * np.asarray(exponent) % order).any():
            raise Collision
        return Monomials(self.order).twist(x, exponent, order)

    def fourier(self, x: Elements) -> Elements:
        raise Collision

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        """Return cas(a + b) for x = cas(b), y = cas(-b)."""
        if not np.array_equal(y, np.where(x < 0, x, -x % self.order)):
            x = self._angle(x, y)
        return Monomials(self.order).twist(x, exponent, order)

    def _angle(self, x: Elements, y: Elements) -> Elements:
        """Return the b with x = cas(b) and y = cas(-b), which is one of x and pi/2 - x; raise
        Collision where there is none.
        """
        quarter = self.order // 4
        absent = (x < 0) & (y < 0)
        straight = ((x + y) % self.order == 0) | ((y - x) % self.order == quarter)
        crossed = ((x - y) % self.order == quarter) | ((x + y) % self.order == 2 * quarter)
        if ((x < 0) != (y < 0)).any() or not (absent | straight | crossed).all():
            raise Collision
        return np.where(absent, x, np.where(straight, x, (quarter - x) % self.order)).astype(
            x.dtype
        )

    def hartley(self, x: Elements) -> Elements:
        """Return the columns of H_n where every column of x is 1 or -1 at one place."""
        if ((x >= 0) & (2 * x % self.order != 0)).any():
            raise Collision
        return Monomials(self.order).fourier(x)

    def lowest(self, x: Elements) -> Elements:
        """Return every number in the one way that equal numbers share.

        >>> Angles(8).lowest(np.array([-1, 0, 2, 3, 7, 4])).tolist()
        [-1, 0, 0, -1, -1, 4]
        """
        least = np.minimum(x, (self.order // 4 - x) % self.order)
        return np.where((x < 0) | (least == 3 * self.order // 8), -1, least)

    def divide(self, x: Elements, n: int) -> Elements:
        raise Collision

    def multiply(self, x: Elements, number: Fraction) -> Elements:
        raise Collision
