"""Supersteps as lines of a node program: what each reads and writes, and the tables of a rank.

operation = transpose(shape, axes) | take(table) | tiles(table)    a rank's elements in new order
          | lines(table) | records(table) | gray(table)            the same by a compiled kernel
          | alltoall(comm) | rounds(table, by_counts)              equal messages
          | exchange(table)                                        the same through a window: windows.py
          | multiply(table, first) | fourier(copies, d, c)         local computations

Every operation writes to another array than it reads, out and the work array in turns, the last to
out; multiply works in place, but on x, which is left unchanged.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from codegen.elements import fixed_size
from codegen.emit import digit_steps, real
from codegen.emit import hartley_head as hartley_
from codegen.emit.hypercube_memory import room
from codegen.emit.program_constants import constants, kept, library, places
from codegen.emit.residues import residue_lines
from codegen.emit.steps import (
    channels,
    compiled_kernels,
    computations,
    fourier_passes,
    hadamard_lines,
    hartley_kernels,
    hartley_lines,
    window_lines,
)
from codegen.emit.steps.array_names import Operation, Stage, directed, stage
from codegen.emit.steps.fourier_lines import transforms
from codegen.emit.tables import Tables, freed
from codegen.program.protocol import COMPLEX, PAIR, REAL
from codegen.program.supersteps import Program
from codegen.source import functions_of
from codegen.systems.exchanges import WAYS
from codegen.systems.record import Request
from derive.maps.map_expressions import Expression

ON_LINES_FROM = 2**16
"""From so many bytes on, results of compiled kernels begin on a line: those of fewer take a
microsecond less than the kernel saves where numpy makes them.
"""
_KEEPS = "what follows is in place, and x is left unchanged"


NEEDS = (
    *hartley_lines.NEEDS,
    *("twiddles", "root_of_unity", "butterflies", "butterfly", "butterflies_of_halves"),
    *("hadamard", "root_power", *residue_lines.NEEDS),
    *("weights", "generalized", "combine", "fftw", "Tiles", "lines", "neighbours", "span"),
    *("rounds", "parts", "traded", "untangle", "from_pairs", "to_pairs", "reflect"),
    *("hartley_along", "receive", "send"),
    *dict.fromkeys(need for way in WAYS.values() for need in way.needs),
    *("mail", "affine", "kernel", "passes"),
)
"""The functions and classes that a program may need, in the order in which they stand in it."""


def stages_of(program: Program, tables: Tables) -> list[Stage]:
    """Return the supersteps of a program; the tables that they use are named."""
    stages = digit_steps.stages_of(program, tables)
    first = next((i for i, each in enumerate(stages) if each["operations"]), len(stages))
    if first == len(stages):
        stages[first - 1 :] = [stage(stages[-1]["comment"], {"macro": "copy"})]
    elif stages[first]["operations"][0]["macro"] == channels.OPENING:
        stages.insert(first, stage(_KEEPS, {"macro": "copy"}))
    elif stages[first]["operations"][0]["macro"] in window_lines.STORED:  # x is sent as it lies
        stages[first]["operations"].insert(0, {"macro": "copy"})
    if tables.way.shares:
        window_lines.read_messages(stages, program.M)
    if (request := program.request).scale != "1":
        scaling = stage(request.scale, residue_lines.scaling(program, tables))
        first = request.record.scales_first(request)  # sums then do not overflow
        stages.insert((program.unit == COMPLEX) if first else len(stages), scaling)
    stages += hartley_lines.result_of(program.request)
    window_lines.name_mail(operations_of(stages))
    *before, last = window_lines.stretches(operations_of(stages))
    for stretch in before:
        directed(stretch, "work", "out")
    directed(last)
    computations.copying(operations_of(stages))
    return stages


def convolution_of(program: Program, tables: Tables) -> list[Stage]:
    """Return the supersteps of a convolution after both transforms, if it is asked for."""
    if not program.request.convolve:
        return []
    stages = [hartley_lines.product(hartley_kernels.are_in(program))]
    for step in hartley_lines.convolution(program):
        stages += digit_steps.lines_of(step, program, tables)
    directed(operations_of(stages))
    if hartley_kernels.are_in(program):
        hartley_kernels.by_way_of_work(operations_of(stages))
    return stages


def operations_of(stages: list[Stage]) -> list[Operation]:
    """Return the operations of all supersteps."""
    return [operation for stage in stages for operation in stage["operations"]]


def view(program: Program) -> dict[str, Any]:
    """Return what the template of straight supersteps prints."""
    request = program.request
    tables = _tables(program)
    stages, convolution = stages_of(program, tables), convolution_of(program, tables)
    operations = operations_of([*stages, *convolution])
    opening = [operation for operation in operations if operation["macro"] == channels.OPENING]
    where, halves = (places(program), window_lines.halves(operations, request))
    views = tables.views + hartley_lines.tables(program)
    views += _arrays(program, operations) if not (halves or tables.mails) else []
    beside = _beside(program, tables, operations)
    kernels = _kernels(tables, program, beside)
    needs = _needs(request, [*views, *operations], (*tables.expressions, *where.values()))
    messages = window_lines.view(operations, halves) | kept(views)
    said = constants(program, "root_of_unity" in needs)
    return {
        "piece": computations.PIECE,
        **_sources(program, kernels, messages),
        "rows": hartley_lines.rows_of(request.M),
        "constants": [*said, *(compiled_kernels.constants(kernels) if kernels else ())],
        "compiled": kernels,
        "library": library(request, bool(kernels)),
        "array": (array := kernels["array"] if kernels else "np.empty"),
        "on_lines": array != "np.empty" and request.M * tables.itemsize >= ON_LINES_FROM,
        "opening": opening,
        "stages": _without(opening, stages),
        "convolution": convolution,
        "freed": freed(views),
        "needs": needs,
        "points": computations.points_of(program),
        "named": _named(program, operations_of(stages), messages),
        **messages,
        "received": window_lines.receive(views, operations, request.M),
        "by_rank": bool(kernels) or _by_rank(tables, views),
        **channels.form(program),
        "kind": _kind(program),
        **where,
        **beside,
    }


def _sources(
    program: Program, kernels: dict[str, Any] | None, messages: dict[str, Any]
) -> dict[str, Any]:
    """Return the functions that are the same in every such program, and the macros that others
    consist of which have several forms.
    """
    found = window_lines.forms(messages, program.request.way)
    if not program.request.backend.is_whole:
        after = channels.form(program)["after"]
        found |= computations.forms(computations.points_of(program), after)
    if kernels and kernels["kind"] in compiled_kernels.FORMS:
        found |= compiled_kernels.forms(kernels)
    found |= (hartley_ if program.in_lists else real).forms(program)
    return {
        "verbatim": _verbatim(program),
        "forms": found,
        "refusals": ["refuse_others"] * bool(program.request.modulus),
        "compared_by": ["affine"] * program.request.record.permutes,
    }


def _verbatim(program: Program) -> dict[str, str]:
    """Return the functions and classes that are the same in every such program, by their names."""
    request = program.request
    modules = ["by_numpy", *["by_numba"] * request.backend.is_whole]
    modules += ["last", *["last_of_arrays"] * program.is_shaped]
    modules += hartley_.verbatim(program) if program.in_lists else ()
    parts = (functions_of(f"emit/verbatim/{module}") for module in modules)
    return {name: text for part in parts for name, text in part.items()}


def _without(opening: list[Operation], stages: list[Stage]) -> list[Stage]:
    """Return stages without the operation that stands before all, if there is one."""
    others = (
        {**each, "operations": [done for done in each["operations"] if done not in opening]}
        for each in stages
    )
    return [each for each in others if each["comment"] or each["operations"]]


def _by_rank(tables: Tables, views: list[dict[str, Any]]) -> bool:
    """Return whether a table differs from rank to rank."""
    expressions = any(found.uses("rank") for found in tables.expressions)
    return expressions or any(table.get("by_rank") for table in views)


def _kind(program: Program) -> str:
    """Return the kind of a program, of which there is one last section each."""
    request = program.request
    if program.is_shaped:
        of_reals = "hartley_axes" if len(request.shape) > 1 else "hartley_arrays"
        return of_reals if request.record.real else "arrays"
    return request.record.kind or request.result


def _tables(program: Program) -> Tables:
    """Return the tables of a program, none of which is named yet."""
    request = program.request
    p, m = (program.input.p, program.input.m) if not request.shape else (0, 0)
    tables = Tables(p, m, request.way, fixed_size(request.dtype).itemsize)
    tables.parts = request.P, program.G
    if request.record.permutes:
        tables.arranges = request.kernels
    tables.vectors = program.compiles
    apart = any(getattr(step, "messages", 1) > 1 for step in transforms(program))
    tables.mails = apart and not tables.way.shares
    return tables


def _kernels(tables: Tables, program: Program, beside: dict[str, Any]) -> dict[str, Any] | None:
    if tables.vectors or hadamard_lines.kernels_of(program):
        return fourier_passes.compiled(beside)
    if residue_lines.are_compiled(program):
        return residue_lines.compiled(program)
    if hartley_kernels.are_in(program):
        return hartley_kernels.compiled(program, beside)
    moves = [how for kind, how in tables.names if kind in compiled_kernels.KINDS]
    return compiled_kernels.kernel_of(moves, program.request, tables.itemsize) if moves else None


def _needs(
    request: Request, parts: Sequence[dict[str, Any]], expressions: Iterable[Expression]
) -> list[str]:
    """Return the functions and classes that tables, operations and expressions need."""
    needed = {need for each in parts for need in each.get("needs", ())}
    if any(found.by_matrix for found in expressions):
        needed.add("affine")
    if request.record.permutes:  # its reference has it
        needed.discard("affine")
    return [need for need in NEEDS if need in needed]


def _beside(program: Program, tables: Tables, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return what is printed beside kernels on vectors."""
    if hadamard_lines.kernels_of(program):
        return hadamard_lines.beside(program)
    if not tables.vectors:
        return hartley_kernels.beside(program)
    return fourier_passes.of_program(program, operations)


