"""FFT of 64 points on 4 ranks where each short transform is a product with a DFT matrix."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 4
M = N // P
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
PIECE = M // P


def dft_matrix(n):
    """Return the n x n matrix of the discrete Fourier transform."""
    k = np.arange(n).reshape(n, 1)
    return np.exp(-2j * np.pi * (k @ k.T % n) / n)


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        self.long = dft_matrix(M)
        self.short = dft_matrix(P)
        self.twiddle = np.exp(-2j * np.pi * comm.rank * np.arange(M) / N)

    def free(self):
        self.own.Free()
        del self.long, self.short, self.twiddle


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks instead of {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """y[k1 + M k2] = sum_s w_P^(s k2) w_N^(s k1) sum_i w_M^(i k1) x[s + P i]."""
    mine = plan.twiddle * (plan.long @ x)

    # Rank r gets k1 = r, r + P, ..; one value from each rank.
    send = mine.reshape(PIECE, P).T.copy()
    recv = np.empty((P, PIECE), DTYPE)
    plan.own.Alltoall(send, recv)

    # k = k1 + M k2 is on rank k mod P = k1 mod P, at offset k1 // P + PIECE k2.
    y = (plan.short @ recv).reshape(M)
    if out is not None:
        out[:] = y
        return out
    return y
