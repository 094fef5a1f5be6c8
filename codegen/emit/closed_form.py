"""Affine maps over GF(2) as expressions of Python, as a person would write them where they move
whole fields of bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from derive.gf2.bits import Affine

MOST_FIELDS = 4
"""An expression of more fields of bits is no clearer than the bit matrix."""
Variables = Sequence[tuple[str, int]]
"""The names of variables and their numbers of bits, the low bits of the argument first."""


@dataclass(frozen=True)
class Expression:
    """The text of an expression; `by_matrix` where it calls affine with the columns of a matrix."""

    text: str
    by_matrix: bool = False
    names: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.text

    def uses(self, name: str) -> bool:
        """Whether a variable of this name is in it."""
        return name in self.names

    @property
    def factor(self) -> str:
        """The text as it stands as a factor of a product.

        >>> Expression("o").factor, Expression("o // 64").factor
        ('o', '(o // 64)')
        """
        return self.text if self.by_matrix or self.text.isidentifier() else f"({self.text})"


def expression(address: Affine, variables: Variables) -> Expression:
    """Return A x + c as an expression in variables that hold the bits of x.

    Fields of bits that come to different places are added, others are joined by exclusive or.

    >>> from derive.formula.layout import block, cyclic
    >>> print(expression(cyclic(32, 4).address, [("j", 5)]))
    j % 4 * 8 + j // 4
    >>> print(expression(Affine((1, 2, 0, 1), 2, 3), [("o", 2), ("rank", 2)]))
    o ^ (rank // 2) ^ 3
    >>> print(expression(Affine((2, 3, 4), 3, 1), [("o", 2), ("rank", 1)]))
    affine((2, 3), o, affine((4,), rank, 1))
    """
    columns, names = address.columns, _names(address.columns, variables)
    fields = list(_fields(columns, variables))
    if any(column & column - 1 for column in columns) or len(fields) > MOST_FIELDS:
        return Expression(_by_matrix(address, variables), True, names)
    apart = len(set(filter(None, columns))) == sum(map(bool, columns))
    if apart:
        fields.sort(key=lambda found: -found[0])
    texts = [text if apart or text.isidentifier() else f"({text})" for _, text in fields]
    if len(fields) == 1:
        texts = [fields[0][1]]
    total = (" + " if apart else " ^ ").join(texts) or "0"
    if address.c and apart and len(fields) > 1:
        total = f"({total})"
    return Expression(f"{total} ^ {address.c}" if address.c else total, names=names)


def _names(columns: Sequence[int], variables: Variables) -> frozenset[str]:
    """Return the variables that the value depends on."""
    ends = list(accumulate((bits for _, bits in variables), initial=0))
    return frozenset(
        name
        for (name, bits), at in zip(variables, ends, strict=False)
        if any(columns[at : at + bits])
    )


def _fields(columns: Sequence[int], variables: Variables) -> Iterator[tuple[int, str]]:
    """Yield the fields of bits that move together: the lowest bit that they come to, the term."""
    start = 0
    for name, bits in variables:
        at = 0
        while at < bits:
            column, count = columns[start + at], 1
            while at + count < bits and column and columns[start + at + count] == column << count:
                count += 1
            if column:
                yield column, _term(name, bits, at, count, column)
            at += count
        start += bits


def _term(name: str, bits: int, at: int, count: int, weight: int) -> str:
    """Return `count` bits of a variable from bit `at` on, times a weight."""
    text = f"{name} // {1 << at}" if at else name
    if at + count < bits:
        text += f" % {1 << count}"
    return text if weight == 1 else f"{text} * {weight}"


def _by_matrix(address: Affine, variables: Variables) -> str:
    """Return the sum by columns, variable by variable."""
    text, start = str(address.c) if address.c else "", sum(bits for _, bits in variables)
    for name, bits in reversed(variables):
        start -= bits
        columns = address.columns[start : start + bits]
        if any(columns):
            text = f"affine({columns}, {name}{f', {text}' if text else ''})"
    return text or "0"
