"""Programs of a factorization of F_N of one's own."""

from __future__ import annotations

from dataclasses import replace

from codegen.program.digits import formula
from codegen.program.digits.routes.search import Ends, Price
from codegen.program.digits.transformed import Numbers
from codegen.program.protocol import ELEMENT, Step
from codegen.systems.exchanges import EXCHANGES, SHARED
from codegen.systems.fft import FFT, OF_ARRAYS
from codegen.systems.record import OF_FORMULA, Request
from derive.formula.grammar import Formula
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


OF_OWN = replace(
    FFT,
    name=OF_FORMULA,
    sizes=lambda request: SIZES.exponents(request.N, request.P),
    exchanges=(*EXCHANGES, SHARED),
    options=(),
    rests_on=None,
    checks=lambda request, seed, tell: iter(()),
    arrays=replace(OF_ARRAYS, steps=steps, price=price),
    settle=lambda request: {},
    check=lambda request: None,
)
