"""The speed of a rank and of messages between ranks, for the BSP parameters v, g and l.

mpiexec -n P python h_relations.py REPEATS

Rank 0 prints one JSON object: p, the points and the seconds of a sequential transform, and the
least seconds of h-relations, in which every rank sends h elements to others and receives as many;
a single rank sends them to itself. `nodewright bench machine` runs this file.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from mpi4py import MPI

POINTS = 2**12
"""The transform whose rate is v: it fits the cache, as the paper's dot product does."""
SIZES = (0, *(1 << i for i in range(15)))
"""Elements to each rank."""


def least(comm: MPI.Comm, repeats: int, work: Callable[[], object]) -> float:
    """Return the least time of a work, the slowest rank of each repeat."""
    seconds = []
    for _ in range(repeats):
        comm.Barrier()
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return float(np.max(comm.allgather(seconds), axis=0).min())


def main(repeats: int) -> None:
    """Measure on all ranks of MPI.COMM_WORLD."""
    comm = MPI.COMM_WORLD
    random = np.random.default_rng(comm.rank)
    x = random.standard_normal(POINTS) + 1j * random.standard_normal(POINTS)
    y = np.empty_like(x)
    seconds = least(comm, 10 * repeats, lambda: np.fft.fft(x, out=y))
    relations = []
    for size in SIZES:
        source, target = np.ones(comm.size * size, complex), np.zeros(comm.size * size, complex)
        comm.Alltoall(source, target)
        h = max(1, comm.size - 1) * size
        relations.append((h, least(comm, repeats, partial(comm.Alltoall, source, target))))
    if comm.rank == 0:
        found = {"p": comm.size, "points": POINTS, "seconds": seconds, "relations": relations}
        print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
