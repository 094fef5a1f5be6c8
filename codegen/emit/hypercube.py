"""What the template of a hypercube FFT with compiled kernels prints beside what every Fourier
transform prints.
"""

from __future__ import annotations

from typing import Any

from codegen.emit.buffers import room as room_of
from codegen.emit.buffers import twiddles_of_a_stage
from codegen.emit.rows import change_of, comment_of, literal, move_of, quoted
from codegen.kernels import fourier
from codegen.program.supersteps import (
    Across,
    AllToAll,
    Local,
    Move,
    Overlap,
    Program,
    Step,
    Twiddle,
)

STAGES = ("transform", "exchange", "butterflies", "overlapped", "across")
"""The kinds of supersteps of a hypercube FFT, by the names of their classes."""
BUTTERFLIES_OF = {
    Across: {"multiply": 3, "combine": 2},
    Local: {"butterflies": 5},
    Overlap: {"one_half": 4},
}
"""The compiled functions for a step of a hypercube FFT, and how many addresses they take."""


def view(program: Program) -> dict[str, Any]:
    """Return what a hypercube FFT prints beside: its supersteps one by one, and the elements of its
    tables and work arrays.
    """
    room, stages = (
        room_of(program),
        [_stage(i, step, program) for i, step in enumerate(program.steps)],
    )
    kinds = {kind for _, (kind, *_) in stages}
    return {
        "scheme": quoted(program.spec.scheme),
        "stages": [{"comment": comment, "text": literal(stage)} for comment, stage in stages],
        "kinds": "{"
        + ", ".join(f'"{kind}": {kind.capitalize()}' for kind in STAGES if kind in kinds)
        + "}",
        "after": any(step.after for step in program.computations),
        "table": "M" if twiddles_of_a_stage(program) == program.M else "H",
        "work": {program.M: "M", program.M // 2: "H"}.get(room.work, "0"),
        "extra": "H" if room.extra else "0",
        "reverses": False,
        **_kernels(program),
    }


def _kernels(program: Program) -> dict[str, Any]:
    """Return what a hypercube FFT prints of its kernels."""
    kernels = fourier.used(_transforms(program))
    kinds = dict.fromkeys(
        type(step)
        for step in program.steps
        if not isinstance(step, Move) and step not in _transforms(program)
    )
    functions = {name: count for kind in kinds for name, count in BUTTERFLIES_OF[kind].items()}
    past = (
        program.spec.scheme == "3"
        and not any(step.after for step in program.computations)
        and program.M // 2 >= fourier.STREAMED
    )
    choosing = ("combine", "one_half", *["butterflies"] * past)
    return fourier.of_kernels(kernels, "DTYPE") | {
        "lanes": min([kernel.lanes for kernel in kernels] + [max(1, program.M // 2)]),
        "local_kernels": kernels,
        "array": "aligned",
        "prepare": "prepare_all",
        "functions": functions,
        "past": past,
        "takes_home": program.steps[:1] in [(step,) for step in _transforms(program)],
        "calls": [
            f"{name}({', '.join(['there'] * count)}, {'0, ' * (name in choosing)}0)"
            for name, count in functions.items()
        ],
    }


def _transforms(program: Program) -> list[Local]:
    """Return the local transforms of a hypercube FFT, which are no butterflies between halves."""
    return [step for step in program.steps if isinstance(step, Local) and not step.is_butterfly]


def _stage(i: int, step: Step, program: Program) -> tuple[str, tuple[Any, ...]]:
    """Return (factors, (kind, ...)) of a superstep of a hypercube FFT."""
    m, last = program.input.m, len(program.steps) - 1
    match step:
        case Move(exchange=AllToAll((e,))) if 0 < i < last:
            return comment_of(step, [], ""), ("exchange", e.bit_length() - 1)
        case Move():
            change = change_of("from", program.input) if i == 0 else change_of("to", program.output)
            return comment_of(step, [], change), ("move", *(move_of(step, program) or ()))
        case Overlap(local, Move(exchange=AllToAll((e,))) as move):
            comment = f"{comment_of(None, [local], '')}, {comment_of(move, [], '')}"
            weights = _weights(local.twiddle, m - 1, m)
            return comment, ("overlapped", weights, e.bit_length() - 1)
        case Across(twiddle, channel):
            return comment_of(None, [step], ""), ("across", _weights(twiddle, m, m), channel)
        case Local(twiddle) if step.is_butterfly:
            return comment_of(None, [step], ""), ("butterflies", _weights(twiddle, m - 1, m))
        case Local(None, copies, d, 1):
            kernel = fourier.used(_transforms(program)).index(fourier.kernel_of(step))
            return comment_of(None, [step], ""), ("transform", copies, d, kernel)
    raise ValueError(f"{step} has no text in a hypercube FFT")


def _weights(twiddle: Twiddle | None, offsets: int, m: int) -> tuple[Any, ...]:
    """Return the twiddles of butterflies by the bits of an offset and of the rank; there are always
    some.
    """
    assert twiddle is not None, "butterflies have twiddles"
    return twiddle.order, twiddle.j.columns[:offsets], twiddle.j.columns[m:]
