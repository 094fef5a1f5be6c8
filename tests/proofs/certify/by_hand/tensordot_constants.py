"""FFT of 64 points on 2 ranks by np.tensordot: three digits of radix 4, one contraction each."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 2
M = N // P
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
F4 = np.array([[1, 1, 1, 1], [1, -1j, -1, 1j], [1, -1, 1, -1], [1, 1j, -1, -1j]])


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k // M, k % M


def roots(exponents, order):
    """Return exp(-2 pi i e / order)."""
    return np.exp(-2j * np.pi * exponents / order)


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        digit = np.arange(4)
        low = np.arange(16).reshape(4, 4)
        self.first = roots(digit[:, None, None] * low, 64)  # w_64^(k0 (4 j1 + j0))
        self.second = roots(digit[:, None] * digit, 16)  # w_16^(k1 j0)
        self.whole = np.empty((4, 4, 4), DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks: {P} are needed")
    return Plan(comm)


def transform(x, plan, out=None):
    """x[16 j2 + 4 j1 + j0] to y[k0 + 4 k1 + 16 k2]; every rank computes all, and keeps its part."""
    plan.own.Allgather(np.ascontiguousarray(x), plan.whole)
    a = np.tensordot(F4, plan.whole, axes=(1, 0))  # [k0, j1, j0]
    a = a * plan.first
    a = np.tensordot(F4, a, axes=([1], [1]))  # [k1, k0, j0]
    a = a * plan.second[:, None, :]
    a = np.tensordot(a, F4, axes=1)  # [k1, k0, k2]
    y = a.transpose(2, 0, 1).reshape(N)
    part = y[plan.own.rank * M : (plan.own.rank + 1) * M]
    if out is None:
        return part.copy()
    out[:] = part
    return out
