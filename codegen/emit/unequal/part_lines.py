"""The supersteps of a program with unequal parts as lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from codegen.emit.unequal import cosine_lines, part_tables
from codegen.emit.unequal.part_kernels import (
    Kernels,
    by_kernels,
    compiled_lines,
    has_kernel,
    tables_of_planes,
)
from codegen.emit.unequal.part_norms import along, is_forward, last_factor
from codegen.emit.unequal.part_operations import (
    ALONG,
    CHIRP,
    COMPILED,
    DIRECT,
    FILTER,
    MAIL,
    PACK,
    PLANNED,
    PUT,
    ROOMS,
    SEND,
    TAKE,
    TWIDDLE,
    UNPACK,
    Operation,
    changes,
    color_of,
    in_planes,
    joined,
    real_layouts,
    rooms_of,
)
from codegen.program.supersteps import Program
from codegen.systems.record import Request
from derive.digits.part_layouts import PartLayout

NEEDS = {
    ALONG: (),
    PLANNED: ("fftw", "transformed"),
    COMPILED: ("parts",),
    DIRECT: ("to_others",),
    TWIDDLE: ("root_of_unity", "indices"),
    PACK: ("pack",),
    SEND: ("Trade",),
    UNPACK: ("unpack",),
    TAKE: ("Indexed", "indices", "gather"),
    MAIL: (),
    PUT: ("spread",),
    CHIRP: ("root_of_unity", "indices"),
    FILTER: ("root_of_unity", "indices", "spectrum_of_chirp"),
    **cosine_lines.NEEDS,
}
"""The functions and classes that operations need."""
EVERY = (
    "fftw",
    "transformed",
    *("parts", "to_others", "root_of_unity", "tabulate"),
    *("spectrum_of_chirp", "Trade", "Indexed", "indices"),
    *("pack", "unpack", "gather", "spread", "shaped"),
    *cosine_lines.EVERY,
)
"""These, and what plans need, in their order."""
ROWS = part_tables.ROWS | cosine_lines.ROWS
"""The operations and tables of all steps."""
SENT = "plan.{comm}.Alltoallv([{source}, plan.{table}.sent], [{target}, plan.{table}.received])"
LINES = {
    PLANNED: "transformed(plan.{table}, {source}, {target}, {forward})",
    PACK: "pack({source}, plan.{table}.packs, {target})",
    UNPACK: "unpack({source}, plan.{table}.unpacks, {target})",
    TAKE: "gather({source}, plan.{table}, {target})",
    **dict.fromkeys((SEND, MAIL), SENT),
    PUT: "spread({source}, plan.{table}, {target})",
    **dict.fromkeys((TWIDDLE, CHIRP, FILTER), "np.multiply({source}, plan.{table}, out={target})"),
    **cosine_lines.LINES,
}


@dataclass(frozen=True)
class Lines:
    """The operations of a program."""

    program: Program

    @cached_property
    def layouts(self) -> list[PartLayout]:
        """The layouts of the array in turn."""
        steps: tuple[Any, ...] = self.program.steps
        return [steps[0].before] + [step.after for step in steps if changes(step)]

    @cached_property
    def operations(self) -> list[Operation]:
        """The operations of all steps, with the rooms that they write to."""
        found, now = list[Operation](), 0
        for step, table in zip(self.program.steps, self._names, strict=True):
            after = now + changes(step)
            own = self._own(step)
            kinds = [own] if own else ROWS[type(step)].kinds(step)
            found += [Operation(kind, step, now, after, table) for kind in kinds]
            now = after
        found = joined(found)
        found = in_planes(found)
        both = zip(found, rooms_of(found), strict=True)
        return [replace(each, room=room) for each, room in both]

    @property
    def _names(self) -> Iterator[str]:
        """Yield the names of the tables of all steps, "" for none."""
        seen = dict[str, int]()
        for step in self.program.steps:
            kind = "fourier" if self._own(step) else ROWS[type(step)].table
            seen[kind] = seen.get(kind, 0) + 1
            yield f"{kind}_{seen[kind]}" if kind and seen[kind] > 1 else kind

    def _own(self, step: Any) -> str:
        """Return by what a step is done that numpy does not do, "" for no such step."""
        if has_kernel(step, self.program.request):
            return COMPILED
        planned = step.transforms_of_ranks and self.program.request.backend.is_planned
        return PLANNED * bool(planned)

    @cached_property
    def kernels(self) -> Kernels:
        """The compiled transforms."""
        request = self.program.request
        return Kernels(tuple(by_kernels(self.program.steps, request)), request)

    @property
    def rooms(self) -> list[str]:
        return [room for room in ROOMS if any(each.room == room for each in self.operations)]

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The tables of a plan, by name."""
        found: dict[str, dict[str, Any]] = {}
        for name, made in self.kernels.tables:
            found[name] = {"name": name, "made": made, "of_kernels": True}
        for name, made in tables_of_planes(self.operations, self.kernels):
            found[name] = {"name": name, "made": made, "of_kernels": True}
        parts = [(part, each.outer) for each in self.operations for part in each.parts]
        for each, outer in sorted(parts, key=lambda part: part[0].kind == COMPILED):
            if each.table and each.table not in found:
                made = self._table(each, outer)
                found[each.table] = {
                    "name": each.table,
                    "made": made,
                    "exchanges": each.kind in (PACK, SEND, UNPACK, TAKE),
                    "mails": each.kind == TAKE,
                    "plans": each.kind == PLANNED,
                    "of_kernels": each.kind == COMPILED,
                }
        return [*found.values()]

    @cached_property
    def groups(self) -> dict[str, str]:
        """The communicators of ranks that exchange with each other, if these are not all: the names
        by what ranks of a group have in common, as an expression of Python.
        """
        colors = (color_of(step) for step in self.program.steps)
        found = dict.fromkeys(filter(None, colors))
        return {color: f"group_{i}" if i > 1 else "group" for i, color in enumerate(found, 1)}

    def comm(self, each: Operation) -> str:
        """Return the communicator of an exchange."""
        return self.groups.get(color_of(each.step), "own")

    def _table(self, each: Operation, outer: int) -> str:
        """Return the expression that makes the table of an operation, of all or of planes."""
        if each.kind != COMPILED:
            before, after = f"LAYOUTS[{each.before}]", f"LAYOUTS[{each.after}]"
            made = ROWS[type(each.step)].made(each.step, before, after, self.program.request)
            direct = {o.direct for o in self.operations}
            mine = f"self.{self.comm(each)}.rank"
            return f"to_others({made}, {mine})" if each.table in direct else made
        comes = each.before if each.comes < 0 else each.comes
        goes = each.after if each.goes < 0 else each.goes
        layouts = (
            f"LAYOUTS[{each.before}], rank, {each.step.axis}, LAYOUTS[{comes}], LAYOUTS[{goes}]"
        )
        return self.kernels.given(each.step, layouts, outer, each.direct)

    def is_viewed(self, i: int) -> bool:
        """Return whether operation i writes a part of an array to a room, and not messages."""
        each, following = self.operations[i : i + 2]
        flat = each.kind in (PACK, TAKE) or following.kind in (UNPACK, PUT, cosine_lines.PUT_SIGNED)
        flat |= each.goes >= 0 or following.comes >= 0
        return not flat

    @property
    def views(self) -> list[dict[str, Any]]:
        """The rooms as parts of arrays."""
        several = range(len(self.operations) - 1)
        found = {
            (each.room, at)
            for i, each in enumerate(self.operations)
            if i in several and each.room != "out" and self.is_viewed(i)
            for at in (each.after, *self._read_as(i + 1))
        }
        return [
            {"name": f"{room}{at}", "room": room, "layout": at, "real": at in self.real}
            for room, at in sorted(found)
        ]

    def _read_as(self, i: int) -> list[int]:
        """Return the layout of what operation i reads, if that is another one than was written."""
        last, each = self.operations[i - 1 : i + 1]
        return [each.before] * (last.step is not each.step and last.after != each.before)

    @cached_property
    def real(self) -> list[int]:
        """The numbers of the layouts of real numbers, where others are of complex ones."""
        return real_layouts(self.program.steps)

    @property
    def in_rooms(self) -> str:
        """The slice of the layouts that rooms hold: those of complex numbers, if no others."""
        real = self.real
        held = any(each.after in real and each.room != "out" for each in self.operations)
        if not real or held:
            return ""
        return f"[: {real[0]}]" if real[0] else f"[{len(real)} :]"

    @property
    def needs(self) -> list[str]:
        """The functions that operations and plans need, in their order."""
        found = {need for each in self.operations for need in NEEDS[each.kind]}
        found |= {need for each in self.operations if each.direct for need in NEEDS[DIRECT]}
        found |= {"shaped"} if self.rooms else set()
        found |= {"root_of_unity", "tabulate"} if self.kernels.has_roots else set()
        return [name for name in EVERY if name in found]

    @property
    def stages(self) -> Iterator[dict[str, Any]]:
        request, lines = self.program.request, list[str]()
        for i, each in enumerate(self.operations):
            source, target = self._source(i), self._target(i)
            if each.kind == COMPILED:
                own = self._target(i + bool(each.direct))
                lines += compiled_lines(each, self.kernels, source, target, own)
            else:
                lines.append(_line(each, source, target, request, self.comm(each)))
            if i + 1 == len(self.operations) or self.operations[i + 1].step is not each.step:
                yield {"comments": [step.words for step in each.steps], "lines": lines}
                lines = []
        factor, comment = last_factor(request, self.program.steps)
        if factor:
            yield {"comments": [comment], "lines": [f"np.multiply(out, {factor}, out=out)"]}

    def _source(self, i: int) -> str:
        """Return what operation i reads: what the last one wrote, or the same memory as an array of
        another layout.
        """
        if i == 0:
            return "x"
        others = [f"plan.{self.operations[i - 1].room}{at}" for at in self._read_as(i)]
        return others[0] if others else self._target(i - 1)

    def _target(self, i: int) -> str:
        """Return what operation i writes to."""
        each = self.operations[i]
        if each.room == "out":
            return "out"
        if self.is_viewed(i):
            return f"plan.{each.room}{each.after}"
        return f"plan.{each.room}{'.view(DTYPE)' if each.after in self.real else ''}"


def _line(each: Operation, source: str, target: str, request: Request, comm: str) -> str:
    if each.kind == ALONG:
        return along(each.step, source, target, request)
    forward = each.kind == PLANNED and is_forward(each.step, request)
    words = {"source": source, "target": target, "table": each.table, "forward": forward}
    return LINES[each.kind].format(step=each.step, comm=comm, **words)
