"""Compiled kernels of a straight program: those that it runs, and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codegen.emit.arrangements import Gray, Lines, Records, kernel
from codegen.emit.steps.array_names import Operation
from codegen.kernels.permute import kernel_text
from codegen.systems.record import Request
from derive.gf2.bits import Affine

KIND_OF: dict[type, str] = {Lines: "lines", Records: "records", Gray: "gray"}
KINDS = tuple(KIND_OF.values())
"""The kinds of tables that a kernel reads."""
FORMS = ("tiles", "records", "gray")
"""The kinds of kernels that move elements."""
GIVEN = {
    "source": "address(source)",
    "target": "address(target)",
    "c": "self.c",
    "stages": "self.stages",
    "streamed": "int(begins_on_line(target))",
    "lines": "self.lines",
    "turn": "address(self.turns)",
    "low": "self.low",
    "high": "self.high",
    "tile": "address(self.tile)",
}
"""What a kernel on lines is given for each of its arguments."""
NONE = dict.fromkeys(("source", "target", "turn", "tile"), "address(array)") | {
    "c": "0",
    "stages": "0",
    "streamed": "0",
    "lines": "lines",
    "low": "none",
    "high": "none",
}
"""The same where there are no tiles."""
ON_LINES = "Operations on lines of 64 bytes under numba"
COMPILING = "Compiling by numba"


def table(_: str, how: Lines | Records | Gray, tables: Any) -> dict[str, Any]:
    """Return a table of a kernel as the template prints it."""
    ranks = tables.written(Affine(how.ranks, tables.m, how.c), ("rank", 1 << tables.p))
    if isinstance(how, Gray):
        return {"columns": how.columns, "ranks": ranks}
    need = "lines" if isinstance(how, Lines) else "neighbours"
    return {"needs": (need, "span", "affine"), "found": how.tiles, "ranks": ranks}


def rearranging(how: Lines | Records | Gray, tables: Any) -> Operation:
    """Return the operation of a kernel; its table is named."""
    kind = KIND_OF[type(how)]
    return {"macro": kind, "needs": ("kernel",), "table": tables.name(kind, how)}


def kernel_of(
    how: Sequence[Lines | Records | Gray], request: Request, itemsize: int
) -> dict[str, Any]:
    """Return what a program prints of the kernel that puts elements in these orders."""
    found = kernel(request.M.bit_length() - 1, request.kernels, itemsize)
    found |= {
        "words": COMPILING,
        "names": ["move"],
        **dict.fromkeys(("asked", "stages", "loaders"), ()),
        "prepare": ["prepare"],
    }
    stages = [each.tiles.stages for each in how if isinstance(each, Lines)]
    if stages:
        found |= kernel_text.view(itemsize, stages, bool(found["streamed"]))
        found |= {
            "kernel": kernel_text.kernel(found),
            "words": ON_LINES,
            "call": ", ".join(GIVEN[name] for name in found["names"]),
            "nothing": ", ".join(NONE[name] for name in found["names"]),
            "names": ["move"],
            "stages": stages[0],
        }
    else:
        found["kernel"] = kernel_text.undecorated(found["kind"])
    return found


def forms(compiled: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the macros that the kernel and the class of its tables consist of."""
    stages = ["asked_stages"] if compiled["asked"] else ["known_stages"] * bool(compiled["stages"])
    made = ["lines_made", *["turns_of_words"] * (compiled["parts"] > 1), "turns_kept"]
    made += ["tile_of_lines"] * compiled["wide"]
    return {
        "kernel": ("kernel", f"prepare_{compiled['kind']}"),
        "lines": ("lines", *stages, *made, "lines_move"),
    }


def constants(compiled: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the constants of a kernel: names, values and a comment."""
    if compiled["kind"] == "tiles":
        return [
            ("LOW_BITS", str(compiled["low_bits"]), "address bits of the inner loop over tiles")
        ]
    record = compiled.get("record")
    return [("RECORD", f"np.dtype({record})", "the elements, moved as words")] if record else []
