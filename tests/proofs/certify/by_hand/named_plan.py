"""FFT of 64 points on 2 ranks; the plan is a named tuple, which nobody changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 64, 2
M = N // P
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)


class Plan(NamedTuple):
    """A communicator of our own, and the roots of unity of the 8 x 8 matrix of elements."""

    comm: Any
    own: Any
    roots: np.ndarray

    def free(self) -> None:
        """Free the communicator; collective."""
        self.own.Free()


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k // M, k % M


def plan(comm) -> Plan:
    """Return the plan of this rank; collective."""
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks, not {P}")
    rows = comm.rank * 4 + np.arange(4)
    return Plan(comm, comm.Dup(), np.exp(-2j * np.pi * rows[:, None] * np.arange(8) / N))


def turned(a, comm):
    """Return this rank's 4 rows of the transpose of an 8 x 8 matrix."""
    recv = np.empty((2, 4, 4), DTYPE)
    comm.Alltoall(np.ascontiguousarray(np.stack(np.hsplit(a, 2))), recv)
    return np.vstack(recv).T


def transform(x, plan: Plan, out: np.ndarray | None = None) -> np.ndarray:
    """Return this rank's part of the transform; collective."""
    a = turned(x.reshape(4, 8), plan.own)
    a = np.fft.fft(a) * plan.roots
    a = np.fft.fft(turned(a, plan.own))
    y = turned(a, plan.own).reshape(M)
    if out is None:
        return y.copy()
    out[:] = y
    return out
