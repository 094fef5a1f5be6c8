"""The names of codegen/kernels/vectors.py without a compiler: a vector is an array of W elements,
complex numbers or others that have + - and products.

The text of a kernel means the same here as there, so it can be run on exact elements. What a
compiled kernel would do without a word is an error here: a place beyond the end of an array, pairs
read where elements are split or the other way round, a vector streamed to memory that does not
begin on a line, or that no fence has put in order when its kernel ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index as whole_number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.widths import BYTES, LANES
from tests.support import plain
from tests.support.plain import aligned as aligned
from tests.support.plain import begins_on_line as begins_on_line
from tests.support.plain import compiled as compiled
from tests.support.plain import fence as fence

Loader = Callable[[Any, int, int, int], tuple[Any, ...]]
"""(memory, place, stride, count) -> vectors. What a memory is, and what the vectors are that it
gives, is decided by `address`.
"""


class Vector(plain.Opaque):
    """W complex numbers."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: NDArray[Any]) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.numbers + other.numbers)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.numbers - other.numbers)

    def turned(self, sign: int) -> Vector:
        """Return i or -i times the vector."""
        return Vector(self.numbers * (sign * 1j))

    def mirrored(self) -> Vector:
        """Return the conjugates of the lanes in reverse order."""
        return Vector(self.numbers[::-1].conj())

    def bent(self) -> Vector:
        """Return the vector with its imaginary parts in reverse order."""
        return Vector(self.numbers.real + 1j * self.numbers.imag[::-1])

    def muladd(self, c: float, other: Vector) -> Vector:
        """Return c times the vector, plus the other."""
        return Vector(self.numbers * c + other.numbers)

    def every(self, parts: int, q: int) -> Vector:
        """Return the lanes q, q + parts, .. as a vector."""
        return Vector(self.numbers[q::parts])

    def repeated(self, lanes: int) -> Vector:
        """Return a vector of this one number."""
        return Vector(np.repeat(self.numbers, lanes))

    @staticmethod
    def products(v: Sequence[Vector], w: Sequence[Vector]) -> tuple[Vector, ...]:
        """Return the products of two tuples of vectors."""
        return tuple(Vector(a.numbers * b.numbers) for a, b in zip(v, w, strict=True))

    @staticmethod
    def transposed(v: Sequence[Vector]) -> tuple[Vector, ...]:
        """Return the vectors of blocks of W, transposed."""
        return tuple(map(Vector, blockwise([vector.numbers for vector in v])))


