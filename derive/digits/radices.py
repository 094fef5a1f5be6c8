"""Permutations of whole digits of an index: reshape, transpose, reshape.

An index below r_1 r_2 ... r_k has the digits d_1, ..., d_k in the radices r_1, ..., r_k, the first
of them the most significant, as numpy counts the places of an array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate, pairwise
from math import prod
from operator import mul
from typing import Any

import numpy as np

from derive.call_arguments import indices
from derive.formula.permutations import lg
from derive.gf2.bits import Affine
from derive.maps.map_expressions import Expression, Field, Number, Variables


@dataclass(frozen=True)
class DigitPermutation:
    """The permutation that takes an index with these radices to the same digits in this order.

    radices: integers from 1 on. order: the positions of the digits, each once. Digits that stay
    together are one digit, so that equal permutations are equal. Raises ValueError for anything
    else.

    >>> DigitPermutation((2, 5, 3), (2, 0, 1))
    DigitPermutation(radices=(10, 3), order=(1, 0))
    >>> DigitPermutation((2, 3), (0, 0))
    Traceback (most recent call last):
    ValueError: order (0, 0) of 2 digits: each of the positions 0 to 1 stands in it once
    """

    radices: tuple[int, ...]
    order: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(self.order) != list(range(len(self.radices))):
            raise ValueError(
                f"order {self.order} of {len(self.radices)} digits: each of the positions 0 to"
                f" {len(self.radices) - 1} stands in it once"
            )
        if any(radix < 1 for radix in self.radices):
            raise ValueError(f"radices {self.radices}: a radix is at least 1")
        kept = [position for position in self.order if self.radices[position] > 1]
        runs = _runs(kept, self.radices)
        first = sorted(run[0] for run in runs)
        radices = {run[0]: prod(self.radices[i] for i in range(run[0], run[1] + 1)) for run in runs}
        vars(self).update(
            radices=tuple(radices[start] for start in first),
            order=tuple(first.index(run[0]) for run in runs),
        )

    @property
    def size(self) -> int:
        """The number of indices."""
        return prod(self.radices)

    @property
    def turned(self) -> tuple[int, ...]:
        """The radices of the result, the most significant first."""
        return tuple(self.radices[position] for position in self.order)

    def __call__(self, j: Any) -> Any:
        """Return where an index goes, an integer or an array of integers.

        Raises ValueError for an index out of range.

        >>> DigitPermutation((2, 3), (1, 0))(np.arange(6)).tolist()
        [0, 2, 4, 1, 3, 5]
        """
        j = indices(j, self.size)
        source, goal = weights(self.radices), weights(self.turned)
        places = zip(self.order, goal, strict=True)
        return sum((j // source[i] % self.radices[i] * weight for i, weight in places), j * 0)

    def written(self, variables: Variables) -> Expression:
        """Return where an index goes as an expression in variables that together are the index."""
        return self.divided(1)[0].written(variables)

    def divided(self, by: int) -> tuple[Number, Number]:
        """Return where an index goes, div and mod a product of its digits.

        >>> high, low = DigitPermutation((5, 4), (1, 0)).divided(5)
        >>> high(13), low(13)
        (1, 3)
        """
        high, low = list[Field](), list[Field]()
        places, goals = weights(self.radices), weights(self.turned)
        for i, goal in sorted(zip(self.order, goals, strict=True), key=lambda each: each[0]):
            place, radix = places[i], self.radices[i]
            if goal >= by:
                high.append(Field(place, radix, goal // by))
            elif goal * radix <= by:
                low.append(Field(place, radix, goal))
            else:
                inside = by // goal
                high.append(Field(place * inside, radix // inside, 1))
                low.append(Field(place, inside, goal))
        return Number(tuple(high)), Number(tuple(low))

    def inverse(self) -> DigitPermutation:
        """Return the permutation back.

        >>> DigitPermutation((2, 3, 5), (1, 2, 0)).inverse()
        DigitPermutation(radices=(15, 2), order=(1, 0))
        """
        return DigitPermutation(self.turned, tuple(np.argsort(self.order).tolist()))

    def __matmul__(self, before: DigitPermutation) -> DigitPermutation:
        """Return this permutation after another one, on the digits that both have in common.

        Raises ValueError where there are none: a product of leading radices of one does not divide
        such a product of the other, or is divided by it.

        >>> stride(30, 2) @ stride(30, 3) == stride(30, 6)
        True
        >>> stride(6, 2) @ stride(6, 2)
        Traceback (most recent call last):
        ValueError: digits of 2·3 and 3·2: 2 and 3 are both places of digits, and neither divides the other
        """  # noqa: E501
        finer = common(before.turned, self.radices)
        first = before.inverse().split(finer).inverse()
        second = self.split(finer)
        return DigitPermutation(first.radices, tuple(first.order[i] for i in second.order))

    def split(self, finer: Sequence[int]) -> _Split:
        """Return the permutation of these finer digits, which is the same."""
        parts = groups(self.radices, finer)
        starts = list(accumulate(map(len, parts), initial=0))
        order = [starts[i] + k for i in self.order for k in range(len(parts[i]))]
        return _Split(tuple(finer), tuple(order))

    def beside(self, low: DigitPermutation) -> DigitPermutation:
        """Return the permutation of high digits by this one, and of low ones by another: A ⊗ B."""
        count = len(self.radices)
        order = self.order + tuple(count + position for position in low.order)
        return DigitPermutation(self.radices + low.radices, order)

    @classmethod
    def of_bits(cls, map: Affine) -> DigitPermutation:
        """Return the permutation of bits that is this map over GF(2).

        Raises ValueError where it is none: it has a complement, or a bit of the result is the sum
        of several.

        >>> DigitPermutation.of_bits(Affine((4, 1, 2), 3))
        DigitPermutation(radices=(4, 2), order=(1, 0))
        """
        order = sorted(range(map.bits), key=lambda bit: -map.columns[bit])
        if map.c or [map.columns[bit] for bit in order[::-1]] != [1 << b for b in range(map.rows)]:
            raise ValueError(f"{map.columns} with {map.c} is not a permutation of bits")
        return cls((2,) * map.bits, tuple(map.bits - 1 - bit for bit in order))

    def affine(self) -> Affine:
        """Return the same map over GF(2); raise ValueError unless the size is a power of two.

        >>> DigitPermutation((4, 2), (1, 0)).affine().columns
        (4, 1, 2)
        """
        bits = lg(self.size)
        return Affine(tuple(int(self(1 << bit)) for bit in range(bits)), bits)


@dataclass(frozen=True)
class _Split:
    """A permutation of digits that are finer than they need to be."""

    radices: tuple[int, ...]
    order: tuple[int, ...]

    def inverse(self) -> _Split:
        """Return the permutation back, of the same digits."""
        radices = tuple(self.radices[i] for i in self.order)
        return _Split(radices, tuple(np.argsort(self.order).tolist()))


def _runs(kept: Sequence[int], radices: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last positions of digits that stay side by side, but for radices 1."""
    found = list[tuple[int, int]]()
    for i in kept:
        last = found[-1][1] if found else None
        if last is not None and last < i and all(radices[k] == 1 for k in range(last + 1, i)):
            found[-1] = (found[-1][0], i)
        else:
            found.append((i, i))
    return found


