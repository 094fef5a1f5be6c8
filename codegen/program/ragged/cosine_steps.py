"""The supersteps of cosine and sine transforms of real elements (Makhoul 1980), in programs whose
ranks may have unequal parts. With v, the even elements of x forwards and then the odd ones
backwards, V = F_n v, and W_k = exp(πi (n - k)/2n) V_k, 0 <= k <= n/2,

    y_k = 2 Im W_k,   y_(n-k) = 2 Re W_k                  type II
    W_k = exp(-πi (n - k)/2n) (x_(n-k) + i x_k),  x_n = 0     type III, and back from there

    Sorted, Unsorted   Makhoul's order along an axis that is whole on every rank, and back from it
    Quarters           the diagonal exp(±πi (n - k)/2n)
    Split, Joined      real elements from the parts of complex ones along an axis, and back
    AsPairs, AsComplex    real and imaginary parts as elements side by side, and back

A sine transform is that of elements with alternating signs, in the reversed order: `sine` is said of
the steps that have the signs or the order. Steps of type III are written with the roots of type II:
their numbers are the complex conjugates of those of a program.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

import numpy as np

from codegen.program.protocol import Words
from codegen.program.ragged.chirp_steps import Pointwise
from codegen.program.ragged.cosine_trades import HALF_TURN, order, order_text
from codegen.program.ragged.part_steps import PartStep, by_rank, half, resized
from derive.digits.part_layouts import PartLayout
from derive.exact.rings import Elements, Ring
from derive.maps.layout_digits import WHOLE


@dataclass(frozen=True)
class AlongWhole(PartStep):
    """A step along an axis of n elements that is whole on every rank."""

    before: PartLayout
    axis: int
    n: int
    sine: bool = False
    back: bool = False

    @property
    def after(self) -> PartLayout:
        """The layout of the result."""
        return self.before

    def _each(self, make: Callable[..., Elements], *several: Elements) -> Elements:
        """Return what is made of the parts of ranks, the axis first in them."""
        found = list[Elements]()
        for parts in zip(*(by_rank(x, self.before) for x in several), strict=True):
            made = np.moveaxis(
                make(*(np.moveaxis(part, self.axis, 0) for part in parts)), 0, self.axis
            )
            found.append(made.reshape(-1, *several[0].shape[1:]))
        return np.concatenate(found)


@dataclass(frozen=True)
class Sorted(AlongWhole):
    """Makhoul's order along an axis, or `back` from it; of a sine transform the odd elements get
    the other sign.
    """

    @property
    def order_text(self) -> str:
        """The index before of index k after, as an expression of Python."""
        return order_text(self.n, self.back)

    @property
    def negative(self) -> slice:
        """The elements after it that have the other sign, of a sine transform."""
        return slice(1, None, 2) if self.back else slice(-(-self.n // 2), None)

    @property
    def words(self) -> str:
        signs = " with alternating signs" * self.sine
        if self.back:
            return f"axis {self.axis}: back from even elements forwards, odd ones backwards{signs}"
        return f"axis {self.axis}: even elements forwards, then odd ones backwards{signs}"

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        def make(part: Elements) -> Elements:
            y = part[order(self.n, self.back)]
            if self.sine and y.size:
                y[self.negative] = ring.twist(y[self.negative], *HALF_TURN)
            return y

        return self._each(make, x)


@dataclass(frozen=True)
class Split(AlongWhole):
    """2 Im W_k and 2 Re W_k as elements k and n - k along an axis."""

    needs_conjugates: ClassVar[bool] = True
    makes_real: ClassVar[bool] = True

    @property
    def after(self) -> PartLayout:
        return resized(self.before, self.axis, self.n)

    @property
    def words(self) -> str:
        reverse = ", in reversed order" * self.sine
        return f"axis {self.axis}: y_k = Im W_k, y_(n-k) = Re W_k{reverse}"

    def completed(self, x: Elements, c: Elements, ring: Ring) -> Elements:
        """Return the real numbers from complex ones and their conjugates."""

        def make(part: Elements, other: Elements) -> Elements:
            if not part.size:
                return np.resize(part, (self.n, *part.shape[1:]))
            re, im = parts(part, other, ring)
            y = np.concatenate([im, re[1 : self.n - half(self.n) + 1][::-1]])
            return y[::-1] if self.sine else y

        return self._each(make, x, c)


@dataclass(frozen=True)
class Joined(AlongWhole):
    """x_(n-k) + i x_k along an axis, 0 <= k <= n/2, x_n = 0."""

    makes_real: ClassVar[bool] = False

    @property
    def after(self) -> PartLayout:
        return resized(self.before, self.axis, half(self.n))

    @property
    def words(self) -> str:
        reverse = ", x in reversed order" * self.sine
        return f"axis {self.axis}: x_(n-k) + i x_k, 0 <= k <= n/2, x_n = 0{reverse}"

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        def make(part: Elements) -> Elements:
            y = part[::-1] if self.sine else part
            im = ring.twist(y[: half(self.n)], 1, 4) if y.size else y[: half(self.n)]
            rest = ring.add(y[: self.n - half(self.n) : -1], im[1:]) if y.size else im[1:]
            return np.concatenate([im[:1], rest])

        return self._each(make, x)


@dataclass(frozen=True)
class Quarters(Pointwise):
    """The diagonal exp(πi (n - k)/2n), the index k given by that in this layout: along an axis, or
    of an array (k1, k2) with k = k1 + n1 k2.
    """

    n: int = 1
    axis: int | None = None
    back: bool = False

    @property
    def index_text(self) -> str:
        """k, as an expression of Python in the flat index, or in that of the axis."""
        n2 = self.before.shape[1] if self.axis is None else 1
        return f"(k // {n2} + k % {n2} * {self.n // n2})" if self.axis is None else "k"

    @property
    def roots(self) -> int:
        return 4 * self.n

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        j, exponents = np.arange(self.before.N), np.empty(self.before.N, int)
        if self.axis is None:
            n2 = self.before.shape[1]
            k = j // n2 + j % n2 * (self.n // n2)
        else:
            inner = prod(self.before.shape[self.axis + 1 :])
            k = j // inner % self.before.shape[self.axis]
        exponents[self.before.address(j)] = 3 * self.n + k
        return ring.twist(x, exponents, self.roots)

    @property
    def words(self) -> str:
        return f"W_k: times exp({'-' * self.back}pi i ({self.n} - k) / {2 * self.n})"


@dataclass(frozen=True)
class AsPairs(PartStep):
    """Twice the real and the imaginary part of an element as two real elements side by side."""

    before: PartLayout
    needs_conjugates: ClassVar[bool] = True
    makes_real: ClassVar[bool] = True

    @property
    def after(self) -> PartLayout:
        """The layout of the result, with another axis."""
        return paired(self.before)

    def completed(self, x: Elements, c: Elements, ring: Ring) -> Elements:
        """Return the real numbers from complex ones and their conjugates."""
        return np.stack(parts(x, c, ring), axis=1).reshape(-1, *x.shape[1:])

    def passes(self, kernels: str) -> int:
        """Return none: the memory is the same."""
        return 0

    @property
    def in_words(self) -> Words:
        return ()


@dataclass(frozen=True)
class AsComplex(AsPairs):
    """x_0 + i x_1 of two real elements that are side by side; `before` is the layout after it."""

    needs_conjugates: ClassVar[bool] = False
    makes_real: ClassVar[bool] = False

    @property
    def after(self) -> PartLayout:
        return self.before

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        return ring.add(x[::2], ring.twist(x[1::2], 1, 4))


def parts(x: Elements, c: Elements, ring: Ring) -> tuple[Elements, Elements]:
    """Return twice the real and the imaginary parts of numbers, c their conjugates."""
    return ring.add(x, c), ring.twist(ring.add(x, ring.twist(c, *HALF_TURN)), 1, 4)


def paired(layout: PartLayout) -> PartLayout:
    """Return the layout of the parts of complex numbers, the two of a number side by side."""
    axes, order = len(layout.shape), layout.order
    return replace(
        layout,
        name=",".join((*layout.names[layout.batched :], WHOLE)),
        shape=(*layout.shape, 2),
        grid=(*layout.grid, 1),
        order=(*order, axes) if order else (),
    )
