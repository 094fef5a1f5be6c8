"""FFT of 128 points on 4 ranks of a hypercube: binary exchange, decimation in frequency."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 128, 4
LEVELS = 2  # P = 2**LEVELS
M = N // P
INPUT, OUTPUT = "block", "cyclic"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype(np.complex128)
ORDER = [0, 2, 1, 3]  # the ranks with their bits reversed


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.rank = comm.Get_rank()
        self.twiddles = []
        for level in range(LEVELS):
            distance = P >> level + 1
            first = self.rank % distance * M
            length = 2 * distance * M
            self.twiddles.append(np.exp(-2j * np.pi * (first + np.arange(M)) / length))

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    a = np.array(x, dtype=DTYPE)
    theirs = np.empty(M, DTYPE)
    for level, w in enumerate(plan.twiddles):
        distance = P >> level + 1
        other = plan.rank ^ distance
        plan.own.Sendrecv(a, other, recvbuf=theirs, source=other)
        if plan.rank & distance:
            a = (theirs - a) * w
        else:
            a = a + theirs
    a = np.fft.fft(a)

    # Rank r has the residue that is r with its bits reversed: put it where it belongs.
    home = ORDER[plan.rank]
    if home != plan.rank:
        plan.own.Sendrecv_replace(a, home, source=home)
    if out is None:
        return a
    out[:] = a
    return out
