"""Stages of the generalized butterflies of the BSP paper, within each rank (Inda & Bisseling 2000).

    step     = Butterflies(M, first, last, b, u, w, reverses)

A storage address z = s·M + o has the rank s in its top p bits, the offset o in its low m bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from codegen.program.protocol import Step, Words, Works, written
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.permutation_matrices import R
from derive.formula.transforms import F


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
