"""The meaning of a program whose ranks have unequal parts: its supersteps over an exact ring, beside
the transform by definition.

Back from a half spectrum conjugates are wanted: they are computed in the ring whose root of unity is
the inverse one, as the result is real.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from math import lcm, prod
from typing import Any

import numpy as np

from codegen.program.protocol import Step
from codegen.program.ragged.part_steps import COMPLEX, FROM_HALF, AlongAxis, half
from codegen.program.reals.meaning import conjugated, times
from derive.digits.part_layouts import PartLayout
from derive.exact.action import act
from derive.exact.check import decide
from derive.exact.claim import Claim
from derive.exact.rings import Elements, Ring
from derive.verdict import Verdict


def check(program: Any) -> Verdict:
    """Return whether the supersteps transform the axes, exactly.

    >>> from codegen.program.lower import lower
    >>> from codegen.requests import make_request
    >>> print(check(lower(make_request("fft", 15, 2, shape=(3, 5)))))
    checked: supersteps from block to block on 2 ranks = (F_3 ⊗ F_5) (all 225 entries, exactly in Z[zeta_15])
    """  # noqa: E501
    left, N = program.equation.left, program.equation.left.size
    transforms = [step for step in program.steps if isinstance(step, AlongAxis)]
    roots = lcm(1, *(step.n for step in transforms))
    back = any(step.kind == FROM_HALF for step in transforms)
    real = next((step for step in transforms if step.kind != COMPLEX), None)
    number, what = 1, str(left)
    if back:
        number = prod(step.n for step in transforms)
        what = f"the inverse of the half of {left}, of a real array"
    elif real:
        what = f"the half of {left}, of a real array"
    shape = program.output.shape if back else program.input.shape

    def spectrum(x: Elements, ring: Ring) -> Elements:
        y = act(left, x, ring)
        return y if real is None else _half_of(y, shape, real.axis)

    def right(x: Elements, ring: Ring) -> Elements:
        if not back:
            return interpret(program, x, ring)
        return _from_half(program, lambda x, ring: spectrum(x, ring), x, ring)

    ends = f"from {program.input.name} to {program.output.name} on {program.P} ranks"
    return decide(
        Claim(
            statement=f"supersteps {ends} = {what}",
            size=N,
            rows=program.output.N,
            order=lcm(4, roots),
            roots=roots,
            growth=2 * N * number,
            left=(lambda x, ring: times(x, number, ring)) if back else spectrum,
            right=right,
        )
    )


def _half_of(y: Elements, shape: Sequence[int], axis: int) -> Elements:
    """Return the first half of a spectrum along an axis."""
    found = y.reshape(*shape, *y.shape[1:]).take(range(half(shape[axis])), axis)
    return found.reshape(-1, *y.shape[1:])


def interpret(program: Any, x: Elements, ring: Ring) -> Elements:
    """Return what becomes of x in natural order, that of the input."""
    y = run(program.steps, placed(program.input, x), ring)
    return y[program.output.address(np.arange(program.output.N))]


def placed(layout: PartLayout, x: Elements) -> Elements:
    """Return elements in natural order by rank."""
    y = np.empty_like(x)
    y[layout.address(np.arange(layout.N))] = x
    return y


def run(steps: Sequence[Step], x: Elements, ring: Ring) -> Elements:
    """Return what becomes of the elements of all ranks."""
    for step in steps:
        x = step.interpret(x, ring)
    return x


def _from_half(program: Any, spectrum: Any, x: Elements, ring: Ring) -> Elements:
    """Return the product of the lengths times x, from the half spectrum of x."""
    at = next(i for i, step in enumerate(program.steps) if getattr(step, "kind", "") == FROM_HALF)

    def before(x: Elements, other: Ring) -> Elements:
        """Return the numbers before the last transform, whose root of unity is the inverse one."""
        given = conjugated(spectrum, x, other)
        return run(program.steps[:at], placed(program.input, given), other)

    def completed(x: Elements, inverse: Ring) -> Elements:
        known, other = before(x, inverse), conjugated(before, x, inverse)
        made = program.steps[at].completed(known, other, inverse)
        return run(program.steps[at + 1 :], made, inverse)

    y = conjugated(completed, x, ring)
    return y[program.output.address(np.arange(program.output.N))]
