"""From a factorization and two layouts to supersteps: neighbouring permutations are composed, each
move is factored once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen.cost.counted import count
from codegen.program import moves as move
from codegen.program.hartley import ALGORITHMS, Hartley, Unpaired, output_of
from codegen.program.overlap import last_stages_apart, overlapped
from codegen.program.prepare import prepared
from codegen.program.supersteps import (
    Across,
    Butterflies,
    Local,
    Move,
    Overlap,
    Program,
    Step,
    Twiddle,
)
from derive.formula.grammar import DirectSum, Equation, Formula, I, Kron, factors_of
from derive.formula.layout import Layout, cyclic, named
from derive.formula.permutation_matrices import Bmmc
from derive.formula.permutations import affine, is_permutation, lg
from derive.formula.transforms import A, AHat, F, HatSum, Omega, T, W
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.papers import bsp, bsp_phases, bsp_variants, hartley, hypercube
from derive.papers.hartley_layouts import HartleyLayout, input_layout

SYSTEMS = ("fft", "permute", "hypercube-fft", "fht")
FORMULA = "formula"
"""The name of the equation of a program that is made from a formula of one's own; its source is the
formula.
"""
EXCHANGES = ("alltoall", "pairwise", "replace", "nonblocking")
"""The ways in which messages travel wherever MPI runs; the first, the default, is the fastest of
them by measurement (bench/README.md).
"""
OVERLAPPED = "overlapped"
"""The exchange of `fft` and `fht` that is begun while their messages are still being computed."""
SHARED = "shared"
"""The exchange of `fft` and `permute` on one node: messages are read where they were written, in
memory that all ranks share.
"""
HARTLEY = "hartley"
"""The layout in which the Hartley transform leaves its results; fht takes it as input, too, and has
it as output if none is named.
"""
SCHEME, OVERLAPPED_SCHEMES = "3", ("4", "5", "5r")
"""The scheme of a hypercube FFT if none is named, and those that overlap."""


def build(
    system: str,
    N: int,
    P: int,
    input: str = "block",
    output: str = "",
    exchange: str = "alltoall",
    permutation: Bmmc | None = None,
    scheme: str = "",
    algorithm: str = "",
    phases: str = "",
    local: str = "",
) -> Program:
    """Return the program of a system for N elements on P ranks, with data laid out as `input` and
    `output` name it.

    The output is `block` if none is named, of `fht` its own. `permute` wants its permutation of N
    indices; `hypercube-fft` takes a scheme, Prog. 3 if none is named, and `fht` an algorithm,
    hypercube if none is named. `fft` takes the sizes of its phases, and how a rank does one
    (derive/papers/bsp_variants.py). Raises ValueError for an unknown system, exchange, scheme,
    algorithm, layout or choice, and for sizes that the system does not take.

    >>> [type(step).__name__ for step in build("fft", 1024, 4, "cyclic", "cyclic").steps]
    ['Local', 'Move', 'Local']
    """
    if system not in SYSTEMS:
        raise ValueError(f"unknown system {system!r}: the systems are {', '.join(SYSTEMS)}")
    if exchange not in exchanges(system):
        more = "overlapped for fft and fht, shared for fft and permute"
        raise ValueError(
            f"{system}: unknown exchange {exchange!r}: the exchanges are {', '.join(EXCHANGES)};"
            f" {more}"
        )
    if (permutation is not None) != (system == "permute"):
        raise ValueError(f"{system}: a permutation is what permute needs, and nothing else takes")
    if scheme and system != "hypercube-fft":
        raise ValueError(f"{system}: scheme {scheme}: only hypercube-fft has schemes")
    if algorithm and system != "fht":
        raise ValueError(f"{system}: algorithm {algorithm}: only fht has algorithms")
    if (phases or local) and system != "fft":
        raise ValueError(f"{system}: phases {phases}, local {local}: only fft has these choices")
    output = output or default_output(system, input)
    if system == "fht":
        return _hartley(N, P, input, output, exchange, algorithm or ALGORITHMS[0])
    if system == "hypercube-fft":
        return _hypercube(N, P, input, output, exchange, scheme or SCHEME)
    n, p = (bsp_phases if permutation is None else bmmc).SIZES.exponents(N, P)
    before, after = named(input, n, p), named(output, n, p)
    if permutation is not None:
        equation = _permutation(permutation, n, p)
        return Program(
            system, equation, before, after, lower(equation.right, before, after, exchange)
        )
    phases, local = bsp_variants.normal(N, P, phases, local)
    if exchange == OVERLAPPED:
        if phases or local:
            chosen = ", ".join(
                f"{name} {value}" for name, value in (("phases", phases), ("local", local)) if value
            )
            raise ValueError(
                f"exchange overlapped with {chosen}: an exchange is overlapped with the default"
                " ones"
            )
        return _overlapped_fourier(N, P, before, after)
    equation = bsp_variants.emitted(N, P, phases, local)
    return Program(
        system,
        equation,
        before,
        after,
        lower(equation.right, before, after, exchange),
        phases=phases,
        local=local,
    )


def unsplit(program: Program, exchange: str) -> Program:
    """Return the same FFT with each local transform in one step, for kernels that keep to the
    caches by themselves.

    >>> [str(step.factors[0]) for step in unsplit(build("fft", 2**14, 1), "alltoall").steps]
    ['F_16384']
    """
    if (
        program.system != "fft"
        or program.equation.name == FORMULA
        or program.local
        or exchange == OVERLAPPED
    ):
        return program
    equation = bsp_variants.emitted(program.N, program.P, program.phases, split=False)
    assert isinstance(program.input, Layout) and isinstance(program.output, Layout), (
        "an FFT has affine layouts"
    )
    return replace(
        program,
        equation=equation,
        steps=lower(equation.right, program.input, program.output, exchange),
    )


def between_two(program: Program, exchange: str) -> Program:
    """Return the same FFT on two ranks that leaves blocks with F_2 between the ranks at its end:
    one exchange of all in place of two of one half.

    Kernels put its results together from what both ranks have, half of them each, and nothing is
    moved after that.

    >>> [type(step).__name__ for step in between_two(build("fft", 2**10, 2), "alltoall").steps]
    ['Move', 'Local', 'Across']
    """
    known = (
        program.system == "fft"
        and program.equation.name != FORMULA
        and not (program.phases or program.local)
        and exchange != OVERLAPPED
    )
    if not known or program.P != 2 or program.M < 2 or program.output.name != "block":
        return program
    assert isinstance(program.input, Layout) and isinstance(program.output, Layout), (
        "an FFT has affine layouts"
    )
    equation = bsp.cooley_tukey(2, program.M)
    return replace(
        program,
        equation=equation,
        steps=lower(equation.right, program.input, program.output, exchange, across=True),
    )


def with_kernels(program: Program, kernels: str, exchange: str) -> Program:
    """Return the same program as these kernels do it; other systems than fft do the same with all.

    >>> [len(with_kernels(build("fft", 2**14, 2), kernels, "alltoall").steps) for kernels in ("numpy", "pyfftw", "numba")]
    [6, 5, 3]
    """  # noqa: E501
    if kernels == "numpy":
        return program
    program = unsplit(program, exchange)
    return between_two(program, exchange) if kernels == "numba" else program


def exchanges(system: str) -> tuple[str, ...]:
    """Return the ways in which the messages of a system travel.

    >>> exchanges("fht")
    ('alltoall', 'pairwise', 'replace', 'nonblocking', 'overlapped')
    """
    return (
        EXCHANGES
        + (OVERLAPPED,) * (system in ("fft", "fht"))
        + (SHARED,) * (system in ("fft", "permute"))
    )


def build_formula(
    formula: Formula,
    P: int,
    input: str = "block",
    output: str = "block",
    exchange: str = "alltoall",
) -> Program:
    """Return the program of a factorization of F_N of one's own on P ranks; that it is one is not
    checked here.

    Raises ValueError as `build` does, and naming the first factor that cannot be lowered.

    >>> from derive.formula.grammar import kron
    >>> from derive.formula.permutation_matrices import stride
    >>> formula = kron(F(4), I(4)) @ T(16, 4) @ kron(I(4), F(4)) @ stride(16, 4)
    >>> [type(step).__name__ for step in build_formula(formula, 4).steps]
    ['Move', 'Local', 'Move', 'Local', 'Move']
    """
    N = formula.size
    if exchange not in (*EXCHANGES, SHARED):
        raise ValueError(
            f"unknown exchange {exchange!r}: the exchanges of a formula are {', '.join(EXCHANGES)},"
            f" {SHARED}"
        )
    n, p = bmmc.SIZES.exponents(N, P)
    right = prepared(formula, N // P)
    before, after = named(input, n, p), named(output, n, p)
    return Program(
        "fft",
        Equation(FORMULA, str(formula), F(N), right),
        before,
        after,
        lower(right, before, after, exchange),
    )


def _hypercube(N: int, P: int, input: str, output: str, exchange: str, scheme: str) -> Program:
    """Return the program in decimation in time or in frequency, whichever sends less from this
    input to this output; in time if both send alike.

    `exchange` is for the changes of layout at both ends. Within, neighbours exchange messages as
    the scheme says.
    """
    n, p = hypercube.exponents(N, P, scheme)
    before, after = named(input, n, p), named(output, n, p)
    programs = []
    for form in hypercube.FORMS:
        equation = hypercube.prog(scheme, N, P, form)
        steps = _ends(lower(equation.right, before, after, across=scheme == "2"), p, exchange)
        programs.append(
            Program(
                "hypercube-fft",
                equation,
                before,
                after,
                _within(steps) if scheme in OVERLAPPED_SCHEMES else steps,
                scheme,
            )
        )
    return min(programs, key=_sends)


def _hartley(N: int, P: int, input: str, output: str, exchange: str, algorithm: str) -> Program:
    """Return the program from an affine input to the Hartley layout or from there to an affine
    output; or between two affine ones.

    Where the exchange is overlapped, that is the one of the transform; at both ends nothing is
    computed that a message could wait for.
    """
    if exchange == OVERLAPPED:
        program = _hartley(N, P, input, output, EXCHANGES[0], algorithm)
        return replace(program, steps=overlapped(program.steps))
    n, p = hartley.SIZES.exponents(N, P)
    core = Hartley(N, P, algorithm, back=input == HARTLEY)
    if core.back:
        after = _named(output, n, p)
        return Program(
            "fht",
            hartley.factorization(N),
            HartleyLayout(n, p),
            after,
            (core, *_moved(core.own, after, exchange)),
        )
    before = _named(input, n, p)
    steps = (*_moved(before, core.own, exchange), core)
    if output == HARTLEY:
        return Program("fht", hartley.factorization(N), before, output_of(core), steps)
    after = _named(output, n, p)
    steps = (*steps, Unpaired(N, P), *_moved(cyclic(n, p), after, exchange))
    return Program("fht", hartley.factorization(N), before, after, steps)


def default_output(system: str, input: str) -> str:
    """Return the output layout where none is named: of a Hartley transform its own, or back from
    there its input layout.
    """
    return "block" if system != "fht" else "hartley-input" if input == HARTLEY else HARTLEY


def _named(name: str, n: int, p: int) -> Layout:
    """Return the affine layout of this name, which may be that of the Hartley transform on the
    hypercube.
    """
    own = input_layout(n, p)
    return own if name == own.name else named(name, n, p)


def _moved(source: Layout, target: Layout, exchange: str) -> tuple[Step, ...]:
    return lower(I(1 << source.n), source, target, exchange)


def _ends(steps: tuple[Step, ...], p: int, exchange: str) -> tuple[Step, ...]:
    """Return the steps with the moves at both ends planned for this exchange."""
    ends = (0, len(steps) - 1)
    return tuple(
        (
            replace(move.plan(step.address, p, exchange), factors=step.factors)
            if i in ends and isinstance(step, Move)
            else step
        )
        for i, step in enumerate(steps)
    )


def _within(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps overlapped, but for a change of layout at the end."""
    return (
        (*overlapped(steps[:-1]), *steps[-1:])
        if steps and isinstance(steps[-1], Move)
        else overlapped(steps)
    )


