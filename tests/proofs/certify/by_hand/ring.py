"""FFT of 48 points on 4 ranks as a ring: parts go round, each rank adds what they contribute."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID, BATCH = (48,), (4,), 0
N, P = 48, 4
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.rank = comm.Get_rank()
        self.left, self.right = (self.rank - 1) % P, (self.rank + 1) % P
        k = self.rank * M + np.arange(M)
        self.twiddles = np.exp(-2j * np.pi * (np.outer(np.arange(P), k) % N) / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.Get_size() != P:
        raise ValueError(f"a ring of {P} ranks")
    return Plan(comm)


def transform(x, plan, out=None):
    """y[k] = sum_s w_N^(s k) X_s[k mod M], X_s the transform of part s."""
    travelling = np.fft.fft(x)
    y = plan.twiddles[plan.rank] * travelling
    for step in range(1, P):
        arriving = np.empty_like(travelling)
        plan.own.Sendrecv(
            travelling, dest=plan.right, sendtag=step, recvbuf=arriving, source=plan.left, recvtag=step
        )
        origin = (plan.rank - step) % P
        y += plan.twiddles[origin] * arriving
        travelling = arriving
    if out is None:
        return y
    out[:] = y
    return out
