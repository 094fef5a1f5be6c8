"""Hartley transforms of real elements along an axis that lies on a rank as a whole; and of pairs of
them along others.

H = H_n1 ⊗ .. ⊗ H_nd = (H_n1 ⊗ .. ⊗ I_n) (I ⊗ H_n), n = nd, in either order. Both factors are real: the
first takes z = x[.., 2m] + i x[.., 2m + 1] for complex numbers, n/2 in a row, as if these were of a
batch; the second takes rows of n real elements, whole on a rank.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil, log2
from typing import ClassVar

from codegen.program.digits.digit_places import digits_of
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.lower import lowered
from codegen.program.digits.routes.route_search import MOST_PHASES, routes
from codegen.program.protocol import REAL, Step, Unit, Words, Works
from derive.digits.digit_layouts import ArrayLayout
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import H


@dataclass(frozen=True)
class Rows(Step):
    """I ⊗ H_n ⊗ I_c on real elements, M of them on each rank."""

    M: int
    n: int
    c: int = 1
    factors: tuple[Formula, ...] = field(default=(), compare=False)

    @property
    def shape(self) -> tuple[int, int, int]:
        """A rank's elements, those along the axis in the middle."""
        return self.M // (self.n * self.c), self.n, self.c

    @property
    def factor(self) -> Formula:
        return self.of_elements(self.M)

    def of_elements(self, elements: int) -> Formula:
        """Return what is done to so many elements."""
        return kron(I(elements // (self.n * self.c)), H(self.n), I(self.c))

    unit: ClassVar[Unit] = REAL

    def flops(self, rank: int = 0) -> int:
        """Return half as many as of complex rows, and an addition for each element."""
        return ceil(5 * self.M * log2(self.n) / 2) + self.M

    @property
    def row_sum(self) -> int:
        return 8 * self.n

    @property
    def in_words(self) -> Words:
        return (Works(str(self.factor)),)

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        return act(self.of_elements(len(x)), x, ring)


def along(layout: ArrayLayout, n: int, c: int = 1) -> Rows:
    """Return the step on the elements of a layout, c of them beside each other, with its factor.

    >>> along(ArrayLayout("block", (4, 6), (2, 1)), 6).factors
    ((I_4 ⊗ H_6),)
    """
    step = Rows(layout.M, n, c)
    return replace(step, factors=(step.of_elements(layout.N),))


@lru_cache(256)
def in_rows(source: ArrayLayout, target: ArrayLayout) -> bool:
    """Return whether arrays are transformed along their last axis by real rows, and as pairs of
    neighbours along the others: even, in one piece on each rank, whole before or afterwards; and
    pairs are enough for a message to each rank, and take no more exchanges than elements.

    >>> block, cyclic = (ArrayLayout(name, (12, 8), (2, 1)) for name in ("block", "cyclic"))
    >>> in_rows(block, cyclic), in_rows(block, ArrayLayout("block", (12, 8), (1, 4)))
    (True, True)
    >>> in_rows(block, ArrayLayout("cyclic", (12, 8), (1, 4)))
    False
    """
    ends = source, target
    several = len(source.names) > 1 and source.M // 2 % source.P == 0
    pieces = (_in_one_piece(end) for end in ends)
    even = (end.shape[-1] // end.grid[-1] % 2 == 0 for end in ends)
    if not (several and all(pieces) and all(even) and 1 in {end.grid[-1] for end in ends}):
        return False
    pairs = routes(*_of_pairs(*ends), most=MOST_PHASES - 1)  # of which fewer ways are looked at
    most = pairs[0].price[0] - 1 if pairs else 0
    return bool(pairs) and (most < 0 or not routes(*ends, most=most))


def _in_one_piece(layout: ArrayLayout) -> bool:
    """Return whether each rank has neighbours of the last axis alone."""
    axis, m = len(layout.shape) - 1, layout.local_shape[-1]
    return all(digit.weight < m for digit in digits_of(layout, True)[1] if digit.axis == axis)


def _of_pairs(*ends: ArrayLayout) -> list[ArrayLayout]:
    """Return layouts of pairs of a row, which is in one piece."""
    *axes, n = ends[0].shape
    named = (replace(end, name=",".join((*end.names[:-1], "block"))) for end in ends)
    return [replace(end, shape=(*axes, n // 2), paired=True) for end in named]


def of_complex(source: ArrayLayout, target: ArrayLayout) -> tuple[ArrayLayout, ArrayLayout]:
    """Return the layouts of the complex numbers that real elements make: pairs of a row, or each
    element one.

    >>> layout = ArrayLayout("block", (5, 12, 8), (1, 2, 1), batched=True)
    >>> [end.shape for end in of_complex(layout, layout)]
    [(5, 12, 4), (5, 12, 4)]
    """
    if in_rows(source, target):
        before, after = _of_pairs(source, target)
        return before, after
    return source, target


def in_whole(source: ArrayLayout, target: ArrayLayout) -> Iterator[tuple[Step, ...]]:
    """Yield the supersteps on real elements where each axis lies on a rank as a whole at some time,
    if there are such; two elements fill a complex number, so a rank has an even number.

    >>> layout = ArrayLayout("cyclic", (4, 9), (1, 3), batched=True)
    >>> [*in_whole(layout, layout)]
    []
    >>> layout = ArrayLayout("cyclic", (6, 9), (1, 3), batched=True)
    >>> [type(step).__name__ for steps in in_whole(layout, layout) for step in steps]
    ['Trade', 'Rows', 'Trade']
    """
    still = source.still
    whole = tuple((n,) * (n > 1 and axis not in still) for axis, n in enumerate(source.shape))
    if source.M % 2 or not any(whole):
        return
    with suppress(ValueError):
        yield tuple(
            along(source, step.d, step.c) if isinstance(step, Transform) else step.of(REAL)
            for step in lowered(source, target, whole)
        )
