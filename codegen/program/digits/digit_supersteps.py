"""The supersteps of a program by digits: what they compute, send and cost.

    program  = (Transform | Trade | Turn)*
    Transform  I_copies ⊗ F_d ⊗ I_c on the M elements of each rank, with a diagonal before it or not
    Trade      digits of the rank change places with digits of the offset: reshape, transpose, equal messages, reshape, transpose
    Turn       digits of the offset change places: reshape, transpose

A storage address z = s M + o has the rank s above the offset o. The `factors` of a step are of all N
elements by these: digit_factors.py.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil, gcd, log2
from typing import Any, ClassVar, Self

import numpy as np

from codegen.cost.local_passes import of_transform, of_twiddles
from codegen.program.digits.digit_exchanges import DigitExchange
from codegen.program.protocol import ELEMENT, Exchanges, Moving, Step, Unit, Words, Works, written
from derive.digits.radices import DigitPermutation, identity, stride
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.adjoints import conjugate
from derive.formula.grammar import Formula, I, kron
from derive.formula.permutation_matrices import R
from derive.formula.transforms import F
from derive.maps.map_expressions import Number


@dataclass(frozen=True)
class Diagonal:
    """The diagonal w_order^(sum of scale i(z) j(z)) of these (i, j, scale) at storage address z."""

    order: int
    terms: tuple[tuple[Number, Number, int], ...]

    @property
    def run(self) -> int:
        """How many elements, one after the other, have each exponent in common."""
        numbers = [number for i, j, _ in self.terms for number in (i, j)]
        return gcd(*(each.place for number in numbers for each in number.fields))

    def first(self, M: int) -> int:
        """Return up to which offset of the M of a rank all exponents are 0, on every rank."""
        ends = list[int]()
        for i, j, _ in self.terms:
            both = [[each.place for each in number.fields] for number in (i, j)]
            ends.append(max((min(part) for part in both if max(part, default=M) < M), default=0))
        return min(ends)

    def period(self, M: int) -> int:
        """Return after how many of the M elements of a rank the exponents come again."""
        numbers = [number for i, j, _ in self.terms for number in (i, j)]
        fields = [each for number in numbers for each in number.fields if each.place < M]
        return max((each.place * each.radix for each in fields), default=1)

    def once(self) -> Diagonal:
        """Return the diagonal that has each of these exponents once."""
        terms = ((i.over(self.run), j.over(self.run), scale) for i, j, scale in self.terms)
        return Diagonal(self.order, tuple(terms))

    def exponents(self, z: Any) -> Any:
        """Return the exponents at addresses, below the order."""
        return sum((i(z) * j(z) * scale for i, j, scale in self.terms), z * 0) % self.order


class OnNumbers(Step):
    """A step on elements, or on numbers that are made of them."""

    unit: Unit

    def of(self, unit: Unit) -> Self:
        return replace(self, unit=unit)  # type: ignore[type-var]  # subclasses are dataclasses


@dataclass(frozen=True)
class Transform(OnNumbers):
    """I_copies ⊗ F_d ⊗ I_c on every rank's M = copies d c elements, after a diagonal if there is
    one; it is of part of this axis. So many messages are read where they lie, if more than one.
    It is of conj(F_d) if it `is_conjugate`. Results are dealt to so many parts,
    I_copies ⊗ L^(d c)_parts, as they are stored. Where it `reverses`, I_copies ⊗ P_d ⊗ I_c comes
    before all. The rows of its results lie apart if they are `put` from a tile to an array: the
    digits of a row, the least significant first, and how far each takes it.

    A subclass may have another `factor` than F_d, a real matrix, and the name of the `function` of
    programs that applies it along the middle axis of an array.
    """

    diagonal: Diagonal | None
    copies: int
    d: int
    c: int
    axis: int = 0
    messages: int = 1
    parts: int = 1
    factors: tuple[Formula, ...] = field(default=(), compare=False)
    unit: Unit = ELEMENT
    reverses: bool = False
    is_conjugate: bool = False
    put: tuple[tuple[int, int], ...] = ()
    function: ClassVar[str] = ""

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.copies * self.d * self.c

    @property
    def factor(self) -> Formula:
        """What each rank does, beside the diagonal."""
        transform = conjugate(F(self.d)) if self.is_conjugate else F(self.d)
        return kron(I(self.copies), transform, I(self.c))

    @property
    def transforms_of_ranks(self) -> tuple[Any, ...]:
        return () if self.function else (self,)

    @property
    def roots(self) -> int:
        return self.diagonal.order if self.diagonal else 1

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        if self.reverses:
            P = len(x) // self.M
            x = act(kron(I(P * self.copies), R(self.d), I(self.c)), x, ring)
        if self.diagonal is not None:
            x = ring.twist(x, self.diagonal.exponents(np.arange(len(x))), self.diagonal.order)
        y = act(kron(I(len(x) // self.M), self.factor), x, ring)
        size = self.d * self.c
        return Turn(stride(size, self.parts), len(x) // size).interpret(y)

    def flops(self, rank: int = 0) -> int:
        """Return 6 M for the diagonal and 5 M lg d for the transform, as of radix 2."""
        return ceil(5 * self.M * log2(self.d)) + (6 * self.M if self.diagonal else 0)

    def passes(self, kernels: str) -> int:
        return of_transform(self.d, kernels) + (of_twiddles(kernels) if self.diagonal else 0)

    @property
    def row_sum(self) -> int:
        return self.d

    @property
    def in_words(self) -> Words:
        own = self.factors or (self.factor,) * (self.d > 1)
        return (Works(written(own) or "twiddles"),)

    def together(self, o: Any) -> Any:
        return o // (self.d * self.c) * self.c + o % self.c if self.unit == ELEMENT else None


@dataclass(frozen=True)
class Trade(OnNumbers, Moving):
    """Ranks trade digits: `pack` brings those of the offset that leave a rank to the top, messages
    put them in the place of digits of the rank that come into the offset, `unpack` puts these in
    order. `rank` says in words which rank an element of a vector comes to.
    """

    pack: DigitPermutation
    exchange: DigitExchange
    unpack: DigitPermutation
    factors: tuple[Formula, ...] = field(default=(), compare=False)
    rank: str = field(default="", compare=False)
    unit: Unit = ELEMENT

    @property
    def size(self) -> int:
        return self.pack.size

    @property
    def messages(self) -> int:
        return self.exchange.messages

    @property
    def crosses(self) -> int | None:
        return self.exchange.crosses

    @property
    def address(self) -> DigitPermutation:
        """The permutation of storage addresses."""
        still, sent = identity(self.exchange.P), self.exchange.addresses(self.pack.size)
        return still.beside(self.unpack) @ sent @ still.beside(self.pack)

    @property
    def unnamed(self) -> str:
        return f"to rank {self.rank}" * bool(self.rank)

    @property
    def in_words(self) -> Words:
        if not self.rank:
            return (Exchanges("digits of the rank and of the offset"),)
        return (Exchanges(written(self.factors) or self.unnamed),)


@dataclass(frozen=True)
class Turn(OnNumbers, Moving):
    """The digits of the offset come into another order, on each of P ranks."""

    pack: DigitPermutation
    P: int
    factors: tuple[Formula, ...] = field(default=(), compare=False)
    unit: Unit = ELEMENT
    exchange: None = field(default=None, init=False, repr=False)

    unnamed: ClassVar[str] = "digits of the offset in another order"
    in_words: ClassVar[Words] = (Works(unnamed),)

    @property
    def size(self) -> int:
        return self.pack.size

    @property
    def unpack(self) -> DigitPermutation:
        return identity(self.size)

    @property
    def address(self) -> DigitPermutation:
        """The permutation of storage addresses."""
        return identity(self.P).beside(self.pack)