def _works(operations: list[Operation]) -> bool:
    """Return whether operations need the work array."""
    return any(each.get("spare") or each.get("target") == "work" for each in operations)


def _named(program: Program, operations: list[Operation], messages: dict[str, Any]) -> list[str]:
    """Return the lines that name the numbers of a rank, and what operations use beside them."""
    unit, complex = program.unit, ".view(COMPLEX)"
    found = list[str]()
    if program.is_shaped:
        out = "plan.pairs" if unit == COMPLEX else "y.reshape(M)" + complex * program.in_pairs
        found.append(f"x, out = x.reshape(M){complex * (unit in (PAIR, REAL))}, {out}")
    elif program.in_pairs:
        found.append(f"x, out = x{complex}, y{complex}")
    found += ["rank = plan.own.rank"] * any("mine" in each for each in operations)
    work = "window.half()" if messages["halves"] else "mail.sent" if messages["mails"] else "work"
    return found + [f"work = plan.{work}"] * _works(operations)


def _arrays(program: Program, operations: list[Operation]) -> list[dict[str, Any]]:
    """Return the arrays of a plan that are no tables, as the template prints them."""
    request, size = program.request, (1 + program.in_pairs) * program.G
    sizes = {
        "work": size * (_works(operations) or request.convolve),
        "pairs": size * (program.unit == COMPLEX),
    }
    if request.scheme:
        found = room(program)
        sizes = {"work": found.work, "sent": found.extra}
    return [
        {
            "macro": "work",
            "name": name,
            "size": "M" if size == program.M else str(size),
            "words": "pairs" if name == "pairs" else "work",
        }
        for name, size in sizes.items()
        if size
    ]
