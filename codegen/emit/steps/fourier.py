"""Local transforms of a straight program by compiled kernels: operations, and the tables of a rank.

operation = kernel(number, addresses)               F_d of a rank's elements, after its twiddles
          | half_across(number, addresses, peers)   half of F_2 between two ranks, from all of both
          | transposed(rows, columns)               a rearrangement
          | joined(rows, columns)                   the same, of rows that lie apart as messages

Where memory is shared, a kernel may read messages where they lie, so each half of F_2, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codegen.emit.steps import channels
from codegen.emit.steps.arrays import Operation
from codegen.kernels import fourier
from codegen.kernels.plain_vectors import LANES
from codegen.program.supersteps import Across, Local, Move, Program, Rounds, Twiddle
from codegen.spec import SHARED
from derive.gf2.bits import Affine

PARTNER = Rounds(Affine((), 1), Affine((1,), 1, 1))
"""The one message of a rank to the other of two."""
KINDS = ("half", "roots", "room", "line", "addresses")
"""The kinds of tables that a kernel reads, in the order in which a plan makes them."""


@dataclass(frozen=True)
class Addresses:
    """What a kernel is given beside source and target: addresses of these tables, and copies."""

    roots: str
    room: str
    copies: int
    before: str = ""


def kernels_of(program: Program) -> list[fourier.Kernel | fourier.HalfKernel]:
    """Return the kernels of the transforms of a program, each once."""
    return fourier.used(transforms(program), program.M)


def transforms(program: Program) -> list[Local | Across]:
    """Return the local transforms of a program, which are no stages of a hypercube FFT."""
    if program.spec.scheme:
        return [step for step in program.steps if isinstance(step, Local) and not step.is_butterfly]
    return [step for step in program.steps if isinstance(step, Local | Across)]


def computing(step: Local | Across, program: Program, tables: Any) -> Operation:
    """Return the operation of a local transform; its tables are named."""
    kernel = fourier.kernel_of(step, program.M)
    number, room = kernels_of(program).index(kernel), tables.name("room", "")
    shares = tables.exchange == SHARED
    reads = {"reads": True} if kernel.messages > 1 and shares else {}
    operation = {"macro": "kernel", "needs": ("kernels",), "number": number}
    operation |= {"streams": kernel.streams, "whole": 0, "apart": False, **reads}
    operation |= {"hops": 0} if program.spec.scheme else {}
    if isinstance(step, Across):
        assert step.twiddle is not None, "a stage has twiddles"
        half = tables.name("half", (step.twiddle, number))
        addresses = Addresses(half, room, 1, half)
        if not shares:
            peers = tables.name("peers", PARTNER)
            operation |= {"macro": "half_across", "needs": ("kernels", "rounds"), "peers": peers}
    else:
        roots, before = tables.name("roots", number), ""
        if step.twiddle is not None:
            first = step.c if kernel.twiddled == fourier.OTHERS else 0
            before = tables.name("twiddle", (step.twiddle, first))
        addresses = Addresses(roots, room, step.copies, before)
    return operation | {"addresses": tables.name("addresses", addresses)}


def transposing(shape: tuple[int, ...], kit: str) -> Operation:
    """Return the operation of a transpose, a kernel of this kit."""
    return {"macro": "transposed", "needs": (kit,), "shape": shape}


def joining(shape: tuple[int, ...]) -> Operation:
    """Return the operation of a transpose whose rows are messages."""
    return transposing(shape, "kernels") | {"macro": "joined", "reads": True}


def joins(move: Move, shape: tuple[int, ...]) -> bool:
    """Return whether the rows of a transpose that unpacks are messages which a kernel reads where
    they lie.
    """
    assert move.exchange is not None, "messages are exchanged"
    return shape[0] == 1 << move.exchange.rank_gamma <= fourier.MESSAGES


def table(kind: str, how: Any, tables: Any) -> dict[str, Any]:
    """Return a table of a kernel as the template prints it."""
    needs = ("root_of_unity",) if kind == "roots" else ()
    return half(how, tables) if kind == "half" else {"how": how, "needs": needs}


def half(how: tuple[Twiddle, int], tables: Any) -> dict[str, Any]:
    """Return the twiddles of one half of F_2 as two tables: w^(j(o)) is the product of an entry for
    the low bits of o and one for the others, with half a turn more on the second of two ranks.
    """
    (twiddle, number), m = how, tables.m
    order, j = twiddle.order, twiddle.j.columns
    bits, ranks = order.bit_length() - 1, tuple(column | order // 2 for column in j[m:])
    return {
        "needs": ("root_of_unity", "half"),
        "low": tables.written(Affine(j[:m], bits), ("o", m)),
        "high": tables.written(Affine((*j[:m], *ranks), bits), ("o", m), ("rank", len(ranks))),
        "order": order,
        "number": number,
    }


def beside(program: Program, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return which parts of the text of kernels a program prints."""
    kernels, one_table = kernels_of(program), fourier.of_type(program.spec.dtype)
    lanes = [kernel.lanes for kernel in kernels]
    lanes += [max(1, program.M // 2)] if program.spec.scheme else []
    whole, apart = (
        [operation["shape"] for operation in operations if operation["macro"] == macro]
        for macro in ("transposed", "joined")
    )
    return {
        "uses": fourier.uses(kernels, one_table),
        "lanes": min(lanes, default=LANES),
        "run": min([fourier.RUN, *map(min, whole + apart)]) if whole + apart else 0,
        "transposes": bool(whole),
        "run_messages": sorted({shape[0] for shape in apart}),
    }


def compiled(program: Program) -> dict[str, Any] | None:
    """Return what a program prints of its kernels beside those of codegen/kernels/fourier.py, if it
    has some.
    """
    local = transforms(program)
    on_halves = channels.kernels_of(program) if program.spec.scheme else {}
    if not (local or on_halves):
        return None
    return {
        "kind": "vectors",
        "array": "aligned",
        "names": (),
        "words": "",
        "across": any(isinstance(step, Across) for step in local),
        "on_halves": on_halves,
        "prepare": ["prepare"] * bool(local) + ["prepare_halves"] * bool(on_halves),
    }
