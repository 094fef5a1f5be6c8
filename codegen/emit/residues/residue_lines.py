"""Transforms of residues as lines of a node program."""

from __future__ import annotations

from codegen.emit.residues.residue_tables import POWERS, ROOTS
from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.program.stages.modular import Modular
from codegen.program.supersteps import Program

REDUCED = "reduced"
"""The macro of the line that reduces an array modulo p."""


def transforming(step: Modular, program: Program, tables: Tables) -> Stage:
    """Return the products by the diagonal and the transform; their tables are named."""
    operations = list[Operation]()
    if step.diagonal is not None:
        table = tables.name(POWERS, step.diagonal)
        parts = ("multiply", REDUCED)
        operations.append(
            {"macro": "products_modulo", "parts": parts, "table": table, "part": "", "hops": 0}
        )
    if step.d > 1:
        shape, table = (step.copies, step.d, step.c), tables.name(ROOTS, step.d)
        needs = ("number_theoretic",)
        operations.append({"macro": needs[0], "needs": needs, "shape": shape, "table": table})
    return stage(" ".join(map(str, step.factors)), *operations)
