"""Inverse FFT of 64 points on 4 ranks; DTYPE is numpy's type, not a dtype."""

import numpy as np

TRANSFORM = "fft"
DIRECTION = "backward"
NORM = "backward"
N = 64
P = 4
M = N // P
INPUT = "block"
OUTPUT = "cyclic"
KERNELS = "numpy"
EXCHANGE = "alltoall"
DTYPE = np.complex128


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        self.buffer = np.zeros((P, M // P), dtype=DTYPE)
        angle = 2 * np.pi * np.arange(comm.rank * (M // P), (comm.rank + 1) * (M // P)) / N
        self.twiddle = np.cos(np.outer(np.arange(P), angle)) + 1j * np.sin(
            np.outer(np.arange(P), angle)
        )

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.Get_size() != P:
        raise ValueError("the number of ranks is %d, not %d" % (comm.Get_size(), P))
    return Plan(comm)


def transform(x, plan, out=None):
    """Decimation in frequency: k = c + P d; over the ranks first, then over what each holds."""
    if x.dtype != DTYPE:
        raise ValueError("x is not complex128")
    plan.own.Alltoall(np.ascontiguousarray(x), plan.buffer)
    # buffer[q, i] = x[q M + r M/P + i]: a transform over q gives residue c of k
    a = np.fft.ifft(plan.buffer, axis=0) * plan.twiddle
    b = np.empty(M, dtype=DTYPE)
    plan.own.Alltoall(a, b)  # rank c gets row c, in the order of i
    y = np.fft.ifft(b)
    if out is None:
        return y.astype(DTYPE)
    out[:] = y
    return out
