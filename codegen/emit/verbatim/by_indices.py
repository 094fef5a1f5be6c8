"""Functions of programs that exchange elements by their indices."""

from __future__ import annotations

import math

import numpy as np

from codegen.emit.verbatim.by_parts import index, place, shape_of
from codegen.emit.verbatim.given import P


def indices(layout, rank):
    """Return the flat indices of a rank's elements, in their order."""
    return index(layout, rank, np.arange(math.prod(shape_of(layout, rank))))


class Indexed:
    """An exchange after which element k of one layout is element source(k) of another one before, or its complex conjugate where turned(k)."""

    def __init__(self, own, before, after, source, turned=lambda k: k < 0):
        k = indices(after, own.rank)
        ranks, offsets = place(before, source(k))
        self.order = np.argsort(ranks, kind="stable")  # the elements by the ranks that they come from
        self.turned = np.flatnonzero(turned(k))
        self.received, self.sent = np.bincount(ranks, minlength=P), np.empty(P, int)
        own.Alltoall(self.received, self.sent)
        self.takes = np.empty(self.sent.sum(), int)  # what the others want, as they tell
        own.Alltoallv([offsets[self.order], self.received], [self.takes, self.sent])


def gather(x, indexed, room):
    """Copy what other ranks want of x to the room, by rank."""
    np.take(x.reshape(-1), indexed.takes, out=room[: len(indexed.takes)], mode="clip")


def spread(room, indexed, y):
    """Copy what has come to the room to its places in y."""
    made = y.reshape(-1)
    made[indexed.order] = room[: len(indexed.order)]
    if len(indexed.turned):
        made[indexed.turned] = made[indexed.turned].conj()
