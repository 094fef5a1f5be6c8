"""What programs for real input by digits say of themselves: half spectra, Hartley transforms of
arrays; and their stages beside those of the Fourier transform.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.emit.words import escaped, factor_of, half_spectrum
from codegen.program.protocol import COMPLEX, PAIR, REAL, Step
from codegen.program.reals.halves import Halves
from codegen.program.reals.hartley_rows import Rows
from codegen.program.reals.reflect import Reflect
from codegen.program.reals.untangle import Untangle
from codegen.program.supersteps import Program
from codegen.systems.record import Request
from derive.call_arguments import counted

HALF = "({0}[2m] + i {0}[2m + 1]) = X[m], 0 < m < N/2, {0}[0] = X[0], {0}[1] = X[N/2]"
FORTH = "X[m] = (Z[m] + C)/2 - i w^m (Z[m] - C)/2, C = conj Z[-m]"
BACK = "Z[m] = X[m] + C + i w^m (X[m] - C), C = conj X[N/2 - m]"

TO_HALVES = (
    "y[m], y[m + N/2] = Re (1 + i) (Z[m] + C)/2 ± Im (1 + i) w^m (Z[m] - C)/2, C = conj Z[-m]"
)
OF_HALVES = (
    "z[m] = (u + u')/2 + i (u - u')/2 + w^m (i (v - v')/2 - (v + v')/2),"
    " u, v = x[m] ± x[m + N/2], u', v' those of -m, v'[0] = -v[0]"
)
"""H_N of an even N by F_{N/2} of pairs, and back."""
MADE_PAIRS = "y_2m + i y_(2m + 1) = Z"

REFLECTED = "(z[k] + c)/2 + i (z[k] - c)/2, c = z[-k]"
"""H_n x = E F_n x, of pairs of real vectors."""
PAIRED, ALONE = "z = x_2m + i x_(2m + 1)", "z = x"
"""Two neighbours of a row as a complex number; each element as one."""
OF_REALS = "H_{n} x = Re F_{n} x - Im F_{n} x of the real x"
"""H_n on real elements throughout."""


def view(program: Program) -> dict[str, Any]:
    """Return the names of the template."""
    request, N = program.request, program.N
    forward = request.is_forward
    x, given, made = "xzZ" if forward else "yZz"
    return {
        "title": (
            f"Discrete Fourier transform of N = {N} real elements on"
            f" P = {counted(request.P, 'rank')}: {request.direction}, {request.dtype},"
            f" {request.kernels} kernels."
        ),
        "statements": [
            f"{computed(request)},   w = exp({'-' * forward}2 pi i / {N})",
            f"{FORTH if forward else BACK},   {made} = {factor_of(request)}F_{N // 2} {given},"
            f"   z[m] = {x}[2m] + i {x}[2m + 1]",
            escaped(str(program.equation)),
        ],
        "postcondition": half_spectrum(request)
        if forward
        else f"y = {factor_of(request)}F_{N} X of the half spectrum x",
        "sign": -1 if forward else 1,
    }


def computed(request: Request) -> str:
    """Return what a program computes, as an equation."""
    matrix = f"{factor_of(request)}F_{request.N}"
    if request.is_forward:
        return f"{HALF.format('y')}, X = {matrix} x"
    return f"y = {matrix} X, {HALF.format('x')}, X[N - m] = conj X[m]"


def untangling(step: Untangle, tables: Tables) -> Stage:
    """Return the stage that untangles, or tangles."""
    operation: Operation = {
        "macro": "untangle",
        "hops": 0,
        "spare": True,
        "needs": ("untangle",),
        "table": tables.name("pair_weights", step.weights),
    }
    return stage(f"{BACK if step.back else FORTH}", operation)


def view_of_arrays(program: Program) -> dict[str, Any]:
    """Return the names of the template of Hartley transforms of arrays."""
    request, shape = program.request, program.request.shape
    factors = [f"I_{request.batch}"] * (request.batch > 0) + [f"H_{n}" for n in shape]
    matrix = " ⊗ ".join(factors)
    computed = f"y = {factor_of(request)}{f'({matrix})' if factors[1:] else matrix} x"
    n = str(shape[0]) if len(shape) == 1 else "n"
    many = f"{request.batch} arrays of " * (request.batch > 0)
    return {
        "title": (
            f"Hartley transform of {many}N = {' x '.join(map(str, shape))} elements on"
            f" P = {counted(request.P, 'rank')}: {request.direction}, {request.dtype},"
            f" {request.kernels} kernels."
        ),
        "statements": [
            f"{computed},   H_{n}[j, k] = cos(2 pi jk/{n}) + sin(2 pi jk/{n})",
            _of_halves(program) or _of_numbers(program, n),
            escaped(str(program.equation)),
        ],
        "postcondition": computed,
        "sign": -1,
        "many": "BATCH" if request.batch else "1",
    }


def forms(program: Program) -> dict[str, tuple[str, ...]]:
    """Return the macros that the functions on pairs and on reflected elements consist of."""
    sent = program.P > 2
    found, how = _reflects(program), ("opposites_exchanged",) * sent
    across = ["all_exchanged" if found["all"] else "some_exchanged"] * found["some"]
    reflect = ("reflect_across", *across, "reflected_across") if found["across"] else ()
    if found["plain"]:
        reflect = ("reflect", *["vector_exchanged"] * sent, "reflected")
    return {
        "untangle": ("untangle", *["conj_exchanged"] * sent, "untangled"),
        "from_pairs": ("from_pairs", *how, "with_opposites", "pairs_apart"),
        "to_pairs": ("to_pairs", *how, "with_opposites", "pairs_together"),
        "reflect": reflect or ("reflect_here",),
    }


def _reflects(program: Program) -> dict[str, bool]:
    """Return which reflections a program has: along its one axis, which lies across all ranks; some
    across ranks, some of which exchange, or all.
    """
    ranks = [step.across for step in program.steps if isinstance(step, Reflect)]
    return {
        "plain": len(program.request.shape) == 1 and {*ranks} == {program.P},
        "across": any(p > 1 for p in ranks),
        "some": any(p > 2 for p in ranks),
        "all": all(p > 2 for p in ranks),
    }


def _of_halves(program: Program) -> str:
    """Return how a vector is transformed as pairs, as an equation; nothing where it is not."""
    request, step = program.request, program.halves
    N = request.shape[0]
    if step is None:
        return ""
    transformed, w = f"Z = {factor_of(request)}F_{N // 2} z", f"w = exp(-2 pi i / {N})"
    if step.back:
        return f"{MADE_PAIRS},   {transformed},   {OF_HALVES},   {w}"
    return f"{TO_HALVES},   {transformed},   {PAIRED},   {w}"


def _of_numbers(program: Program, n: str) -> str:
    """Return by which numbers the elements of arrays are transformed, as equations."""
    by_fourier = f"H_{n} = E F_{n} = F_{n} E,   (E z)[k] = {REFLECTED}"
    if program.unit == REAL:
        return OF_REALS.format(n=n)
    if program.unit == COMPLEX:
        return f"{by_fourier},   {ALONE}"
    (step,) = (step for step in program.steps if step.unit == REAL)
    rows, first = _product(step), program.steps[0] == step
    order = f"{rows} first, then {PAIRED}" if first else f"{PAIRED}, then {rows}"
    return f"{by_fourier},   {order}"


def joined(program: Program, stages: Iterable[Stage]) -> Iterator[Stage]:
    """Yield these stages on complex numbers, between those that make them and take them apart."""
    if step := program.halves:
        yield from (*stages, stage(MADE_PAIRS)) if step.back else (stage(PAIRED), *stages)
    elif program.unit == PAIR:
        yield from _paired(program, stages)
    elif program.unit == REAL:
        yield from stages
    else:
        yield stage(ALONE, {"macro": "joined"})
        yield from stages
        yield stage("y: the real part of z", {"macro": "real_part", "hops": 0})


def _paired(program: Program, stages: Iterable[Stage]) -> Iterator[Stage]:
    """Yield these stages on pairs of neighbours, but for that on real rows."""
    at, several = int(program.steps[0].unit == REAL), [*stages]
    yield from (*several[:at], stage(PAIRED), *several[at:])


def halving(step: Halves, tables: Tables, divided: int) -> Stage:
    """Return the stage that makes both halves of a Hartley transform from that of pairs, or back;
    transforms of length n divide so often by the root of n.
    """
    function = "to_pairs" if step.back else "from_pairs"
    operation: Operation = {
        "macro": function,
        "hops": int(step.back),
        "spare": True,
        "needs": (function,),
        "table": tables.name("twiddle", (step.weights, 0, step.each * (step.arrays > 1))),
        "factor": ("0.5", "0.5**1.5", "0.25")[divided],
    }
    own = ("", ", times 2**-0.5", ", times 2**-1")[divided]  # H_N is divided by more than F_{N/2}
    if step.back:
        return stage(OF_HALVES + own, operation)
    return stage(TO_HALVES + own, operation, {"macro": "parted"})


def rows(step: Rows, norm: str, among_pairs: bool) -> Stage:
    """Return the stage that makes the Hartley transforms of real elements along an axis; other
    stages may take these for pairs.
    """
    operation: Operation = {"macro": "rows", "hops": 0, "needs": ("hartley_along",)}
    operation |= {"shape": step.shape, "norm": norm}
    return stage(_product(step) + " of the real rows" * among_pairs, operation)


def _product(step: Step) -> str:
    return " ".join(map(str, step.factors))


def reflecting(step: Reflect, program: Program) -> Stage:
    """Return the stage that makes the Hartley transform of a Fourier transform along an axis."""
    how = _reflects(program)
    where = [step.shape, *[step.across, step.beside] * how["across"]] * (not how["plain"])
    given = [*where, *["plan"] * (how["across"] or how["plain"])]
    operation: Operation = {"macro": "reflect", "hops": 0, "spare": True, "needs": ("reflect",)}
    operation["given"] = given
    several = len(program.request.shape) > 1
    return stage(REFLECTED + f", along axis {step.axis}" * several, operation)
