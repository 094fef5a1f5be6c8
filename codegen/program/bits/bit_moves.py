"""Moves of programs whose maps are matrices over GF(2).

A storage address z = s·M + o has the rank s in its top p bits, the offset o in its low m bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.program.bits.bit_exchanges import BitExchange
from codegen.program.protocol import Exchanges, Moving, Words, Works, written
from derive.formula.grammar import Formula
from derive.gf2.bits import Affine


@dataclass(frozen=True)
class Move(Moving):
    """The permutation `address` of storage addresses: rearrange locally, exchange equal messages,
    rearrange locally.

    `pack` and `unpack` map (offset, rank) to the new offset: n bits to m bits. `factors` are those
    of the formula that it carries out, beside a change of layout.
    """

    address: Affine
    pack: Affine
    exchange: BitExchange | None
    unpack: Affine
    factors: tuple[Formula, ...] = ()

    @property
    def size(self) -> int:
        return 1 << self.pack.rows

    def offsets(self, order: Affine, z: Any) -> Any:
        return order(z)

    def by_matrix(self) -> Affine:
        """Return the permutation of storage addresses as a bit matrix: packed, exchanged message by
        message, unpacked.

        >>> from codegen.program.moves import plan
        >>> from derive.gf2.bmmc import bit_reversal
        >>> plan(bit_reversal(4), 2).by_matrix() == bit_reversal(4)
        True
        """
        m, n = self.pack.rows, self.pack.bits
        exchanged = _exchanged(self.exchange, m) if self.exchange else Affine.identity(n)
        return _within(self.unpack, m) @ exchanged @ _within(self.pack, m)

    @property
    def in_words(self) -> Words:
        kind = Works if self.exchange is None else Exchanges
        return (kind(written(self.factors) or "a change of layout"),)


def _within(offset: Affine, m: int) -> Affine:
    """Return the map of storage addresses that keeps the rank."""
    kept = tuple(column | 1 << j if j >= m else column for j, column in enumerate(offset.columns))
    return Affine(kept, offset.bits, offset.c)


def _exchanged(exchange: BitExchange, m: int) -> Affine:
    """Return the permutation of storage addresses that an exchange is."""
    low, to, position = m - exchange.rank_gamma, exchange.to, exchange.position
    both = zip(to.columns, position.columns, strict=True)
    columns = tuple(target << m | place << low for target, place in both)
    return Affine(tuple(1 << j for j in range(low)) + columns, to.rows + m, to.c << m)
