"""Batches of Hartley transforms of any size: two real arrays are the parts of one of complex numbers.

H is real, so that H z = H x_b + i H x_{b + B/2} for z = x_b + i x_{b + B/2}, of a batch of B arrays.
Z = F z is transformed by digits, and with C[k] = Z[-k mod n]

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
    """H z from Z = F z, or from z before F: M real elements on each rank, of so many complex
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
    """Return the layout of the complex arrays that a batch of real ones makes."""
    return replace(layout, shape=(layout.shape[0] // 2, *layout.shape[1:]))


@lru_cache(64)
def reflected(source: ArrayLayout, target: ArrayLayout) -> tuple[RealStep, ...]:
    """Return the supersteps of a batch of Hartley transforms from one layout to another.

    Raises ValueError for an odd number of arrays, and where whole digits do not do it.

    >>> layout = ArrayLayout("cyclic", (4, 12), (1, 2), batched=True)
    >>> [type(step).__name__ for step in reflected(layout, layout)]
    ['Transform', 'Trade', 'Transform', 'Reflect']
    """
    B = source.shape[0]
    if B % 2:
        raise ValueError(
            f"a batch of {B} Hartley transforms: two real arrays are done as one of complex"
            f" numbers, so their number is even, as {B - 1 or B + 1} or {B + 1 + 2 * (B == 1)}"
        )
    before, after = of_complex(source), of_complex(target)
    between, reflect = replace(after, name="cyclic"), Reflect(source.M, source.P, B // 2)
    try:
        if before == between != after:
            return (reflect, *lowered(before, after))
        return (*lowered(before, between), reflect, *moved(between, after))
    except ValueError as error:
        raise ValueError(no_route(source, target)) from error
