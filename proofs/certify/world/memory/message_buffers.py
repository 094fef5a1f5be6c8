"""Message buffers, as mpi4py has them.

buffer = array | [array, type] | [array, count] | [array, count, type]
       | [array, counts, displacements, type]

A pair (counts, displacements) may stand for the counts. A type is one of MPI's, its code as a text,
or None: that of the array. An array is one of numbers or of data; its entries are its `cells`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact.data import Data, Octets
from proofs.certify.exact.space import EXCHANGES, UNWRITTEN
from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.faults import Fault
from proofs.certify.world.hub import Call, Hub
from proofs.certify.world.memory.holds import Hold


@dataclass(frozen=True)
class Datatype:
    """A named type of MPI."""

    name: str
    dtype: np.dtype[Any]


NAMES = {
    "DOUBLE_COMPLEX": "complex128",
    "C_DOUBLE_COMPLEX": "complex128",
    "COMPLEX16": "complex128",
    "COMPLEX": "complex64",
    "COMPLEX8": "complex64",
    "C_FLOAT_COMPLEX": "complex64",
    "DOUBLE": "float64",
    "REAL8": "float64",
    "FLOAT": "float32",
    "INT": "int32",
    "INT32_T": "int32",
    "LONG": "int64",
    "INT64_T": "int64",
    "BOOL": "bool",
    "BYTE": "uint8",
}
TYPES = {name: Datatype(name, np.dtype(dtype)) for name, dtype in NAMES.items()}
"""The types of elements by their names in MPI."""
CODES = {"f", "d", "F", "D", "f4", "f8", "c8", "c16", "i", "l", "i4", "i8"}
"""Texts that mean the same type to numpy and to mpi4py."""


class InPlace:
    """What stands for a buffer that is sent from where it is received."""


IN_PLACE = InPlace()


@lru_cache
def name_of(dtype: np.dtype[Any]) -> str:
    """Return the name of a type, which numpy takes long to make."""
    return str(dtype)


@dataclass(frozen=True, eq=False)
class Buffer:
    """The part of an array that goes to, or comes from, each rank; counts are of entries."""

    array: Any
    cells: NDArray[Any]
    counts: tuple[int, ...]
    places: tuple[int, ...]
    octets: bool = False

    @property
    def kind(self) -> str:
        """What both sides of a message must share."""
        name = name_of(self.array.dtype)
        return f"bytes of {name}" if self.octets else name

    @cached_property
    def equal(self) -> bool:
        """Whether the parts are equal, side by side, and make up the array."""
        count, parts = self.counts[0], len(self.counts)
        return parts * count == self.cells.size and self.places == tuple(
            i * count for i in range(parts)
        )

    def part(self, peer: int) -> NDArray[Any]:
        """Return the entries of a rank, a view."""
        return self.cells[self.places[peer] : self.places[peer] + self.counts[peer]]

    def alone(self) -> Buffer:
        """Return a copy of what is sent."""
        if not isinstance(self.array, Data):
            return replace(self, cells=self.cells.copy())
        moved = Data(self.cells, self.array.dtype, self.array.space).moved()
        shared = not moved.size or np.may_share_memory(moved, self.cells)  # a view of nothing, too
        return replace(self, cells=moved.copy() if shared else moved)

    def only(self, peer: int) -> Buffer:
        """Return a copy of the part of a rank."""
        count = (self.counts[peer],)
        return replace(self, cells=self.part(peer), counts=count, places=(0,)).alone()

    def travel(self) -> Buffer:
        """Return a copy of what arrives, one exchange after the last of its message is there."""
        found = self.alone()
        if isinstance(self.array, Data):
            depths = self.array.space.opened(found.cells)[..., EXCHANGES]
            before = depths.copy()
            for at, n in set(zip(self.places, self.counts, strict=True)):
                part = depths[at : at + n]
                np.maximum(part, before[at : at + n].max(initial=0) + 1, out=part)
        return found

    def touch(self, writes: bool) -> None:
        """Note that the running rank loads what it sends, or has stored what it has received."""
        if isinstance(self.array, Data):
            peers = [0] if self.equal else range(len(self.counts))
            for peer in peers:
                cells = self.cells if self.equal else self.part(peer)
                Data(cells, self.array.dtype, self.array.space).touch(writes)

    def put(self, peer: int, values: NDArray[Any]) -> None:
        """Write the entries of a rank; numbers that arrive among data become constants."""
        cells = self.part(peer)
        if cells.dtype == values.dtype:
            cells[...] = values
        elif isinstance(self.array, Data):
            Data(cells, self.array.dtype, self.array.space).assign(values)
        else:
            raise Undecided(
                f"elements of x are received in an array of {self.array.dtype} for other numbers;"
                " give it the type DTYPE, or receive parts of complex numbers in a .view(float64)"
                " of an array of DTYPE"
            )

    def spoil(self) -> None:
        """Make the entries of all ranks uninitialised."""
        for peer, count in enumerate(self.counts):
            if count:
                _spoil(self.array, self.part(peer))

    def spoiled(self) -> bool:
        """Return whether they still are; entries of data cannot be touched meanwhile."""
        if isinstance(self.array, Data):
            return True
        for peer, count in enumerate(self.counts):
            fresh = np.empty_like(self.part(peer))
            _spoil(self.array, fresh)
            if count and fresh.tobytes() != self.part(peer).tobytes():
                return False
        return True

    def same(self, other: Buffer) -> bool:
        """Return whether what is sent is still the same; a NaN equals itself."""
        if isinstance(self.array, Data):
            return True
        peers = range(len(self.counts))
        return all(self.part(peer).tobytes() == other.part(peer).tobytes() for peer in peers)

    def depth(self) -> int:
        """Return the most exchanges that an entry of data has been through."""
        numbers = self.array.space.opened(self.cells)[..., EXCHANGES]
        spans = zip(self.places, self.counts, strict=True)
        return max((int(numbers[at : at + n].max(initial=0)) for at, n in spans), default=0)

    def holds(self, writes: bool, call: Call) -> list[Hold]:
        """Return the memory that an operation has with this buffer."""
        start, step = self.cells.ctypes.data, self.cells.itemsize
        spans = [(0, self.cells.size)] if self.equal else zip(self.places, self.counts, strict=True)
        return [
            Hold(start + at * step, start + (at + n) * step, writes, call) for at, n in spans if n
        ]

    def text(self, peer: int = 0) -> str:
        """Return count and type of a rank's part."""
        return f"{self.counts[peer]} elements of {self.kind}"


