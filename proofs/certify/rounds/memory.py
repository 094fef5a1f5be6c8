"""Memory of kernels: addresses of arrays, and who reads and writes which place in which round.

    Address       an array by its address, which does not keep it
    Memory        the array while a kernel runs; what the kernel leaves is written back at its end
    Level         a loop whose rounds are evaluated at once

Two rounds are independent if neither writes a place that the other reads or writes.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.widths import BYTES
from proofs.certify.exact.data import Data, wrong
from proofs.certify.exact.items import gap, owner, past_line
from proofs.certify.language.table_entries import Undecided, kind_of
from proofs.certify.rounds.indices import Integers, Opaque, integers

NOBODY = -1
SIDE_BY_SIDE = "the address of an array whose elements do not lie side by side"


@dataclass(eq=False)
class Level:
    """A loop whose rounds have the numbers from `base` on; of `parallel` ones in any order."""

    loop: Any
    size: int
    base: int
    parallel: bool = False


class Conflict(BaseException):
    """Rounds of a loop depend on each other; no rule of the language handles it."""

    def __init__(self, level: Level) -> None:
        super().__init__("rounds depend on each other")
        self.level = level


def lent(array: NDArray[Any]) -> Callable[[], NDArray[Any]]:
    """Return what gives an array again as long as its memory is there."""
    whole, first = weakref.ref(owner(array)), gap(array)
    shape, dtype, writeable = array.shape, array.dtype, array.flags.writeable

    def again() -> NDArray[Any]:
        found = whole()
        if found is None:
            raise wrong("the address of an array that is no longer there: an address keeps nothing")
        made: NDArray[Any] = np.ndarray(shape, dtype, found, first)
        made.flags.writeable = made.flags.writeable and writeable
        return made

    return again


class Address(Opaque):
    """The address of an array of data or of numbers, which lie side by side."""

    __slots__ = ("again", "data", "dtype", "extent", "on_line", "size", "writeable")
    said = "an address"

    def __init__(self, array: Any, on_line: bool) -> None:
        self.data = isinstance(array, Data)
        items = array.items if self.data else array
        if not isinstance(items, np.ndarray):
            raise Undecided(f"the address of {kind_of(array)}")
        if not items.flags.c_contiguous:
            raise wrong(SIDE_BY_SIDE)
        flat, again = items.reshape(-1), lent(items.reshape(-1))
        begin = int(flat.ctypes.data)
        self.dtype, self.on_line, self.size = array.dtype, on_line, len(flat)
        self.extent, self.writeable = (begin, begin + flat.nbytes), bool(flat.flags.writeable)
        if self.data:
            dtype, space = array.dtype, array.space
            self.again: Callable[[], Any] = lambda: Data(again(), dtype, space)
        else:
            self.again = again


@dataclass(eq=False)
class Uses:
    """Who uses the places of a memory within a loop: rounds by their numbers, NOBODY at first.

    A place that several rounds read has the number after the last. Reads wait in `waiting` until
    something is written.
    """

    writer: Integers
    reader: Integers
    wrote: int = NOBODY
    waiting: list[tuple[int, Integers, Integers]] = field(default_factory=list)


class Memory:
    """The array of an address while a kernel runs, and the places that it has read and written."""

    def __init__(self, address: Address) -> None:
        self.address, self.size = address, address.size
        self.uses: list[Uses] = []
        self.read = np.zeros(self.size, bool)
        self.written = np.zeros(self.size, bool)

    def end(self) -> None:
        """Write back what the kernel leaves."""

    def places(self, place: Any, stride: Any, count: int, lanes: int) -> Integers:
        """Return the places of vectors: an array (count, *rounds, lanes).

        Raises:
            Refuted: if there is one beyond the memory.
        """
        first = integers(place)[None, ..., None]
        steps = np.arange(count).reshape(-1, *[1] * (first.ndim - 2), 1)
        apart = integers(stride)[None, ..., None]
        if apart.ndim > first.ndim:
            steps = steps.reshape(-1, *[1] * (apart.ndim - 1))
        if _most(first) + count * _most(apart) + lanes >= 1 << 62:
            raise wrong(f"a kernel reads or writes beyond its memory of {self.size} elements")
        starts = first + apart * steps
        if starts.size and not 0 <= starts.min() <= starts.max() <= self.size - lanes:
            low, high = int(starts.min()), int(starts.max()) + lanes - 1
            words = f"a kernel reads or writes places {low} to {high} of memory of {self.size}"
            raise wrong(f"{words}: it keeps within its arrays")
        return starts + np.arange(lanes)

    def note(self, at: Integers, writes: bool, levels: list[Level]) -> None:
        """Note that rounds use places; `at` is of shape (.., *rounds, lanes).

        Raises:
            Conflict: if rounds depend on each other.
        """
        if writes and not self.address.writeable:
            raise wrong("a kernel writes into an array that is read-only")
        (self.written if writes else self.read)[at] = True
        while len(self.uses) < len(levels):
            nobody = np.full(self.size, NOBODY)
            self.uses.append(Uses(nobody, nobody.copy()))
        for depth, (level, uses) in enumerate(zip(levels, self.uses, strict=False)):
            who = _rounds(at, depth, level)
            if who is None and writes:
                raise Conflict(level)
            if writes:
                _write(uses, level, at, who)
            else:
                _read(uses, level, at, level.base + level.size if who is None else who)


class Cells(Memory):
    """Entries of an ordinary array, or tokens of data."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self.array: Any = address.again()
        self.cells: NDArray[Any] = self.rows()
        self.own = self.cells.copy()

    def rows(self) -> NDArray[Any]:
        """Return the entries of the array, a view."""
        return self.array.numbers[:, 0, 0] if isinstance(self.array, Data) else self.array

    def end(self) -> None:
        """Write back what is written."""
        at = np.flatnonzero(self.written)
        if isinstance(self.array, Data):
            self.array.touch(False, np.flatnonzero(self.read))
        if len(at):
            self.cells[at] = self.own[at]
            if isinstance(self.array, Data):
                self.array.touch(True, at)


