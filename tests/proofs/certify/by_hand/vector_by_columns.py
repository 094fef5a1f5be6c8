"""FFT of 1000 points on 3 ranks, in blocks of 334, 334 and 332: as an array of 25 x 40, with index tables."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 1000, 3
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
A, B = 25, 40
BLOCK, ROWS, COLUMNS = -(-N // P), -(-A // P), -(-B // P)


def local_shape(rank):
    return (min(BLOCK, N - rank * BLOCK),)


local_output_shape = local_shape


def input_place(j):
    return j // BLOCK, j % BLOCK


output_place = input_place


class Move:
    """An exchange from places `before` to places `after`: (rank, offset) of each element."""

    def __init__(self, rank, before, after):
        source, target = before[0], after[0]
        mine = np.flatnonzero(source == rank)
        mine = mine[np.argsort(target[mine], kind="stable")]
        self.taken = before[1][mine]
        self.sent = np.bincount(target[mine], minlength=P).tolist()
        mine = np.flatnonzero(target == rank)
        mine = mine[np.argsort(source[mine], kind="stable")]
        self.put = after[1][mine]
        self.received = np.bincount(source[mine], minlength=P).tolist()

    def __call__(self, x, comm):
        send = x.reshape(-1)[self.taken]
        recv = np.empty(len(self.put), DTYPE)
        comm.Alltoallv([send, self.sent], [recv, self.received])
        y = np.empty_like(recv)
        y[self.put] = recv
        return y


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        rank, j = comm.rank, np.arange(N)
        a, b = j // B, j % B  # j = 40 a + b
        columns = np.minimum(COLUMNS, B - b // COLUMNS * COLUMNS)
        by_columns = b // COLUMNS, a * columns + b % COLUMNS
        by_rows = a // ROWS, a % ROWS * B + b  # here a counts the result of the columns
        k = a + A * b
        self.first = Move(rank, input_place(j), by_columns)
        self.second = Move(rank, by_columns, by_rows)
        self.third = Move(rank, by_rows, output_place(k))
        self.columns = min(COLUMNS, B - rank * COLUMNS)
        own = rank * COLUMNS + np.arange(self.columns)
        self.roots = np.exp(-2j * np.pi * np.outer(np.arange(A), own) / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    z = plan.first(x, plan.own).reshape(A, plan.columns)
    z = np.fft.fft(z, axis=0) * plan.roots
    z = plan.second(z, plan.own).reshape(-1, B)
    y = plan.third(np.fft.fft(z), plan.own)
    if out is None:
        return y
    out[:] = y
    return out