def weights(radices: Sequence[int]) -> tuple[int, ...]:
    """Return what each digit counts, the most significant first.

    >>> weights((4, 2, 5))
    (10, 5, 1)
    """
    return tuple(accumulate(reversed(radices[1:]), mul, initial=1))[::-1] if radices else ()


def common(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """Return the radices of the digits that both of two lists of radices are made of.

    Raises ValueError where there are none.

    >>> common((4, 6), (2, 12)), common((10, 3), (30,))
    ((2, 2, 6), (10, 3))
    """
    places = sorted({*weights(one), *weights(other), prod(one)})
    for low, high in pairwise(places):
        if high % low:
            raise ValueError(
                f"digits of {_product(one)} and {_product(other)}: {low} and {high} are both places"
                " of digits, and neither divides the other"
            )
    return tuple(high // low for low, high in pairwise(places))[::-1]


def _product(radices: Sequence[int]) -> str:
    return "·".join(map(str, radices)) or "1"


def groups(radices: Sequence[int], finer: Sequence[int]) -> list[tuple[int, ...]]:
    """Return which of the finer radices each radix is the product of.

    >>> groups((4, 6), (2, 2, 6))
    [(2, 2), (6,)]
    """
    left, found = list(finer), list[tuple[int, ...]]()
    for radix in radices:
        part = list[int]()
        while prod(part) < radix:
            part.append(left.pop(0))
        found.append(tuple(part))
    return found


def identity(N: int) -> DigitPermutation:
    """Return the permutation that leaves N elements where they are."""
    return DigitPermutation((N,), (0,))


def stride(N: int, r: int) -> DigitPermutation:
    """Return L^N_r, which takes j r + i to i N/r + j, 0 <= i < r.

    >>> stride(6, 2)(np.arange(6)).tolist()
    [0, 3, 1, 4, 2, 5]
    """
    if r < 1 or N % r:
        raise ValueError(f"L^{N}_{r}: r has to divide N")
    return DigitPermutation((N // r, r), (1, 0))


def reversal(radices: Iterable[int]) -> DigitPermutation:
    """Return the reversal of digits; of radices 2 it is the reversal of bits.

    >>> reversal((2, 3))(np.arange(6)).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    given = tuple(radices)
    return DigitPermutation(given, tuple(range(len(given)))[::-1])


def beside(parts: Iterable[DigitPermutation]) -> DigitPermutation:
    """Return the permutation of the digits of several axes, each by its own, the first on top."""
    return reduce(DigitPermutation.beside, parts, identity(1))


@lru_cache(1024)
def divisors(n: int) -> tuple[int, ...]:
    """Return the divisors of a number in order.

    >>> divisors(12), len(divisors(3**36))
    ((1, 2, 3, 4, 6, 12), 37)
    """
    found = [1] * (n > 0)
    for p, e in Counter(prime_factors(n)).items():
        found = [d * p**k for k in range(e + 1) for d in found]
    return tuple(sorted(found))


def prime_factors(n: int) -> Iterator[int]:
    """Yield the primes of a number in order, each as often as it divides.

    A prime is taken out as soon as it is found, so that a power of a small one is not searched up
    to its root.

    >>> list(prime_factors(360)), list(prime_factors(1))
    ([2, 2, 2, 3, 3, 5], [])
    """
    p = 2
    while p * p <= n:
        if n % p:
            p += 1 if p == 2 else 2
        else:
            yield p
            n //= p
    if n > 1:
        yield n


def dividing(numbers: Sequence[int], count: int, low: int = 1) -> Iterator[tuple[int, ...]]:
    """Yield so many of these numbers, in their order, each of which divides the next.

    >>> list(dividing((2, 3, 6, 12), 2))
    [(2, 6), (2, 12), (3, 6), (3, 12), (6, 12)]
    """
    if count == 0:
        yield ()
    for i in range(len(numbers) - count + 1 if count else 0):
        if (first := numbers[i]) % low == 0:
            yield from ((first, *more) for more in dividing(numbers[i + 1 :], count - 1, first))
