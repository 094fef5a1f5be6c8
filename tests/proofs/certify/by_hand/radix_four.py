"""FFT of 256 points on 4 ranks with butterflies of radix 4: one stage across the ranks, three within."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P, M = 256, 4, 64
INPUT, OUTPUT = "block", "cyclic"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


def radix4(a, b, c, d):
    """Return the transform of four numbers, or of four arrays."""
    apc, amc, bpd, jbmd = a + c, a - c, b + d, 1j * (b - d)
    return apc + bpd, amc - jbmd, apc - bpd, amc + jbmd


def fft4(x, roots):
    """Return the transform of 4^m numbers; roots[n] has the n-th roots of unity."""
    n = len(x)
    if n == 1:
        return x
    quarter = n // 4
    parts = [fft4(x[r::4], roots) for r in range(4)]
    k = np.arange(quarter)
    for r in range(1, 4):
        parts[r] = parts[r] * roots[n][r * k]
    return np.concatenate(radix4(*parts))


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.roots = {n: np.exp(-2j * np.pi * np.arange(n) / n) for n in (4, 16, 64)}
        place = comm.rank * (M // P) + np.arange(M // P)
        self.twiddle = [np.exp(-2j * np.pi * (r * place) / N) for r in range(P)]

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    quarters = np.empty((4, M // 4), DTYPE)
    plan.own.Alltoall(np.ascontiguousarray(x), quarters)
    rows = radix4(quarters[0], quarters[1], quarters[2], quarters[3])
    send = np.empty_like(quarters)
    for r, row in enumerate(rows):
        send[r] = row * plan.twiddle[r]
    residue = np.empty(M, DTYPE)
    plan.own.Alltoall(send, residue)
    y = fft4(residue, plan.roots)
    if out is None:
        return y
    out[:] = y
    return out
