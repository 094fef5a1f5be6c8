"""What programs for real input by digits say of themselves: half spectra, Hartley transforms of
arrays; and their stages beside those of the Fourier transform.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from codegen.emit.steps.arrays import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.emit.words import counted, escaped, factor_of, half_spectrum
from codegen.program.reals.halves import Halves
from codegen.program.reals.reflect import Reflect
from codegen.program.reals.rows import Rows
from codegen.program.reals.untangle import Untangle
from codegen.program.supersteps import Program
from codegen.reals import by_halves, has_room, in_rows
from codegen.spec import Spec
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import H

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
PAIRED = "z = x_2m + i x_(2m + 1)"
"""Two neighbours of a row as a complex number."""


def view(program: Program) -> dict[str, Any]:
    """Return the names of the template."""
    spec, N = program.spec, program.N
    forward = spec.direction == "forward"
    x, given, made = "xzZ" if forward else "yZz"
    return {
        "title": (
            f"Discrete Fourier transform of N = {N} real elements on"
            f" P = {counted(spec.P, 'rank')}: {spec.direction}, {spec.dtype}, {spec.kernels}"
            " kernels."
        ),
        "statements": [
            f"{computed(spec)},   w = exp({'-' * forward}2 pi i / {N})",
            f"{FORTH if forward else BACK},   {made} = {factor_of(spec)}F_{N // 2} {given},"
            f"   z[m] = {x}[2m] + i {x}[2m + 1]",
            escaped(str(program.equation)),
        ],
        "postcondition": half_spectrum(spec)
        if forward
        else f"y = {factor_of(spec)}F_{N} X of the half spectrum x",
        "sign": -1 if forward else 1,
    }


def computed(spec: Spec) -> str:
    """Return what a program computes, as an equation."""
    matrix = f"{factor_of(spec)}F_{spec.N}"
    if spec.direction == "forward":
        return f"{HALF.format('y')}, X = {matrix} x"
    return f"y = {matrix} X, {HALF.format('x')}, X[N - m] = conj X[m]"


def untangling(step: Untangle, tables: Tables) -> Stage:
    """Return the stage that untangles, or tangles."""
    operation: Operation = {
        "macro": "untangle",
        "hops": 0,
        "spare": True,
        "needs": ("untangle",),
        "table": tables.name("pair_weights", step),
    }
    return stage(f"{BACK if step.back else FORTH}", operation)


def view_of_arrays(program: Program) -> dict[str, Any]:
    """Return the names of the template of Hartley transforms of arrays."""
    spec, shape = program.spec, program.spec.shape
    factors = [f"I_{spec.batch}"] * (spec.batch > 0) + [f"H_{n}" for n in shape]
    matrix = " ⊗ ".join(factors)
    computed = f"y = {factor_of(spec)}{f'({matrix})' if factors[1:] else matrix} x"
    n = str(shape[0]) if len(shape) == 1 else "n"
    many = f"{spec.batch} arrays of " * (spec.batch > 0)
    return {
        "title": (
            f"Hartley transform of {many}N = {' x '.join(map(str, shape))} elements on"
            f" P = {counted(spec.P, 'rank')}: {spec.direction}, {spec.dtype}, {spec.kernels}"
            " kernels."
        ),
        "statements": [
            f"{computed},   H_{n}[j, k] = cos(2 pi jk/{n}) + sin(2 pi jk/{n})",
            _of_halves(spec)
            or f"H_{n} = E F_{n} = F_{n} E,   (E z)[k] = {REFLECTED},   {_of_complex(program)}",
            escaped(str(program.equation)),
        ],
        "postcondition": computed,
        "sign": -1,
        "reflects": _reflects(program),
        "alone": spec.batch < 2,
    }


def _reflects(program: Program) -> dict[str, bool]:
    """Return which reflections a program has: along its one axis, which lies across all ranks; some
    across ranks, some of which exchange, or all.
    """
    ranks = [step.across for step in program.steps if isinstance(step, Reflect)]
    return {
        "plain": len(program.spec.shape) == 1 and {*ranks} == {program.P},
        "across": any(p > 1 for p in ranks),
        "some": any(p > 2 for p in ranks),
        "all": all(p > 2 for p in ranks),
    }


def _of_halves(spec: Spec) -> str:
    """Return how a vector is transformed as pairs, as an equation; nothing where it is not."""
    N, step = spec.N, by_halves(spec)
    if step is None:
        return ""
    transformed, w = f"Z = {factor_of(spec)}F_{N // 2} z", f"w = exp(-2 pi i / {N})"
    if step.back:
        return f"{MADE_PAIRS},   {transformed},   {OF_HALVES},   {w}"
    return f"{TO_HALVES},   {transformed},   {PAIRED},   {w}"


def _of_complex(program: Program) -> str:
    """Return the complex arrays that real ones are done as, as an equation."""
    spec = program.spec
    if in_rows(spec):
        (step,) = (step for step in program.steps if isinstance(step, Rows))
        rows, first = _of_rows(step, program), program.steps[0] == step
        return f"{rows} first, then {PAIRED}" if first else f"{PAIRED}, then {rows}"
    if not spec.batch:
        return "z = x"
    last = f",   x_{spec.batch} = 0" * has_room(spec)
    return f"z = x_b + i x_(b + {-(-spec.batch // 2)}){last}"


def joined(program: Program, stages: Iterable[Stage]) -> Iterator[Stage]:
    """Yield these stages on complex numbers, between those that make them and take them apart."""
    if in_rows(program.spec):
        yield from _paired(program, stages)
        return
    if step := by_halves(program.spec):
        yield from (*stages, stage(MADE_PAIRS)) if step.back else (stage(PAIRED), *stages)
        return
    B, room = program.spec.batch, has_room(program.spec)
    half = -(-B // 2)
    joined = f"z = x_b + i x_(b + {half}), b < {half}" + f", x_{B} = 0" * room
    parted = f"y_b, y_(b + {half}): the real and the imaginary part of z, b < {half}"
    parted += f", but y_{B}" * room
    if B < 2:
        joined, parted = "z = x", "y: the real part of z"
    yield stage(joined, {"macro": "joined", "alone": B < 2})
    yield from stages
    yield stage(parted, {"macro": "parted", "hops": int(not room), "alone": B < 2})


def _paired(program: Program, stages: Iterable[Stage]) -> Iterator[Stage]:
    """Yield these stages on pairs of neighbours, but for that on real rows."""
    at, several = int(isinstance(program.steps[0], Rows)), [*stages]
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
        "table": tables.name("twiddle", step),
        "factor": ("0.5", "0.5**1.5", "0.25")[divided],
    }
    own = ("", ", times 2**-0.5", ", times 2**-1")[divided]  # H_N is divided by more than F_{N/2}
    if step.back:
        return stage(OF_HALVES + own, operation)
    return stage(TO_HALVES + own, operation, {"macro": "parted", "alone": False})


def rows(step: Rows, program: Program, norm: str) -> Stage:
    """Return the stage that makes the Hartley transforms of real rows."""
    operation: Operation = {"macro": "rows", "hops": 0, "needs": ("hartley_rows",)}
    operation |= {"n": step.n, "norm": norm}
    return stage(f"{_of_rows(step, program)} of the real rows", operation)


def _of_rows(step: Rows, program: Program) -> Formula:
    return kron(I(program.N // step.n), H(step.n))


def reflecting(step: Reflect, program: Program) -> Stage:
    """Return the stage that makes the Hartley transform of a Fourier transform along an axis."""
    operation: Operation = {
        "macro": "reflect",
        "hops": 0,
        "spare": True,
        "needs": ("reflect",),
        "shape": step.shape,
        "across": step.across,
        "beside": step.beside,
    }
    several = len(program.spec.shape) > 1
    return stage(REFLECTED + f", along axis {step.axis}" * several, operation)
