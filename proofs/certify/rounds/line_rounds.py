"""Operations on lines of 64 bytes, in all rounds at once.

line = array (*rounds, lanes, parts)      bytes, or the elements of a permutation
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.widths import BYTES
from proofs.certify.exact.data import Data, wrong
from proofs.certify.exact.space import UNWRITTEN
from proofs.certify.language.table_entries import Undecided
from proofs.certify.rounds.indices import Integers, Opaque, integers, shown
from proofs.certify.rounds.memory import Address, Cells
from proofs.certify.rounds.running import Running


class Line(Opaque):
    """A line for each round, as an array of lanes."""

    __slots__ = ("parts",)
    by_round = "parts", 0, 2
    said = "a line"

    def __init__(self, parts: NDArray[Any]) -> None:
        self.parts = parts


class Octets(Cells):
    """Elements in lines: the bytes of an ordinary array, or tokens, `width` bytes each."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self.width = self.array.itemsize if address.data else 1

    def rows(self) -> NDArray[Any]:
        """Return the elements, a view."""
        return super().rows() if isinstance(self.array, Data) else self.array.view(np.uint8)

    def lines(self, place: Any) -> Integers:
        """Return the places of a line's elements, an array (1, *rounds, elements)."""
        if BYTES % self.width:
            raise wrong(f"elements of {self.width} bytes in lines of {BYTES}")
        count = BYTES // self.width
        whole = integers(place)
        if not 0 <= whole.min(initial=0) <= whole.max(initial=0) < max(self.size // count, 1):
            words = f"line {whole.max(initial=0)} of memory of {self.size // count} lines"
            raise wrong(f"{words}: a kernel keeps within its arrays")
        return self.places(place * count, 0, 1, count)


class Lines:
    """The operations of the section."""

    def __init__(self, running: Running) -> None:
        self.running = running

    def _memory(self, address: Any) -> Octets:
        found = self.running.memory(address, Octets)
        assert isinstance(found, Octets)
        return found

    def load(self, address: Any, place: Any, places: Any, itemsize: int) -> tuple[Line, ...]:
        """Return the lines at place ^ places[0], .., with lanes of so many bytes."""
        memory = self._memory(address)
        itemsize = int(itemsize)
        if itemsize % memory.width or BYTES % itemsize:
            raise wrong(f"lanes of {itemsize} bytes of elements of {memory.width}")
        found = []
        for each in places:
            at = memory.lines(place ^ each)
            memory.note(at, False, self.running.levels)
            line = memory.own[at[0]]
            if line.dtype != np.uint8 and (line == UNWRITTEN).any():
                raise wrong("a kernel moves elements that are uninitialised")
            shape = BYTES // itemsize, itemsize // memory.width
            found.append(Line(line.reshape(*line.shape[:-1], *shape)))
        self.running.spend(sum(line.parts.size for line in found))
        return tuple(found)

    def store(self, address: Any, place: Any, places: Any, lines: Any) -> None:
        """Put lines at place ^ places[0], .."""
        memory = self._memory(address)
        for each, line in zip(places, lines, strict=True):
            at, parts = memory.lines(place ^ each), _parts(line)
            if parts.dtype != memory.own.dtype or parts.shape[-1] * parts.shape[-2] != at.shape[-1]:
                raise wrong("a line is put where lines of other elements are")
            memory.note(at, True, self.running.levels)
            memory.own[at[0]] = parts.reshape(*parts.shape[:-2], -1)

    def stream(self, address: Any, place: Any, places: Any, lines: Any) -> None:
        """Put lines into memory that begins on a line."""
        if not address.on_line:
            raise wrong(f"a line is streamed into memory that does not begin on {BYTES} bytes")
        self.running.pending += 1
        self.store(address, place, places, lines)

    def prefetch(self, address: Any, place: Any, places: Any) -> None:
        """Do nothing."""

    def permute(self, lines: Any, indices: Any, flip: Any) -> tuple[Line, ...]:
        """Return lines with element index[lane] ^ flip in each lane."""
        return tuple(_permuted(line, i, flip) for line, i in zip(lines, indices, strict=True))

    def exchange(self, lines: Any, bit: int) -> tuple[Line, ...]:
        """Return lines after this bit of the numbers of lanes and of lines has changed places."""
        v, bit = list(lines), int(bit)
        step = bit if bit < len(v) else bit // 8
        for i, k in ((i, i | step) for i in range(len(v)) if not i & step):
            v[i], v[k] = _exchanged(v[i], v[k], bit)
        return tuple(v)


def _parts(line: Any) -> NDArray[Any]:
    if not isinstance(line, Line):
        raise Undecided(f"a kernel has {shown(line)} where it needs a line")
    return line.parts


def _permuted(line: Any, index: Any, flip: Any) -> Line:
    parts, chosen = _parts(line), _chosen(_parts(index))
    lanes, turn = parts.shape[-2], integers(flip)
    if chosen.shape[-1] != lanes or not 0 <= turn.min() <= turn.max() < lanes:
        raise wrong(f"{lanes} lanes permuted by {chosen.shape[-1]} indices, turned by {turn.max()}")
    at = chosen ^ turn[..., None]
    rounds = np.broadcast_shapes(at.shape[:-1], parts.shape[:-2])
    at, parts = (
        np.broadcast_to(at, (*rounds, lanes))[..., None],
        np.broadcast_to(parts, (*rounds, *parts.shape[-2:])),
    )
    return Line(np.take_along_axis(parts, at, axis=-2))


def _chosen(parts: NDArray[Any]) -> Integers:
    """Return which lane an index vector chooses for each lane."""
    lanes, itemsize = parts.shape[-2:]
    if parts.dtype != np.uint8:
        raise Undecided("a line of elements in place of one of indices")
    word, count = min(itemsize, 8), max(itemsize // 8, 1)
    words = np.ascontiguousarray(parts).view(f"u{word}").astype(np.int64)
    chosen: Integers = words[..., 0] // count
    if (
        (words < 0).any()
        or (chosen >= lanes).any()
        or (words != chosen[..., None] * count + np.arange(count)).any()
    ):
        raise wrong(f"an index vector for {lanes} lanes that does not choose whole elements")
    return chosen


def _exchanged(v: Any, w: Any, bit: int) -> tuple[Line, Line]:
    one, other = np.broadcast_arrays(_parts(v), _parts(w))
    lanes, size = one.shape[-2:]
    if bit not in [1 << k for k in range(lanes.bit_length() - 1)]:
        raise wrong(f"lines of {lanes} lanes exchange bit {bit}")
    shape = (*one.shape[:-2], -1, 2, bit, size)
    low, high = one.reshape(shape).copy(), other.reshape(shape).copy()
    low[..., 1, :, :], high[..., 0, :, :] = (high[..., 0, :, :].copy(), low[..., 1, :, :].copy())
    return Line(low.reshape(one.shape)), Line(high.reshape(one.shape))
