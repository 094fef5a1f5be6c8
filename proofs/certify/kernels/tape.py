"""A kernel on vectors taken down: run once as Python on what stands for its vectors, every
operation written to a tape.

    step = (LOAD, result, row, step, delta, listed, lanes)      lane l of the real part is in row + l step, of the imaginary one delta further
         | (STORE, value, row, step, delta, listed, lanes)      likewise; with delta = -1 or -2 the real or the imaginary part alone
         | (operation, result, a, b, c, d, lanes)               of values a and b, or as play.py says

What a kernel does never depends on its data, so a tape does to any data what the kernel does
(play.py). The checks that depend on no data are made here, as vectors.py makes them: bounds, pairs
and split vectors, constants and data, streaming. Whatever would be refused there, or is out of the
ordinary, ends the taking down: the kernel is then run as it is, which says why.

Memory is cut into rows, of one real number each; those of the next array follow on.
"""  # noqa: E501

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index as whole_number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels import plain
from proofs.certify.kernels.kept import Untaken

LOAD, STORE, ADD, SUBTRACT, TURN, MIRROR, BEND = range(7)
MULTIPLY_ADD, EVERY, TIMES, PRODUCT, REPEAT, TRANSPOSE = range(7, 13)
COLUMNS = 7
MOST_LANES = 16
PAIR = 0
"""The lane of an element that is in no split vector; those of a split vector are counted from 1."""
PAIRS = {lanes: bytes(lanes) for lanes in range(1, MOST_LANES + 1)}
SPLIT = {lanes: bytes(range(1, lanes + 1)) for lanes in range(1, MOST_LANES + 1)}


@dataclass(frozen=True)
class Region:
    """Where an array lies: its rows, how many an element has, and whether it begins on a line."""

    rows: int
    parts: int
    on_line: bool


