"""Programs whose ranks have unequal parts."""

from __future__ import annotations

from codegen.program.ragged.part_steps import AlongAxis, along
from codegen.program.ragged.vector_plans import of_sides, sides
from codegen.program.supersteps import Program
from codegen.systems.record import Request
from codegen.unequal_parts import planned
from derive.digits.digit_factorization import along_axes
from derive.formula.grammar import product


def of_parts(request: Request) -> Program:
    """Return the program of a transform along axes that are whole while they are transformed; of
    real input with the equation of the complex transform.

    >>> print(of_parts(Request("fft", 15, 2, "block", "block", shape=(3, 5), grid=(2, 1))).equation)
    (F_3 ⊗ F_5) = (F_3 ⊗ I_5) (I_3 ⊗ F_5)
    """
    (before, after), steps = planned(request)
    if request.record.equation_of_parts:
        equation = request.record.equation_of_parts(request, steps)
        return Program(request, equation, before, after, steps)
    transforms = [step for step in steps if isinstance(step, AlongAxis)]
    whole = (request.batch,) * (request.batch > 0) + request.shape
    if len(whole) == 1:
        right = of_sides(*sides(request.N, request.P, request.record.real))
        return Program(request, along_axes(whole, right), before, after, steps)
    right = product([along(whole, step.axis, step.n) for step in reversed(transforms)])
    still = {*range(len(whole))} - {step.axis for step in transforms}
    return Program(request, along_axes(whole, right, still), before, after, steps)
