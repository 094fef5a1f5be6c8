"""Functions of Hartley transforms of two lists on a rank, by numpy."""

from __future__ import annotations

import numpy as np

from codegen.emit.verbatim.by_numpy import complement
from codegen.emit.verbatim.given import PIECE, G, N


def exchange_list(partner, low, high, y, other, plan):
    """Store the sum of two lists (on the higher rank the difference) in the first list of y, and send the other one to the second list of the partner."""
    kept, sent = (np.subtract, np.add) if plan.own.rank > partner else (np.add, np.subtract)
    sent(low, high, out=other[:G])
    kept(low, high, out=y[:G])
    plan.own.Sendrecv(other[:G], partner, recvbuf=y[G:], source=partner)


def stage_of_both_lists(s, y, other, plan):
    """Exchange both lists with the neighbour of stage s and compute the stage: one cosine and one sine for all elements."""
    rank, partner = plan.own.rank, complement(plan.own.rank, s - 1)
    plan.own.Sendrecv(y, partner, recvbuf=other, source=partner)
    own, got, w = y.reshape(2, G), other.reshape(2, G), plan.weights[s - 3]
    for start in range(0, G, PIECE):
        piece = slice(start, start + PIECE)
        a, b, p, q = own[0, piece], own[1, piece], got[1, piece], got[0, piece]
        if rank >> (s - 2) & 1:
            a, b, p, q = p, q, a, b
        own[0, piece], own[1, piece] = a + (w.real * p - w.imag * q), b + (w.real * q + w.imag * p)


def stage_of_both_lists_back(s, y, other, plan):
    """Exchange both lists and compute twice the inverse of stage s."""
    rank, partner = plan.own.rank, complement(plan.own.rank, s - 1)
    plan.own.Sendrecv(y, partner, recvbuf=other, source=partner)
    own, got = y.reshape(2, G), other.reshape(2, G)[::-1]
    if rank >> (s - 2) & 1 == 0:
        np.add(own, got, out=own)
        return
    w = plan.weights[s - 3]
    for start in range(0, G, PIECE):
        piece = slice(start, start + PIECE)
        a, b = own[0, piece] - got[0, piece], own[1, piece] - got[1, piece]
        own[0, piece], own[1, piece] = w.real * a + w.imag * b, w.real * b - w.imag * a


def hartley(x, y):
    """Store the Hartley transform of M real numbers in y: H[k], H[-k] = Re X[k] ∓ Im X[k], where X is their Fourier transform."""
    half = np.fft.rfft(x)
    np.subtract(half.real, half.imag, out=y[: G + 1])
    np.add(half.real[1:G], half.imag[1:G], out=y[:G:-1])


def opposites(h, rank):
    """Return views of H[m] and of H[-m], one entry per pair; on rank 0 without m = 0 and N/2, where -m = m mod N."""
    return (h[1:G], h[:G:-1]) if rank == 0 else (h[::2], h[1::2])


def half_spectrum(h, y, rank):
    """Store Re X[m] and Im X[m] interleaved in y: X[m] = ((H[m] + H[-m]) - i (H[m] - H[-m])) / 2."""
    first, second = opposites(h, rank)
    pairs = y.reshape(G, 2)
    if rank == 0:
        y[0], y[1] = h[0], h[G]  # X[0] and X[N/2] are real: X[N/2] takes the place of Im X[0]
        pairs = pairs[1:]
    np.add(first, second, out=pairs[:, 0])
    np.subtract(second, first, out=pairs[:, 1])
    np.multiply(pairs, 0.5, out=pairs)
    if rank > 0:  # here H[-m] comes first, -m < N/2
        beyond = pairs[(G + 1) // 2 :, 1]
        np.negative(beyond, out=beyond)


def product(a, b, y, rank):
    """Store the Hartley transform of a convolution, divided by N, in y: (A[m] (B[m] + B[-m]) + A[-m] (B[m] - B[-m])) / 2N."""
    if rank == 0:
        y[::G] = a[::G] * b[::G] / N
    (p, q), (u, v), (first, second) = opposites(a, rank), opposites(b, rank), opposites(y, rank)
    for start in range(0, G, PIECE):
        piece = slice(start, start + PIECE)
        s, d = (u[piece] + v[piece]) * (0.5 / N), (u[piece] - v[piece]) * (0.5 / N)
        first[piece], second[piece] = p[piece] * s + q[piece] * d, q[piece] * s - p[piece] * d
