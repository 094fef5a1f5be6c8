"""np.fft.irfftn to a 6 x 5 array of real numbers on 3 ranks, from three columns of its half spectrum."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "rfft", "backward", "backward"
SHAPE, GRID = (6, 5), (1, 3)
N, P = 30, 3
INPUT, OUTPUT = "whole,block", "block,whole"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("float64")


def local_shape(rank):
    return (6, 1)


def local_output_shape(rank):
    return (2, 5)


def input_place(*index):
    row, column = index if len(index) == 2 else (index[0] // 3, index[0] % 3)
    return column, row


def output_place(*index):
    row, column = index if len(index) == 2 else (index[0] // 5, index[0] % 5)
    return row // 2, row % 2 * 5 + column


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
    column = np.fft.ifft(x, axis=0)
    recv = np.empty((3, 2), np.complex128)
    plan.own.Alltoall(column, recv)
    return np.fft.irfft(recv.T, n=5, axis=1, out=out)
