"""FFT of 64 points on 4 ranks: Cooley and Tukey's recursion, also over the ranks, whose groups halve."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 4
M = N // P
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


def fft(x):
    """Return the transform of a vector, by halves."""
    if len(x) == 1:
        return np.array(x)
    even, odd = fft(x[::2]), fft(x[1::2])
    odd = odd * np.exp(-2j * np.pi * np.arange(len(odd)) / len(x))
    return np.concatenate([even + odd, even - odd])


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()

    def free(self):
        self.own.Free()


def plan(comm):
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    return Plan(comm)


def merged(part, step, comm):
    """Return what a rank holds when those of equal residue mod `step` have joined their vectors.

    Before, ranks r, r + 2 step, .. have the transform of x[r::2 step] in blocks; after, ranks
    r mod step have that of x[r::step], in blocks too.
    """
    rank, members = comm.rank, P // step  # as many ranks share a vector afterwards
    index, other = rank // step, rank ^ step
    length = members * M
    theirs = np.empty_like(part)
    comm.Sendrecv(part, other, recvbuf=theirs, source=other)
    even, odd = (part, theirs) if index % 2 == 0 else (theirs, part)
    k = index // 2 * M + np.arange(M)
    odd = odd * np.exp(-2j * np.pi * k / length)
    return even + odd if index % 2 == 0 else even - odd


def transform(x, plan, out=None):
    comm = plan.own
    part = merged(fft(x), 2, comm)  # ranks 0, 2 and 1, 3: k in [0, M) on index 0, [M, 2M) on 1
    part = merged(part, 1, comm)
    # index 0, 1, 2, 3 now hold the blocks 0, 2, 1, 3
    if comm.rank in (1, 2):
        comm.Sendrecv_replace(part, 3 - comm.rank, source=3 - comm.rank)
    if out is None:
        return part
    out[:] = part
    return out
