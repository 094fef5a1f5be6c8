"""FFT of 64 points on 2 ranks that refuses infinities and NaN."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 2
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)


class NotFinite(ValueError):
    """The input has an infinity or a NaN."""


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.roots = np.exp(-2j * np.pi * np.arange(M) / N)
        self.halves = np.empty((P, M), DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{P} ranks, please")
    return Plan(comm)


def checked(x):
    """Return x; raise NotFinite or ValueError where it cannot be transformed."""
    if x.shape != (M,) or x.dtype != DTYPE:
        raise ValueError(f"x must be {DTYPE} with shape ({M},); got {x.dtype} {x.shape}")
    if not np.isfinite(x).all():
        raise NotFinite("x has an infinity or a NaN")
    return x


def transform(x, plan, out=None):
    part = np.fft.fft(checked(x))
    plan.own.Allgather(part, plan.halves)
    even, odd = plan.halves
    y = even + plan.roots * odd if plan.own.rank == 0 else even - plan.roots * odd
    if out is None:
        return y
    out[:] = y
    return out
