"""Spectrum of 128 real numbers on 2 ranks by a complex transform of 64: pairs are complex numbers.

y[2m], y[2m + 1] are the real and the imaginary part of X[m]; y[1] is X[N/2], which is real as X[0] is.
"""

import numpy as np

TRANSFORM, DIRECTION, NORM = "rfft", "forward", "backward"
N, P = 128, 2
M = N // P
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.float64)
H = N // 2


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.whole = np.empty(H, np.complex128)
        self.mine = slice(comm.rank * H // P, (comm.rank + 1) * H // P)
        self.mirrored = -np.arange(H)[self.mine] % H
        self.roots = np.exp(-2j * np.pi * np.arange(H)[self.mine] / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    z = np.ascontiguousarray(x).view(np.complex128)  # z[m] = x[2m] + i x[2m + 1]
    plan.own.Allgather(z, plan.whole)
    spectrum = np.fft.fft(plan.whole)
    one, other = spectrum[plan.mine], np.conj(spectrum[plan.mirrored])
    even, odd = (one + other) / 2, (one - other) / 2j
    half = even + plan.roots * odd

    y = np.empty(M, DTYPE) if out is None else out
    y[0::2] = half.real
    y[1::2] = half.imag
    if plan.own.rank == 0:
        y[1] = even[0].real - odd[0].real  # X[N/2]
    return y