def _spoil(array: Any, cells: NDArray[Any]) -> None:
    if isinstance(array, Data):
        array.space.opened(cells)[..., : array.space.stimuli] = UNWRITTEN
    elif cells.dtype == np.bool_:
        cells[...] = True
    else:
        cells.view(np.uint8)[...] = 0xFF


LISTS, ARRAYS = (list, tuple), (np.ndarray, Data, Octets)
Opened = tuple[Any, Any, Any]


class Reader:
    """Reads what a program gives for a buffer."""

    def __init__(self, world: Hub) -> None:
        self.world = world

    def whole(self, given: Any, receives: bool = False) -> Buffer:
        """Return the buffer of a message to or from one rank."""
        array, counts, gaps = self._opened(given, (tuple, list))
        begin = 0 if gaps is None else self._integer(gaps)
        size = _size(array)
        count = size - begin if counts is None else self._integer(counts)
        return self._checked(array, (count,), (begin,), receives)

    def equal(self, given: Any, peers: int, receives: bool = False) -> Buffer:
        """Return a buffer of as many entries for each rank."""
        array, counts, gaps = self._opened(given, (tuple, list))
        if gaps is not None or not (counts is None or isinstance(counts, int | np.integer)):
            raise Undecided(f"counts {counts!r} of a buffer of equal parts")
        size = _size(array)
        if counts is None and size % peers:
            raise self._invalid(f"{size} elements among {peers} ranks: each gets equally many")
        count = size // peers if counts is None else int(counts)
        return self._checked(
            array, (count,) * peers, tuple(i * count for i in range(peers)), receives
        )

    def parts(self, given: Any, peers: int, receives: bool = False) -> Buffer:
        """Return a buffer with a count for each rank, and a displacement."""
        array, counts, gaps = self._opened(given, (tuple,))
        if counts is None or np.ndim(counts) == 0:
            raise Undecided("a call with counts that are left to MPI, or one number for all ranks")
        if any(
            np.ndim(each) != 1 or len(each) != peers for each in (counts, gaps) if each is not None
        ):
            raise self._invalid(f"{peers} ranks take {peers} counts and displacements")
        numbers = tuple(map(self._integer, counts))
        before = np.cumsum((0, *numbers[:-1])).tolist() if gaps is None else gaps
        return self._checked(array, numbers, tuple(map(self._integer, before)), receives)

    def _opened(self, given: Any, pairs: tuple[type, ...]) -> Opened:
        """Return array, counts and displacements; None where they are left out."""
        is_listed = isinstance(given, LISTS)
        array, *rest = given if is_listed and given else [given]
        if array is None or isinstance(array, InPlace):
            raise self._invalid(f"{array!r} in place of a buffer")
        if is_listed and not 1 <= len(rest) <= 3:
            raise self._invalid(f"a list of {len(rest) + 1} entries in place of a buffer")
        if not isinstance(array, ARRAYS):
            raise Undecided(f"a message buffer that is {type(array).__name__}")
        counts: Any = None
        gaps: Any = None
        kind: Any = None
        if len(rest) == 1 and isinstance(rest[0], Datatype | str):
            kind = rest[0]
        elif rest:
            counts, kind = rest[0], rest[-1] if rest[1:] else None
            gaps = rest[1] if rest[2:] else None
        if isinstance(counts, pairs):
            pair: Any = counts
            if gaps is not None or len(pair) != 2:
                raise self._invalid(f"{counts!r} in place of counts and displacements")
            counts, gaps = pair
        self._demand_type(kind, array)
        return array, counts, gaps

    def _demand_type(self, kind: Any, array: Any) -> None:
        dtype = np.dtype(np.uint8) if isinstance(array, Octets) else array.dtype
        if not dtype.isnative or dtype.kind not in "fciub":
            raise Undecided(f"{dtype} has no type of MPI in mpi4py: send its bytes, x.view('u1')")
        if kind is None:
            return
        if isinstance(kind, str) and kind in CODES:
            stated = np.dtype(kind)
        elif isinstance(kind, Datatype):
            stated = kind.dtype
        elif isinstance(kind, str):
            raise Undecided(f"the type {kind!r} as a text")
        else:
            raise self._invalid(f"{kind!r} in place of a type of MPI")
        if stated == dtype:
            return
        words = f"an array of {dtype} described as {stated}"
        if stated == np.uint8 or (dtype.kind == "c" and stated == np.zeros(0, dtype).real.dtype):
            raise Undecided(words)
        raise self._invalid(words)

    def _checked(
        self, array: Any, counts: tuple[int, ...], places: tuple[int, ...], receives: bool
    ) -> Buffer:
        size = _size(array)
        for count, begin in zip(counts, places, strict=True):
            if count < 0 or (count and (begin < 0 or begin + count > size)):
                raise self._invalid(f"elements {begin} to {begin + count} of a buffer of {size}")
        octets = isinstance(array, Octets)
        if octets:
            array, step = array.data, array.data.itemsize
            if any(number % step for number in (*counts, *places)):
                raise Undecided(f"a message that cuts elements of {step} bytes")
            counts = tuple(count // step for count in counts)
            places = tuple(place // step for place in places)
        cells = array.items if isinstance(array, Data) else array
        if receives and not (array.writeable if isinstance(array, Data) else cells.flags.writeable):
            raise self._invalid("a message is received in an array that is read-only")
        if not (cells.flags.c_contiguous or cells.flags.f_contiguous):
            remedy = "" if receives else "; send np.ascontiguousarray of it"
            raise self._invalid(f"a buffer of shape {cells.shape} that is not contiguous{remedy}")
        lines = cells if cells.flags.c_contiguous else cells.T
        return Buffer(array, lines.reshape(-1), counts, places, octets)

    def _integer(self, number: Any) -> int:
        if not isinstance(number, int | np.integer) or isinstance(number, bool):
            raise self._invalid(f"{number!r} in place of a count or displacement")
        return index(number)

    def _invalid(self, words: str) -> Exception:
        return self.world.wrong(Fault.INVALID_PARAMETER, words)


def names_bytes(given: Any) -> bool:
    """Return whether a buffer is given with the type MPI.BYTE."""
    return isinstance(given, list | tuple) and any(each is TYPES["BYTE"] for each in given)


def _size(array: Any) -> int:
    return array.data.nbytes if isinstance(array, Octets) else int(array.size)
