"""From a program to its text: Python decides here, the template prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Any

from codegen.cost.counted import count
from codegen.emit import hartley, hypercube
from codegen.emit.arrangements import kernel
from codegen.emit.rows import escaped, literal, map_of, move_of, quoted, rows_of, run_of
from codegen.kernels import fourier
from codegen.options import (
    BUTTERFLY_KERNELS,
    DIRECTIONS,
    DTYPES,
    KERNELS,
    NORMS,
    Options,
    command,
    fixed_size,
    kernels_of,
    scale_of,
)
from codegen.program.lower import FORMULA, SHARED, with_kernels
from codegen.program.supersteps import Across, Butterflies, Local, Move, Overlap, Program
from derive.formula.layout import Layout, Placement
from derive.formula.permutation_matrices import Bmmc
from derive.formula.permutations import affine
from derive.papers.hartley_layouts import HalfSpectrum, HartleyLayout
from derive.printing import printed

WITHOUT_ONES = 2**14
"""From so many elements of a rank on, tables of twiddles begin with the first that is not 1: that
is half of a table for F_2 between two ranks.
"""
ONE_HALF = 2**21
"""From so many elements of a rank on, a window that can do with one half has one, and a second
barrier an exchange: it is worth some microseconds.
"""
KNOWN_TO_MPI = "?bBhHiIlLqQfdgFDG"
"""numpy's letters of the types that are sent as what they are; others are sent as bytes."""


def emit(program: Program, options: Options = Options()) -> str:
    """Return the text of the node program.

    Raises ValueError for a dtype, kernels or a direction that the system does not have.

    >>> from codegen.program.lower import build
    >>> emit(build("fft", 16, 2)).splitlines()[0]
    '\"\"\"Discrete Fourier transform of N = 16 elements on P = 2 ranks: forward, complex128, numpy kernels.'
    """  # noqa: E501
    wants(program, options.kernels)
    if program.system == "permute" and (options.direction, options.norm) != (
        DIRECTIONS[0],
        NORMS[0],
    ):
        raise ValueError(
            f"permute: direction {options.direction}, norm {options.norm}: a permutation has"
            " neither; its inverse is a permutation of its own"
        )
    if program.system != "fht" and (options.result, options.convolve) != ("hartley", False):
        raise ValueError(
            f"{program.system}: result {options.result}, convolve {options.convolve}: only fht has"
            " these"
        )
    if options.result == "dft" and isinstance(program.output, HartleyLayout):
        program = replace(program, output=HalfSpectrum(program.output.n, program.output.p))
    program = with_kernels(program, options.kernels, options.exchange)
    if program.system == "fft" and options.kernels == "numba":
        m, shared = program.input.m, options.exchange == SHARED
        steps = (
            fourier.reversing(program.steps, m)
            if _generalized(program)
            else fourier.fused(program.steps, m, shared)
        )
        program = replace(program, steps=steps)
    if program.system == "hypercube-fft" and options.kernels == "numba":
        program = replace(program, steps=fourier.reversing(program.steps, program.input.m))
    views = {"fft": _fourier, "permute": _permutation, "hypercube-fft": _hypercube, "fht": _hartley}
    view = _common(program, options) | views[program.system](program, options)
    return printed("codegen", f"{_template(program, options)}.py.jinja", view)


def wants(program: Program, kernels: str) -> None:
    """Raise ValueError unless a program is written for these kernels, too.

    >>> from codegen.program.lower import build
    >>> wants(build("fft", 16, 2), "gray")
    Traceback (most recent call last):
    ValueError: fft has no gray kernels: its kernels are numpy, numba, pyfftw
    """
    known = kernels_of(program.system)
    if _generalized(program) and kernels not in BUTTERFLY_KERNELS:
        raise ValueError(
            f"local {program.local} with {kernels} kernels: butterflies are written for"
            f" {' and '.join(BUTTERFLY_KERNELS)}"
        )
    if kernels not in known:
        raise ValueError(
            f"{program.system} has no {kernels} kernels: its kernels are {', '.join(known)}"
        )
    if program.system == "fft" and kernels != KERNELS[0] and _overlaps(program):
        raise ValueError(
            f"exchange overlapped with {kernels} kernels: what is computed in parts is written for"
            f" {KERNELS[0]}"
        )


