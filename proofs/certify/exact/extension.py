"""What a field must have so that a constant is an element of it that the field of N lacks.

    constant = p/q · √2^h · exp(2πi a/(L m))
             | √2^h · cos(2πa/(L m))           p and q small, against the digits of its type

L is the order of the roots of unity that the field has, m at most 64. Bluestein's chirp is of order
2N; a butterfly of three points has √3/2, which is cos(2π/12). A transform of other lengths than N
states the order that it needs.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from fractions import Fraction
from math import acos, ceil, cos, frexp, isfinite, lcm, log2, pi

MOST_TIMES, MOST_ORDER, MOST_DIVISOR = 1 << 10, 1 << 22, 1 << 10
"""An extension has at most MOST_TIMES times the order of N, and at most MOST_ORDER; its divisor is
at most MOST_DIVISOR.
"""
MOST_TRIED = 64
"""The most multiples of the order that are tried on a constant."""
ULPS = 4
"""A constant differs from what it stands for by at most this number of units in the last place."""
CERTAIN = 2.0**-10
"""Among angles that are rounded, such a part at most is next to one of the roots."""
SCALES = 4
"""So many powers of √2 are tried on a cosine, from the first on that is not below it."""


@dataclass(frozen=True)
class Extension:
    """A field with roots of unity of `multiple` times the order of N, in which a constant may be
    divided by what divides `divisor`, an odd number.
    """

    multiple: int = 1
    divisor: int = 1

    def more(self, order: int, multiple: int, divisor: int) -> Extension:
        """Return the extension whose order is larger by the factor `multiple` and which divides by
        `divisor` as well; this one where that is above the limits. `order` is that of N.
        """
        found = Extension(self.multiple * multiple, lcm(self.divisor, divisor))
        times = found.multiple
        few = times <= MOST_TIMES and times * order <= max(order, MOST_ORDER)
        return found if few and found.divisor <= MOST_DIVISOR else self


def wanted_by(value: complex, order: int, eps: float) -> tuple[int, int]:
    """Return by which multiple of the order of roots of unity, and with which odd divisor, a field
    has a constant; 1 and 1 where none is known.

    >>> wanted_by(1 / 3, 8, 2**-52), wanted_by(3**0.5, 8, 2**-52), wanted_by(0.1234567, 8, 2**-52)
    ((1, 3), (3, 1), (1, 1))
    """
    if not isfinite(abs(value)) or not value:
        return 1, 1
    if value.real and value.imag:
        return _of_root(value, order, eps)
    length = value.real or value.imag
    if divisor := _divisor(abs(length), eps):
        return 1, divisor
    return _of_cosine(length, order, eps), 1


def _of_root(value: complex, order: int, eps: float) -> tuple[int, int]:
    """Return the same for a root of unity times a number of few digits, or √2 times that."""
    divisor = _divisor(abs(value), eps) or _divisor(abs(value) * 2**0.5, eps)
    for multiple in range(1, MOST_TRIED + 1):
        step = cmath.phase(value) / (2 * pi) * order * multiple
        apart = ULPS * eps * (order * multiple) ** 2
        if divisor and abs(step - round(step)) <= apart <= CERTAIN:
            return multiple, divisor
    return 1, 1


def _of_cosine(length: float, order: int, eps: float) -> int:
    """Return the multiple of the order for √2^h times a cosine; 1 where it is none."""
    least = ceil(2 * log2(abs(length)))
    scaled = [length / 2 ** (h / 2) for h in range(least, least + SCALES)]
    scaled = [each for each in scaled if abs(each) <= 1]
    for multiple in range(1, MOST_TRIED + 1):
        step = 2 * pi / (order * multiple)
        near = [cos(step * round(acos(each) / step)) for each in scaled]
        if any(abs(a - b) <= ULPS * eps for a, b in zip(near, scaled, strict=True)):
            return multiple
    return 1


def _divisor(length: float, eps: float) -> int:
    """Return the odd part of the denominator of a number of few digits; 0 where it is none."""
    mantissa, _ = frexp(length)
    near = Fraction(mantissa).limit_denominator(round(eps ** (-1 / 5)))
    if near.numerator**4 > 1 / eps or abs(float(near) - mantissa) > ULPS * eps:
        return 0
    return near.denominator // (near.denominator & -near.denominator)
