"""A permutation of storage addresses as messages: A = U X W, W and U within the ranks, X whole
messages between them.

Cormen's factorization A = V W says what is gathered and who sends to whom; X is the part of V that
moves messages, U places what has arrived. Where every rank sends to the ranks of its own coset of
span(gamma''), X is an all-to-all in that coset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from codegen.program.bits.bit_exchanges import AllToAll, BitExchange, Rounds
from codegen.program.bits.bit_moves import Move
from codegen.program.digits.transformed import Numbers
from codegen.program.protocol import Step
from codegen.systems.exchanges import ALL_TO_ALL, WAYS
from derive.formula.affine_layouts import Layout
from derive.gf2.bits import Affine, column_echelon, spans, transposed
from derive.gf2.bmmc import Factorization, factor
from derive.gf2.elimination import by_integers

WINDOW, LINE, PAGE = 8, 2, 8
"""lg of the elements in what a rank writes at a time, in a cache line and in a page, for elements
of 16 bytes.
"""


def plan(address: Affine, p: int, exchange: str = ALL_TO_ALL) -> Move:
    """Return the move that takes the element at storage address z to address(z), for p processor
    bits.

    Messages that are sent one by one or ahead go in rounds; others are an all-to-all if senders and
    receivers form groups, else rounds.

    >>> from derive.gf2.bmmc import bit_reversal
    >>> plan(bit_reversal(4), 2).exchange
    AllToAll(basis=(1, 2), p=2)
    """
    f = factor(address, p, by_integers)
    way = WAYS[exchange]
    closed = not (way.one_by_one or way.ahead) and is_closed(f)
    return _alltoall(f) if closed or _stays(f) else _rounds(f)


def at_ends(
    request: Any, ends: tuple[Layout, Layout], steps: Sequence[Step], numbers: Numbers
) -> tuple[tuple[Step, ...], Numbers]:
    """Return supersteps on a vector with moves from and to layouts that are none of digits, which
    carry out what else would stand there.
    """
    given, wanted = ends
    if numbers.before.name != given.name:
        map = numbers.before.address.affine() @ given.back
        first = replace(plan(map, request.p, request.exchange), factors=numbers.first)
        steps, numbers = (first, *steps), replace(numbers, first=())
    if numbers.after.name != wanted.name:
        map = wanted.address @ numbers.after.back.affine()
        last = replace(plan(map, request.p, request.exchange), factors=numbers.last)
        steps, numbers = (*steps, last), replace(numbers, last=())
    return tuple(steps), numbers


def is_closed(f: Factorization) -> bool:
    """Return whether every rank sends to its own coset of span(gamma''): delta k + c - k lies in
    the span for all ranks k.

    >>> from derive.gf2.bmmc import rotation
    >>> is_closed(factor(rotation(6, -2), 2)), is_closed(factor(rotation(6, -4), 4))
    (True, False)
    """
    drift = [column ^ 1 << i for i, column in enumerate(f.delta.columns)]
    return spans(f.gamma.columns, *drift, f.delta.c)


def _stays(f: Factorization) -> bool:
    return f.rank_gamma == 0 and f.delta == Affine.identity(f.p)


def _alltoall(f: Factorization) -> Move:
    """Return A = U X W with message q of a rank for position q of its coset, and the messages
    received in the order of their senders.
    """
    basis, _ = column_echelon(f.gamma.columns)
    r, low = len(basis), f.m - f.rank_gamma
    position = AllToAll(basis, f.p).place
    target = Affine(f.gamma.columns + f.delta.columns, f.p, f.delta.c)
    order = _on_top(low, position @ target, f.p)
    swap = Affine(
        tuple(1 << i for i in range(low))
        + tuple(e << f.m for e in basis)
        + tuple(
            q << low | (1 << k ^ _combine(basis, q)) << f.m for k, q in enumerate(position.columns)
        ),
        f.n,
    )
    return _arranged(f, order @ f.W, swap, AllToAll(basis, f.p) if r else None)


def _rounds(f: Factorization) -> Move:
    """Return A = U X W with W as in Cormen's factorization, message b for round b."""
    send = Affine(
        tuple(1 << i for i in range(f.m - f.rank_gamma))
        + tuple(1 << f.m - f.rank_gamma + i | g << f.m for i, g in enumerate(f.gamma.columns))
        + tuple(d << f.m for d in f.delta.columns),
        f.n,
        f.delta.c << f.m,
    )
    return _arranged(f, f.W, send, Rounds(f.gamma, f.delta))


def _combine(basis: tuple[int, ...], q: int) -> int:
    return Affine(basis, max(1, max(basis, default=0).bit_length()))(q)


