"""Times an emitted Hartley transform on the ranks that start it: the whole transform, and what of
it is spent in calls of MPI.

mpiexec -n P python bench/hartley_share.py PROGRAM REPEATS

Waiting for a rank that is behind counts as communication. All figures are of the slowest rank, in
its fastest transform.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from mpi4py import MPI

CALLS = ("Sendrecv", "Sendrecv_replace", "Alltoall", "Isend", "Irecv", "Wait")


class Timed:
    """A communicator, or a request, that adds up the seconds in its calls."""

    def __init__(self, comm: Any, spent: list[float]) -> None:
        self.comm, self.spent = comm, spent

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.comm, name)
        return self.timed(found) if name in CALLS else found

    def Split(self, *how: int) -> Timed:
        return Timed(self.comm.Split(*how), self.spent)

    def Dup(self) -> Timed:
        return Timed(self.comm.Dup(), self.spent)

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **named: Any) -> Timed:
            start = perf_counter()
            request = call(*given, **named)
            self.spent.append(perf_counter() - start)
            return Timed(request, self.spent)

        return wrapped


def imported(path: str | Path) -> Any:
    """Return an emitted program as a module, under one name for all: what numba has compiled for a
    file and a name is kept beside the file.
    """
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec and spec.loader
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def main(path: str, repeats: int) -> None:
    """Print the least seconds of a transform, and of its communication then, as JSON."""
    program = imported(path)
    comm, spent = MPI.COMM_WORLD, list[float]()
    plan = program.plan(Timed(comm, spent))
    x = np.random.default_rng(comm.rank).standard_normal(program.M).astype(program.DTYPE)
    y = program.transform(x, plan)
    best = (np.inf, 0.0)
    for _ in range(repeats):
        spent.clear()
        comm.Barrier()
        start = perf_counter()
        program.transform(x, plan, out=y)
        best = min(best, (perf_counter() - start, sum(spent)))
    plan.free()
    slowest = max(comm.allgather(best))
    if comm.rank == 0:
        print(json.dumps({"seconds": slowest[0], "communication": slowest[1]}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
