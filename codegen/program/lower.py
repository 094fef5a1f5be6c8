"""From a request to its program: the equation, the two layouts, and the supersteps between them."""

from __future__ import annotations

from dataclasses import replace

from codegen import shapes
from codegen.cost.counted import count
from codegen.program.digits.factors import of_vector, right_side, with_factors
from codegen.program.digits.lower import lowered
from codegen.program.digits.move_plans import planned
from codegen.program.digits.transformed import Numbers
from codegen.program.factors import diagonal_of, twiddle_of
from codegen.program.hartley import Hartley
from codegen.program.hartley_steps import AcrossRanks, HalfSpectra, Unpaired
from codegen.program.moves import at_ends, plan
from codegen.program.prepare import prepared
from codegen.program.protocol import ELEMENT, REAL, Step
from codegen.program.stages.butterflies import Across
from codegen.program.stages.overlaps import last_stages_apart, overlapped
from codegen.program.steps import steps_of
from codegen.program.supersteps import Program
from codegen.requests import complete
from codegen.systems.exchanges import ALL_TO_ALL
from codegen.systems.fht import HARTLEY
from codegen.systems.options import KERNELS
from codegen.systems.record import Request
from derive.digits.factorization import along_axes, of_pairs
from derive.digits.named import strides
from derive.digits.radices import identity, stride
from derive.formula.grammar import Equation, Formula, I, factors_of, product
from derive.formula.layout import Layout, cyclic, named
from derive.formula.transforms import F, H, T
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.gf2.elimination import by_integers
from derive.papers import bsp, bsp_phases, bsp_variants, hartley, hypercube
from derive.papers.hartley_layouts import HalfSpectrum, input_layout, placement
from derive.papers.statements.statement_tables import at_sizes

FORMULA = "formula"
"""The name of the equation of a program that is made from a formula of one's own; its source is the
formula.
"""
OVERLAPPED_SCHEMES = ("4", "5", "5r")
"""The schemes of a hypercube FFT that overlap."""


def lower(spec: Request) -> Program:
    """Return the program that a request asks for, in the form that its kernels do.

    Raises ValueError for a layout that there is not, naming the first factor of a formula of one's
    own that cannot be lowered, where a computation in parts has no such kernels, and where nodes
    have no messages that go together.

    >>> cyclic = Request("fft", 1024, 4, "cyclic", "cyclic")
    >>> [type(step).__name__ for step in lower(cyclic).steps]
    ['Transform', 'Trade', 'Transform']
    """
    program = _lowered(complete(spec))
    if spec.way.of_all:
        _demand_messages_for_all(program)
    return program


def _demand_messages_for_all(program: Program) -> None:
    """Raise ValueError unless there are exchanges, and each has a message from every rank to every
    rank.
    """
    way, some = program.spec.exchange, not all(exchange.is_whole for exchange in program.exchanges)
    if some or not program.exchanges:
        has = "where a rank has messages for some ranks only" if some else "without an exchange"
        raise ValueError(
            f"exchange {way}, {program.M} elements a rank, P = {program.P}: it is for"
            " programs in whose exchanges every rank has a message for every rank, as an fft with"
            f" P^2 <= N has, and this is one {has}; take auto or alltoall"
        )


def _lowered(spec: Request) -> Program:
    """Return the program that a request asks for."""
    if spec.formula is not None:
        return _of_formula(spec, spec.formula)
    if spec.shape:
        return _by_digits(spec)
    systems = {
        "fft": _fourier,
        "permute": _permutation,
        "hypercube-fft": _hypercube,
        "fht": _hartley,
    }
    return systems[spec.system](spec)


def _of_formula(spec: Request, formula: Formula) -> Program:
    """Return the program of a factorization of one's own."""
    numbers, steps = shapes.of_digits(spec)
    equation = Equation(FORMULA, str(formula), shapes.left_side(spec), prepared(formula))
    if spec.shape:
        return Program(spec, equation, numbers.before, numbers.after, steps, numbers)
    ends = _layouts(spec)
    return Program(spec, equation, *ends, *at_ends(spec, ends, steps, numbers))


