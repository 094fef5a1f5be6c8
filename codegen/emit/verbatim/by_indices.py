"""Functions of programs that exchange elements by their indices, and of cosine transforms."""

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

    def __init__(self, rank, before, after, source, turned=lambda k: k < 0):
        k = indices(after, rank)
        there = np.flatnonzero(source(k) < math.prod(n for _, n, _, _ in before))  # others are 0
        ranks, offsets = place(before, source(k[there]))
        by_rank = np.argsort(ranks, kind="stable")  # the elements by the ranks that they come from
        self.order, self.turned, self.wants = there[by_rank], np.flatnonzero(turned(k)), offsets[by_rank]
        self.received, self.sent = np.bincount(ranks, minlength=P), np.empty(P, int)


def spectrum_of_chirp(size):
    """Return the transform of the conjugate chirp, of this length around index 0."""
    t, chirp = np.arange(size) - size // 2, np.empty(size, complex)
    chirp[t] = root_of_unity(t * t % (2 * N), 2 * N).conj()
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


def take_signed(x, order, axis, y, negative):
    """Copy x to y in this order along an axis, the elements of the slice `negative` with the other sign."""
    np.take(x, order, axis=axis, out=y, mode="clip")
    part = y[(*(slice(None),) * axis, negative)]
    np.negative(part, out=part)


def spread_signed(room, indexed, y):
    """Copy what has come to the room to its places in y, some elements with the other sign."""
    made = y.reshape(-1)
    made[indexed.order] = room[: len(indexed.order)]
    made[indexed.turned] = -made[indexed.turned]


def split(w, axis, y):
    """Write y_k = Im w_k and y_(n-k) = Re w_k along an axis, 0 <= k <= n/2."""
    every, n, half = (slice(None),) * axis, y.shape[axis], w.shape[axis]
    y[(*every, slice(half))] = w.imag
    y[(*every, slice(half, n))] = w.real[(*every, slice(n - half, 0, -1))]


def join(x, axis, w):
    """Write w_k = x_(n-k) + i x_k along an axis, 0 <= k <= n/2, where x_n = 0."""
    every, n, half = (slice(None),) * axis, x.shape[axis], w.shape[axis]
    w.imag[...] = x[(*every, slice(half))]
    w.real[(*every, slice(1))] = 0
    w.real[(*every, slice(1, half))] = x[(*every, slice(n - 1, n - half, -1))]
