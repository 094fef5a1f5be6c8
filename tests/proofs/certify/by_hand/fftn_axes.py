"""Two-dimensional FFT of a 16 x 8 array on 2 ranks: a slab decomposition with np.fft.fftn and `axes`."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID, BATCH = (16, 8), (2, 1), 0
N, P, M = 128, 2, 64
INPUT, OUTPUT = "block,whole", "block,whole"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
ROWS, COLUMNS = SHAPE[0] // P, SHAPE[1] // P


def input_place(*index):
    """Return (rank, offset) of x[row, column], or of x.flat[j]."""
    j = index[0] * SHAPE[1] + index[1] if len(index) == 2 else index[0]
    return j // M, j % M


output_place = input_place


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"made for {P} ranks")
    return Plan(comm)


def transform(x, plan, out=None):
    """Transform the rows, exchange, transform the columns, exchange back."""
    out = np.empty((ROWS, SHAPE[1]), DTYPE) if out is None else out
    a = np.fft.fftn(x.reshape(ROWS, SHAPE[1]), axes=(1,))

    send = np.ascontiguousarray(np.moveaxis(a.reshape(ROWS, P, COLUMNS), 1, 0))
    recv = np.empty_like(send)
    plan.own.Alltoall(send, recv)  # recv[q] has the rows of rank q of this rank's columns

    b = np.fft.fftn(recv.reshape(SHAPE[0], COLUMNS), axes=(0,))

    plan.own.Alltoall(np.ascontiguousarray(b.reshape(P, ROWS, COLUMNS)), send)
    out[...] = np.moveaxis(send, 0, 1).reshape(out.shape)
    return out
