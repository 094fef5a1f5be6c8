"""FFT of 128 points on 2 ranks; functools.lru_cache keeps the roots of unity."""

from functools import lru_cache

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "ortho"
N, P, M = 128, 2, 64
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype(np.complex128)


@lru_cache(maxsize=None)
def roots(n):
    """Return the n-th roots of unity, exp(-2 pi i k / n)."""
    angles = 2 * np.pi * np.arange(n) / n
    table = np.cos(angles) - 1j * np.sin(angles)
    table.flags.writeable = False
    return table


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    rank, other = plan.own.rank, 1 - plan.own.rank
    part = np.fft.fft(x) / np.sqrt(N)
    if rank == 1:
        part *= roots(N)[:M]

    # Even k stay on rank 0, odd k go to rank 1; each gets the other's part of them.
    mine = part[rank::2].copy()
    theirs = np.empty(M // 2, DTYPE)
    plan.own.Sendrecv(part[other::2].copy(), dest=other, recvbuf=theirs, source=other)
    first, second = (mine, theirs) if rank == 0 else (theirs, mine)

    y = np.concatenate([first + second, first - second])
    if out is None:
        return y
    out[:] = y
    return out
