"""What memory allows: the least seconds in which all ranks copy M complex numbers each: mpiexec -n
P python copying.py REPEATS M
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from mpi4py import MPI

comm, repeats, M = MPI.COMM_WORLD, int(sys.argv[1]), int(sys.argv[2])
x, y = np.ones(M, complex), np.zeros(M, complex)
seconds = []
for _ in range(repeats):
    comm.Barrier()
    start = time.perf_counter()
    np.copyto(y, x)
    seconds.append(time.perf_counter() - start)
slowest = np.max(comm.allgather(seconds), axis=0)
if comm.rank == 0:
    print(json.dumps(float(slowest.min())))
