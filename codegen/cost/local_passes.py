"""Passes of a local transform over the memory of a rank."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.systems.options import BACKENDS
from derive.papers.bsp_phases import CACHE_POINTS

BLOCKED = 2
"""The passes of a long transform in kernels that keep to the caches."""
RUN, ROWS = 2**13, 2**7
"""The most elements side by side, and the most rows, that a function which goes through bits
transforms in one pass: they fit a cache.
"""


def of_transform(d: int, kernels: str) -> int:
    """Return the passes of local transforms of d points.

    >>> of_transform(2**13, "numpy"), of_transform(2**20, "numpy"), of_transform(2**20, "numba")
    (1, 10, 2)
    """
    if d <= CACHE_POINTS:
        return 1
    return -(-(d - 1).bit_length() // 2) if not BACKENDS[kernels].is_cached else BLOCKED


def of_twiddles(kernels: str) -> int:
    """Return the passes of a diagonal of twiddles.

    >>> of_twiddles("numpy"), of_twiddles("numba")
    (1, 0)
    """
    return int(not BACKENDS[kernels].is_whole)


def rounds(copies: int, d: int, c: int) -> Iterator[tuple[int, int, int]]:
    """Yield the copies, rows and columns of each pass of such a function over d = 2^k rows.

    >>> [*rounds(1, 2**15, 1)], [*rounds(1, 2**14, 64)]
    ([(4, 8192, 1), (1, 4, 8192)], [(128, 128, 64), (1, 128, 8192)])
    """
    while d > 1:
        own = min(d, max(RUN // c, ROWS))
        d //= own
        yield copies * d, own, c
        c *= own
