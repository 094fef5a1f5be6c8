"""FFT of 18 points on 3 ranks: 6 points on each rank, and butterflies of three points between them."""

import math

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 18, 3
INPUT, OUTPUT = "cyclic", "block"
DTYPE = np.dtype(np.complex128)
SINE = math.sqrt(3) / 2


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // 6, k % 6


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        self.twiddle = np.exp(-2j * np.pi * comm.rank * np.arange(6) / N)
        self.parts = np.empty((P, 6), DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks instead of {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """y[k + 6 r] = a_k + w_3^r b_k + w_3^(2r) c_k."""
    plan.own.Allgather(plan.twiddle * np.fft.fft(x), plan.parts)
    a, b, c = plan.parts
    both, turned = b + c, 1j * SINE * (b - c)
    if plan.own.rank == 0:
        y = a + both
    elif plan.own.rank == 1:
        y = a - both / 2 - turned
    else:
        y = a - both / 2 + turned
    if out is None:
        return y
    out[:] = y
    return out
