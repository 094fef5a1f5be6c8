"""Six-step FFT (Bailey 1990) of 256 points on 4 ranks; the plan is a dataclass."""

from dataclasses import dataclass

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 256, 4
M = N // P
SIDE = 16  # the vector is a SIDE x SIDE matrix, a rank holds SIDE // P of its rows
ROWS = SIDE // P
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)


def input_place(j):
    """Return (rank, offset) of x[j]."""
    return j // M, j % M


def output_place(k):
    """Return (rank, offset) of y[k]."""
    return k // M, k % M


@dataclass
class Plan:
    """What the transforms of one rank share."""

    comm: object
    own: object
    twiddle: np.ndarray
    send: np.ndarray
    recv: np.ndarray

    def free(self):
        """Free the communicator; collective."""
        self.own.Free()


def plan(comm):
    """Return the plan of this rank; collective."""
    if comm.Get_size() != P:
        raise ValueError(f"this program is for {P} ranks, not {comm.Get_size()}")
    row = comm.Get_rank() * ROWS + np.arange(ROWS)[:, np.newaxis]
    twiddle = np.exp(-2j * np.pi * (row * np.arange(SIDE)) / N)
    blocks = (P, ROWS, ROWS)
    return Plan(comm, comm.Dup(), twiddle, np.empty(blocks, DTYPE), np.empty(blocks, DTYPE))


def transposed(rows, plan):
    """Return this rank's rows of the transposed matrix; collective."""
    plan.send[:] = rows.reshape(ROWS, P, ROWS).swapaxes(0, 1)
    plan.own.Alltoall(plan.send, plan.recv)
    return plan.recv.transpose(2, 0, 1).reshape(ROWS, SIDE)


def transform(x, plan, out=None):
    """Return this rank's part of the transform of x; collective."""
    if out is None:
        out = np.empty(M, DTYPE)
    columns = transposed(x.reshape(ROWS, SIDE), plan)
    columns = np.fft.fft(columns, axis=1) * plan.twiddle
    rows = transposed(columns, plan)
    rows = np.fft.fft(rows, axis=1)
    out[:] = transposed(rows, plan).ravel()
    return out
