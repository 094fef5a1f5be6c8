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

from collections.abc import Sequence

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


def group_cyclic(x: Sequence[Elements], N: int, P: int, numbers: Arithmetic) -> list[Elements]:
    """Return H_N x: x[s] are the elements of rank s in the cyclic layout, the result is in the
    Hartley layout; shapes (M, ...).

    >>> from derive.papers.hartley_lists import Floats
    >>> x = np.arange(16.0)
    >>> y = group_cyclic([x[s::2] for s in range(2)], 16, 2, Floats())
    >>> wanted = np.fft.fft(x).real - np.fft.fft(x).imag
    >>> all(np.allclose(y[R], wanted[HartleyLayout(4, 1).index(R, np.arange(8))]) for R in range(2))
    True
    """
    n, p = GROUP_SIZES.exponents(N, P)
    M, t = N // P, np.arange(N // P)
    pairs = []
    for s in range(P):
        h = numbers.hartley(x[s])
        mirrored, e = h[-t % M], s * t % N
        pairs.append((numbers.rotate(h, mirrored, e, N), numbers.rotate(mirrored, h, -e, N)))
    results = []
    for rank in range(P):
        layout, y = HartleyLayout(n, p), np.empty_like(x[rank])
        own = frequencies(rank, N, P)
        for sign in (1, -1):
            for l in range(P):
                k = sign * own % M
                terms = [
                    numbers.rotate(one[k], other[k], np.full(len(k), s * l % P), P)
                    for s, (one, other) in enumerate(pairs)
                ]
                total = terms[0]
                for term in terms[1:]:
                    total = numbers.add(total, term)
                y[layout.place((k + M * l) % N)[1]] = total
        results.append(y)
    return results
