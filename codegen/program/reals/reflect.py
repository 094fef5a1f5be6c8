"""Hartley transforms of arrays of any size, by those of Fourier of complex numbers z: pairs of elements
of one array (hartley_rows.py, halves.py), or else each element alone. No two arrays of a batch are ever the parts
of one, so that none takes on the rounding errors of another, or its NaNs.

With Z = F z and C[k] = Z[-k mod n]

    (H z)[k] = (Z[k] + C[k])/2 + i (Z[k] - C[k])/2

Of several axes H is H_n1 ⊗ H_n2 ⊗ .., and this is done along each of them: after F where the whole axis
lies on a rank, else before all or before the last move. There elements lie as in `cyclic`, so -k lies on
the rank -s mod P if k lies on s.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np

from codegen.program.digits.digit_places import digits_of
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.lower import NoRoute, lowered, moved, no_route
from codegen.program.digits.routes.route_search import MOST_PHASES, Price, routes
from codegen.program.digits.transformed import Numbers
from codegen.program.protocol import COMPLEX, ELEMENT, PAIR, REAL, Step, Unit, on
from codegen.program.reals.halves import halved
from codegen.program.reals.hartley_rows import along, in_whole, of_complex
from codegen.program.reals.real_meaning import reflection
from codegen.program.reals.untangle import Opposites
from derive.digits.digit_layouts import ArrayLayout
from derive.exact.rings import Elements, Ring

RANKS_COUNTED = 2**8
"""Of so many ranks it is looked at what they send."""


@dataclass(frozen=True)
class Reflect(Opposites):
    """H z from Z = F z along an axis, or from z before F: the M parts of complex numbers on each
    rank, before the axis so many `arrays`, after it so many numbers `inner`. The axis is cyclic on
    `across` ranks, `beside` apart; s and -s of these exchange all that they have.
    """

    inner: int = 1
    across: int = 1
    beside: int = 1
    axis: int = 0
    unit: Unit = ELEMENT

    def of(self, unit: Unit) -> Reflect:
        return replace(self, unit=unit)

    @property
    def shape(self) -> tuple[int, int, int]:
        """A rank's complex numbers, those along the axis in the middle."""
        return self.arrays, self.M // (2 * self.arrays * self.inner), self.inner

    def partner(self, ranks: Any) -> Any:
        own = ranks // self.beside % self.across
        return ranks + (-own % self.across - own) * self.beside

    @property
    def exchanges(self) -> bool:
        return self.across > 2

    @property
    def opposite(self) -> Any:
        """The storage address of element -k, for the element k at each storage address."""
        s, b, o, c = np.unravel_index(np.arange(self.P * self.M // 2), (self.P, *self.shape))
        m, own = self.shape[1], s // self.beside % self.across
        o = -(own + self.across * o) % (self.across * m) // self.across
        return ((self.partner(s) * self.arrays + b) * m + o) * self.inner + c

    @property
    def computes(self) -> str:
        return "the Hartley transform from F"

    def flops(self, rank: int = 0) -> int:
        """Return two products by (1 ± i)/2 and an addition for each complex number."""
        return 5 * self.M

    row_sum: ClassVar[int] = 8

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        return reflection(x, x[self.opposite], ring)


@dataclass(frozen=True)
class Way:
    """How Hartley transforms of arrays are done: by transforms of which numbers, in which steps."""

    numbers: Numbers
    steps: tuple[Step, ...]

    @property
    def price(self) -> Any:
        """What is sent, how many numbers are held, and how many steps there are."""
        numbers = self.numbers
        sent = _sends(self.steps, numbers.before.P)
        return sent, numbers.of_rank, numbers.unit == REAL, len(self.steps)


@lru_cache(64)
def best(source: ArrayLayout, target: ArrayLayout) -> Way:
    """Return the way of Hartley transforms of arrays from one layout to another that sends least.

    Raises ValueError where whole digits do not do it.

    >>> layout = ArrayLayout("cyclic", (3, 12), (1, 2), batched=True)
    >>> [type(step).__name__ for step in best(layout, layout).steps]
    ['Transform', 'Trade', 'Transform', 'Reflect']
    """
    before, after = of_complex(source, target)
    own = Numbers(PAIR if before.paired else COMPLEX, before, after)
    ways = [Way(own, on(own.unit, steps)) for steps in _several(before, after)]
    ways += [Way(Numbers(PAIR, *ends), steps) for ends, steps in halved(source, target)]
    ways += [Way(Numbers(REAL, source, target), steps) for steps in in_whole(source, target)]
    if not ways:
        raise NoRoute(no_route(source, target))
    way = min(ways, key=lambda way: way.price)
    if not way.numbers.before.paired:
        return way
    rows = along(source, source.shape[-1])
    first = source.grid[-1] == 1
    return replace(way, steps=(rows, *way.steps) if first else (*way.steps, rows))


def _several(before: ArrayLayout, after: ArrayLayout) -> Iterator[tuple[Step, ...]]:
    """Yield supersteps with no axes made cyclic before the last move, and with those that are
    transformed in parts; only the first where nothing is exchanged for reflections, and with all
    axes where there is no other way.
    """
    every, parted, found = {*_axes(after)}, set[int](), False
    with suppress(ValueError):
        for whole in (False, True):
            parted |= {*_in_parts(lowered(before, after, whole=whole), before)}
    several = set[int](), parted - _cyclic(before), parted, every
    for axes, whole in product(several, (False, True)):
        if axes == every and found:
            return
        with suppress(ValueError):
            between = _with_cyclic(after, axes - _cyclic(after))
            steps = _by_way_of(before, between, after, whole)
            found = True
            yield steps
            if not any(isinstance(step, Reflect) and step.exchanges for step in steps):
                return


def price(source: ArrayLayout, target: ArrayLayout, known: Price | None) -> Price | None:
    """Return exchanges, words and messages between two layouts; None where whole digits do not do
    it, or not for less than the price that is known. Of many ranks it is that of the best route,
    and of an exchange for each axis that it transforms in parts.
    """
    most = known[0] if known else MOST_PHASES
    if not routes(source, target, most=most):
        return None  # nor of pairs
    before, after = of_complex(source, target)
    counted, least = source.P <= RANKS_COUNTED, list[Price]()
    for route in routes(before, after, most=most):
        exchanges, share, messages = route.price
        alone = route.parted > 0 and not before.paired
        words = (1 + alone) * source.M * share // source.P
        least.append((exchanges + route.parted * (not counted), words, messages))
    if not least or (known and min(least) >= known):
        return None
    with suppress(ValueError):
        return best(source, target).price[0] if counted else min(least)
    return None


def _axes(layout: ArrayLayout) -> range:
    return range(len(layout.shape) - len(layout.still))


def _cyclic(layout: ArrayLayout) -> set[int]:
    """Return the axes that are cyclic, or lie on no ranks, so that opposites are on one rank or on
    two.
    """
    cyclic = _with_cyclic(layout, _axes(layout))
    lies, would = ({*digits_of(each, True)[0]} for each in (layout, cyclic))
    others = {digit.axis - layout.batched for digit in lies - would}
    return {axis for axis in _axes(layout) if axis not in others}


def _with_cyclic(layout: ArrayLayout, axes: Collection[int]) -> ArrayLayout:
    names = ("cyclic" if axis in axes else name for axis, name in enumerate(layout.names))
    return replace(layout, name=",".join(names))


def _by_way_of(
    before: ArrayLayout, between: ArrayLayout, after: ArrayLayout, whole: bool
) -> tuple[Step, ...]:
    """Return supersteps with reflections across ranks first, or in this layout before the last; as
    many axes are transformed as a `whole` as can be.

    Raises ValueError where whole digits do not do it, and where opposites are on several ranks.
    """
    steps = lowered(before, between, whole=whole)
    parted = set(_in_parts(steps, before))
    last = parted & _cyclic(between)
    if not parted - last <= _cyclic(before):
        raise ValueError("opposites are on several ranks")
    return (
        *_across(before, sorted(parted - last)),
        *_in_place(steps, before),
        *_across(between, sorted(last)),
        *moved(between, after),
    )


def _sends(steps: Sequence[Step], P: int) -> Price:
    """Return the exchanges, and the words and messages of the rank that sends most."""
    ranks = np.arange(min(P, RANKS_COUNTED))
    sent = [each for step in steps if (each := step.sent(ranks)).messages.any()]
    messages, words = (int(each) for each in np.sum(sent, axis=0).max(axis=-1)) if sent else (0, 0)
    return len(sent), words, messages


def _in_parts(steps: Sequence[Step], layout: ArrayLayout) -> list[int]:
    """Return the axes that no step transforms as a whole, those of one element left out."""
    whole = {each.axis for each in _in_place(steps, layout) if isinstance(each, Reflect)}
    axes = layout.shape[layout.batched :]
    return [axis for axis in _axes(layout) if axes[axis] > 1 and axis not in whole]


def _in_place(steps: Sequence[Step], layout: ArrayLayout) -> Iterator[Step]:
    """Yield steps with reflections along axes that lie on a rank as a whole, before they part."""
    ready = list[Reflect]()
    for step in steps:
        if isinstance(step, Transform):
            if step.d == layout.shape[layout.batched + step.axis]:
                parts = 2 * layout.M, layout.P
                ready.append(Reflect(*parts, step.copies, step.c, axis=step.axis))
        else:
            yield from ready
            ready = []
        yield step
    yield from ready


def _across(layout: ArrayLayout, axes: Sequence[int]) -> Iterator[Reflect]:
    """Yield reflections along these axes of a cyclic layout."""
    for axis in axes:
        at = axis + layout.batched
        arrays, inner = prod(layout.local_shape[:at]), prod(layout.local_shape[at + 1 :])
        beside = prod(layout.grid[at + 1 :])
        yield Reflect(2 * layout.M, layout.P, arrays, inner, layout.grid[at], beside, axis)
