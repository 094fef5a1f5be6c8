"""Transforms of residues as lines of a node program, and the kernels that they call."""

from __future__ import annotations

from typing import Any

from codegen.emit.residues.residue_tables import POWERS, ROOM, ROOTS, SCALE
from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.kernels.permute import kernel_text
from codegen.kernels.widths import LANES
from codegen.program.stages.modular import CACHED, Modular
from codegen.program.supersteps import Program

REDUCED = "reduced"
"""The macro of the line that reduces an array modulo p."""
STAGES, PRODUCTS = "stages_modulo", "products_modulo"
COMPILED = ("in_montgomery", STAGES, PRODUCTS, "prepare_modulo")
"""The functions of programs with compiled kernels, in their order."""
KERNELS = STAGES, PRODUCTS
"""Those that are compiled."""


def transforming(step: Modular, program: Program, tables: Tables) -> Stage:
    """Return the products by the diagonal and the transform; their tables are named."""
    operations = list[Operation]()
    compiled = are_compiled(program)
    if step.diagonal is not None:
        operations.append(_products(tables.name(POWERS, (step.diagonal, compiled)), compiled))
    if step.d > 1:
        table = tables.name(ROOTS, (step.d, compiled))
        shape: tuple[int, ...] = (step.copies, step.d, step.c)
        found: Operation = {"macro": "number_theoretic", "needs": ("number_theoretic",)}
        if compiled:
            high, wide = tile(step)
            room = tables.name(ROOM, 2 * step.d * high * wide)
            found = {"macro": STAGES, "needs": COMPILED, "room": room}
            shape = (*shape, high, wide)
        operations.append({**found, "shape": shape, "table": table})
    return stage(" ".join(map(str, step.factors)), *operations)


def _products(table: str, compiled: bool) -> Operation:
    found: Operation = {"macro": PRODUCTS, "table": table, "part": "", "hops": 0}
    return found | ({"needs": COMPILED} if compiled else {"parts": ("multiply", REDUCED)})


def tile(step: Modular) -> tuple[int, int]:
    """Return how many copies and columns are transformed together: as fit a cache, and a vector.

    >>> tile(Modular(None, 256, 2048, 1)), tile(Modular(None, 1, 256, 2048))
    ((8, 1), (1, 64))
    """
    columns = max(LANES, 2 * CACHED // step.d)
    if step.c >= LANES:
        return 1, min(step.c, columns)
    return min(step.copies, columns // step.c), step.c


def scaling(program: Program, tables: Tables) -> Operation:
    """Return the factor on the result."""
    if are_compiled(program):
        return _products(tables.name(SCALE, True), True)
    reduced = (REDUCED,) * bool(program.request.modulus)
    return {"macro": "scale", "parts": ("scale", *reduced), "hops": 0}


def are_compiled(program: Program) -> bool:
    """Return whether a program has kernels for residues."""
    return bool(program.request.modulus) and program.request.backend.is_whole


def compiled() -> dict[str, Any]:
    """Return what is printed of the compiling of these kernels."""
    return {
        "kind": kernel_text.MODULAR,
        "array": "np.empty",
        "prepare": COMPILED[-1:],
        "words": "Arithmetic modulo a prime under numba",
        "operations": kernel_text.section(kernel_text.MODULAR),
        "names": KERNELS,
    }
