"""Transforms along an axis by compiled kernels, for programs whose ranks have unequal parts.

    along      for every tile: gather columns, F_n ⊗ I_8 of each block, scatter
    columns    elements of the axis are apart, those of neighbouring columns side by side
    rows       it is the last axis: elements of a row are side by side
    to_half    the same of real numbers: two rows are one complex column, of which two half
               spectra are split
    from_half  back from half spectra, two of which are joined

The text of a kernel has n alone as a number. How many columns a rank has, and where the parts of
the axis begin, are values of its plan: so a tile is read from messages that come of other ranks and
written to messages for them, and nothing else packs or unpacks where the transformed axis is the
one that becomes whole or is divided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from codegen.emit.steps import fourier_passes
from codegen.kernels import fourier_kernels
from codegen.kernels.fourier_kernels import NONE, Kernel
from codegen.kernels.loops import View
from codegen.kernels.permute.kernel_text import section
from codegen.kernels.widths import LANES
from codegen.program.ragged.part_steps import COMPLEX, TO_HALF, AlongAxis, half
from codegen.systems.record import Request

LONGEST = 2**14
"""Longer axes are transformed by numpy: a tile of them would not fit a cache."""
TILE = 2**14
"""The elements of a tile; it is one block of columns if that has more."""
COLUMNS, ROWS, TO, FROM = "columns", "rows", "to_half", "from_half"
PARTS = {
    COLUMNS: ("gather_columns", "scatter_columns"),
    ROWS: ("gather_rows", "scatter_rows"),
    TO: ("gather_pairs", "conjugate", "split_pairs", "scatter_rows"),
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
        and isinstance(step, AlongAxis)
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
    """A compiled transform along an axis of n elements: its name, the form of its tiles, and what
    it is given of a plan.
    """

    name: str
    form: str
    kernel: View
    most: int
    """The most columns that a rank has, or rows."""

    @property
    def n(self) -> int:
        """The length of the axis."""
        return int(self.kernel["kernel"].d)

    @property
    def run(self) -> int:
        """How many columns a tile has."""
        return max(min(TILE // self.n // LANES, -(-self.most // LANES)), 1) * LANES

    @property
    def block(self) -> int:
        """How many rows are a block of columns."""
        return LANES * (2 if self.form in (TO, FROM) else 1)

    @property
    def tables(self) -> list[str]:
        """The tables that its kernel reads, by their kinds."""
        return ["halves"] * (self.form in (TO, FROM)) + self.kernel["given"]

    @property
    def view(self) -> View:
        """What the template prints."""
        given = ["given", "made", "copies", *["c"] * (self.form == COLUMNS), "tile", *self.tables]
        return {
            "name": self.name,
            "n": self.n,
            "run": self.run,
            "form": self.form,
            "half": half(self.n),
            "block": self.block,
            "rows": self.run * self.block // LANES,
            "given": ", ".join(given),
            "inner": self.kernel["name"],
            "tables": "".join(f"{name}, " for name in self.kernel["given"]),
            "formula": f"F_{self.n}{WORDS[self.form]}",
        }

    @property
    def nothing(self) -> str:
        """Arguments for which it does nothing."""
        counts = ["0"] * (1 + (self.form == COLUMNS))
        return ", ".join(
            ["there", "there", *["np.zeros(1, int)"] * 2, *counts, "there", *self.tables_there]
        )

    @property
    def tables_there(self) -> list[str]:
        """As many addresses as it is given tables."""
        return ["there"] * len(self.tables)


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
            fourier_passes.printed(Kernel(n, LANES, NONE, False), f"local_{i}", one_table)
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
            columns = step.before.M // step.before.shape[step.axis]
            most[kind] = max(most.get(kind, 1), columns)
        return {
            (form, n): Compiled(f"along_{form}_{n}", form, loops[n], columns)
            for (form, n), columns in most.items()
        }

    def of(self, step: AlongAxis) -> Compiled:
        """Return the compiled transform of a step."""
        return self.forms[form_of(step), step.n]

    @property
    def tables(self) -> Iterator[tuple[str, str]]:
        """Yield the tables that all ranks have: names, and expressions that make them."""
        for n, kernel in zip(self.lengths, self.loops, strict=True):
            if kernel["roots"].size:
                yield f"roots_{n}", f"side_by_side({', '.join(map(str, kernel['roots'].calls))})"
        if line := max((kernel["line"] for kernel in self.loops), default=0):
            yield "line", f"aligned({line} * W, {self.complex})"
        if self.steps:
            size = max(each.n * each.run for each in self.forms.values())
            yield "tile", f"aligned({size}, {self.complex})"
        real = [
            2 * half(each.n) * each.run
            for (form, _), each in self.forms.items()
            if form in (TO, FROM)
        ]
        if real:
            yield "halves", f"aligned({max(real)}, {self.complex})"

    @property
    def complex(self) -> str:
        """The name of the type of complex numbers."""
        return "COMPLEX" if self.request.record.real else "DTYPE"

    def given(self, step: AlongAxis, at: str, comes: str, goes: str) -> str:
        """Return what a transform is given of a plan, between messages of these layouts."""
        form = self.of(step)
        tables = {"roots": f"roots_{step.n}", "line": "line", "halves": "halves"}
        addresses = "".join(f", address(self.{tables[name]})" for name in form.tables)
        c = "[:3]" * (form.form != COLUMNS)
        parts = f"*parts({at}, rank, {step.axis}, {comes}, {goes}){c}"
        return f"{parts}, address(self.tile){addresses}"

    @property
    def printed(self) -> View:
        """What the template prints of compiled functions and beside them."""
        found = fourier_passes.beside(self.loops)
        several = [*self.forms.values()]
        inner = list(dict.fromkeys(name for each in several for name in PARTS[each.form]))
        return found | {
            "alongs": [each.view for each in several],
            "moved": inner,
            "pairs_to": any(each.form == TO for each in several),
            "complex": self.complex,
            "lanes": LANES,
            "compiled": {
                "calls": [(each.name, each.nothing) for each in several],
                "operations": section("vectors"),
                "inline": [*found["codelets"], *(k["name"] for k in self.loops), *inner],
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
    """Return whether a step is along the last axis."""
    return step.axis == len(step.before.shape) - 1


def _mixes_all(request: Request) -> bool:
    """Return whether every number of a result depends on all of the array, of several axes."""
    return not request.batch and len(request.transformed) == len(request.shape) > 1


def form_of(step: AlongAxis) -> str:
    """Return the form of the tiles of a step."""
    if step.kind != COMPLEX:
        return TO if step.kind == TO_HALF else FROM
    return ROWS if _is_last(step) else COLUMNS


def joined(operations: Sequence[Any], compiles: str, pack: str, unpack: str) -> list[Any]:
    """Return operations of which compiled transforms read and write messages themselves."""
    found = list[Any]()
    for each in operations:
        last = found[-1] if found else None
        if (
            last
            and last.kind == compiles
            and each.kind == pack
            and each.step.whole == last.step.axis
        ):
            found[-1] = replace(last, goes=each.after)
        elif (
            last
            and last.kind == unpack
            and each.kind == compiles
            and last.step.divided == each.step.axis
        ):
            found[-1] = replace(each, comes=last.before)
        else:
            found.append(each)
    return found
