"""Local transforms of a straight program by compiled kernels: operations, and the tables of a rank.

operation = kernel(number, addresses)               F_d of a rank's elements, after its twiddles
          | half_across(number, addresses, peers)   half of F_2 between two ranks, from all of both
          | transposed(rows, columns)               a rearrangement
          | interleaved(rows, columns)              the same, of rows that lie apart as messages

Where memory is shared, a kernel may read messages where they lie, so each half of F_2, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.emit.steps.array_names import Operation
from codegen.kernels import fourier_kernels
from codegen.kernels.widths import LANES
from codegen.program.bits.bit_exchanges import Rounds
from codegen.program.protocol import Exchange
from codegen.program.supersteps import Program
from derive.gf2.bits import Affine


@dataclass(frozen=True)
class Peers:
    """The ranks of an exchange that is no all-to-all of groups, whose messages go together by
    counts for all ranks, or one by one.
    """

    exchange: Exchange
    by_counts: bool = False


PARTNER = Peers(Rounds(Affine((), 1), Affine((1,), 1, 1)))
"""The one message of a rank to the other of two."""
TRANSPOSES = ("transposed", "interleaved")
"""The kernels that transpose an array, whole or of rows that lie apart."""
KINDS = ("half", "roots", "room", "line", "tile", "addresses")
"""The kinds of tables that a kernel reads, in the order in which a plan makes them."""


def kernels_of(program: Program) -> list[fourier_kernels.Kernel | fourier_kernels.HalfKernel]:
    """Return the kernels of the transforms of a program, each once."""
    return fourier_kernels.used(transforms(program), program.G)


def transforms(program: Program) -> list[Any]:
    """Return the local transforms of a program, which are no stages of a hypercube FFT."""
    found = [each for step in program.steps for each in step.transforms_of_ranks]
    if program.request.scheme:
        return [step for step in found if step.butterfly is None]
    return [step for step in found if step.exchanges or fourier_kernels.has_kernel(step.d)]


def transposing(shape: tuple[int, ...]) -> Operation:
    """Return the operation of a transpose."""
    return {"macro": "transposed", "needs": ("passes",), "shape": shape}


def joining(shape: tuple[int, ...]) -> Operation:
    """Return the operation of a transpose whose rows are messages."""
    return transposing(shape) | {"macro": "interleaved", "reads": True, "apart": False}


def joins(messages: int, shape: tuple[int, ...]) -> bool:
    """Return whether the rows of a transpose that unpacks are messages which a kernel reads where
    they lie.
    """
    return shape[0] == messages <= fourier_kernels.MESSAGES


def beside(program: Program, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the lanes of the vectors of a program, and its transposes."""
    lanes = [kernel.lanes for kernel in kernels_of(program)]
    lanes += [max(1, program.M // 2)] if program.request.scheme else []
    shapes = {
        name: [each["shape"] for each in operations if each["macro"] == name] for name in TRANSPOSES
    }
    sides = [side for found in shapes.values() for shape in found for side in shape]
    transposes = [name for name in TRANSPOSES if shapes[name]]
    return {
        "lanes": min(lanes, default=LANES),
        "run": min([fourier_kernels.RUN, *sides]) if sides else 0,
        "transposes": transposes,
        "run_messages": sorted({rows for rows, _ in shapes["interleaved"]}),
    }


def loaders(found: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that make what loads vectors, and codelets that are parts of kernels."""
    complex, lanes, run = found["complex"], found["lanes"], found["run"]
    yield f"W = min({lanes}, widest({complex}))  # lanes: complex numbers per vector"
    yield f"load, load_pairs, broadcast = loads({complex}, W)"
    yield from [f"load_lists = lists({complex}, W)"] * found["lists"]
    yield from [f"load_lists_1 = lists({complex}, 1)"] * found["single"]
    for n in found["narrow"]:
        yield f"load_{n}, load_pairs_{n}, broadcast_{n} = loads(DTYPE, {n})"
    yield from [f"load_run = loads(DTYPE, {run})[1]"] * (run > 0)
    for name in found["codelets"]:
        yield f"{name} = inline({name})"
