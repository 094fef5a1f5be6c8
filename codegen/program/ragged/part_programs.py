"""Programs whose ranks have unequal parts."""

from __future__ import annotations

from codegen.program.ragged.part_steps import along
from codegen.program.ragged.vector_plans import of_sides, padded, sides
from codegen.program.supersteps import Program
from codegen.systems.record import Request
from codegen.unequal_parts import planned
from derive.digits.digit_factorization import along_axes
from derive.formula.grammar import Equation, product
from derive.papers.statements.statement_tables import at_sizes, given_at_sizes


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
    transforms = [each for step in steps for each in step.transforms_of_ranks]
    whole = (request.batch,) * (request.batch > 0) + request.shape
    if any(each.turn for each in transforms):
        equation, *lemmas = convolution_equations(request.N, request.P)
        return Program(request, equation, before, after, steps, lemmas=tuple(lemmas))
    if len(whole) == 1:
        right = of_sides(*sides(request.N, request.P, request.record.real))
        return Program(request, along_axes(whole, right), before, after, steps)
    right = product([along(whole, step.axis, step.n) for step in reversed(transforms)])
    still = {*range(len(whole))} - {step.axis for step in transforms}
    return Program(request, along_axes(whole, right, still), before, after, steps)


def convolution_equations(N: int, P: int) -> tuple[Equation, ...]:
    """Return the equation of Bluestein's algorithm, what it assumes, and that of the transforms in
    it.

    >>> for equation in convolution_equations(5, 2):
    ...     print(equation)
    F_5 = diag(j < 5, j^2/(2*5)) Pad_{5,8} ((1/2 E_{1,2} F_2) ⊗ I_8) inv(F_16) Chirp_{16,5} F_16 ((1/2 F_2 E_{2,1}) ⊗ I_8) Pad_{8,5} diag(k < 5, k^2/(2*5))
    E_{5,5} = Pad_{5,8} E_{8,8} Pad_{8,5}
    F_16 = L^16_4 (I_4 ⊗ F_4) T^16_4 (F_4 ⊗ I_4)
    """  # noqa: E501
    m = padded(N)
    sizes = {"n": N, "M": m // 2}
    return (
        at_sizes("bluestein", **sizes),
        *given_at_sizes("bluestein", **sizes),
        along_axes((m,), of_sides(*sides(m, P))),
    )
