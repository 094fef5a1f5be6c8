"""FFT of a 2 x 3 array on 5 ranks, of which two have a row before and three a column after it.

Cost    at most 2 messages and 2 words sent by a rank in 1 exchange, 34 flops
"""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "ortho"
SHAPE, GRID = (2, 3), (5, 1)
N, P = 6, 5
INPUT, OUTPUT = "block,whole", "whole,block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")


def local_shape(rank):
    return (1 if rank < 2 else 0, 3)


def local_output_shape(rank):
    return (2, 1 if rank < 3 else 0)


def input_place(*index):
    row, column = index if len(index) == 2 else (index[0] // 3, index[0] % 3)
    return row, column


def output_place(*index):
    row, column = index if len(index) == 2 else (index[0] // 3, index[0] % 3)
    return column, row


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        row, column = comm.rank < 2, comm.rank < 3
        self.sent = ([1, 1, 1, 0, 0], [0, 1, 2, 3, 3]) if row else ([0] * 5, [0] * 5)
        self.received = ([1, 1, 0, 0, 0], [0, 1, 2, 2, 2]) if column else ([0] * 5, [0] * 5)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    out = np.empty(local_output_shape(plan.own.rank), DTYPE) if out is None else out
    send = np.fft.fft(x, axis=1, norm="ortho")
    recv = np.empty_like(out)
    plan.own.Alltoallv([send, *plan.sent, None], [recv, *plan.received, None])
    np.fft.fft(recv, axis=0, norm="ortho", out=out)
    return out
