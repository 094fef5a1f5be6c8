"""Programs of a factorization of F_N of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from codegen import shapes
from codegen.program.digits import digit_formula
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.routes.route_search import Ends, Price
from codegen.program.digits.transformed import Numbers
from codegen.program.moves import at_ends
from codegen.program.prepare import number_of, prepared, split, without_number
from codegen.program.protocol import ELEMENT, Step
from codegen.program.stages.direct_sums import Part
from codegen.program.supersteps import Program
from codegen.program.whole import ends_of
from codegen.systems.exchanges import EXCHANGES, SHARED
from codegen.systems.fft import FFT, OF_ARRAYS
from codegen.systems.options import NUMPY
from codegen.systems.record import EXPRESSION, OF_FORMULA, Request
from derive.call_arguments import counted, named
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import divisors
from derive.formula.grammar import Equation, Formula, I, direct_sum
from derive.formula.permutation_matrices import J
from derive.sizes import Sizes

MOST_TRIED, MOST_SHOWN = 6, 2
"""The most numbers of ranks that are tried where a formula has no program, and the most that are
shown."""
SIZES = Sizes(
    "a program of a formula", lambda N, P: P <= N, "every rank needs at least one element"
)


def formula_of(request: Request) -> Formula:
    """Return the formula that a request states."""
    assert request.formula is not None, "a record of requests that state one"
    return request.formula


def steps(request: Request, ends: Ends) -> tuple[Numbers, tuple[Step, ...]]:
    """Return the supersteps of the factors; raise ValueError where there are none, with ranks and
    layouts for which there are.
    """
    try:
        own = digit_formula.best(layers(request), *ends, request.exchange)
    except ValueError as error:
        if len(request.whole) > 1 or not (known := remedies(request)):
            raise
        raise ValueError(f"{error}; try {known}") from error
    steps = own.steps if request.kernels == NUMPY else _without_conjugates(own.steps)
    return Numbers(ELEMENT, *ends, first=own.first, last=own.named), steps


def remedies(request: Request) -> str:
    """Return numbers of ranks, the nearest ones, and layouts with which a formula of a vector can
    be a program; "" if none is found.

    >>> from derive.formula.grammar import kron
    >>> from derive.formula.transforms import F
    >>> remedies(Request(EXPRESSION, 12, 3, "block", "block", formula=kron(F(3), F(4))))
    '2 ranks with input = cyclic, output = cyclic, or 1 rank with input = block, output = block'
    """
    usual, found = (request.input, request.output), list[str]()
    sizes = sorted(divisors(request.N), key=lambda P: abs(P - request.P))[:MOST_TRIED]
    for P in dict.fromkeys((*sizes, 1)):
        for ends in dict.fromkeys((usual, ("block", "block"), ("cyclic", "cyclic"))):
            with suppress(ValueError):
                source, target = (ArrayLayout(name, (request.N,), (P,)) for name in ends)
                digit_formula.best(layers(replace(request, P=P)), source, target)
                layouts = f"{named('input', ends[0])}, {named('output', ends[1])}"
                found.append(f"{counted(P, 'rank')} with {layouts}")
                break
    return ", or ".join(found[:MOST_SHOWN])


def price(request: Request, ends: Ends, known: Price | None) -> Price | None:
    """Return the price of the factors."""
    return digit_formula.best(layers(request), *ends).price


def layers(request: Request) -> Formula:
    """Return the formula that is lowered: transforms that no rank can hold are in parts."""
    return split(prepared(formula_of(request)), request.M)


def _without_conjugates(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return supersteps for kernels that have F_d alone: conj(F_d) = (I_1 ⊕ J_(d-1)) F_d.

    >>> _without_conjugates([Transform(None, 1, 8, 2, is_conjugate=True)])[1]
    Part(copies=1, summed=(I_1 ⊕ J_7), c=2, factors=())
    """
    found = list[Step]()
    for step in steps:
        if isinstance(step, Transform) and step.is_conjugate:
            found.append(replace(step, is_conjugate=False))
            found.append(Part(step.copies, direct_sum(I(1), J(step.d - 1)), step.c))
        else:
            found.append(step)
    return tuple(found)


FORMULA = "formula"
"""The name of the equation of a program that is made from a formula of one's own; its source is the
formula.
"""


def lower(request: Request) -> Program:
    """Return the program of a factorization of one's own."""
    own = formula_of(request)
    numbers, steps = shapes.of_digits(request)
    left = shapes.left_side(request) if request.record.matrix else without_number(own)
    equation = Equation(FORMULA, str(own), left, prepared(layers(request)))
    if request.shape:
        return Program(request, equation, numbers.before, numbers.after, steps, numbers)
    ends = ends_of(request)
    return Program(request, equation, *ends, *at_ends(request, ends, steps, numbers))


def scale(request: Request) -> str:
    """Return the number by which the layers of a formula are multiplied."""
    number, a = number_of(formula_of(request))
    numbers = [f"{number.numerator} / {number.denominator}"] * (number.denominator > 1)
    numbers += [str(number)] * (number.denominator == 1 and number != 1)
    return " * ".join(numbers + [f"{a}**0.5"] * (a > 1)) or "1"


OF_OWN = replace(
    FFT,
    name=OF_FORMULA,
    reference="",
    sizes=lambda request: SIZES.exponents(request.N, request.P),
    exchanges=(*EXCHANGES, SHARED),
    options=(),
    is_bsp=False,
    rests_on=None,
    checks=lambda request, seed, tell: iter(()),
    arrays=replace(OF_ARRAYS, steps=steps, price=price),
    lower=lower,
    settle=lambda request: {},
    check=lambda request: None,
)
OF_EXPRESSION = replace(
    OF_OWN,
    name=EXPRESSION,
    matrix=None,
    title="Linear map",
    view="formula",
    kind=EXPRESSION,
    of_expressions=True,
    directed=False,
    of_axes=False,
    scale=scale,
    scales_first=lambda request: number_of(formula_of(request))[0] < 1,
    equations=lambda request: (),
)
