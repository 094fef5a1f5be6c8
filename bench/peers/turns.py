"""Emitted programs that take turns in one MPI job, the least seconds of each: mpiexec -n P python
turns.py REPEATS PROGRAM ...
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from typing import Any

import numpy as np
from mpi4py import MPI


def loaded(path: str, name: str) -> Any:
    """Return a program as a module; under the name by which numba finds its kernels again."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


comm, repeats = MPI.COMM_WORLD, int(sys.argv[1])
programs = [loaded(path, f"program_{i}") for i, path in enumerate(sys.argv[2:])]
plans = [program.plan(comm) for program in programs]
seconds = np.empty((repeats, len(programs)))
given = getattr(programs[0], "LOCAL_INPUT", (programs[0].M,))
x = np.random.default_rng(comm.rank).standard_normal(given).astype(programs[0].DTYPE)
results = [program.transform(x, plan) for program, plan in zip(programs, plans, strict=True)]
for turn in range(repeats):
    for i, (program, plan, y) in enumerate(zip(programs, plans, results, strict=True)):
        program.transform(x, plan, out=y)
        comm.Barrier()
        start = time.perf_counter()
        program.transform(x, plan, out=y)
        seconds[turn, i] = time.perf_counter() - start
slowest = np.max(comm.allgather(seconds), axis=0)
if comm.rank == 0:
    print(json.dumps(slowest.min(axis=0).tolist()))
