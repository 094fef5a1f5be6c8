"""FFT of 64 points on 4 ranks: each rank transforms its part padded with zeros, Allreduce adds."""

import numpy as np
from mpi4py import MPI

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 4
M = N // P
INPUT, OUTPUT = "block", "cyclic"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.free()

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    rank = plan.own.Get_rank()
    padded = np.zeros(N, DTYPE)
    padded[rank * M : rank * M + M] = x
    share = np.fft.fft(padded)
    plan.own.Allreduce(MPI.IN_PLACE, share, op=MPI.SUM)
    y = share[rank::P]
    if out is None:
        return np.ascontiguousarray(y)
    out[:] = y
    return out
