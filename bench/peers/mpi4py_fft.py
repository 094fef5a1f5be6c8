"""mpi4py-fft's PFFT, timed: mpiexec -n P python mpi4py_fft.py REPEATS BATCH N [N ..]; a batch of 0
is one array, of more a first axis that is not transformed.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

repeats, batch, *shape = map(int, sys.argv[1:])
whole, comm = ([batch] if batch else []) + shape, MPI.COMM_WORLD
axes = tuple(range(len(whole) - len(shape), len(whole)))
fft = PFFT(comm, whole, axes=axes, dtype=complex)
x = newDistArray(fft, False)
x[...] = np.random.default_rng(comm.rank).standard_normal(x.shape)
least = float("inf")
for _ in range(repeats):
    comm.Barrier()
    start = time.perf_counter()
    fft.forward(x)
    least = min(least, comm.allreduce(time.perf_counter() - start, MPI.MAX))
if comm.rank == 0:
    print(json.dumps({"seconds_min": least}))