def _template(program: Program, options: Options) -> str:
    """Return the name of the template."""
    if _generalized(program):
        return "butterflies" if options.kernels == KERNELS[0] else "butterfly_kernels"
    return (
        "fht_kernels" if program.system == "fht" and options.kernels == "numba" else program.system
    )


def _common(program: Program, options: Options) -> dict[str, Any]:
    """Return what the template of every system prints."""
    return {
        "command": escaped(command(program, options)),
        "input_place": _where(program.input, "x[j]"),
        "output_place": _where(program.output, "y[j]"),
        "cost": count(program),
        "transform": quoted(program.system),
        "N": program.N,
        "P": program.P,
        "M": program.M,
        "input": quoted(program.input.name),
        "output": quoted(program.output.name),
        "kernels": quoted(options.kernels),
        "array": "np.empty",
        "exchange": quoted(options.exchange),
        # so that a rank's table of counts is not larger than its part
        "together": (options.exchange == "alltoall" and program.P <= program.M),
        "shared": options.exchange == SHARED,
        "long": options.exchange == SHARED and program.M >= ONE_HALF,
        "rooms": False,
        "prepare": "",
        "joins": _joins(program, options),
        "steps": [] if program.scheme else rows_of(program, options),
        "computes": any(isinstance(step, Local | Butterflies | Across) for step in program.steps),
        "across": False,
        **run_of(program, options),
        **{f"input_{name}": text for name, text in _maps(program.input).items()},
        **{f"output_{name}": text for name, text in _maps(program.output).items()},
    }


def _joins(program: Program, options: Options) -> str:
    """Return the condition under which what is computed after an exchange reads its messages where
    they lie.
    """
    if options.kernels == "numba" and program.system == "fft" and not _generalized(program):
        return "(unpack is None and locals_ and reads_apart(locals_[0]))"
    return "unpack is None" if options.kernels == KERNELS[0] and not _generalized(program) else ""


def _generalized(program: Program) -> bool:
    """Return whether the phases of a program are generalized butterflies."""
    return any(isinstance(step, Butterflies) for step in program.steps)


def _overlaps(program: Program) -> bool:
    """Return whether a part of a computation follows the beginning of an exchange."""
    return any(isinstance(step, Overlap) for step in program.steps)


def _maps(layout: Placement) -> dict[str, str]:
    """Return the bit matrices of a layout and of its inverse; None where it is not affine."""
    if not isinstance(layout, Layout):
        return {"address": "None", "index": "None"}
    return {"address": map_of(layout.address), "index": map_of(layout.inverse)}


def _where(layout: Placement, element: str) -> str:
    """Return in words where an element lives."""
    M, P = 1 << layout.m, 1 << layout.p
    meaning = {
        "block": f"rank j div {M}, offset j mod {M}",
        "cyclic": f"rank j mod {P}, offset j div {P}",
        "hartley": (
            f"rank 0 at offset j div {P} if {P} divides j, else beside {element.replace('j', '-j')}"
            f" on the rank that is j or -j mod {2 * P}"
        ),
        "half-spectrum": "the rank of index j div 2 in the hartley layout, y[2m] beside y[2m + 1]",
    }
    return (
        f"{escaped(layout.name)}: {element} lives on"
        f" {meaning.get(layout.name, 'the rank and offset that the bit matrix below gives')}"
    )