def _on_top(low: int, top: Affine, p: int) -> Affine:
    """Return the map of n bits that keeps the low bits and the rank and puts top(b, rank) above the
    low bits.
    """
    m = low + top.rows
    columns = [1 << i for i in range(low)]
    columns += [
        column << low | (1 << m + i - top.rows if i >= top.rows else 0)
        for i, column in enumerate(top.columns)
    ]
    return Affine(tuple(columns), m + p, top.c << low)


def _arranged(f: Factorization, W: Affine, X: Affine, exchange: BitExchange | None) -> Move:
    """Return the move A = U X W, the order of elements within messages chosen so that packing and
    unpacking cost least.
    """
    U = f.permutation @ W.inverse() @ X.inverse()
    low = f.m - (exchange.rank_gamma if exchange else 0)
    candidates = []
    for order in _orders(U, W, low, f.m):
        inside = Affine(order.columns + tuple(1 << i for i in range(low, f.n)), f.n)
        candidates.append((_offsets(inside @ W, f.m), _offsets(U @ inside.inverse(), f.m)))
    packed, unpacked = min(
        candidates, key=lambda pair: arranging_cost(pair[0], f.m) + arranging_cost(pair[1], f.m)
    )
    return Move(f.permutation, packed, exchange, unpacked)


def _orders(U: Affine, W: Affine, low: int, m: int) -> list[Affine]:
    """Return orders of the elements within a message, the simplest first: as unpacking likes them,
    as packing likes them, as they are.
    """
    _, unpacking = column_echelon([column & (1 << m) - 1 for column in U.columns[:low]])
    _, packing = column_echelon(transposed(W.columns[:m], low))
    return [
        Affine(unpacking, low).inverse(),
        Affine(transposed(packing, low), low),
        Affine.identity(low),
    ]


def _offsets(address: Affine, m: int) -> Affine:
    """Return the offset that a map of addresses gives; it keeps every element on its rank."""
    assert (
        all(column >> m == (1 << j >> m) for j, column in enumerate(address.columns))
        and address.c >> m == 0
    )
    return Affine(
        tuple(column & (1 << m) - 1 for column in address.columns), m, address.c & (1 << m) - 1
    )


def is_transpose(offset: Affine, m: int) -> bool:
    """Return whether a local rearrangement only permutes offset bits, the same on all ranks: a
    transpose of an array.

    >>> is_transpose(Affine((2, 1, 0), 2), 2)
    True
    """
    return (
        offset.c == 0
        and not any(offset.columns[m:])
        and all(column.bit_count() == 1 for column in offset.columns[:m])
    )


def runs(offset: Affine, m: int) -> list[tuple[int, int, int]]:
    """Return the bits that a bit permutation of offsets keeps together: (from, to, how many),
    lowest target first.

    >>> runs(Affine((4, 1, 2), 3), 3)
    [(1, 0, 2), (0, 2, 1)]
    """
    source = {column.bit_length() - 1: j for j, column in enumerate(offset.columns[:m])}
    found: list[tuple[int, int, int]] = []
    for to in range(m):
        if found and found[-1][0] + found[-1][2] == source[to]:
            found[-1] = (found[-1][0], found[-1][1], found[-1][2] + 1)
        else:
            found.append((source[to], to, 1))
    return found


def arranging_cost(offset: Affine, m: int) -> int:
    """Return 0 for a rearrangement that does nothing, else how many lines and pages the first
    2^WINDOW elements of the target come from.

    >>> from derive.gf2.bmmc import bit_reversal
    >>> arranging_cost(Affine.identity(16), 16), arranging_cost(bit_reversal(16), 16)
    (0, 512)
    """
    if is_transpose(offset, m) and len(runs(offset, m)) <= 1:
        return 0
    sources = inverse_offsets(offset, m).columns[: min(m, WINDOW)]
    return sum(
        1 << len(column_echelon([source >> bits for source in sources])[0]) for bits in (LINE, PAGE)
    )


def inverse_offsets(offset: Affine, m: int) -> Affine:
    """Return the map from (new offset, rank) to the offset where that element came from.

    >>> inverse_offsets(Affine((2, 1, 1), 2), 2).columns
    (2, 1, 2)
    """
    ranks = offset.bits - m
    whole = Affine(
        offset.columns[:m] + tuple(c | 1 << m + i for i, c in enumerate(offset.columns[m:])),
        m + ranks,
        offset.c,
    )
    back = whole.inverse()
    return Affine(tuple(column & (1 << m) - 1 for column in back.columns), m, back.c & (1 << m) - 1)
