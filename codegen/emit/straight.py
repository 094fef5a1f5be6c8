"""Supersteps as lines of a node program: what each reads and writes, and the tables of a rank.

operation = transpose(shape, axes) | take(table) | tiles(table)    a rank's elements in new order
          | lines(table) | records(table) | gray(table)            the same by a compiled kernel
          | alltoall(comm) | rounds(table, by_counts)              equal messages
          | multiply(table, first) | fourier(copies, d, c)         local computations

Every operation writes to another array than it reads, out and the work array in turns, the last to
out; multiply works in place, but on x, which is left unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from codegen.elements import fixed_size
from codegen.emit import compiled, fourier
from codegen.emit.arrangements import Axes, Gray, Lines, Records, Take, Tiles, arranged
from codegen.emit.closed_form import Expression, expression
from codegen.emit.rows import literal, quoted
from codegen.program.supersteps import Across, Exchange, Local, Move, Program, Rounds, Step, Twiddle
from codegen.spec import Spec
from derive.formula.layout import Layout
from derive.gf2.bits import Affine

WITHOUT_ONES = 2**14
"""From so many elements of a rank on, tables of twiddles begin with the first that is not 1: that
is half of a table for F_2 between two ranks.
"""
PIECE = 2**14
"""Elements that fit a cache: butterflies, tables and files are done by so many at a time."""
Operation = dict[str, Any]
"""The name of the macro that prints its lines, its source and target, and what it needs."""
_COPIES = "every element stays where it is"
KINDS = ("group", "peers", "twiddle", "offsets", "tiles", *compiled.KINDS.values(), *fourier.KINDS)
"""The kinds of tables, in the order in which a plan makes them: first those that all ranks make."""
NEEDS = (
    *("twiddles", "half", "root_of_unity", "butterflies", "tiles", "lines", "neighbours"),
    *("span", "rounds", "parts", "affine", "kernel", "kernels"),
)
"""The functions and classes that a program may need, in the order in which they stand in it."""


@dataclass
class Tables:
    """What a plan keeps, by name: of each kind those that differ."""

    p: int
    m: int
    exchange: str
    kernels: str
    itemsize: int
    transposes: bool = False
    """Whether a kernel transposes arrays, and numpy does what else is to be rearranged."""
    expressions: list[Expression] = field(default_factory=list)
    names: dict[tuple[str, Any], str] = field(default_factory=dict)

    def name(self, kind: str, how: Any) -> str:
        """Return the name of a table of this kind."""
        number = sum(known == kind for known, _ in self.names) + 1
        return self.names.setdefault((kind, how), kind if number == 1 else f"{kind}_{number}")

    @property
    def views(self) -> list[dict[str, Any]]:
        """The tables as the template prints them."""
        return [
            {"macro": kind, "name": name, **self._view(kind, how)}
            for kind in KINDS
            for (known, how), name in self.names.items()
            if known == kind
        ]

    def _view(self, kind: str, how: Any) -> dict[str, Any]:
        if kind in compiled.KINDS.values():
            return compiled.table(how, self)
        if kind in fourier.KINDS:
            return fourier.table(kind, how, self)
        return dict(getattr(self, f"_{kind}")(how))

    def by_counts(self, how: Rounds) -> bool:
        """Return whether the messages of rounds go together, by a table of counts that is not
        larger than a rank's part.
        """
        return self.exchange == "alltoall" and how.gamma.bits > 0 and self.p <= self.m

    def _of_place(self, address: Affine) -> Expression:
        return self.written(address, ("o", self.m), ("rank", self.p))

    def written(self, address: Affine, *variables: tuple[str, int]) -> Expression:
        """Return the expression of an address in variables with so many bits."""
        found = expression(address, variables)
        self.expressions.append(found)
        return found

    def _twiddle(self, how: tuple[Twiddle, int]) -> dict[str, Any]:
        (twiddle, first) = how
        i, j = self._of_place(twiddle.i), self._of_place(twiddle.j)
        largest = math.prod(reduce(or_, part.columns, part.c) for part in (twiddle.i, twiddle.j))
        power = " * ".join(part.factor for part in (i, j))
        split = {"needs": ("root_of_unity", "twiddles"), "macro": "split_twiddle"}
        return {
            **(split if self.transposes else {"needs": ("root_of_unity",)}),
            "power": power if largest < twiddle.order else f"{power} % {twiddle.order}",
            "order": twiddle.order,
            "first": first,
        }

    def _offsets(self, back: Affine) -> dict[str, Any]:
        return {"offset": self._of_place(back)}

    def _tiles(self, how: Tiles) -> dict[str, Any]:
        found = how.blocks
        ranks = self.written(Affine(how.ranks, self.m, how.c), ("rank", self.p))
        needs = ("tiles", "span", "affine")
        return {"needs": needs, "row": 1 << found.b, "found": found, "ranks": ranks}

    def _group(self, basis: tuple[int, ...]) -> dict[str, Any]:
        leading = {e.bit_length() - 1: e for e in basis}
        columns = tuple(1 << b ^ leading.get(b, 0) for b in range(self.p))
        return {"color": self.written(Affine(columns, self.p), ("rank", self.p))}

    def _peers(self, how: Rounds) -> dict[str, Any]:
        gamma, delta, back = how.gamma, how.delta, how.delta.linear.inverse()
        bits = ("b", gamma.bits), ("rank", self.p)
        come_from = tuple(map(back, gamma.columns)) + back.columns
        by_counts = self.by_counts(how)
        return {
            "needs": ("parts",) if by_counts else (),
            "rounds": 1 << gamma.bits,
            "by_counts": by_counts,
            "to": self.written(Affine(gamma.columns + delta.columns, self.p, delta.c), *bits),
            "come_from": self.written(Affine(come_from, self.p, back(delta.c)), *bits),
        }


def stages_of(program: Program, tables: Tables) -> list[dict[str, Any]]:
    """Return the supersteps of a program, each a comment and its operations; the tables that they
    use are named.
    """
    steps = [
        (_comment(step, number, program), list(_operations(step, program, tables)))
        for number, step in enumerate(program.steps)
    ]
    if not any(operations for _, operations in steps):
        steps.append((_COPIES, [{"macro": "copy"}]))
    _directed([operation for _, operations in steps for operation in operations])
    if program.spec.scale != "1":
        steps.append((program.spec.scale, [{"macro": "scale", "source": "out", "target": "out"}]))
    return [{"comment": comment, "operations": operations} for comment, operations in steps]


def _directed(operations: list[Operation]) -> None:
    """Say of each operation which array it reads, and which it writes, so that the last is out."""
    at, hops = "x", list[Operation]()
    for operation in operations:
        if operation["macro"] != "multiply" or not hops:
            hops.append(operation)
    for operation in operations:
        operation["source"] = at
        if operation in hops:
            at = "out" if (len(hops) - hops.index(operation)) % 2 else "work"
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
    factors = " ".join(map(str, step.factors)) if isinstance(step, Move | Local | Across) else ""
    return ": ".join(part for part in (" ".join(words), factors) if part)


def _operations(step: Step, program: Program, tables: Tables) -> Iterator[Operation]:
    """Yield the operations of a superstep."""
    match step:
        case Move(_, pack, exchange, unpack):
            yield from _rearranging(pack, tables)
            if exchange is not None:
                yield _sending(exchange, tables)
            yield from _rearranging(unpack, tables)
        case Local() | Across() if tables.kernels == "numba":
            yield fourier.computing(step, program, tables)
        case Local(twiddle, copies, d, c):
            if twiddle is not None:
                first = _first(twiddle, program.M)
                table = tables.name("twiddle", (twiddle, first))
                yield {"macro": "multiply", "table": table, "first": first}
            if d > 1:
                pieces = d == 2 and (copies > 1 or c > PIECE)
                needs = ("butterflies",) if pieces else ()
                yield {"macro": "fourier", "needs": needs, "copies": copies, "d": d, "c": c}
        case _:
            raise TypeError(f"{type(step).__name__} has no lines")


def _rearranging(offset: Affine, tables: Tables) -> Iterator[Operation]:
    if tables.transposes and (found := fourier.transposing(offset, tables.m)):
        yield found
        return
    how = arranged(
        offset, tables.m, tables.itemsize, "numpy" if tables.transposes else tables.kernels
    )
    match how:
        case Axes(shape, axes):
            turned = tuple(shape[axis] for axis in axes)
            yield {"macro": "transpose", "shape": shape, "axes": axes, "turned": turned}
        case Take(back):
            yield {"macro": "take", "table": tables.name("offsets", back)}
        case Tiles():
            yield {"macro": "tiles", "table": tables.name("tiles", how)}
        case Lines() | Records() | Gray():
            kind = compiled.KINDS[type(how)]
            yield {"macro": kind, "needs": ("kernel",), "table": tables.name(kind, how)}


def _sending(exchange: Exchange, tables: Tables) -> Operation:
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


def _first(twiddle: Twiddle, M: int) -> int:
    """Return the first offset at which a twiddle is not 1 on every rank, for a long table."""
    m = M.bit_length() - 1
    if M < WITHOUT_ONES or any(twiddle.i.columns[m:]) or twiddle.i.c:
        return 0
    return next((1 << bit for bit in range(m) if twiddle.i.columns[bit]), 0)


def view(program: Program) -> dict[str, Any]:
    """Return what the template of straight supersteps prints."""
    spec = program.spec
    itemsize = fixed_size(spec.dtype).itemsize
    tables = Tables(program.input.p, program.input.m, spec.exchange, spec.kernels, itemsize)
    tables.transposes = spec.system == "fft" and spec.kernels == "numba"
    stages = stages_of(program, tables)
    operations = [operation for stage in stages for operation in stage["operations"]]
    views, where = tables.views, places(program)
    if works := any(operation["target"] == "work" for operation in operations):
        views.append({"macro": "work", "name": "work"})
    kernels = _kernels(tables, program)
    needed = {need for each in (*views, *operations) for need in each.get("needs", ())}
    if any(found.by_matrix for found in (*tables.expressions, *where.values())):
        needed.add("affine")
    return {
        "piece": PIECE,
        "constants": [*constants(spec), *(compiled.constants(kernels) if kernels else ())],
        "compiled": kernels,
        "array": kernels["array"] if kernels else "np.empty",
        "stages": stages,
        "tables": views,
        "needs": [need for need in NEEDS if need in needed | OF_REFERENCE[spec.system]],
        "works": works,
        "kept": [table["name"] for table in views if table["macro"] != "group"],
        "keeps": _in_words(views),
        "communicators": [table["name"] for table in views if table["macro"] == "group"],
        "by_rank": bool(kernels) or any(found.uses("rank") for found in tables.expressions),
        "kind": "permute" if spec.system == "permute" else "fft",
        **where,
        **(fourier.beside(program) if tables.transposes else {}),
    }


def _kernels(tables: Tables, program: Program) -> dict[str, Any] | None:
    """Return what is printed of the compiled kernels that make use of tables, if any does."""
    moves = [how for kind, how in tables.names if kind in compiled.KINDS.values()]
    if tables.transposes:
        return fourier.compiled(program)
    return compiled.rearranging(moves, program.spec, tables.itemsize) if moves else None


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
    for name in ("phases", "local"):
        if chosen := getattr(spec, name):
            yield name.upper(), quoted(chosen), ""


OF_REFERENCE = {"fft": set[str](), "permute": {"affine"}}
"""The functions that the reference of a system needs."""


def _in_words(tables: list[dict[str, Any]]) -> str:
    """Return what a plan keeps, in words."""
    groups = any(table["macro"] == "group" for table in tables)
    words = {
        "twiddle": "twiddles",
        "offsets": "tables of offsets",
        "tiles": "tables of tiles",
        **dict.fromkeys(compiled.KINDS.values(), "tables of its kernel"),
        "peers": "the ranks that it sends to",
        "half": "twiddles",
        "roots": "the roots of unity of its kernels",
        "room": "their room",
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
