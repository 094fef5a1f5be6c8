"""FFT of 64 points on 2 ranks: the phases are contractions of an 8 x 8 array with constant matrices."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P, M = 64, 2, 32
A, B = 8, 8  # N = A B, j = B a + b, k = c + A d
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
INDEX = np.arange(8)
F8 = np.exp(-2j * np.pi / 8 * (np.outer(INDEX, INDEX) % 8))
TWIDDLE = np.exp(-2j * np.pi / 64 * np.outer(INDEX, INDEX))


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k // M, k % M


class Plan:
    """This rank's slices of the constants."""

    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        half = A // P
        mine = slice(comm.rank * half, comm.rank * half + half)
        self.first = F8[:, mine].copy()  # the columns of this rank's rows a
        self.twiddle = TWIDDLE[mine].copy()  # the rows c that it gets

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{P} ranks are needed")
    return Plan(comm)


def transform(x, plan, out=None):
    mine = x.reshape(A // P, B)
    partial = np.einsum("ca,ab->cb", plan.first, mine)  # this rank's share of all rows c
    shares = np.empty((P, A // P, B), DTYPE)
    plan.own.Alltoall(partial, shares)
    rows = np.einsum("pcb->cb", shares) * plan.twiddle
    done = np.einsum("cb,db->dc", rows, F8)  # y[c + A d] for this rank's c

    pieces = np.empty((P, B // P, A // P), DTYPE)
    plan.own.Alltoall(np.ascontiguousarray(done), pieces)
    y = np.einsum("pdc->dpc", pieces).reshape(M)
    if out is None:
        return np.array(y)
    out[:] = y
    return out
