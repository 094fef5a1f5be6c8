"""FFT of 144 points on 3 ranks; shapes and types are asserted."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID, BATCH = (144,), (3,), 0
N, P = 144, 3
M = N // P
INPUT, OUTPUT = "block", "cyclic"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
PIECE = M // P


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        assert comm.size == P, f"started on {comm.size} ranks, not {P}"
        self.comm, self.own = comm, comm.Dup()
        residue = np.arange(P)[:, np.newaxis]
        place = comm.rank * PIECE + np.arange(PIECE)
        self.cube_roots = np.exp(-2j * np.pi * residue * residue.T / P)
        self.twiddle = np.exp(-2j * np.pi * residue * place / N)

    def free(self):
        assert self.own is not None, "freed twice"
        self.own.Free()
        self.own = None


def plan(comm):
    return Plan(comm)


def transform(x, plan, out=None):
    """Radix 3 across the ranks, then a transform of 48 elements on each."""
    assert isinstance(plan, Plan) and plan.own is not None
    assert x.shape == (M,) and x.dtype == DTYPE, "x is not this rank's part"
    received = np.empty((P, PIECE), DTYPE)
    plan.own.Alltoall(np.ascontiguousarray(x), received)

    sums = np.zeros((P, PIECE), DTYPE)
    for row in range(P):
        for column in range(P):
            sums[row] += plan.cube_roots[row, column] * received[column]
    sums *= plan.twiddle

    residues = np.empty(M, DTYPE)
    plan.own.Alltoall(sums, residues)
    y = np.fft.fft(residues)
    assert y.shape == (M,)
    if out is None:
        return y
    assert out.shape == (M,) and out.dtype == DTYPE
    out[:] = y
    return out
