"""How cosine and sine transforms are done: along axes that are whole while they are transformed; of
a vector as an array of n1 x n2, as the Fourier transform of real elements is.
"""

from __future__ import annotations

from collections.abc import Iterator

from codegen.program.protocol import Step
from codegen.program.ragged.cosine_steps import (
    AsComplex,
    AsPairs,
    Joined,
    Quarters,
    Sorted,
    Split,
    paired,
)
from codegen.program.ragged.cosine_trades import GIVE_PARTS, RESTORE, SORT, TAKE_PARTS, CosineTrade
from codegen.program.ragged.part_steps import FROM_HALF, TO_HALF, AlongAxis, PartTrade, half
from codegen.program.ragged.trade_plans import cheapest
from codegen.program.ragged.vector_plans import on_one_rank, sides
from codegen.program.ragged.vector_steps import Twiddles
from derive.digits.part_layouts import BALANCED, PartLayout

Steps = tuple[Step, ...]


def cosine_steps(
    source: PartLayout, target: PartLayout, axes: tuple[int, ...], back: bool, sine: bool
) -> Steps:
    """Return the steps of cosine transforms of these axes, or sine transforms: of type II, or
    `back`, of type III.

    Raises ValueError where no axis is whole that another one could be exchanged for.

    >>> ends = PartLayout("block", (15,), (2,))
    >>> [type(step).__name__ for step in cosine_steps(ends, ends, (0,), False, False)][:3]
    ['CosineTrade', 'AlongAxis', 'Twiddles']
    """
    if len(source.shape) > 1:
        return tuple(_along_axes(cheapest(source, target, axes), back, sine))
    N, P = source.N, source.P
    n1, n2 = sides(N, P, real=True)
    if P == 1:
        return _along(source, 0, N, back, sine)
    if 1 in (n1, n2):
        return tuple(_along_axes(on_one_rank(source, target, N), back, sine))
    return (_from_third if back else _to_second)(source, target, n1, n2, sine)


def _to_second(source: PartLayout, target: PartLayout, n1: int, n2: int, sine: bool) -> Steps:
    """Return the steps of type II of a vector of n1 n2 elements."""
    first = AlongAxis(PartLayout(f"whole,{BALANCED}", (n1, n2), (1, source.P)), 0, n1, TO_HALF)
    trade = PartTrade(first.after, 1, 0, BALANCED, 2)
    return (
        CosineTrade(source, first.before, SORT, n1, n2, sine=sine),
        first,
        Twiddles(first.after, n1, n2),
        trade,
        AlongAxis(trade.after, 1, n2),
        Quarters(trade.after, n1 * n2),
        AsPairs(trade.after),
        CosineTrade(paired(trade.after), target, TAKE_PARTS, n1, n2, sine=sine),
    )


def _from_third(source: PartLayout, target: PartLayout, n1: int, n2: int, sine: bool) -> Steps:
    """Return the steps of type III of a vector of n1 n2 elements."""
    rows = PartLayout(f"{BALANCED},whole", (half(n1), n2), (source.P, 1))
    trade = PartTrade(rows, 0, 1, BALANCED, 2)
    last = AlongAxis(trade.after, 0, n1, FROM_HALF)
    return (
        CosineTrade(source, paired(rows), GIVE_PARTS, n1, n2, sine=sine),
        AsComplex(rows),
        Quarters(rows, n1 * n2, back=True),
        AlongAxis(rows, 1, n2),
        Twiddles(rows, n1, n2),
        trade,
        last,
        CosineTrade(last.after, target, RESTORE, n1, n2, sine=sine),
    )


def _along_axes(steps: Steps, back: bool, sine: bool) -> Iterator[Step]:
    """Yield steps with cosine transforms along axes in place of Fourier transforms."""
    for step in steps:
        if not step.transforms_of_ranks:
            yield step
        for each in step.transforms_of_ranks:
            yield from _along(each.before, each.axis, each.n, back, sine)


def _along(layout: PartLayout, axis: int, n: int, back: bool, sine: bool) -> Steps:
    """Return the steps along an axis that is whole."""
    if back:
        joined = Joined(layout, axis, n, sine)
        return (
            joined,
            Quarters(joined.after, n, axis, back=True),
            AlongAxis(joined.after, axis, n, FROM_HALF),
            Sorted(layout, axis, n, sine, back=True),
        )
    spectrum = AlongAxis(layout, axis, n, TO_HALF)
    return (
        Sorted(layout, axis, n, sine),
        spectrum,
        Quarters(spectrum.after, n, axis),
        Split(spectrum.after, axis, n, sine),
    )
