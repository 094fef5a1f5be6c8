"""Functions of programs that exchange elements by their indices."""

from __future__ import annotations

import math

import numpy as np

from codegen.emit.verbatim.by_numpy import root_of_unity
from codegen.emit.verbatim.by_parts import index, place, shape_of
from codegen.emit.verbatim.given import SIGN, N, P


def indices(layout, rank):
    """Return the flat indices of a rank's elements, in their order."""
    return index(layout, rank, np.arange(math.prod(shape_of(layout, rank))))


class Indexed:
    """An exchange after which element k of one layout is element source(k) of another one before, or its complex conjugate where turned(k)."""

    def __init__(self, own, before, after, source, turned=lambda k: k < 0):
        k = indices(after, own.rank)
        there = np.flatnonzero(source(k) < math.prod(n for _, n, _, _ in before))  # others are 0
        ranks, offsets = place(before, source(k[there]))
        by_rank = np.argsort(ranks, kind="stable")  # the elements by the ranks that they come from
        self.order, self.turned = there[by_rank], np.flatnonzero(turned(k))
        self.received, self.sent = np.bincount(ranks, minlength=P), np.empty(P, int)
        own.Alltoall(self.received, self.sent)
        self.takes = np.empty(self.sent.sum(), int)  # what the others want, as they tell
        own.Alltoallv([offsets[by_rank], self.received], [self.takes, self.sent])


def spectrum_of_chirp(size):
    """Return the transform of the conjugate chirp of N elements, padded to a length for convolutions."""
    m, chirp = np.arange(N), np.zeros(size, complex)
    chirp[m] = chirp[-m] = root_of_unity(m * m % (2 * N), 2 * N).conj()
    return np.fft.fft(chirp) if SIGN < 0 else np.fft.ifft(chirp, norm="forward")


def gather(x, indexed, room):
    """Copy what other ranks want of x to the room, by rank."""
    np.take(x.reshape(-1), indexed.takes, out=room[: len(indexed.takes)], mode="clip")


def spread(room, indexed, y):
    """Copy what has come to the room to its places in y."""
    made = y.reshape(-1)
    if len(indexed.order) < len(made):
        made[:] = 0
    made[indexed.order] = room[: len(indexed.order)]
    if len(indexed.turned):
        made[indexed.turned] = made[indexed.turned].conj()
