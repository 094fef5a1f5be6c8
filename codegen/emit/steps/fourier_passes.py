"""Compiled Fourier transforms of a straight program: operations, and the tables of a rank.

operation = kernel(number, addresses)               F_d of a rank's elements, after its twiddles
          | half_across(number, addresses, peers)   half of F_2 between two ranks, from all of both
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from codegen.emit.steps import channels, generalized
from codegen.emit.steps import fourier_lines as fourier_
from codegen.emit.steps.array_names import Operation
from codegen.emit.steps.fourier_lines import PARTNER, kernels_of
from codegen.kernels import fourier_kernels
from codegen.kernels.fourier_kernels import LISTS, HalfKernel, Kernel
from codegen.kernels.loops import View, columns, half, storing, two_passes
from codegen.kernels.permute import kernel_text
from codegen.kernels.primes import PRIMES, codelet
from codegen.program.digits.digit_supersteps import Diagonal
from codegen.program.supersteps import Program
from derive.maps.map_expressions import Field, Number

SPLIT = {"after_columns", "between_vectors"}
"""The tables that are made for vectors."""
IN_PASSES = "kernel_in_passes"
"""The macro of a kernel of two passes, between which all ranks wait."""
IN_PLACE = "kernel_in_place"
"""The macro of a kernel that stores its results where it reads messages."""
FORMS = IN_PASSES, IN_PLACE
VECTORS = "Complex vectors under numba"
PASS_BY_PASS = 2**22
"""From so many elements of a rank on, ranks wait between the two passes of a kernel where the
window can have one half then.
"""


def loops(program: Program, forms: Mapping[int, str] = MappingProxyType({})) -> list[View]:
    """Return the kernels of a program as the template prints them; of those that are called by
    other macros than their own, these macros are given.
    """
    one_table = fourier_kernels.of_type(program.request.dtype)
    return [
        printed(kernel, f"local_{number}", one_table, forms.get(number, "")) | {"number": number}
        for number, kernel in enumerate(kernels_of(program))
    ]


def printed(kernel: Kernel | HalfKernel, name: str, one_table: int, form: str = "") -> View:
    """Return a kernel of this name as the template prints it: its loops, arguments and tables. Run
    pass by pass, its room has pairs between; in place, it has no other array than its messages.
    """
    if form == IN_PLACE:
        kernel = replace(kernel, streams=False)
    if isinstance(kernel, HalfKernel):
        found, size, given = half(kernel), kernel.c, ["half"]
        arrays = ["x", "other", "y"]
    else:
        found = columns(kernel) if kernel.in_columns else two_passes(kernel, one_table)
        found["stores"] = storing(kernel, found, form == IN_PLACE)
        size, lists = kernel.d * kernel.c, kernel.twiddled == LISTS
        arrays = ["re", "im", "y", "twiddle"] if lists else ["x", "y"][: 1 + (form != IN_PLACE)]
        arrays = ["x", "at", "step", "y", "to", "far"] if kernel.strided else arrays
        given = [table for table in ("roots", "room", "line") if _has(found, table)]
        given += ["twiddle"] * (kernel.twiddled != fourier_kernels.NONE and not lists)
    parted = form == IN_PASSES
    strided = getattr(kernel, "strided", False)
    counts = ["copies"] * (not strided) + ["columns", "rows"] * parted
    counts += ["to"] * bool(getattr(kernel, "put", ())) + ["streamed"] * kernel.streams
    arguments = [*arrays, *given, *counts]
    addresses, messages = len([*arrays, *given]), f"(there,) * {getattr(kernel, 'messages', 1)}, "
    apart = getattr(kernel, "size", 0) > 0
    return found | {
        "kernel": kernel,
        "name": name,
        "size": size,
        "given": given,
        "arguments": ", ".join(arguments),
        "nothing": messages * apart + nothing(addresses - apart, len(counts)),
        "dealt": getattr(kernel, "parts", 1) > 1,
        "parted": parted,
        "in_place": form == IN_PLACE,
        "strided": strided,
        "forms": found.get("one", {}).get("load", {}).get("forms", []),
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
        diagonal, low = how.given
        found |= _of_half(diagonal, low, tables)
    if how.macro == "products":
        diagonal, c, low = how.given
        found |= _of_products(diagonal, c, low, tables)
    return found


def _of_products(diagonal: Diagonal, c: int, low: int, tables: Any) -> View:
    """Return the twiddles of all rows of length c but the first as two tables: w^(i j(o)) is the
    product of an entry for i and the low digits of o and one for the others and i. Offsets have the
    row on top in the first table, and at the bottom in the second.
    """
    (P, M), ((i, j, _),) = tables.parts, diagonal.terms
    d, rest = M // c, M // low
    ranks = j.part(M, P * M, rest).fields
    return {
        "order": diagonal.order,
        "low": low,
        "i": tables.written(i.part(c, M, low), ("o", low * d)),
        "j": tables.written(j.part(1, low, 1), ("o", low * d)),
        "stop": low * d,
        "row": tables.written(i.part(c, M, 1), ("o", rest)),
        "high": tables.written(
            Number((*ranks, *j.part(low, c, d).fields)), ("rank", P), ("o", rest)
        ),
        "rest": rest,
    }


def _of_half(diagonal: Diagonal, low: int, tables: Any) -> View:
    """Return the twiddles of one half of F_2 as two tables: w^(j(o)) is the product of an entry for
    the low digits of o and one for the others, with half a turn more on the second of two ranks.
    """
    (P, M), order, ((_, j, _),) = tables.parts, diagonal.order, diagonal.terms
    rest = M // low
    high = Number((Field(rest, P, order // 2), *j.part(low, M, 1).fields))
    return {
        "order": order,
        "low": tables.written(j.part(1, low, 1), ("o", low)),
        "high": tables.written(high, ("rank", P), ("o", rest)),
        "count": low,
        "rest": rest,
    }


def computing(step: Any, program: Program, tables: Any) -> Operation:
    """Return the operation of a local transform; its tables are named."""
    kernels = loops(program)
    kernel = next(k for k in kernels if k["kernel"] == fourier_kernels.kernel_of(step, program.G))
    operation: Operation = {
        "needs": ("passes",),
        "macro": "kernel",
        "number": kernel["number"],
        "streams": kernel["kernel"].streams,
        "whole": kernel["dealt"] and kernel["kernel"].parts,
        "copies": 1,
        "rooms": "room" in kernel["given"],
        "addresses": "",
        "apart": step.exchanges,
        **({"hops": 0} if program.request.scheme else {}),
    }
    if tables.way.shares and (step.exchanges or kernel["apart"]):
        operation["reads"] = True
    elif tables.mails and (step.exchanges or kernel["apart"]):
        operation["mail"] = True
    elif step.exchanges:
        peers, function = tables.name("peers", PARTNER), tables.one_by_one(PARTNER.exchange)
        needs = {"needs": ("passes", function), "function": function}
        operation |= {"macro": "half_across", **needs, "peers": peers}
    if not step.exchanges:
        operation["copies"] = step.copies
        several = kernel.get("one", {}).get("inner")  # radices in the first pass
        whole = kernel["kind"] == "columns" and kernel["kernel"].messages == step.d
        operation["rows"] = whole and step.copies == kernel["kernel"].parts == 1
        if several and step.copies == 1 and program.M >= PASS_BY_PASS:
            counts = {"columns": kernel["n2"], "rows": kernel["n1"]}
            operation["passes"] = counts | {"messages": step.messages}
    names = tuple(_table(name, step, kernel, program, tables) for name in kernel["given"])
    if names:
        given = Table("given", (*names, operation["copies"]), "")
        operation["addresses"] = tables.name("addresses", given)
    return operation


def _table(name: str, step: Any, kernel: View, program: Program, tables: Any) -> str:
    if name == "roots":
        how = Table("roots_of_loops", tuple(kernel["roots"].calls), "roots", ("root_of_unity",))
    elif name == "half":
        how = Table("half_of", (step.diagonal, kernel["low"]), "half", ("root_of_unity",))
    elif name == "twiddle" and kernel["low"]:
        given = step.diagonal, kernel["kernel"].c, kernel["low"]
        how = Table("products", given, "twiddle", ("root_of_unity",))
    elif name == "twiddle":
        found = kernel["kernel"]
        own = step.d * step.c if found.same else program.G
        first = found.c if found.twiddled == fourier_kernels.OTHERS else 0
        return str(tables.name("twiddle", (step.diagonal, found.run, own, first)))
    else:
        how = _space(name, program)
    return str(tables.name(name, how))


def _space(name: str, program: Program) -> Table:
    """Return the room or the line that the kernels of a program share; a half of a rank's elements
    may come to the room.
    """
    least = program.M // 2 if name == "room" and channels.form(program)["comes"] else 0
    size = max([each[name] for each in loops(program)] + [least])
    return space(size, program, "room", of_vectors=name == "line")


def space(size: int, program: Program, words: str, of_vectors: bool = False) -> Table:
    """Return the table that is room for so many complex numbers, or vectors of them."""
    return Table("space", (size * (1 + program.in_pairs), of_vectors), words)


def receiving(program: Program, tables: Any) -> None:
    """Name the room of a program in which half of a rank's elements come to it."""
    if channels.form(program)["comes"]:
        tables.name("room", _space("room", program))


