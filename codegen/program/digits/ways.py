"""The ways of a product of factors by digits: where the digits of the present coordinates lie, what
waits for the next step, and the steps until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import lcm, prod
from typing import Any

import numpy as np

from codegen.program.digits.places import (
    Digit,
    gathered,
    number,
    permutation,
    refined,
    said,
    traded,
)
from codegen.program.digits.steps import Diagonal, Turn
from codegen.program.moves import plan
from codegen.program.protocol import Step
from derive.digits.radices import DigitPermutation, common, weights
from derive.formula.grammar import Formula
from derive.formula.permutations import is_permutation, lg
from derive.gf2.bits import Affine
from derive.maps.expressions import Field, Number, joined

Counted = tuple[Digit, int]
"""A digit, and what it counts in an exponent."""
RANKS_COUNTED = 2**10
"""Of so many ranks it is looked at what they send."""


@dataclass(frozen=True)
class Twiddles:
    """The diagonal w_order^(i j), i and j sums of digits; j is 1 where it has none."""

    order: int
    i: tuple[Counted, ...]
    j: tuple[Counted, ...]


@dataclass(frozen=True)
class Way:
    """Where the digits lie, the twiddles that wait, and the supersteps until then; `named` are the
    factors that no step has yet, the last one first, and `first` those for which nothing moves.
    """

    ranks: tuple[Digit, ...]
    offsets: tuple[Digit, ...]
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
            (_sum(each.i, storage), _sum(each.j, storage), order // each.order)
            for each in self.waiting
        )
        return Diagonal(order, terms) if terms else None

    def permuted(self, by: DigitPermutation) -> Way:
        """Return the way with the names of digits after a permutation."""

        def new(digits: Iterable[Digit]) -> tuple[Digit, ...]:
            return tuple(new for digit in digits for new, _ in renamed(digit, by))

        def counted(parts: Iterable[Counted]) -> tuple[Counted, ...]:
            several = ((renamed(digit, by), value) for digit, value in parts)
            return tuple((new, own * value) for found, value in several for new, own in found)

        waiting = tuple(
            Twiddles(each.order, counted(each.i), counted(each.j)) for each in self.waiting
        )
        return replace(self, ranks=new(self.ranks), offsets=new(self.offsets), waiting=waiting)

    def done(self, step: Any, *factors: Formula) -> Way:
        """Return the way after a step that computes, with these factors and those that wait."""
        still = () if self.steps else tuple(takewhile(is_permutation, self.named[::-1]))[::-1]
        own = self.named[: len(self.named) - len(still)]
        step = replace(step, factors=(*factors, *own))
        first = self.first if self.steps else still
        return replace(self, waiting=(), steps=(*self.steps, step), named=(), first=first)

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

    def mapped(self, by: Affine, exchange: str) -> Way:
        """Return the way after a permutation that is affine over GF(2): all elements come to its
        result in blocks.
        """
        M, P = self.M, self.P
        ranks = (Digit(0, False, M, P),) * (P > 1)
        offsets = (Digit(0, False, 1, M),) * (M > 1)
        address = permutation([*self.ranks, *self.offsets], [*ranks, *offsets]).affine()
        there = replace(self, ranks=ranks, offsets=offsets)
        return there.going(plan(by @ address, lg(P), exchange))


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


def _sum(parts: Sequence[Counted], storage: Sequence[Digit]) -> Number:
    """Return a sum of digits in terms of storage addresses."""
    if not parts:
        return Number((), 1)
    fields = [
        Field(field.place, field.radix, field.value * value)
        for digit, value in parts
        for field in number(storage, digit, digit.weight).fields
    ]
    return Number(tuple(joined(sorted(fields, key=lambda field: -field.place))))
