"""Vectors of ordinary numbers, with the bits that numpy computes round by round.

    Numbers       an array (*rounds, W)

Products are those of arrays that lie side by side: of others numpy may round differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact.data import wrong
from proofs.certify.language.table_entries import Undecided
from proofs.certify.rounds.exact_vectors import blockwise
from proofs.certify.rounds.indices import Integers, Opaque
from proofs.certify.rounds.memory import Address, Level, Memory
from proofs.certify.rounds.planes import numbers_at

Array = NDArray[Any]


class Numbers(Opaque):
    """W complex numbers for each round."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: Array) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return self.numbers.shape[-1]

    def __add__(self, other: Any) -> Numbers:
        return Numbers(self.numbers + _of(other))

    def __sub__(self, other: Any) -> Numbers:
        return Numbers(self.numbers - _of(other))

    def turned(self, sign: int) -> Numbers:
        """Return i or -i times the vector."""
        return Numbers(np.ascontiguousarray(self.numbers) * (sign * 1j))

    def mirrored(self) -> Numbers:
        """Return the conjugates of the lanes in reverse order."""
        return Numbers(self.numbers[..., ::-1].conj())

    def bent(self) -> Numbers:
        """Return the vector with its imaginary parts in reverse order."""
        return Numbers(self.numbers.real + 1j * np.ascontiguousarray(self.numbers.imag[..., ::-1]))

    def muladd(self, c: float, other: Any) -> Numbers:
        """Return c times the vector, plus the other."""
        return Numbers(np.ascontiguousarray(self.numbers) * c + _of(other))

    def every(self, parts: int, first: int) -> Numbers:
        """Return the lanes first, first + parts, .. as a vector."""
        return Numbers(self.numbers[..., first::parts])

    def repeated(self, lanes: int) -> Numbers:
        """Return a vector of this one number."""
        return Numbers(np.repeat(self.numbers, lanes, axis=-1))

    def times(self, other: Any) -> Numbers:
        """Return the products of two vectors."""
        one, two = np.broadcast_arrays(self.numbers, _of(other))
        return Numbers(np.ascontiguousarray(one) * np.ascontiguousarray(two))

    @staticmethod
    def transposed(v: Sequence[Numbers]) -> tuple[Numbers, ...]:
        """Return the vectors of blocks of W, transposed."""
        same = np.broadcast_arrays(*(each.numbers for each in v))
        rows = blockwise([np.moveaxis(each, -1, 0) for each in same])
        return tuple(Numbers(np.moveaxis(row, 0, -1)) for row in rows)

    def last(self, depth: int) -> Numbers:
        """Return what is left of a loop with so many around it: the value of its last round."""
        return self if self.numbers.ndim <= depth + 1 else Numbers(self.numbers[-1])


def _of(value: Any) -> Array:
    if not isinstance(value, Numbers):
        raise Undecided("a vector of numbers and what is none")
    return value.numbers


class Floats(Memory):
    """Ordinary numbers by their address, complex ones or real ones for lists."""

    def __init__(self, address: Address) -> None:
        self.array: Array = address.again()
        super().__init__(address)
        self.own = self.array.copy()

    def begin(self, size: int) -> None:
        """Begin with so many elements that are neither read nor written."""
        super().begin(size)
        self.own = np.empty(size, self.array.dtype)

    def take(self, at: Integers, other: Floats, there: Integers) -> None:
        """Take the elements at places of another memory."""
        self.own[at] = other.own[there]

    def load(self, at: Integers, split: bool, levels: list[Level]) -> tuple[Numbers, ...]:
        """Return the vectors at these places (count, *rounds, lanes)."""
        self._demand("c")
        self.note(at, False, levels)
        return tuple(map(Numbers, numbers_at(self.own, at, split)))

    def store(self, at: Integers, vectors: Sequence[Any], split: bool, levels: list[Level]) -> None:
        """Put vectors at places."""
        self._demand("c")
        self.note(at, True, levels)
        floats, lanes = self.own.view(self.own.real.dtype), at.shape[-1]
        re, gap = (2 * at[..., :1] + np.arange(lanes), lanes) if split else (2 * at, 1)
        for each, place in zip(vectors, re, strict=True):
            floats[place], floats[place + gap] = _of(each).real, _of(each).imag

    def part(self, at: Integers, levels: list[Level]) -> Array:
        """Return real numbers (count, *rounds, lanes)."""
        self._demand("f")
        self.note(at, False, levels)
        found: Array = self.own[at]
        return found

    def put(self, at: Integers, vectors: Sequence[Any], side: int, levels: list[Level]) -> None:
        """Put real or imaginary parts at places."""
        self._demand("f")
        self.note(at, True, levels)
        for each, place in zip(vectors, at, strict=True):
            self.own[place] = _of(each).imag if side else _of(each).real

    def _demand(self, kind: str) -> None:
        if self.array.dtype.kind != kind:
            raise wrong(f"{self.array.dtype} where a kernel uses numbers of another kind")

    def end(self) -> None:
        """Write back what is written."""
        if self.written.any():
            self.array[self.written] = self.own[self.written]
