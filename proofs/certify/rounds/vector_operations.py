"""Operations on complex vectors, in all rounds at once: the names of codegen/kernels/vectors.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from proofs.certify.exact.data import wrong
from proofs.certify.exact.space import UNIT, Space
from proofs.certify.language.table_entries import COMPUTES, Operation, Undecided
from proofs.certify.rounds.exact_vectors import Constants, Elements, alike, most_of
from proofs.certify.rounds.indices import integers, shown
from proofs.certify.rounds.memory import Address, Memory
from proofs.certify.rounds.ordinary_vectors import Floats, Numbers
from proofs.certify.rounds.planes import Planes, Table
from proofs.certify.rounds.running import Running

LANES = (1, 2, 4, 8, 16)
"""Lanes that a processor's vector may have: other numbers leave gaps in memory."""


class Vectors:
    """The operations of the section."""

    def __init__(self, running: Running, space: Space | None) -> None:
        self.running, self.space = running, space
        self.itemsize = 0

    def _kind(self, address: Address) -> Memory:
        self._of_size(address.dtype)
        if self.space is None or self.space.recognizer is None:
            if address.data:
                raise Undecided(f"a kernel {COMPUTES}")
            return Floats(address)
        return Planes(address) if address.data else Table(address, self.space)

    def memory(self, address: Any) -> Any:
        """Return the memory of an address."""
        running = self.running
        found = running.memory(address, self._kind)
        if found.number is None:
            found.number = len(running.memories)
        return found.of_rounds(running.levels)

    def _of_size(self, dtype: Any) -> None:
        """Raise Undecided for complex numbers of several sizes."""
        kind = np.dtype(dtype)
        size = kind.itemsize * (1 if kind.kind == "c" else 2)
        if self.itemsize not in (0, size):
            raise Undecided(f"kernels on complex numbers of {self.itemsize} and {size} bytes")
        self.itemsize = size

    def _places(self, memory: Memory, *given: Any) -> Any:
        at = memory.places(*given)
        self.running.spend(at.size)
        return at

    def loads(self, dtype: Any, lanes: Any) -> tuple[Operation, ...]:
        """Return load, load_pairs and broadcast for vectors of so many lanes."""
        self._of_size(dtype)
        lanes = _lanes(lanes)

        def load(split: bool, number: int = lanes) -> Callable[..., Any]:
            def found(address: Any, place: Any, stride: Any, count: Any) -> tuple[Any, ...]:
                memory = self.memory(address)
                at = self._places(memory, place, stride, int(count), number)
                vectors: tuple[Any, ...] = memory.load(at, split, self.running.levels)
                return vectors

            return found

        one = load(False, 1)

        def broadcast(*given: Any) -> tuple[Any, ...]:
            return tuple(each.repeated(lanes) for each in one(*given))

        return (
            Operation("load", load(True)),
            Operation("load_pairs", load(False)),
            Operation("broadcast", broadcast),
        )

    def lists(self, dtype: Any, lanes: Any) -> Operation:
        """Return load_lists for vectors of so many lanes."""
        self._of_size(dtype)
        lanes = _lanes(lanes)

        def load_lists(
            re: Any, place: Any, im: Any, other: Any, stride: Any, count: Any
        ) -> tuple[Any, ...]:
            parts = []
            for address, start in ((re, place), (im, other)):
                memory = self.memory(address)
                at = self._places(memory, start, stride, int(count), lanes)
                parts.append(memory.part(at, self.running.levels))
            return self._complex(*parts)

        return Operation("load_lists", load_lists)

    def _complex(self, re: Any, im: Any) -> tuple[Any, ...]:
        """Return vectors with these parts, (count, *rounds, lanes)."""
        if self.space is None:
            one, other = np.broadcast_arrays(*alike(re, im, 1))
            return tuple(Numbers(a + 1j * b) for a, b in zip(one, other, strict=True))
        (a, one), (b, other) = re, im
        magnitude, halves, exchanges, degree = most_of([one, other])
        bounds = magnitude + UNIT, halves, exchanges, degree
        both = np.broadcast_arrays(*alike(np.moveaxis(a, 1, 0), np.moveaxis(b, 1, 0)))
        return tuple(
            Elements(np.stack(each), bounds, self.space) for each in zip(*both, strict=True)
        )

    def store(self, split: bool, streamed: bool) -> Callable[..., None]:
        """Return what stores vectors, which are split or pairs."""

        def put(address: Any, place: Any, stride: Any, vectors: Sequence[Any]) -> None:
            memory = self.memory(address)
            lanes = len(_vector(vectors[0]))
            if streamed:
                self._demand_lines(address, place, stride, len(vectors), lanes)
            at = self._places(memory, place, stride, len(vectors), lanes)
            memory.store(at, vectors, split, self.running.levels)

        return put

    def _demand_lines(self, address: Any, place: Any, stride: Any, count: int, lanes: int) -> None:
        apart = integers(stride) if count > 1 else np.zeros(1, np.int64)
        if not address.on_line or (integers(place) % lanes).any() or (apart % lanes).any():
            raise wrong(
                "vectors are streamed to places that are not multiples of their size, or to memory"
                " that does not begin on 64 bytes"
            )
        self.running.pending += 1

    def store_blocks(self, address: Any, place: Any, far: Any, vectors: Sequence[Any]) -> None:
        """Put every block of W vectors side by side, the next so far on."""
        lanes, put = len(_vector(vectors[0])), self.store(True, False)
        for i in range(0, len(vectors), lanes):
            put(address, place + i // lanes * far, lanes, vectors[i : i + lanes])

    def dealer(self, streamed: bool) -> Callable[..., None]:
        """Return what stores lanes q, q + parts, .. contiguously, at q times `far`."""
        put = self.store(False, streamed)

        def deal(
            address: Any, place: Any, stride: Any, far: Any, parts: Any, vectors: Sequence[Any]
        ) -> None:
            count = min(int(parts), len(_vector(vectors[0])))
            for i, vector in enumerate(vectors):
                some = [_vector(vector).every(count, q) for q in range(count)]
                put(address, place + i * stride, far, some)

        return deal

    def store_lists(
        self, re: Any, place: Any, im: Any, other: Any, stride: Any, vectors: Sequence[Any]
    ) -> None:
        """Put real and imaginary parts of vectors where load_lists finds them."""
        for side, (address, start) in enumerate(((re, place), (im, other))):
            memory = self.memory(address)
            at = self._places(memory, start, stride, len(vectors), len(_vector(vectors[0])))
            memory.put(at, vectors, side, self.running.levels)

    def named(self) -> dict[str, Callable[..., Any]]:
        """Return the operations by their names."""
        return {
            "loads": self.loads,
            "lists": self.lists,
            "store": self.store(True, False),
            "store_pairs": self.store(False, False),
            "stream": self.store(True, True),
            "stream_pairs": self.store(False, True),
            "store_blocks": self.store_blocks,
            "deal": self.dealer(False),
            "stream_dealt": self.dealer(True),
            "store_lists": self.store_lists,
            "times_i": lambda v: _vector(v).turned(1),
            "times_minus_i": lambda v: _vector(v).turned(-1),
            "mirrored": lambda v: _vector(v).mirrored(),
            "bent": lambda v: _vector(v).bent(),
            "muladd": lambda c, v, w: _vector(v).muladd(float(c), w),
            "times": times,
            "transpose": transpose,
        }


def times(v: Sequence[Any], w: Sequence[Any]) -> tuple[Any, ...]:
    """Return the vectors v, each times that of w, lane by lane."""
    if len(v) != len(w):
        raise Undecided(f"products of {len(v)} and {len(w)} vectors")
    return tuple(
        _vector(b).times(a) if isinstance(a, Constants) else _vector(a).times(b)
        for a, b in zip(v, w, strict=True)
    )


def transpose(v: Sequence[Any]) -> tuple[Any, ...]:
    """Return the vectors after every block of W of them, W x W elements, is transposed."""
    kind = type(_vector(v[0]))
    if any(type(each) is not kind for each in v) or len(v) % len(v[0]):
        raise Undecided("a transposition of vectors that are not blocks")
    found: tuple[Any, ...] = kind.transposed(v)
    return found


def _vector(value: Any) -> Any:
    """Return a vector of elements or numbers."""
    if isinstance(value, Constants):
        raise wrong("a kernel computes with constants alone, or puts them where data are")
    if not isinstance(value, Elements | Numbers):
        raise Undecided(f"a kernel has {shown(value)} where it needs a vector")
    return value


def _lanes(lanes: Any) -> int:
    if not isinstance(lanes, int) or lanes not in LANES:
        raise Undecided(f"vectors of {lanes} lanes")
    return int(lanes)
