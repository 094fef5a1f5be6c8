"""Perfect shuffle of 64 elements on 4 ranks: index arrays say what goes where, one Alltoall moves it."""

import numpy as np

TRANSFORM = "permute"
N, P, M = 64, 4, 16
A, C = (2, 4, 8, 16, 32, 1), 0  # element j goes to place 2 j, or 2 j - 63: its bits rotate
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("float64")
PIECE = M // P


def shuffled(j):
    """Return where element j goes."""
    return 2 * j % N + 2 * j // N


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        mine = comm.rank + P * np.arange(M)
        target = shuffled(mine)
        self.order = np.argsort(target // M, kind="stable")  # by the rank that it goes to
        everything = np.arange(N).reshape(M, P).T.ravel()  # by the rank that sends
        to = shuffled(everything)
        self.offsets = to[to // M == comm.rank] % M
        self.send = np.empty(M, DTYPE)
        self.recv = np.empty(M, DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    np.take(x, plan.order, out=plan.send)
    plan.own.Alltoall(plan.send, plan.recv)
    y = np.empty(M, DTYPE) if out is None else out
    y[plan.offsets] = plan.recv
    return y