def blockwise(vectors: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return arrays of W entries each after every block of W of them is transposed."""
    lanes = len(vectors[0])
    blocks = (
        np.stack(vectors[first : first + lanes], axis=1) for first in range(0, len(vectors), lanes)
    )
    return [row for block in blocks for row in block]


class Numbers(plain.Opaque):
    """An array of complex numbers, or real ones for lists, as it lies in memory."""

    __slots__ = ("array", "floats", "on_line")

    def __init__(self, array: NDArray[Any]) -> None:
        array = array.reshape(-1)  # side by side, as its address says
        self.array, self.floats, self.on_line = (
            array,
            array.view(array.real.dtype),
            begins_on_line(array),
        )

    def read(
        self, place: int, stride: int, count: int, lanes: int, split: bool
    ) -> tuple[Vector, ...]:
        """Return so many vectors, `stride` apart; raise IndexError where they are not all within
        the memory.
        """
        parts = self.floats[_parts(places(place, stride, count, lanes, len(self.array)), split)]
        return tuple(Vector((re + 1j * im).astype(self.array.dtype)) for re, im in parts)

    def write(self, place: int, stride: int, vectors: Sequence[Vector], split: bool) -> None:
        """Put vectors there."""
        lanes = len(vectors[0])
        there = _parts(places(place, stride, len(vectors), lanes, len(self.array)), split)
        self.floats[there] = [(vector.numbers.real, vector.numbers.imag) for vector in vectors]

    def read_lists(
        self, place: int, im: Numbers, other: int, stride: int, count: int, lanes: int
    ) -> tuple[Vector, ...]:
        """Return so many vectors with real parts from here, and imaginary ones from another
        memory.
        """
        sides = [
            memory.floats[places(at, stride, count, lanes, len(memory.floats))]
            for memory, at in ((self, place), (im, other))
        ]
        return tuple(Vector(re + 1j * im) for re, im in zip(*sides, strict=True))

    def write_lists(
        self, place: int, im: Numbers, other: int, stride: int, vectors: Sequence[Vector]
    ) -> None:
        """Put the parts of vectors there."""
        for memory, at, side in ((self, place, "real"), (im, other, "imag")):
            there = places(at, stride, len(vectors), len(vectors[0]), len(memory.floats))
            memory.floats[there] = [getattr(vector.numbers, side) for vector in vectors]


def places(place: int, stride: int, count: int, lanes: int, size: int) -> NDArray[np.int64]:
    """Return where the elements of vectors are, of shape (count, lanes), in a memory of this size.

    >>> places(2, 8, 2, 4, 32).tolist()
    [[2, 3, 4, 5], [10, 11, 12, 13]]
    >>> places(24, 8, 2, 4, 32)
    Traceback (most recent call last):
    IndexError: elements 24 to 27 and so on, 2 vectors 8 apart, in memory of 32: a kernel reads and writes within its arrays
    """  # noqa: E501
    first, last = whole_number(place), whole_number(place) + (count - 1) * whole_number(stride)
    if count and not 0 <= min(first, last) <= max(first, last) <= size - lanes:
        text = (
            f"elements {place} to {place + lanes - 1} and so on, {count} vectors {stride} apart, in"
            f" memory of {size}"
        )
        raise IndexError(f"{text}: a kernel reads and writes within its arrays")
    return (first + stride * np.arange(count))[:, None] + np.arange(lanes)


def _parts(elements: NDArray[np.int64], split: bool) -> NDArray[np.int64]:
    """Return where real and imaginary parts are, of shape (count, 2, lanes)."""
    lanes = elements.shape[1]
    if split:
        return 2 * elements[:, :1, None] + np.arange(2 * lanes).reshape(1, 2, lanes)
    return 2 * elements[:, None, :] + np.arange(2)[:, None]


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as it is."""
    return function


def blank(count: int, dtype: Any) -> NDArray[Any]:
    """Return room for so many constants, which begins on a line; constants are ordinary numbers
    also where data are not.
    """
    table: NDArray[Any] = aligned(count, dtype)
    return table


def address(array: NDArray[Any]) -> Numbers:
    """Return the elements of an array."""
    return Numbers(array)


memory_of = address


def widest(dtype: Any) -> int:
    """Return the number of lanes."""
    return LANES


def loads(dtype: Any, lanes: int) -> tuple[Loader, Loader, Loader]:
    """Return load, load_pairs and broadcast for vectors of so many lanes."""

    def load(memory: Any, place: int, stride: int, count: int) -> tuple[Any, ...]:
        return memory.read(place, stride, count, lanes, True)

    def load_pairs(memory: Any, place: int, stride: int, count: int) -> tuple[Any, ...]:
        return memory.read(place, stride, count, lanes, False)

    def broadcast(memory: Any, place: int, stride: int, count: int) -> tuple[Any, ...]:
        return tuple(
            vector.repeated(lanes) for vector in memory.read(place, stride, count, 1, False)
        )

    return load, load_pairs, broadcast


def lists(dtype: Any, lanes: int) -> Callable[[Any, int, Any, int, int, int], tuple[Any, ...]]:
    """Return load_lists for vectors of so many lanes."""

    def load_lists(
        re: Any, place: int, im: Any, other: int, stride: int, count: int
    ) -> tuple[Any, ...]:
        found: tuple[Any, ...] = re.read_lists(place, im, other, stride, count, lanes)
        return found

    return load_lists


def store_lists(
    re: Any, place: int, im: Any, other: int, stride: int, vectors: Sequence[Any]
) -> None:
    """Put real and imaginary parts of vectors where load_lists finds them."""
    re.write_lists(place, im, other, stride, vectors)


def mirrored(v: Any) -> Any:
    """Return the conjugates of the lanes of v in reverse order."""
    return v.mirrored()


def bent(v: Any) -> Any:
    """Return v with its imaginary parts in reverse order."""
    return v.bent()


def _storer(split: bool, streamed: bool) -> Callable[[Any, int, int, Sequence[Any]], None]:
    def store(memory: Any, place: int, stride: int, vectors: Sequence[Any]) -> None:
        if streamed and (
            not memory.on_line
            or place % len(vectors[0])
            or (stride % len(vectors[0]) and vectors[1:])
        ):
            raise ValueError(
                "vectors are streamed to places that are not multiples of their size, or to memory"
                f" that does not begin on {BYTES} bytes"
            )
        plain.Streams.pending += streamed
        memory.write(place, stride, vectors, split)

    return store


store, store_pairs, stream, stream_pairs = (
    _storer(True, False),
    _storer(False, False),
    _storer(True, True),
    _storer(False, True),
)


def store_blocks(memory: Any, place: int, far: int, vectors: Sequence[Any]) -> None:
    """Put every block of W vectors side by side, the next so far on."""
    lanes = len(vectors[0])
    for i in range(0, len(vectors), lanes):
        store(memory, place + i // lanes * far, lanes, vectors[i : i + lanes])


def _dealer(put: Callable[[Any, int, int, Sequence[Any]], None]) -> Callable[..., None]:
    def deal(
        memory: Any, place: int, stride: int, far: int, parts: int, vectors: Sequence[Any]
    ) -> None:
        count = min(parts, len(vectors[0]))
        for i, vector in enumerate(vectors):
            put(memory, place + i * stride, far, [vector.every(count, q) for q in range(count)])

    return deal


deal, stream_dealt = _dealer(store_pairs), _dealer(stream_pairs)


def times_i(v: Any) -> Any:
    """Return i v."""
    return v.turned(1)


def times_minus_i(v: Any) -> Any:
    """Return -i v."""
    return v.turned(-1)


def muladd(c: float, v: Any, w: Any) -> Any:
    """Return c v + w for a real number c."""
    return v.muladd(c, w)


def times(v: Sequence[Any], w: Sequence[Any]) -> tuple[Any, ...]:
    """Return the vectors v, each times that of w, lane by lane."""
    return tuple(v[0].products(v, w)) if v else ()


def transpose(v: Sequence[Any]) -> tuple[Any, ...]:
    """Return the vectors after every block of W of them, W x W elements, is transposed.

    >>> rows = [Vector(np.array(list(row))) for row in ("abc", "def", "ghi")]
    >>> ["".join(column.numbers) for column in transpose(rows)]
    ['adg', 'beh', 'cfi']
    """
    return tuple(v[0].transposed(v))
