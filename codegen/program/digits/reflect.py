"""Batches of Hartley transforms of any size: two real arrays are the parts of one of complex numbers.

H is real, so that H z = H x_b + i H x_{b + h} for z = x_b + i x_{b + h}, of a batch of B arrays, h =
B/2 rounded up; where B is odd, the last z is real. Z = F z is transformed by digits, and with C[k] = Z[-k mod n]

    (H z)[k] = (Z[k] + C[k])/2 + i (Z[k] - C[k])/2

Elements lie as in `cyclic`, so -k lies on the rank -s mod P if k lies on s.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from codegen.program.digits.lower import lowered, moved, no_route
from codegen.program.digits.real import Opposites, RealStep
from codegen.program.digits.real_meaning import halves
from derive.digits.layouts import ArrayLayout
from derive.exact.rings import Elements, Ring


@dataclass(frozen=True)
class Reflect(Opposites):
    """H z from Z = F z, or from z before F: the M parts of complex numbers on each rank, of so many
    arrays. Ranks s and -s mod P exchange all that they have.
    """

    arrays: int = 1

    @property
    def opposite(self) -> Any:
        """The storage address of element -k, for the element k at each storage address."""
        m = self.M // (2 * self.arrays)
        s, b, o = np.unravel_index(np.arange(self.P * self.M // 2), (self.P, self.arrays, m))
        k = -(s + self.P * o) % (self.P * m)
        return (k % self.P * self.arrays + b) * m + k // self.P

    @property
    def flops(self) -> int:
        """Two products by (1 ± i)/2 and an addition for each complex number."""
        return 5 * self.M

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        """Return what becomes of the elements of all ranks, by storage address."""
        total, difference = halves(x, x[self.opposite], ring)
        return ring.add(total, ring.twist(difference, 3, 4))  # w_4^3 = i


def of_complex(layout: ArrayLayout) -> ArrayLayout:
    """Return the layout of the complex arrays that a batch of real ones makes, an odd one alone.

    >>> of_complex(ArrayLayout("block", (5, 12), (1, 2), batched=True)).shape
    (3, 12)
    """
    return replace(layout, shape=(-(-layout.shape[0] // 2), *layout.shape[1:]))


@lru_cache(64)
def reflected(source: ArrayLayout, target: ArrayLayout) -> tuple[RealStep, ...]:
    """Return the supersteps of a batch of Hartley transforms from one layout to another.

    Raises ValueError where whole digits do not do it.

    >>> layout = ArrayLayout("cyclic", (4, 12), (1, 2), batched=True)
    >>> [type(step).__name__ for step in reflected(layout, layout)]
    ['Transform', 'Trade', 'Transform', 'Reflect']
    """
    before, after = of_complex(source), of_complex(target)
    between = replace(after, name="cyclic")
    reflect = Reflect(2 * before.M, before.P, before.shape[0])
    try:
        if before == between != after:
            return (reflect, *lowered(before, after))
        return (*lowered(before, between), reflect, *moved(between, after))
    except ValueError as error:
        raise ValueError(no_route(source, target)) from error
