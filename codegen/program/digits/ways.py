"""The ways of a product of factors: where the digits of the present coordinates lie, what waits for
the next step, and the steps until then.

A permutation of digits gives them other names, and moves nothing. Another one waits, which is affine
over GF(2): where something is computed next, everything comes to its result.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import lcm, prod
from typing import Any

import numpy as np

from codegen.program.digits.digit_places import (
    Digit,
    gathered,
    number,
    permutation,
    refined,
    said,
    traded,
)
from codegen.program.digits.digit_supersteps import Diagonal, Trade, Transform, Turn
from codegen.program.moves import arranging_cost, plan
from codegen.program.protocol import Step
from codegen.systems.exchanges import ALL_TO_ALL
from derive.digits.radices import DigitPermutation, common, identity, weights
from derive.formula.grammar import Formula
from derive.formula.permutations import is_permutation, lg
from derive.gf2.bits import Affine
from derive.maps.map_expressions import Field, Number, joined

Counted = tuple[Digit, int]
"""A digit, and what it counts in an exponent."""
RANKS_COUNTED = 2**10
"""Of so many ranks it is looked at what they send."""


@dataclass(frozen=True)
class Twiddles:
    """The diagonal w_order^(i j), i and j sums of digits; j is 1 if there is none."""

    order: int
    i: tuple[Counted, ...]
    j: tuple[Counted, ...] | None

    @property
    def are_ones(self) -> bool:
        """Whether it is the identity, as i or j is 0."""
        return not (self.i and (self.j is None or self.j))


def blocks(N: int, P: int) -> tuple[tuple[Digit, ...], tuple[Digit, ...]]:
    """Return the digits of an index that are the rank and the offset in blocks.

    >>> blocks(8, 2)[1], blocks(8, 1)[0]
    ((Digit(axis=0, done=False, weight=1, radix=4),), ())
    """
    M = N // P
    return (Digit(0, False, M, P),) * (P > 1), (Digit(0, False, 1, M),) * (M > 1)


@dataclass(frozen=True)
class Way:
    """Where the digits lie, what waits, and the supersteps until then.

    Attributes:
        ranks, offsets: the digits of the coordinates before `map`, those of the rank and those of
            the offset.
        exchange: how messages travel where something moves that is none of digits.
        map: the permutation that waits.
        waiting: the twiddles that wait, of the present coordinates.
        steps, exchanges, words: the supersteps, and what they send.
        named: the factors that no step has yet, the last one first; `first` are those for which
            nothing moves.
    """

    ranks: tuple[Digit, ...]
    offsets: tuple[Digit, ...]
    exchange: str = ALL_TO_ALL
    map: Affine | None = None
    waiting: tuple[Twiddles, ...] = ()
    steps: tuple[Step, ...] = ()
    exchanges: int = 0
    words: int = 0
    named: tuple[Formula, ...] = ()
    first: tuple[Formula, ...] = ()

    @property
    def price(self) -> tuple[int, int, int]:
        """Exchanges, then words, then steps."""
        return self.exchanges, self.words, len(self.steps)

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return prod(digit.radix for digit in self.offsets)

    @property
    def P(self) -> int:  # the papers' letter
        """The number of ranks."""
        return prod(digit.radix for digit in self.ranks)

    @property
    def diagonal(self) -> Diagonal | None:
        """The twiddles that wait as one diagonal at storage addresses."""
        storage = [*self.ranks, *self.offsets]
        order = lcm(*(each.order for each in self.waiting))
        terms = tuple(
            (
                _sum(each.i, storage),
                Number((), 1) if each.j is None else _sum(each.j, storage),
                order // each.order,
            )
            for each in self.waiting
        )
        return Diagonal(order, terms) if terms else None

    def permuted(self, by: DigitPermutation | Affine, *factor: Formula) -> Way:
        """Return the way after a permutation, with its factor if it has one."""
        digits = _digits_of(by)
        way = self._with_twiddles(digits) if digits else self.multiplied()
        way = replace(way, named=(*factor, *way.named))
        if way.map or not digits:
            map = by if isinstance(by, Affine) else by.affine()
            map = map @ way.map if way.map else map
            if not (digits := _digits_of(map)):
                return replace(way, map=map)
        ranks, offsets = (_renamed(part, digits) for part in (way.ranks, way.offsets))
        return replace(way, map=None, ranks=ranks, offsets=offsets)

    def _with_twiddles(self, by: DigitPermutation) -> Way:
        """Return the way with the twiddles that wait after a permutation of digits."""

        def counted(parts: Iterable[Counted]) -> tuple[Counted, ...]:
            several = ((renamed(digit, by), value) for digit, value in parts)
            return tuple((new, own * value) for found, value in several for new, own in found)

        waiting = (
            replace(each, i=counted(each.i), j=None if each.j is None else counted(each.j))
            for each in self.waiting
        )
        return replace(self, waiting=tuple(waiting))

    def twisted(self, twiddles: Iterable[Twiddles], factor: Formula) -> Way:
        """Return the way with these twiddles, which wait, and their factor."""
        return replace(self, waiting=(*self.waiting, *twiddles), named=(factor, *self.named))

    def done(self, step: Any) -> Way:
        """Return the way after a step that computes, which has the factors that wait as well."""
        still = () if self.steps else tuple(takewhile(is_permutation, self.named[::-1]))[::-1]
        own = self.named[: len(self.named) - len(still)]
        step = replace(step, factors=(*step.factors, *own))
        first = self.first if self.steps else still
        return replace(self, waiting=(), steps=(*self.steps, step), named=(), first=first)

    def multiplied(self) -> Way:
        """Return the way after the twiddles that wait, if there are any."""
        if not self.waiting:
            return self
        there = self.settled()
        later = tuple(takewhile(is_permutation, there.named))
        before = replace(there, named=there.named[len(later) :])
        return replace(before.done(Transform(there.diagonal, there.M, 1, 1)), named=later)

    def settled(self) -> Way:
        """Return the way after the permutation that waits, if there is one: all elements come to
        its result in blocks.
        """
        if self.map is None:
            return self
        N, P = self.M * self.P, self.P
        ranks, offsets = blocks(N, P)
        address = permutation([*self.ranks, *self.offsets], [*ranks, *offsets]).affine()
        there = replace(self, ranks=ranks, offsets=offsets, map=None)
        return there.going(plan(self.map @ address, lg(P), self.exchange))

    def moved(
        self, ranks: Sequence[Digit], offsets: Sequence[Digit] | None, run: Digit | None = None
    ) -> Way:
        """Return the way after these digits come to the ranks; the offset has this order, or a run
        in one piece.
        """
        new = refined(ranks, [*self.ranks, *self.offsets])
        old = refined(self.ranks, new)
        here = refined(self.offsets, [*new, *([run] if run else [])])
        leaving = [digit for digit in old if digit not in new]
        come = [*leaving, *(digit for digit in here if digit not in new)]
        order = (
            list(offsets) if offsets is not None else gathered(refined(come, [run]), [run])  # type: ignore[list-item]
        )
        there = replace(self, ranks=tuple(new), offsets=tuple(order))
        if old == new:
            turn = permutation(self.offsets, order)
            return there.going(Turn(turn, self.P)) if turn.order not in ((), (0,)) else there
        step = traded(old, self.offsets, new, order)
        return there.going(replace(step, rank=said(new)))

    def in_blocks(self) -> Way:
        """Return the way after all elements come to blocks of the present coordinates, in messages
        that are arranged at the least cost.
        """
        if self.map:
            return self.settled()
        ranks, offsets = blocks(self.M * self.P, self.P)
        order = refined(offsets, [*self.ranks, *self.offsets])
        there = self.moved(ranks, order)
        steps = there.steps
        if len(steps) > len(self.steps) and isinstance(steps[-1], Trade):
            given = refined(self.offsets, [*there.ranks, *order])
            steps = (*self.steps, replace(_least(steps[-1], given, order), rank=""))
        return replace(there, ranks=ranks, offsets=offsets, steps=steps)

    def going(self, move: Any) -> Way:
        """Return the way with a move, which has the permutations that wait, and twiddles between
        them.
        """
        later = tuple(takewhile(lambda factor: not is_permutation(factor), self.named))
        move = replace(move, factors=self.named[len(later) :])
        made = replace(self, steps=(*self.steps, move), named=later)
        if not move.exchanges:
            return made
        words = int(move.sent(np.arange(min(self.P, RANKS_COUNTED))).words.max())
        return replace(made, exchanges=self.exchanges + 1, words=self.words + words)


def renamed(digit: Digit, by: DigitPermutation) -> list[Counted]:
    """Return a digit as those that a permutation takes it to, each with what it counts in it.

    >>> renamed(Digit(0, False, 1, 6), DigitPermutation((2, 3), (1, 0)))
    [(Digit(axis=0, done=False, weight=1, radix=2), 3), (Digit(axis=0, done=False, weight=2, radix=3), 1)]
    """  # noqa: E501
    ends = (by.size // digit.end, digit.radix, digit.weight)
    split = by.split(common(by.radices, ends))
    old = weights(split.radices)
    new = dict(zip(split.order, weights([split.radices[i] for i in split.order]), strict=True))
    return [
        (Digit(0, False, new[i], radix), old[i] // digit.weight)
        for i, radix in enumerate(split.radices)
        if radix > 1 and digit.weight <= old[i] < digit.end
    ]


def _renamed(digits: Iterable[Digit], by: DigitPermutation) -> tuple[Digit, ...]:
    return tuple(new for digit in digits for new, _ in renamed(digit, by))


def _digits_of(by: DigitPermutation | Affine) -> DigitPermutation | None:
    """Return a permutation as one of digits, None where it is none."""
    if isinstance(by, DigitPermutation):
        return by
    try:
        return DigitPermutation.of_bits(by)
    except ValueError:
        return None


def planned(address: DigitPermutation, P: int) -> Trade | Turn:
    """Return the move that takes the element at storage address z to address(z), of 2^n elements on
    P ranks, some of which are elsewhere.

    >>> from derive.digits.radices import reversal
    >>> planned(reversal((2,) * 4), 4).exchange
    DigitExchange(P=4, stay=(), leave=((1, 4),), enter=((1, 4),))
    """
    (move,) = Way(*blocks(address.size, P)).permuted(address).in_blocks().steps
    assert isinstance(move, Trade | Turn), "a permutation of digits"
    return move


def _least(trade: Trade, given: Sequence[Digit], wanted: Sequence[Digit]) -> Trade:
    """Return a trade with the elements of a message in the order of where they go, or of where they
    are, whichever packing and unpacking cost less.
    """
    both = {*given} & {*wanted}
    before, after = ([digit for digit in part if digit in both] for part in (given, wanted))
    inside = identity(trade.messages).beside(permutation(before, after))
    other = replace(trade, pack=inside @ trade.pack, unpack=trade.unpack @ inside.inverse())
    return min(other, trade, key=_cost)


def _cost(trade: Trade) -> int:
    m = lg(trade.size)
    return sum(arranging_cost(each.affine(), m) for each in (trade.pack, trade.unpack))


def _sum(parts: Sequence[Counted], storage: Sequence[Digit]) -> Number:
    """Return a sum of digits in terms of storage addresses."""
    fields = [
        Field(field.place, field.radix, field.value * value)
        for digit, value in parts
        for field in number(storage, digit, digit.weight).fields
    ]
    return Number(tuple(joined(sorted(fields, key=lambda field: -field.place))))
