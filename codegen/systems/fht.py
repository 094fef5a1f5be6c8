"""`fht`: the Hartley transform y = H_N x (Lin, Chan & Karplus 1988)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen import shapes
from codegen.program.affine_steps import steps_of
from codegen.program.digits.routes.route_search import Ends
from codegen.program.digits.transformed import Numbers
from codegen.program.digits.ways import planned
from codegen.program.hartley_program import ALGORITHMS, RESULTS, Hartley
from codegen.program.hartley_steps import AcrossRanks, HalfSpectra, Unpaired
from codegen.program.protocol import Step
from codegen.program.reals import reflect
from codegen.program.supersteps import Program
from codegen.program.whole import of_arrays
from codegen.systems.exchanges import ALL_TO_ALL, EXCHANGES, OF_TRADES, OVERLAPPED
from codegen.systems.options import DIRECTIONS, NORMS, NUMBA, NUMPY, REAL
from codegen.systems.record import (
    OTHER_SIZES,
    RESULT,
    OfArrays,
    Option,
    Progress,
    Request,
    Stated,
    System,
)
from derive.call_arguments import listed, named
from derive.digits.radices import identity, stride
from derive.formula.affine_layouts import AFFINE_LAYOUTS, Layout, cyclic
from derive.formula.affine_layouts import named as layout_named
from derive.formula.grammar import Formula, I
from derive.formula.permutation_matrices import R
from derive.formula.transforms import H
from derive.papers import hartley, hartley_check
from derive.papers.hartley_layouts import HalfSpectrum, input_layout, placement

HARTLEY = "hartley"
"""The layout in which the transform leaves its results; it takes it as input, too, and has it as
output if none is named.
"""
INPUT_LAYOUT = "hartley-input"
ALGORITHM = Option(
    "algorithm",
    "A",
    f"Algorithm of fht: {', '.join(ALGORITHMS)}; the default is {ALGORITHMS[0]}.",
    ALGORITHMS,
)
CONVOLVE = Option(
    "convolve", "", "Also write a function convolve(x, y, plan) (fht).", of_calls=False
)


def transform_of(request: Request) -> Hartley:
    """Return the Hartley transform of a program; raise ValueError for sizes that it does not take.

    >>> transform_of(Request("fht", 64, 4, "hartley", algorithm="hypercube")).back
    True
    """
    ahead = request.way.ahead and request.P > 1
    back = request.input == HARTLEY
    return Hartley(request.N, request.P, request.algorithm, back, ahead)


def fill(request: Request) -> dict[str, str]:
    """Return what is returned, and by bits the algorithm and the layout of the result, where they
    are not stated.
    """
    if not request.is_by_bits:
        return {"result": RESULTS[0]}
    of_dft = request.result == "dft" and request.input != HARTLEY
    own = INPUT_LAYOUT if request.input == HARTLEY else HARTLEY
    output = HalfSpectrum.name if of_dft else own
    return {"result": RESULTS[0], "algorithm": ALGORITHMS[0], "output": output}


def steps(request: Request, ends: Ends) -> tuple[Numbers, tuple[Step, ...]]:
    """Return the supersteps of arrays."""
    way = reflect.best(*ends)
    return way.numbers, way.steps


def checks(request: Request, seed: int, tell: Progress) -> Iterator[Stated]:
    """Yield the statements about the transform by bits."""
    if not request.shape:
        yield from hartley_check.checks(request.N, request.P, seed, lambda done: tell(done / 2))


def settle(request: Request) -> dict[str, str]:
    """Return the layout of a half spectrum, which has the name of the Hartley transform's."""
    of_dft = (request.result, request.output) == ("dft", HARTLEY)
    return {"output": HalfSpectrum.name} if of_dft else {}


