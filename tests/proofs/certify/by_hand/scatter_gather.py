"""FFT of 64 points on 4 ranks where rank 0 does all the work: Gather, one transform, Scatter."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 4
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
ROOT = 0


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        is_root = comm.rank == ROOT
        self.columns = np.empty((P, M), DTYPE) if is_root else None

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    comm = plan.own
    comm.Gather(np.ascontiguousarray(x), plan.columns, root=ROOT)
    if comm.rank == ROOT:
        vector = plan.columns.T.ravel()  # columns[s, i] = x[s + P i]
        spectrum = np.fft.fft(vector).reshape(P, M)
    else:
        spectrum = None
    mine = np.empty(M, DTYPE)
    comm.Scatter(spectrum, mine, root=ROOT)
    if out is None:
        return mine
    out[:] = mine
    return out
