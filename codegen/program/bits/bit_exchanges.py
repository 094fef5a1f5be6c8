"""Exchanges of equal messages between ranks, by matrices over GF(2).

    exchange = AllToAll(basis, p) | Rounds(gamma, delta)

Both have the members of `codegen.program.protocol.Exchange`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from codegen.systems.exchanges import Way
from derive.gf2.bits import Affine, column_echelon
from derive.maps.map_expressions import Expression, Variables


@dataclass(frozen=True)
class AllToAll:
    """Of 2^p ranks those that differ by elements of span(basis) form a group, ordered by rank;
    every two of them exchange a message.

    `basis` is in reduced column echelon form, so that a rank's position in its group is read off
    its leading bits.
    """

    basis: tuple[int, ...]
    p: int

    in_rounds: ClassVar[bool] = False

    @property
    def rank_gamma(self) -> int:
        """lg of the number of messages that a rank sends, one of them to itself."""
        return len(self.basis)

    @property
    def messages(self) -> int:
        return 1 << self.rank_gamma

    @property
    def place(self) -> Affine:
        """The map from a rank to its position in its group.

        >>> AllToAll((2,), 2).place.columns
        (0, 1)
        """
        leads = [e.bit_length() - 1 for e in self.basis]
        return Affine(
            tuple(1 << leads.index(k) if k in leads else 0 for k in range(self.p)), len(leads)
        )

    @property
    def to(self) -> Affine:
        basis = Affine(self.basis, self.p)
        own = (basis @ self.place).columns
        return Affine(basis.columns + tuple(e ^ 1 << k for k, e in enumerate(own)), self.p)

    @property
    def come_from(self) -> Affine:
        return self.to

    @property
    def position(self) -> Affine:
        return Affine((0,) * self.rank_gamma + self.place.columns, self.rank_gamma)

    @property
    def arrival(self) -> Affine:
        return self.position

    @property
    def colour(self) -> Affine:
        leading = {e.bit_length() - 1: e for e in self.basis}
        return Affine(tuple(1 << b ^ leading.get(b, 0) for b in range(self.p)), self.p)

    @property
    def is_whole(self) -> bool:
        return self.rank_gamma == self.p

    def by_groups(self, way: Way) -> bool:
        return True

    def by_counts(self, size: int) -> bool:
        return False

    def sent(self, k: Any) -> Any:
        """Return how many messages ranks k send to others: all but the one to themselves.

        >>> AllToAll((1, 2), 2).sent(np.arange(4)).tolist()
        [3, 3, 3, 3]
        """
        return np.full_like(k, (1 << len(self.basis)) - 1)

    def targets(self, k: Any) -> Any:
        return k ^ reduce(
            lambda sums, e: np.concatenate([sums, sums ^ e]), self.basis, np.zeros(1, int)
        )


@dataclass(frozen=True)
class Itself:
    """A number below `messages`: the message that has it, on every rank alike."""

    messages: int

    def __call__(self, x: Any) -> Any:
        """Return the number of the message."""
        return x % self.messages

    def written(self, variables: Variables) -> Expression:
        """Return the last variable."""
        name = variables[-1][0]
        return Expression(name, names=frozenset({name}))


@dataclass(frozen=True)
class Rounds:
    """In round b rank k sends to gamma b + delta k and receives from delta^-1 (k + gamma b) (Cormen
    1997, equations 4 and 5).

    `delta` carries the processor bits of the complement.
    """

    gamma: Affine
    delta: Affine

    in_rounds: ClassVar[bool] = True
    is_whole: ClassVar[bool] = False

    @property
    def rank_gamma(self) -> int:
        """lg of the number of rounds."""
        return self.gamma.bits

    @property
    def messages(self) -> int:
        return 1 << self.gamma.bits

    @property
    def to(self) -> Affine:
        return Affine(self.gamma.columns + self.delta.columns, self.delta.rows, self.delta.c)

    @property
    def come_from(self) -> Affine:
        back = self.delta.linear.inverse()
        columns = tuple(map(back, self.gamma.columns)) + back.columns
        return Affine(columns, back.rows, back(self.delta.c))

    @property
    def position(self) -> Affine:
        inside = tuple(1 << i for i in range(self.rank_gamma))
        return Affine(inside + (0,) * self.delta.bits, self.rank_gamma)

    @property
    def arrival(self) -> Itself:
        return Itself(self.messages)

    @property
    def colour(self) -> Affine:
        return Affine.identity(self.delta.rows)

    def by_groups(self, way: Way) -> bool:
        return False

    def by_counts(self, size: int) -> bool:
        return self.messages > 1 and 1 << self.delta.rows <= size

    def sent(self, k: Any) -> Any:
        own = _solvable(self.gamma.columns, self.delta(k) ^ k)
        return (1 << self.rank_gamma) - own.astype(np.int64)

    def targets(self, k: Any) -> Any:
        return self.delta(k) ^ self.gamma(np.arange(1 << self.gamma.bits))


def _solvable(columns: tuple[int, ...], values: Any) -> Any:
    """Return which values are sums of the columns."""
    for e in reversed(column_echelon(columns)[0]):
        values = np.minimum(values, values ^ e)
    return values == 0


BitExchange = AllToAll | Rounds
