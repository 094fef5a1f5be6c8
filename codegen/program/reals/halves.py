"""Hartley transforms of real vectors of any even size, each by a complex transform of its pairs.

H_N = BH_N (I_2 ⊗ H_{N/2}) L^N_2, with the butterfly BH_N of Lin, Chan & Karplus, and H_{N/2} = E F_{N/2} of z[m]
= x[2m] + i x[2m + 1] makes both halves at once. With Z = F_{N/2} z, C = conj Z[-m], w = exp(-2πi/N)

    y[m], y[m + N/2] = Re (1 + i) (Z[m] + C)/2 ± Im (1 + i) w^m (Z[m] - C)/2

H_N is symmetric, so that the same steps go backwards: y[2m] + i y[2m + 1] = F_{N/2} z with u, v = x[m] ± x[m +
N/2] and u', v' those of -m, but v'[0] = -v[0],

    z[m] = (u + u')/2 + i (u - u')/2 + w^m (i (v - v')/2 - (v + v')/2)

Pairs lie as in `cyclic`, and so do halves, so -m lies on the rank -s mod P if m lies on s.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

import numpy as np

from codegen.program.digits.lower import lowered, moved
from codegen.program.protocol import PAIR, REAL, Step, Unit, on
from codegen.program.reals.real_meaning import reflection
from codegen.program.reals.untangle import Opposites, of_pairs
from derive.digits.digit_layouts import ArrayLayout
from derive.exact.rings import Elements, Ring
from derive.maps.layout_digits import PAIRS


@dataclass(frozen=True)
class Halves(Opposites):
    """The halves of H_N x from the transform Z of pairs; where `back`, z from the halves of x. On a
    rank one half of each array lies after the other.
    """

    back: bool = False

    unit: ClassVar[Unit] = REAL

    @property
    def computes(self) -> str:
        if self.back:
            return "pairs from the halves of a vector"
        return "the Hartley transform from F of pairs"

    def flops(self, rank: int = 0) -> int:
        """Return three additions and a product of complex numbers for each pair, and four of real
        ones.
        """
        return 8 * self.M

    row_sum: ClassVar[int] = 8

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        return self._back(x, ring) if self.back else self._forth(x, ring)

    def _forth(self, x: Elements, ring: Ring) -> Elements:
        m, N, opposite = self.pairs, len(x) // self.arrays, self.opposite
        even, odd = x[::2], x[1::2]  # the transforms of the even elements, and of the odd ones
        turned = ring.twist(odd, m, N), ring.twist(odd[opposite], -m % N, N)
        first, second = reflection(even, even[opposite], ring), reflection(*turned, ring)
        low, high = (ring.add(first, ring.twist(second, sign, 2)) for sign in (0, 1))
        shape = self.P, self.arrays, -1, *low.shape[1:]
        sides = [side.reshape(shape) for side in (low, high)]
        return np.stack(sides, axis=2).reshape(len(x), *low.shape[1:])

    def _back(self, x: Elements, ring: Ring) -> Elements:
        m, N, opposite = self.pairs, len(x) // self.arrays, self.opposite
        sides = x.reshape(self.P, self.arrays, 2, -1, *x.shape[1:])
        low, high = (sides[:, :, side].reshape(-1, *x.shape[1:]) for side in (0, 1))
        u, v = (ring.add(low, ring.twist(high, sign, 2)) for sign in (0, 1))
        even = reflection(u, u[opposite], ring)
        odd = reflection(v, ring.twist(v[opposite], m > 0, 2), ring)
        return np.stack([even, ring.twist(odd, m, N)], axis=1).reshape(len(x), *even.shape[1:])


def halved(
    source: ArrayLayout, target: ArrayLayout
) -> Iterator[tuple[tuple[ArrayLayout, ArrayLayout], tuple[Step, ...]]]:
    """Yield the supersteps of the Hartley transform of a vector, or of each of a batch, by its
    pairs: from layouts that have neighbours together, and backwards to those. With them go the
    layouts that the pairs are transformed between.

    >>> one, other = (ArrayLayout(name, (1000,), (5,)) for name in ("block", "cyclic"))
    >>> [[type(step).__name__ for step in steps] for _, steps in halved(one, other)]
    [['Trade', 'Transform', 'Trade', 'Transform', 'Halves']]
    """
    *batch, n = source.shape
    if len(source.names) > 1 or n % (2 * source.P):
        return
    cyclic = replace(source, name="cyclic")
    for back in (False, True):
        halves = Halves(source.M, source.P, prod(batch), back)
        with suppress(ValueError):
            ends = _between(source, target, back)
            pairs = on(PAIR, lowered(*ends))
            if back:
                yield ends, (*on(REAL, moved(source, cyclic)), halves, *pairs)
            else:
                yield ends, (*pairs, halves, *on(REAL, moved(cyclic, target)))


def _between(
    source: ArrayLayout, target: ArrayLayout, back: bool
) -> tuple[ArrayLayout, ArrayLayout]:
    """Return the layouts that pairs of a vector are transformed between: beside the halves they lie
    as in `cyclic`. Raises ValueError where the other end parts them.

    >>> one, other = (ArrayLayout(name, (1000,), (5,)) for name in ("block", "cyclic"))
    >>> [layout.name for layout in _between(one, other, False)]
    ['block', 'cyclic']
    """
    pairs, own = of_pairs(replace(source, name=PAIRS)), target if back else source
    end = of_pairs(replace(own, name="block") if own.P == 1 else own)  # of one rank all are one
    return (pairs, end) if back else (end, pairs)
