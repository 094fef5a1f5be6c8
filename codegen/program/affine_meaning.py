"""The effect of a permutation's supersteps as one affine map of indices: decided by bit matrices,
for every number of elements.
"""

from __future__ import annotations

from functools import reduce

from codegen.program.supersteps import AllToAll, Exchange, Move, Program
from derive.exact.bit_matrices import compared
from derive.formula.layout import affine_layout
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from derive.verdict import Verdict


def check(program: Program) -> Verdict | None:
    """Return whether the supersteps of a permutation do what the left side of its equation says, or
    None for other programs.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> from derive.gf2.bmmc import bit_reversal
    >>> print(check(lower(Spec("permute", 2**62, 2**31, permutation=Bmmc(bit_reversal(62), "bit-reversal")))))
    checked: supersteps from block to block on 2147483648 ranks = Π_{bit-reversal} (all 2^62 elements, by bit matrices and complements)
    """  # noqa: E501
    left, moves = program.equation.left, [step for step in program.steps if isinstance(step, Move)]
    if not isinstance(left, Bmmc) or len(moves) < len(program.steps):
        return None
    given, wanted = affine_layout(program.input), affine_layout(program.output)
    right = reduce(lambda before, move: carried_out(move, given.m) @ before, moves, given.address)
    statement = f"supersteps from {given.name} to {wanted.name} on {program.P} ranks = {left}"
    return compared(statement, left.address, wanted.address.inverse() @ right)


def carried_out(move: Move, m: int) -> Affine:
    """Return the permutation of storage addresses that a move is: packed, exchanged message by
    message, unpacked; M = 2^m elements a rank.

    >>> from codegen.program.moves import plan
    >>> from derive.gf2.bmmc import bit_reversal
    >>> carried_out(plan(bit_reversal(4), 2), 2) == bit_reversal(4)
    True
    """
    exchanged = (
        _exchanged(move.exchange, move.pack.bits, m)
        if move.exchange
        else Affine.identity(move.pack.bits)
    )
    return _within(move.unpack, m) @ exchanged @ _within(move.pack, m)


def _within(offset: Affine, m: int) -> Affine:
    """Return the map of storage addresses that keeps the rank."""
    kept = tuple(column | 1 << j if j >= m else column for j, column in enumerate(offset.columns))
    return Affine(kept, offset.bits, offset.c)


def _exchanged(exchange: Exchange, n: int, m: int) -> Affine:
    """Return where the elements of message b of rank k go: to message `place` of rank `target`, as
    `codegen.program.meaning.route` has it.
    """
    low = m - exchange.rank_gamma
    inside = tuple(1 << j for j in range(low))
    if not isinstance(exchange, AllToAll):
        columns = tuple(
            1 << low + i | column << m for i, column in enumerate(exchange.gamma.columns)
        )
        return Affine(
            inside + columns + tuple(column << m for column in exchange.delta.columns),
            n,
            exchange.delta.c << m,
        )
    columns = tuple(column << m for column in exchange.basis)
    ranks = tuple(_of_rank_bit(exchange, 1 << k, low, m) for k in range(n - m))
    return Affine(inside + columns + ranks, n)


def _of_rank_bit(exchange: AllToAll, rank: int, low: int, m: int) -> int:
    """Return the column of a bit of the rank: the message is placed by the leading bits of the
    basis, which the target loses.
    """
    place = sum(
        1 << i for i, column in enumerate(exchange.basis) if rank >> column.bit_length() - 1 & 1
    )
    return place << low | (rank ^ Affine(exchange.basis, exchange.ranks)(place)) << m
