"""FFT of 64 points on 2 ranks; the plan has slots, a property and a static method."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 2
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    __slots__ = ("comm", "halves", "own", "roots")

    def __init__(self, comm):
        if comm.size != P:
            raise ValueError("two ranks")
        self.comm, self.own = comm, comm.Dup()
        self.roots = np.exp(-2j * np.pi * np.arange(M) / N)
        self.halves = np.empty((P, M), DTYPE)

    @property
    def odd(self):
        """The odd half, turned."""
        return self.roots * self.halves[1]

    @staticmethod
    def sign_of(rank):
        return 1 if rank == 0 else -1

    def free(self):
        self.own.Free()


plan = Plan


def transform(x, plan, out=None):
    plan.own.Allgather(np.fft.fft(x), plan.halves)
    y = np.array(plan.halves[0])
    y += Plan.sign_of(plan.own.rank) * plan.odd
    if out is None:
        return y
    out[:] = y
    return out