def _most(values: Integers) -> int:
    return int(np.abs(values).max()) if values.size else 0


def _rounds(at: Integers, depth: int, level: Level) -> Integers | None:
    """Return the numbers of the rounds that use places, None if each place is used by all."""
    if at.ndim < depth + 3 or at.shape[-2 - depth] == 1:
        return None
    return (level.base + np.arange(level.size)).reshape(-1, *[1] * (depth + 1))


def _read(uses: Uses, level: Level, at: Integers, who: Any) -> None:
    if uses.wrote < level.base:
        if uses.waiting and uses.waiting[0][0] != level.base:
            uses.waiting.clear()
        uses.waiting.append((level.base, at, who))
        return
    writer = uses.writer[at]
    if ((writer >= level.base) & (writer != who)).any():
        raise Conflict(level)
    _note_readers(uses, level, at, who)


def _note_readers(uses: Uses, level: Level, at: Integers, who: Any) -> None:
    several = level.base + level.size
    before = uses.reader[at]
    uses.reader[at] = np.where((before < level.base) | (before == who), who, several)
    twice = uses.reader[at] != who
    if twice.any():
        uses.reader[at[twice]] = several


def _write(uses: Uses, level: Level, at: Integers, who: Any) -> None:
    for base, read, reader in uses.waiting:
        if base == level.base:
            _note_readers(uses, level, read, reader)
    uses.waiting.clear()
    uses.wrote = level.base
    for others in (uses.writer[at], uses.reader[at]):
        if ((others >= level.base) & (others != who)).any():
            raise Conflict(level)
    uses.writer[at] = who
    if (uses.writer[at] != who).any():
        raise Conflict(level)


def begins_on_line(array: Any) -> bool:
    """Return whether an array begins on a line; of data, whether that is known."""
    if not isinstance(array, Data):
        return int(array.ctypes.data) % BYTES == 0
    past = past_line(array.items, array.itemsize, array.space)
    return past is not None and past % BYTES == 0
