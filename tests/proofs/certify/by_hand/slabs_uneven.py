"""Two-dimensional FFT of a 10 x 7 array on 3 ranks, which have 4, 4 and 2 rows: Alltoallv, and back."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID = (10, 7), (3, 1)
N, P = 70, 3
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
ROWS = -(-10 // P)  # of each rank but the last one


def sizes(n):
    """Return how many of n rows, or columns, each rank has."""
    most = -(-n // P)
    return [max(min(n - rank * most, most), 0) for rank in range(P)]


def local_shape(rank):
    return sizes(10)[rank], 7


local_output_shape = local_shape


def input_place(*index):
    """Return (rank, offset) of x[row, column], or of x.flat[j]."""
    row, column = index if len(index) == 2 else (index[0] // 7, index[0] % 7)
    return row // ROWS, row % ROWS * 7 + column


output_place = input_place


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.rows, self.columns = sizes(10)[comm.rank], sizes(7)[comm.rank]
        self.cuts = np.cumsum(sizes(7))[:-1]
        self.by_rows = [self.rows * columns for columns in sizes(7)]
        self.by_columns = [rows * self.columns for rows in sizes(10)]

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """Transform the rows, exchange, transform the columns, exchange back."""
    out = np.empty((plan.rows, 7), DTYPE) if out is None else out
    rows = np.fft.fft(x)
    send = np.concatenate([each.ravel() for each in np.split(rows, plan.cuts, axis=1)])
    columns = np.empty((10, plan.columns), DTYPE)
    plan.own.Alltoallv([send, plan.by_rows], [columns, plan.by_columns])

    columns = np.fft.fft(columns, axis=0)

    plan.own.Alltoallv([columns, plan.by_columns], [send, plan.by_rows])
    pieces = np.split(send, np.cumsum(plan.by_rows)[:-1])
    np.concatenate([each.reshape(plan.rows, -1) for each in pieces], axis=1, out=out)
    return out
