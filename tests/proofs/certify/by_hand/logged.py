"""FFT of 64 points on 4 ranks that logs what it does."""

import logging

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P, M = 64, 4, 16
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype(np.complex128)
log = logging.getLogger(__name__)


def input_place(j):
    return j % P, j // P


def output_place(k):
    return k // M, k % M


class Plan:
    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        k = np.arange(M)
        self.twiddle = np.exp(-2j * np.pi * comm.rank * k / N)
        log.info("rank %d: plan for %d elements", comm.rank, M)

    def free(self):
        log.info("rank %d: plan freed", self.comm.rank)
        self.own.Free()


def plan(comm):
    if comm.size != P:
        log.error("%d ranks", comm.size)
        raise ValueError(f"{comm.size} ranks, but this program is for {P}")
    return Plan(comm)


def transform(x, plan, out=None):
    log.debug("rank %d: transform begins", plan.own.rank)
    part = np.fft.fft(x)
    part *= plan.twiddle

    parts = np.empty((P, M // P), DTYPE)
    plan.own.Alltoall(part, parts)  # parts[s] = part of rank s, k1 in this rank's quarter
    log.debug("rank %d: exchanged", plan.own.rank)
    parts = np.fft.fft(parts, axis=0)  # parts[k2] is y[k1 + M k2]: for rank k2

    y = np.empty(M, DTYPE)
    plan.own.Alltoall(np.ascontiguousarray(parts), y)
    log.debug("rank %d: transform ends", plan.own.rank)
    if out is None:
        return y
    out[:] = y
    return out
