"""FFT of 128 points on 2 ranks with persistent requests: set up in the plan, started in each transform."""

import numpy as np
from mpi4py import MPI

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 128, 2
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "nonblocking"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        other = 1 - comm.rank
        self.mine = np.empty(M, DTYPE)
        self.theirs = np.empty(M, DTYPE)
        self.requests = [
            self.own.Recv_init(self.theirs, source=other, tag=3),
            self.own.Send_init(self.mine, dest=other, tag=3),
        ]
        sign = 1 - 2 * comm.rank
        self.roots = sign * np.exp(-2j * np.pi * np.arange(M) / N)

    def free(self):
        for request in self.requests:
            request.Free()
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """Rank 0 has the even elements, rank 1 the odd ones: y = E + w^k O, and E - w^k O."""
    plan.mine[:] = np.fft.fft(x)
    MPI.Prequest.Startall(plan.requests)
    MPI.Request.Waitall(plan.requests)
    if plan.own.rank == 0:
        y = plan.mine + plan.roots * plan.theirs
    else:
        y = plan.theirs + plan.roots * plan.mine
    if out is None:
        return y
    out[:] = y
    return out
