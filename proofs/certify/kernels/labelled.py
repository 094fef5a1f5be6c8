"""Kernels that move elements, the quick way: run once on labels (labels.py), and what becomes of
those done to the data of every call.

What was taken down holds where what the kernel reads, its numbers and its index vectors are the
same. What cannot be taken down, and what would be refused, is run as it is, which has the last
word.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels import plain
from codegen.mpi.memory.accesses import used
from proofs.certify.arrays.storage import Storage
from proofs.certify.kernels.frozen import Unfrozen, frozen
from proofs.certify.kernels.kept import Kept, Kernel, Untaken, is_large, noted, quick, taken_down
from proofs.certify.kernels.labels import SHIFT, Elements, Lines

LINE = 8
"""A line takes as long as so many elements one by one."""
MOST_LABELS = 2**26
"""So many labels of all kernels are kept."""


@dataclass(frozen=True)
class Moved:
    """What a kernel does to an array: of which array, and from which of its places, what each place
    that is written gets; and what is used.
    """

    lanes: int
    written: NDArray[np.int64]
    sources: tuple[tuple[int, NDArray[np.bool_], NDArray[np.int64]], ...]
    used: tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]
    digest: bytes

    @classmethod
    def of(cls, places: Lines | Elements) -> Moved:
        """Return what became of the labels of an array."""
        lanes = places.lanes if isinstance(places, Lines) else 1
        uses = tuple(
            np.frombuffer(bytes(side), np.bool_)
            for side in (places.read, places.written, places.again)
        )
        written = np.flatnonzero(np.repeat(uses[1], max(lanes, 1)))
        numbers = (
            [label.number for label in places.labels]
            if isinstance(places, Elements)
            else places.labels
        )
        labels = np.array(numbers, np.int64)[written] if len(written) else written
        arrays, froms = labels >> SHIFT, labels & (1 << SHIFT) - 1
        sources = tuple((int(i), arrays == i, froms[arrays == i]) for i in np.unique(arrays))
        index = isinstance(places, Lines) and places.is_index
        return cls(lanes, written, sources, uses, _digest(places.octets) if index else b"")  # type: ignore[union-attr,arg-type]


def _digest(octets: NDArray[Any]) -> bytes:
    return blake2b(np.ascontiguousarray(octets).data).digest()


KEPT: Kept[list[list[Moved]]] = Kept(
    MOST_LABELS, lambda found: sum(len(moved.written) for moves in found for moved in moves)
)


class _Call:
    """The arguments of a call, with each array once."""

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.arguments, self.arrays = arguments, dict[tuple[int, int], Any]()
        self.shape = tuple(map(self._of, arguments))
        if any(begin < end for (_, end), (begin, _) in pairwise(sorted(self.arrays))):
            raise Untaken("arrays with elements in common")

    def _of(self, argument: Any) -> Hashable:
        if not isinstance(argument, plain.Memory | Storage):
            if type(argument) not in (int, bool, tuple) and not isinstance(
                argument, np.integer | np.ndarray
            ):
                raise Untaken(f"an argument of type {type(argument).__name__}")
            return frozen(argument)
        parts, extent = argument.parts, _extent(argument)
        if isinstance(argument, Storage) and (argument.ndim != 1 or argument.scalar):
            raise Untaken("an array of several axes")
        if (
            type(self.arrays.setdefault(extent, argument)) is not type(argument)
            or not parts.flags.c_contiguous
        ):
            raise Untaken("an array with gaps, or in two forms")
        how = (
            (argument.width, argument.on_line)
            if isinstance(argument, plain.Memory)
            else argument.dtype.str
        )
        return "array", list(self.arrays).index(extent), parts.shape, parts.dtype.str, how

    @property
    def size(self) -> int:
        """The elements of the largest array, or what takes as long."""
        sizes = [
            len(each)
            if isinstance(each, Storage)
            else len(each.parts) * each.width // plain.BYTES * LINE
            for each in self.arrays.values()
        ]
        return max(sizes, default=0)

    def labelled(self) -> list[Lines | Elements]:
        """Return labels for all arrays."""
        if len({each.dtype for each in self.arrays.values() if isinstance(each, Storage)}) > 1:
            raise Untaken("arrays of several types")
        return [
            Elements(i, each) if isinstance(each, Storage) else Lines(i, each)
            for i, each in enumerate(self.arrays.values())
        ]

    def handed(self, places: Sequence[Any]) -> list[Any]:
        """Return the arguments with labels in place of arrays."""
        order = list(self.arrays)
        return [
            places[order.index(_extent(each))] if isinstance(each, plain.Memory | Storage) else each
            for each in self.arguments
        ]


def _extent(argument: Any) -> tuple[int, int]:
    parts = argument.parts
    begin = int(parts.__array_interface__["data"][0])
    return begin, begin + parts.nbytes


def compiled(function: Kernel) -> Kernel:
    """Return a kernel that runs on labels where its arrays are large, else as it is."""
    return quick(plain.compiled(function), partial(_done_quickly, function))


def _done_quickly(function: Kernel, arguments: Sequence[Any]) -> bool:
    """Do what a kernel does to these arguments, and return True; or change nothing, and False."""
    try:
        call = _Call(arguments)
        if not is_large(call.size):
            return False
        key = frozen(function), call.shape
    except (Untaken, Unfrozen, ValueError, RecursionError):
        return False
    known = KEPT.of(key, list)
    assert known is not None
    moves = next((moves for moves in known if _fits(moves, call)), None)
    if moves is None:
        moves = taken_down(
            lambda: (frozen(function), _Call(arguments).shape), lambda: _taken(function, call)
        )
        if moves is None:
            return False
        known.append(moves)
    return _move(moves, call)


def _fits(moves: Sequence[Moved], call: _Call) -> bool:
    """Return whether the index vectors are those that were taken down."""
    return all(
        not moved.digest or moved.digest == _digest(each.parts)
        for moved, each in zip(moves, call.arrays.values(), strict=True)
    )


def _taken(function: Kernel, call: _Call) -> list[Moved]:
    places = call.labelled()
    plain.compiled(function)(*call.handed(places))
    return [Moved.of(each) for each in places]


def _move(moves: Sequence[Moved], call: _Call) -> bool:
    """Move the elements; return False where they may not be written to."""
    arrays = list(call.arrays.values())
    if any(
        len(moved.written) and not each.parts.flags.writeable
        for moved, each in zip(moves, arrays, strict=True)
    ):
        return False
    for moved, each in zip(moves, arrays, strict=True):
        _note(each, moved, 0, False)
    slots = [_slots(each, moved) for moved, each in zip(moves, arrays, strict=True)]
    values = [[(which, slots[i][froms]) for i, which, froms in moved.sources] for moved in moves]
    for moved, each, slot, gathered in zip(moves, arrays, slots, values, strict=True):
        for which, found in gathered:
            slot[moved.written[which]] = found
        _note(each, moved, 1, True)
        _note(each, moved, 2, False)
    return True


def _slots(array: Any, moved: Moved) -> NDArray[Any]:
    """Return the elements of an array, those of a lane together."""
    parts: NDArray[Any] = array.parts
    if isinstance(array, Storage) or not moved.lanes:
        return parts
    lane = plain.BYTES // moved.lanes // array.width
    whole = len(moved.used[0]) * moved.lanes
    return parts[: whole * lane].reshape(whole, lane, *parts.shape[1:])


def _note(array: Any, moved: Moved, which: int, stores: bool) -> None:
    """Note the elements read before they are written, those written, those read after that."""
    if isinstance(array, Storage):
        noted(array.stored if stores else array.loaded, moved.used[which])
    else:
        parts, line = array.parts, plain.BYTES // array.width
        places = np.repeat(moved.used[which], line)
        noted(lambda index: used(parts[: len(places)], stores, index), places)