def _fourier(program: Program, options: Options) -> dict[str, Any]:
    """Return what the Fourier transform prints beside."""
    if options.dtype not in DTYPES:
        raise ValueError(f"unknown dtype {options.dtype!r}: choose from {', '.join(DTYPES)}")
    N, forward, scale = program.N, options.direction == "forward", scale_of(program.N, options)
    matrix = {"1": "", "1 / N": f"1/{N} ", "N**-0.5": f"{N}^(-1/2) "}[scale] + f"F_{N}"
    sign, numba = "-" if forward else "", options.kernels == "numba"
    overlaps = _overlaps(program)
    computed = [
        step
        for step in program.steps
        if isinstance(step, Local) or (isinstance(step, Across) and program.system == "fft")
    ]
    return {
        "title": (
            f"Discrete Fourier transform of N = {N} elements on P = {program.P} ranks: "
            f"{options.direction}, {options.dtype}, {options.kernels} kernels."
        ),
        "statements": [
            f"y = {matrix} x,   F_{N}[j, k] = w^(jk),   w = exp({sign}2 pi i / {N})",
            escaped(str(program.equation)),
        ],
        "postcondition": f"y = {matrix} x",
        "direction": quoted(options.direction),
        "norm": quoted(options.norm),
        "factorization": (
            quoted(program.equation.source) if program.equation.name == FORMULA else ""
        ),
        "choices": {
            "PHASES": quoted(program.phases) if program.phases else "",
            "LOCAL": quoted(program.local) if program.local else "",
        },
        "dtype": quoted(options.dtype),
        "as_bytes": "",
        "sign": -1 if forward else 1,
        "scale": scale,
        "overlaps": overlaps,
        "from_first": program.M >= WITHOUT_ONES and not overlaps,
        "scaled": scale != "1",
        "reference": "fft" if forward else "ifft",
        "prepare": "prepare" if numba and (computed or _generalized(program)) else "",
        **(
            {"array": "aligned", "rooms": bool(computed)}
            | fourier.view(computed, program.M, options.dtype)
            if numba
            else {}
        ),
        "reverses": any(isinstance(step, fourier.ReversedStages) for step in program.steps),
    }


def _hartley(program: Program, options: Options) -> dict[str, Any]:
    """Return what the Hartley transform prints beside."""

    def row(move: Move | None, meaning: str) -> dict[str, str]:
        return {"comment": escaped(meaning), "move": literal(move_of(move, program, options))}

    chosen = (
        options.direction,
        options.norm,
        options.kernels,
        options.dtype,
        options.result,
        options.convolve,
    )
    return hartley.view(program, *chosen, scale_of(program.N, options), options.exchange, row)


def _hypercube(program: Program, options: Options) -> dict[str, Any]:
    """Return what a hypercube FFT prints beside."""
    return _fourier(program, options) | hypercube.view(program, options)


def _permutation(program: Program, options: Options) -> dict[str, Any]:
    """Return what a permutation prints beside."""
    dtype = fixed_size(options.dtype)
    moves = [move_of(step, program, options) for step in program.steps if isinstance(step, Move)]
    rearranges = any(move and (move[0] or move[2]) for move in moves)
    return {
        "title": (
            f"BMMC permutation of N = {program.N} elements of {dtype} on P = {program.P} ranks:"
            f" {options.kernels} kernels."
        ),
        "statements": [
            "y[A j + c] = x[j], A a bit matrix, c a complement, arithmetic over GF(2)",
            escaped(_in_letters(program)),
        ],
        "postcondition": "y[A j + c] = x[j]",
        "permutation": map_of(affine(program.equation.left)),
        "dtype": quoted(options.dtype),
        "as_bytes": "" if dtype.isnative and dtype.char in KNOWN_TO_MPI else ".view(np.uint8)",
        "prepare": "prepare" if options.kernels != KERNELS[0] and rearranges else "",
        **(
            kernel(program.input.m, options.kernels, dtype.itemsize)
            if options.kernels != KERNELS[0]
            else {}
        ),
    }


def _in_letters(program: Program) -> str:
    """Return the equation of a permutation; one from a file goes by the name of the file."""
    name = program.equation.left.name if isinstance(program.equation.left, Bmmc) else ""
    return str(program.equation).replace(name, PurePath(name).stem.lstrip(".") if name else "")