def check(request: Request) -> None:
    """Raise ValueError where what is asked for beside the transform does not go with it."""
    if request.shape:
        return
    wanted = HalfSpectrum.name if request.result == "dft" else HARTLEY
    ends = request.direction, request.output
    if request.result != RESULTS[0] and ends != (DIRECTIONS[0], wanted):
        raise ValueError(
            f"result {request.result} with direction {request.direction}, output {request.output}:"
            f" it is made forward, in the output layout {HARTLEY}"
        )
    needs = {
        "algorithm": ALGORITHMS[0],
        "direction": DIRECTIONS[0],
        "norm": NORMS[0],
        "result": RESULTS[0],
        "output": HARTLEY,
    }
    given = {name: getattr(request, name) for name in needs}
    if request.convolve and given != needs:
        wrong = listed((name, given[name]) for name in needs if given[name] != needs[name])
        raise ValueError(
            f"{named('convolve')} with {wrong}: it goes forward by algorithm hypercube to the"
            f" output layout {HARTLEY}, and back"
        )


def lower(request: Request) -> Program:
    """Return the program from an affine input to the Hartley layout or from there to an affine
    output; or between two affine ones.

    Where the exchange is overlapped, that is the one of the transform; at both ends nothing is
    computed that a message could wait for.
    """
    if request.shape:
        return of_arrays(request)
    exchange = ALL_TO_ALL if request.way.ahead else request.exchange
    core = transform_of(request)
    steps, own = transform_steps(core), (R(request.N),) * core.reverses
    if not core.back:
        steps = (*_moved(own, _affine(request, request.input), core.own, exchange), *steps)
    if core.back or request.output != (HalfSpectrum.name if request.result == "dft" else HARTLEY):
        steps += () if core.back else (Unpaired(request.N, request.P),)
        here = core.own if core.back else cyclic(request.N, request.P)
        last = own if core.back else ()
        steps += _moved(last, here, _affine(request, request.output), exchange)
    before, after = (
        placement(name, request.N, request.P) for name in (request.input, request.output)
    )
    equation = hartley.factorization(request.N, core.back)
    return Program(request, equation, before, after, steps)


def transform_steps(core: Hartley) -> tuple[Step, ...]:
    """Return the supersteps of a Hartley transform, the one all-to-all of `group-cyclic` as a move.

    >>> [type(step).__name__ for step in transform_steps(Hartley(64, 2, "group-cyclic"))]
    ['HalfSpectra', 'Trade', 'AcrossRanks']
    """
    N, P = core.N, core.P
    if core.algorithm == "hypercube" or P == 1:
        return core.by_stages
    ranks = stride(P * P, P).beside(identity(N // P**2))
    return HalfSpectra(N, P), planned(ranks, P), AcrossRanks(N, P)


def _affine(request: Request, name: str) -> Layout:
    """Return the affine layout of this name, which may be that of the Hartley transform on the
    hypercube.
    """
    own = input_layout(request.N, request.P)
    return own if name == own.name else layout_named(name, request.N, request.P)


def _moved(
    factors: tuple[Formula, ...], source: Layout, target: Layout, exchange: str
) -> tuple[Step, ...]:
    """Return the move between two layouts, if elements move, which has these factors."""
    steps = steps_of(I(source.N), source, target, exchange)
    return tuple(replace(step, factors=factors) for step in steps)  # type: ignore[type-var]  # a move


FHT = System(
    "fht",
    matrix=H,
    kind="",
    kernels=(NUMPY, NUMBA),
    dtypes=REAL,
    sizes=transform_of,
    exchanges=(*EXCHANGES, OVERLAPPED),
    options=(ALGORITHM, RESULT, CONVOLVE),
    of_vectors=(*AFFINE_LAYOUTS, HARTLEY, INPUT_LAYOUT, HalfSpectrum.name),
    equations=lambda request: hartley.equations(request.N),
    rests_on=lambda request: (),
    checks=checks,
    lower=lower,
    fill=fill,
    view="hartley",
    settle=settle,
    check=check,
    arrays=OfArrays(
        OTHER_SIZES,
        OF_TRADES,
        shapes.filled,
        steps,
        lambda request, ends, known: reflect.price(*ends, known),
    ),
    of_axes=True,
    results=RESULTS,
    real=True,
    scales_first=lambda request: bool(request.shape),
    shows=("graph", "tables"),
)
