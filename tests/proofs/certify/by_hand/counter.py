"""FFT of 64 points on 2 ranks that counts its transforms and how long they took."""

import time

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "forward"
N, P = 64, 2
M = N // P
INPUT, OUTPUT = "block", "bit-reversed"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype(np.complex128)
BITS = 6


def reversed_bits(j):
    """Return j with its six bits in the opposite order."""
    result = 0 * j
    for bit in range(BITS):
        result = result | ((j >> bit) & 1) << (BITS - 1 - bit)
    return result


def input_place(j):
    return j // M, j % M


def output_place(k):
    place = reversed_bits(np.asarray(k).astype(np.int64)[()])
    return place // M, place % M


class Plan:
    """Twiddles of all stages, a counter and a clock."""

    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.transforms = 0
        self.seconds = 0.0
        self.tables = {}
        half = N // 2
        while half:
            self.tables[half] = np.exp(-1j * np.pi * np.arange(half) / half)
            half //= 2

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"needs {P} ranks")
    return Plan(comm)


def transform(x, plan, out=None):
    """Gentleman-Sande butterflies: the first across the ranks, the others within each."""
    start = time.perf_counter()
    theirs = np.empty(M, DTYPE)
    other = 1 - plan.own.rank
    plan.own.Sendrecv(np.ascontiguousarray(x), other, recvbuf=theirs, source=other)
    a = x + theirs if plan.own.rank == 0 else (theirs - x) * plan.tables[M]

    half = M // 2
    while half >= 1:
        pairs = a.reshape(-1, 2, half)
        sums, differences = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        a = np.stack([sums, differences * plan.tables[half]], axis=1).reshape(M)
        half //= 2

    if out is None:
        out = np.empty(M, DTYPE)
    np.divide(a, N, out=out)
    plan.transforms += 1
    plan.seconds += time.perf_counter() - start
    return out
