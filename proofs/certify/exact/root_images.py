"""The images of cosines, sines and roots of integers in GF(q)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from derive.fields import RootField


@dataclass(frozen=True)
class Roots:
    """GF(q) with w, which stands for exp(2πi/L), L a multiple of 8."""

    field: RootField

    @cached_property
    def iota(self) -> int:
        """The image of i = w^(L/4)."""
        return int(self.field.powers[self.field.order // 4])

    @cached_property
    def root_two(self) -> int:
        """The image of √2 = w^(L/8) + w^(-L/8)."""
        eighth = self.field.order // 8
        return int(self.field.powers[eighth] + self.field.powers[-eighth]) % self.field.q

    @cached_property
    def circle(self) -> NDArray[np.int64]:
        """cos and sin of 2πk/L for all k, of shape (L, 2)."""
        q, w = self.field.q, self.field.powers
        back = np.roll(w[::-1], 1)
        cosine, sine = (
            (w + back) % q * pow(2, -1, q) % q,
            (w + q - back) % q * pow(2 * self.iota, -1, q) % q,
        )
        return np.stack([cosine, sine], axis=-1)

    def powers_of_root_two(self, h: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the images of √2^h."""
        different, place = np.unique(h, return_inverse=True)
        powers = np.array(
            [pow(self.root_two, int(e), self.field.q) for e in different], dtype=np.int64
        )
        return np.asarray(powers[place])


def inverse_root(length: int, power: int, of: Roots) -> int:
    """Return the image of √length^-power; the odd primes of the length divide the order of w."""
    field, twos = of.field, length & -length
    root = pow(of.root_two, twos.bit_length() - 1, field.q)
    return pow(root * _root_of_odd(length // twos, of), -power, field.q)


def _root_of_odd(m: int, of: Roots) -> int:
    """Return the image of √m, m = t² s without a square in s, by Gauss's sum of exp(2πi j²/s): √s
    for s = 1 mod 4, i √s for 3.
    """
    field = of.field
    t = max(t for t in range(1, isqrt(m) + 1, 2) if m % (t * t) == 0)
    m //= t * t
    j = np.arange(m)
    total = int(field.powers[j * j % m * (field.order // m)].sum()) % field.q
    root = total if m % 4 == 1 else total * pow(of.iota, -1, field.q) % field.q
    return t * root % field.q
