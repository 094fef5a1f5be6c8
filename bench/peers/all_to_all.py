"""Calls of MPI for one message from each rank to each, in turns, the least seconds of each:
mpiexec -n P python all_to_all.py REPEATS LG_M ..
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

comm, repeats = MPI.COMM_WORLD, int(sys.argv[1])
others = [rank for rank in range(comm.size) if rank != comm.rank]


def least(m: int) -> list[float]:
    """Return the seconds of an exchange of m complex numbers of each rank, by each of the calls."""
    sent = np.random.default_rng(comm.rank).standard_normal((comm.size, m // comm.size)) + 0j
    received = np.zeros_like(sent)
    collective = comm.Alltoall_init(sent, received)
    messages = [comm.Send_init(sent[rank], rank) for rank in others]
    messages += [comm.Recv_init(received[rank], rank) for rank in others]

    def persistent(requests: list[MPI.Prequest]) -> None:
        MPI.Prequest.Startall(requests)
        MPI.Prequest.Waitall(requests)

    calls: list[Callable[[], object]] = [
        lambda: comm.Alltoall(sent, received),
        lambda: comm.Ialltoall(sent, received).Wait(),
        lambda: persistent([collective]),
        lambda: persistent(messages),
    ]
    seconds = np.empty((repeats, len(calls)))
    for turn, i in np.ndindex(seconds.shape):
        comm.Barrier()
        start = time.perf_counter()
        calls[i]()
        seconds[turn, i] = time.perf_counter() - start
    for request in (collective, *messages):
        request.Free()
    slowest: list[float] = np.max(comm.allgather(seconds), axis=0).min(axis=0).tolist()
    return slowest


found = [least(1 << int(word)) for word in sys.argv[2:]]
if comm.rank == 0:
    print(json.dumps(found))
