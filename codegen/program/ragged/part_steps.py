"""The supersteps of a program whose ranks have unequal parts: what they compute, send and cost.

    program    = (AlongAxis | PartTrade)*
    AlongAxis  F_n along an axis that is whole on every rank, or a half of it from or to real numbers
    PartTrade  an axis that ranks divide becomes whole, and another one is divided among them

The elements of all ranks are one array: the part of rank 0, then that of rank 1, and so on.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, log2, prod
from typing import Any, ClassVar

import numpy as np

from codegen.program.protocol import Exchanges, Sent, Step, Words, Works
from derive.call_arguments import counted
from derive.digits.part_layouts import PartLayout
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.adjoints import conjugate
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import F
from derive.maps.layout_digits import WHOLE

COMPLEX, TO_HALF, FROM_HALF = "complex", "to half", "from half"
"""What a transform is of: complex numbers; real ones, of which it makes a half spectrum; a half
spectrum, of which it makes real numbers.
"""

FORTH, BACK = "forth", "back"
"""The turns of the transforms of a convolution."""


def half(n: int) -> int:
    """Return how many numbers the half spectrum of n real ones has.

    >>> half(8), half(9)
    (5, 5)
    """
    return n // 2 + 1


def resized(layout: PartLayout, axis: int, n: int) -> PartLayout:
    """Return a layout with n elements on an axis."""
    return replace(layout, shape=(*layout.shape[:axis], n, *layout.shape[axis + 1 :]))


def by_rank(x: Elements, layout: PartLayout) -> list[Elements]:
    """Return the part of each rank as an array of its shape; stimuli are further axes."""
    shapes = [layout.local_shape(rank) for rank in range(layout.P)]
    parts = np.split(x, layout.starts[1:])
    return [part.reshape(*shape, *x.shape[1:]) for part, shape in zip(parts, shapes, strict=True)]


def along(shape: Sequence[int], axis: int, n: int) -> Formula:
    """Return F_n along an axis of an array.

    >>> print(along((2, 3, 4), 1, 3))
    (I_2 ⊗ F_3 ⊗ I_4)
    """
    return kron(I(prod(shape[:axis])), F(n), I(prod(shape[axis + 1 :])))


class PartStep(Step):
    """A step from one layout of unequal parts to another one, `after` it."""

    before: PartLayout

    @property
    def needs_conjugates(self) -> bool:
        """Whether it wants the complex conjugates of its numbers as well."""
        return False

    @property
    def group(self) -> tuple[int, int]:
        """How many ranks exchange with each other, and the difference of neighbours."""
        return self.before.P, 1

    @property
    def words(self) -> str:
        """What it does, as a program says it."""
        raise NotImplementedError

    @property
    def in_words(self) -> Words:
        return (Works(self.words),)


@dataclass(frozen=True)
class AlongAxis(PartStep):
    """F_n along an axis that is whole on every rank, of numbers in this layout; n is the length of
    a real axis where it is from or to a half spectrum. `turn` says whether it goes forth or back
    within a convolution, whatever the direction and the norm of the program.
    """

    before: PartLayout
    axis: int
    n: int
    kind: str = COMPLEX
    turn: str = ""

    @property
    def after(self) -> PartLayout:
        made = {COMPLEX: self.n, TO_HALF: half(self.n), FROM_HALF: self.n}[self.kind]
        return resized(self.before, self.axis, made)

    @property
    def factor(self) -> Formula:
        """The factor of all elements; of complex ones where it is from or to real numbers."""
        found = along(self.before.shape, self.axis, self.n)
        return conjugate(found) if self.turn == BACK else found

    @property
    def factors(self) -> tuple[Formula, ...]:
        return (self.factor,)

    @property
    def transforms_of_ranks(self) -> tuple[Any, ...]:
        return (self,)

    @property
    def makes_real(self) -> bool | None:
        return {TO_HALF: False, FROM_HALF: True}.get(self.kind)

    @property
    def on_way_back(self) -> AlongAxis:
        """The step of the inverse transform that undoes it."""
        return replace(self, before=self.after, kind={TO_HALF: FROM_HALF}.get(self.kind, self.kind))

    @property
    def needs_conjugates(self) -> bool:
        """Whether the other half of a spectrum is the conjugate of this one."""
        return self.kind == FROM_HALF

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        return self._joined(self._transformed(part, ring) for part in by_rank(x, self.before))

    def completed(self, x: Elements, c: Elements, ring: Ring) -> Elements:
        """Return the real numbers times n of a half spectrum x, whose complex conjugate is c."""
        both = zip(by_rank(x, self.before), by_rank(c, self.before), strict=True)
        opposite = range(self.n - half(self.n), 0, -1)
        wholes = (
            np.concatenate([part, other.take(opposite, self.axis)], self.axis)
            for part, other in both
        )
        return self._joined(self._transformed(whole, ring) for whole in wholes)

    def _joined(self, parts: Iterable[Elements]) -> Elements:
        """Return the elements of all ranks that have some; stimuli are further axes."""
        axes = len(self.before.shape)
        some = [part for part in parts if 0 not in part.shape[:axes]]
        return np.concatenate([part.reshape(-1, *part.shape[axes:]) for part in some])

    def _transformed(self, part: Elements, ring: Ring) -> Elements:
        axes = len(self.before.shape)
        shape, stimuli = part.shape[:axes], part.shape[axes:]
        copies, c = prod(shape[: self.axis]), prod(shape[self.axis + 1 :])
        if copies * c == 0:
            return part
        transform = conjugate(F(self.n)) if self.turn == BACK else F(self.n)
        y = act(kron(I(copies), transform, I(c)), part.reshape(-1, *stimuli), ring)
        y = y.reshape(*shape, *y.shape[1:])
        return y if self.kind != TO_HALF else y.take(range(half(self.n)), self.axis)

    def flops(self, rank: int = 0) -> int:
        """Return 5 lg n for each element that is transformed, half of that for real ones."""
        count = self.n * prod(
            n for axis, n in enumerate(self.before.local_shape(rank)) if axis != self.axis
        )
        return ceil((5 if self.kind == COMPLEX else 2.5) * count * log2(self.n))

    @property
    def row_sum(self) -> int:
        return self.n

    @property
    def words(self) -> str:
        half, whole = ", of real numbers, the half", ", from its half to real numbers"
        made = {COMPLEX: "", TO_HALF: half, FROM_HALF: whole}[self.kind]
        return f"{self.factor}: along axis {self.axis}{made}"

    @property
    def in_words(self) -> Words:
        return (Works(str(self.factor)),)


@dataclass(frozen=True)
class PartTrade(PartStep):
    """The ranks that divide one axis, among those that have the other coordinates in common, divide
    another axis instead. `words_each` are those of a number.
    """

    before: PartLayout
    divided: int
    whole: int
    division: str
    words_each: int = 1

    @cached_property
    def after(self) -> PartLayout:
        a, b, layout = self.divided, self.whole, self.before
        names, grid = [*layout.names], [*layout.grid]
        names[a], names[b], grid[a], grid[b] = WHOLE, self.division, 1, grid[a]
        turned = {a: b, b: a}
        order = tuple(turned.get(axis, axis) for axis in layout.order)
        return replace(layout, name=",".join(names), grid=tuple(grid), order=order)

    exchanges: ClassVar[bool] = True
    moves: ClassVar[bool] = True

    @property
    def on_way_back(self) -> PartTrade:
        """The trade that undoes it."""
        turned = replace(self, before=self.after, divided=self.whole, whole=self.divided)
        return replace(turned, division=self.before.names[self.divided])

    @property
    def group(self) -> tuple[int, int]:
        return self.before.grid[self.divided], self.before.strides[self.divided]

    def interpret(self, x: Elements, ring: Ring | None = None) -> Elements:
        parts, (p, stride) = by_rank(x, self.before), self.group
        from_parts, to_parts = self.before.axes[self.divided], self.after.axes[self.whole]
        found = list[Elements]()
        for rank in range(self.before.P):
            i, shape = rank // stride % p, self.after.local_shape(rank)
            made = np.empty((*shape, *x.shape[1:]), x.dtype)
            for j in range(p):
                sent = [slice(None)] * len(shape)
                come = [*sent]
                sent[self.whole], come[self.divided] = to_parts.part(i), from_parts.part(j)
                made[tuple(come)] = parts[rank + (j - i) * stride][tuple(sent)]
            found.append(made.reshape(-1, *x.shape[1:]))
        return np.concatenate(found)

    carried = interpret

    def sent(self, ranks: Any) -> Sent:
        (p, stride), axis = self.group, self.after.axes[self.whole]
        i, rows = ranks // stride % p, self.before.sizes(ranks) // axis.n
        others = np.count_nonzero(axis.counts) - (axis.count(i) > 0)
        return Sent(others * (rows > 0), rows * (axis.n - axis.count(i)) * self.words_each)

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        (p, stride), axis = self.group, self.after.axes[self.whole]
        to = ranks + (np.arange(p) - ranks // stride % p) * stride
        words = self.before.sizes(ranks) // axis.n * axis.counts * self.words_each
        return np.where(words > 0, to, ranks), words

    def passes(self, kernels: str) -> int:
        """Return two: messages are packed and unpacked."""
        return 2

    @property
    def words(self) -> str:
        ranks = counted(self.group[0], "rank")
        return f"axis {self.divided} becomes whole, the same {ranks} divide axis {self.whole}"

    @property
    def in_words(self) -> Words:
        return (Exchanges(f"axis {self.divided} becomes whole, axis {self.whole} is divided"),)
