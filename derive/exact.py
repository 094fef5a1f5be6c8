"""The exact meaning of a formula: its action on vectors whose elements live in a ring with roots of unity.

    ring = Monomials | Terms | Cyclotomic | Residues

An array of elements has shape (size, stimuli, ...): `act(formula, x, ring)` applies a formula to all stimuli at once.
`Monomials` holds 0 and single roots of unity, which is enough for the columns of a factorization whose entries are reached
by one path each, and raises Collision where two meet. `Terms` holds formal sums, for all rows of a sparse matrix at once.
`Cyclotomic` is Z[zeta], zeta of order 2^l. `Residues` is GF(q).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from derive.fields import RootField
from derive.formula import A, AHat, B, ButterflySum, D, DirectSum, F, Formula, Gamma, I, Inverse, Kron, L, Omega, Product, S, T
from derive.permute import is_permutation, target

Elements = NDArray[Any]
"""Integers: exponents, coefficients or residues."""
Exponents = NDArray[Any] | int


class Collision(ArithmeticError):
    """Two roots of unity were added: the result is no monomial."""


class Ring(Protocol):
    """What `act` needs of a ring with a root of unity."""

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
        """Return x with place i multiplied by w_order^exponent[i]; exponents have the shape of leading axes of x."""
        ...

    def fourier(self, x: Elements) -> Elements:
        """Return F_n x along axis 0."""
        ...


def _spread(exponent: Exponents, x: Elements) -> NDArray[Any]:
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
        shift = (_spread(exponent, x) % order * (self.order // order)).astype(x.dtype)
        return np.where(x < 0, x, _mod(x + shift, self.order))

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        if ((x >= 0).sum(axis=0) > 1).any():
            raise Collision
        first = (x >= 0).argmax(axis=0)
        exponent = np.take_along_axis(x, first[None], axis=0)
        shift = (np.multiply.outer(np.arange(n), first) % n * (self.order // n)).astype(x.dtype)
        return np.where(exponent < 0, np.int32(-1), _mod(exponent + shift, self.order))


@dataclass(frozen=True)
class Terms:
    """Formal sums of roots of unity times columns, the last axis, for the single stimulus that is the list of all basis vectors.

    A term is stored as column · order + exponent. Acting on the units gives the rows of a matrix as lists of their nonzero
    entries: all of them, where rows are short.
    """

    order: int

    def units(self, size: int, columns: range) -> Elements:
        assert columns == range(size), "rows are formal sums over all columns"
        return np.arange(size, dtype=np.int64).reshape(size, 1, 1) * self.order

    def add(self, x: Elements, y: Elements) -> Elements:
        return np.concatenate([x, y], axis=-1)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        before = _mod(x, self.order)
        return x - before + _mod(before + _spread(exponent, x) % order * (self.order // order), self.order)

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        return np.stack([np.concatenate([self.twist(x[j], j * k, n) for j in range(n)], axis=-1) for k in range(n)])

    def rows(self, x: Elements) -> Elements:
        """Return the terms of every row in the order of their columns; raise Collision where two are in one column."""
        entries = np.sort(x[:, 0], axis=1)
        columns = entries // self.order
        if (columns[:, 1:] == columns[:, :-1]).any():
            raise Collision
        return entries


@dataclass(frozen=True)
class Cyclotomic:
    """Z[zeta], zeta of order 2^l: the last axis holds the coefficients of 1, zeta, ..., zeta^(order/2 - 1)."""

    order: int

    def units(self, size: int, columns: range) -> Elements:
        x = np.zeros((size, len(columns), max(1, self.order // 2)), dtype=np.int64)
        x[np.array(columns), np.arange(len(columns)), 0] = 1
        return x

    def add(self, x: Elements, y: Elements) -> Elements:
        return x + y

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        half = x.shape[-1]
        shift = _spread(exponent, x) % order * (self.order // order)
        turned = (np.arange(half) - shift) % (2 * half) if self.order > 1 else np.zeros_like(x)
        value = np.take_along_axis(x, np.broadcast_to(turned % half, x.shape), axis=-1)
        return np.where(turned >= half, -value, value)

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        return np.stack([self.twist(x, np.arange(n) * k, n).sum(axis=0) for k in range(n)])


@dataclass(frozen=True)
class Residues:
    """GF(q), w_order a primitive root of unity in it."""

    field: RootField

    @property
    def order(self) -> int:
        """The order of the root of unity."""
        return self.field.order

    def units(self, size: int, columns: range) -> Elements:
        x = np.zeros((size, len(columns)), dtype=np.int64)
        x[np.array(columns), np.arange(len(columns))] = 1
        return x

    def add(self, x: Elements, y: Elements) -> Elements:
        return self._reduce(x + y)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        root = self.field.powers[np.asarray(exponent) % order * (self.order // order)]
        return self._reduce(x * _spread(root, x))

    def _reduce(self, x: Elements) -> Elements:
        """Return x mod q; numpy divides by a scalar several times faster than it takes remainders."""
        return x - x // self.field.q * self.field.q

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        if n & n - 1:
            jk = np.outer(np.arange(n), np.arange(n))
            return np.stack([self.twist(x, jk[k], n).sum(axis=0) % self.field.q for k in range(n)])
        y: Elements = x.reshape(n, 1, -1)
        while n > 1:
            y = y.reshape(2, n // 2, *y.shape[1:])
            difference = self.twist(y[0] - y[1] + self.field.q, np.arange(n // 2), n)
            y = np.stack([self.add(y[0], y[1]), difference], axis=1)
            n //= 2
            y = y.reshape(n, -1, y.shape[-1])
        return y.reshape(x.shape)


def order(formula: Formula) -> int:
    """Return a common order of all roots of unity in a formula.

    >>> order(A(4, 8, Fraction(1, 2)))
    8
    """
    match formula:
        case F(n):
            return int(n)
        case T(N, _):
            return int(N)
        case Omega(h, alpha):
            return int(2 * h * Fraction(alpha).denominator)
        case B(K, alpha) | A(K, _, alpha):
            return int(K * Fraction(alpha).denominator)
        case D(K, alpha):
            return int(K * Fraction(alpha).denominator)
        case ButterflySum(k, _, u):
            return int(k * u)
        case AHat():
            return order(formula.definition)
        case Kron(left, right):
            return lcm(order(left), order(right))
        case DirectSum(parts) | Product(parts):
            return lcm(*[order(part) for part in parts])
    return 1


def row_sum(formula: Formula) -> int:
    """Return a bound on the sum of the absolute values of a row's entries, for every choice of the root of unity.

    >>> row_sum(A(4, 8) @ A(2, 8))
    4
    """
    match formula:
        case F(n):
            return int(n)
        case B() | A() | ButterflySum() | AHat():
            return 2
        case D():
            return 4
        case Kron(left, right):
            return row_sum(left) * row_sum(right)
        case DirectSum(parts):
            return max(row_sum(part) for part in parts)
        case Product(parts):
            return reduce(lambda a, b: a * b, [row_sum(part) for part in parts])
    return 1


def act(formula: Formula, x: Elements, ring: Ring) -> Elements:
    """Return formula · x, exactly; x has shape (formula.size, stimuli, ...).

    Raises Collision where `ring` is Monomials and two roots of unity meet.

    >>> act(F(2), Monomials(2).units(2, range(2)), Monomials(2)).tolist()
    [[0, 0], [0, 1]]
    """
    match formula:
        case Product(factors):
            return reduce(lambda y, factor: act(factor, y, ring), reversed(factors), x)
        case L(N, r):
            return _shuffle(x, 1, r)
        case S(u, M) | Inverse(S(u, M)):
            return _shuffle(x, 1, M // u if isinstance(formula, Inverse) else u)
        case Gamma(u, p, N) | Inverse(Gamma(u, p, N)):
            return _shuffle(x, p // u, N // p if isinstance(formula, Inverse) else u)
        case _ if is_permutation(formula):
            y = np.empty_like(x)
            y[target(formula)] = x
            return y
        case F():
            return ring.fourier(x)
        case Omega(h, alpha):
            return ring.twist(x, *_weights(np.arange(h), alpha, 2 * h))
        case T(N, s):
            return ring.twist(x, np.outer(np.arange(N // s), np.arange(s)).reshape(-1), N)
        case B(K, alpha) | A(K, _, alpha):
            return _butterflies(x, (len(x) // K, K), *_weights(np.arange(K // 2)[None], alpha, K), ring)
        case ButterflySum(k, n, u):
            exponent = np.arange(u)[:, None, None] + u * np.arange(k // 2)
            return _butterflies(x, (u, n // k, k), exponent, k * u, ring)
        case D(K, alpha):
            return _butterfly4(x, K, alpha, ring)
        case AHat():
            return act(formula.definition, x, ring)
        case Kron(left, right):
            return _kron(left, right, x, ring)
        case DirectSum(terms):
            ends = np.cumsum([term.size for term in terms])[:-1]
            return np.concatenate([act(term, part, ring) for term, part in zip(terms, np.split(x, ends), strict=True)])
    raise TypeError(f"no meaning for {formula!r}")


def _shuffle(x: Elements, copies: int, r: int) -> Elements:
    """Return (I ⊗ L_r) x for so many copies of a stride permutation."""
    y = x.reshape(copies, len(x) // (copies * r), r, *x.shape[1:])
    return y.swapaxes(1, 2).reshape(x.shape)


def _weights(j: NDArray[Any], alpha: Fraction | int, K: int) -> tuple[NDArray[Any], int]:
    """Return the exponents and the order of w_K^(j + alpha)."""
    a = Fraction(alpha)
    return j * a.denominator + a.numerator, K * a.denominator


def _butterflies(x: Elements, shape: tuple[int, ...], exponent: NDArray[Any], order: int, ring: Ring) -> Elements:
    """Return the butterflies [[I, W], [I, -W]] of x in blocks along the last axis of `shape`, W = diag(w_order^exponent)."""
    y = x.reshape(*shape[:-1], 2, shape[-1] // 2, *x.shape[1:])
    axis = len(shape) - 1
    low, high = y.take(0, axis), ring.twist(y.take(1, axis), exponent, order)
    z = np.stack([ring.add(low, high), ring.add(low, ring.twist(high, 1, 2))], axis=axis)
    return z.reshape(len(x), *z.shape[len(shape) + 1 :])


def _butterfly4(x: Elements, K: int, alpha: Fraction | int, ring: Ring) -> Elements:
    """Return D_K^alpha x by equation 1.12: [[1, L2, L, L3], [1, -L2, iL, -iL3], [1, L2, -L, -L3], [1, -L2, -iL, iL3]], L2 = L squared."""
    x0, *rest = x.reshape(4, K // 4, *x.shape[1:])
    j = np.arange(K // 4)
    terms = [x0, *(ring.twist(part, *_weights(e * j, e * Fraction(alpha), K)) for part, e in zip(rest, (2, 1, 3), strict=True))]
    turns = ((0, 0, 0, 0), (0, 2, 1, 3), (0, 0, 2, 2), (0, 2, 3, 1))
    return np.concatenate([reduce(ring.add, [ring.twist(term, turn, 4) for term, turn in zip(terms, row, strict=True)]) for row in turns])


def _kron(left: Formula, right: Formula, x: Elements, ring: Ring) -> Elements:
    """Return (left ⊗ right) x, each factor applied along its own axis."""
    a, b = left.size, right.size
    y = x.reshape(a, b, *x.shape[1:])
    if not isinstance(right, I):
        y = _along_second(right, y, ring)
    if not isinstance(left, I):
        z = act(left, y.reshape(a, b * x.shape[1], *y.shape[3:]), ring)
        y = z.reshape(a, b, x.shape[1], *z.shape[2:])
    return y.reshape(*x.shape[:2], *y.shape[3:])


def _along_second(formula: Formula, y: Elements, ring: Ring) -> Elements:
    a, b, stimuli = y.shape[:3]
    columns = y.swapaxes(0, 1).reshape(b, a * stimuli, *y.shape[3:])
    z = act(formula, columns, ring)
    return z.reshape(b, a, stimuli, *z.shape[2:]).swapaxes(0, 1)
