"""Maps of indices as expressions of Python, as a person would write them where they move whole
fields of digits, or of bits.

    expression = sum of terms | exclusive or of terms | affine(columns, variable, ..)
    term       = variable // a % b * weight
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from math import prod
from operator import mul, or_
from typing import Any

MOST_TERMS = 4
"""An expression of more fields of bits is no clearer than the bit matrix."""
Variables = Sequence[tuple[str, int]]
"""The names of variables and how many values each has, those that count most first."""


@dataclass(frozen=True)
class Expression:
    """The text of an expression; `by_matrix` where it calls affine with the columns of a matrix."""

    text: str
    by_matrix: bool = False
    names: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.text

    def uses(self, name: str) -> bool:
        return name in self.names

    @property
    def factor(self) -> str:
        """The text as it stands as a factor of a product.

        >>> Expression("o").factor, Expression("o // 64").factor
        ('o', '(o // 64)')
        """
        return self.text if self.by_matrix or self.text.isidentifier() else f"({self.text})"


@dataclass(frozen=True)
class Term:
    """The part of a digit that a variable has."""

    name: str
    text: str
    place: int
    weight: int


@dataclass(frozen=True)
class Field:
    """A digit of an index: z div `place` mod `radix`, which counts `value`."""

    place: int
    radix: int
    value: int

    def terms(self, variables: Variables) -> Iterator[Term]:
        """Yield the part of the digit that each variable has."""
        starts = [*accumulate((count for _, count in reversed(variables)), mul, initial=1)]
        for (name, count), start in zip(variables, reversed(starts[:-1]), strict=True):
            low, high = max(self.place, start), min(self.place * self.radix, start * count)
            if low < high:
                own, value = low // start, self.value * (low // self.place)
                text = f"{name} // {own}" if own > 1 else name
                text += f" % {high // low}" if high < start * count else ""
                yield Term(name, text + (f" * {value}" if value > 1 else ""), low, value)


@dataclass(frozen=True)
class Number:
    """A sum of digits of an index, each times what it counts.

    >>> import numpy as np
    >>> Number((Field(4, 3, 1), Field(1, 2, 3)))(np.arange(12)).tolist()
    [0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5]
    """

    fields: tuple[Field, ...]
    plus: int = 0
    """What is added to it."""

    @classmethod
    def of_bits(cls, columns: Sequence[int]) -> Number:
        """Return the sum of the columns of the bits of an index; raise ValueError where one is
        neither a power of two nor 0.

        >>> Number.of_bits((0, 2, 4, 1))
        Number(fields=(Field(place=8, radix=2, value=1), Field(place=2, radix=4, value=2)), plus=0)
        """
        if any(column & column - 1 for column in columns):
            raise ValueError(f"{tuple(columns)} are not powers of two")
        return cls(tuple(_runs(columns))[::-1])

    def __call__(self, z: Any) -> Any:
        """Return the number of an index, or of each of an array of indices."""
        return sum(
            (z // each.place % each.radix * each.value for each in self.fields), z * 0 + self.plus
        )

    def over(self, run: int) -> Number:
        """Return the same sum of indices that are divided by what divides all places."""
        fields = tuple(replace(each, place=each.place // run) for each in self.fields)
        return replace(self, fields=fields)

    def divided(self, by: int) -> Number:
        """Return the sum div a power of two, of digits of powers of two that count different bits.

        >>> Number((Field(4, 8, 2),)).divided(4)
        Number(fields=(Field(place=8, radix=4, value=1),), plus=0)
        """
        low = [max(by // each.value, 1) for each in self.fields]
        cut = [(f, n) for f, n in zip(self.fields, low, strict=True) if n < f.radix]
        return Number(
            tuple(Field(f.place * n, f.radix // n, max(f.value // by, 1)) for f, n in cut)
        )

    def part(self, low: int, high: int, at: int) -> Number:
        """Return the same sum of those digits alone that are at places from low on and below high,
        with digits at place low brought to another one.

        >>> Number((Field(4, 8, 1), Field(1, 2, 10))).part(4, 16, 1)
        Number(fields=(Field(place=1, radix=4, value=1),), plus=0)
        """
        ends = [(max(f.place, low), min(f.place * f.radix, high), f) for f in self.fields]
        return Number(
            tuple(
                Field(a * at // low, b // a, f.value * (a // f.place)) for a, b, f in ends if a < b
            )
        )

    @property
    def largest(self) -> int:
        return sum((each.radix - 1) * each.value for each in self.fields) + self.plus

    def written(self, variables: Variables) -> Expression:
        """Return the number as an expression in variables that together are the index.

        >>> print(Number((Field(6, 4, 1), Field(1, 2, 10))).written([("rank", 4), ("o", 6)]))
        rank + o % 2 * 10
        >>> print(Number.of_bits((16, 8, 4, 2, 1)).written([("o", 32)]))
        affine((16, 8, 4, 2, 1), o)
        """
        parts = [part for each in joined(self.fields) for part in each.terms(variables)]
        if len(parts) > MOST_TERMS and not self.plus and (columns := self._columns(variables)):
            return _by_matrix(columns, 0, variables)
        texts = [part.text for part in parts] + [f"{self.plus}"] * (self.plus != 0)
        return Expression(" + ".join(texts) or "0", names=_names(parts))

    def _columns(self, variables: Variables) -> list[int]:
        """Return the columns of the bits of an index of 2^n values where they have no bits in
        common, so that the sum is one over GF(2); else none.
        """
        size = prod(count for _, count in variables)
        columns = [self(1 << bit) for bit in range(size.bit_length() - 1)]
        return columns if size == 1 << len(columns) and sum(columns) == reduce(or_, columns) else []


ONE = Number((), 1)
"""The number 1 of every index."""


def joined(fields: Iterable[Field]) -> list[Field]:
    """Return fields, the highest first, those that are side by side and count on as one."""
    found = list[Field]()
    for low in fields:
        high = found[-1] if found else None
        if high and (low.place * low.radix, low.value * low.radix) == (high.place, high.value):
            found[-1] = Field(low.place, low.radix * high.radix, low.value)
        else:
            found.append(low)
    return found


def _names(terms: Iterable[Term]) -> frozenset[str]:
    return frozenset(term.name for term in terms)


def of_bits(columns: Sequence[int], c: int, variables: Variables) -> Expression:
    """Return the sum of columns and c over GF(2) as an expression in variables that hold the bits
    of an index.

    Fields of bits that come to different places are added, others are joined by exclusive or.

    >>> print(of_bits((8, 16, 1, 2, 4), 0, [("j", 32)]))
    j % 4 * 8 + j // 4
    >>> print(of_bits((1, 2, 0, 1), 3, [("rank", 4), ("o", 4)]))
    o ^ (rank // 2) ^ 3
    >>> print(of_bits((2, 3, 4), 1, [("rank", 2), ("o", 4)]))
    affine((2, 3), o, affine((4,), rank, 1))
    """
    if any(column & column - 1 for column in columns):
        return _by_matrix(columns, c, variables)
    terms = [term for field in _runs(columns) for term in field.terms(variables)]
    if len(terms) > MOST_TERMS:
        return _by_matrix(columns, c, variables)
    apart = len(set(filter(None, columns))) == sum(map(bool, columns))
    terms.sort(key=lambda term: -term.weight if apart else term.place)
    plain = apart or len(terms) == 1
    texts = [term.text if plain or term.text.isidentifier() else f"({term.text})" for term in terms]
    total = (" + " if apart else " ^ ").join(texts) or "0"
    if c and apart and len(terms) > 1:
        total = f"({total})"
    return Expression(f"{total} ^ {c}" if c else total, names=_names(terms))


def _runs(columns: Sequence[int]) -> Iterator[Field]:
    """Yield the fields of bits that move together."""
    at = 0
    while at < len(columns):
        column, count = columns[at], 1
        while at + count < len(columns) and column and columns[at + count] == column << count:
            count += 1
        if column:
            yield Field(1 << at, 1 << count, column)
        at += count


def _by_matrix(columns: Sequence[int], c: int, variables: Variables) -> Expression:
    """Return the sum by columns, variable by variable."""
    text, end, names = str(c) if c else "", len(columns), list[str]()
    for name, count in variables:
        start = end - (count.bit_length() - 1)
        own, end = tuple(columns[start:end]), start
        if any(own):
            names.append(name)
            text = f"affine({own}, {name}{f', {text}' if text else ''})"
    return Expression(text or "0", True, frozenset(names))