def ends_between_two(spec: Request) -> bool:
    """Return whether an FFT has a form with F_2 between its two ranks at its end: one exchange of
    all in place of two of one half.

    Kernels put its results together from what both ranks have, half of them each, and nothing is
    moved after that: the output is in blocks.

    >>> spec = complete(Request("fft", 2**10, 2, kernels="numba"))
    >>> ends_between_two(spec), [type(step).__name__ for step in lower(spec).steps]
    (True, ['Trade', 'Transform', 'Across'])
    """
    usual = spec.formula is None and not (spec.phases or spec.local or spec.shape)
    home = (spec.system, spec.P, spec.output) == ("fft", 2, "block")
    return usual and home and not (spec.way.ahead or spec.way.of_all)


def _layouts(spec: Request) -> tuple[Layout, Layout]:
    return named(spec.input, spec.N, spec.P), named(spec.output, spec.N, spec.P)


def _between(spec: Request, equation: Equation) -> Program:
    """Return the program of an equation between the layouts that are asked for."""
    before, after = _layouts(spec)
    steps = steps_of(equation.right, before, after, spec.exchange)
    return Program(spec, equation, before, after, steps)


def _by_digits(spec: Request) -> Program:
    """Return the program of a transform of any size, of several axes, of a batch, or of real input;
    Hartley transforms of arrays have an equation of the complex ones that they are done as, if they
    are not done on real elements throughout.

    >>> print(lower(Request("fft", 1000, 2, "cyclic", "cyclic")).equation)
    F_1000 = L^1000_500 (I_2 ⊗ F_2 ⊗ I_250) L^1000_2 T^1000_500 (I_2 ⊗ F_500) L^1000_2
    """
    numbers, steps = shapes.of_digits(spec)
    given, wanted, is_real = numbers.before, numbers.after, numbers.unit == REAL
    steps = with_factors(steps, given.N)
    numbers = replace(numbers, first=strides(given.address), last=strides(wanted.back))
    computed = [step for step in steps if is_real or step.unit != REAL]
    right = right_side(computed, given, wanted)
    if spec.system == "rfft":
        equation = of_pairs(right, spec.direction == "backward")
    else:
        equation = along_axes(given.shape, right, given.still, H if is_real else F)
    return Program(spec, equation, *shapes.layouts(spec), steps, numbers)


def _permutation(spec: Request) -> Program:
    """Return the program of A = V W for data in block distribution; the layouts change what is
    factored in the end, not what it does.
    """
    assert spec.permutation is not None, "permute has a permutation"
    factored = bmmc.factor(spec.permutation.address, spec.p, by_integers)
    equation, (before, after) = bmmc.equation(factored, spec.permutation.name), _layouts(spec)
    address = after.address @ factored.permutation @ before.address.inverse()
    moved = address != Affine.identity(spec.n)
    step = replace(plan(address, spec.p, spec.exchange), factors=factors_of(equation.right))
    return Program(spec, equation, before, after, (step,) * moved)


def _fourier(spec: Request) -> Program:
    """Return the program of the group-cyclic FFT, large local transforms in two steps for numpy;
    other kernels keep to the caches by themselves.

    >>> alone = Request("fft", 2**14, 1, kernels="pyfftw")
    >>> [str(step.factors[0]) for step in lower(alone).steps]
    ['F_16384']
    """
    if spec.way.ahead:
        return _overlapped_fourier(spec)
    if spec.local:
        return _between(spec, bsp_variants.emitted(spec.N, spec.P, spec.phases, spec.local))
    return _of_vector(spec)


def _of_vector(spec: Request) -> Program:
    """Return the program of a vector of 2^n elements by digits."""
    if spec.backend.is_whole and ends_between_two(spec):
        return _between_two(spec)
    ends = _layouts(spec)
    numbers, steps = shapes.of_digits(spec)
    equation = bsp_variants.in_time([one.d for each in steps for one in each.transforms_of_ranks])
    right, steps, numbers = of_vector(steps, equation.right, numbers)
    if right != equation.right:
        equation = replace(bsp.group_cyclic(spec.N, spec.P), right=right)
    return Program(spec, equation, *ends, *at_ends(spec, ends, steps, numbers))


def _between_two(spec: Request) -> Program:
    """Return the program that ends with F_2 between its two ranks: before it, F_M of each."""
    N, M, ends = spec.N, spec.M, _layouts(spec)
    before, after = shapes.layouts(spec)
    cyclic = replace(before, name="cyclic")
    steps, equation = list[Step](), at_sizes("cooley-tukey", r=2, s=M)
    for step in lowered(before, cyclic, ((M, 2),)) if M > 1 else ():
        steps.append(step)
        if step.transforms_of_ranks:
            break
    whole = factors_of(equation.right)
    across = Across(M, diagonal_of(twiddle_of(T(N, M))), 0, whole[:2])
    _, done, numbers = of_vector(steps, product(whole[2:]), Numbers(ELEMENT, before, after))
    return Program(spec, equation, *ends, *at_ends(spec, ends, (*done, across), numbers))


