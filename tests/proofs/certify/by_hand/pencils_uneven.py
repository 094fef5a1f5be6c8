"""FFT of a 5 x 6 x 4 array on a 2 x 2 grid of ranks, to transposed order: the axes move to the right."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID = (5, 6, 4), (2, 2, 1)
N, P = 120, 4
INPUT, OUTPUT = "block,block,whole", "whole,block,block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
PARTS = {5: (3, 2), 6: (3, 3), 4: (2, 2)}  # of each axis on two ranks


def local_shape(rank):
    return PARTS[5][rank // 2], PARTS[6][rank % 2], 4


def local_output_shape(rank):
    return 5, PARTS[6][rank // 2], PARTS[4][rank % 2]


def indices(index):
    """Return an index for each axis."""
    if len(index) == 3:
        return index
    j = index[0]
    return j // 24, j // 4 % 6, j % 4


def input_place(*index):
    i, j, k = indices(index)
    return i // 3 * 2 + j // 3, (i % 3 * 3 + j % 3) * 4 + k


def output_place(*index):
    i, j, k = indices(index)
    return j // 3 * 2 + k // 2, (i * 3 + j % 3) * 2 + k % 2


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.grid = comm.Create_cart(GRID[:2])
        self.row, self.column = self.grid.Sub([False, True]), self.grid.Sub([True, False])

    def free(self):
        self.grid.Free()
        self.row.Free()
        self.column.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def exchanged(a, axis, comm):
    """Return an array cut along this axis, and no more along the one before it."""
    n, m = a.shape[axis], a.shape[axis - 1]
    whole = {3: 6, 2: 5}[axis + 1]
    pieces = np.split(a, np.cumsum(PARTS[n])[:-1], axis=axis)
    send = np.concatenate([np.moveaxis(each, axis - 1, 0).ravel() for each in pieces])
    others = a.size // n // m
    mine = PARTS[n][comm.coords[0]]
    recv = np.empty(whole * mine * others, DTYPE)
    sent = [each.size for each in pieces]
    received = [mine * others * part for part in PARTS[whole]]
    comm.Alltoallv([send, (sent, [0, sent[0]])], [recv, (received, [0, received[0]])])
    shape = [*a.shape]
    shape[axis] = mine
    del shape[axis - 1]
    return np.moveaxis(recv.reshape(whole, *shape), 0, axis - 1)


def transform(x, plan, out=None):
    a = exchanged(np.fft.fft(x, axis=2), 2, plan.row)
    a = exchanged(np.fft.fft(a, axis=1), 1, plan.column)
    y = np.fft.fft(np.ascontiguousarray(a), axis=0)
    if out is None:
        return y
    out[...] = y
    return out
