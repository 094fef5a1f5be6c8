"""The complex numbers as a ring in which formulas act: rounded, to show entries to a person, never
to decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import pi

import numpy as np
from numpy.typing import NDArray

from derive.exact.action import act
from derive.exact.measures import order
from derive.exact.rings import Elements, Exponents, spread
from derive.formula.grammar import Formula

Matrix = NDArray[np.complex128]


@dataclass(frozen=True)
class Complexes:
    """Complex numbers; w_n = exp(-2 pi i/n)."""

    order: int

    def units(self, size: int, columns: range) -> Elements:
        x = np.zeros((size, len(columns)), dtype=complex)
        x[np.array(columns), np.arange(len(columns))] = 1
        return x

    def add(self, x: Elements, y: Elements) -> Elements:
        return x + y

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        return x * np.exp(-2j * pi * (spread(exponent, x) % order) / order)

    def fourier(self, x: Elements) -> Elements:
        return np.fft.fft(x, axis=0)

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        angle = 2 * pi * spread(exponent, x) / order
        return x * np.cos(angle) + y * np.sin(angle)

    def hartley(self, x: Elements) -> Elements:
        y = self.fourier(x)
        return ((1 + 1j) * y + (1 - 1j) * y[-np.arange(len(y))]) / 2

    def divide(self, x: Elements, n: int) -> Elements:
        return x / n

    def drawn(self, name: str, rows: int, columns: int, conjugated: bool) -> Elements:
        return shown_matrix(name, rows, columns, conjugated)

    def apply(self, matrix: Elements, x: Elements) -> Elements:
        return np.tensordot(matrix, x, axes=1)

    def multiply(self, x: Elements, number: Fraction) -> Elements:
        return x * float(number)


def shown_matrix(name: str, rows: int, columns: int, conjugated: bool = False) -> Matrix:
    """Return what stands for a matrix variable where entries are shown: small Gaussian integers.

    >>> shown_matrix("A", 1, 3).tolist()
    [[(-2-2j), (1+0j), (2-1j)]]
    """
    drawn = np.random.default_rng([rows, columns, *name.encode()])
    real, imaginary = drawn.integers(-2, 3, (2, rows, columns))
    return real + (-1j if conjugated else 1j) * imaginary


def matrix(formula: Formula) -> Matrix:
    """Return the matrix of a formula, rounded.

    Raises ValueError where a size is a symbol.

    >>> from derive.formula.permutation_matrices import J
    >>> matrix(J(2)).real.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if not isinstance(formula.size, int):
        raise ValueError(f"{formula}: a matrix of numbers has a number as its size")
    return columns(formula, range(formula.columns))


def columns(formula: Formula, chosen: range) -> Matrix:
    """Return some columns of a formula, rounded.

    >>> from derive.formula.transforms import F
    >>> columns(F(2), range(1, 2)).real.tolist()
    [[1.0], [-1.0]]
    """
    ring = Complexes(order(formula))
    return act(formula, ring.units(formula.columns, chosen), ring)


def entry(formula: Formula, row: int, column: int) -> complex:
    """Return an entry of a formula, rounded.

    >>> from derive.formula.adjoints import inverted
    >>> from derive.formula.transforms import F
    >>> spelled(entry(inverted(F(4)), 1, 1))
    '0.25i'
    """
    return complex(columns(formula, range(column, column + 1))[row, 0])


def spelled(z: complex, digits: int = 6) -> str:
    """Return a complex number in few digits, parts below 10^-digits left out.

    >>> spelled(2**-0.5 * (1 + 1j)), spelled(-1 + 1e-17j), spelled(0j)
    ('0.707107 + 0.707107i', '-1', '0')
    """
    z, least = complex(z), 10.0**-digits
    real, imag = (part if abs(part) >= least else 0.0 for part in (z.real, z.imag))
    imaginary = f"{abs(imag):.{digits}g}i"
    if not real:
        return f"{'-' * (imag < 0)}{imaginary}" if imag else "0"
    return f"{real:.{digits}g}" + (f" {'-' if imag < 0 else '+'} {imaginary}" if imag else "")
