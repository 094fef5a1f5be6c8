"""Programs whose ranks have unequal parts as text: Python decides here, the template prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.emit.program_constants import common, fourier_title, library
from codegen.emit.tables import freeing
from codegen.emit.unequal import cosine_lines
from codegen.emit.unequal.part_lines import Lines
from codegen.emit.words import escaped, factor_of, literal
from codegen.program.supersteps import Program
from codegen.source import functions_of
from codegen.system_table import listed_names
from codegen.systems.options import COMPLEX
from derive.call_arguments import counted
from derive.digits.part_layouts import BALANCED, BLOCK, PartLayout
from derive.printing import printed

PLACES = (
    *("slices", "shape_of", "place", "index", "flat"),
    *("input_place", "input_index", "output_place", "output_index"),
    *("known_rank", "local_shape", "local_output_shape"),
)
"""The functions that say where elements are."""
WORDS = {
    "exchanges": "tables of its exchanges",
    "plans": "FFTW plans",
    "of_kernels": "roots of unity and scratch buffers of its kernels",
}
"""What the kinds of tables are in words."""


def text_of(program: Program) -> str:
    """Return the text of a program whose ranks have unequal parts."""
    return printed("codegen", "unequal/program.py.jinja", _view(program))


def _view(program: Program) -> dict[str, Any]:
    lines = Lines(program)
    tables, views, rooms = lines.tables, lines.views, lines.rooms
    axes = [axis for layout in lines.layouts for axis in layout.axes if axis.p > 1]
    names = [name for name in (BLOCK, BALANCED) if name in {axis.name for axis in axes}] or [BLOCK]
    modules = ["by_parts", "by_indices", "by_plans", "by_numpy", "last"]
    modules += ["by_numba", "by_parts_compiled"] * bool(lines.kernels.steps)
    verbatim = (functions_of(f"emit/verbatim/{module}") for module in modules)
    return {
        **_stated(program),
        "layouts": [_written(layout, names[0]) for layout in lines.layouts],
        "divisions": names,
        "places": PLACES,
        "tables": tables,
        "groups": [(name, color) for color, name in lines.groups.items()],
        "freed": freeing([*lines.groups.values(), "own"], "comm", "Free"),
        "mailed": [table["name"] for table in tables if table.get("mails")],
        "rooms": rooms,
        "in_rooms": lines.in_rooms,
        "views": views,
        "kept": [*(each["name"] for each in tables), *rooms, *(view["name"] for view in views)],
        "keeps": _keeps(tables, rooms),
        "stages": [*lines.stages],
        "needs": lines.needs,
        "sign": -1 if program.request.is_forward else 1,
        "constants": [*_constants(program, "root_of_unity" in lines.needs)],
        "forms": {},
        "library": library(program.request, bool(lines.kernels.steps)),
        **(lines.kernels.printed if lines.kernels.steps else {"compiled": None}),
        "verbatim": {name: text for part in verbatim for name, text in part.items()},
    }


def _constants(program: Program, roots: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the constants of types and kernels, and of roots of unity if there are some."""
    request = program.request
    real = request.record.is_of_reals
    if real:
        yield "COMPLEX", "np.result_type(DTYPE, np.complex64)", ""
    ends = ["COMPLEX" if real and dtype in COMPLEX else "DTYPE" for dtype in request.types]
    yield "INPUT_DTYPE, OUTPUT_DTYPE", ", ".join(ends), ""
    yield from request.backend.constants
    if roots:
        yield "SIGN", "-1" if request.is_forward else "1", "w_n = exp(SIGN 2 pi i / n)"


def _stated(program: Program) -> dict[str, Any]:
    request, before, after = program.request, program.input, program.output
    assert isinstance(before, PartLayout) and isinstance(after, PartLayout), "unequal parts"
    real = request.record.is_of_reals
    axes = tuple(axis - len(request.shape) for axis in request.transformed)
    return {
        **common(program),
        **_words(program),
        "input_words": f"{before.name}: {before.words('x')}",
        "output_words": f"{after.name}: {after.words('y')}",
        "input_shape": before.shape,
        "output_shape": after.shape,
        "first_part": before.local_shape(0),
        "first_result": after.local_shape(0),
        "complex": "COMPLEX" if real else "DTYPE",
        "compared_with": "cosine" if request.record.of_parts else "parts",
        "shape": request.shape,
        "grid": request.grid,
        "batch": request.batch,
        "axes": axes,
        "literal": literal,
    }


def _words(program: Program) -> dict[str, Any]:
    request, left = program.request, program.equation.left
    if request.record.of_parts:
        found = cosine_lines.words_of(program)
        return found | {"statements": [*found["statements"], *_factored(program)]}
    forward, real = request.is_forward, request.record.is_of_reals
    size = " x ".join(map(str, request.shape))
    matrix = factor_of(request) + str(left)
    root = f"F_n[j, k] = w_n^(jk),   w_n = exp({'-' * forward}2 pi i / n)"
    computed = f"y = {matrix} x"
    if real:
        half = f"those of 0 <= k <= n/2 along axis {request.transformed[-1] - len(request.shape)}"
        computed = (
            f"the half y of Y = {matrix} x of the real x, {half}"
            if forward
            else f"the real y = {matrix} X, where x is the half of X, {half}"
        )
    return {
        "title": fourier_title(request, f"{size} {'real ' * real}elements"),
        "statements": [f"{computed},   {root}", *_factored(program)],
        "postcondition": computed,
    }


def _factored(program: Program) -> list[str]:
    """Return how the transform is factored; nothing where a rank does it in one step."""
    equation = program.equation
    return [escaped(str(equation))] * (str(equation.left) != str(equation.right))


def _written(layout: PartLayout, usual: str) -> list[tuple[Any, ...]]:
    """Return a layout as a program has it: of each axis the division, n, p, and the stride."""
    both = zip(layout.axes, layout.strides, strict=True)
    return [
        (axis.name if axis.p > 1 else usual, axis.n, axis.p, stride if axis.p > 1 else 1)
        for axis, stride in both
    ]


def _keeps(tables: list[dict[str, Any]], rooms: list[str]) -> str:
    """Return what a plan keeps, in words."""
    kept = ["a communicator"]
    kinds = {kind for table in tables for kind in WORDS if table.get(kind)}
    others = [table for table in tables if not any(table.get(kind) for kind in WORDS)]
    kept += dict.fromkeys(words for kind, words in WORDS.items() if kind in kinds)
    kept += ["twiddles"] * bool(others)
    kept += [counted(len(rooms), "work array")] * bool(rooms)
    return listed_names(kept)