def of_program(program: Program, operations: Sequence[Operation]) -> View:
    """Return what the template prints of the kernels of a Fourier transform beside them."""
    forms = {each["number"]: each["macro"] for each in operations if each["macro"] in FORMS}
    found, stages = beside(loops(program, forms)), generalized.beside(program)
    on_halves = channels.kernels_of(program) if program.request.scheme else {}
    return found | {
        **stages,
        "on_halves": on_halves,
        **({"complex": "COMPLEX"} if program.in_pairs else {}),
        "splits": bool(found["splits"] or on_halves or stages["phases"]),
        "codelets": found["codelets"] + stages["combines"],
        **fourier_.beside(program, operations),
    }


def beside(kernels: Sequence[View]) -> View:
    """Return what the template prints of kernels beside them."""
    calls = {call.function for kernel in kernels for call in kernel["roots"].calls}
    halves = any(k["kind"] == "half" for k in kernels)
    codelets = _codelets(kernels)
    return {
        "loops": kernels,
        **dict.fromkeys(("phases", "reverses", "narrow", "transposes"), ()),
        "on_halves": {},
        "run_messages": (),
        "complex": "DTYPE",
        "primes": [codelet(p) for p in PRIMES[::-1] if f"fft{p}" in codelets],
        "makers": calls | {"side_by_side"} if calls or halves else calls,
        "splits": bool(calls & SPLIT) or any(map(_reads_vectors, kernels)),
        "codelets": codelets,
        "lists": any(k["kernel"].twiddled == LISTS for k in kernels),
        "single": False,
        "functions": (),
    }


