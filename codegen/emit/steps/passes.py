"""Compiled Fourier transforms of a straight program: operations, and the tables of a rank.

operation = kernel(number, addresses)               F_d of a rank's elements, after its twiddles
          | half_across(number, addresses, peers)   half of F_2 between two ranks, from all of both
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codegen.emit.steps.arrays import Operation
from codegen.emit.steps.fourier import PARTNER, kernels_of
from codegen.kernels import fourier
from codegen.kernels.fourier import HalfKernel, Kernel
from codegen.kernels.loops import View, columns, half, two_passes
from codegen.kernels.permute import text
from codegen.program.supersteps import Across, Local, Move, Program, Twiddle
from codegen.spec import SHARED
from derive.gf2.bits import Affine

SPLIT = {"after_columns", "between_vectors"}
"""The tables that are made for vectors."""


def are_in(program: Program) -> bool:
    """Return whether the kernels of a program are printed as the loops that they are."""
    spec = program.spec
    one_kind = all(isinstance(step, Move | Local | Across) for step in program.steps)
    return spec.system == "fft" and spec.exchange != SHARED and one_kind


def loops(program: Program) -> list[View]:
    """Return the kernels of a program as the template prints them."""
    one_table = fourier.of_type(program.spec.dtype)
    return [
        _printed(kernel, number, one_table) for number, kernel in enumerate(kernels_of(program))
    ]


def _printed(kernel: Kernel | HalfKernel, number: int, one_table: int) -> View:
    """Return a kernel as the template prints it: its loops, arguments and tables."""
    if isinstance(kernel, HalfKernel):
        found, size, given = half(kernel), kernel.c, ["half"]
        arrays = ["x", "other", "y"]
    else:
        one = kernel.c > 1 or kernel.d <= fourier.SCALAR
        found = columns(kernel) if one else two_passes(kernel, one_table)
        size, arrays = kernel.d * kernel.c, ["x", "y"]
        given = [name for name in ("roots", "room", "line") if _has(found, name)]
        given += ["twiddle"] * (kernel.twiddled != fourier.NONE)
    arguments = [*arrays, *given, "copies", *["streamed"] * kernel.streams]
    return found | {
        "kernel": kernel,
        "number": number,
        "size": size,
        "given": given,
        "arguments": ", ".join(arguments),
        "nothing": ", ".join(["there"] * len([*arrays, *given]) + ["0"] * (1 + kernel.streams)),
        "dealt": getattr(kernel, "parts", 1) > 1,
    }


def _has(found: View, name: str) -> bool:
    return bool(found["roots"].size if name == "roots" else found[name])


@dataclass(frozen=True)
class Table:
    """A table of a plan: the macro that prints it, what it is given, and what it is in words."""

    macro: str
    given: tuple[Any, ...]
    words: str
    needs: tuple[str, ...] = ()


def view(how: Table, tables: Any) -> View:
    """Return a table of a kernel as the template prints it."""
    found = {"macro": how.macro, "given": how.given, "words": how.words, "needs": how.needs}
    if how.macro == "half_of":
        twiddle, low = how.given
        found |= _of_half(twiddle, low, tables)
    return found


def _of_half(twiddle: Twiddle, low: int, tables: Any) -> View:
    """Return the twiddles of one half of F_2 as two tables: w^(j(o)) is the product of an entry for
    the low bits of o and one for the others, with half a turn more on the second of two ranks.
    """
    order, j, m, split = twiddle.order, twiddle.j.columns, tables.m, low.bit_length() - 1
    bits, ranks = order.bit_length() - 1, tuple(column | order // 2 for column in j[m:])
    high = Affine((*j[split:m], *ranks), bits)
    return {
        "order": order,
        "low": tables.written(Affine(j[:split], bits), ("o", split)),
        "high": tables.written(high, ("o", m - split), ("rank", len(ranks))),
        "count": low,
        "rest": (1 << m) // low,
    }


def computing(step: Local | Across, program: Program, tables: Any) -> Operation:
    """Return the operation of a local transform; its tables are named."""
    kernels = loops(program)
    kernel = next(k for k in kernels if k["kernel"] == fourier.kernel_of(step, program.M))
    operation: Operation = {
        "needs": ("passes",),
        "macro": "kernel",
        "number": kernel["number"],
        "streams": kernel["kernel"].streams,
        "whole": kernel["dealt"] and kernel["kernel"].parts,
        "copies": 1,
        "addresses": "",
        "apart": True,
    }
    if isinstance(step, Across):
        peers = tables.name("peers", PARTNER)
        operation |= {"macro": "half_across", "needs": ("passes", "rounds"), "peers": peers}
    else:
        operation["copies"] = step.copies
    names = tuple(_table(name, step, kernel, kernels, tables) for name in kernel["given"])
    if names:
        given = Table("given", (*names, operation["copies"]), "")
        operation["addresses"] = tables.name("addresses", given)
    return operation


def _table(
    name: str, step: Local | Across, kernel: View, kernels: Sequence[View], tables: Any
) -> str:
    """Return the name of a table that a kernel is given."""
    if name == "roots":
        how = Table("roots_of_loops", tuple(kernel["roots"].calls), "roots", ("root_of_unity",))
    elif name == "half":
        how = Table("half_of", (step.twiddle, kernel["low"]), "half", ("root_of_unity",))
    elif name == "twiddle":
        others = kernel["kernel"].twiddled == fourier.OTHERS
        first = kernel["kernel"].c if others else 0
        return str(tables.name("twiddle", (step.twiddle, first)))
    else:
        size = max(each[name] for each in kernels)
        how = Table("space", (size, name == "line"), "room")
    return str(tables.name(name, how))


def beside(program: Program) -> View:
    """Return what the template prints of the kernels of a program beside them."""
    kernels = loops(program)
    of_both = [k["kernel"] for k in kernels if k["kind"] != "half"]
    found = {r for kernel in of_both for r in _radices(kernel)}
    calls = {call.partition("(")[0] for kernel in kernels for call in kernel["roots"].calls}
    rotates = bool(calls) or any(kernel.twiddled == fourier.OTHERS for kernel in of_both)
    codelets = [f"fft{r}" for r in (2, 4, 8) if r in found or (r, 8 in found) == (4, True)]
    halves = any(k["kind"] == "half" for k in kernels)
    puts = any(k["kernel"].streams and not k["dealt"] for k in kernels)
    return {
        "loops": kernels,
        "makers": calls | {"side_by_side"} if calls or halves else calls,
        "splits": bool(calls & SPLIT) or any({"twiddle", "half"} & {*k["given"]} for k in kernels),
        "codelets": codelets + ["rotate"] * rotates + ["put_pairs"] * puts,
    }


def _radices(kernel: Kernel) -> tuple[int, ...]:
    if kernel.c > 1 or kernel.d <= fourier.SCALAR:
        return fourier.radices(kernel.d)
    r, rest, rows = fourier.two_passes(kernel.d)
    return (r, *rest, *rows)


def compiled(program: Program) -> View | None:
    """Return what a program prints of its kernels where they are compiled, if it has some."""
    found = beside(program)
    if not found["loops"]:
        return None
    return {
        "kind": "passes",
        "array": "aligned",
        "prepare": ["prepare"],
        "words": "Complex vectors under numba",
        "operations": text.section("vectors"),
        "codelets": found["codelets"],
        "names": [f"local_{k['number']}" for k in found["loops"]],
    }
