"""`hypercube-fft`: the Fourier transform by exchanges between neighbours of a hypercube (Aykanat &
Dervis).
"""

from __future__ import annotations

from codegen.cost.counted import count
from codegen.program.affine_steps import steps_of
from codegen.program.protocol import Step
from codegen.program.stages.overlaps import overlapped
from codegen.program.supersteps import Program
from codegen.program.whole import ends_of
from codegen.systems.options import COMPLEX, NUMBA, NUMPY
from codegen.systems.record import Option, Request, System
from derive.formula.transforms import F
from derive.papers import hypercube

USUAL = "3"
SCHEME = Option(
    "scheme",
    "K",
    f"Program of hypercube-fft: {', '.join(hypercube.PROGRAMS)}; the default is {USUAL}.",
    hypercube.PROGRAMS,
)


def lower(request: Request) -> Program:
    """Return the program in decimation in time or in frequency, whichever sends less from this
    input to this output; in time if both send alike.

    The exchange is for the changes of layout at both ends. Within, neighbours exchange messages as
    the scheme says.
    """
    before, after = ends_of(request)
    programs = []
    for form in hypercube.FORMS:
        equation = hypercube.prog(request.scheme, request.N, request.P, form)
        steps = steps_of(equation.right, before, after, request.exchange, request.scheme == "2")
        if request.scheme in hypercube.OVERLAPPED:
            steps = _within(steps)
        programs.append(Program(request, equation, before, after, steps))
    return min(programs, key=_sends)


def _within(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps overlapped, but for a change of layout at the end."""
    if steps and steps[-1].is_move:
        return (*overlapped(steps[:-1]), steps[-1])
    return overlapped(steps)


def _sends(program: Program) -> tuple[int, int, int]:
    cost = count(program)
    return cost.exchanges, cost.words, cost.messages


HYPERCUBE_FFT = System(
    "hypercube-fft",
    reference="Aykanat & Dervis, Progs. 2 to 5.",
    matrix=F,
    kernels=(NUMPY, NUMBA),
    dtypes=COMPLEX,
    sizes=lambda request: hypercube.exponents(request.N, request.P, request.scheme),
    options=(SCHEME,),
    equations=lambda request: hypercube.equations(request.N, request.P, request.scheme),
    rests_on=lambda request: tuple(hypercube.equations(request.N, request.P, request.scheme)),
    lower=lower,
    fill=lambda request: {"scheme": USUAL},
    compiles=True,
    is_on_hypercube=True,
)
