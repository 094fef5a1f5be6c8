"""FFT of 24 points on 2 ranks by Bluestein's algorithm: a convolution with a chirp of order 48."""

import numpy as np

TRANSFORM, DIRECTION = "fft", "forward"
N, P = 24, 2
M = N // P
INPUT, OUTPUT = "block", "block"
DTYPE = np.dtype(np.complex128)
PADDED = 64


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        j = np.arange(N)
        self.chirp = np.exp(-1j * np.pi * (j * j % (2 * N)) / N)
        filter_ = np.zeros(PADDED, complex)
        filter_[:N] = self.chirp.conj()
        filter_[PADDED - N + 1 :] = self.chirp[:0:-1].conj()
        self.filter = filter_

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks instead of {P}")
    return Plan(comm)


def convolved(a, plan):
    """Return the cyclic convolution with the conjugate chirp, by its definition."""
    j = np.arange(N)
    k = np.arange(PADDED)
    circulant = plan.filter[(j[:, None] - k) % PADDED]
    return circulant[:, :N] @ a


def transform(x, plan, out=None):
    """y_k = c_k sum_j (c_j x_j) conj(c_(k-j)), as jk = (j² + k² - (k - j)²) / 2."""
    whole = np.empty(N, DTYPE)
    plan.own.Allgather(np.ascontiguousarray(x), whole)
    y = plan.chirp * convolved(whole * plan.chirp, plan)
    mine = y[plan.own.rank * M :][:M]
    if out is None:
        return mine.copy()
    out[:] = mine
    return out
