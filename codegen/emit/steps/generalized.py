"""Stages of generalized butterflies by compiled kernels: operations, and what a program prints of
the kernels.

operation = phase(number, table)      the stages of a phase on every block of a rank's elements
          | reversed_stages           A_4 A_2 P_M, which come before the others
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from codegen.emit.steps.array_names import Operation
from codegen.kernels.fusion import QUAD
from codegen.kernels.widths import LANES
from codegen.program.stages.generalized_butterflies import Butterflies
from codegen.program.supersteps import Program


@dataclass(frozen=True)
class Call:
    """Butterflies of so many elements, h apart, of a block; `until`: and 4 h, 16 h, .. apart."""

    count: int
    h: int
    place: int
    b: int
    source: str = "y"
    until: int = 0

    @property
    def neighbours(self) -> bool:
        """Whether four elements side by side belong together, in blocks of as many."""
        return (self.count, self.h) == (4, 1) and self.b >= QUAD * QUAD

    @property
    def lanes(self) -> int:
        """The lanes of vectors of neighbours, or 0 if as many as there are in a vector."""
        return QUAD if self.neighbours else self.h if self.h < LANES else 0

    def lines(self, start: str) -> list[str]:
        """Return the lines for a block whose weights begin there."""
        place = " + ".join(filter(None, [start, str(self.place) * (self.place > 0)])) or "0"
        if not self.until:
            return self._lines(f"{self.h}", place, self.count * self.h)
        inner = (f"    {line}" for line in self._lines("h", "place", f"{self.count} * h"))
        opened = [f"h, place = {self.h}, {place}", f"while h <= {self.until}:"]
        return [*opened, *inner, "    h, place = 4 * h, place + 3 * h"]

    def _lines(self, h: str, place: str, step: int | str) -> list[str]:
        """Return the lines of butterflies of elements h apart, for so many elements at a time."""
        n, x, loop = self.count, self.source, f"for t in range(at, at + {self.b}, {{}}):"
        if self.neighbours:
            v = f"butterfly4(transpose(load_pairs_4({x}, t, 4, 4)), w)"
            opened = [f"w = broadcast_4(table, {place}, 1, 3)", loop.format(16)]
            return [*opened, f"    store_pairs(y, t, 4, transpose({v}))"]
        if lanes := self.lanes:
            v = f"load_pairs_{lanes}({x}, t, {h}, {n}), load_{lanes}(table, {place}, {h}, {n - 1})"
            return [loop.format(step), f"    store_pairs(y, t, {h}, butterfly{n}({v}))"]
        w = f"load(table, {f'{place} + j' if place != '0' else 'j'}, {h}, {n - 1})"
        opened = [loop.format(step), f"    for j in range(0, {h}, W):"]
        opened.append(f"        v = load_pairs({x}, t + j, {h}, {n})")
        return [*opened, f"        store_pairs(y, t + j, {h}, butterfly{n}(v, {w}))"]


@dataclass(frozen=True)
class Phase:
    """Stages first, 2 first, .., last on blocks of b elements; w blocks have their own weights."""

    first: int
    last: int
    b: int
    w: int

    @property
    def stages(self) -> str:
        first, last = self.first, self.last
        sizes = [str(k) for k in (first, 2 * first, 4 * first) if k <= last]
        return ", ".join([*sizes[:2], "..", str(last)] if last > 4 * first else sizes)

    @property
    def pairs(self) -> list[Call]:
        """The pairs of stages, and a last one that is left, in their order."""
        found, h, place = list[Call](), self.first // 2, 0
        while 4 * h <= self.last:
            found.append(Call(4, h, place, self.b))
            h, place = 4 * h, place + 3 * h
        return found + [Call(2, h, place, self.b)] * (2 * h == self.last)

    @property
    def weights(self) -> int:
        """The number of weights of a block."""
        return sum((pair.count - 1) * pair.h for pair in self.pairs)

    @property
    def lines(self) -> list[str]:
        """The lines for one block."""
        several, first = self.w > 1, f"start = at // {self.b} % {self.w} * {self.weights}"
        first += "  # the first weight of this block"
        return [first] * several + [x for call in self.calls for x in call.lines("start" * several)]

    @property
    def calls(self) -> list[Call]:
        """What is called for its pairs of stages, those whose elements are far apart in a loop."""
        opening, *others = self.pairs
        far = [pair for pair in others if pair.count == 4 and not pair.lanes]
        found = [replace(opening, source="x"), *others]
        if len(far) < 2:
            return found
        loop = replace(far[0], until=far[-1].h)
        return [loop if pair is far[0] else pair for pair in found if pair not in far[1:]]


def computing(step: Butterflies, program: Program, tables: Any) -> Iterator[Operation]:
    """Yield the operations of the stages of a phase; their weights are named."""
    reverses, phase = step.reverses, _phase(step)
    needs, size = {"needs": ("passes",)}, {"size": program.M}
    if reverses:
        yield {"macro": "reversed_stages", **needs, **size}
    if phase.pairs:
        table = tables.name("weights", (phase.first, phase.last, step.u, step.w))
        number = _phases(program).index(phase)
        yield {
            "macro": "phase",
            "hops": 0 if reverses else 1,
            "number": number,
            "table": table,
            **needs,
            **size,
        }


def _phase(step: Butterflies) -> Phase:
    """Return the stages that are left to do where the first two are done from reversed places."""
    first = 4 * step.first if step.reverses else step.first
    return Phase(first, step.last, step.b, step.w)


def _phases(program: Program) -> list[Phase]:
    """Return the phases of a program that differ."""
    phases = dict.fromkeys(map(_phase, _butterflies(program)))
    return [phase for phase in phases if phase.pairs]


def _butterflies(program: Program) -> list[Any]:
    """Return the steps of generalized butterflies."""
    return [step for step in program.steps if step.stages]


def beside(program: Program) -> dict[str, Any]:
    """Return what a program prints of the kernels of its stages."""
    phases = _phases(program)
    calls = [call for phase in phases for call in phase.calls]
    reverses = any(step.reverses for step in _butterflies(program))
    counts = {call.count for call in calls}
    return {
        "phases": phases,
        "reverses": reverses,
        "narrow": sorted({call.lanes for call in calls} - {0} | ({QUAD} if reverses else set())),
        "combines": ["combined"] * (4 in counts or reverses)
        + [f"butterfly{count}" for count in (4, 2) if count in counts],
    }
