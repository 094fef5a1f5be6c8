"""Two-dimensional FFT of an 8 x 16 array on a 2 x 2 grid of ranks: a communicator for each row and column."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID, BATCH = (8, 16), (2, 2), 0
N, P, M = 128, 4, 32
INPUT, OUTPUT = "block,block", "block,block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
ROWS, COLUMNS = SHAPE[0] // GRID[0], SHAPE[1] // GRID[1]  # of one rank: 4 x 8


def input_place(*index):
    """Return (rank, offset) of x[row, column], or of x.flat[j]."""
    row, column = index if len(index) == 2 else (index[0] // SHAPE[1], index[0] % SHAPE[1])
    rank = row // ROWS * GRID[1] + column // COLUMNS
    return rank, row % ROWS * COLUMNS + column % COLUMNS


output_place = input_place


class Plan:
    def __init__(self, comm):
        self.comm = comm
        row, column = divmod(comm.rank, GRID[1])
        self.along_row = comm.Split(color=row, key=column)
        self.along_column = comm.Split(color=column, key=row)

    def free(self):
        self.along_row.Free()
        self.along_column.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def along_last_axis(a, comm):
    """Return the transform along the last axis, of which each rank of comm has a part."""
    q, (n, m) = comm.size, a.shape
    send = np.ascontiguousarray(a)
    recv = np.empty((q, n // q, m), DTYPE)
    comm.Alltoall(send, recv)  # n // q whole lines, in q pieces
    lines = np.fft.fft(recv.swapaxes(0, 1).reshape(n // q, q * m))
    send = np.ascontiguousarray(lines.reshape(n // q, q, m).swapaxes(0, 1))
    recv = np.empty((n, m), DTYPE)
    comm.Alltoall(send, recv)
    return recv


def transform(x, plan, out=None):
    a = along_last_axis(x.reshape(ROWS, COLUMNS), plan.along_row)
    y = along_last_axis(a.T, plan.along_column).T
    if out is None:
        return y.copy()
    out[:] = y
    return out
