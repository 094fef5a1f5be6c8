"""The meaning of a program: its supersteps run on all ranks at once, over any exact ring."""

from __future__ import annotations

from dataclasses import replace
from math import lcm, prod

import numpy as np

from codegen.program import affine_meaning
from codegen.program.hartley_program import growth as hartley_growth
from codegen.program.protocol import PAIR
from codegen.program.ragged import part_meaning
from codegen.program.reals import real_meaning as of_reals
from codegen.program.supersteps import Program
from derive.digits.digit_factorization import hartley_along_axes
from derive.exact.action import act
from derive.exact.claim import Claim
from derive.exact.exact_check import LARGEST, decide
from derive.exact.measures import order, row_sum
from derive.exact.rings import Elements, Ring
from derive.formula.placement import Placement
from derive.formula.transforms import F, H
from derive.verdict import Verdict


def interpret(program: Program, x: Elements, ring: Ring) -> Elements:
    """Return what the program makes of the vectors x, of shape (N, stimuli, ...) in natural order.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> from derive.exact.rings import Monomials
    >>> program, ring = resolve(make_request("fft", 8, 2)), Monomials(8)
    >>> bool((interpret(program, ring.units(8, range(8)), ring) == act(F(8), ring.units(8, range(8)), ring)).all())
    True
    """  # noqa: E501
    y = np.empty_like(x)
    y[_addresses(program.input)] = x
    for step in program.steps:
        if step.unit == PAIR:
            pairs = step.interpret(y.reshape(-1, 2, *y.shape[1:]), ring)
            y = pairs.reshape(len(y), *pairs.shape[2:])
        else:
            y = step.interpret(y, ring)
    return y[_addresses(program.output)]


def _addresses(layout: Placement) -> Elements:
    """Return the storage addresses of all indices."""
    s, o = layout.place(np.arange(layout.N))
    return s * layout.M + o


def check(program: Program) -> Verdict:
    """Return whether the supersteps compute the left side of the program's equation, exactly, as
    `derive.exact.exact_check.check` does.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> print(check(resolve(make_request("fft", 8, 2, "cyclic", "bit-reversed"))))
    checked: supersteps from cyclic to bit-reversed on 2 ranks = F_8 (all 64 entries, exactly in Z[zeta_8])
    """  # noqa: E501
    if program.request.unequal:
        return part_meaning.check(program)
    if not program.request.record.of_vectors:
        return of_reals.check(program)
    bits = program.N > LARGEST and not program.request.shape
    by_matrices = affine_meaning.check(program) if bits else None
    if by_matrices is not None:
        return by_matrices
    if program.in_pairs and program.is_shaped:
        program = _of_hartley(program)
    return _decided(program)


def _decided(program: Program) -> Verdict:
    """Return whether the supersteps compute the left side of the program's equation, exactly."""
    left = program.equation.left
    entries = hartley_growth(program.steps, program.N) or prod(
        step.row_sum for step in program.steps
    )
    orders = [step.roots for step in program.steps]
    return decide(
        Claim(
            statement=(
                f"supersteps from {program.input.name} to {program.output.name} on {program.P}"
                f" ranks = {left}"
            ),
            size=left.size,
            order=lcm(4, order(left), *orders),
            roots=lcm(order(left), *orders),
            growth=row_sum(left) + entries,
            left=lambda x, ring: act(left, x, ring),
            right=lambda x, ring: interpret(program, x, ring),
            fourier=isinstance(left, F),
            hartley=isinstance(left, H),
            real=isinstance(left, H),
        )
    )


def _of_hartley(program: Program) -> Program:
    """Return a program with the equation of Hartley matrices that it is held to."""
    equation = hartley_along_axes(program.request.shape, program.request.batch)
    return replace(program, equation=equation)
