"""A program with its messages and without, in turn, the least seconds of the slowest rank, as JSON:
mpiexec -n P python silence.py PROGRAM REPEATS
"""

from __future__ import annotations

import importlib.util
import json
import sys
from time import perf_counter
from typing import Any

import numpy as np
from mpi4py import MPI

comm, repeats, turn = MPI.COMM_WORLD, int(sys.argv[2]), 0


class Silent:
    """A communicator that sends nothing to others; of an all-to-all a rank keeps its own part."""

    def __init__(self) -> None:
        self.rank, self.size, self.allgather = comm.rank, comm.size, comm.allgather

    def Dup(self, *_: Any) -> Silent:
        """Return this one."""
        return self

    def Free(self, *_: Any, **__: Any) -> None:
        """Do nothing."""

    def Is_inter(self) -> bool:
        """Return False: this is one group of ranks."""
        return False

    def Alltoall(self, given: Any, taken: Any) -> None:
        """Copy the part of this rank."""
        self.clean(taken)
        parts = (data.reshape(self.size, -1) for data in (given, taken))
        own, place = (part[self.rank] for part in parts)
        place[:] = own

    def Sendrecv(self, given: Any, to: int, *, recvbuf: Any, source: int) -> None:
        """Receive nothing."""
        self.clean(recvbuf)

    def clean(self, buffer: Any) -> None:
        """Set to 0 what is never received, in the first transform."""
        if turn == 0:
            buffer[:] = 0

    Split = Dup
    Sendrecv_replace = Free


spec = importlib.util.spec_from_file_location("program", sys.argv[1])
assert spec is not None
assert spec.loader is not None
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
plans = [program.plan(each) for each in (comm, Silent())]
x = np.random.default_rng(comm.rank).standard_normal(program.M).astype(program.DTYPE)
np.seterr(all="ignore")  # what was never received may grow from turn to turn
y, seconds = np.zeros_like(x), np.empty((repeats, 2))
for turn in range(repeats):
    for i, plan in enumerate(plans):
        comm.Barrier()
        start = perf_counter()
        program.transform(x, plan, out=y)
        seconds[turn, i] = perf_counter() - start
slowest = np.max(comm.allgather(seconds), axis=0)
if comm.rank == 0:
    print(json.dumps(slowest.min(axis=0).tolist()))
