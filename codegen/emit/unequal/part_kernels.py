"""Transforms along an axis by compiled kernels, for programs whose ranks have unequal parts.

    along      for every tile: gather columns, F_n ⊗ I_8 of each block, scatter; of all of an
               array, or of planes, which are at the same indices of the first axes
    columns    elements of the axis are apart, those of neighbouring columns side by side
    rows       it is the last axis: elements of a row are side by side
    to_half    the same of real numbers: two rows are one complex column, whose two half spectra
               are split while they are scattered
    from_half  back from half spectra, two of which are joined

The text of a kernel has n alone as a number. How many columns a rank has, and where the parts of
the axis begin, are values of its plan: so a tile is read from messages that come of other ranks and
written to messages for them, and nothing else packs or unpacks where the transformed axis is the
one that becomes whole or is divided. Columns of one part need no tile where a plane of them fits a
cache; where it does not, the long runs of a tile are faster. Columns beyond the last whole block of
8 are gathered from several planes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from codegen.emit.steps import fourier_passes
from codegen.emit.unequal.part_operations import PLANE, Operation, at_a_time, plane_of
from codegen.kernels import fourier_kernels
from codegen.kernels.fourier_kernels import NONE, Kernel
from codegen.kernels.loops import View
from codegen.kernels.permute.kernel_text import section
from codegen.kernels.widths import LANES
from codegen.program.ragged.part_steps import COMPLEX, TO_HALF, AlongAxis, half
from codegen.systems.record import Request

LONGEST = 2**14
"""Longer axes are transformed by numpy: a tile of them would not fit a cache."""
TILES = {True: 2**14, False: 2**10}
"""The elements of a tile, of columns or of rows; it is one block of them if that has more. Rows are
side by side, so that a tile of them need not be larger than the first cache.
"""
COLUMNS, ROWS, TO, FROM = "columns", "rows", "to_half", "from_half"
PARTS = {
    COLUMNS: ("gather_columns", "scatter_columns", "gather_others", "scatter_others"),
    ROWS: ("gather_rows", "scatter_rows"),
    TO: ("gather_pairs", "conjugate", "split_pair", "scatter_halves"),
    FROM: ("gather_rows", "conjugate", "join_pairs", "put_real", "scatter_pairs"),
}
"""The functions that the forms consist of."""


def has_kernel(step: Any, request: Request) -> bool:
    """Return whether a step is done by a compiled kernel.

    One of a convolution is not, as a program's kernels have one sign. One from or to real numbers
    is, along the last axis, where all axes are transformed: two rows are one of complex numbers, so
    that an infinite number in one comes to the other, and its rounding errors.
    """
    return (
        request.backend.is_whole
        and bool(step.transforms_of_ranks)
        and (step.kind == COMPLEX or (_is_last(step) and _mixes_all(request)))
        and not step.turn
        and 1 < step.n <= LONGEST
        and fourier_kernels.has_kernel(step.n)
    )


def by_kernels(steps: Sequence[Any], request: Request) -> list[AlongAxis]:
    """Return the steps that are done by compiled kernels."""
    return [step for step in steps if has_kernel(step, request)]


@dataclass(frozen=True)
class Compiled:
    """A compiled transform along an axis of n elements, and the form of its tiles."""

    form: str
    kernel: View
    most: int
    """The most columns that a rank has, or rows."""

    @property
    def name(self) -> str:
        return f"along_{self.form}_{self.n}"

    @property
    def n(self) -> int:
        """The length of the axis."""
        return int(self.kernel["kernel"].d)

    @property
    def run(self) -> int:
        """How many columns a tile has."""
        most = TILES[self.form == COLUMNS] // self.n // LANES
        return max(min(most, -(-self.most // self.block)), 1) * LANES

    @property
    def block(self) -> int:
        """How many rows are a block of columns."""
        return LANES * (2 if self.form in (TO, FROM) else 1)

    @property
    def inner(self) -> list[str]:
        """The tables that its kernel of blocks of columns reads, by their names in a plan."""
        roots = f"roots_{self.n}"
        return [roots if name == "roots" else name for name in self.kernel["given"]]

    @property
    def tables(self) -> list[str]:
        own = {TO: ["line"], FROM: ["halves"]}.get(self.form, [])
        return list(dict.fromkeys(own + self.inner))

    @property
    def view(self) -> View:
        return {
            "name": self.name,
            "n": self.n,
            "run": self.run,
            "form": self.form,
            "half": half(self.n),
            "near": PLANE,
            "block": self.block,
            "rows": self.run * self.block // LANES,
            "inner": self.kernel["name"],
            "tables": "".join(f", {name}" for name in self.tables),
            "of_inner": "".join(f", {name}" for name in self.inner),
            "formula": f"F_{self.n}{WORDS[self.form]}",
        }

    @property
    def nothing(self) -> str:
        counts = ["0"] * (3 + (self.form == COLUMNS))
        found = ["there"] * 3 + ["0"] * 4 + ["np.zeros(1, int)"] * 2 + counts
        return ", ".join([*found, "there", *["there"] * len(self.tables)])


@dataclass(frozen=True)
class Kernels:
    """The compiled transforms of a program."""

    steps: tuple[AlongAxis, ...]
    request: Request

    @property
    def lengths(self) -> list[int]:
        """The lengths of the axes that are transformed, each once."""
        return list(dict.fromkeys(step.n for step in self.steps))

    @property
    def loops(self) -> list[View]:
        """The kernels of blocks of columns as the template prints them."""
        one_table = fourier_kernels.of_type(self.request.dtype)
        return [
            fourier_passes.printed(
                Kernel(n, LANES, NONE, False, strided=True), f"local_{i}", one_table
            )
            | {"number": i}
            for i, n in enumerate(self.lengths)
        ]

    @property
    def has_roots(self) -> bool:
        """Whether a kernel reads roots of unity."""
        return any(kernel["roots"].size for kernel in self.loops)

    @property
    def forms(self) -> dict[tuple[str, int], Compiled]:
        """The compiled transforms by their forms and lengths."""
        loops = dict(zip(self.lengths, self.loops, strict=True))
        most = dict[tuple[str, int], int]()
        for step in self.steps:
            kind = form_of(step), step.n
            shape = step.before.local_shape(0)
            axes = shape[step.axis + 1 :] if kind[0] == COLUMNS else shape[: step.axis]
            most[kind] = max(most.get(kind, 1), prod(axes))
        return {(form, n): Compiled(form, loops[n], columns) for (form, n), columns in most.items()}

    def of(self, step: AlongAxis) -> Compiled:
        return self.forms[form_of(step), step.n]

    @property
    def tables(self) -> Iterator[tuple[str, str]]:
        """Yield the tables that all ranks have: names, and expressions that make them."""
        for n, kernel in zip(self.lengths, self.loops, strict=True):
            if kernel["roots"].size:
                yield f"roots_{n}", f"side_by_side({', '.join(map(str, kernel['roots'].calls))})"
        pairs = 2 * LANES if any(form == TO for form, _ in self.forms) else 0
        if line := max([pairs, *(kernel["line"] for kernel in self.loops)]):
            yield "line", f"aligned({line} * W, {self.complex})"
        if self.steps:
            size = max(each.n * each.run for each in self.forms.values())
            yield "tile", f"aligned({size}, {self.complex})"
        if real := [each for (form, _), each in self.forms.items() if form == FROM]:
            size = max(2 * half(each.n) * each.run for each in real)
            yield "halves", f"aligned({size}, {self.complex})"

    @property
    def complex(self) -> str:
        """The name of the type of complex numbers."""
        return "COMPLEX" if self.request.record.is_of_reals else "DTYPE"

    def given(self, step: AlongAxis, layouts: str, planes: int, trade: str) -> str:
        """Return what a transform is given of a plan, between messages of these layouts.

        `planes` is the number of axes before a plane, 0 for the whole array; `trade` is the
        exchange that leaves a rank its own message, "" for none.
        """
        form, outer = self.of(step), f", {planes}" if planes else ""
        found = [f"*parts({layouts}{outer})" + "[:4]" * (form.form != COLUMNS)]
        found += [f"self.{trade}.place, self.{trade}.shift" if trade else "-1, 0"]
        found += [f"address(self.{name})" for name in ["tile", *form.tables]]
        return ", ".join(["0, 0, 1"] * (not planes) + found)

    @property
    def printed(self) -> View:
        """What the template prints of compiled functions and beside them."""
        found = fourier_passes.beside(self.loops)
        several = [*self.forms.values()]
        inner = list(dict.fromkeys(name for each in several for name in PARTS[each.form]))
        inline = [*found["codelets"], *(k["name"] for k in self.loops), *inner]
        lists = "load_lists, load_lists_1 = lists({0}, W), lists({0}, 1)"
        loaders = [
            "W = min({1}, widest({0}))  # lanes: complex numbers per vector",
            "load, load_pairs, broadcast = loads({0}, W)",
            "load_pairs_1 = loads({0}, 1)[1]",
            *[lists] * any(each.form == TO for each in several),
            *(f"{name} = inline({name})" for name in inline),
        ]
        return found | {
            "alongs": [each.view for each in several],
            "moved": inner,
            "complex": self.complex,
            "lanes": LANES,
            "compiled": {
                "calls": [(each.name, each.nothing) for each in several],
                "words": fourier_passes.VECTORS,
                "operations": section("vectors"),
                "loaders": [line.format(self.complex, LANES) for line in loaders],
                "names": [each.name for each in several],
            },
        }


WORDS = {
    COLUMNS: " ⊗ I_c",
    ROWS: "",
    TO: " of real numbers, the half,",
    FROM: " of half spectra of real numbers",
}
"""What a form computes, in words after F_n."""


def _is_last(step: AlongAxis) -> bool:
    return step.axis == len(step.before.shape) - 1


def _mixes_all(request: Request) -> bool:
    """Return whether every number of a result depends on all of the array, of several axes."""
    return not request.batch and len(request.transformed) == len(request.shape) > 1


def form_of(step: AlongAxis) -> str:
    """Return the form of the tiles of a step."""
    if step.kind != COMPLEX:
        return TO if step.kind == TO_HALF else FROM
    return ROWS if _is_last(step) else COLUMNS


def compiled_lines(
    operation: Operation, kernels: Kernels, source: str, target: str, own: str
) -> Iterator[str]:
    """Yield the lines of a compiled transform, which writes a rank's own part to `own`."""
    if not operation.several:
        ends = ", ".join(f"address({each})" for each in (source, target, own))
        yield f"{kernels.of(operation.step).name}({ends}, *plan.{operation.table})"
        return
    some, all_of_them = at_a_time(operation.steps), f"plan.planes_{operation.table}"
    ends = ", ".join(f"address({each})" for each in (source, "plan.plane", target, own))
    yield f"start, plane, stop, own = {ends}"
    yield f"for i in range(0, {all_of_them}, {some}):"
    yield f"    count = min({some}, {all_of_them} - i)"
    for each in operation.several:
        first, last = each is operation.several[0], each is operation.several[-1]
        given = "start" if first else "plane", "stop, own" if last else "plane, plane"
        numbers = "i" if first else "0", "i" if last else "0"
        words = ", ".join([*given, *numbers, "count"])
        yield f"    {kernels.of(each.step).name}({words}, *plan.{each.table})"


def tables_of_planes(
    operations: Sequence[Operation], kernels: Kernels
) -> Iterator[tuple[str, str]]:
    """Yield the tables of planes: how many there are, and the room that holds some."""
    several = [each for each in operations if each.several]
    for each in several:
        shape = f"shape_of(LAYOUTS[{each.before}], rank)[:{each.outer}]"
        yield f"planes_{each.table}", f"math.prod({shape})"
    if several:
        size = max(at_a_time(each.steps) * plane_of(each.steps) for each in several)
        yield "plane", f"aligned({size}, {kernels.complex})"
