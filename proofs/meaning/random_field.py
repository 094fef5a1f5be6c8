"""Arithmetic at numbers: GF(q) for a random prime q, with the roots of unity and the square roots
that an equation needs there.

Arrays hold integers below q as float64. As q < 2^20, products of matrices with up to 2^13 columns
are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt, lcm
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LARGEST_PRIME = 2**20
MOST_TRIES = 400
MOST_ENTRIES, MOST_NUMBERS = 2**20, 2**18
"""No matrix has more entries, and nothing that it is applied to."""
MOST_FACTORS = 4096
"""An equation has no more factors of products and powers, and terms of sums, one by one."""


class NoValue(Exception):
    """Nothing is compared at these numbers: a size is not whole, or a matrix is too large."""


class Limit(NoValue):
    """Nothing is compared at these numbers, because it would take too long, or by chance."""


def within(holds: bool, why: object) -> None:
    """Raise Limit unless a condition holds."""
    if not holds:
        raise Limit(str(why))


def need(holds: bool, why: object) -> None:
    """Raise NoValue unless a condition holds."""
    if not holds:
        raise NoValue(str(why))


@dataclass
class RandomField:
    """GF(q), a root of unity of the order that was asked for, and what was drawn in it.

    The orders are stated with `need_root`, and the primes with `need_square_root`, before `settle`
    draws q.
    """

    random: Random
    order: int = 4
    squares: set[int] = field(default_factory=set)
    q: int = 0
    powers: NDArray[np.int64] = field(default_factory=lambda: np.ones(1, np.int64))
    drawn: dict[Any, Array] = field(default_factory=dict)
    roots: dict[int, int] = field(default_factory=dict)
    factors: int = 0

    def need_factors(self, count: int) -> None:
        """State that a product has so many factors, or a sum so many terms."""
        self.factors += count
        within(
            self.factors <= MOST_FACTORS,
            f"{self.factors} factors, and at most {MOST_FACTORS} are read",
        )

    def need_root(self, order: int) -> None:
        """State that roots of unity of this order are used."""
        self.order = lcm(self.order, order)
        within(
            self.order < LARGEST_PRIME // 4,
            f"roots of unity of order {self.order}, and they are read below {LARGEST_PRIME // 4}",
        )

    def need_square_root(self, prime: int) -> None:
        """State that the square root of a prime is used."""
        self.squares.add(prime)

    def settle(self) -> None:
        """Draw q and the roots; nothing changes afterwards."""
        if self.q:
            return
        for _ in range(MOST_TRIES):
            q = 1 + self.order * self.random.randint(1, (LARGEST_PRIME - 2) // self.order)
            if q > 2**12 and _is_prime(q) and all(pow(p, q // 2, q) == 1 for p in self.squares):
                break
        else:
            raise Limit("no field has its roots")
        self.q, root = q, _root_of_unity(self.order, q)
        while len(self.powers) < self.order:
            step = pow(root, len(self.powers), q)
            self.powers = np.concatenate([self.powers, self.powers * step % q])
        for p in sorted(self.squares):
            root = int(np.argmax(np.arange(q, dtype=np.int64) ** 2 % q == p))
            self.roots[p] = self.random.choice((root, q - root))

    def turned(self, above: Any, below: int) -> Array:
        """Return exp(2 pi i above / below) for integers or arrays of integers."""
        exponents = np.asarray(above % below * (self.order // below) % self.order)
        return self.powers[exponents.astype(np.int64)].astype(np.float64)

    def number(self, x: Fraction | int) -> int:
        below = Fraction(x).denominator % self.q
        within(below != 0, "q divides a denominator")
        return Fraction(x).numerator * pow(below, -1, self.q) % self.q

    def product(self, a: Array, b: Array) -> Array:
        """Return a product of matrices, or of stacks of matrices."""
        return np.asarray(np.matmul(a, b) % self.q)

    def matrix(self, name: str, rows: int, columns: int) -> Array:
        """Return the random matrix that stands for a matrix variable."""
        within(
            rows * columns <= MOST_ENTRIES,
            f"a matrix variable is {rows} x {columns}: at most {MOST_ENTRIES} entries are read",
        )
        if (name, rows, columns) not in self.drawn:
            rng = np.random.default_rng([self.q, rows, columns, *name.encode()])
            self.drawn[name, rows, columns] = rng.integers(0, self.q, (rows, columns)).astype(
                np.float64
            )
        return self.drawn[name, rows, columns]

    def vectors(self, length: int, count: int) -> Array:
        """Return columns that tell matrices with few columns apart, and others with a chance of at
        most 1 in q for each of `count` columns to miss it.
        """
        if length <= 32:
            return np.eye(length)
        rng = np.random.default_rng(self.random.getrandbits(32))
        return rng.integers(0, self.q, (length, count)).astype(np.float64)

    def solve(self, a: Array, b: Array) -> Array:
        """Return X with A X = B for an invertible matrix A, by elimination."""
        n, both = len(a), np.concatenate([a, b], axis=1)
        for i in range(n):
            below = np.flatnonzero(both[i:, i])
            within(bool(below.size), "a matrix has no inverse")
            both[[i, i + below[0]]] = both[[i + below[0], i]]
            both[i] = both[i] * pow(int(both[i, i]), -1, self.q) % self.q
            factors = both[:, i].copy()
            factors[i] = 0
            both = (both - np.outer(factors, both[i])) % self.q
        return both[:, n:]


def _is_prime(q: int) -> bool:
    return all(q % p for p in range(2, isqrt(q) + 1))


def prime_factors(n: int) -> dict[int, int]:
    """Return the prime divisors of a number with their exponents.

    >>> prime_factors(360)
    {2: 3, 3: 2, 5: 1}
    """
    found, p = dict[int, int](), 2
    while n > 1:
        while n % p == 0:
            n, found[p] = n // p, found.get(p, 0) + 1
        p = p + 1 if p * p <= n else max(n, p + 1)
    return found


def _root_of_unity(order: int, q: int) -> int:
    """Return an element of this order in GF(q)."""
    primes = [*prime_factors(order)]
    roots = (pow(g, (q - 1) // order, q) for g in range(2, q))
    return next(w for w in roots if all(pow(w, order // p, q) != 1 for p in primes))
