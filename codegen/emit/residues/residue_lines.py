"""Transforms of residues as lines of a node program, and the kernels that they call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codegen.emit.residues.residue_tables import POWERS, ROOM, ROOTS, SCALE
from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.kernels.permute import kernel_text
from codegen.kernels.widths import LANES
from codegen.program.stages.modular import CACHED, Modular
from codegen.program.supersteps import Program
from derive.digits.radices import divisors, prime_factors

REDUCED = "reduced"
"""The macro of the line that reduces an array modulo p."""
BY_HALVES, ODD = "number_theoretic", "odd_radix"
STAGES, PRODUCTS, OF_ODD = "stages_modulo", "products_modulo", "odd_radix_modulo"
COMPILED = ("in_montgomery", STAGES, PRODUCTS, "prepare_modulo")
COMPILED_ODD = OF_ODD, "prepare_odd"
NEEDS = BY_HALVES, ODD, *COMPILED, *COMPILED_ODD
"""The functions of programs, in their order."""


def transforming(step: Modular, program: Program, tables: Tables) -> Stage:
    """Return the products by the diagonal and the transform; their tables are named."""
    operations, comment = list[Operation](), " ".join(map(str, step.factors))
    compiled = are_compiled(program)
    if step.diagonal is not None:
        operations.append(_products(tables.name(POWERS, (step.diagonal, compiled)), compiled))
    for r in odd_radices(step):  # whose results lie side by side: more columns for what is left
        table, m = tables.name(ROOTS, (step.d, compiled)), step.d // r
        found = {"macro": ODD, "needs": (ODD,), "made": (step.copies, m, r, step.c)}
        if compiled:
            found = {"macro": OF_ODD, "needs": (*COMPILED, *COMPILED_ODD)}
        operations.append({**found, "shape": (step.copies, r, m, step.c), "table": table})
        step = replace(step, d=m, c=r * step.c)
    if step.d > 1:
        table = tables.name(ROOTS, (step.d, compiled))
        shape: tuple[int, ...] = (step.copies, step.d, step.c)
        found = {"macro": BY_HALVES, "needs": (BY_HALVES,)}
        if compiled:
            high, wide = tile(step)
            room = tables.name(ROOM, 2 * step.d * high * wide)
            found = {"macro": STAGES, "needs": COMPILED, "room": room}
            shape = (*shape, high, wide)
        operations.append({**found, "shape": shape, "table": table})
    return stage(comment, *operations)


def odd_radices(step: Modular) -> tuple[int, ...]:
    """Return the odd primes of which the size of a transform is a product with a power of two."""
    return tuple(r for r in prime_factors(step.d) if r > 2)


def _products(table: str, compiled: bool) -> Operation:
    found: Operation = {"macro": PRODUCTS, "table": table, "part": "", "hops": 0}
    return found | ({"needs": COMPILED} if compiled else {"parts": ("multiply", REDUCED)})


def tile(step: Modular) -> tuple[int, int]:
    """Return how many copies and columns are transformed together: divisors of their numbers that
    fit a cache, and a vector.

    >>> tile(Modular(None, 256, 2048, 1)), tile(Modular(None, 1, 256, 2048))
    ((8, 1), (1, 64))
    """
    columns = max(LANES, 2 * CACHED // step.d)
    if step.c >= LANES:
        return 1, max(r for r in divisors(step.c) if r <= columns)
    return max(r for r in divisors(step.copies) if r * step.c <= columns), step.c


def scaling(program: Program, tables: Tables) -> Operation:
    """Return the factor on the result."""
    if are_compiled(program):
        return _products(tables.name(SCALE, True), True)
    reduced = (REDUCED,) * bool(program.request.modulus)
    return {"macro": "scale", "parts": ("scale", *reduced), "hops": 0}


def are_compiled(program: Program) -> bool:
    """Return whether a program has kernels for residues."""
    return bool(program.request.modulus) and program.request.backend.is_whole


def compiled(program: Program) -> dict[str, Any]:
    """Return what is printed of the compiling of these kernels."""
    has_odd = any(odd_radices(step) for each in program.steps for step in each.transforms_of_ranks)
    return {
        "kind": kernel_text.MODULAR,
        "array": "np.empty",
        "prepare": (*COMPILED[-1:], *COMPILED_ODD[-1:] * has_odd),
        "words": "Arithmetic modulo a prime under numba",
        "operations": kernel_text.section(kernel_text.MODULAR),
        "loaders": (),
        "names": (STAGES, PRODUCTS, *(OF_ODD,) * has_odd),
    }
