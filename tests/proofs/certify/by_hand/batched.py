"""FFT of a batch of 3 vectors of 32 elements on 2 ranks; a loop over the batch, one exchange for all."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
SHAPE, GRID, BATCH = (32,), (2,), 3
N, P = 96, 2
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
LENGTH = SHAPE[0] // P  # of each vector, on a rank


def input_place(*index):
    """Return (rank, offset) of x[b, j]; a single index counts through the whole batch."""
    b, j = index if len(index) == 2 else (index[0] // SHAPE[0], index[0] % SHAPE[0])
    return j % P, b * LENGTH + j // P


def output_place(*index):
    b, k = index if len(index) == 2 else (index[0] // SHAPE[0], index[0] % SHAPE[0])
    return k // LENGTH, b * LENGTH + k % LENGTH


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        self.roots = np.exp(-2j * np.pi * np.arange(LENGTH) / SHAPE[0])
        self.parts = np.empty((P, BATCH, LENGTH), DTYPE)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    y = np.empty((BATCH, LENGTH), DTYPE) if out is None else out
    spectra = np.empty((BATCH, LENGTH), DTYPE)
    for b in range(BATCH):
        spectra[b] = np.fft.fft(x[b])
        if plan.own.rank == 1:
            spectra[b] *= plan.roots
    plan.own.Allgather(spectra, plan.parts)
    for b in range(BATCH):
        even, odd = plan.parts[0, b], plan.parts[1, b]
        y[b] = even + odd if plan.own.rank == 0 else even - odd
    return y
