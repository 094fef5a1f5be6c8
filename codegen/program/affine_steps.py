"""From a product of factors and two layouts to supersteps, each where the formula says: elements
lie in blocks of the coordinates of a factor where it is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.ways import Twiddles, Way, blocks
from codegen.program.factors import (
    channel_of,
    continued,
    finished,
    local_of,
    map_of,
    stage_of,
    twiddles_of,
)
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across, OfHalves
from codegen.program.stages.generalized_butterflies import Butterflies
from derive.formula.affine_layouts import Layout
from derive.formula.grammar import Formula, factors_of
from derive.formula.transforms import W


def steps_of(
    formula: Formula,
    input: Layout,
    output: Layout,
    exchange: str = "alltoall",
    across: bool = False,
) -> tuple[Step, ...]:
    """Return the supersteps of a product of permutations, twiddle diagonals and local transforms I
    ⊗ F_d ⊗ I_c.

    A diagonal is applied where its data is used: before the next local transform, after the move to
    it; one that belongs to the butterflies before it stays with them. F_2 may join two ranks if
    `across` says so. Raises ValueError for a factor that is none of these, or whose transform
    crosses ranks.

    >>> from derive.formula.affine_layouts import block
    >>> from derive.papers.bsp import group_cyclic
    >>> len(steps_of(group_cyclic(16, 2).right, block(16, 2), block(16, 2)))
    5
    """
    way = Way(*blocks(input.N, input.P), exchange).permuted(input.back)
    for factor in reversed(factors_of(formula)):
        way = _after(way, factor, across)
    return way.permuted(output.address).in_blocks().multiplied().steps


def _after(way: Way, factor: Formula, across: bool) -> Way:
    if (map := map_of(factor)) is not None:
        return way.permuted(map, factor)
    if (twiddles := twiddles_of(factor)) is not None:
        return _twisted(way, twiddles, factor)
    way, M = way.in_blocks(), way.M
    if across and (channel := channel_of(factor, M)) is not None:
        return way.done(Across(M, way.diagonal, channel, (factor,)))
    if (stage := stage_of(factor, M)) is not None:
        return _with_stage(way, stage)
    copies, d, c = local_of(factor, M)
    kind = OfHalves if any(isinstance(each, W) for each in way.named) else Transform
    return way.done(kind(way.diagonal, copies, d, c, factors=(factor,)))


def _twisted(way: Way, twiddles: Sequence[Twiddles], factor: Formula) -> Way:
    """Return the way with a diagonal that waits, or that the butterflies before it have."""
    if way.steps and not way.waiting and way.in_blocks().steps == way.steps:
        diagonal = way.twisted(twiddles, factor).diagonal
        if done := finished(way.steps[-1], diagonal, factor):
            return replace(way, steps=(*way.steps[:-1], done))
    return (way.in_blocks().multiplied() if way.waiting else way).twisted(twiddles, factor)


def _with_stage(way: Way, stage: Butterflies) -> Way:
    """Return the way after a stage, which continues the one before it if nothing is between."""
    there = way.multiplied()
    last = there.steps[-1] if there.steps and not there.named else None
    if last and (longer := continued(last, stage)):
        return replace(there, steps=(*there.steps[:-1], longer))
    return there.done(stage)
