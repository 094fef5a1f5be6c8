"""Message buffers of the simulated communicator: numpy arrays, and arrays of exact elements alike.

An array needs `size`, `dtype`, `flags`, `reshape`, `copy`, indexing and np.stack. One that is no
numpy array keeps its elements in the numpy array `parts`, and may have `sent()`, which is called on
the copy that travels, and `depth` (see trace.py). Octets are the bytes of such an array: they
travel as its elements do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.accidents import unwritten
from codegen.mpi.faults import CommunicationError as CommunicationError
from codegen.mpi.faults import Final as Final
from codegen.mpi.faults import NotModelled as NotModelled
from codegen.mpi.memory.datatypes import Places
from codegen.mpi.memory.holds import Hold
from codegen.mpi.memory.pickled import Pickled


class Octets:
    """The bytes of a contiguous array that is no numpy array: a buffer that a communicator takes,
    and good for nothing else.
    """

    dtype = np.dtype(np.uint8)

    def __init__(self, elements: Any) -> None:
        self.elements, self.size, self.flags = (
            elements,
            int(elements.size) * int(elements.itemsize),
            elements.flags,
        )

    def _only_sent(self, *_: Any, **__: Any) -> Any:
        raise NotModelled("an array viewed as bytes is used for something else than a message")

    __getattr__ = __getitem__ = __setitem__ = __len__ = __iter__ = __array__ = __array_ufunc__ = (
        __array_function__
    ) = _only_sent


@dataclass(frozen=True)
class Buffer:
    """An array with the part of it that goes to, or comes from, each of the ranks of an operation.

    Where `octets` is not 0, the program sees each element as so many bytes; counts and
    displacements are of elements all the same. Parts of a derived type have places, not
    displacements.
    """

    array: Any
    counts: tuple[int, ...]
    displacements: tuple[int, ...]
    octets: int = 0
    places: tuple[Places, ...] | None = None

    @property
    def kind(self) -> tuple[Any, int]:
        """The type of what is sent, which both sides of a message must share, and the number of
        bytes of an element sent as bytes.
        """
        return (Octets.dtype if self.octets else np.dtype(self.array.dtype)), self.octets

    @property
    def equal(self) -> bool:
        """Whether the parts are equal, side by side, and make up the array."""
        count = self.counts[0]
        return (
            self.places is None
            and len(self.counts) * count == self.array.size
            and self.displacements == tuple(i * count for i in range(len(self.counts)))
        )

    def part(self, peer: int) -> Any:
        """Return the elements of one peer; as a view, unless they have places."""
        if self.places is not None:
            return self.array.reshape(-1)[self.places[peer]]
        begin = self.displacements[peer]
        if self.counts[peer] == self.array.size and self.array.ndim == 1:
            return self.array
        return self.array.reshape(-1)[begin : begin + self.counts[peer]]

    def put(self, peer: int, values: Any) -> None:
        """Write the elements of one peer."""
        if self.places is None:
            self.part(peer)[...] = values
        else:
            self.array.reshape(-1)[self.places[peer]] = values

    def poison(self, peer: int) -> None:
        """Fill the elements of one peer with ones in every bit."""
        if self.places is None:
            poison(self.part(peer))
        else:
            held = memory(self.array)
            rows = held.reshape(self.array.size, -1)
            spoiled = rows[self.places[peer]]
            _spoil(spoiled, held is not self.array)
            rows[self.places[peer]] = spoiled

    def poisoned(self, peer: int) -> bool:
        """Return whether the elements of one peer still are."""
        return _is_poison(self.part(peer))

    def uses(self, writes: bool, call: Any) -> list[Hold]:
        """Return the memory that an operation has with this buffer."""
        held = memory(self.array)
        size = self.array.size
        if not size:
            return []
        start, step = held.ctypes.data, held.nbytes // size
        if self.places is not None:
            spread = [start + places * step for places in self.places if len(places)]
            return [
                Hold(
                    int(addresses.min()), int(addresses.max()) + step, writes, call, addresses, step
                )
                for addresses in spread
            ]
        if len(self.counts) > 1 and self.equal:
            return [Hold(start, start + size * step, writes, call)]
        pairs = zip(self.counts, self.displacements, strict=True)
        return [
            Hold(start + gap * step, start + (gap + count) * step, writes, call)
            for count, gap in pairs
            if count
        ]

    def describe(self, peer: int) -> str:
        """Return count and type of one peer's part, for error messages."""
        return f"{self.counts[peer] * (self.octets or 1)} elements of {_name(self.kind[0])}"


@cache
def _name(dtype: np.dtype[Any]) -> str:
    return str(dtype)


@dataclass
class Parcel:
    """A Python object on its way, in place of a buffer: it travels pickled, and a receive may have
    room for so many bytes only.
    """

    thing: Pickled | None = None
    room: int | None = None
    counts = (1,)
    kind = ("object", 0)
    array = None

    def part(self, peer: int) -> Any:
        """Return the object."""
        return self

    def copy(self) -> Parcel:
        """Return the same: what is pickled does not change."""
        return Parcel(self.thing)

    def put(self, peer: int, values: Any) -> None:
        """Take the object in."""
        self.thing = values.thing

    def poison(self, peer: int) -> None:
        """Nobody sees it before it is there."""

    def poisoned(self, peer: int) -> bool:
        """Return that nobody does."""
        return True

    def uses(self, writes: bool, call: Any) -> list[Hold]:
        """Return nothing: it has no memory of the program's."""
        return []

    def describe(self, peer: int) -> str:
        """Return what it is, for error messages."""
        return "an object"


def memory(array: Any) -> NDArray[Any]:
    """Return the numpy array that holds the elements."""
    held: NDArray[Any] = getattr(array, "parts", array)
    return held


def overlap(one: Any, other: Any) -> bool:
    """Return whether two contiguous arrays have memory in common."""
    return np.may_share_memory(memory(one), memory(other))


def same(one: Any, other: Any) -> bool:
    """Return whether two arrays hold the same bytes, so that a NaN equals itself."""
    return isinstance(one, Parcel) or memory(one).tobytes() == memory(other).tobytes()


def poison(array: Any) -> None:
    """Fill an array with unwritten memory, one of elements with no element of GF(q)."""
    held = memory(array)
    _spoil(held, held is not array)


def _spoil(held: NDArray[Any], of_elements: bool) -> None:
    if of_elements:
        held[...] = -1
    elif held.flags.c_contiguous:
        held.reshape(-1).view(np.uint8)[:] = unwritten(held.nbytes, held.dtype)
    else:
        fresh = np.empty(held.shape, held.dtype)
        _spoil(fresh, False)
        held[...] = fresh


def _is_poison(array: Any) -> bool:
    fresh = array.copy()
    poison(fresh)
    return same(array, fresh)


def outgoing(array: Any) -> Any:
    """Return the copy of an array that arrives."""
    copied = array.copy()
    if hasattr(copied, "sent"):
        copied.sent()
    return copied


def poisoned_within(value: Any) -> bool:
    """Return whether a float, an array of them, or one in a list or tuple, holds `poison`'s NaN."""
    if isinstance(value, list | tuple):
        return any(map(poisoned_within, value))
    if not isinstance(value, float | complex | np.ndarray | np.generic):
        return False
    array = np.atleast_1d(np.asarray(value))
    if array.dtype.kind not in "fc" or not array.size:
        return False
    whole_ones = array.reshape(-1).view(np.uint8).reshape(array.size, -1) == 0xFF
    halves = whole_ones.reshape(array.size, 2 if array.dtype.kind == "c" else 1, -1)
    return bool(halves.all(axis=-1).any())
