"""FFT of 23 points on 2 ranks by Bluestein's algorithm: convolutions with a chirp by np.fft of 64 points."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 23, 2
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
BLOCK, PADDED = 12, 64


def local_shape(rank):
    return (12 if rank == 0 else 11,)


local_output_shape = local_shape


def input_place(j):
    return j // BLOCK, j % BLOCK


output_place = input_place


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        j = np.arange(N)
        self.chirp = np.exp(-1j * np.pi * (j * j % (2 * N)) / N)
        table = np.zeros(PADDED, DTYPE)
        table[:N] = self.chirp.conj()
        table[PADDED - N + 1 :] = self.chirp[:0:-1].conj()
        self.filter = np.fft.fft(table, norm="forward")  # small enough for any x
        self.sizes = [BLOCK, N - BLOCK]

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    whole = np.empty(N, DTYPE)
    plan.own.Allgatherv(np.ascontiguousarray(x), [whole, plan.sizes])
    product = np.fft.fft(whole * plan.chirp, n=PADDED) * plan.filter
    y = np.fft.ifft(product, norm="forward")[:N] * plan.chirp
    mine = y[plan.own.rank * BLOCK :][:BLOCK]
    if out is None:
        return mine.copy()
    out[:] = mine
    return out
