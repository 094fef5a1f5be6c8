"""Functions of programs whose ranks have unequal parts and compiled kernels."""

from __future__ import annotations

import math

import numpy as np

from codegen.emit.verbatim.by_parts import shape_of


def parts(layout, rank, axis, before, after, outer=0):
    """Return how many rows a rank has at each index of the outer axes, where the parts of an axis begin in the messages before and after a transform, and how many rows and columns the rank has."""
    shape, starts = shape_of(layout, rank), (divided(n, p) for divided, n, p, _ in (before[axis], after[axis]))
    return math.prod(shape[outer:axis]), *starts, math.prod(shape[:axis]), math.prod(shape[axis + 1 :])


def to_others(trade, mine):
    """Return an exchange without the message of a rank to itself: a kernel writes it, number `place`, `shift` elements farther in what is received than in what is sent."""
    found = []
    for counts in (trade.sent, trade.received):
        starts = [sum(counts[:i]) for i in range(len(counts))]
        found.append(([*counts[:mine], 0, *counts[mine + 1 :]], starts))
    trade.sent, trade.received = found
    trade.place, trade.shift = mine, trade.received[1][mine] - trade.sent[1][mine]
    return trade


def tabulate(entries, dtype, stop):
    """Return the table of entries(o) for offsets 0 <= o < stop."""
    return entries(np.arange(stop)).astype(dtype)
