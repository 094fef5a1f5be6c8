"""Hartley transform of 64 real numbers on 2 ranks by a Fourier transform: H = Re X - Im X."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fht", "forward", "backward"
ALGORITHM, RESULT = "hypercube", "hartley"
N, P = 64, 2
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.float64)


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        sign = 1 - 2 * comm.rank
        self.roots = sign * np.exp(-2j * np.pi * np.arange(M) / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    parts = np.empty((P, M), np.complex128)
    plan.own.Allgather(np.fft.fft(x), parts)
    spectrum = parts[0] + plan.roots * parts[1]
    y = spectrum.real - spectrum.imag
    if out is None:
        return y
    out[:] = y
    return out
