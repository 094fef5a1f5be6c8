"""Butterflies of a hypercube FFT (Aykanat & Dervis), with twiddles on one of their two inputs.

    step     = OfHalves(diagonal, 1, 2, c, after) | Across(M, diagonal, channel, after)

A storage address z = s M + o has the rank s above the offset o.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from codegen.program.digits.digit_supersteps import Diagonal, Transform
from codegen.program.protocol import Exchanges, Sent, Step, Words, Works, written
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import F


class Twiddled(Step):
    """A transform with a diagonal before or after it, if there is one."""

    diagonal: Diagonal | None
    after: bool

    @property
    def transforms_of_ranks(self) -> tuple[Any, ...]:
        return (self,)

    @property
    def is_twiddled(self) -> bool:
        return self.diagonal is not None

    @property
    def multiplies_last(self) -> bool:
        return self.after

    @property
    def roots(self) -> int:
        return self.diagonal.order if self.diagonal else 1

    def twisted(self, transform: Formula, x: Elements, ring: Ring) -> Elements:
        """Return the transform with its diagonal before or after it."""
        if self.diagonal is None:
            return act(transform, x, ring)
        twiddles = self.diagonal.exponents(np.arange(len(x))), self.diagonal.order
        if self.after:
            return ring.twist(act(transform, x, ring), *twiddles)
        return act(transform, ring.twist(x, *twiddles), ring)


@dataclass(frozen=True)
class OfHalves(Twiddled, Transform):
    """F_2 ⊗ I_c between the halves of a rank's 2 c elements, the second half of which is multiplied
    by twiddles before it, or `after` it.
    """

    after: bool = False

    @property
    def butterfly(self) -> OfHalves:
        return self

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        return self.twisted(kron(I(len(x) // self.M), self.factor), x, ring)

    def flops(self, rank: int = 0) -> int:
        """Return 3 M for M/2 products, and 2 M."""
        return 5 * self.M


@dataclass(frozen=True)
class Across(Twiddled):
    """F_2 on bit `channel` of the rank: neighbours exchange all M elements that they hold, and add
    or subtract.

    The twiddles are where that bit is 1, so that only those ranks multiply.
    """

    M: int
    diagonal: Diagonal | None
    channel: int
    factors: tuple[Formula, ...] = field(default=(), compare=False)
    after: bool = False

    @property
    def butterfly(self) -> Across:
        return self

    @property
    def crosses(self) -> int:
        return self.channel

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        c = self.M << self.channel
        return self.twisted(kron(I(len(x) // (2 * c)), kron(F(2), I(c))), x, ring)

    exchanges: ClassVar[bool] = True

    def sent(self, ranks: Any) -> Sent:
        return Sent(np.ones_like(ranks), np.full_like(ranks, self.M))

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        return ranks ^ 1 << self.channel, self.M

    def flops(self, rank: int = 0) -> int:
        """Return the flops of a rank that multiplies."""
        return 2 * self.M + (6 * self.M if self.diagonal else 0)

    row_sum: ClassVar[int] = 2

    @property
    def in_words(self) -> Words:
        return Exchanges("neighbours"), Works(written(self.factors))

    def together(self, o: Any) -> Any:
        return o
