"""What stands for the memory of kernels on complex vectors where the data are exact elements.

A kernel is given addresses. Behind one is an array of elements, each with what it has been through,
or a table of constants. While a kernel runs, an element is part of a pair, as numpy has it, or of a
vector that is split; what is left split when it ends is spoiled.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels import plain, plain_vectors
from proofs.certify.arrays.constants import Recognizer
from proofs.certify.arrays.elements import Elements
from proofs.certify.arrays.residue_arrays import Past
from proofs.certify.arrays.residues import Residues
from proofs.certify.forbidden import Forbidden
from proofs.certify.kernels.vectors import Constant, Vector

PAIR = -1
"""The lane of an element that is not in a split vector."""


def lent(array: NDArray[Any]) -> Callable[[], NDArray[Any]]:
    """Return a weak reference to an array, which raises ValueError when the array is gone."""
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    owner, gap, shape, dtype = (
        weakref.ref(whole),
        start(array) - start(whole),
        array.shape,
        array.dtype,
    )

    def again() -> NDArray[Any]:
        found = owner()
        if found is None:
            raise ValueError(
                "the address of an array that is no longer there: an address does not keep it"
            )
        return np.ndarray(shape, dtype, found, gap)

    return again


def start(array: NDArray[Any]) -> int:
    """Return where an array begins."""
    return int(array.__array_interface__["data"][0])


class Table(plain.Opaque):
    """Constants by their address, which are recognised where they are read."""

    __slots__ = ("again", "on_line", "recognizer")

    def __init__(self, array: NDArray[Any], on_line: bool, recognizer: Recognizer) -> None:
        _side_by_side(array, "c")
        self.again, self.on_line, self.recognizer = lent(array), on_line, recognizer

    def read(
        self, place: int, stride: int, count: int, lanes: int, split: bool
    ) -> tuple[Constant, ...]:
        found = [
            vector.numbers
            for vector in plain_vectors.Numbers(self.again()).read(
                place, stride, count, lanes, split
            )
        ]
        if not found:
            return ()
        known = self.recognizer.recognize(np.stack(found))
        return tuple(
            Constant(residues, known.magnitude, known.halves) for residues in known.residues
        )

    def write(self, place: int, stride: int, vectors: Sequence[Any], split: bool) -> None:
        raise Forbidden(
            "a kernel writes into a table of constants: arrays of data are made by np.empty,"
            " np.zeros or aligned with DTYPE"
        )


class Data(plain.Opaque):
    """Elements by address; while a kernel runs, with bounds, and lanes of split vectors."""

    __slots__ = ("again", "bounds", "lane", "like", "on_line", "recognizer", "written")
    kind = "c"

    def __init__(self, array: Elements, on_line: bool) -> None:
        _side_by_side(array, self.kind)
        self.again, self.on_line, self.written, self.recognizer = (
            lent(array.parts),
            on_line,
            False,
            array.recognizer,
        )
        root, dtype, recognizer = weakref.ref(array.root), array.dtype, array.recognizer

        def like(parts: Residues) -> Elements:
            """Return the elements that have these parts, which are part of the array's."""
            return Elements(parts, dtype, recognizer, root=root())

        self.like = like

    @property
    def extent(self) -> tuple[int, int]:
        """Where the memory begins and ends."""
        parts = self.again()
        return start(parts), start(parts) + parts.nbytes

    def begin(self) -> None:
        """Note that a kernel begins, which finds every element in a pair."""
        parts = self.again()
        past = self.like(parts).past
        self.bounds = np.tile([past.magnitude, past.halves, past.exchanges], (len(parts), 1))
        self.lane, self.written = np.full(len(parts), PAIR), False

    def end(self) -> None:
        """Note that the kernel has ended."""
        if self.written:
            parts = self.again()
            parts[self.lane != PAIR] = -1
            magnitude, halves, exchanges = self.bounds.max(axis=0).tolist()
            found = self.like(parts)
            past = Past(magnitude, int(halves), int(exchanges), found.recognizer.degree)
            found._written(past)

    def read(
        self, place: int, stride: int, count: int, lanes: int, split: bool
    ) -> tuple[Vector, ...]:
        parts = self.again()
        here = plain_vectors.places(place, stride, count, lanes, len(parts))
        if (self.lane[here] != (np.arange(lanes) if split else PAIR)).any():
            wanted, found = (
                ("split vectors", "pairs or other vectors")
                if split
                else ("pairs", "parts of split vectors")
            )
            raise ValueError(
                f"elements from {place} on, {count} vectors {stride} apart, are read as {wanted},"
                f" and are {found}"
            )
        self.like(parts).read(here)
        bounds = self.bounds[here].max(axis=1).tolist()
        return tuple(
            Vector(values, self.recognizer, m, int(h), int(e))
            for values, (m, h, e) in zip(parts[here], bounds, strict=True)
        )

    def write(self, place: int, stride: int, vectors: Sequence[Any], split: bool) -> None:
        parts, q = self.again(), self.recognizer.field.q
        if not all(isinstance(vector, Vector) for vector in vectors):
            raise Forbidden(
                "a kernel puts constants where data are: what it computes is linear in its data"
            )
        lanes = len(vectors[0])
        here, self.written = (
            plain_vectors.places(place, stride, len(vectors), lanes, len(parts)),
            True,
        )
        parts[here] = np.stack([vector.residues for vector in vectors]) % q
        self.bounds[here] = np.array(
            [(vector.magnitude, vector.halvings, vector.exchanges) for vector in vectors]
        )[:, None]
        self.lane[here] = np.arange(lanes) if split else PAIR
        self.like(parts).stored(here)

    def read_lists(self, *_: Any) -> tuple[Vector, ...]:
        raise Forbidden("complex elements where a kernel reads lists of real ones")

    def write_lists(self, *_: Any) -> None:
        raise Forbidden("complex elements where a kernel writes lists of real ones")


