"""Memory of kernels: addresses of arrays, and who reads and writes which place in which round.

    Address       an array by its address, which does not keep it
    Memory        the array while a kernel runs; what the kernel leaves is written back at its end
    Level         a loop whose rounds are evaluated at once

Two rounds are independent if neither writes a place that the other reads or writes; or if each has
a copy of the memory, of which it reads nothing that it has not written before.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.widths import BYTES
from proofs.certify.exact.data import Data, wrong
from proofs.certify.exact.items import gap, owner, past_line
from proofs.certify.language.table_entries import Undecided, kind_of
from proofs.certify.rounds.exact_vectors import alike
from proofs.certify.rounds.indices import Integers, Opaque, integers

NOBODY = -1
MOST_COPIED = 1 << 21
"""Elements of the copies of a memory for rounds that are evaluated at once."""
BOTH = "a kernel is given an array, and the address of a part of it"
SIDE_BY_SIDE = "the address of an array whose elements do not lie side by side"


@dataclass(eq=False)
class Level:
    """A loop whose rounds have the numbers from `base` on; of `parallel` ones in any order."""

    loop: Any
    size: int
    base: int
    parallel: bool = False


class Conflict(BaseException):
    """Rounds of a loop depend on each other by a memory, which has a number where they may have
    copies of it; no rule of the language handles it.
    """

    def __init__(self, level: Level, number: int | None = None) -> None:
        super().__init__("rounds depend on each other")
        self.level, self.number = level, number


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

    def __init__(self, address: Address, size: int) -> None:
        self.address, self.size = address, size
        self.number: int | None = None
        """Its number among those of a kernel, where rounds may have copies of it."""
        self.uses: list[Uses] = []
        self.around: list[Level] = []
        """The loops, from the outer one on, whose rounds have copies here."""
        self.copies: list[Memory] = []
        self.begin(size)

    def begin(self, size: int) -> None:
        """Begin with `size` elements that are neither read nor written."""
        self.read, self.written = np.zeros((2, size), bool)

    def of_rounds(self, levels: list[Level]) -> Any:
        """Return what the rounds of these loops use: copies of this memory, or itself.

        A round reads from its copy what it has written there; the memory has later what the last
        round has written.

        Raises:
            Conflict: if the copies are large.
        """
        depth = 0
        while depth < len(levels) and self.number in levels[depth].loop.scratch:
            depth += 1
        if not depth:
            return self
        if not self.copies or len(self.copies[-1].around) < depth:
            self.copies.append(self._copied(levels[:depth]))
        return self.copies[-1]

    def _copied(self, around: list[Level]) -> Memory:
        made = copy(self)
        size = self.size * prod(level.size for level in around)
        if size > MOST_COPIED:
            raise Conflict(around[-1], self.number)
        made.uses, made.around, made.copies = [], around, []
        made.begin(size)
        return made

    def leave(self, depth: int) -> None:
        """Note that a loop ends which has `depth` levels around it."""
        if not self.copies or len(self.copies[-1].around) <= depth:
            return
        ended = self.copies.pop()
        target = self.of_rounds(ended.around[:-1])
        last = ended.around[-1].size
        written = ended.written.reshape(-1, last, self.size)
        at = np.flatnonzero(written.any(axis=1))
        number = last - 1 - written[:, ::-1].argmax(axis=1).reshape(-1)[at]
        target.take(at, ended, (at // self.size * last + number) * self.size + at % self.size)
        target.written[at] = True
        target.read |= ended.read.reshape(-1, last, self.size).any(axis=1).reshape(-1)

    def take(self, at: Integers, other: Any, there: Integers) -> None:
        """Take the elements at places of another memory."""

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
        return self._in_copies(starts + np.arange(lanes))

    def _in_copies(self, at: Integers) -> Integers:
        """Return the places of each round in its copy."""
        first: Any = np.zeros(1, np.int64)
        for depth, level in enumerate(self.around):
            first = first * level.size + np.arange(level.size).reshape(-1, *[1] * (depth + 1))
        one, other = alike(at, self.size * first[None], 1)
        return one + other if self.around else at

    def note(self, at: Integers, writes: bool, levels: list[Level]) -> None:
        """Note that rounds use places; `at` is of shape (.., *rounds, lanes).

        Raises:
            Conflict: if rounds depend on each other.
        """
        if writes and not self.address.writeable:
            raise wrong("a kernel writes into an array that is read-only")
        (self.written if writes else self.read)[at] = True
        if not writes and self.around and not self.written[at].all():
            raise Conflict(self.around[-1], self.number)
        apart, inner = len(self.around), levels[len(self.around) :]
        while len(self.uses) < len(inner):
            nobody = np.full(len(self.read), NOBODY)
            self.uses.append(Uses(nobody, nobody.copy()))
        for depth, (level, uses) in enumerate(zip(inner, self.uses, strict=False), apart):
            who = _rounds(at, depth, level)
            if writes:
                independent = who is not None and _write(uses, level, at, who)
            else:
                several = level.base + level.size
                independent = _read(uses, level, at, several if who is None else who)
            if not independent:
                raise Conflict(level, self.number)


class Cells(Memory):
    """Entries of an ordinary array, or tokens of data."""

    def __init__(self, address: Address) -> None:
        self.array: Any = address.again()
        self.cells: NDArray[Any] = self.rows()
        super().__init__(address, len(self.cells))
        self.own = self.cells.copy()

    def begin(self, size: int) -> None:
        super().begin(size)
        self.own = np.empty((size, *self.cells.shape[1:]), self.cells.dtype)

    def take(self, at: Integers, other: Any, there: Integers) -> None:
        self.own[at] = other.own[there]

    def rows(self) -> NDArray[Any]:
        """Return the entries of the array, a view."""
        return self.array.numbers[:, 0, 0] if isinstance(self.array, Data) else self.array

    def end(self) -> None:
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


def _read(uses: Uses, level: Level, at: Integers, who: Any) -> bool:
    """Note that rounds read; return whether they are independent so far."""
    if uses.wrote < level.base:
        if uses.waiting and uses.waiting[0][0] != level.base:
            uses.waiting.clear()
        uses.waiting.append((level.base, at, who))
        return True
    writer = uses.writer[at]
    if ((writer >= level.base) & (writer != who)).any():
        return False
    _note_readers(uses, level, at, who)
    return True


def _note_readers(uses: Uses, level: Level, at: Integers, who: Any) -> None:
    several = level.base + level.size
    before = uses.reader[at]
    uses.reader[at] = np.where((before < level.base) | (before == who), who, several)
    twice = uses.reader[at] != who
    if twice.any():
        uses.reader[at[twice]] = several


def _write(uses: Uses, level: Level, at: Integers, who: Any) -> bool:
    """Note that rounds write; return whether they are independent so far."""
    for base, read, reader in uses.waiting:
        if base == level.base:
            _note_readers(uses, level, read, reader)
    uses.waiting.clear()
    uses.wrote = level.base
    for others in (uses.writer[at], uses.reader[at]):
        if ((others >= level.base) & (others != who)).any():
            return False
    uses.writer[at] = who
    return not (uses.writer[at] != who).any()


def begins_on_line(array: Any) -> bool:
    """Return whether an array begins on a line; of data, whether that is known."""
    if not isinstance(array, Data):
        return int(array.ctypes.data) % BYTES == 0
    past = past_line(array.items, array.itemsize, array.space)
    return past is not None and past % BYTES == 0
