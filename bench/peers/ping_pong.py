"""Messages between two ranks, the least seconds of each, as JSON: mpiexec -n 2 python ping_pong.py

`one_way` is half of a message there and back, `both_ways` two messages at once, by bytes; `send` is
a call that begins to send a byte, and `gap` the time from one such message to the next.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import count
from time import perf_counter

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
other, first = 1 - comm.rank, comm.rank == 0
SIZES = [1, *(1 << i for i in range(8, 25, 2))]
ROOM = 1 << 26
"""Bytes that messages are sent from, and received in."""
MANY = 256
"""Messages of a stream."""


def least(repeats: int, work: Callable[[], object]) -> float:
    """Return the least seconds of a work, of the rank that takes longer."""
    found = np.empty(repeats)
    for i in range(repeats):
        comm.Barrier()
        start = perf_counter()
        work()
        found[i] = perf_counter() - start
    return float(np.max(comm.allgather(found), axis=0).min())


def parts(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the next places for a message to send and one to receive: no cache holds them, as none
    holds the data of a transform.
    """
    at = next(places) % (ROOM // size) * size
    return sent[at : at + size], received[at : at + size]


def there_and_back(size: int) -> None:
    """Send a message and receive one, or the other way round."""
    data, room = parts(size)
    if first:
        comm.Send(data, other)
        comm.Recv(room, other)
    else:
        comm.Recv(room, other)
        comm.Send(data, other)


def exchanged(size: int) -> None:
    """Send a message and receive one, at once."""
    data, room = parts(size)
    comm.Sendrecv(data, other, recvbuf=room, source=other)


def stream() -> None:
    """Send many messages of a byte, or receive them."""
    begin = comm.Isend if first else comm.Irecv
    MPI.Request.Waitall([begin(row, other) for row in bytes_])


sent, received, places = np.ones(ROOM, np.uint8), np.zeros(ROOM, np.uint8), count()
bytes_ = np.zeros((MANY, 1), np.uint8)
one_way, both_ways = {}, {}
for size in SIZES:
    repeats = min(2000, 20 + (1 << 26) // size)
    one_way[size] = least(repeats, partial(there_and_back, size)) / 2
    both_ways[size] = least(repeats, partial(exchanged, size))
gap, sends = least(200, stream) / MANY, []
for _ in range(200):
    comm.Barrier()
    start = perf_counter()
    requests = [(comm.Isend if first else comm.Irecv)(row, other) for row in bytes_]
    sends.append((perf_counter() - start) / MANY)
    MPI.Request.Waitall(requests)
if first:
    times = {"one_way": one_way, "both_ways": both_ways, "send": min(sends), "gap": gap}
    print(json.dumps(times))
