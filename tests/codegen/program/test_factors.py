"""The factors of supersteps by digits are what the supersteps do."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from codegen.program.digits.digit_factors import right_side, with_factors
from codegen.program.digits.digit_supersteps import Trade, Transform
from codegen.program.digits.lower import lowered
from codegen.program.reals.untangle import Opposites
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from derive.digits.digit_layouts import ArrayLayout
from derive.exact.action import act
from derive.exact.complexes import Complexes
from derive.formula.grammar import I, kron, product
from derive.formula.transforms import F

NAMES = ("block", "cyclic", "group-cyclic:2", "group-cyclic:3")


def same(steps: tuple[Any, ...], x: Any) -> bool:
    """Return whether each superstep makes of numbers what its factors make of them; a trade has the
    diagonal of the transform after it.
    """
    ring, found = Complexes(len(x)), True
    carried = False
    for step, after in zip_longest(steps, steps[1:]):
        if isinstance(step, Opposites):
            continue
        plain = replace(step, diagonal=None) if carried else step
        y = plain.interpret(x, ring)
        carried = isinstance(step, Trade) and bool(step.twiddles)
        if carried:
            assert isinstance(after, Transform)
            y = replace(after, d=1, c=after.c * after.d).interpret(y, ring)
        found &= np.allclose(act(product([I(len(x)), *step.factors]), x, ring), y)
        x = y
    return found


def vector(N: int) -> Any:
    return np.random.default_rng(1).standard_normal(2 * N).view(complex)[:, None]


@st.composite
def axes(draw: st.DrawFn) -> tuple[ArrayLayout, ArrayLayout]:
    """Draw two layouts of an array of one to three axes, or of a batch."""
    grid = draw(st.lists(st.sampled_from((1, 2, 3, 4)), min_size=1, max_size=3))
    shape = [p * p * draw(st.integers(1, 3)) for p in grid]
    names = [[draw(st.sampled_from(NAMES)) for _ in grid] for _ in range(2)]
    batched = draw(st.booleans())
    try:
        before, after = (
            ArrayLayout(",".join(each), (2, *shape) if batched else (*shape,),
                        (1, *grid) if batched else (*grid,), batched)
            for each in names
        )  # fmt: skip
    except ValueError:  # of groups that do not divide the ranks
        assume(False)
    assume(before.N <= 10**3)
    return before, after


@pytest.mark.long
@given(axes())
@settings(deadline=None, max_examples=20)
def test_the_factors_of_a_superstep_are_what_it_does(ends: tuple[ArrayLayout, ArrayLayout]) -> None:
    before, after = ends
    x = vector(before.N)
    steps = with_factors(lowered(before, after), before.N)
    assert same(steps, x)
    transform = kron(
        *(I(n) if before.batched and i == 0 else F(n) for i, n in enumerate(before.shape))
    )
    made = act(right_side(steps, before, after), x, Complexes(before.N))
    assert np.allclose(made, act(transform, x, Complexes(before.N)))


REQUESTS: list[tuple[str, Any, Any, int | None, dict[str, Any]]] = [
    ("fft", 1000, 2, None, {"phases": "50,10,2", "input": "cyclic"}),
    ("fft", 243, 9, None, {"phases": "3,3,27"}),
    ("fft", "12x36", "2x2", None, {"phases": "6,2x18,2", "input": "cyclic", "output": "cyclic"}),
    ("fft", "6x4x10", "2x1x1", 3, {"input": "block,whole,whole", "output": "whole,block,whole"}),
    ("rfft", 1000, 5, None, {"direction": "backward", "output": "cyclic-pairs"}),
    ("rfft", 486, 9, None, {}),
    ("fht", 27, 3, 4, {"output": "cyclic"}),
]


@pytest.mark.parametrize(("system", "size", "ranks", "batch", "options"), REQUESTS)
def test_programs_have_steps_with_such_factors(
    system: str, size: Any, ranks: Any, batch: int | None, options: dict[str, Any]
) -> None:
    asked = make_request(system, **stated(size, ranks, batch), **options)
    program = resolve(asked)
    assert same(program.steps, vector(program.numbers.before.N))


def test_other_factors_are_not_what_a_superstep_does() -> None:
    before, transform, trade, *rest = resolve(make_request("fft", 48, 4)).steps
    assert same((before, transform, trade, *rest), vector(48))
    for factors in ((), trade.factors[::-1], trade.twiddles, before.factors):
        assert not same((before, transform, replace(trade, factors=factors), *rest), vector(48))
    assert not same((before, replace(transform, factors=rest[0].factors)), vector(48))
