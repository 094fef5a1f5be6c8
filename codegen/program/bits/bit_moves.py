"""Moves of programs whose maps are matrices over GF(2), alone and overlapped with what is computed before
them.

    step     = Move(address, pack, exchange, unpack) | Overlap(local, move)

A storage address z = s·M + o has the rank s in its top p bits, the offset o in its low m bits.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from codegen.program.bits.bit_transforms import Local
from codegen.program.bits.exchanges import BitExchange
from codegen.program.protocol import Exchanges, Moving, Sent, Step, Words, Works, written
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import F
from derive.gf2.bits import Affine


@dataclass(frozen=True)
class Move(Moving):
    """The permutation `address` of storage addresses: rearrange locally, exchange equal messages,
    rearrange locally.

    `pack` and `unpack` map (offset, rank) to the new offset: n bits to m bits. Message b is the
    b-th part of the packed elements. `factors` are those of the formula that it carries out, beside
    a change of layout.
    """

    address: Affine
    pack: Affine
    exchange: BitExchange | None
    unpack: Affine
    factors: tuple[Formula, ...] = ()

    @property
    def size(self) -> int:
        return 1 << self.pack.rows

    def interpret(self, x: Elements, ring: Ring | None = None) -> Elements:
        """Return x packed, exchanged message by message, and unpacked."""
        m, z = self.pack.rows, np.arange(len(x))
        high = -1 << m
        y = _moved_to(z & high | self.pack(z), x)
        if self.exchange:
            at = m - self.exchange.rank_gamma
            target, place = self.exchange.to(z >> at), self.exchange.position(z >> at)
            y = _moved_to(target << m | place << at | z & (1 << at) - 1, y)
        return _moved_to(z & high | self.unpack(z), y)

    carried = interpret

    moves: ClassVar[bool] = True

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


def _moved_to(target: Elements, x: Elements) -> Elements:
    """Return y with y[target[z]] = x[z]."""
    y = np.empty_like(x)
    y[target] = x
    return y


@dataclass(frozen=True)
class Overlap(Step):
    """A Local and the move after it, the Local split by messages: what other ranks get is computed
    first and sent while the rest is computed.

    `codegen.program.overlap` makes these where the split is legal, and says where that is.
    """

    local: Local
    move: Move

    @property
    def is_twiddled(self) -> bool:
        return self.local.is_twiddled

    @property
    def multiplies_last(self) -> bool:
        return self.local.after

    @property
    def factors(self) -> tuple[Formula, ...]:
        return *self.move.factors, *self.local.factors

    @property
    def butterfly(self) -> Local:
        return self.local

    @property
    def crosses(self) -> int | None:
        return self.move.crosses

    @property
    def part_bits(self) -> int:
        """The b such that the outputs of the Local come in 2^b parts by their top b offset bits,
        each part one or more messages.

        >>> from codegen.program.lower import lower
        >>> from codegen.requests import make_request
        >>> ends = "bit-reversed", "scrambled"
        >>> program = lower(make_request("hypercube-fft", 64, 2, *ends, scheme="4"))
        >>> program.steps[2].part_bits
        1
        """
        assert self.move.exchange is not None, "an Overlap exchanges"
        return min(self.move.exchange.rank_gamma, self.local.copies.bit_length() - 1) or 1

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        """Return what arrives where every part of the Local is computed by itself: a block of
        copies, or the sums or differences.
        """
        local, bits = self.local, self.part_bits
        P, M = len(x) // local.M, local.M
        exponents = local.twiddle.exponents(len(x)) if local.twiddle else None
        given = ring.twist(x, *exponents) if exponents and not local.after else x
        given = given.reshape(P, 1 << bits, M >> bits, *x.shape[1:])
        parts = [given[:, part].reshape(-1, *x.shape[1:]) for part in range(1 << bits)]
        if local.copies > 1:
            block = kron(I(P * local.copies >> bits), kron(F(local.d), I(local.c)))
            made = [act(block, part, ring) for part in parts]
        else:
            made = [ring.add(parts[0], ring.twist(parts[1], part, 2)) for part in (0, 1)]
        y = np.stack([part.reshape(P, -1, *part.shape[1:]) for part in made], axis=1)
        y = y.reshape(len(x), *y.shape[3:])
        return self.move.interpret(ring.twist(y, *exponents) if exponents and local.after else y)

    def carried(self, x: Elements) -> Elements:
        return self.move.interpret(x)

    moves: ClassVar[bool] = True

    exchanges: ClassVar[bool] = True

    computes_first: ClassVar[bool] = True

    def sent(self, ranks: Any) -> Sent:
        return self.move.sent(ranks)

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        return self.move.targets(ranks)

    def flops(self, rank: int = 0) -> int:
        """Return the flops of the Local."""
        return self.local.flops(rank)

    def passes(self, kernels: str) -> int:
        return self.local.passes(kernels)

    @property
    def roots(self) -> int:
        return self.local.roots

    @property
    def row_sum(self) -> int:
        return self.local.row_sum

    @property
    def in_words(self) -> Words:
        work = written(self.local.factors) or "the local transform, overlapped"
        return Works(work), *self.move.in_words

    def together(self, o: Any) -> Any:
        return self.local.together(o)
