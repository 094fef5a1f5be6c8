"""GF(q), the field of residues modulo a prime, with a root of unity in it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact.rings import Elements, Exponents, spread
from derive.fields import RootField, least, times

IN_CACHE = 2**14
"""So many elements at a time, so that they and what is made of them stay in cache."""
RADIX_2 = 2**10
"""Transforms of so many points and a column are done in cache."""
LONG = 2**7
"""Rows of so many elements are worth a call."""


@dataclass(frozen=True)
class Residues:
    """GF(q), q < 2^48, w_order a primitive root of unity in it."""

    field: RootField
    seed: int = 0
    """Draws what stands for matrix variables."""

    @property
    def order(self) -> int:
        """The order of the root of unity."""
        return self.field.order

    def units(self, size: int, columns: range) -> Elements:
        x = np.zeros((size, len(columns)), dtype=np.int64)
        x[np.array(columns), np.arange(len(columns))] = 1
        return x

    def add(self, x: Elements, y: Elements) -> Elements:
        return least(x + y, -self.field.q)

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        root = self._roots(np.asarray(exponent), order)
        if root.ndim == 0:
            return self.times(x, root)
        y = np.empty_like(x)
        step = max(1, IN_CACHE * len(x) // x.size)
        for start in range(0, len(x), step):
            rows = slice(start, start + step)
            y[rows] = self.times(x[rows], spread(root[rows] if len(root) > 1 else root, x))
        return y

    def times(self, x: Elements, y: Elements | int) -> Elements:
        """Return the products of elements, of shapes that broadcast."""
        return times(x, y, self.field.q)

    def butterflies(self, x: Elements, exponent: NDArray[Any], order: int) -> Elements:
        """Return low + w high and low - w high, x = (low, high) along axis 1 of three, w =
        w_order^exponent, of shape (1 or len(x), h).

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
                z[these, :, part] = self._butterfly(
                    x[these, 0, part], x[these, 1, part], some[:, part]
                ).swapaxes(0, 1)
        return z

    def _butterfly(self, low: Elements, high: Elements, root: Elements) -> Elements:
        q, turned = self.field.q, high if (root == 1).all() else self.times(high, root)
        return np.stack([least(low + turned, -q), least(low - turned, q)])

    def _roots(self, exponent: NDArray[Any], order: int) -> Elements:
        return self.field.powers[exponent % order * (self.order // order)]

    def fourier(self, x: Elements) -> Elements:
        """Return F_n x: radix 2 by halves, else F_n = L^n_r (I_r ⊗ F_s) T^n_s (F_r ⊗ I_s), and by
        the definition for primes.
        """
        n = len(x)
        r = (
            min(n & -n, RADIX_2)
            if n % 2 == 0
            else next((p for p in range(3, isqrt(n) + 1, 2) if n % p == 0), n)
        )
        if r == n:
            y = x.reshape(n, -1)
            width = max(1, IN_CACHE // n)
            transform = self._halves if n % 2 == 0 else self._sums
            return np.concatenate(
                [transform(y[:, a : a + width]) for a in range(0, y.shape[1], width)], axis=1
            ).reshape(x.shape)
        s = n // r
        short = self.fourier(x.reshape(r, s, -1)).reshape(n, -1)
        turned = self.twist(short, np.outer(np.arange(r), np.arange(s)).reshape(-1), n).reshape(
            r, s, -1
        )
        return self.fourier(turned.swapaxes(0, 1)).reshape(x.shape)

    def _halves(self, x: Elements) -> Elements:
        n, q = len(x), self.field.q
        y: Elements = x[:, None]
        while n > 1:
            y = y.reshape(2, n // 2, *y.shape[1:])
            difference = self.times(
                least(y[0] - y[1], q), spread(self._roots(np.arange(n // 2), n), y[0])
            )
            y = np.stack([self.add(y[0], y[1]), difference], axis=1)
            n //= 2
            y = y.reshape(n, -1, y.shape[-1])
        return y.reshape(x.shape)

    def _sums(self, x: Elements) -> Elements:
        n = len(x)
        return np.stack(
            [self.total(self.times(x, self._roots(np.arange(n) * k, n)[:, None])) for k in range(n)]
        )

    def total(self, x: Elements) -> Elements:
        """Return the sum along axis 0 of at most 2^24 elements, both halves of their bits apart."""
        high, low = (x >> 24).sum(axis=0), (x & 2**24 - 1).sum(axis=0)
        return self.add(self.times(high % self.field.q, 2**24 % self.field.q), low % self.field.q)

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        q, step = self.field.q, self.order // order
        root, back = (
            self.field.powers[np.asarray(sign * np.asarray(exponent)) % order * step]
            for sign in (1, -1)
        )
        cosine, sine = (
            times((root + back) % q, self._half, q),
            times((root - back) % q, self._half * self._minus_i % q, q),
        )
        return self.add(self.times(x, spread(cosine, x)), self.times(y, spread(sine, y)))

    def hartley(self, x: Elements) -> Elements:
        """Return (1 - i)/2 F_n x + (1 + i)/2 F_n^-1 n x."""
        y = self.fourier(x)
        return self.reflected(y, y[-np.arange(len(y))])

    def reflected(self, z: Elements, c: Elements) -> Elements:
        """Return (1 - i)/2 z + (1 + i)/2 c, -i = w_4^3."""
        forward, backward = (
            self._half * (1 + sign * self._minus_i) % self.field.q for sign in (1, -1)
        )
        return self.add(self.times(z, forward), self.times(c, backward))

    def divide(self, x: Elements, n: int) -> Elements:
        return self.times(x, pow(n, -1, self.field.q))

    def drawn(self, name: str, rows: int, columns: int, conjugated: bool) -> Elements:
        """Return random residues: a complex matrix and its conjugate are independent."""
        return _drawn(self.field.q, rows, columns, (self.seed, rows, columns, conjugated, name))

    def apply(self, matrix: Elements, x: Elements) -> Elements:
        """Return the product, as many rows at once as stay in cache with x."""
        step = max(1, IN_CACHE // x.size)
        columns = x[:, None]
        parts = (matrix[start : start + step].T for start in range(0, len(matrix), step))
        return np.concatenate([self.total(self.times(spread(p, columns), columns)) for p in parts])

    def multiply(self, x: Elements, number: Fraction) -> Elements:
        return self.divide(self.times(x, number.numerator % self.field.q), number.denominator)

    @property
    def _half(self) -> int:
        return (self.field.q + 1) // 2

    @property
    def _minus_i(self) -> int:
        return int(self.field.powers[3 * self.order // 4])


@lru_cache(64)
def _drawn(q: int, rows: int, columns: int, seed: tuple[Any, ...]) -> Elements:
    """Return random residues, the same for the same seed, whose last part is a name."""
    *numbers, name = seed
    drawn = np.random.default_rng([*numbers, *name.encode()]).integers(0, q, (rows, columns))
    drawn.flags.writeable = False
    return drawn
