"""FFT of 16 points on 2 ranks with butterflies in a function that numba compiles."""

import numpy as np
from numba import njit

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 16, 2
M = N // P
INPUT, OUTPUT = "bit-reversed", "block"
KERNELS, EXCHANGE = "numba", "pairwise"
DTYPE = np.dtype(np.complex128)


@njit
def butterflies(a, roots, half):
    """One stage in place: pairs at distance `half`."""
    step = roots.size // half
    for begin in range(0, a.size, 2 * half):
        for i in range(half):
            w = roots[i * step]
            u, v = a[begin + i], a[begin + i + half]
            re = v.real * w.real - v.imag * w.imag
            im = v.real * w.imag + v.imag * w.real
            a[begin + i] = complex(u.real + re, u.imag + im)
            a[begin + i + half] = complex(u.real - re, u.imag - im)


def input_place(j):
    place = 0 * j
    for bit in range(4):
        place = place | ((j >> bit) & 1) << (3 - bit)
    return place // M, place % M


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.roots = np.exp(-2j * np.pi * np.arange(N // 2) / N)
        self.theirs = np.empty(M, DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks instead of {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """Decimation in time of bit-reversed input: the last stage is across the ranks."""
    a = np.array(x)
    half = 1
    while half < M:
        butterflies(a, plan.roots, half)
        half *= 2

    other = 1 - plan.own.rank
    plan.own.Sendrecv(a, other, recvbuf=plan.theirs, source=other)
    if plan.own.rank == 0:
        y = a + plan.roots * plan.theirs
    else:
        y = plan.theirs - plan.roots * a
    if out is None:
        return y
    out[:] = y
    return out
