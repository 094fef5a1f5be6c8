"""FFT along the first axis of a 7 x 5 array on 2 ranks: each column is an array of its own."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "forward"
SHAPE, GRID, AXES = (7, 5), (2, 1), (0,)
N, P = 35, 2
INPUT, OUTPUT = "block,whole", "whole,block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
ROWS, COLUMNS = (4, 3), (3, 2)


def local_shape(rank):
    return ROWS[rank], 5


def local_output_shape(rank):
    return 7, COLUMNS[rank]


def input_place(*index):
    row, column = index if len(index) == 2 else np.divmod(index[0], 5)
    return row // 4, row % 4 * 5 + column


def output_place(*index):
    row, column = index if len(index) == 2 else np.divmod(index[0], 5)
    rank = column // 3
    return rank, row * (3 - rank) + column % 3


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.sent = [ROWS[comm.rank] * columns for columns in COLUMNS]
        self.received = [rows * COLUMNS[comm.rank] for rows in ROWS]

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    send = np.concatenate([x[:, :3].ravel(), x[:, 3:].ravel()])
    columns = np.empty((7, COLUMNS[plan.own.rank]), DTYPE)
    plan.own.Alltoallv((send, plan.sent), (columns, plan.received))
    return np.fft.fft(columns, axis=0, norm="forward", out=out)
