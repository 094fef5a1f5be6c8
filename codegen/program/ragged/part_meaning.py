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

from codegen.program.ragged.part_steps import FROM_HALF, half
from codegen.program.reals.real_meaning import conjugated, times
from derive.call_arguments import counted
from derive.exact import measures
from derive.exact.action import act
from derive.exact.claim import Action, Claim
from derive.exact.exact_check import decide
from derive.exact.rings import Elements, Ring
from derive.verdict import Verdict


def check(program: Any) -> Verdict:
    """Return whether the supersteps transform the axes, exactly.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> print(check(resolve(make_request("fft", 15, 2, shape=(3, 5)))))
    checked: supersteps from block to block on 2 ranks = (F_3 ⊗ F_5) (all 225 entries, exactly in Z[zeta_15])
    """  # noqa: E501
    left, request = program.equation.left, program.request
    transforms = [each for step in program.steps for each in step.transforms_of_ranks]
    roots = lcm(
        measures.order(left),
        *(step.n for step in transforms),
        *(step.roots for step in program.steps),
    )
    real = request.record.real
    back = real and any(step.kind == FROM_HALF for step in transforms)
    number = prod(step.n for step in transforms) if back else 1
    what = f"the half of {left}, of a real array" if real else str(left)
    ends = f"from {program.input.name} to {program.output.name} on {counted(program.P, 'rank')}"
    return decide(
        Claim(
            statement=f"supersteps {ends} = {'the inverse of ' * back}{what}",
            size=left.size,
            rows=program.output.N,
            order=lcm(4, roots),
            roots=roots,
            growth=2 * max(left.size * number, measures.scale(left) * measures.row_sum(left)),
            left=(lambda x, ring: times(x, number, ring)) if back else _spectrum(program),
            right=_back(program) if back else _forth(program),
        )
    )


def _spectrum(program: Any) -> Action:
    """Return the transform by definition, of real elements the half that is kept."""
    request = program.request
    shape = program.input.shape if request.is_forward else program.output.shape
    axis = request.transformed[-1] + (request.batch > 0)

    def spectrum(x: Elements, ring: Ring) -> Elements:
        y = act(program.equation.left, x, ring)
        if not request.record.real:
            return y
        found = y.reshape(*shape, *y.shape[1:]).take(range(half(shape[axis])), axis)
        return found.reshape(-1, *y.shape[1:])

    return spectrum


def _forth(program: Any) -> Action:
    return lambda x, ring: _read(program, _run(program.steps, _placing(program), x, ring))


def _back(program: Any) -> Action:
    """Return the supersteps on the half spectrum of x, with the inverse root of unity."""
    spectrum, place = _spectrum(program), _placing(program)

    def given(x: Elements, inverse: Ring) -> Elements:
        return place(conjugated(spectrum, x, inverse), inverse)

    def inverted(x: Elements, inverse: Ring) -> Elements:
        return _run(program.steps, given, x, inverse)

    return lambda x, ring: _read(program, conjugated(inverted, x, ring))


def _placing(program: Any) -> Action:
    """Return what brings elements in natural order to their ranks."""

    def place(x: Elements, ring: Ring) -> Elements:
        y = np.empty_like(x)
        y[program.input.address(np.arange(program.input.N))] = x
        return y

    return place


def _read(program: Any, y: Elements) -> Elements:
    """Return the elements of all ranks in natural order."""
    return y[program.output.address(np.arange(program.output.N))]


def _run(steps: Sequence[Any], given: Action, x: Elements, ring: Ring) -> Elements:
    """Return what becomes of what is given; conjugates are computed with the inverse root."""
    if not steps:
        return given(x, ring)
    *others, last = steps

    def before(x: Elements, ring: Ring) -> Elements:
        return _run(others, given, x, ring)

    if last.needs_conjugates:
        return np.asarray(last.completed(before(x, ring), conjugated(before, x, ring), ring))
    return np.asarray(last.interpret(before(x, ring), ring))
