"""Computations of programs whose maps are matrices over GF(2).

    step     = Local(twiddle, copies, d, c, after, reverses, of_halves)
             | Butterflies(M, first, last, b, u, w, reverses) | Across(M, twiddle, channel, after)
    twiddle  = Twiddle(order, i, j) | None

A storage address z = s·M + o has the rank s in its top p bits, the offset o in its low m bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from codegen.cost.local_passes import of_transform, of_twiddles
from codegen.program.protocol import Exchanges, Sent, Step, Words, Works, written
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.permutation_matrices import R
from derive.formula.permutations import lg
from derive.formula.transforms import F
from derive.gf2.bits import Affine


@dataclass(frozen=True)
class Twiddle:
    """The diagonal w_order^(i(z) j(z)) at storage address z."""

    order: int
    i: Affine
    j: Affine

    def exponents(self, N: int) -> tuple[Elements, int]:
        """Return the exponents at all addresses, and the order."""
        z = np.arange(N)
        return self.i(z) * self.j(z), self.order


class Twiddled(Step):
    """A transform with a diagonal before or after it, if there is one."""

    twiddle: Twiddle | None
    after: bool

    @property
    def transforms_of_ranks(self) -> tuple[Any, ...]:
        return (self,)

    def twisted(self, transform: Formula, x: Elements, ring: Ring) -> Elements:
        """Return the transform with its diagonal before or after it."""
        if self.twiddle is None:
            return act(transform, x, ring)
        exponents = self.twiddle.exponents(len(x))
        if self.after:
            return ring.twist(act(transform, x, ring), *exponents)
        return act(transform, ring.twist(x, *exponents), ring)

    @property
    def is_twiddled(self) -> bool:
        return self.twiddle is not None

    @property
    def multiplies_last(self) -> bool:
        return self.after

    @property
    def roots(self) -> int:
        return self.twiddle.order if self.twiddle else 1


@dataclass(frozen=True)
class Local(Twiddled):
    """I_copies ⊗ F_d ⊗ I_c on every rank's M = copies·d·c elements, with a diagonal
    before or `after` the transform if there is one; `factors` as for a move.

    Where it `reverses`, I_copies ⊗ P_d ⊗ I_c comes before all. Butterflies `of_halves`
    multiply only the second half by their twiddles.
    """

    twiddle: Twiddle | None
    copies: int
    d: int
    c: int
    factors: tuple[Formula, ...] = ()
    after: bool = False
    reverses: bool = False
    of_halves: bool = False

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.copies * self.d * self.c

    is_local: ClassVar[bool] = True

    @property
    def is_butterfly(self) -> bool:
        """Whether it is a stage of simplified butterflies between the halves of a rank's elements,
        its twiddles on the second half.
        """
        if self.twiddle is None or (self.copies, self.d) != (1, 2):
            return False
        top = self.c.bit_length() - 1
        return self.twiddle.i.c == 0 and all(
            column == (bit == top) for bit, column in enumerate(self.twiddle.i.columns)
        )

    @property
    def butterfly(self) -> Local | None:
        return self if self.is_butterfly else None

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        """Return (I ⊗ F_d ⊗ I_c) (I ⊗ P_d ⊗ I_c) x, what it does not have left out."""
        copies = I(len(x) // self.M * self.copies)
        given = act(kron(copies, R(self.d), I(self.c)), x, ring) if self.reverses else x
        return self.twisted(kron(copies, F(self.d), I(self.c)), given, ring)

    def flops(self, rank: int = 0) -> int:
        """Return 5 M lg d, and 6 M for twiddles, ones included; for butterflies of halves 3 M for
        M/2 products, and 2 M.
        """
        if self.of_halves:
            return 5 * self.M
        return 5 * self.M * lg(self.d) + (6 * self.M if self.twiddle else 0)

    def passes(self, kernels: str) -> int:
        return of_transform(self.d, kernels) + (of_twiddles(kernels) if self.twiddle else 0)

    @property
    def row_sum(self) -> int:
        return self.d

    @property
    def in_words(self) -> Words:
        return (Works(written(self.factors) or "the identity"),)

    def together(self, o: Any) -> Any:
        return o // (self.d * self.c) * self.c + o % self.c


@dataclass(frozen=True)
class Butterflies(Step):
    """A_last^α .. A_{2 first}^α A_first^α on blocks of b of a rank's M elements, α = (s mod u + u
    (i mod w))/(u w) for block i of rank s (Algorithm 3.2).

    Stage A_k^α is I ⊗ B_k^α, first <= k <= last <= b. `factors` as for a move. Where it `reverses`,
    P_M of every rank's M elements comes before all.
    """

    M: int
    first: int
    last: int
    b: int
    u: int
    w: int
    factors: tuple[Formula, ...] = ()
    reverses: bool = False

    @property
    def stages(self) -> tuple[int, ...]:
        return tuple(self.first << i for i in range((self.last // self.first).bit_length()))

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        x = act(kron(I(len(x) // self.M), R(self.M)), x, ring) if self.reverses else x
        return reduce(lambda y, k: self._stage(k, y, ring), self.stages, x)

    def _stage(self, k: int, x: Elements, ring: Ring) -> Elements:
        """Return the butterflies of size k of x, the second half of each with the weights w_k^(j +
        α), j < k/2.
        """
        z, h, u, w = np.arange(len(x)), k // 2, self.u, self.w
        numerator = z // self.M % u + u * (z % self.M // self.b % w)
        weights = np.where(z % k < h, 0, z % h * u * w + numerator)
        return act(kron(I(len(x) // k), kron(F(2), I(h))), ring.twist(x, weights, k * u * w), ring)

    def flops(self, rank: int = 0) -> int:
        """Return 34 flops for four elements and two stages, 10 for two and one (Inda & Bisseling
        2000, (3.1)).
        """
        pairs, left = divmod(len(self.stages), 2)
        return 17 * self.M // 2 * pairs + 5 * self.M * left

    def passes(self, kernels: str) -> int:
        return -(-len(self.stages) // 2)

    @property
    def roots(self) -> int:
        return self.last * self.u * self.w

    @property
    def row_sum(self) -> int:
        return 2 * self.last // self.first

    @property
    def in_words(self) -> Words:
        return (Works(written(self.factors) or "the identity"),)

    def together(self, o: Any) -> Any:
        return o // self.last


@dataclass(frozen=True)
class Across(Twiddled):
    """F_2 on bit `channel` of the rank: neighbours exchange all M elements that they hold, and add
    or subtract. A diagonal as for Local.

    Its twiddles stand where that bit is 1, so that only those ranks multiply.
    """

    M: int
    twiddle: Twiddle | None
    channel: int
    factors: tuple[Formula, ...] = ()
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
        return 2 * self.M + (6 * self.M if self.twiddle else 0)

    row_sum: ClassVar[int] = 2

    @property
    def in_words(self) -> Words:
        return Exchanges("neighbours"), Works(written(self.factors))

    def together(self, o: Any) -> Any:
        return o