def _sends(program: Program) -> tuple[int, int, int]:
    cost = count(program)
    return cost.exchanges, cost.words, cost.messages


def _overlapped_fourier(N: int, P: int, input: Layout, output: Layout) -> Program:
    """Return the form of the transform that overlaps most exchanges, the plainest of these.

    With as many virtual processors as messages the first phase comes in blocks, and a last stage of
    its own lets later phases come in halves.
    """
    v, most = bsp_phases.virtual_processors(N // P), min(P, N // P // 2)
    programs = []
    for equation in [bsp.group_cyclic(N, P, w) for w in dict.fromkeys((v, max(v, most)))]:
        for right in (equation.right, last_stages_apart(equation.right, P)):
            steps = overlapped(lower(right, input, output))
            programs.append(
                Program("fft", replace(equation, right=right, partial=()), input, output, steps)
            )
    return max(
        programs, key=lambda program: sum(isinstance(step, Overlap) for step in program.steps)
    )


def _permutation(permutation: Bmmc, n: int, p: int) -> Equation:
    """Return A = V W for data in block distribution; the layouts change what is factored in the
    end, not what it does.
    """
    if permutation.address.bits != n:
        raise ValueError(
            f"a permutation of {permutation.size} elements for N = {1 << n}: the matrix is {n}"
            f" x {n}"
        )
    return bmmc.equation(bmmc.factor(permutation.address, p), permutation.name)


@dataclass
class _Pending:
    """What has been read of a formula since the last computation: `address` maps storage to the
    present coordinates.
    """

    address: Affine
    twiddle: Twiddle | None = None
    moves: tuple[Formula, ...] = ()
    computes: tuple[Formula, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether data lies where the last computation left it, and nothing is to be done to it."""
        return self.twiddle is None and self.address == Affine.identity(self.address.bits)

    def permute(self, map: Affine, *factor: Formula) -> None:
        self.address, self.moves = map @ self.address, (*factor, *self.moves)
        if self.twiddle:
            back = map.inverse()
            self.twiddle = Twiddle(self.twiddle.order, self.twiddle.i @ back, self.twiddle.j @ back)


def lower(
    formula: Formula,
    input: Layout,
    output: Layout,
    exchange: str = "alltoall",
    across: bool = False,
) -> tuple[Step, ...]:
    """Return the supersteps of a product of permutations, twiddle diagonals and local transforms I
    ⊗ F_d ⊗ I_c.

    A diagonal is applied where its data is used: before the next local transform, after the move to
    it; one that belongs to the butterflies before it stays with them. F_2 may join two ranks if
    `across` says so. Raises ValueError for a factor that is none of these, or whose transform
    crosses ranks, and where the sizes or the ranks differ.

    >>> from derive.formula.layout import block
    >>> len(lower(bsp.group_cyclic(16, 2).right, block(4, 1), block(4, 1)))
    5
    """
    if not formula.size == 1 << input.n == 1 << output.n or input.p != output.p:
        sides = " to ".join(
            f"{layout.name} of {1 << layout.n} elements on {1 << layout.p} ranks"
            for layout in (input, output)
        )
        raise ValueError(
            f"{formula} takes {formula.size} elements, the layouts go from {sides}: all must agree"
        )
    steps: list[Step] = []
    pending = _Pending(input.address.inverse())

    def flush(copies: int, d: int, c: int) -> None:
        nonlocal pending
        if pending.address != Affine.identity(input.n):
            steps.append(
                replace(move.plan(pending.address, input.p, exchange), factors=pending.moves)
            )
        if pending.twiddle or d > 1:
            steps.append(Local(pending.twiddle, copies, d, c, pending.computes))
        pending = _Pending(Affine.identity(input.n))

    for factor in reversed(factors_of(formula)):
        if is_permutation(factor):
            map = affine(factor)
            if pending.twiddle and map.c:  # an emitted twiddle is linear in the bits of its place
                flush(1, 1, 1 << input.m)
            pending.permute(map, factor)
        elif (twiddle := _twiddle(factor)) is not None:
            if pending.is_nothing and steps and (finished := _finished(steps[-1], twiddle, factor)):
                steps[-1] = finished
                continue
            if pending.twiddle:
                flush(1, 1, 1 << input.m)
            pending.twiddle, pending.computes = twiddle, (factor,)
        elif across and (channel := _channel(factor, input.m)) is not None:
            twiddle, computes = pending.twiddle, (factor, *pending.computes)
            pending.twiddle = None
            flush(1, 1, 1 << input.m)
            steps.append(Across(twiddle, channel, computes))
        elif (stage := _stage(factor, 1 << input.m)) is not None:
            begins = len(steps)
            flush(1, 1, 1 << input.m)
            if begins == len(steps) and steps and (longer := _continued(steps[-1], stage)):
                steps[-1] = longer
            else:
                steps.append(stage)
        else:
            pending.computes = (factor, *pending.computes)
            flush(*_local(factor, 1 << input.m))
    pending.permute(output.address)
    flush(1, 1, 1 << input.m)
    return tuple(steps)


def _twiddle(factor: Formula) -> Twiddle | None:
    """Return a layer I_a ⊗ D ⊗ I_b as a twiddle: w_N^(ij) for D = T^N_s, i the bits above those of
    j < s; i is one bit for I_h ⊕ Ω_h.

    W is one as it stands.
    """
    if isinstance(factor, W):
        return Twiddle(factor.order, factor.i, factor.j)
    inner, low = _between(factor)
    match inner:
        case T(N, s):
            order, size, below = N, lg(N), lg(s)
        case DirectSum((I(h), Omega(_, 0))):
            order, size, below = 2 * h, lg(h) + 1, lg(h)
        case _:
            return None
    total = lg(factor.size)
    i = Affine(
        tuple(1 << b - low - below if low + below <= b < low + size else 0 for b in range(total)),
        size - below,
    )
    j = Affine(tuple(1 << b - low if low <= b < low + below else 0 for b in range(total)), below)
    return Twiddle(order, i, j)


def _between(factor: Formula) -> tuple[Formula, int]:
    """Return X and lg b for I_a ⊗ X ⊗ I_b."""
    inner = factor.right if isinstance(factor, Kron) and isinstance(factor.left, I) else factor
    return (
        (inner.left, lg(inner.right.n))
        if isinstance(inner, Kron) and isinstance(inner.right, I)
        else (inner, 0)
    )


def _finished(step: Step, twiddle: Twiddle, factor: Formula) -> Step | None:
    """Return a step of butterflies that have no twiddles yet and end in these, or None."""
    match step:
        case Across(None):
            return replace(step, twiddle=twiddle, after=True, factors=(factor, *step.factors))
        case Local(None) if isinstance(factor, W):
            done = replace(step, twiddle=twiddle, after=True, factors=(factor, *step.factors))
            return done if done.is_butterfly else None
    return None


def _stage(factor: Formula, M: int) -> Butterflies | None:
    """Return a stage of generalized butterflies within the ranks, None where the factor is none: A,
    Â and sums of Â, beside identities.
    """
    inner, alone = (
        (factor.right, False)
        if isinstance(factor, Kron) and isinstance(factor.left, I)
        else (factor, True)
    )
    match inner:
        case A(k, n, 0) if M % n == 0:
            return Butterflies(k, k, n, 1, 1, (factor,))
        case AHat(k, u, p, N) if alone and N == p * M:
            return Butterflies(k, k, M, u, 1, (factor,))
        case AHat(k, w, v, n) if n == M:
            return Butterflies(k, k, n // v, 1, w, (factor,))
        case HatSum(k, w, v, n, u) if n == M:
            return Butterflies(k, k, n // v, u, w, (factor,))
    return None


def _continued(step: Step, stage: Butterflies) -> Butterflies | None:
    """Return the stages of both as one step where they follow one another on the same blocks, else
    None.
    """
    match step:
        case Butterflies(_, last, b, u, w) if (2 * last, b, u, w) == (
            stage.first,
            stage.b,
            stage.u,
            stage.w,
        ):
            return replace(step, last=stage.last, factors=(*stage.factors, *step.factors))
    return None


def _channel(factor: Formula, m: int) -> int | None:
    """Return b where the factor is I ⊗ F_2 ⊗ I_c on bit b of the rank."""
    match factor:
        case Kron(I(), Kron(F(2), I(c))) | Kron(F(2), I(c)) if c >= 1 << m:
            return lg(c) - m
        case Kron(I(), F(2)) | F(2) if m == 0:
            return 0
    return None


def _local(factor: Formula, M: int) -> tuple[int, int, int]:
    """Return (copies, d, c) with I_copies ⊗ F_d ⊗ I_c = the factor on every rank's M elements."""
    match factor:
        case Kron(I(), Kron(F(d), I(c))) | Kron(F(d), I(c)):
            pass
        case Kron(I(), F(d)) | F(d):
            c = 1
        case _:
            raise ValueError(
                f"{factor} is no permutation, no twiddle diagonal I ⊗ T and no local transform I ⊗"
                " F_d ⊗ I_c"
            )
    if M % (d * c):
        raise ValueError(
            f"{factor} joins elements of several ranks, which hold {M} each: move them together"
            " first"
        )
    return M // (d * c), d, c
