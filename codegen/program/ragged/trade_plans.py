"""Which axis is divided next: as few exchanges as can be, then as few words.

Axes are transformed while they are whole. A trade makes an axis whole that is divided, and divides
one that is whole among the same ranks. So a plan is a path between the layouts of input and output
on which every axis was whole once; of real input the last axis is first, as the half spectrum that
is made of it is complex.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from math import prod
from typing import Any

from codegen.program.protocol import Step
from codegen.program.ragged.part_steps import COMPLEX, TO_HALF, AlongAxis, PartTrade
from derive.digits.part_layouts import BLOCK, PartLayout
from derive.maps.layout_digits import WHOLE

Price = tuple[int, int]
"""Exchanges, and the most words that one rank sends in each, added."""


def normal(layout: PartLayout) -> PartLayout:
    """Return a layout by the names of all axes, `whole` those on one rank, and with the order of
    the divided ones; layouts of the same places are equal then.

    >>> normal(PartLayout("block", (5, 4, 3), (2, 1, 2))).name
    'block,whole,block'
    """
    names = [name if p > 1 else WHOLE for name, p in zip(layout.names, layout.grid, strict=True)]
    order = sorted(range(len(names)), key=lambda axis: (-layout.strides[axis], axis))
    order.sort(key=lambda axis: layout.grid[axis] > 1)
    wholes = sum(p == 1 for p in layout.grid)
    order[:wholes] = sorted(order[:wholes])
    return replace(layout, name=",".join(names), batched=False, order=tuple(order))


@lru_cache(256)
def cheapest(
    source: PartLayout, target: PartLayout, axes: tuple[int, ...], real: bool = False
) -> tuple[Step, ...]:
    """Return the steps that transform these axes, the last one of them first, in the layouts from
    `source` to `target`; of real input from an array to its half spectrum.

    Raises ValueError where no axis is whole that another one could be exchanged for.

    >>> slabs = PartLayout("block,whole", (10, 100), (3, 1))
    >>> [type(step).__name__ for step in cheapest(slabs, slabs, (0, 1))]
    ['AlongAxis', 'PartTrade', 'AlongAxis', 'PartTrade']
    """
    goal, ties = normal(target), count()
    first = _transformed(normal(source), axes, (), real)
    queue, seen = [((0, 0), next(ties), *first)], set[tuple[PartLayout, tuple[int, ...]]]()
    while queue:
        (exchanges, words), _, layout, left, steps = heappop(queue)
        if not left and layout == goal:
            return steps
        if (layout, left) in seen:
            continue
        seen.add((layout, left))
        for trade in _trades(layout, source, target, len(left) == len(axes) or not real):
            price = exchanges + 1, words + _most(trade)
            after = _transformed(trade.after, left, (*steps, trade), real and left == axes)
            heappush(queue, (price, next(ties), *after))
    raise ValueError(
        "no axis is whole, so that none can be transformed or exchanged; give an axis the layout"
        f" {WHOLE}, or a grid with 1 rank on it"
    )


def backwards(steps: tuple[Any, ...]) -> tuple[Step, ...]:
    """Return the steps of the way back: half spectra become real numbers."""
    return tuple(step.on_way_back for step in reversed(steps))


def _transformed(
    layout: PartLayout, left: tuple[int, ...], steps: tuple[Step, ...], real: bool
) -> tuple[PartLayout, tuple[int, ...], tuple[Step, ...]]:
    """Return the layout, the axes that are left, and the steps after all axes that are whole have
    been transformed, the last one first; of real numbers that one alone is first.
    """
    for axis in reversed(left):
        if layout.grid[axis] == 1:
            step = AlongAxis(layout, axis, layout.shape[axis], TO_HALF if real else COMPLEX)
            layout, steps, real = step.after, (*steps, step), False
            left = tuple(other for other in left if other != axis)
        elif real:
            break
    return layout, left, steps


def _trades(
    layout: PartLayout, source: PartLayout, target: PartLayout, single: bool
) -> Iterator[PartTrade]:
    """Yield the trades of a divided axis for a whole one; numbers are one word if `single`."""
    axes = range(len(layout.shape))
    for a in (axis for axis in axes if layout.grid[axis] > 1):
        for b in (axis for axis in axes if layout.grid[axis] == 1):
            names = dict.fromkeys(end.names[b] for end in (target, source))
            for division in [name for name in names if name != WHOLE] or [BLOCK]:
                yield PartTrade(layout, a, b, division, 1 if single else 2)


def _most(trade: PartTrade) -> int:
    """Return the most words that a rank sends in a trade."""
    sizes = [int(axis.counts.max()) for axis in trade.before.axes]
    own = trade.after.axes[trade.whole]
    rows = prod(sizes) // own.n
    return rows * (own.n - int(own.counts.min())) * trade.words_each


def is_wasteful(steps: tuple[Step, ...], *ends: PartLayout) -> bool:
    """Return whether some rank has twice as much as it would have of equal parts, at some time.

    >>> is_wasteful((), PartLayout("block", (11, 11, 11), (25, 1, 1)))
    True
    >>> is_wasteful((), PartLayout("block", (11, 11, 11), (5, 5, 1)))
    False
    """
    layouts = [step.after for step in steps if isinstance(step, PartTrade)]
    return any(layout.M * layout.P >= 2 * layout.N for layout in (*layouts, *ends))


def price_of(steps: tuple[Step, ...]) -> Price:
    """Return the price of steps."""
    trades = [step for step in steps if isinstance(step, PartTrade)]
    return len(trades), sum(map(_most, trades))
