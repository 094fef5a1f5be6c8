"""Walsh-Hadamard transform of 64 numbers on 4 ranks: butterflies in a rank, then between neighbours in a cube."""

from typing import NamedTuple

import numpy as np

TRANSFORM, DIRECTION, NORM = "wht", "forward", "backward"
N, P = 64, 4
M = N // P
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "pairwise"
DTYPE = np.dtype("float64")


def input_place(j):
    return j // M, j % M


def output_place(k):
    return input_place(k)


class Neighbour(NamedTuple):
    """A rank that differs in one bit, and the sign of the own half in the difference."""

    rank: int
    sign: float


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        bits = P.bit_length() - 1
        self.neighbours = [
            Neighbour(comm.rank ^ (1 << bit), -1.0 if comm.rank >> bit & 1 else 1.0)
            for bit in range(bits)
        ]
        self.theirs = np.empty(M, DTYPE)

    def free(self):
        self.own.Free()
        self.theirs = None


def plan(comm):
    if comm.size != P:
        raise ValueError(f"the program is for {P} ranks")
    return Plan(comm)


def butterflies(a):
    """Transform a vector in place."""
    h = 1
    while h < len(a):
        pairs = a.reshape(-1, 2, h)
        upper = pairs[:, 0] + pairs[:, 1]
        pairs[:, 1] = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] = upper
        h *= 2


def transform(x, plan, out=None):
    y = np.array(x) if out is None else out
    if out is not None:
        out[...] = x
    butterflies(y)
    for neighbour in plan.neighbours:
        plan.own.Sendrecv(y, neighbour.rank, recvbuf=plan.theirs, source=neighbour.rank)
        y *= neighbour.sign
        y += plan.theirs
    return y
