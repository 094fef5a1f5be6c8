"""Programs whose ranks have unequal parts."""

from __future__ import annotations

from codegen.program.ragged.part_steps import AlongAxis, along
from codegen.program.supersteps import Program
from codegen.systems.record import Request
from codegen.unequal_parts import planned
from derive.digits.factorization import along_axes
from derive.formula.grammar import product


def of_parts(request: Request) -> Program:
    """Return the program of a transform along axes that are whole while they are transformed; of
    real input with the equation of the complex transform.

    >>> from codegen.requests import make_request
    >>> print(of_parts(make_request("fft", 15, 2, shape=(3, 5))).equation)
    (F_3 ⊗ F_5) = (F_3 ⊗ I_5) (I_3 ⊗ F_5)
    """
    (before, after), steps = planned(request)
    transforms = [step for step in steps if isinstance(step, AlongAxis)]
    whole = (request.batch,) * (request.batch > 0) + request.shape
    still = {*range(len(whole))} - {step.axis for step in transforms}
    right = product([along(whole, step.axis, step.n) for step in reversed(transforms)])
    return Program(request, along_axes(whole, right, still), before, after, steps)
