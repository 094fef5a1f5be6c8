"""Numbers of exponents that are sums over GF(2) of the bits of an index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from derive.gf2.bits import Affine
from derive.maps.expressions import Expression, Field, Variables


@dataclass(frozen=True)
class Columns:
    """The sum of the columns of the bits of an index, with those members of
    `derive.maps.expressions.Number` that diagonals need.
    """

    map: Affine

    def __call__(self, z: Any) -> Any:
        """Return the number of an index, or of each of an array of indices."""
        return self.map(z)

    def written(self, variables: Variables) -> Expression:
        """Return the number as an expression in variables that together are the index."""
        return self.map.written(variables)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The bits that it is a sum of.

        >>> Columns(Affine((0, 3, 1), 2)).fields
        (Field(place=2, radix=2, value=3), Field(place=4, radix=2, value=1))
        """
        columns = enumerate(self.map.columns)
        return tuple(Field(1 << bit, 2, column) for bit, column in columns if column)

    @property
    def largest(self) -> int:
        """A bound of it."""
        return reduce(or_, self.map.columns, 0)

    def over(self, run: int) -> Columns:
        """Return the same sum of indices that are divided by what divides all places."""
        return Columns(Affine(self.map.columns[run.bit_length() - 1 :], self.map.rows))
