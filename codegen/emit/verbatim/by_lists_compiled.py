"""The same functions with compiled kernels."""

from __future__ import annotations

from codegen.emit.verbatim.by_numpy import complement
from codegen.emit.verbatim.given import COMPLEX, G, N, butterfly, multiply_mirrored, multiply_pairs, turned_sum
from codegen.kernels.host import memory_of
from codegen.kernels.vectors import blank


def exchange_list(partner, low, high, y, other, plan):
    """Store the sum of two lists (on the higher rank the difference) in the first list of y, and send the other one to the second list of the partner."""
    kept, sent = memory_of(y[:G]), memory_of(other[:G])
    butterfly(memory_of(low), memory_of(high), *(sent, kept) if plan.own.rank > partner else (kept, sent), G)
    plan.own.Sendrecv(other[:G], partner, recvbuf=y[G:], source=partner)


def stage_of_both_lists(s, y, other, plan):
    """Exchange both lists with the neighbour of stage s and compute the stage: z + w z' or z' + w z, where z are this rank's lists, z' the neighbour's in reverse order, and w is one number."""
    rank, partner = plan.own.rank, complement(plan.own.rank, s - 1)
    plan.own.Sendrecv(y, partner, recvbuf=other, source=partner)
    own, got, weights = memory_of(y), memory_of(other), memory_of(plan.weights)
    if rank >> (s - 2) & 1:
        turned_sum(got, own, own, weights, G, s - 3, G)
    else:
        turned_sum(own, got, own, weights, 0, s - 3, G)


def product(a, b, y, rank):
    """Store the Hartley transform of a convolution, divided by N, in y: the product of a[m] + i a[-m] and b[m] + i b[-m] times (1 - i) / 2N."""
    weight = blank(1, COMPLEX)
    weight[0] = (0.5 - 0.5j) / N
    if rank == 0:
        multiply_mirrored(memory_of(a), memory_of(b), memory_of(y), memory_of(weight), G)
        y[::G] = a[::G] * b[::G] / N
    else:
        multiply_pairs(*(memory_of(array.view(COMPLEX)) for array in (a, b, y)), memory_of(weight), G)
