"""Inverse FFT of an 11 x 5 array on 4 ranks, whose parts differ by one row or column at most."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "backward", "backward"
SHAPE, GRID = (11, 5), (4, 1)
N, P = 55, 4
INPUT, OUTPUT = "balanced,whole", "whole,balanced"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype("complex64")


def bounds(n, rank):
    """Return where the part of a rank begins and ends: the first n mod P have one more."""
    size, more = divmod(n, P)
    begin = rank * size + min(rank, more)
    return begin, begin + size + (rank < more)


def local_shape(rank):
    begin, end = bounds(11, rank)
    return end - begin, 5


def local_output_shape(rank):
    begin, end = bounds(5, rank)
    return 11, end - begin


BEGINS = np.array([bounds(11, rank)[0] for rank in range(P)])


def input_place(*index):
    row, column = index if len(index) == 2 else (index[0] // 5, index[0] % 5)
    rank = np.searchsorted(BEGINS, row, side="right") - 1
    return rank, (row - BEGINS[rank]) * 5 + column


def output_place(*index):
    """The first rank has two columns, each other one."""
    row, column = index if len(index) == 2 else (index[0] // 5, index[0] % 5)
    rank = np.maximum(column, 1) - 1
    return rank, np.where(rank == 0, 2 * row + column, row)[()]


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    rank = plan.own.rank
    begin, end = bounds(5, rank)
    rows = np.fft.ifft(x, axis=1).astype(DTYPE)
    columns = np.empty((11, end - begin), DTYPE)
    for step in range(P):
        to, source = (rank + step) % P, (rank - step) % P
        first, last = bounds(5, to)
        piece = np.ascontiguousarray(rows[:, first:last])
        top, bottom = bounds(11, source)
        plan.own.Sendrecv(piece, to, recvbuf=columns[top:bottom], source=source)
    y = np.fft.ifft(columns, axis=0).astype(DTYPE)
    if out is None:
        return y
    out[:] = y
    return out
