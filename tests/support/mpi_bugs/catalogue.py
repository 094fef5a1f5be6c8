"""Small programs in the manner of the MPI Bugs Initiative: wrong ones of
every class, and right ones that look alike.

body(comm, MPI) -> what this rank returns
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from proofs.certify.world.faults import Fault


@dataclass(frozen=True)
class Program:
    """A program, the number of its ranks, and the class of its error, if it has one."""

    body: Any
    ranks: int
    fault: Fault | None


PROGRAMS: dict[str, Program] = {}


def wrong(fault, ranks=2):
    return lambda body: PROGRAMS.setdefault(body.__name__, Program(body, ranks, fault)).body


def right(ranks=2):
    return lambda body: PROGRAMS.setdefault(body.__name__, Program(body, ranks, None)).body


def numbers(comm, count=4):
    return np.arange(count, dtype=float) + 100 * comm.rank


def empty(count=4, dtype=float):
    return np.zeros(count, dtype)


def other(comm):
    return 1 - comm.rank


def exchanged(comm):
    """Swap four numbers between two ranks, as it should be done."""
    received = empty()
    comm.Sendrecv(numbers(comm), other(comm), recvbuf=received, source=other(comm))
    return received.tolist()


def shared_of(comm, MPI, count=4):
    """Return a shared window, and the arrays of all ranks."""
    window = MPI.Win.Allocate_shared(8 * count, 8, comm=comm)
    return window, [
        np.frombuffer(window.Shared_query(rank)[0], dtype=float) for rank in range(comm.size)
    ]
