"""What is left open from one run of a program to the next: what memory holds that nobody has
written, where it begins, and in which order a set is gone through; and on which nodes ranks are.

A program whose results or messages depend on the first three is wrong, so its runs differ in them:
each is made under an accident of its own number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

Octets = NDArray[np.uint8]
_random = np.random.default_rng(17)
MIXED = _random.integers(1, 255, 251).astype(np.uint8)
"""Bytes of no pattern; the first is even, which as a truth value is false."""
MIXED[0] &= 0xFE
NEGATIVE = -_random.uniform(0.5, 1000, 251)
POSITIVE = 100
ACCIDENTS = NONE, ANYTHING, ZEROS, COUNTS = range(4)
"""What unwritten memory holds: -1, true or no number; anything, of floating point negative; 0 and
false; a number above 0. Memory with ZEROS begins on a line of the cache.
"""
_now = [0]
ONE_NODE: tuple[int, ...] = ()
LAST_APART = (1,)
"""The nodes of ranks from the last one on, as many as are stated; the others are on node 0."""
_nodes: list[Sequence[int]] = [ONE_NODE]


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


@contextmanager
def on_nodes(nodes: Sequence[int]) -> Iterator[None]:
    """Make runs on these nodes, of the last rank, the one before it, and so on.

    >>> for nodes in (ONE_NODE, LAST_APART, (2, 2, 1, 1)):
    ...     with on_nodes(nodes):
    ...         print([node_of(rank, 5) for rank in range(5)])
    [0, 0, 0, 0, 0]
    [0, 0, 0, 0, 1]
    [0, 1, 1, 2, 2]
    """
    _nodes.append(nodes)
    try:
        yield
    finally:
        _nodes.pop()


def node_of(rank: int, ranks: int) -> int:
    """Return the node that a rank of so many is on."""
    from_last = ranks - 1 - rank
    return _nodes[-1][from_last] if from_last < len(_nodes[-1]) else 0


def unwritten(count: int, dtype: np.dtype[np.generic]) -> Octets:
    """Return so many bytes of memory for numbers of this type that nobody has written."""
    fill = _fill(np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype)
    found = np.tile(fill, -(-count // len(fill)))[:count]
    return found & np.uint8(1) if dtype == np.bool_ else found


def _fill(dtype: np.dtype[np.generic]) -> Octets:
    """Return the bytes that unwritten memory repeats."""
    now = accident() % len(ACCIDENTS)
    if now == NONE:
        return np.full(1, 0xFF, np.uint8)
    if now == ZEROS:
        return np.zeros(1, np.uint8)
    if now == COUNTS:
        return np.full(1, POSITIVE, dtype).view(np.uint8) if dtype.kind in "iuf" else ~MIXED
    return NEGATIVE.astype(dtype).view(np.uint8) if dtype.kind == "f" else MIXED
