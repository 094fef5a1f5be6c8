"""np.fft.rfftn of a 6 x 5 array of real numbers on 3 ranks: 3 columns of complex numbers, one each."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "rfft", "forward", "backward"
SHAPE, GRID = (6, 5), (3, 1)
N, P = 30, 3
INPUT, OUTPUT = "block,whole", "whole,block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("float64")
HALF = SHAPE[1] // 2 + 1


def local_shape(rank):
    return 2, 5


def local_output_shape(rank):
    return 6, 1


def input_place(*index):
    row, column = index if len(index) == 2 else (index[0] // 5, index[0] % 5)
    return row // 2, row % 2 * 5 + column


def output_place(*index):
    row, column = index if len(index) == 2 else (index[0] // HALF, index[0] % HALF)
    return column, row


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
    rows = np.fft.rfft(x, axis=1)
    send = np.ascontiguousarray(rows.T)
    recv = np.empty((6, 1), np.complex128)
    plan.own.Alltoall(send, recv)
    return np.fft.fft(recv, axis=0, out=out)
