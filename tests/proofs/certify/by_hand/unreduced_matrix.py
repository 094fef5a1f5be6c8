"""FFT of 64 points on 4 ranks: short transforms by matrices whose angles are of several turns."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 4
M = N // P
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
PIECE = M // P


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        k = np.arange(P)
        self.short = np.exp(-2j * np.pi * np.outer(k, k) / P)
        self.twiddle = np.exp(-2j * np.pi * comm.rank * np.arange(M) / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks instead of {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """y[k1 + M k2] = sum_s w_P^(s k2) w_N^(s k1) sum_i w_M^(i k1) x[s + P i]."""
    mine = plan.twiddle * np.fft.fft(x)
    send = mine.reshape(PIECE, P).T.copy()
    recv = np.empty((P, PIECE), DTYPE)
    plan.own.Alltoall(send, recv)
    y = (plan.short @ recv).reshape(M)
    if out is not None:
        out[:] = y
        return out
    return y
