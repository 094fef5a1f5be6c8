"""FFT of 64 points on 2 ranks that looks at the types of what it is given, `type(out) is np.ndarray`."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "backward", "ortho"
N, P = 64, 2
M = N // P
INPUT, OUTPUT = "block", "cyclic"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.rank = comm.rank
        self.work = np.empty(M, DTYPE)
        self.roots = np.exp(2j * np.pi * np.arange(M) / N) / np.sqrt(N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks: this program runs on {P}")
    return Plan(comm)


def usable(array, name):
    """Raise TypeError or ValueError unless an array holds this rank's elements."""
    if type(array) is not np.ndarray:
        raise TypeError(f"{name} is a {type(array).__name__}, no array")
    if array.shape != (M,) or array.dtype != DTYPE:
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}")


def transform(x, plan, out=None):
    usable(x, "x")
    if out is None:
        out = np.empty(M, DTYPE)
    elif type(out) is np.ndarray:
        usable(out, "out")
    else:
        raise TypeError("out is no array")

    other = 1 - plan.rank
    plan.own.Sendrecv(np.ascontiguousarray(x), other, recvbuf=plan.work, source=other)
    if plan.rank == 0:
        half = (x + plan.work) / np.sqrt(N)
    else:
        half = (plan.work - x) * plan.roots
    out[:] = np.fft.ifft(half, norm="forward")
    return out
