"""Message buffers of the simulated communicator: numpy arrays, and arrays of exact elements alike.

    buffer = array | [array, type] | [array, counts] | [array, (counts, displacements)] | [array, counts, displacements, type]

An array needs `size`, `dtype`, `flags`, `reshape`, `copy`, indexing and np.stack. One that is no numpy array keeps its
elements in the numpy array `parts`, and may have `sent()`, which is called on the copy that travels, and `depth` (see codegen/trace.py).
Octets are the bytes of such an array: they travel as its elements do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray


class Final:
    """An error that a program does not undo by catching it: while `kept` is a list, every one is noted there."""

    kept: ClassVar[list[Any] | None] = None

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if Final.kept is not None:
            Final.kept.append(self)


class CommunicationError(Final, RuntimeError):
    """The ranks do not agree on an operation, or a buffer is used while it is not theirs."""


class NotModelled(Final, NotImplementedError):
    """The simulated communicator does not have this, so nothing can be said about a program that uses it."""


class Octets:
    """The bytes of a contiguous array that is no numpy array: a buffer that a communicator takes, and good for nothing else."""

    dtype = np.dtype(np.uint8)

    def __init__(self, elements: Any) -> None:
        self.elements, self.size, self.flags = elements, int(elements.size) * int(elements.itemsize), elements.flags

    def _only_sent(self, *_: Any, **__: Any) -> NoReturn:
        raise NotModelled("an array viewed as bytes is used for something else than a message")

    __getattr__ = __getitem__ = __setitem__ = __len__ = __iter__ = __array__ = __array_ufunc__ = __array_function__ = _only_sent


@dataclass(frozen=True)
class Buffer:
    """An array with the part of it that goes to, or comes from, each of the ranks of an operation.

    Where `octets` is not 0, the program sees each element as so many bytes; counts and displacements are of elements all the same.
    """

    array: Any
    counts: tuple[int, ...]
    displacements: tuple[int, ...]
    octets: int = 0

    @property
    def kind(self) -> tuple[np.dtype[Any], int]:
        """The type of what is sent, which both sides of a message must share, and the number of bytes of an element sent as bytes."""
        return (Octets.dtype if self.octets else np.dtype(self.array.dtype)), self.octets

    def part(self, peer: int) -> Any:
        """Return the elements of one peer, as a view."""
        begin = self.displacements[peer]
        if self.counts[peer] == self.array.size and self.array.ndim == 1:
            return self.array
        return self.array.reshape(-1)[begin : begin + self.counts[peer]]

    def describe(self, peer: int) -> str:
        """Return count and type of one peer's part, for error messages."""
        return f"{self.counts[peer] * (self.octets or 1)} elements of {self.kind[0]}"


def whole(specification: Any) -> Buffer:
    """Return the buffer of a message to or from one rank."""
    array, *rest = _opened(specification)
    counts = [entry for entry in rest if not _is_type(entry, array)]
    if len(counts) > 1 or not all(isinstance(count, int) for count in counts):
        raise NotModelled(f"the buffer of a message is an array, [array, count] or [array, count, type], not one with {rest}")
    return _checked(array, tuple(counts) or (int(array.size),), (0,))


def equal_parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoall: the array in equal parts, one for each rank.

    Raises CommunicationError unless the number of ranks divides that of the elements.
    """
    array, *rest = _opened(specification)
    if any(not _is_type(entry, array) for entry in rest):
        raise NotModelled(f"the buffer of an Alltoall is an array or [array, type], not one with {rest}")
    if array.size % peers:
        raise CommunicationError(f"Alltoall of {array.size} elements among {peers} ranks: every rank gets equally many")
    count = int(array.size) // peers
    return _checked(array, (count,) * peers, tuple(range(0, peers * count, count or 1)) if count else (0,) * peers)


def parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoallv: the array with a count, and perhaps a displacement, for each rank."""
    array, *rest = _opened(specification)
    numbers = [entry for entry in rest if not _is_type(entry, array)]
    if len(numbers) == 1 and len(numbers[0]) == 2 and np.ndim(numbers[0][0]) == 1:
        numbers = list(numbers[0])
    if not 1 <= len(numbers) <= 2 or any(len(entry) != peers for entry in numbers):
        raise CommunicationError(f"Alltoallv among {peers} ranks: a buffer is an array with {peers} counts and {peers} displacements, not {rest}")
    counts = tuple(int(count) for count in numbers[0])
    gaps = tuple(int(place) for place in numbers[1]) if len(numbers) == 2 else tuple(int(s) for s in np.cumsum((0, *counts[:-1])))
    return _checked(array, counts, gaps)


def _opened(specification: Any) -> Sequence[Any]:
    entries = specification if isinstance(specification, list | tuple) else [specification]
    if not hasattr(entries[0], "flags"):
        raise NotModelled(f"a buffer of type {type(entries[0]).__name__}: the simulated communicator takes arrays")
    return entries


def _is_type(entry: Any, array: Any) -> bool:
    """Return whether this entry of a specification is the array's own type; raise where it is another one."""
    if not isinstance(entry, np.dtype):
        return False
    if entry != array.dtype:
        raise CommunicationError(f"an array of {array.dtype} described as {entry}: the type of a buffer is that of its array")
    return True


def _checked(array: Any, counts: tuple[int, ...], displacements: tuple[int, ...]) -> Buffer:
    if not array.flags.c_contiguous:
        raise CommunicationError(f"an array of shape {array.shape} that is not contiguous: MPI needs the elements of a buffer side by side")
    for count, begin in zip(counts, displacements, strict=True):
        if begin < 0 or count < 0 or begin + count > array.size:
            raise CommunicationError(f"elements {begin} to {begin + count} of an array of {array.size}: a message lies within its buffer")
    return _of_octets(array, counts, displacements) if isinstance(array, Octets) else Buffer(array, counts, displacements)


def _of_octets(array: Octets, counts: tuple[int, ...], displacements: tuple[int, ...]) -> Buffer:
    """Return the buffer of the elements behind these bytes."""
    size = int(array.elements.itemsize)
    cut = next((number for number in (*counts, *displacements) if number % size), None)
    if cut is not None:
        raise NotModelled(f"a message of {cut} bytes of elements of {size}: messages are of whole elements here")
    return Buffer(array.elements, tuple(count // size for count in counts), tuple(begin // size for begin in displacements), size)


def memory(array: Any) -> NDArray[Any]:
    """Return the numpy array that holds the elements."""
    held: NDArray[Any] = getattr(array, "parts", array)
    return held


def overlap(one: Any, other: Any) -> bool:
    """Return whether two contiguous arrays have memory in common."""
    return np.may_share_memory(memory(one), memory(other))


def same(one: Any, other: Any) -> bool:
    """Return whether two arrays hold the same bytes, so that a NaN equals itself."""
    return memory(one).tobytes() == memory(other).tobytes()


def poison(array: Any) -> None:
    """Fill an array with ones in every bit: a NaN, -1, or no element of GF(q)."""
    memory(array).reshape(-1).view(np.uint8).fill(0xFF)


def outgoing(array: Any) -> Any:
    """Return the copy of an array that arrives."""
    copy = array.copy()
    if hasattr(copy, "sent"):
        copy.sent()
    return copy
