"""`fft`: the discrete Fourier transform y = F_N x, group-cyclic (Inda & Bisseling 2000)."""

from __future__ import annotations

from collections.abc import Iterator

from codegen import shapes
from codegen.systems.exchanges import EXCHANGES, OVERLAPPED, SHARED
from codegen.systems.options import BUTTERFLY_KERNELS, COMPLEX, NUMBA, NUMPY, PYFFTW
from codegen.systems.record import OfArrays, Option, Progress, Request, Stated, System, listed
from derive.formula.grammar import Equation
from derive.formula.transforms import F
from derive.papers import bsp, bsp_phases, bsp_variants
from derive.papers.bsp_phases import SIZES

PHASES = Option(
    "phases",
    "D,D,..",
    "Sizes of the phases of fft: 4,8,2^5 with product N, or 8,8x6,8 for axes. Or a rule: leftmost"
    " (N/P, N/P, .., and the remainder; the default), paired (few phases with an odd number of"
    " stages), balanced (almost equal sizes; all three in Inda and Bisseling, section 4.2),"
    " reproducible (the same bits for every P).",
    bsp_variants.NAMED,
)
LOCAL = Option(
    "local",
    "FORM",
    "How a rank computes a phase of fft: library (a diagonal, then a library FFT; default),"
    " butterflies (the paper's generalized butterflies, two stages at a time), cache-friendly,"
    " cache-friendly:V (butterflies on V parts that fit the cache).",
    (*bsp_variants.LOCALS, f"{bsp_variants.CACHE_FRIENDLY}:V"),
)


def settle(request: Request) -> dict[str, str]:
    """Return the sizes of the phases and the form of one in their shortest form, by bits."""
    if request.shape:
        return {}
    sizes = request.N, request.P
    phases, local = bsp_variants.normal(*sizes, request.phases, request.local)
    return {"phases": phases, "local": local}


def check(request: Request) -> None:
    """Raise ValueError where phases are chosen for an exchange that is overlapped, and for kernels
    that do not have the chosen form.
    """
    stated = [(name, getattr(request, name)) for name in ("phases", "local")]
    chosen = [each for each in stated if each[1]]
    if request.way.ahead and chosen:
        raise ValueError(
            f"exchange {request.exchange} cannot be combined with {listed(chosen)}; leave them out"
        )
    if request.local and not request.backend.has_butterflies:
        raise ValueError(
            f"local {request.local} needs the kernels {' or '.join(BUTTERFLY_KERNELS)}; got"
            f" {request.kernels}"
        )
    if request.phases == bsp_variants.REPRODUCIBLE and request.backend.is_whole:
        bsp_variants.need(request.M, 16)  # of fewer, a whole stage is multiplied by 1: zeros' signs


def rests_on(request: Request) -> tuple[Equation, ...]:
    """Return the equations of the phases that are chosen."""
    return bsp_variants.equations(request.N, request.P, request.phases, request.local)


def checks(request: Request, seed: int, tell: Progress) -> Iterator[Stated]:
    """Yield the statements of Appendix A, where the equations of the paper are checked."""
    if not request.shape and len(rests_on(request)) > 1:
        yield from bsp_phases.appendix_a(request.N, request.P)


OF_ARRAYS = OfArrays(
    "sizes other than powers of two, several axes or a batch",
    ("alltoall", "pairwise", "nonblocking", SHARED),
    (NUMPY, NUMBA, PYFFTW),
    shapes.filled,
    shapes.complex_steps,
    shapes.complex_price,
)
FFT = System(
    "fft",
    matrix=F,
    kernels=(NUMPY, NUMBA, PYFFTW),
    dtypes=COMPLEX,
    sizes=lambda request: SIZES.exponents(request.N, request.P),
    exchanges=(*EXCHANGES, OVERLAPPED, SHARED),
    options=(PHASES, LOCAL),
    equations=lambda request: bsp.equations(request.N, request.P),
    rests_on=rests_on,
    checks=checks,
    settle=settle,
    check=check,
    arrays=OF_ARRAYS,
    of_axes=True,
    compiles=True,
)
