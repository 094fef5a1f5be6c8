"""FFT of 36 points on 2 ranks by Good and Thomas: N = 4 * 9, no twiddle factors, Alltoallv with counts."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID, BATCH = (36,), (2,), 0
N, P, M = 36, 2, 18
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
COLUMNS = (5, 4)  # how many of the 9 columns each rank transforms


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        self.columns = COLUMNS[comm.rank]
        a = np.array([[comm.rank], [comm.rank + 2]])
        b = np.arange(9)
        # j = 9 a + 4 b mod 36, so that j = a mod 2; k = 9 a + 28 b mod 36: k = a mod 4, k = b mod 9
        self.given = (9 * a + 4 * b) % N // P
        self.wanted = (9 * a + 28 * b) % N // P
        # counts and displacements: 2 rows of each rank's columns, 2 rows of this rank's from each
        self.whole = ([2 * 5, 2 * 4], [0, 2 * 5])
        self.mine = ([2 * self.columns] * 2, [0, 2 * self.columns])

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, but {P} are needed")
    return Plan(comm)


def transform(x, plan, out=None):
    """Transforms of 9 on each rank, an exchange, transforms of 4 on uneven parts, and back."""
    rows = np.fft.fft(x[plan.given])
    send = np.concatenate([rows[:, :5].ravel(), rows[:, 5:].ravel()])
    recv = np.empty((2, 2, plan.columns), DTYPE)
    plan.own.Alltoallv([send, *plan.whole, None], [recv, *plan.mine, None])

    columns = recv.transpose(1, 0, 2).reshape(4, plan.columns)  # a = 2 i + s from rank s
    columns = np.fft.fft(columns, axis=0)
    back = np.stack([columns[0::2], columns[1::2]])
    plan.own.Alltoallv([back, *plan.mine, None], [send, *plan.whole, None])

    y = np.empty(M, DTYPE) if out is None else out
    y[plan.wanted] = np.hstack([send[:10].reshape(2, 5), send[10:].reshape(2, 4)])
    return y
