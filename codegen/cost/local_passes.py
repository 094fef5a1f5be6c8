"""Passes of a local transform over the memory of a rank."""

from __future__ import annotations

from codegen.systems.options import BACKENDS
from derive.papers.bsp_phases import CACHE_POINTS

BLOCKED = 2
"""The passes of a long transform in kernels that keep to the caches."""


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
