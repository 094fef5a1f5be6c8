"""The Hartley transform with one all-to-all, for 2 P^2 <= N: from the cyclic to the Hartley layout,
which is a zig-zag cyclic one.

With j = s + P i and k = t + M l, s, l < P and i, t < M, the angle of cas(2 pi jk/N) is 2 pi i t/M +
2 pi s t/N + 2 pi s l/P:

    h_s = H_M x_s          on rank s, of its own elements x_s[i] = x[s + P i]
    a   = 2 pi s t/N       h'_s[t] = cos(a) h_s[t] + sin(a) h_s[-t],   h''_s[t] = cos(a) h_s[-t] - sin(a) h_s[t]
    H[t + M l] = sum_s cos(2 pi s l/P) h'_s[t] + sin(2 pi s l/P) h''_s[t]

The numbers at t and -t stay together all the way. Rank R needs those with t = R or -R mod 2P, of
which every rank s has M/P: one message of M/P numbers from every rank to every other. As M is a
multiple of 2P, all k = t + M l are R or -R mod 2P again.

This is the group-cyclic algorithm of Inda & Bisseling 2000 for P <= sqrt(N), with pairs of
frequencies in place of single ones. In cyclic layout 2 P^2 <= N is necessary: for P^2 = N a rank
would get one number from every other, and its outputs depend on two.
"""  # noqa: E501

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from derive.exact.rings import Elements
from derive.papers.hartley import ON_RANKS
from derive.papers.hartley_layouts import HartleyLayout
from derive.papers.hartley_lists import Arithmetic
from derive.sizes import Sizes

GROUP_SIZES = Sizes(
    ON_RANKS,
    lambda N, P: 2 * P * P <= N,
    "the Hartley transform with one all-to-all needs 2 P^2 <= N",
)


def frequencies(rank: int, N: int, P: int) -> NDArray[np.int64]:
    """Return the t <= M/2 that are rank or -rank mod 2P, ascending: G/P of them, and M/2 beside on
    rank 0.

    >>> [frequencies(rank, 128, 4).tolist() for rank in range(4)]
    [[0, 4, 8, 12, 16], [1, 7, 9, 15], [2, 6, 10, 14], [3, 5, 11, 13]]
    """
    GROUP_SIZES.exponents(N, P)
    t = np.arange(N // (2 * P) + 1)
    return t[(t % P == 0) if rank == 0 else (t % (2 * P) == rank) | (-t % (2 * P) == rank)]


def entries_by_rank(x: Elements, s: int, P: int, numbers: Arithmetic) -> Elements:
    """Return for each rank the h'_s[t] and h''_s[t], side by side, that it needs of the elements of
    rank s: shape (P, M/P, ...).

    Rank 0 gets h_s[0] and h_s[M/2], which are their own mirror images, first.
    """
    M = len(x)
    N, h = M * P, numbers.hartley(x)
    found = np.empty((P, M // P, *x.shape[1:]), dtype=h.dtype)
    for rank in range(P):
        t = _frequencies_of_pairs(rank, N, P)
        mirrored, e = h[-t % M], s * t % N
        found[rank, ::2] = numbers.rotate(h[t], mirrored, e, N)
        found[rank, 1::2] = numbers.rotate(mirrored, h[t], -e, N)
    found[0, 0], found[0, 1] = h[0], h[M // 2]
    return found


def pairs_of_entries(got: Elements, rank: int, numbers: Arithmetic) -> Elements:
    """Return a rank's part of H_N in the Hartley layout from what each rank s has sent, got[s]."""
    P, M = len(got), got.size // got[0, 0].size
    N = M * P
    layout = HartleyLayout(N, P)
    y, t = np.empty((M, *got.shape[2:]), dtype=got.dtype), _frequencies_of_pairs(rank, N, P)
    ends = ((0, got[:, :1]), (M // 2, got[:, 1:2])) if rank == 0 else ()
    first = len(ends) // 2
    h, mirrored = got[:, 2 * first :: 2], got[:, 2 * first + 1 :: 2]
    for l in range(P):
        k = t[first:] + M * l
        y[layout.place(k % N)[1]] = _sum_over_ranks(h, mirrored, l, P, numbers)
        y[layout.place(-k % N)[1]] = _sum_over_ranks(mirrored, h, -l, P, numbers)
        for at, end in ends:
            y[layout.place(at + M * l)[1]] = _sum_over_ranks(end, end, at + M * l, N, numbers)[0]
    return y


def _frequencies_of_pairs(rank: int, N: int, P: int) -> NDArray[np.int64]:
    """Return the t < M/2 that a rank needs, in the order in which they are sent: those that are
    rank mod 2P, then the others; on rank 0 ascending.

    >>> [_frequencies_of_pairs(rank, 128, 4).tolist() for rank in range(4)]
    [[0, 4, 8, 12], [1, 9, 7, 15], [2, 10, 6, 14], [3, 11, 5, 13]]
    """
    t = frequencies(rank, N, P)
    t = t[t < N // (2 * P)]
    return t if rank == 0 else np.concatenate([t[t % (2 * P) == rank], t[t % (2 * P) != rank]])


def _sum_over_ranks(
    one: Elements, other: Elements, e: int, order: int, numbers: Arithmetic
) -> Elements:
    """Return sum_s cos(a s) one[s] + sin(a s) other[s], a = 2 pi e/order."""
    terms = [
        numbers.rotate(one[s], other[s], np.full(len(one[s]), s * e % order), order)
        for s in range(len(one))
    ]
    return reduce(numbers.add, terms)
