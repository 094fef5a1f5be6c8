"""GF(2), and the prime fields GF(q) with a primitive root of unity: the one door to galois."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from derive.lazy import lazily

if TYPE_CHECKING:
    import galois
else:
    galois = lazily("galois")

BitMatrix: TypeAlias = "galois.FieldArray"
"""An array over GF(2)."""

PRIMES_FROM = 2**30
"""Primes are drawn above this, and below 2^31 so that a product of two residues fits 64 bits."""
PRIME_BITS = 30
PRIMES_DRAWN_FROM = 256
"""A random prime is drawn from at most so many candidates."""
WIDE_BITS = 47
"""Wide primes lie between 2^47 and 2^48: `times` multiplies their residues."""


def over_gf2(entries: NDArray[Any]) -> BitMatrix:
    """Return an array of zeros and ones as one over GF(2).

    >>> over_gf2(np.array([1, 1])) + over_gf2(np.array([1, 0]))
    GF([0, 1], order=2)
    """
    return galois.GF2(entries)


@cache
def primes(order: int) -> tuple[int, ...]:
    """Return the first 256 primes q ≡ 1 mod `order` with 2^30 < q < 2^31, or all where there are
    fewer.

    Raises ValueError if there is none: orders above 2^30, and some shortly below.

    >>> len(primes(1024)), primes(1024)[0] % 1024
    (256, 1)
    """
    found = _primes_between(order, PRIMES_FROM, 2**31)
    if not found:
        raise ValueError(
            f"no prime q = 1 mod {order} lies between 2^30 and 2^31: the order of a root of unity"
            " in GF(q) divides q - 1"
        )
    return found


@cache
def wide_primes(order: int) -> tuple[int, ...]:
    """Return the first 256 primes q ≡ 1 mod `order` with 2^47 < q < 2^48.

    Raises ValueError if there is none: orders above 2^47, and some shortly below.

    >>> len(wide_primes(2**20)), wide_primes(2**20)[0] % 2**20
    (256, 1)
    """
    found = _primes_between(order, 2**WIDE_BITS, 2 ** (WIDE_BITS + 1))
    if not found:
        raise ValueError(
            f"no prime q = 1 mod {order} lies between 2^47 and 2^48: the order of a root of unity"
            " in GF(q) divides q - 1"
        )
    return found


def _primes_between(order: int, start: int, stop: int) -> tuple[int, ...]:
    found = filter(is_prime, range(-(-start // order) * order + 1, stop, order))
    return tuple(islice(found, PRIMES_DRAWN_FROM))


def wide_prime(order: int, rng: np.random.Generator) -> int:
    """Return the first prime q ≡ 1 mod `order` from a random number between 2^47 and 2^48 on.

    >>> wide_prime(1024, np.random.default_rng(0)) % 1024
    1
    """
    first = 2**WIDE_BITS // order + 1
    k = int(rng.integers(first, 3 * first // 2))
    while not is_prime(k * order + 1):
        k += 1
    return k * order + 1


BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def is_prime(q: int) -> bool:
    """Return whether a number below 2^64 is prime: Miller and Rabin's test to the first twelve
    primes, which is exact there. galois, which has one, is slow to import.

    >>> [is_prime(q) for q in (2**47 + 5, 2**47 + 7, 3215031751, 2, 37, 1, -7)]
    [True, False, False, True, True, False, False]
    """
    if q < 2 or any(q % base == 0 for base in BASES):
        return q in BASES
    twos = ((q - 1) & -(q - 1)).bit_length() - 1
    for base in BASES:
        power = pow(base, (q - 1) >> twos, q)
        squares = (pow(power, 1 << i, q) for i in range(twos))
        if power != 1 and q - 1 not in squares:
            return False
    return True


@cache
def progression(order: int) -> NDArray[np.int64]:
    """Return every prime q ≡ 1 mod `order` among the first 2^20 such numbers above 2^30 that are
    below 2^31.

    >>> len(progression(1024)), all(progression(1024) % 1024 == 1)
    (99013, True)
    """
    first = -(-PRIMES_FROM // order)
    count = min(2**20, -(-(2**31) // order) - first)
    prime = np.ones(max(count, 0), dtype=bool)
    for r in _primes_to(math.isqrt(2**31)):
        if order % r:
            prime[(-pow(order, -1, r) - first) % r :: r] = False
    return (first + np.flatnonzero(prime)) * order + 1


@dataclass(frozen=True)
class RootField:
    """GF(q) with w, a primitive root of unity of this order: w^e stands for exp(±2πi e/order)."""

    q: int
    order: int
    w: int

    @classmethod
    def draw(
        cls, order: int, rng: np.random.Generator, among: NDArray[np.int64] | None = None
    ) -> RootField:
        """Return a field drawn uniformly from the pairs (q, w): q in `among`, or primes(order), w a
        primitive root of unity.

        >>> field = RootField.draw(8, np.random.default_rng(0))
        >>> pow(field.w, 4, field.q) == field.q - 1
        True
        """
        q = int(rng.choice(np.array(primes(order)) if among is None else among))
        while True:
            w = pow(int(rng.integers(1, q)), (q - 1) // order, q)
            if is_primitive(w, order, q):
                return cls(q, order, w)

    @property
    def powers(self) -> NDArray[np.int64]:
        """w^0, w^1, ..., w^(order-1)."""
        return _powers(self.q, self.order, self.w)


def is_primitive(w: int, order: int, q: int) -> bool:
    """Return whether w is a root of unity of this order mod a prime q, and of no lower one.

    >>> is_primitive(2, 3, 7), is_primitive(6, 6, 7)
    (True, False)
    """
    lower = (pow(w, order // r, q) for r in _prime_divisors(order))
    return pow(w, order, q) == 1 and 1 not in lower


def least_primitive_root(q: int) -> int:
    """Return the least g whose powers are all residues but 0 of a prime q.

    >>> least_primitive_root(7), least_primitive_root(998244353), least_primitive_root(2)
    (3, 3, 1)
    """
    return next(g for g in range(1, q) if is_primitive(g, q - 1, q))


def totient(number: int) -> int:
    """Return Euler's phi, the degree of the field of the roots of unity of this order.

    >>> totient(16), totient(1000)
    (8, 400)
    """
    for r in _prime_divisors(number):
        number -= number // r
    return number


@cache
def _primes_to(most: int) -> list[int]:
    """Return the primes up to a number, by the sieve of Eratosthenes: galois is slow to import."""
    prime = np.ones(most + 1, dtype=bool)
    prime[:2] = False
    for r in range(2, math.isqrt(most) + 1):
        if prime[r]:
            prime[r * r :: r] = False
    return np.flatnonzero(prime).tolist()


def _prime_divisors(number: int) -> list[int]:
    found = [r for r in _primes_to(math.isqrt(number)) if number % r == 0]
    for r in found:
        while number % r == 0:
            number //= r
    return found + [number] * (number > 1)


@cache
def _powers(q: int, order: int, w: int) -> NDArray[np.int64]:
    return powers(w, order, q)


def powers(t: int, count: int, q: int) -> NDArray[np.int64]:
    """Return t^0, ..., t^(count-1) mod q, q < 2^48.

    >>> powers(3, 5, 7).tolist()
    [1, 3, 2, 6, 4]
    """
    table = np.ones(1, dtype=np.int64)
    while len(table) < count:
        table = np.concatenate([table, times(table, pow(t, len(table), q), q)])
    return table[:count]


def times(a: NDArray[np.int64], b: NDArray[np.int64] | int, q: int) -> NDArray[np.int64]:
    """Return a b mod q, for arrays of residues 0 <= a, b < q of shapes that broadcast, q < 2^48.

    Beyond 2^31 a product leaves 64 bits. The quotient is estimated in floating point, a little low:
    three roundings change it by less than 3·2^-53 of itself, the factor 1 - 2^-51 makes up for
    that, and together they take away less than 2^48·2^-50 = 1/4. So a b less so many q lies between
    0 and 5/4 q, and is right although its two terms wrapped around.

    >>> int(times(np.array([2**47 - 1]), 2**47 - 2, 2**47 + 5)[0]) == (2**47 - 1) * (2**47 - 2) % (2**47 + 5)
    True
    """  # noqa: E501
    if q < 2**31:
        return a * b % q
    quotient = np.multiply(a, b * ((1 - 2.0**-51) / q)).astype(np.int64)
    quotient *= q
    product = a * b
    product -= quotient
    np.subtract(product, q, out=quotient)
    return np.minimum(product.view(np.uint64), quotient.view(np.uint64)).view(np.int64)


def inverses(a: NDArray[np.int64], q: int) -> NDArray[np.int64]:
    """Return the inverses mod q of any number of elements by one inversion of their product, 3
    multiplications an element.

    >>> inverses(np.array([1, 2, 3]), 7).tolist()
    [1, 4, 5]
    """
    if len(a) == 1:
        return np.array([pow(int(a[0]), -1, q)])
    pairs = np.append(a, np.ones(len(a) % 2, dtype=a.dtype)).reshape(-1, 2)
    both = inverses(times(pairs[:, 0], pairs[:, 1], q), q)
    return times(both[:, None], pairs[:, ::-1], q).reshape(-1)[: len(a)]


def least(x: NDArray[np.int64], q: int) -> NDArray[np.int64]:
    """Return whichever of x and x + q is not negative, the lesser if both are; as numbers without
    sign, negative ones are the greatest.

    >>> least(np.array([-1, 3]), 7).tolist(), least(np.array([8, 3]), -7).tolist()
    ([6, 3], [1, 3])
    """
    return np.minimum(x.view(np.uint64), (x + q).view(np.uint64)).view(np.int64)
