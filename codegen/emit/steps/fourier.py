"""Local transforms of a straight program by compiled kernels: operations, and the tables of a rank.

operation = kernel(number, addresses)               F_d of a rank's elements, after its twiddles
          | half_across(number, addresses, peers)   half of F_2 between two ranks, from all of both
          | transposed(rows, columns)               a rearrangement
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.emit.arrangements import transpose_of
from codegen.emit.steps.arrays import Operation
from codegen.kernels import fourier
from codegen.program.supersteps import Across, Local, Program, Rounds, Twiddle
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
    """Return the kernels of a program, each once."""
    steps = (step for step in program.steps if isinstance(step, Local | Across))
    return fourier.used(steps, program.M)


def computing(step: Local | Across, program: Program, tables: Any) -> Operation:
    """Return the operation of a local transform; its tables are named."""
    kernel = fourier.kernel_of(step, program.M)
    number, room = kernels_of(program).index(kernel), tables.name("room", "")
    operation = {"needs": ("kernels",), "number": number, "streams": kernel.streams}
    operation |= {"whole": 0, "apart": False}
    if isinstance(step, Across):
        assert step.twiddle is not None, "a stage has twiddles"
        half = tables.name("half", (step.twiddle, number))
        addresses, peers = Addresses(half, room, 1, half), tables.name("peers", PARTNER)
        operation |= {"macro": "half_across", "needs": ("kernels", "rounds"), "peers": peers}
    else:
        roots, before = tables.name("roots", number), ""
        if step.twiddle is not None:
            first = step.c if kernel.twiddled == fourier.OTHERS else 0
            before = tables.name("twiddle", (step.twiddle, first))
        addresses = Addresses(roots, room, step.copies, before)
        operation |= {"macro": "kernel"}
    return operation | {"addresses": tables.name("addresses", addresses)}


def transposing(offset: Affine, m: int, kit: str) -> Operation | None:
    """Return the operation of a rearrangement that is a transpose, if it is one."""
    shape = transpose_of(offset, m)
    return shape and {"macro": "transposed", "needs": (kit,), "shape": shape}


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


def beside(program: Program) -> dict[str, Any]:
    """Return which parts of the text of kernels a program prints."""
    one_table = fourier.of_type(program.spec.dtype)
    return {"uses": fourier.uses(kernels_of(program), one_table)}


def compiled(program: Program) -> dict[str, Any]:
    """Return what a program prints of its kernels beside those of codegen/kernels/fourier.py."""
    across = any(isinstance(step, Across) for step in program.steps)
    return {"kind": "vectors", "array": "aligned", "names": (), "words": "", "across": across}
