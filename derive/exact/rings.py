"""Rings with a root of unity, in which formulas act exactly.

    ring = Monomials | Sums | Terms | Paths | Cyclotomic | Residues (residues.py)

An array of elements has shape (size, stimuli, ...). `Monomials` holds 0 and single roots of unity,
which is enough for the columns of a factorization whose entries are reached by one path each, and
raises Collision where two meet. `Sums` holds the sums of a few that products of Hartley matrices
have as entries. `Terms` holds formal sums, for all rows of a sparse matrix at once; `Paths` only
counts. `Cyclotomic` is Z[zeta], zeta of order 2^l. `Residues` is GF(q).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Elements = NDArray[Any]
"""Integers: exponents, coefficients or residues."""
Exponents = NDArray[Any] | int


class Collision(ArithmeticError):
    """Two roots of unity were added: the result is no monomial."""


class Ring(Protocol):
    """The operations of a ring with a root of unity that `act` needs."""

    @property
    def order(self) -> int:
        """The order of the root of unity."""
        ...

    def units(self, size: int, columns: range) -> Elements:
        """Return the basis vectors of these numbers as columns."""
        ...

    def add(self, x: Elements, y: Elements) -> Elements:
        """Return x + y."""
        ...

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        """Return x with place i times w_order^exponent[i]; exponents shaped as x's leading axes."""
        ...

    def fourier(self, x: Elements) -> Elements:
        """Return F_n x along axis 0."""
        ...


@runtime_checkable
class RealRing(Protocol):
    """The operations that `act` needs for formulas with cosines and sines, and for inverses."""

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        """Return cos(a) x + sin(a) y, a = 2 pi exponent/order, exponents as leading axes of x."""
        ...

    def hartley(self, x: Elements) -> Elements:
        """Return H_n x along axis 0."""
        ...

    def divide(self, x: Elements, n: int) -> Elements:
        """Return x / n."""
        ...

    def multiply(self, x: Elements, number: Fraction) -> Elements:
        """Return x times a number."""
        ...


@runtime_checkable
class DrawingRing(Protocol):
    """The operations that `act` needs for formulas with matrix variables."""

    def drawn(self, name: str, rows: int, columns: int, conjugated: bool) -> Elements:
        """Return what stands for a matrix variable, or for its conjugate."""
        ...

    def apply(self, matrix: Elements, x: Elements) -> Elements:
        """Return matrix · x along axis 0."""
        ...


def spread(exponent: Exponents, x: Elements) -> NDArray[Any]:
    """Return exponents with axes of length 1 behind theirs, as many as x has."""
    array = np.asarray(exponent)
    return array.reshape(array.shape + (1,) * (x.ndim - array.ndim))


def _mod(x: Elements, order: int) -> Elements:
    """Return x mod order; a mask is several times faster than a remainder."""
    return x & order - 1 if order & order - 1 == 0 else x % order


