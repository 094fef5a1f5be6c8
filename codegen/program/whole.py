"""Programs of an equation between two layouts, and programs of arrays by digits."""

from __future__ import annotations

from dataclasses import replace

from codegen import shapes
from codegen.program.affine_steps import steps_of
from codegen.program.digits.digit_factors import right_side, with_factors
from codegen.program.protocol import REAL
from codegen.program.supersteps import Program
from codegen.systems.record import Request
from derive.digits.digit_factorization import along_axes, of_pairs
from derive.digits.digit_permutations import strides
from derive.formula.affine_layouts import Layout, named
from derive.formula.grammar import Equation
from derive.formula.transforms import F, H


def ends_of(request: Request) -> tuple[Layout, Layout]:
    """Return the layouts of the input and of the output of a vector."""
    return named(request.input, request.N, request.P), named(request.output, request.N, request.P)


def between(request: Request, equation: Equation) -> Program:
    """Return the program of an equation between the layouts that are asked for."""
    before, after = ends_of(request)
    steps = steps_of(equation.right, before, after, request.exchange)
    return Program(request, equation, before, after, steps)


def of_arrays(request: Request) -> Program:
    """Return the program of a transform of any size, of several axes, of a batch, or of real input;
    Hartley transforms of arrays have an equation of the complex ones that they are done as, if they
    are not done on real elements throughout.

    >>> from codegen.requests import make_request
    >>> print(of_arrays(make_request("fft", 1000, 2, "cyclic", "cyclic")).equation)
    F_1000 = L^1000_500 (I_2 ⊗ F_2 ⊗ I_250) L^1000_2 T^1000_500 (I_2 ⊗ F_500) L^1000_2
    """
    numbers, steps = shapes.of_digits(request)
    given, wanted, is_real = numbers.before, numbers.after, numbers.unit == REAL
    steps = with_factors(steps, given.N)
    numbers = replace(numbers, first=strides(given.address), last=strides(wanted.back))
    computed = [step for step in steps if is_real or step.unit != REAL]
    right = right_side(computed, given, wanted)
    if not request.record.of_vectors:
        equation = of_pairs(right, not request.is_forward)
    else:
        equation = along_axes(given.shape, right, given.still, H if is_real else F)
    return Program(request, equation, *shapes.layouts(request), steps, numbers)