def _reads_vectors(kernel: View) -> bool:
    """Return whether a kernel reads a table of twiddles whose entries are split as vectors are."""
    given = kernel["given"]
    return "half" in given or ("twiddle" in given and kernel["kernel"].run == 1)


def _codelets(kernels: Sequence[View]) -> list[str]:
    """Return the functions that are parts of these kernels, in the order in which they stand in a
    program.
    """
    of_both = [k["kernel"] for k in kernels if k["kind"] != "half"]
    found = {r for kernel in of_both for r in _radices(kernel)}
    rotates = any(k["roots"].size for k in kernels)
    rotates |= any(
        kernel.twiddled in (fourier_kernels.OTHERS, fourier_kernels.PRODUCTS) for kernel in of_both
    )
    puts = any(k["kernel"].streams and not k["dealt"] for k in kernels)
    orders = {lanes for k in kernels for lanes, *_ in k["forms"]}
    orders |= {k["one"]["load"]["r"] for k in kernels if k["forms"]}
    return [
        *(f"fft{r}" for r in (2, 4, 8) if r in found or (r, 8 in found) == (4, True)),
        *(f"fft{p}" for p in PRIMES[::-1] if p in found),
        *["rotate"] * rotates,
        *["put_pairs"] * puts,
        *(f"reversed{r}" for r in (4, 8) if r in orders),
        *["in_reverse"] * bool(orders),
        *(f"messages_{k['number']}" for k in kernels if k["apart"]),
        *(f"reversed_{k['number']}" for k in kernels if k["forms"]),
    ]


def _radices(kernel: Kernel) -> tuple[int, ...]:
    if kernel.in_columns:
        return fourier_kernels.radices(kernel.d)
    r, rest, rows = fourier_kernels.two_passes(kernel.d)
    return (r, *rest, *rows)


def compiled(found: View) -> View | None:
    """Return what is printed of the compiling of these kernels, if there are some."""
    calls = _calls(found)
    if not calls:
        return None
    return {
        "kind": "passes",
        "array": "aligned",
        "prepare": ["prepare"],
        "words": VECTORS,
        "operations": kernel_text.section("vectors"),
        "loaders": [*fourier_.loaders(found)],
        "names": list(dict.fromkeys(name for name, _ in calls)),
        "calls": calls,
    }


def _calls(found: View) -> list[tuple[str, str]]:
    """Return the compiled functions, in their order, each with arguments for which it does nothing,
    as often as there are kinds of these.
    """
    phases = [(f"phase_{number}", (3, 1)) for number, _ in enumerate(found["phases"])]
    phases += [("reversed_stages", (2, 1))] * bool(found["reverses"])
    given = {name: arguments for name, (_, arguments) in found["on_halves"].items()}
    numbers = {name: len(channels.NUMBERS & {*names}) for name, names in given.items()}
    halves = [(name, (len(given[name]) - n, n)) for name, n in numbers.items()]
    return [
        *((kernel["name"], kernel["nothing"]) for kernel in found["loops"]),
        *((name, nothing(*kinds)) for name, kinds in (*found["functions"], *halves, *phases)),
        *[("transposed", nothing(2, 2))] * ("transposed" in found["transposes"]),
        *(("interleaved", f"(there,) * {q}, {nothing(1, 2)}") for q in found["run_messages"]),
    ]


def nothing(addresses: int, numbers: int) -> str:
    """Return so many addresses and numbers for which a compiled function does nothing.

    >>> nothing(1, 2)
    'there, 0, 0'
    """
    return ", ".join(["there"] * addresses + ["0"] * numbers)
