"""`rfft`: the Fourier transform of real elements, in pairs."""

from __future__ import annotations

from typing import Any

from codegen import shapes, unequal_parts
from codegen.program.digits.routes.route_search import Ends
from codegen.program.digits.transformed import Numbers
from codegen.program.protocol import PAIR, Step
from codegen.program.reals.untangle import OF_PAIRS as LAYOUTS
from codegen.program.reals.untangle import even, of_pairs, or_spectrum, real_lowered
from codegen.program.whole import of_arrays
from codegen.systems.exchanges import OF_TRADES
from codegen.systems.options import NUMBA, NUMPY, REAL
from codegen.systems.record import AXES, RESULT, SPECTRUM, OfArrays, Request, System
from derive.call_arguments import perhaps
from derive.digits.digit_layouts import working_sizes
from derive.formula.transforms import F
from derive.sizes import check_positive

OF_PAIRS = {
    "forward": {"backward": "1", "ortho": "N**-0.5", "forward": "1 / N"},
    "backward": {"backward": "2 / N", "ortho": "2 * N**-0.5", "forward": "2"},
}
"""The factor on compiled transforms of pairs of real elements, by the direction and the norm."""


def scale(request: Request) -> str:
    """Return the factor on the result: its transforms are of N/2, and back they give half of each
    element.
    """
    backward = not request.is_forward
    if request.backend.is_whole:
        return OF_PAIRS["backward" if backward else "forward"][request.norm]
    power = {"ortho": 0.5, "forward": 1.0}.get(request.norm, 0.0)
    return f"2**{power if backward else -power}" if power else "1"


def fill(request: Request) -> dict[str, Any]:
    """Return the shape and the grid of a transform of real elements: of one axis in pairs, of
    several axes, batches and `spectrum` as numpy has it.
    """
    N, P = request.N, request.P
    check_positive("size", *(request.shape or (N,)))
    check_positive("ranks", *(request.grid or (P,)))
    if len(request.shape) > 1 or request.batch or request.axes or request.result == SPECTRUM:
        return unequal_parts.fill(request)
    for name in (request.input, request.output):
        if name not in LAYOUTS:
            known = " and ".join(LAYOUTS)
            raise ValueError(
                f"rfft of one axis supports the layouts {known}; got {name}{perhaps(name, LAYOUTS)}"
                f"; take one of these, {or_spectrum()}"
            )
    even(N)
    if (pairs := N // 2) % P:
        raise ValueError(
            f"{P} ranks must divide the {pairs} pairs of {N} real elements;"
            f" {working_sizes(pairs, P, 2)}, {or_spectrum()}"
        )
    shapes.only(request)
    return {"shape": (N,), "grid": (P,)}


def steps(request: Request, ends: Ends) -> tuple[Numbers, tuple[Step, ...]]:
    """Return the supersteps on pairs of real elements."""
    found = real_lowered(*ends, not request.is_forward)
    before, after = map(of_pairs, ends)
    return Numbers(PAIR, before, after), found


RFFT = System(
    "rfft",
    reference="Cooley, Lewis & Welch, The fast Fourier transform algorithm: programming"
    " considerations in the calculation of sine, cosine and Laplace transforms (1970), for the"
    " half spectrum.",
    matrix=F,
    kind="rfft",
    kernels=(NUMPY, NUMBA),
    dtypes=REAL,
    sizes=lambda request: None,
    options=(AXES, RESULT),
    results=(SPECTRUM,),
    called=(RESULT.name,),
    of_axes=True,
    has_unequal=True,
    arrays=OfArrays("real input", OF_TRADES, fill, steps, shapes.complex_price, tuple(LAYOUTS)),
    of_vectors=(),
    real=True,
    lower=of_arrays,
    view="real",
    scale=scale,
    equations=lambda request: (),
    two_ways=True,
    bounded=False,
)
