"""FFT of 256 points on 2 ranks: Stockham's autosort algorithm within a rank, one exchange before it."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N = 256
P = 2
M = N // P
INPUT, OUTPUT = "block", "cyclic"
KERNELS, EXCHANGE = "numpy", "replace"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    """Two buffers, and a table for each stage."""

    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.rank = comm.rank
        self.buffers = np.empty((2, M), DTYPE)
        self.stages = []
        length, stride = M, 1
        while length > 1:
            w = np.exp(-2j * np.pi * np.arange(length // 2) / length)
            self.stages.append((length, stride, w[:, None]))
            length, stride = length // 2, stride * 2
        self.first = np.exp(-2j * np.pi * np.arange(M) / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    theirs = np.array(x)
    other = 1 - plan.rank
    plan.own.Sendrecv_replace(theirs, dest=other, source=other)
    a, b = plan.buffers
    a[:] = x + theirs if plan.rank == 0 else (theirs - x) * plan.first

    for length, stride, w in plan.stages:
        source = a.reshape(2, length // 2, stride)
        target = b.reshape(length // 2, 2, stride)
        np.add(source[0], source[1], out=target[:, 0])
        np.subtract(source[0], source[1], out=target[:, 1])
        target[:, 1] *= w
        a, b = b, a

    if out is None:
        return a.copy()
    out[:] = a
    return out