def _overlapped_fourier(spec: Request) -> Program:
    """Return the form of the transform that overlaps most exchanges, the plainest of these.

    With as many virtual processors as messages the first phase comes in blocks, and a last stage of
    its own lets later phases come in halves.
    """
    before, after = _layouts(spec)
    v, most = bsp_phases.virtual_processors(spec.M), min(spec.P, spec.M // 2)
    programs = []
    for equation in [bsp.group_cyclic(spec.N, spec.P, w) for w in dict.fromkeys((v, max(v, most)))]:
        for right in (equation.right, last_stages_apart(equation.right, spec.P)):
            steps = overlapped(steps_of(right, before, after))
            form = replace(equation, right=right, original=())
            programs.append(Program(spec, form, before, after, steps))
    best = max(programs, key=_overlaps)
    if spec.kernels != KERNELS[0] and _overlaps(best):
        raise ValueError(
            f"exchange overlapped with {spec.kernels} kernels: what is computed in parts is written"
            f" for {KERNELS[0]}"
        )
    return best


def _overlaps(program: Program) -> int:
    return sum(step.computes_first for step in program.steps)


def _hypercube(spec: Request) -> Program:
    """Return the program in decimation in time or in frequency, whichever sends less from this
    input to this output; in time if both send alike.

    The exchange is for the changes of layout at both ends. Within, neighbours exchange messages as
    the scheme says.
    """
    before, after = _layouts(spec)
    programs = []
    for form in hypercube.FORMS:
        equation = hypercube.prog(spec.scheme, spec.N, spec.P, form)
        steps = steps_of(equation.right, before, after, spec.exchange, spec.scheme == "2")
        if spec.scheme in OVERLAPPED_SCHEMES:
            steps = _within(steps)
        programs.append(Program(spec, equation, before, after, steps))
    return min(programs, key=_sends)


def _within(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps overlapped, but for a change of layout at the end."""
    if steps and steps[-1].is_move:
        return (*overlapped(steps[:-1]), steps[-1])
    return overlapped(steps)


def _sends(program: Program) -> tuple[int, int, int]:
    cost = count(program)
    return cost.exchanges, cost.words, cost.messages


def _hartley(spec: Request) -> Program:
    """Return the program from an affine input to the Hartley layout or from there to an affine
    output; or between two affine ones.

    Where the exchange is overlapped, that is the one of the transform; at both ends nothing is
    computed that a message could wait for.
    """
    exchange = ALL_TO_ALL if spec.way.ahead else spec.exchange
    core = hartley_of(spec)
    steps = transform_steps(core)
    if not core.back:
        steps = (*_moved(_affine(spec, spec.input), core.own, exchange), *steps)
    if core.back or spec.output != (HalfSpectrum.name if spec.result == "dft" else HARTLEY):
        steps += () if core.back else (Unpaired(spec.N, spec.P),)
        here = core.own if core.back else cyclic(spec.N, spec.P)
        steps += _moved(here, _affine(spec, spec.output), exchange)
    before, after = (placement(name, spec.N, spec.P) for name in (spec.input, spec.output))
    equation = hartley.factorization(spec.N)
    return Program(spec, equation, before, after, steps)


def hartley_of(spec: Request) -> Hartley:
    """Return the Hartley transform of a program.

    >>> hartley_of(complete(Request("fht", 64, 4, "hartley"))).back
    True
    """
    ahead = spec.way.ahead and spec.P > 1
    return Hartley(spec.N, spec.P, spec.algorithm, spec.input == HARTLEY, ahead)


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


def _affine(spec: Request, name: str) -> Layout:
    """Return the affine layout of this name, which may be that of the Hartley transform on the
    hypercube.
    """
    own = input_layout(spec.N, spec.P)
    return own if name == own.name else named(name, spec.N, spec.P)


def _moved(source: Layout, target: Layout, exchange: str) -> tuple[Step, ...]:
    return steps_of(I(1 << source.n), source, target, exchange)
