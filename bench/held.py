"""Prints what a hypercube FFT holds on each rank beside its input and output, in units of N/P
elements: mpiexec -n P python bench/held.py PROGRAM.

Three numbers a rank, as tracemalloc counts numpy's allocations: the plan without its tables of
twiddles; those tables; and the most that a transform adds, which is a piece of 2^14 elements where
butterflies are not compiled. The plan has the tile of a rearrangement, too, 0.7 MiB for every N.
What MPI and the C code of numpy take for themselves is not among them.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tracemalloc
from typing import Any

import numpy as np
from mpi4py import MPI


def tables_of(plan: Any) -> list[Any]:
    """Return the tables of twiddles of a plan: with compiled kernels its stages have them."""
    if hasattr(plan, "stages"):
        found = [getattr(stage, "table", None) for stage in plan.stages]
    else:
        found = list(plan.twiddles) if isinstance(plan.twiddles, list) else [plan.twiddles]
    return [table for table in found if table is not None]


def main(path: str) -> None:
    """Run two transforms with one plan and print the figures of all ranks as JSON."""
    comm = MPI.COMM_WORLD
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None and spec.loader is not None, path
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    x, y = (
        np.random.default_rng(comm.rank).integers(0, 100, program.M).astype(program.DTYPE),
        np.empty(program.M, program.DTYPE),
    )
    first = program.plan(comm)  # what is loaded when it is first used is not counted
    program.transform(x, first, out=y)
    first.free()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    plan = program.plan(comm)
    held, _ = tracemalloc.get_traced_memory()
    tables = sum(table.nbytes for table in tables_of(plan))
    tracemalloc.reset_peak()
    for _ in range(2):
        program.transform(x, plan, out=y)
    _, most = tracemalloc.get_traced_memory()
    found = comm.gather(
        [figure / y.nbytes for figure in (held - before - tables, tables, most - held)]
    )
    plan.free()
    if comm.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
