"""Entries of arrays that a kernel is given as such: `x[i]` for the index of every round.

    entry = Whole | Each           of an array of integers
          | Tokens                 of a permutation's data, or of numbers: they are moved only
          | Elements               one lane of exact data

What is not here is evaluated round by round on the arrays themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact.data import Data, wrong
from proofs.certify.exact.space import UNWRITTEN, Space
from proofs.certify.language.table_entries import Member, Members, Undecided
from proofs.certify.modular.residue_kernels import ResidueCells
from proofs.certify.modular.residue_space import ResidueSpace
from proofs.certify.rounds.exact_vectors import Elements
from proofs.certify.rounds.indices import Each, Integers, Opaque, Unsigned, Whole, integers, shown
from proofs.certify.rounds.memory import BOTH, Address, Cells, Memory
from proofs.certify.rounds.planes import Planes, Table
from proofs.certify.rounds.running import Running


class Tokens(Opaque):
    """An element for each round, which is moved only."""

    __slots__ = ("numbers",)
    by_round = "numbers", 0, 0

    def __init__(self, numbers: NDArray[Any]) -> None:
        self.numbers = numbers


class Entries(Opaque):
    """An array that a kernel is given; its entries are read and written for all rounds."""

    __slots__ = ("address", "array", "running", "space")
    said = "an array"

    def __init__(self, array: Any, running: Running, space: Space | None) -> None:
        self.array, self.running, self.space = array, running, space
        if not (array.items if isinstance(array, Data) else array).flags.c_contiguous:
            raise Undecided("entries of an array that do not lie side by side")
        self.address = Address(array, False)

    def __len__(self) -> int:
        return Whole(self.array.shape[0])

    def _memory(self) -> Any:
        found = self.running.memory(self.address, self._kind)
        if found.number is not None:
            raise Undecided(BOTH)
        return found

    def _kind(self, address: Address) -> Memory:
        if self.space is None or self.space.recognizer is None:
            return Cells(address)
        if address.data and isinstance(self.space, ResidueSpace):
            return ResidueCells(address)
        if address.data:
            return Planes(address)
        return Table(address, self.space) if address.dtype.kind in "fc" else Cells(address)

    @property
    def _integers(self) -> bool:
        """Whether the entries are integers of at most 64 bits, to compute with."""
        kind: np.dtype[Any] = self.array.dtype
        return not self.address.data and kind.kind in "iu" and kind != np.uint64

    def _token(self, value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
        if not isinstance(value, Tokens) or value.numbers.dtype != dtype:
            raise Undecided(f"a kernel stores {shown(value)} among {self.array.dtype}")
        return value.numbers

    def _places(self, index: Any) -> Integers:
        """Return the places of entries, an array (1, *rounds, 1)."""
        entries = index if isinstance(index, tuple) else (index,)
        shape = self.array.shape
        if len(entries) != len(shape):
            raise Undecided("a kernel uses an index that does not name an entry")
        found: Any = np.zeros((), np.int64)
        for each, size in zip(entries, shape, strict=True):
            found = found * size + _within(each, size)
        self.running.spend(found.size)
        return np.asarray(found)[None, ..., None]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Run.of(self, index)
        memory = self._memory()
        at = self._places(index)
        levels = self.running.levels
        if isinstance(memory, ResidueCells):
            return memory.load(at, levels)
        if isinstance(memory, Planes | Table):
            if memory.address.dtype.kind != "c":
                raise Undecided(f"an entry of an array of {self.array.dtype} in a kernel")
            [found] = memory.load(at, False, levels)
            return found
        memory.note(at, False, levels)
        values = memory.own[at[0, ..., 0]]
        if self.address.data and (values == UNWRITTEN).any():
            raise wrong("a kernel moves elements that are uninitialised")
        if not self._integers:
            return Tokens(values)
        is_unsigned = self.array.dtype.kind == "u"
        if not values.ndim:
            return values[()] if is_unsigned else Whole(values)
        return (Unsigned if is_unsigned else Each)(values.astype(np.int64))

    def __setitem__(self, index: Any, value: Any) -> None:
        memory = self._memory()
        at = self._places(index)
        levels = self.running.levels
        if isinstance(memory, ResidueCells):
            memory.store(at, value, levels)
            return
        if isinstance(memory, Planes | Table):
            if not isinstance(value, Elements):
                raise Undecided(f"a kernel stores {shown(value)} among elements of x")
            memory.store(at, [value], False, levels)
            return
        new = integers(value) if self._integers else self._token(value, memory.own.dtype)
        if self._integers and (new != new.astype(self.array.dtype)).any():
            raise Undecided(f"integers of a kernel do not fit {self.array.dtype}")
        memory.note(at, True, levels)
        memory.own[at[0, ..., 0]] = new


def _within(index: Any, size: int) -> Integers:
    """Return the places of an axis that an index names, a negative one from its end."""
    at = integers(index)
    at = np.where(at < 0, at + size, at)
    if at.size and not 0 <= at.min() <= at.max() < size:
        raise wrong(f"IndexError: a kernel uses entry {at.max()} of {size}")
    return at


class Run(Opaque):
    """Entries of an array of one axis side by side: `size` of them from `start` on."""

    __slots__ = ("entries", "size", "start")
    said = "a slice of an array"

    def __init__(self, entries: Entries, start: Any, size: int) -> None:
        self.entries, self.start, self.size = entries, start, size

    @classmethod
    def of(cls, entries: Entries, part: slice) -> Run:
        """Return a slice in one piece, within the array in every round."""
        start, length = 0 if part.start is None else part.start, len(entries)
        stop = length if part.stop is None else part.stop
        low, high = (integers(each) for each in (start, stop))
        sizes = high - low
        if entries.array.ndim != 1 or part.step is not None or (low < 0).any():
            raise Undecided("a slice of a kernel that is not x[a:b] of one axis, 0 <= a <= b")
        if (sizes != sizes.flat[0]).any() or (sizes < 0).any() or (high > length).any():
            raise Undecided("slices of a kernel that go beyond the array, or have several sizes")
        return cls(entries, start, int(sizes.flat[0]))

    def __len__(self) -> int:
        return Whole(self.size)

    def _index(self, index: Any) -> Any:
        at = _within(index, self.size)
        return self.start + (Each(at) if at.ndim else Whole(int(at)))

    def __getitem__(self, index: Any) -> Any:
        return self.entries[self._index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.entries[self._index(index)] = value


MEMBERS: Members = {
    Entries: {
        "shape": Member("shape", lambda value: tuple(map(Whole, value.array.shape))),
        "size": Member("size", lambda value: Whole(value.array.size)),
        "ndim": Member("ndim", lambda value: Whole(value.array.ndim)),
    }
}
"""What a kernel may ask of an array."""
