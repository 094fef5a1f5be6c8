"""A rank's part of a global array: its indices and slices, its dtype, scatter and gather."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.call_arguments import indices
from derive.digits.part_layouts import PartLayout
from nodewright.runtime.agreement import agreed

PIECE = 1 << 20
"""The most indices that are compared at a time."""
MESSAGE = 1 << 30
"""The most bytes of a message."""
NUMBERS = "biufc"
"""The kinds of dtypes that convert to one another: booleans, integers, real, complex numbers."""


@dataclass(frozen=True)
class Distribution:
    """The distribution of a global array over ranks.

    index: function from a rank and flat offsets to flat indices, the last axis fastest. shape: that
    of the global array. shape_of: function from a rank to the shape of its part, with as many axes.
    """

    index: Callable[[int, Any], Any]
    shape: tuple[int, ...]
    shape_of: Callable[[int], tuple[int, ...]]

    def axes(self, rank: int) -> list[NDArray[np.int64]]:
        """Return the indices of a rank's part along each axis."""
        local_shape = self.shape_of(rank)
        if len(self.shape) == 1:
            return [self.index(rank, np.arange(*local_shape))]
        found = []
        for axis, n in enumerate(local_shape):
            offsets: list[Any] = [0] * len(self.shape)
            offsets[axis] = np.arange(n)
            flat = self.index(rank, np.ravel_multi_index(tuple(offsets), local_shape))
            found.append(np.unravel_index(flat, self.shape)[axis])
        return found

    def mesh(self, rank: int) -> tuple[NDArray[np.int64], ...]:
        """Return the indices along each axis as an open mesh: x[mesh] is the part of x."""
        return np.ix_(*self.axes(rank))

    def indices(self, rank: int, *offset: Any) -> Any:
        """Return the indices of a rank's elements at flat offsets, or at offsets along each axis,
        or of all elements; raise ValueError for an offset out of range.
        """
        if not offset:
            mesh = self.mesh(rank)
            return mesh if len(mesh) > 1 else mesh[0]
        local_shape = self.shape_of(rank)
        if len(offset) == 1:
            flat = indices(offset[0], prod(local_shape), "offset")
            return self.index(rank, flat)
        if len(offset) != len(local_shape):
            raise ValueError(
                f"{len(offset)} offsets for a part with shape {local_shape}: give a flat"
                " offset or one for each axis"
            )
        each = [
            indices(o, n, f"offset along axis {axis}")
            for axis, (o, n) in enumerate(zip(offset, local_shape, strict=True))
        ]
        flat = np.ravel_multi_index(tuple(each), local_shape)
        return np.unravel_index(self.index(rank, flat), self.shape)

    def slices(self, rank: int) -> tuple[slice, ...] | None:
        """Return a slice for each axis, so that x[slices] is a rank's part of x; None where the
        indices along an axis have no common difference.
        """
        found = tuple(map(_slice, self.axes(rank), self.shape))
        return None if None in found else found  # type: ignore[return-value]


@dataclass(frozen=True)
class UnequalParts(Distribution):
    """The distribution of a global array in parts that need not be equal."""

    layout: PartLayout

    @classmethod
    def of(cls, index: Callable[[int, Any], Any], layout: PartLayout) -> UnequalParts:
        return cls(index, layout.shape, layout.local_shape, layout)

    def axes(self, rank: int) -> list[NDArray[np.int64]]:
        return [np.arange(part.start, part.stop) for part in self.layout.slices(rank)]

    def slices(self, rank: int) -> tuple[slice, ...]:
        return self.layout.slices(rank)


def _slice(found: NDArray[np.int64], n: int) -> slice | None:
    """Return the slice of an axis of n elements that has these indices in their order, or None."""
    first, last = int(found[0]), int(found[-1])
    step = int(found[1]) - first if len(found) > 1 else 1
    if last - first != step * (len(found) - 1):
        return None
    for start in range(0, len(found), PIECE):
        if (np.diff(found[start : start + PIECE + 1]) != step).any():
            return None
    stop = min(last + step, n)
    return slice(first, stop if stop >= 0 else None, step if step != 1 else None)


