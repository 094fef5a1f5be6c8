"""Bit reversal of 64 elements on 2 ranks, with loops of Python over elements."""

import numpy as np

TRANSFORM = "permute"
N, P = 64, 2
M = N // P
A, C = (32, 16, 8, 4, 2, 1), 0
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype("float64")


def reversed_bits(j):
    result = 0
    for _ in range(6):
        result = 2 * result + j % 2
        j //= 2
    return result


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.rank = comm.rank
        self.table = [reversed_bits(j) for j in range(N)]

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """Even indices have small reversals: rank 0 keeps what it has, and so does rank 1."""
    y = np.empty(M, DTYPE) if out is None else out
    kept = []
    for offset in range(M):
        rank, place = divmod(plan.table[plan.rank + P * offset], M)
        if rank == plan.rank:
            y[place] = x[offset]
            kept.append(place)
    assert len(kept) == M
    return y
