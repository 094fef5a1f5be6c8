"""Supersteps as lines of a node program: what each reads and writes, and the tables of a rank.

operation = transpose(shape, axes) | take(table) | tiles(table)    a rank's elements in new order
          | alltoall(comm) | rounds(table, by_counts)              equal messages
          | exchange(table)                                        the same through a window: windows.py
          | multiply(table, first) | fourier(copies, d, c)         local computations

Every operation writes to another array than it reads, out and the work array in turns, the last to
out; multiply works in place, but on x, which is left unchanged.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.elements import fixed_size
from codegen.emit import computations, windows
from codegen.emit.arrangements import Axes, Take, Tiles, arranged, transpose_of
from codegen.emit.closed_form import Expression, expression
from codegen.emit.rows import escaped, literal, quoted
from codegen.emit.tables import Tables
from codegen.program.supersteps import (
    Butterflies,
    Exchange,
    Local,
    Move,
    Overlap,
    Program,
    Rounds,
    Step,
    Twiddle,
)
from codegen.spec import SHARED, Spec
from derive.formula.grammar import Formula
from derive.formula.layout import Layout
from derive.gf2.bits import Affine

WITHOUT_ONES = 2**14
"""From so many elements of a rank on, tables of twiddles begin with the first that is not 1: that
is half of a table for F_2 between two ranks.
"""
STRIP = 64
"""Rows of a large array that are transposed at a time: so much of 2^20 numbers fits a cache."""
Operation = dict[str, Any]
"""The name of the macro that prints its lines, its source and target, and what it needs."""
_COPIES = "every element stays where it is"


NEEDS = (
    *("root_of_unity", "butterflies", "butterfly", "weights", "generalized", "fftw", "tiles"),
    *("rounds", "parts", "partners", "window", "affine"),
)
"""The functions and classes that a program may need, in the order in which they stand in it."""


def stages_of(program: Program, tables: Tables, itemsize: int) -> list[dict[str, Any]]:
    """Return the supersteps of a program, each a comment and its operations; the tables that they
    use are named.
    """
    steps = [
        (_comment(step, number, program), list(_operations(step, program, tables, itemsize)))
        for number, step in enumerate(program.steps)
    ]
    if not any(operations for _, operations in steps):
        steps.append((_COPIES, [{"macro": "copy"}]))
    if tables.exchange == SHARED:
        read = windows.with_messages_read([operations for _, operations in steps], program.M)
        steps = [(comment, each) for (comment, _), each in zip(steps, read, strict=True)]
    *before, last = windows.stretches([each for _, operations in steps for each in operations])
    for stretch in before:
        _directed(stretch, "work", "out")
    _directed(last, "out", "work")
    if program.spec.scale != "1":
        steps.append((program.spec.scale, [{"macro": "scale", "source": "out", "target": "out"}]))
    return [{"comment": comment, "operations": operations} for comment, operations in steps]


def _directed(operations: list[Operation], end: str, other: str) -> None:
    """Say of each operation which array it reads, and which it writes, so that the last one is the
    end.
    """
    at, hops = "x", list[Operation]()
    for operation in operations:
        if operation["macro"] != "multiply" or not hops:
            hops.append(operation)
    for operation in operations:
        operation["source"] = at
        if operation in hops:
            at = end if (len(hops) - hops.index(operation)) % 2 else other
        operation["target"] = at


def _comment(step: Step, number: int, program: Program) -> str:
    """Return the factors that a superstep carries out, and the layout it begins or ends with."""
    words = []
    if isinstance(step, Move) and number == 0 and program.input.name != "block":
        words.append(f"from {program.input.name}")
    if (
        isinstance(step, Move)
        and number == len(program.steps) - 1
        and program.output.name != "block"
    ):
        words.append(f"to {program.output.name}")
    factors = " ".join(str(factor) for factor in _factors(step))
    return escaped(": ".join(part for part in (" ".join(words), factors) if part))


def _factors(step: Step) -> tuple[Formula, ...]:
    """Return the factors that a superstep carries out, the last first."""
    match step:
        case Overlap(local, move):
            return (*move.factors, *local.factors)
        case Move() | Local() | Butterflies():
            return step.factors
    return ()


def _operations(step: Step, program: Program, tables: Tables, itemsize: int) -> Iterator[Operation]:
    """Yield the operations of a superstep."""
    match step:
        case Move(_, pack, exchange, unpack):
            yield from _rearranging(pack, tables, itemsize)
            if exchange is not None:
                yield _sending(exchange, tables)
            if exchange is not None and tables.exchange == SHARED:
                yield from _reading(step, tables, itemsize)
            else:
                yield from _rearranging(unpack, tables, itemsize)
        case Local():
            yield from _computing(step, program, tables)
        case Overlap(_, move):
            yield computations.overlapped(step, tables)
            yield from _rearranging(move.unpack, tables, itemsize)
        case Butterflies():
            yield computations.generalized(step, program.M, tables)
        case _:
            raise TypeError(f"{type(step).__name__} has no lines")


def _computing(step: Local, program: Program, tables: Tables) -> Iterator[Operation]:
    """Yield the product by the twiddles, if there are any, and the transform."""
    copies, d, c = step.copies, step.d, step.c
    if step.twiddle is not None:
        always = tables.exchange == SHARED and step.is_butterfly
        first = _first(step.twiddle, program.M, always)
        table = tables.name("twiddle", (step.twiddle, first))
        yield {"macro": "multiply", "table": table, "first": first}
    if d > 1 and program.spec.kernels == "pyfftw":
        yield {
            "macro": "fftw",
            "table": tables.name("fourier", (copies, d, c)),
            "shape": (copies, d, c),
        }
    elif d > 1:
        yield computations.fourier(copies, d, c)


def _rearranging(offset: Affine, tables: Tables, itemsize: int) -> Iterator[Operation]:
    how = arranged(offset, tables.m, itemsize)
    match how:
        case Axes(shape, axes):
            turned = tuple(shape[axis] for axis in axes)
            yield {"macro": "transpose", "shape": shape, "axes": axes, "turned": turned}
        case Take(back):
            yield {"macro": "take", "table": tables.name("offsets", back)}
        case Tiles() if itemsize >= 8 and (sides := transpose_of(offset, tables.m)):
            rows, columns = sides
            yield {"macro": "transpose_in_strips", "rows": rows, "columns": columns, "strip": STRIP}
        case Tiles():
            yield {"macro": "tiles", "table": tables.name("tiles", how)}


def _reading(move: Move, tables: Tables, itemsize: int) -> Iterator[Operation]:
    """Yield what unpacks messages where they lie; tiles want them together."""
    match arranged(move.unpack, tables.m, itemsize):
        case Axes(shape, axes):
            yield windows.placed(move, tables.m, shape, axes)
        case Take():
            table = tables.name("places", move.unpack)
            count = 1 << move.exchange.rank_gamma if move.exchange else 1
            yield {"macro": "put", "table": table, "reads": True, "count": count}
        case _:
            yield from _rearranging(move.unpack, tables, itemsize)


def _sending(exchange: Exchange, tables: Tables) -> Operation:
    if tables.exchange == SHARED:
        tables.name("window", None)
        table = tables.name("messages", exchange)
        return {"macro": windows.EXCHANGE, "table": table, "messages": 1 << exchange.rank_gamma}
    if isinstance(exchange, Rounds):
        by_counts = tables.by_counts(exchange)
        return {
            "macro": "rounds",
            "needs": () if by_counts else ("rounds",),
            "table": tables.name("peers", exchange),
            "by_counts": by_counts,
        }
    whole = len(exchange.basis) == tables.p
    comm = "own" if whole else tables.name("group", exchange.basis)
    return {"macro": "alltoall", "comm": comm}


def _first(twiddle: Twiddle, M: int, always: bool) -> int:
    """Return the first offset at which a twiddle is not 1 on every rank, for a long table or
    always.
    """
    m = M.bit_length() - 1
    if (M < WITHOUT_ONES and not always) or any(twiddle.i.columns[m:]) or twiddle.i.c:
        return 0
    return next((1 << bit for bit in range(m) if twiddle.i.columns[bit]), 0)


def view(program: Program) -> dict[str, Any]:
    """Return what the template of straight supersteps prints."""
    spec = program.spec
    tables = Tables(program.input.p, program.input.m, spec.exchange)
    stages = stages_of(program, tables, fixed_size(spec.dtype).itemsize)
    operations = [operation for stage in stages for operation in stage["operations"]]
    views, where = tables.views, places(program)
    halves = windows.halves(operations, program.M)
    if works := any(operation.get("target") == "work" for operation in operations):
        views += [] if halves else [{"macro": "work", "name": "work"}]
    needed = {need for each in (*views, *operations) for need in each.get("needs", ())}
    if any(found.by_matrix for found in (*tables.expressions, *where.values())):
        needed.add("affine")
    return {
        "piece": computations.PIECE,
        "constants": list(constants(spec)),
        "stages": stages,
        "tables": views,
        "needs": [need for need in NEEDS if need in needed - IN_REFERENCE[spec.system]],
        "works": works,
        "ranked": any("mine" in operation for operation in operations),
        "halves": halves,
        "kept": [table["name"] for table in views if table["macro"] != "group"],
        "keeps": _in_words(views),
        "communicators": [table["name"] for table in views if table["macro"] == "group"],
        "collective": [each["name"] for each in views if each["macro"] in ("group", "window")],
        "by_rank": any(found.uses("rank") for found in tables.expressions),
        "kind": "permute" if spec.system == "permute" else "fft",
        **where,
    }


def constants(spec: Spec) -> Iterator[tuple[str, str, str]]:
    """Yield the constants of a system: names, values and a comment."""
    if spec.permutation is not None:
        comment = "element j goes to place A j + C, for a bit matrix A of these columns"
        yield (
            "A, C",
            literal((spec.permutation.address.columns, spec.permutation.address.c))[1:-1],
            comment,
        )
        return
    yield "DIRECTION, NORM", f"{quoted(spec.direction)}, {quoted(spec.norm)}", ""
    sign = -1 if spec.direction == "forward" else 1
    yield "SIGN, SCALE", f"{sign}, {spec.scale}", "w_n = exp(SIGN 2 pi i / n)"
    if spec.formula is not None:
        yield "FACTORIZATION", quoted(str(spec.formula)), ""
    if spec.kernels == "pyfftw":
        yield "ALIGNMENT", "16", "bytes: plans of FFTW are for arrays that begin like numpy's"
    for name in ("phases", "local"):
        if chosen := getattr(spec, name):
            yield name.upper(), quoted(chosen), ""


IN_REFERENCE = {"fft": set[str](), "permute": {"affine"}}
"""The functions that the reference of a system has, beside which a program needs none."""


def _in_words(tables: list[dict[str, Any]]) -> str:
    """Return what a plan keeps, in words."""
    groups = any(table["macro"] == "group" for table in tables)
    words = {
        "window": "memory that all ranks share",
        "twiddle": "twiddles",
        "weights": "weights",
        "fourier": "plans of FFTW",
        "offsets": "tables of offsets",
        "places": "tables of places",
        "tiles": "tables of tiles",
        "peers": "the ranks that it sends to",
        "made": "an array that messages are sent from",
        "work": "a work array",
    }
    kinds = {table["macro"] for table in tables}
    kept = ["communicators" if groups else "a communicator"]
    kept += [word for kind, word in words.items() if kind in kinds]
    return " and ".join([", ".join(kept[:-1]), kept[-1]] if kept[1:] else kept)


def places(program: Program) -> dict[str, Expression]:
    """Return where elements of input and output are, and which they are, as expressions."""
    n, m, p = program.input.n, program.input.m, program.input.p
    found = {}
    for side, layout, j in (("input", program.input, "j"), ("output", program.output, "k")):
        assert isinstance(layout, Layout), "the layouts of these systems are affine"
        address = layout.address
        rank = Affine(tuple(a >> m for a in address.columns), p, address.c >> m)
        offset = Affine(
            tuple(a & (1 << m) - 1 for a in address.columns), m, address.c & (1 << m) - 1
        )
        found[f"{side}_rank"] = expression(rank, [(j, n)]) if p else Expression(f"{j} * 0")
        found[f"{side}_offset"] = expression(offset, [(j, n)]) if m else Expression(f"{j} * 0")
        found[f"{side}_index"] = expression(layout.inverse, [("o", m), ("rank", p)])
    return found