def lossless(data: Any, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Return data as a contiguous array of a dtype; None where that could lose something.

    Args:
        data: an array, or nested lists of numbers.
        dtype: the dtype wanted, in native byte order.

    >>> lossless([1, 2], np.dtype(complex)), lossless(np.ones(1, complex), np.dtype("complex64"))
    (array([1.+0.j, 2.+0.j]), None)
    """
    if isinstance(data, np.ma.MaskedArray):
        return None
    try:
        array = np.asarray(data)
    except ValueError:  # lists of unequal lengths
        return None
    alike = array.dtype.kind == dtype.kind or {array.dtype.kind, dtype.kind} <= {*NUMBERS}
    if not alike or not np.can_cast(array.dtype, dtype, "safe"):
        return None
    return np.ascontiguousarray(array, dtype)


def remedy(array: NDArray[Any], dtype: np.dtype[Any]) -> str:
    """Return how an array that is refused is converted, for the end of a message.

    >>> remedy(np.ones(2, complex), np.dtype("complex64"))
    '; astype("complex64") rounds it to this dtype'
    >>> remedy(np.ones(2, complex), np.dtype("float64"))
    '; its .real has this dtype'
    """
    if isinstance(array, np.ma.MaskedArray):
        return "; filled(0) gives an array without a mask"
    if array.dtype.kind == "c" and dtype.kind == "f":
        real = array.real.dtype
        return f"; its .real has {'this dtype' if real == dtype else f'dtype {real}'}"
    if array.dtype.kind in NUMBERS and np.can_cast(array.dtype, dtype, "same_kind"):
        converts = "converts" if array.dtype.kind in "iu" and dtype.kind in "iu" else "rounds"
        return f'; astype("{dtype}") {converts} it to this dtype'
    return ""


def fitting(data: Any, shape: tuple[int, ...], dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    """Return data as an array; raise ValueError unless it has this shape and converts to the dtype.

    >>> fitting(np.ones(10), (1024,), np.dtype(complex), "x")
    Traceback (most recent call last):
    ValueError: x must be an array of complex128 with shape (1024,); got float64 (10,)
    """
    rule = f"{name} must be an array of {dtype} with shape {shape}; got"
    try:
        array = np.asanyarray(data)
    except ValueError as error:
        raise ValueError(f"{rule} lists of unequal lengths") from error
    if array.shape != shape:
        raise ValueError(f"{rule} {array.dtype} {array.shape}")
    if lossless(array[(slice(0, 1),) * array.ndim], dtype) is None:
        raise ValueError(f"{rule} {array.dtype} {array.shape}{remedy(array, dtype)}")
    return array


def scatter(comm: Any, x: Any, parts: Distribution, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return this rank's part of the array x of rank 0; collective. x of other ranks is ignored.

    Raises ValueError on all ranks where x does not fit.
    """
    whole: list[NDArray[Any]] = []

    def check() -> str:
        if comm.rank == 0:
            whole.append(fitting(x, parts.shape, dtype, "x"))
        return ""

    agreed(comm, check, "arrays")
    if comm.rank > 0:
        part = np.empty(parts.shape_of(comm.rank), dtype)
        for piece in _messages(part):
            comm.Recv(piece, 0)
        return part
    for rank in range(1, comm.size):
        for piece in _messages(np.ascontiguousarray(whole[0][parts.mesh(rank)], dtype)):
            comm.Send(piece, rank)
    return np.ascontiguousarray(whole[0][parts.mesh(0)], dtype)


def gather(comm: Any, y: Any, parts: Distribution, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Return the array of which each rank gives its part y on rank 0, None elsewhere; collective.

    Raises ValueError on all ranks where a part does not fit.
    """
    part: list[NDArray[Any]] = []

    def check() -> str:
        array = fitting(y, parts.shape_of(comm.rank), dtype, "y")
        part.append(np.ascontiguousarray(array, dtype))
        return ""

    agreed(comm, check, "arrays")
    if comm.rank > 0:
        for piece in _messages(part[0]):
            comm.Send(piece, 0)
        return None
    whole = np.empty(parts.shape, dtype)
    whole[parts.mesh(0)] = part[0]
    for rank in range(1, comm.size):
        other = np.empty(parts.shape_of(rank), dtype)
        for piece in _messages(other):
            comm.Recv(piece, rank)
        whole[parts.mesh(rank)] = other
    return whole


def _messages(part: NDArray[Any]) -> list[NDArray[np.uint8]]:
    """Return the bytes of a contiguous array in messages that MPI can count."""
    octets = part.reshape(-1).view(np.uint8)
    return [octets[start : start + MESSAGE] for start in range(0, octets.size, MESSAGE)]
