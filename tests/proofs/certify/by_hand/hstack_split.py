"""FFT of 128 points on 2 ranks: cyclic input, block output, decimation in time.

Rank 0 has the even elements and rank 1 the odd ones. Each transforms its own, then
y[k] = E[k] + w^k O[k] and y[k + N/2] = E[k] - w^k O[k].
"""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P, M = 128, 2, 64
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
        self.partner = 1 - self.rank
        k = np.arange(M)
        self.roots = np.cos(2 * np.pi * k / N) - 1j * np.sin(2 * np.pi * k / N)

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.Get_size() != P:
        raise ValueError(f"needs {P} ranks")
    return Plan(comm)


def swapped(keep, give, plan):
    """Return what the partner gives, in the order of the ranks, with what is kept."""
    taken = np.empty_like(give)
    plan.own.Sendrecv(np.ascontiguousarray(give), plan.partner, recvbuf=taken, source=plan.partner)
    return (keep, taken) if plan.rank == 0 else (taken, keep)


def transform(x, plan, out=None):
    part = np.fft.fft(x)
    if plan.rank == 1:
        part = part * plan.roots
    lower, upper = np.split(part, 2)
    keep, give = (lower, upper) if plan.rank == 0 else (upper, lower)
    even, odd = swapped(keep, give, plan)

    # Each rank now has half of both spectra: a quarter of the result at k and one at k + N/2.
    quarters = np.hstack([even + odd, even - odd])
    first, second = np.split(quarters, 2)
    keep, give = (first, second) if plan.rank == 0 else (second, first)
    y = np.hstack(swapped(keep, give, plan))
    if out is None:
        return y
    np.copyto(out, y)
    return out
