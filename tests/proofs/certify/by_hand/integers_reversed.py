"""Bit reversal of 64 integers on 4 ranks: sorted index arrays, counts from np.bincount, one Alltoallv."""

import warnings

import numpy as np

TRANSFORM = "permute"
N, P, M = 64, 4, 16
A, C = (32, 16, 8, 4, 2, 1), 0
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("int32")


def reversed_bits(j):
    """Return j with its six bits in the other order."""
    r = np.zeros_like(j)
    for bit in range(6):
        r = r | (j >> bit & 1) << (5 - bit)
    return r


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        mine = np.arange(comm.rank * M, comm.rank * M + M)
        targets = reversed_bits(mine)
        self.order = np.argsort(targets)
        self.counts = np.bincount(targets // M, minlength=P)
        self.starts = np.concatenate(([0], np.cumsum(self.counts)[:-1]))
        senders = reversed_bits(mine) // M
        self.back = np.argsort(np.argsort(senders * M + np.arange(M)))  # by sender, then by target
        self.send = np.zeros(M, DTYPE)
        self.recv = np.zeros(M, DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks instead of {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    if not np.issubdtype(x.dtype, np.integer):
        raise TypeError(f"x has the type {x.dtype}, which is no integer")
    if not x.flags.c_contiguous:
        warnings.warn("x has gaps and is copied", stacklevel=2)
    plan.send[:] = x[plan.order]
    message = plan.send, (plan.counts, plan.starts)
    plan.own.Alltoallv(message, (plan.recv, (plan.counts, plan.starts)))
    y = np.zeros(M, dtype=DTYPE) if out is None else out
    y.fill(0)
    y[:] = plan.recv[plan.back]
    return y
