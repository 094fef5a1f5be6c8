"""FFT of 256 points on 4 ranks with Isend, Irecv and Waitall."""

import numpy as np
from mpi4py import MPI

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 256, 4
M = N // P
INPUT, OUTPUT = "block", "cyclic"
KERNELS, EXCHANGE = "numpy", "nonblocking"
DTYPE = np.dtype(np.complex128)
PIECE = M // P


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.rank = comm.rank
        offset = self.rank * PIECE + np.arange(PIECE)
        self.twiddle = np.exp(-2j * np.pi * (np.arange(P)[:, None] * offset) / N)
        self.blocks = np.empty((P, PIECE), DTYPE)
        self.seconds = 0.0

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def exchange(send, recv, plan):
    """Send row q of `send` to rank q, and receive row q of `recv` from it."""
    requests = []
    for q in range(P):
        if q == plan.rank:
            recv[q] = send[q]
        else:
            requests.append(plan.own.Irecv(recv[q], source=q, tag=7))
    for q in range(P):
        if q != plan.rank:
            requests.append(plan.own.Isend(send[q], dest=q, tag=7))
    MPI.Request.Waitall(requests)


def transform(x, plan, out=None):
    x = np.ascontiguousarray(x)
    start = MPI.Wtime()
    exchange(x.reshape(P, PIECE), plan.blocks, plan)
    plan.seconds += MPI.Wtime() - start
    sums = np.fft.fft(plan.blocks, axis=0) * plan.twiddle
    rows = np.empty((P, PIECE), DTYPE)
    exchange(np.ascontiguousarray(sums), rows, plan)
    y = np.fft.fft(rows.ravel())
    if out is None:
        return y
    out[:] = y
    return out
