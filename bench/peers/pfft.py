"""mpi4py-fft's PFFT, timed: mpiexec -n P python pfft.py REPEATS BATCH SLAB REAL N [N ..].

A batch of 0 is one array, of more a first axis that is not transformed; SLAB is 1 for ranks on one
axis alone, REAL for real numbers and their half spectrum.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

repeats, batch, slab, real, *shape = map(int, sys.argv[1:])
whole, comm = ([batch] if batch else []) + shape, MPI.COMM_WORLD
axes = tuple(range(len(whole) - len(shape), len(whole)))
fft = PFFT(comm, whole, axes=axes, dtype=float if real else complex, slab=bool(slab))
x, y = newDistArray(fft, False), newDistArray(fft, True)
rng = np.random.default_rng(comm.rank)
x[...] = rng.standard_normal(x.shape) if real else rng.standard_normal((*x.shape, 2)) @ (1, 1j)
found = []
for ends in ((x, y), ()):  # arrays of the caller's, and those of the plan, which are not copied
    least = float("inf")
    fft.forward.input_array[...] = x
    for _ in range(repeats):
        comm.Barrier()
        start = time.perf_counter()
        fft.forward(*ends, normalize=False)
        least = min(least, comm.allreduce(time.perf_counter() - start, MPI.MAX))
    found.append(least)
fft.forward(x, y, normalize=False)
fft.backward(y, z := newDistArray(fft, False), normalize=True)
error = comm.allreduce(float(np.abs(z - x).max()), MPI.MAX)
if comm.rank == 0:
    print(json.dumps({"seconds_min": found[0], "in_place": found[1], "error": error}))