@dataclass(frozen=True)
class Monomials:
    """Zero (stored as -1) and the powers of zeta (stored as exponents), zeta of the given order."""

    order: int

    def units(self, size: int, columns: range) -> Elements:
        x = np.full((size, len(columns)), -1, dtype=np.int32)
        x[np.array(columns), np.arange(len(columns))] = 0
        return x

    def add(self, x: Elements, y: Elements) -> Elements:
        if ((x >= 0) & (y >= 0)).any():
            raise Collision
        return np.maximum(x, y)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        shift = (spread(exponent, x) % order * (self.order // order)).astype(x.dtype)
        return np.where(x < 0, x, _mod(x + shift, self.order))

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        if ((x >= 0).sum(axis=0) > 1).any():
            raise Collision
        first = (x >= 0).argmax(axis=0)
        exponent = np.take_along_axis(x, first[None], axis=0)
        shift = (np.multiply.outer(np.arange(n), first) % n * (self.order // n)).astype(x.dtype)
        return np.where(exponent < 0, np.int32(-1), _mod(exponent + shift, self.order))


MOST_AXES = 6
"""Sums have at most 2^4 terms: further axes after two, those of an array of single ones."""


@dataclass(frozen=True)
class Sums(Monomials):
    """Sums of 2^a zeros and powers of zeta over the a-th power of the root of 2, the terms along a
    axes after the first two. Terms are added to 0 alone; 8 divides the order.

    (1 + i)/2 is w_8^7 over that root and (1 - i)/2 is w_8 over it, so H_n = E F_n makes a sum of
    two of each root of unity.
    """

    def add(self, x: Elements, y: Elements) -> Elements:
        if x.shape != y.shape:
            raise Collision
        return super().add(x, y)

    def reflected(self, z: Elements, c: Elements) -> Elements:
        """Return (1 + i)/2 z + (1 - i)/2 c, i = w_4^3, its two terms along a further axis.

        >>> Sums(8).reflected(np.array([[0]]), np.array([[-1]])).tolist()
        [[[7, -1]]]
        """
        if z.ndim == MOST_AXES:
            raise Collision
        return np.stack([self.twist(z, 7, 8), self.twist(c, 1, 8)], axis=-1)

    def hartley(self, x: Elements) -> Elements:
        """Return H_n x along axis 0, H_1 x = x."""
        y = self.fourier(x)
        return self.reflected(y, y[-np.arange(len(y))]) if len(y) > 1 else x

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        raise Collision

    def divide(self, x: Elements, n: int) -> Elements:
        raise Collision

    def multiply(self, x: Elements, number: Fraction) -> Elements:
        raise Collision

    def lowest(self, x: Elements) -> Elements:
        """Return every sum with its terms in order.

        >>> Sums(8).lowest(np.array([[[7, 1]]])).tolist()
        [[[1, 7]]]
        """
        return np.sort(x.reshape(*x.shape[:2], -1), axis=-1)


COLUMN_BITS = 25
NOWHERE = 2**COLUMN_BITS - 1
"""The column of a term that is no entry: it fills up rows that are shorter than others."""


@dataclass(frozen=True)
class Terms:
    """Formal sums of roots of unity times columns, the last axis, for the single stimulus that is
    the list of all basis vectors.

    A term is stored as exponent · 2^25 + column. Acting on the units gives the rows of a matrix as
    lists of their nonzero entries: all of them, where rows are short.
    """

    order: int

    @property
    def largest(self) -> int:
        """An upper bound of terms and of sums of two."""
        return self.order << COLUMN_BITS + 1

    def units(self, size: int, columns: range) -> Elements:
        assert columns == range(size) and size <= NOWHERE, "rows are formal sums over all columns"
        return np.arange(size, dtype=np.int64).reshape(size, 1, 1)

    def add(self, x: Elements, y: Elements) -> Elements:
        return np.concatenate([x, y], axis=-1)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        shift = np.asarray(exponent) % order * (self.order // order << COLUMN_BITS)
        return _mod(x + spread(shift, x), self.order << COLUMN_BITS)

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        return np.stack(
            [
                np.concatenate([self.twist(x[j], j * k, n) for j in range(n)], axis=-1)
                for k in range(n)
            ]
        )

    def rows(self, x: Elements) -> Elements:
        """Return the terms of every row, column · order + exponent, in the order of their columns;
        beyond the last -1.

        Raises Collision where two are in one column.
        """
        terms = np.ascontiguousarray(x[:, 0].T)
        column, end = terms & NOWHERE, NOWHERE * self.order
        entries = _sorted(
            np.where(column == NOWHERE, end, column * self.order + (terms >> COLUMN_BITS))
        )
        column = entries // self.order
        if ((column[1:] == column[:-1]) & (column[1:] != NOWHERE)).any():
            raise Collision
        return np.where(entries == end, -1, entries).T


def _sorted(rows: Elements) -> Elements:
    """Return an array of few rows with every column in order, by exchanges of neighbouring rows."""
    ordered = list(rows)
    for turn in range(len(ordered)):
        for i in range(turn % 2, len(ordered) - 1, 2):
            low, high = ordered[i : i + 2]
            ordered[i : i + 2] = np.minimum(low, high), np.maximum(low, high)
    return np.stack(ordered)


@dataclass(frozen=True)
class Paths:
    """The integers modulo 2^64 with 1 for every root of unity: a formula acts as the numbers of
    paths from place to place.
    """

    order: int

    def units(self, size: int, columns: range) -> Elements:
        x = np.zeros((size, len(columns)), dtype=np.int64)
        x[np.array(columns), np.arange(len(columns))] = 1
        return x

    def add(self, x: Elements, y: Elements) -> Elements:
        return x + y

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        return x

    def fourier(self, x: Elements) -> Elements:
        return np.broadcast_to(x.sum(axis=0), x.shape)


@dataclass(frozen=True)
class Cyclotomic:
    """Z[zeta], zeta of order 2^l, with the coefficients of zeta^0 .. zeta^(order/2 - 1) last."""

    order: int

    def units(self, size: int, columns: range) -> Elements:
        x = np.zeros((size, len(columns), max(1, self.order // 2)), dtype=np.int64)
        x[np.array(columns), np.arange(len(columns)), 0] = 1
        return x

    def add(self, x: Elements, y: Elements) -> Elements:
        return x + y

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        half = x.shape[-1]
        shift = spread(exponent, x) % order * (self.order // order)
        turned = (np.arange(half) - shift) % (2 * half) if self.order > 1 else np.zeros_like(x)
        value = np.take_along_axis(x, np.broadcast_to(turned % half, x.shape), axis=-1)
        return np.where(turned >= half, -value, value)

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        return np.stack([self.twist(x, np.arange(n) * k, n).sum(axis=0) for k in range(n)])
