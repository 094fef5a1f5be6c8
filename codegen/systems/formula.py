"""Programs of a factorization of F_N of one's own."""

from __future__ import annotations

from dataclasses import replace

from codegen import shapes
from codegen.program.digits import formula
from codegen.program.digits.routes.search import Ends, Price
from codegen.program.digits.transformed import Numbers
from codegen.program.moves import at_ends
from codegen.program.prepare import prepared
from codegen.program.protocol import ELEMENT, Step
from codegen.program.supersteps import Program
from codegen.program.whole import ends_of
from codegen.systems.exchanges import EXCHANGES, SHARED
from codegen.systems.fft import FFT, OF_ARRAYS
from codegen.systems.record import OF_FORMULA, Request
from derive.formula.grammar import Equation, Formula
from derive.sizes import Sizes

SIZES = Sizes(
    "a program of a formula", lambda N, P: P <= N, "every rank needs at least one element"
)


def formula_of(request: Request) -> Formula:
    """Return the formula that a request states."""
    assert request.formula is not None, "a record of requests that state one"
    return request.formula


def steps(request: Request, ends: Ends) -> tuple[Numbers, tuple[Step, ...]]:
    """Return the supersteps of the factors."""
    own = formula.best(formula_of(request), *ends, request.exchange)
    return Numbers(ELEMENT, *ends, first=own.first, last=own.named), own.steps


def price(
    request: Request, ends: Ends, shape: tuple[int, ...], known: Price | None
) -> Price | None:
    """Return the price of the factors."""
    return formula.best(formula_of(request), *ends).price


FORMULA = "formula"
"""The name of the equation of a program that is made from a formula of one's own; its source is the
formula.
"""


def lower(request: Request) -> Program:
    """Return the program of a factorization of one's own."""
    own = formula_of(request)
    numbers, steps = shapes.of_digits(request)
    equation = Equation(FORMULA, str(own), shapes.left_side(request), prepared(own))
    if request.shape:
        return Program(request, equation, numbers.before, numbers.after, steps, numbers)
    ends = ends_of(request)
    return Program(request, equation, *ends, *at_ends(request, ends, steps, numbers))


OF_OWN = replace(
    FFT,
    name=OF_FORMULA,
    sizes=lambda request: SIZES.exponents(request.N, request.P),
    exchanges=(*EXCHANGES, SHARED),
    options=(),
    rests_on=None,
    checks=lambda request, seed, tell: iter(()),
    arrays=replace(OF_ARRAYS, steps=steps, price=price),
    lower=lower,
    settle=lambda request: {},
    check=lambda request: None,
)
