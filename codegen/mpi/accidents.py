"""What is left open from one run of a program to the next: what memory holds that nobody has written, and in which order a set is gone through.

A program whose results or messages depend on it is wrong, so its runs differ in it: each is made under an accident of its own number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

Octets = NDArray[np.uint8]
MIXED = np.random.default_rng(17).integers(1, 255, 251).astype(np.uint8)
"""Bytes of no pattern, none of them like those of the other accidents; the first is even, which as a truth value is false."""
MIXED[0] &= 0xFE
FILLS = (np.full(1, 0xFF, np.uint8), MIXED, np.zeros(1, np.uint8))
"""What unwritten memory holds, by the number of the accident: -1, true or no number; anything; 0 and false."""
_now = [0]


def accident() -> int:
    """Return the number of the accident that runs are made under."""
    return _now[-1]


@contextmanager
def under(number: int) -> Iterator[None]:
    """Make runs under the accident of this number.

    >>> with under(2):
    ...     print(accident(), unwritten(4, np.dtype(bool)))
    2 [0 0 0 0]
    """
    _now.append(number)
    try:
        yield
    finally:
        _now.pop()


def unwritten(count: int, dtype: np.dtype[np.generic]) -> Octets:
    """Return so many bytes of memory for numbers of this type that nobody has written."""
    fill = FILLS[accident() % len(FILLS)]
    found = np.broadcast_to(fill, count) if len(fill) == 1 else np.resize(fill, count)
    return found & np.uint8(1) if dtype == np.bool_ else found
