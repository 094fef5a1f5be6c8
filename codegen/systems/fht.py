"""`fht`: the Hartley transform y = H_N x (Lin, Chan & Karplus 1988)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen import shapes
from codegen.program.digits.routes.search import Ends
from codegen.program.digits.transformed import Numbers
from codegen.program.hartley import ALGORITHMS, RESULTS, Hartley
from codegen.program.protocol import Step
from codegen.program.reals import reflect
from codegen.systems.exchanges import EXCHANGES, OVERLAPPED
from codegen.systems.options import DIRECTIONS, NORMS, NUMBA, NUMPY, REAL
from codegen.systems.record import (
    OfArrays,
    Option,
    Progress,
    Request,
    Stated,
    System,
    listed,
    one_of,
)
from derive.arguments import named
from derive.formula.transforms import H
from derive.papers import hartley, hartley_check
from derive.papers.hartley_layouts import HalfSpectrum

HARTLEY = "hartley"
"""The layout in which the transform leaves its results; it takes it as input, too, and has it as
output if none is named.
"""
SUCH = "sizes other than powers of two, several axes or a batch"
INPUT_LAYOUT = "hartley-input"
ALGORITHM = Option(
    "algorithm",
    "A",
    f"Algorithm of fht: {', '.join(ALGORITHMS)}; the default is {ALGORITHMS[0]}.",
    ALGORITHMS,
)
RESULT = Option(
    "result",
    "R",
    f"What fht returns: {', '.join(RESULTS)} (half spectrum, or its squares).",
    RESULTS,
)
CONVOLVE = Option("convolve", "", "Also write a function convolve(x, y, plan) (fht).")


def transform_of(request: Request) -> Hartley:
    """Return the Hartley transform of a program; raise ValueError for sizes that it does not take.

    >>> transform_of(Request("fht", 64, 4, "hartley", algorithm="hypercube")).back
    True
    """
    ahead = request.way.ahead and request.P > 1
    back = request.input == HARTLEY
    return Hartley(request.N, request.P, request.algorithm, back, ahead)


def fill(request: Request) -> dict[str, str]:
    """Return the algorithm and the layout of the result by bits, where they are not stated."""
    if not request.is_of_bits:
        return {}
    of_dft = request.result == "dft" and request.input != HARTLEY
    own = INPUT_LAYOUT if request.input == HARTLEY else HARTLEY
    return {"algorithm": ALGORITHMS[0], "output": HalfSpectrum.name if of_dft else own}


def fill_arrays(request: Request) -> dict[str, Any]:
    """Return the shape and the grid; raise ValueError where transforms of arrays have an
    algorithm.
    """
    if request.algorithm and not request.is_by_bits:
        raise ValueError(
            f"fht supports no algorithm for {SUCH}; got {request.algorithm}; leave it out"
        )
    return shapes.filled(request)


def steps(request: Request, ends: Ends) -> tuple[Numbers, tuple[Step, ...]]:
    """Return the supersteps of arrays."""
    way = reflect.best(*ends)
    return way.numbers, way.steps


def checks(request: Request, seed: int, tell: Progress) -> Iterator[Stated]:
    """Yield the statements about the transform by bits."""
    if request.is_by_bits:
        yield from hartley_check.checks(request.N, request.P, seed, lambda done: tell(done / 2))


def settle(request: Request) -> dict[str, str]:
    """Return the layout of a half spectrum, which has the name of the Hartley transform's."""
    of_dft = (request.result, request.output) == ("dft", HARTLEY)
    return {"output": HalfSpectrum.name} if of_dft else {}


def check(request: Request) -> None:
    """Raise ValueError where what is asked for beside the transform does not go with it."""
    if not request.is_of_bits:
        return
    one_of(RESULT, request.result)
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


FHT = System(
    "fht",
    matrix=H,
    kernels=(NUMPY, NUMBA),
    dtypes=REAL,
    sizes=transform_of,
    exchanges=(*EXCHANGES, OVERLAPPED),
    options=(ALGORITHM, RESULT, CONVOLVE),
    layouts=(HARTLEY, INPUT_LAYOUT),
    equations=lambda request: hartley.equations(request.N),
    rests_on=lambda request: (),
    checks=checks,
    fill=fill,
    settle=settle,
    check=check,
    arrays=OfArrays(
        SUCH,
        ("alltoall", "pairwise", "nonblocking"),
        (NUMPY, NUMBA),
        fill_arrays,
        steps,
        lambda request, ends, shape, known: reflect.price(*ends, known),
    ),
    of_axes=True,
    real=True,
)