class Value(plain.Opaque):
    """W complex numbers, the result of a step."""

    __slots__ = ("lanes", "number", "tape")

    def __init__(self, tape: Tape, number: int, lanes: int) -> None:
        self.tape, self.number, self.lanes = tape, number, lanes

    def __len__(self) -> int:
        return self.lanes

    def _sum(self, operation: int, other: Any) -> Value:
        if type(other) is not Value or other.lanes != self.lanes:
            raise Untaken("a sum of unlike vectors")
        return self.tape.value(operation, self.lanes, self.number, other.number)

    def __add__(self, other: Any) -> Value:
        return self._sum(ADD, other)

    def __sub__(self, other: Any) -> Value:
        return self._sum(SUBTRACT, other)

    def turned(self, sign: int) -> Value:
        """Return i or -i times the vector."""
        return self.tape.value(TURN, self.lanes, self.number, sign)

    def mirrored(self) -> Value:
        """Return the conjugates of the lanes in reverse order."""
        return self.tape.value(MIRROR, self.lanes, self.number)

    def bent(self) -> Value:
        """Return the vector with its imaginary parts in reverse order."""
        return self.tape.value(BEND, self.lanes, self.number)

    def muladd(self, c: Any, other: Any) -> Value:
        """Return c times the vector, plus the other."""
        if type(other) is not Value or other.lanes != self.lanes or type(c) not in (int, float):
            raise Untaken("a sum of unlike vectors")
        factor = self.tape.factor(c)
        return self.tape.value(MULTIPLY_ADD, self.lanes, self.number, other.number, factor)

    def every(self, parts: int, q: int) -> Value:
        """Return the lanes q, q + parts, .. as a vector."""
        if not 0 <= q < parts or self.lanes % parts:
            raise Untaken(f"a vector of {self.lanes} lanes in {parts} parts")
        return self.tape.value(EVERY, self.lanes // parts, self.number, parts, q)

    def repeated(self, lanes: int) -> Value:
        """Return a vector of this one number."""
        if self.tape.exact or self.lanes != 1 or not 1 <= lanes <= MOST_LANES:
            raise Untaken("a vector of data in all lanes")
        return self.tape.value(REPEAT, lanes, self.number)

    @staticmethod
    def products(v: Sequence[Any], w: Sequence[Any]) -> tuple[Value, ...]:
        """Return the products of vectors with constants; in ordinary numbers, with vectors."""
        if len(v) != len(w) or not _are_alike(v):
            raise Untaken("products of unlike vectors")
        return tuple(each.times(other) for each, other in zip(v, w, strict=True))

    def times(self, other: Any) -> Value:
        """Return the product with another vector."""
        if type(other) is Constant and other.lanes == self.lanes:
            read = other.entry, other.step, other.group
            return self.tape.value(TIMES, self.lanes, self.number, *read)
        if type(other) is not Value or self.tape.exact or other.lanes != self.lanes:
            raise Untaken("the product of two vectors of data")
        return self.tape.value(PRODUCT, self.lanes, self.number, other.number)

    @staticmethod
    def transposed(v: Sequence[Any]) -> tuple[Value, ...]:
        """Return the vectors of blocks of W, transposed."""
        tape, lanes = v[0].tape, v[0].lanes
        if len(v) % lanes or any(type(each) is not Value or each.lanes != lanes for each in v):
            raise Untaken("blocks of unlike vectors")
        start = tape.listed(v)
        return tuple(
            tape.value(TRANSPOSE, lanes, start, len(v), i - i % lanes, i % lanes)
            for i in range(len(v))
        )


class Constant(plain.Opaque):
    """W constants, or one in all lanes: their place on a tape, and those read with them."""

    __slots__ = ("entry", "group", "lanes", "step")

    def __init__(self, entry: int, lanes: int, group: int, step: int = 1) -> None:
        self.entry, self.lanes, self.group, self.step = entry, lanes, group, step

    def __len__(self) -> int:
        return self.lanes

    def repeated(self, lanes: int) -> Constant:
        """Return a vector of this one constant."""
        if self.lanes != 1 or not 1 <= lanes <= MOST_LANES:
            raise Untaken("several constants in all lanes")
        return Constant(self.entry, lanes, self.group, 0)


class Table(plain.Opaque):
    """Constants by their address: what is read of them becomes entries of the tape."""

    __slots__ = ("known", "number", "on_line", "size", "tape")

    def __init__(self, tape: Tape, number: int, size: int, on_line: bool) -> None:
        self.tape, self.number, self.size, self.on_line = tape, number, size, on_line
        self.known: dict[tuple[int, ...], tuple[Constant, ...]] = {}

    def read(
        self, place: int, stride: int, count: int, lanes: int, split: bool
    ) -> tuple[Constant, ...]:
        key = whole_number(place), whole_number(stride), whole_number(count), lanes, split
        found = self.known.get(key)
        if found is None:
            _within(place, stride, count, lanes, self.size)
            group = self.tape.groups
            self.tape.groups += count > 0
            entries = (
                self.tape.entry(self.number, key[0] + i * key[1], lanes, split, group)
                for i in range(count)
            )
            found = self.known[key] = tuple(Constant(entry, lanes, group) for entry in entries)
        return found


class Memory(plain.Opaque):
    """Data by its address: its first row, and the lane of each element where it is known."""

    __slots__ = ("first", "lane", "on_line", "region", "tape")

    def __init__(self, tape: Tape, region: Region, first: int) -> None:
        self.tape, self.region, self.first, self.on_line = tape, region, first, region.on_line
        self.lane = bytearray(region.rows // 2) if tape.exact and region.parts == 2 else None

    def read(
        self, place: int, stride: int, count: int, lanes: int, split: bool
    ) -> tuple[Value, ...]:
        at, stride, delta, step = self._pairs(place, stride, count, lanes, split)
        if self.lane is not None:
            wanted = SPLIT[lanes] if split else PAIRS[lanes]
            starts = (at + i * stride for i in range(count))
            if any(self.lane[start : start + lanes] != wanted for start in starts):
                raise Untaken("split vectors read as pairs, or the other way round")
        return tuple(
            self.tape.value(LOAD, lanes, self.first + 2 * (at + i * stride), step, delta)
            for i in range(count)
        )

    def write(self, place: int, stride: int, vectors: Sequence[Any], split: bool) -> None:
        """Put vectors there."""
        lanes = _alike(vectors)
        at, stride, delta, step = self._pairs(place, stride, len(vectors), lanes, split)
        for i, vector in enumerate(vectors):
            there = at + i * stride
            self.tape.step(STORE, vector.number, lanes, self.first + 2 * there, step, delta)
            if self.lane is not None:
                self.lane[there : there + lanes] = SPLIT[lanes] if split else PAIRS[lanes]

    def read_lists(
        self, place: int, im: Any, other: int, stride: int, count: int, lanes: int
    ) -> tuple[Value, ...]:
        """Return so many vectors with real parts from here, and imaginary ones from elsewhere."""
        here, gap, stride = self._lists(place, im, other, stride, count, lanes)
        return tuple(
            self.tape.value(LOAD, lanes, here + i * stride, 1, gap, 1) for i in range(count)
        )

    def write_lists(
        self, place: int, im: Any, other: int, stride: int, vectors: Sequence[Any]
    ) -> None:
        """Put the parts of vectors there."""
        lanes = _alike(vectors)
        here, gap, stride = self._lists(place, im, other, stride, len(vectors), lanes)
        for h in range(2):  # all real parts, then all imaginary ones
            for i, vector in enumerate(vectors):
                there = here + i * stride + h * gap
                self.tape.step(STORE, vector.number, lanes, there, 1, -1 - h, 1)

    def _pairs(
        self, place: int, stride: int, count: int, lanes: int, split: bool
    ) -> tuple[int, int, int, int]:
        """Return place, stride, and how many rows on imaginary parts and the next lane are."""
        if self.region.parts != 2:
            raise Untaken("real numbers read or written as complex ones")
        at, stride = _within(place, stride, count, lanes, self.region.rows // 2)
        return (at, stride, lanes, 1) if split and not self.tape.exact else (at, stride, 1, 2)

    def _lists(
        self, place: int, im: Any, other: int, stride: int, count: int, lanes: int
    ) -> tuple[int, int, int]:
        """Return the first row of real parts, how far on imaginary parts are, and the stride."""
        if type(im) is not Memory or (self.tape.exact and self.region.parts * im.region.parts != 1):
            raise Untaken("lists in memory of complex numbers")
        here, stride = _within(place, stride, count, lanes, self.region.rows)
        there, _ = _within(other, stride, count, lanes, im.region.rows)
        return self.first + here, im.first + there - self.first - here, stride


def _within(place: Any, stride: Any, count: Any, lanes: int, size: int) -> tuple[int, int]:
    """Return place and stride; raise Untaken where vectors are not within so many elements."""
    at, stride, count = whole_number(place), whole_number(stride), whole_number(count)
    ends = at, at + (count - 1) * stride
    inside = all(0 <= end <= size - lanes for end in ends)
    if count < 1 or not 1 <= lanes <= MOST_LANES or not inside:
        raise Untaken("a place beyond the end of an array")
    return at, stride


def _alike(vectors: Sequence[Any]) -> int:
    """Return the lanes of vectors of data."""
    if not vectors or not _are_alike(vectors):
        raise Untaken("unlike vectors, or constants, put where data are")
    return int(vectors[0].lanes)


def _are_alike(vectors: Sequence[Any]) -> bool:
    """Return whether these are vectors of data with the same number of lanes."""
    return all(type(each) is Value and each.lanes == vectors[0].lanes for each in vectors)


class Tape:
    """What a kernel does, step by step."""

    def __init__(
        self, regions: Sequence[Region], tables: Sequence[tuple[int, bool]], exact: bool
    ) -> None:
        self.exact, self.values, self.groups, self.rows = exact, 0, 0, 0
        self._steps, self._lists, self._entries = array("i"), array("i"), array("i")
        self._factors: dict[tuple[type, str], int] = {}
        self.factors: list[float] = []
        self.entries = 0
        self.memories = [self._memory(region) for region in regions]
        self.tables = [Table(self, i, *table) for i, table in enumerate(tables)]

    def _memory(self, region: Region) -> Memory:
        memory = Memory(self, region, self.rows)
        self.rows += region.rows
        return memory

    def value(
        self, operation: int, lanes: int, a: int, b: int = 0, c: int = 0, d: int = 0
    ) -> Value:
        """Write a step down and return its result."""
        number = self.values
        self.values = number + 1
        self._steps.extend((operation, number, a, b, c, d, lanes))
        return Value(self, number, lanes)

    def step(
        self, operation: int, value: int, lanes: int, a: int, b: int, c: int, d: int = 0
    ) -> None:
        """Write a step down that has no result, but a value that it takes."""
        self._steps.extend((operation, value, a, b, c, d, lanes))

    def factor(self, c: float) -> int:
        """Return the number of a real constant."""
        key = type(c), repr(c)
        if key not in self._factors:
            self._factors[key] = len(self.factors)
            self.factors.append(c)
        return self._factors[key]

    def entry(self, table: int, place: int, lanes: int, split: bool, group: int) -> int:
        """Return the number of the first of constants that are read."""
        first = self.entries
        self.entries += lanes
        self._entries.extend((table, place, lanes, split, first, group))
        return first

    def listed(self, values: Sequence[Value]) -> int:
        """Return where a list of values begins."""
        start = len(self._lists)
        self._lists.extend([value.number for value in values])
        return start

    @property
    def steps(self) -> NDArray[np.int32]:
        """All steps, of shape (number of steps, COLUMNS)."""
        return np.array(self._steps, np.int32).reshape(-1, COLUMNS)

    @property
    def lists(self) -> NDArray[np.int32]:
        """The values that are transposed together, list after list."""
        return np.array(self._lists, np.int32)

    @property
    def read(self) -> NDArray[np.int32]:
        """What is read of tables: table, place, lanes, split, first entry, group of vectors."""
        return np.array(self._entries, np.int32).reshape(-1, 6)
