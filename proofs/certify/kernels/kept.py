"""When a kernel is taken down to be done quickly, and what was taken down before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from math import gcd
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.plain_vectors import LANES
from codegen.mpi.faults import forget
from proofs.certify.forbidden import Unmodelled
from proofs.certify.kernels.frozen import Unfrozen

LARGE, SMALL = 2**11, 2**9
"""A kernel is taken down if all ranks together have so many vectors, and none if its own arrays
have fewer elements than the other number.
"""
_long = [False]
CHANGES = "a kernel changes what it reads beside the elements of its arrays: that is not modelled"

T = TypeVar("T")
Kernel = Callable[..., None]


class Untaken(Exception):
    """What a kernel does is not taken down: the kernel is run as it is."""


def is_long(N: int) -> bool:
    """Return whether kernels are taken down in a run of N elements on all ranks together, in as
    many vectors as it takes where each has as many lanes as divide N.

    >>> is_long(2**14), is_long(2**13), is_long(3**8)
    (True, False, True)
    """
    return N // gcd(N, LANES) >= LARGE


@contextmanager
def in_run_of(N: int) -> Iterator[None]:
    """Have kernels taken down, or not, in a run of N elements on all ranks together."""
    _long.append(is_long(N))
    try:
        yield
    finally:
        _long.pop()


def is_large(size: int) -> bool:
    """Return whether to take down a kernel for arrays of so many elements."""
    return _long[-1] and size >= SMALL


class Kept(Generic[T]):
    """What was taken down of kernels, by all that it depends on; None of those that cannot be. What
    was used longest ago is forgotten.
    """

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        self.most, self.size, self.known = most, size, OrderedDict[Hashable, T | None]()

    def of(self, key: Hashable, make: Callable[[], T | None]) -> T | None:
        """Return what is kept, or made now."""
        if key not in self.known:
            self.known[key] = make()
            while (
                len(self.known) > 1
                and sum(self.size(each) for each in self.known.values() if each is not None)
                > self.most
            ):
                self.known.popitem(last=False)
        self.known.move_to_end(key)
        return self.known[key]


def taken_down(read: Callable[[], Hashable], take: Callable[[], T]) -> T | None:
    """Return what is taken down of a kernel, None where that does not work; raises Unmodelled where
    what it reads is another then.
    """
    before = read()
    try:
        found = take()
    except Exception as error:  # whatever it is, the kernel that is run as it is will say it
        forget(error)
        found = None
    if _again(read) != before:
        raise Unmodelled(CHANGES)
    return found


def _again(read: Callable[[], Hashable]) -> Hashable:
    try:
        return read()
    except Unfrozen as error:
        raise Unmodelled(CHANGES) from error


def quick(as_it_is: Kernel, done: Callable[..., bool]) -> Kernel:
    """Return a kernel that is done quickly where that works, and otherwise run as it is."""

    def kernel(*arguments: Any) -> None:
        if not done(arguments):
            as_it_is(*arguments)

    return kernel


def noted(used: Callable[..., object], which: NDArray[np.bool_]) -> None:
    """Say which elements are read, or written."""
    if which.all():
        used(None)
    elif which.any():
        used(np.flatnonzero(which))
