"""FFT of 64 points on 4 ranks: each rank in turn broadcasts its part, all ranks add what comes of it.

The table of roots is made on rank 0 alone and broadcast with the plan.
"""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 4
M = N // P
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k // M, k % M


class Plan:
    """The roots of unity, and this rank's rows of the matrix, looked up in them."""

    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        roots = np.empty(N, DTYPE)
        if comm.rank == 0:
            roots[:] = np.exp(-2j * np.pi * np.arange(N) / N)
        self.own.Bcast(roots, root=0)
        k = comm.rank * M + np.arange(M)
        self.rows = roots[np.outer(k, np.arange(N)) % N]

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    y = np.zeros(M, DTYPE)
    for rank in range(P):
        part = np.array(x) if rank == plan.own.rank else np.empty(M, DTYPE)
        plan.own.Bcast(part, root=rank)
        y += plan.rows[:, rank * M : (rank + 1) * M] @ part
    if out is None:
        return y
    np.copyto(out, y)
    return out
