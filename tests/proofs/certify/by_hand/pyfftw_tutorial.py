"""FFT of 256 points on 2 ranks with FFTW, as pyFFTW's tutorial has it: aligned arrays, input_array, execute()."""

import numpy as np
import pyfftw

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 256, 2
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "pyfftw", "alltoall"
DTYPE = np.dtype("complex128")


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.a = pyfftw.empty_aligned(M, dtype="complex128")
        self.b = pyfftw.empty_aligned(M, dtype="complex128")
        self.fft = pyfftw.FFTW(self.a, self.b)
        self.recv = np.empty((P, M // P), DTYPE)
        k = comm.rank * (M // P) + np.arange(M // P)
        self.twiddle = np.exp(-2j * np.pi * k / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"this program is for {P} ranks")
    return Plan(comm)


def transform(x, plan, out=None):
    fft = plan.fft
    fft.input_array[:] = x
    fft.execute()
    plan.own.Alltoall(fft.output_array, plan.recv)

    # This rank has k in one quarter: from it come results in both halves.
    even, odd = plan.recv[0], plan.recv[1] * plan.twiddle
    sums = np.concatenate((even + odd, even - odd))
    if out is None:
        out = np.empty(M, DTYPE)
    plan.own.Alltoall(sums, plan.recv)
    out[: M // P] = plan.recv[0]
    out[M // P :] = plan.recv[1]
    return out
