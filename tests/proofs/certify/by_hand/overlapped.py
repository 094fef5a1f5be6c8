"""FFT of 256 points on 4 ranks: while half of the rows travel, the other half is transformed."""

import numpy as np
from mpi4py import MPI

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 256, 4
M = N // P
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numpy", "overlapped"
DTYPE = np.dtype(np.complex128)
PIECE = M // P
HALF = PIECE // 2


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.twiddle = np.exp(-2j * np.pi * (comm.rank * np.arange(M)) / N)
        self.send = np.empty((2, P, HALF), DTYPE)
        self.recv = np.empty((2, P, HALF), DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    """y[k1 + M k2]: transforms of M elements, twiddles, an exchange, transforms over the ranks."""
    part = (np.fft.fft(x) * plan.twiddle).reshape(2, HALF, P)
    requests = []
    for half in range(2):
        plan.send[half] = part[half].T
        requests.append(plan.own.Ialltoall(plan.send[half], plan.recv[half]))

    y = np.empty((P, 2, HALF), DTYPE)
    for half in range(2):
        requests[half].Wait()
        y[:, half] = np.fft.fft(plan.recv[half], axis=0)

    if out is None:
        return y.reshape(M)
    out[:] = y.reshape(M)
    return out


if __name__ == "__main__":
    handle = plan(MPI.COMM_WORLD)
    print(abs(transform(np.ones(M, DTYPE), handle)).max())
    handle.free()
