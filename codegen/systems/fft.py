"""`fft`: the discrete Fourier transform y = F_N x, group-cyclic (Inda & Bisseling 2000)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen import shapes, unequal_parts
from codegen.program.affine_steps import steps_of
from codegen.program.digits.digit_factors import of_vector as with_factors
from codegen.program.digits.lower import lowered
from codegen.program.digits.transformed import Numbers
from codegen.program.digits.ways import Way, blocks
from codegen.program.factors import twiddles_of
from codegen.program.moves import at_ends
from codegen.program.protocol import ELEMENT, Step
from codegen.program.stages.butterflies import Across
from codegen.program.stages.overlaps import last_stages_apart, overlapped
from codegen.program.supersteps import Program
from codegen.program.whole import between, ends_of, of_arrays
from codegen.systems.exchanges import EXCHANGES, OF_TRADES, OVERLAPPED, SHARED
from codegen.systems.options import BUTTERFLY_KERNELS, COMPLEX, KERNELS, NUMBA, NUMPY, PLANNED
from codegen.systems.record import (
    AXES,
    OTHER_SIZES,
    OfArrays,
    Option,
    Progress,
    Request,
    Stated,
    System,
)
from derive.call_arguments import listed
from derive.digits.digit_layouts import NAMES
from derive.digits.part_layouts import BALANCED
from derive.formula.grammar import Equation, factors_of, product
from derive.formula.transforms import F
from derive.papers import bsp, bsp_phases, bsp_variants
from derive.papers.bsp_phases import SIZES
from derive.papers.statements.statement_tables import at_sizes

PHASES = Option(
    "phases",
    "D,D,..",
    "Sizes of the phases of fft: 4,8,2^5 with product N, or 8,8x6,8 for axes. Or a rule: leftmost"
    " (N/P, N/P, .., and the remainder; the default), paired (few phases with an odd number of"
    " stages), balanced (almost equal sizes; all three in Inda and Bisseling, section 4.2),"
    " reproducible (the same bits for every P).",
    bsp_variants.NAMED,
    only=False,
)
LOCAL = Option(
    "local",
    "FORM",
    "How a rank computes a phase of fft: library (a diagonal, then a library FFT; default),"
    " butterflies (the paper's generalized butterflies, two stages at a time), cache-friendly,"
    " cache-friendly:V (butterflies on V parts that fit the cache).",
    (*bsp_variants.LOCALS, f"{bsp_variants.CACHE_FRIENDLY}:V"),
    only=False,
)


def check_sizes(request: Request) -> None:
    """Raise ValueError where N and P are no powers of two with P < N, with what else works."""
    try:
        SIZES.exponents(request.N, request.P)
    except ValueError as error:
        raise ValueError(f"{error}{unequal_parts.remedy(request)}") from error


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


def ends_between_two(request: Request) -> bool:
    """Return whether an FFT has a form with F_2 between its two ranks at its end: one exchange of
    all in place of two of one half.

    Kernels put its results together from what both ranks have, half of them each, and nothing is
    moved after that: the output is in blocks.

    >>> from codegen.requests import make_request
    >>> request = make_request("fft", 2**10, 2, kernels="numba")
    >>> ends_between_two(request), [type(step).__name__ for step in lower(request).steps]
    (True, ['Trade', 'Transform', 'Across'])
    """
    usual = request.formula is None and not (request.phases or request.local or request.shape)
    home = (request.system, request.P, request.output) == (FFT.name, 2, "block")
    return usual and home and not (request.way.ahead or request.way.of_all)


def lower(request: Request) -> Program:
    """Return the program of the group-cyclic FFT, large local transforms in two steps for numpy;
    other kernels keep to the caches by themselves. That of arrays is by digits.

    >>> from codegen.requests import make_request
    >>> alone = make_request("fft", 2**14, 1, kernels="numba")
    >>> [str(step.factors[0]) for step in lower(alone).steps]
    ['F_16384']
    """
    if request.shape:
        return of_arrays(request)
    if request.way.ahead:
        return _overlapped_fourier(request)
    if request.local:
        return between(
            request, bsp_variants.emitted(request.N, request.P, request.phases, request.local)
        )
    return of_vector(request)


def of_vector(request: Request) -> Program:
    """Return the program of a vector of 2^n elements by digits."""
    if request.backend.is_whole and ends_between_two(request):
        return _between_two(request)
    ends = ends_of(request)
    numbers, steps = shapes.of_digits(request)
    equation = bsp_variants.in_time([one.d for each in steps for one in each.transforms_of_ranks])
    right, steps, numbers = with_factors(steps, equation.right, numbers)
    if right != equation.right:
        equation = replace(bsp.group_cyclic(request.N, request.P), right=right)
    return Program(request, equation, *ends, *at_ends(request, ends, steps, numbers))


def _between_two(request: Request) -> Program:
    """Return the program that ends with F_2 between its two ranks: before it, F_M of each."""
    N, M, ends = request.N, request.M, ends_of(request)
    before, after = shapes.layouts(request)
    cyclic = replace(before, name="cyclic")
    steps, equation = list[Step](), at_sizes("cooley-tukey", r=2, s=M)
    for step in lowered(before, cyclic, ((M, 2),)) if M > 1 else ():
        steps.append(step)
        if step.transforms_of_ranks:
            break
    whole = factors_of(equation.right)
    way = Way(*blocks(N, 2)).twisted(twiddles_of(whole[1]) or (), whole[1])
    across = Across(M, way.diagonal, 0, whole[:2])
    _, done, numbers = with_factors(steps, product(whole[2:]), Numbers(ELEMENT, before, after))
    return Program(request, equation, *ends, *at_ends(request, ends, (*done, across), numbers))


def _overlapped_fourier(request: Request) -> Program:
    """Return the form of the transform that overlaps most exchanges, the plainest of these.

    With as many virtual processors as messages the first phase comes in blocks, and a last stage of
    its own lets later phases come in halves.
    """
    before, after = ends_of(request)
    v, most = bsp_phases.virtual_processors(request.M), min(request.P, request.M // 2)
    programs = []
    for equation in [
        bsp.group_cyclic(request.N, request.P, w) for w in dict.fromkeys((v, max(v, most)))
    ]:
        for right in (equation.right, last_stages_apart(equation.right, request.P)):
            steps = overlapped(steps_of(right, before, after))
            form = replace(equation, right=right, original=())
            programs.append(Program(request, form, before, after, steps))
    best = max(programs, key=_overlaps)
    if request.kernels != KERNELS[0] and _overlaps(best):
        raise ValueError(
            f"exchange overlapped with {request.kernels} kernels: what is computed in parts is"
            f" written for {KERNELS[0]}"
        )
    return best


def _overlaps(program: Program) -> int:
    return sum(step.computes_first for step in program.steps)


OF_ARRAYS = OfArrays(
    OTHER_SIZES,
    (*OF_TRADES, SHARED),
    unequal_parts.filled,
    shapes.complex_steps,
    shapes.complex_price,
    (*NAMES, BALANCED),
)
FFT = System(
    "fft",
    reference="Inda & Bisseling, A simple and efficient parallel FFT algorithm using the BSP model,"
    " Utrecht preprint 1138 (2000), equation (2.8).",
    matrix=F,
    kernels=(NUMPY, NUMBA, *PLANNED),
    dtypes=COMPLEX,
    sizes=check_sizes,
    exchanges=(*EXCHANGES, OVERLAPPED, SHARED),
    options=(PHASES, LOCAL, AXES),
    equations=lambda request: bsp.equations(request.N, request.P),
    rests_on=rests_on,
    checks=checks,
    lower=lower,
    settle=settle,
    check=check,
    arrays=OF_ARRAYS,
    of_axes=True,
    has_unequal=True,
    compiles=True,
    of_factorizations=True,
    in_symbols=True,
    is_bsp=True,
)
