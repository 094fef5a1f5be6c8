"""A permutation that sends every element with its target offset, as one writes it by hand: mpiexec
-n P python index_sending.py LG_N NAME REPEATS.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from mpi4py import MPI

from derive.gf2.bmmc import named

comm = MPI.COMM_WORLD
n, name, repeats = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
N, M = 1 << n, (1 << n) // comm.size

target = named(name, n)(np.arange(comm.rank * M, (comm.rank + 1) * M))
order = np.argsort(target // M, kind="stable")
offsets = (target % M)[order]
counts = np.bincount(target // M, minlength=comm.size)
received = np.array(comm.alltoall(counts.tolist()))
x = np.arange(comm.rank * M, (comm.rank + 1) * M, dtype=float)
y, values, places = np.empty(M), np.empty(M), np.empty(M, np.int64)

seconds = []
for _ in range(repeats):
    comm.Barrier()
    start = time.perf_counter()
    comm.Alltoallv([x[order], counts], [values, received])
    comm.Alltoallv([offsets, counts], [places, received])
    y[places] = values
    comm.Barrier()
    seconds.append(time.perf_counter() - start)
slowest = np.max(comm.allgather(seconds), axis=0)
wrong = comm.allreduce(
    int((named(name, n).inverse()(np.arange(comm.rank * M, (comm.rank + 1) * M)) != y).sum())
)
if comm.rank == 0:
    print(json.dumps({"seconds_min": float(slowest.min()), "wrong": wrong}))
