"""The exact meaning of a formula: its action on vectors whose elements live in a ring with roots of unity.

    ring = Monomials | Terms | Paths | Cyclotomic | Residues

An array of elements has shape (size, stimuli, ...): `act(formula, x, ring)` applies a formula to all stimuli at once.
`Monomials` holds 0 and single roots of unity, which is enough for the columns of a factorization whose entries are reached
by one path each, and raises Collision where two meet. `Terms` holds formal sums, for all rows of a sparse matrix at once;
`Paths` only counts.
`Cyclotomic` is Z[zeta], zeta of order 2^l. `Residues` is GF(q).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import isqrt, lcm
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from derive.entries import Entries
from derive.fields import RootField, times
from derive.formula import BH, LH, A, AHat, B, ButterflySum, D, DirectSum, F, Formula, Gamma, H, I, Inverse, Kron, L, Omega, Product, S, T, W
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


@runtime_checkable
class RealRing(Protocol):
    """What `act` needs beside where a formula has cosines and sines."""

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        """Return cos(a) x + sin(a) y, a = 2 pi exponent/order; exponents have the shape of leading axes of x."""
        ...

    def hartley(self, x: Elements) -> Elements:
        """Return H_n x along axis 0."""
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


COLUMN_BITS = 25
NOWHERE = 2**COLUMN_BITS - 1
"""The column of a term that is no entry: it fills up rows that are shorter than others."""


@dataclass(frozen=True)
class Terms:
    """Formal sums of roots of unity times columns, the last axis, for the single stimulus that is the list of all basis vectors.

    A term is stored as exponent · 2^25 + column. Acting on the units gives the rows of a matrix as lists of their nonzero
    entries: all of them, where rows are short.
    """

    order: int

    def units(self, size: int, columns: range) -> Elements:
        assert columns == range(size) and size <= NOWHERE, "rows are formal sums over all columns"
        return np.arange(size, dtype=np.int64).reshape(size, 1, 1)

    def add(self, x: Elements, y: Elements) -> Elements:
        return np.concatenate([x, y], axis=-1)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        shift = np.asarray(exponent) % order * (self.order // order << COLUMN_BITS)
        return _mod(x + _spread(shift, x), self.order << COLUMN_BITS)

    def fourier(self, x: Elements) -> Elements:
        n = len(x)
        return np.stack([np.concatenate([self.twist(x[j], j * k, n) for j in range(n)], axis=-1) for k in range(n)])

    def rows(self, x: Elements) -> Elements:
        """Return the terms of every row, column · order + exponent, in the order of their columns; beyond the last -1.

        Raises Collision where two are in one column.
        """
        terms = np.ascontiguousarray(x[:, 0].T)
        column, end = terms & NOWHERE, NOWHERE * self.order
        entries = _sorted(np.where(column == NOWHERE, end, column * self.order + (terms >> COLUMN_BITS)))
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
    """The integers modulo 2^64 with 1 for every root of unity: a formula acts as the numbers of paths from place to place."""

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


IN_CACHE = 2**14
"""So many elements at a time, so that they and what is made of them stay in cache."""
RADIX_2 = 2**10
"""Transforms of so many points and a column are done in cache."""
LONG = 2**7
"""Rows of so many elements are worth a call."""


def _least(x: Elements, q: int) -> Elements:
    """Return whichever of x and x + q is not negative, the lesser if both are; as numbers without sign, negative ones are the greatest."""
    return np.minimum(x.view(np.uint64), (x + q).view(np.uint64)).view(np.int64)


@dataclass(frozen=True)
class Residues:
    """GF(q), q < 2^48, w_order a primitive root of unity in it."""

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
        return _least(x + y, -self.field.q)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        root = self._roots(np.asarray(exponent), order)
        if root.ndim == 0:
            return self.times(x, root)
        y = np.empty_like(x)
        step = max(1, IN_CACHE * len(x) // x.size)
        for start in range(0, len(x), step):
            rows = slice(start, start + step)
            y[rows] = self.times(x[rows], _spread(root[rows] if len(root) > 1 else root, x))
        return y

    def times(self, x: Elements, y: Elements | int) -> Elements:
        """Return the products of elements, of shapes that broadcast."""
        return times(x, y, self.field.q)

    def butterflies(self, x: Elements, exponent: NDArray[Any], order: int) -> Elements:
        """Return low + w high and low - w high, x = (low, high) along axis 1 of three, w = w_order^exponent, of shape (1 or len(x), h).

        Blocks of few rows stay in cache, transposed where the rows are short.
        """
        z, root = np.empty_like(x), self._roots(exponent, order)
        rows, _, h = x.shape
        step, width = max(1, IN_CACHE // h), min(h, IN_CACHE)
        for start in range(0, rows, step):
            these = slice(start, start + step)
            some = root[these] if len(root) > 1 else root
            if h < LONG:
                low, high = np.ascontiguousarray(x[these].transpose(1, 2, 0))
                z[these] = self._butterfly(low, high, some.T).transpose(2, 0, 1)
                continue
            for first in range(0, h, width):
                part = slice(first, first + width)
                z[these, :, part] = self._butterfly(x[these, 0, part], x[these, 1, part], some[:, part]).swapaxes(0, 1)
        return z

    def _butterfly(self, low: Elements, high: Elements, root: Elements) -> Elements:
        q, turned = self.field.q, high if (root == 1).all() else self.times(high, root)
        return np.stack([_least(low + turned, -q), _least(low - turned, q)])

    def _roots(self, exponent: NDArray[Any], order: int) -> Elements:
        return self.field.powers[exponent % order * (self.order // order)]

    def fourier(self, x: Elements) -> Elements:
        """Return F_n x: radix 2 by halves, else F_n = L^n_r (I_r ⊗ F_s) T^n_s (F_r ⊗ I_s), and by the definition for primes."""
        n = len(x)
        r = min(n & -n, RADIX_2) if n % 2 == 0 else next((p for p in range(3, isqrt(n) + 1, 2) if n % p == 0), n)
        if r == n:
            y = x.reshape(n, -1)
            width = max(1, IN_CACHE // n)
            transform = self._halves if n % 2 == 0 else self._sums
            return np.concatenate([transform(y[:, a : a + width]) for a in range(0, y.shape[1], width)], axis=1).reshape(x.shape)
        s = n // r
        short = self.fourier(x.reshape(r, s, -1)).reshape(n, -1)
        turned = self.twist(short, np.outer(np.arange(r), np.arange(s)).reshape(-1), n).reshape(r, s, -1)
        return self.fourier(turned.swapaxes(0, 1)).reshape(x.shape)

    def _halves(self, x: Elements) -> Elements:
        n, q = len(x), self.field.q
        y: Elements = x[:, None]
        while n > 1:
            y = y.reshape(2, n // 2, *y.shape[1:])
            difference = self.times(_least(y[0] - y[1], q), _spread(self._roots(np.arange(n // 2), n), y[0]))
            y = np.stack([self.add(y[0], y[1]), difference], axis=1)
            n //= 2
            y = y.reshape(n, -1, y.shape[-1])
        return y.reshape(x.shape)

    def _sums(self, x: Elements) -> Elements:
        n = len(x)
        return np.stack([self.total(self.times(x, self._roots(np.arange(n) * k, n)[:, None])) for k in range(n)])

    def total(self, x: Elements) -> Elements:
        """Return the sum along axis 0, of at most 2^24 elements: both halves of their bits are summed apart."""
        high, low = (x >> 24).sum(axis=0), (x & 2**24 - 1).sum(axis=0)
        return self.add(self.times(high % self.field.q, 2**24 % self.field.q), low % self.field.q)

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        q, step = self.field.q, self.order // order
        root, back = (self.field.powers[np.asarray(sign * np.asarray(exponent)) % order * step] for sign in (1, -1))
        cosine, sine = times((root + back) % q, self._half, q), times((root - back) % q, self._half * self._minus_i % q, q)
        return self.add(self.times(x, _spread(cosine, x)), self.times(y, _spread(sine, y)))

    def hartley(self, x: Elements) -> Elements:
        """Return (1 - i)/2 F_n x + (1 + i)/2 F_n^-1 n x."""
        y = self.fourier(x)
        forward, backward = (self._half * (1 + sign * self._minus_i) % self.field.q for sign in (1, -1))
        return self.add(times(y, forward, self.field.q), times(y[-np.arange(len(y))], backward, self.field.q))

    @property
    def _half(self) -> int:
        return (self.field.q + 1) // 2

    @property
    def _minus_i(self) -> int:
        return int(self.field.powers[3 * self.order // 4])


def halvings(formula: Formula) -> int:
    """Return h such that 2^h times every entry of a formula is an algebraic integer: cosines and sines are halves of such.

    >>> halvings(LH(2, 4) @ LH(1, 4)), halvings(F(4))
    (2, 0)
    """
    match formula:
        case H() | BH() | LH():
            return 1
        case Kron(left, right):
            return halvings(left) + halvings(right)
        case DirectSum(parts):
            return max(halvings(part) for part in parts)
        case Product(parts):
            return sum(halvings(part) for part in parts)
    return 0


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
        case W(order=own):
            return own
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
        case Entries():
            return formula.order
        case H(n) | BH(n):
            return lcm(8, int(n))
        case LH(s, _):
            return int(max(8, 2**s))
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
        case H(n):
            return int(2 * n)
        case BH() | LH():
            return 3
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
        case W(own, i, j):
            z = np.arange(len(x))
            return ring.twist(x, i(z) * j(z), own)
        case B(K, alpha) | A(K, _, alpha):
            return _butterflies(x, (1, len(x) // K, K), *_weights(np.arange(K // 2)[None], alpha, K), ring)
        case ButterflySum(k, n, u):
            exponent = np.arange(u)[:, None] + u * np.arange(k // 2)
            return _butterflies(x, (u, n // k, k), exponent, k * u, ring)
        case D(K, alpha):
            return _butterfly4(x, K, alpha, ring)
        case AHat():
            return act(formula.definition, x, ring)
        case H():
            return _real(ring).hartley(x)
        case BH(K):
            return _hartley_butterflies(x, K, ring)
        case LH(s, _):
            return _hartley_butterflies(x, 2**s, ring)
        case Entries():
            return _by_entries(formula, x, ring)
        case Kron(left, right):
            return _kron(left, right, x, ring)
        case DirectSum(terms):
            ends = np.cumsum([term.size for term in terms])[:-1]
            return join([act(term, part, ring) for term, part in zip(terms, np.split(x, ends), strict=True)])
    raise TypeError(f"no meaning for {formula!r}")


def join(parts: Sequence[Elements]) -> Elements:
    """Return vectors one below the other; formal sums that are shorter than others end in terms of the column NOWHERE."""
    if parts[0].ndim != 3:
        return np.concatenate(parts)
    longest = max(part.shape[2] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, 0), (0, longest - part.shape[2])), constant_values=NOWHERE) for part in parts])


def _shuffle(x: Elements, copies: int, r: int) -> Elements:
    """Return (I ⊗ L_r) x for so many copies of a stride permutation."""
    y = x.reshape(copies, len(x) // (copies * r), r, *x.shape[1:])
    return y.swapaxes(1, 2).reshape(x.shape)


def _weights(j: NDArray[Any], alpha: Fraction | int, K: int) -> tuple[NDArray[Any], int]:
    """Return the exponents and the order of w_K^(j + alpha)."""
    a = Fraction(alpha)
    return j * a.denominator + a.numerator, K * a.denominator


def _butterflies(x: Elements, shape: tuple[int, int, int], exponent: NDArray[Any], order: int, ring: Ring) -> Elements:
    """Return the butterflies [[I, W], [I, -W]] of x, an array of blocks of K elements, W = diag(w_order^exponent).

    `shape` is (groups, blocks of a group, K), and exponents have the shape (groups or 1, K/2).
    """
    groups, blocks, K = shape
    if isinstance(ring, Residues):
        each = np.repeat(np.repeat(exponent, blocks if groups > 1 else 1, axis=0), x[0].size, axis=1)
        return ring.butterflies(x.reshape(groups * blocks, 2, -1), each, order).reshape(x.shape)
    y = x.reshape(groups, blocks, 2, K // 2, *x.shape[1:])
    low, high = y[:, :, 0], ring.twist(y[:, :, 1], exponent[:, None], order)
    if isinstance(ring, Terms):
        z = np.empty((*y.shape[:-1], 2 * x.shape[-1]), dtype=x.dtype)
        z[..., : x.shape[-1]] = low[:, :, None]
        z[:, :, 0, ..., x.shape[-1] :] = high
        z[:, :, 1, ..., x.shape[-1] :] = ring.twist(high, 1, 2)
        return z.reshape(len(x), *z.shape[4:])
    z = np.stack([ring.add(low, high), ring.add(low, ring.twist(high, 1, 2))], axis=2)
    return z.reshape(len(x), *z.shape[4:])


def _butterfly4(x: Elements, K: int, alpha: Fraction | int, ring: Ring) -> Elements:
    """Return D_K^alpha x by equation 1.12: [[1, L2, L, L3], [1, -L2, iL, -iL3], [1, L2, -L, -L3], [1, -L2, -iL, iL3]], L2 = L squared."""
    x0, *rest = x.reshape(4, K // 4, *x.shape[1:])
    j = np.arange(K // 4)
    terms = [x0, *(ring.twist(part, *_weights(e * j, e * Fraction(alpha), K)) for part, e in zip(rest, (2, 1, 3), strict=True))]
    turns = ((0, 0, 0, 0), (0, 2, 1, 3), (0, 0, 2, 2), (0, 2, 3, 1))
    return np.concatenate([reduce(ring.add, [ring.twist(term, turn, 4) for term, turn in zip(terms, row, strict=True)]) for row in turns])


def _by_entries(matrix: Entries, x: Elements, ring: Ring) -> Elements:
    """Return the sum of the columns of a matrix times the elements of x, those that are not 0."""
    zero = ring.units(2, range(1))[1:]
    y = np.broadcast_to(zero, x.shape)
    for j in np.flatnonzero((x != zero).reshape(len(x), -1).any(axis=1)):
        exponent = matrix.column(int(j))
        column = ring.twist(np.broadcast_to(x[j], x.shape), np.maximum(exponent, 0), matrix.order)
        y = ring.add(y, np.where(_spread(exponent, x) < 0, zero, column))
    return y


def _real(ring: Ring) -> RealRing:
    if not isinstance(ring, RealRing):
        raise Collision
    return ring


def _hartley_butterflies(x: Elements, K: int, ring: Ring) -> Elements:
    """Return (I ⊗ BH_K) x."""
    h = K // 2
    u = np.arange(h)
    y = x.reshape(len(x) // K, 2, h, *x.shape[1:])
    low, high = y[:, 0], y[:, 1]
    turned = _real(ring).rotate(high, high[:, -u % h], u[None], K)
    return np.stack([ring.add(low, turned), ring.add(low, ring.twist(turned, 1, 2))], axis=1).reshape(x.shape)


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
