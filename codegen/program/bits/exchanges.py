"""Exchanges of equal messages between ranks, by matrices over GF(2).

exchange = AllToAll(basis) | Rounds(gamma, delta)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from derive.exact.rings import Elements
from derive.gf2.bits import Affine, column_echelon


@dataclass(frozen=True)
class AllToAll:
    """Ranks that differ by elements of span(basis) form a group, ordered by rank; every two of them
    exchange a message.

    `basis` is in reduced column echelon form, so that a rank's position in its group is read off
    its leading bits.
    """

    basis: tuple[int, ...]

    @property
    def rank_gamma(self) -> int:
        """lg of the number of messages that a rank sends, one of them to itself."""
        return len(self.basis)

    def position(self, p: int) -> Affine:
        """Return the map from a rank, of p bits, to its position in its group.

        >>> AllToAll((2,)).position(2).columns
        (0, 1)
        """
        leads = [e.bit_length() - 1 for e in self.basis]
        return Affine(
            tuple(1 << leads.index(k) if k in leads else 0 for k in range(p)), len(self.basis)
        )

    def is_whole(self, p: int) -> bool:
        """Return whether every rank of 2^p has a message for every rank."""
        return self.rank_gamma == p

    @property
    def crosses(self) -> int | None:
        """The one bit of the rank across which messages go, if there is one."""
        return self.ranks - 1 if self.rank_gamma == 1 else None

    @property
    def ranks(self) -> int:
        """The bits of the largest rank difference in a group."""
        return max((e.bit_length() for e in self.basis), default=0)

    def sent(self, k: Any) -> Any:
        """Return how many messages ranks k send to others: all but the one to themselves.

        >>> AllToAll((1, 2)).sent(np.arange(4)).tolist()
        [3, 3, 3, 3]
        """
        return np.full_like(k, (1 << len(self.basis)) - 1)

    def targets(self, k: Any) -> Any:
        """Return the ranks that each of a column of ranks sends to."""
        return k ^ reduce(
            lambda sums, e: np.concatenate([sums, sums ^ e]), self.basis, np.zeros(1, int)
        )

    def route(self, k: Elements, b: Elements) -> tuple[Elements, Elements]:
        """Return (target, place): message b of rank k goes to rank `target`, where it is message
        `place`.

        >>> target, place = AllToAll((2,)).route(np.array([1, 1]), np.array([0, 1]))
        >>> target.tolist(), place.tolist()
        ([1, 3], [0, 0])
        """
        position = np.zeros_like(k)
        for i, e in enumerate(self.basis):
            position |= (k >> e.bit_length() - 1 & 1) << i
        return k ^ Affine(self.basis, self.ranks)(position ^ b), position

    def addresses(self, n: int, m: int) -> Affine:
        """Return the permutation of storage addresses that the exchange is, as `route` has it."""
        low = m - self.rank_gamma
        inside = tuple(1 << j for j in range(low))
        columns = tuple(column << m for column in self.basis)
        ranks = tuple(self._of_rank_bit(1 << k, low, m) for k in range(n - m))
        return Affine(inside + columns + ranks, n)

    def _of_rank_bit(self, rank: int, low: int, m: int) -> int:
        """Return the column of a bit of the rank: the message is placed by the leading bits of the
        basis, which the target loses.
        """
        place = sum(
            1 << i for i, column in enumerate(self.basis) if rank >> column.bit_length() - 1 & 1
        )
        return place << low | (rank ^ Affine(self.basis, self.ranks)(place)) << m


@dataclass(frozen=True)
class Rounds:
    """In round b rank k sends to gamma b + delta k and receives from delta^-1 (k + gamma b) (Cormen
    1997, equations 4 and 5).

    `delta` carries the processor bits of the complement.
    """

    gamma: Affine
    delta: Affine

    @property
    def rank_gamma(self) -> int:
        """lg of the number of rounds."""
        return self.gamma.bits

    @property
    def crosses(self) -> int | None:
        """None: ranks send to one, and receive from another."""
        return None

    def is_whole(self, p: int) -> bool:
        """Return False: messages go one by one."""
        return False

    def sent(self, k: Any) -> Any:
        """Return how many messages ranks k send to others: all of 2^rank(gamma), but for one where
        a rank is its own target.
        """
        own = _solvable(self.gamma.columns, self.delta(k) ^ k)
        return (1 << self.rank_gamma) - own.astype(np.int64)

    def targets(self, k: Any) -> Any:
        """Return the ranks that each of a column of ranks sends to."""
        return self.delta(k) ^ self.gamma(np.arange(1 << self.gamma.bits))

    def route(self, k: Elements, b: Elements) -> tuple[Elements, Elements]:
        """Return (target, place): message b of rank k goes to rank `target`, where it is message
        `place`.
        """
        return self.gamma(b) ^ self.delta(k), b

    def addresses(self, n: int, m: int) -> Affine:
        """Return the permutation of storage addresses that the exchange is, as `route` has it."""
        low = m - self.rank_gamma
        inside = tuple(1 << j for j in range(low))
        columns = tuple(1 << low + i | column << m for i, column in enumerate(self.gamma.columns))
        ranks = tuple(column << m for column in self.delta.columns)
        return Affine(inside + columns + ranks, n, self.delta.c << m)


def _solvable(columns: tuple[int, ...], values: Any) -> Any:
    """Return which values are sums of the columns."""
    for e in reversed(column_echelon(columns)[0]):
        values = np.minimum(values, values ^ e)
    return values == 0


Exchange = AllToAll | Rounds