class Reals(Data):
    """Real elements by their address, which are read and written as the parts of vectors."""

    __slots__ = ()
    kind = "f"

    def read(self, *_: Any) -> tuple[Vector, ...]:
        raise Forbidden("real elements where a kernel reads complex ones")

    def write(self, *_: Any) -> None:
        raise Forbidden("real elements where a kernel writes complex ones")

    def read_lists(
        self, place: int, im: Any, other: int, stride: int, count: int, lanes: int
    ) -> tuple[Vector, ...]:
        """Return so many vectors with real parts from here, and imaginary ones from elsewhere."""
        sides = [
            memory._found(at, stride, count, lanes)
            for memory, at in ((self, place), (_reals(im), other))
        ]
        values, bounds = (np.stack(side, axis=1) for side in zip(*sides, strict=True))
        most = bounds.max(axis=(1, 2)).tolist()
        parts = values.transpose(0, 2, 1, 3)
        return tuple(
            Vector(found, self.recognizer, m + 1, int(h), int(e))
            for found, (m, h, e) in zip(parts, most, strict=True)
        )

    def write_lists(
        self, place: int, im: Any, other: int, stride: int, vectors: Sequence[Any]
    ) -> None:
        """Put the parts of vectors there."""
        if not all(isinstance(vector, Vector) for vector in vectors):
            raise Forbidden(
                "a kernel puts constants where data are: what it computes is linear in its data"
            )
        for memory, at, h in ((self, place, 0), (_reals(im), other, 1)):
            memory._put(at, stride, vectors, h)

    def _found(
        self, place: int, stride: int, count: int, lanes: int
    ) -> tuple[Residues, NDArray[np.float64]]:
        """Return elements of shape (count, lanes, K), and their bounds."""
        parts = self.again()
        here = plain_vectors.places(place, stride, count, lanes, len(parts))
        self.like(parts).read(here)
        return parts[here, 0], self.bounds[here]

    def _put(self, place: int, stride: int, vectors: Sequence[Vector], h: int) -> None:
        """Write real or imaginary parts, which are halves of sums of conjugates."""
        parts, q = self.again(), self.recognizer.field.q
        here, self.written = (
            plain_vectors.places(place, stride, len(vectors), len(vectors[0]), len(parts)),
            True,
        )
        parts[here, 0] = np.stack([vector.residues[:, h] for vector in vectors]) % q
        self.bounds[here] = np.array(
            [(vector.magnitude, vector.halvings + 1, vector.exchanges) for vector in vectors]
        )[:, None]
        self.like(parts).stored(here)


def _reals(memory: Any) -> Reals:
    if not isinstance(memory, Reals):
        raise Forbidden(
            "a kernel reads or writes lists of real elements in two memories, of which one has none"
        )
    return memory


def _side_by_side(array: Any, kind: str) -> None:
    """Raise Forbidden for an array that no kernel takes."""
    if array.dtype.kind != kind or array.ndim != 1 or not array.flags.c_contiguous:
        what = "complex numbers" if kind == "c" else "real ones for lists,"
        raise Forbidden(
            f"the address of an array of {array.dtype} of shape {array.shape}: a kernel takes"
            f" {what} side by side"
        )


def compiled(function: Callable[..., None]) -> Callable[..., None]:
    """Return a kernel that is run as it is, on memory that knows when it begins and ends."""
    fenced = plain.compiled(function)

    def kernel(*arguments: Any) -> None:
        given = [
            each
            for argument in arguments
            for each in (argument if isinstance(argument, tuple) else (argument,))
        ]
        memories = {each.extent: each for each in given if isinstance(each, Data)}
        if any(begin < end for (_, end), (begin, _) in pairwise(sorted(memories))):
            raise Forbidden(
                "a kernel is given arrays that have some elements in common: that is not modelled,"
                " unless it is one array"
            )
        for memory in memories.values():
            memory.begin()

        def known(each: Any) -> Any:
            """Return an argument, or a tuple of messages, with each memory as it was begun."""
            return (
                tuple(map(known, each))
                if isinstance(each, tuple)
                else memories[each.extent]
                if isinstance(each, Data)
                else each
            )

        fenced(*map(known, arguments))
        for memory in memories.values():
            memory.end()

    return kernel
