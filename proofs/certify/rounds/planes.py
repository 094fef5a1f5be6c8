"""Memory of exact elements, and of the constants that they are multiplied with.

A place has a code: -1 until it is read or written, 0 where uninitialised, else 32 times the number
of its bounds, plus its lane plus 1 where it is part of a split vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact.data import Data, wrong
from proofs.certify.exact.space import PAIR, UNWRITTEN, Space, units
from proofs.certify.language.table_entries import Undecided
from proofs.certify.rounds.exact_vectors import (
    NOTHING,
    Bounds,
    Constants,
    Elements,
    Residues,
    most_of,
    tuple_of,
    with_axes,
)
from proofs.certify.rounds.indices import Integers
from proofs.certify.rounds.memory import Address, Level, Memory

UNSEEN, CODES = -1, 32
"""Codes of a place with the same bounds: a pair, and as many lanes as a vector may have."""


class Planes(Memory):
    """Exact elements by their address, complex ones or real ones for lists."""

    def __init__(self, address: Address) -> None:
        self.array: Data = address.again()
        self.space = self.array.space
        self.bounds = [NOTHING, NOTHING]
        super().__init__(address, address.size)

    def begin(self, size: int) -> None:
        super().begin(size)
        shape = self.array.parts, self.space.stimuli, size
        self.residues: Residues = np.empty(shape, np.uint64)
        self.codes = np.full(size, UNSEEN, np.int32)

    def take(self, at: Integers, other: Planes, there: Integers) -> None:
        self.residues[:, :, at] = other.residues[:, :, there]
        self.codes[at] = other.codes[there]

    def _open(self) -> None:
        """Read the array, but where the kernel has written: many arrays are only written."""
        numbers, unseen = self.array.numbers, self.codes == UNSEEN
        found = np.ascontiguousarray(numbers[..., : self.space.stimuli].transpose(1, 2, 0))
        known = unseen.copy()
        for row in found.reshape(-1, self.size):  # each side by side: much faster than all()
            known &= row != UNWRITTEN
        if unseen.all():
            self.residues = found.view(np.uint64)
        else:
            self.residues[:, :, unseen] = found.view(np.uint64)[:, :, unseen]
        self.codes[unseen] = np.where(known[unseen], CODES, 0)
        self.bounds[1] = _most(self.array, known)

    def load(self, at: Integers, split: bool, levels: list[Level]) -> tuple[Elements, ...]:
        """Return the vectors at these places (count, *rounds, lanes)."""
        self._demand(2)
        residues, bounds = self._loaded(at, split, levels)
        return tuple(Elements(residues[:, :, i], bounds, self.space) for i in range(len(at)))

    def part(self, at: Integers, levels: list[Level]) -> tuple[Residues, Bounds]:
        """Return real elements (K, count, *rounds, lanes), as parts of complex ones."""
        self._demand(1)
        residues, bounds = self._loaded(at, False, levels)
        return residues[0], bounds

    def _loaded(self, at: Integers, split: bool, levels: list[Level]) -> tuple[Residues, Bounds]:
        self.note(at, False, levels)
        codes = self.codes[at]
        low = int(codes.min(initial=CODES))
        if low == UNSEEN:
            self._open()
            codes = self.codes[at]
            low = int(codes.min(initial=CODES))
        if low < CODES:
            raise wrong("a kernel computes with elements that are uninitialised")
        if split:
            codes -= np.arange(1, at.shape[-1] + 1, dtype=np.int32)
            low = int(codes.min(initial=CODES))
        alike = low == int(codes.max(initial=low))
        if low % CODES if alike else (codes & (CODES - 1)).any():
            raise wrong("a kernel reads pairs where elements are split, or the other way round")
        kinds = [low] if alike else np.flatnonzero(np.bincount(codes.reshape(-1)))
        bounds = most_of([self.bounds[int(each) // CODES] for each in kinds])
        return self.residues[:, :, at], bounds

    def store(self, at: Integers, vectors: Sequence[Any], split: bool, levels: list[Level]) -> None:
        """Put vectors at places."""
        self._demand(2)
        _demand_elements(vectors)
        self.note(at, True, levels)
        lanes = np.arange(1, at.shape[-1] + 1, dtype=np.int32) if split else 0
        code = self._code(most_of([each.bounds for each in vectors]))
        for each, place in zip(vectors, at, strict=True):
            self.residues[:, :, place] = with_axes(each.least(), place.ndim)
        self.codes[at] = code + lanes

    def put(self, at: Integers, vectors: Sequence[Any], side: int, levels: list[Level]) -> None:
        """Put real or imaginary parts at places: halves of sums of conjugates."""
        self._demand(1)
        _demand_elements(vectors)
        self.note(at, True, levels)
        magnitude, halves, exchanges, degree = most_of([each.bounds for each in vectors])
        for each, place in zip(vectors, at, strict=True):
            self.residues[0][:, place] = with_axes(each.least(), place.ndim)[side]
        self.codes[at] = self._code((magnitude, halves + 2, exchanges, degree))

    def _code(self, bounds: Bounds) -> int:
        if bounds not in self.bounds:
            self.bounds.append(bounds)
        return CODES * self.bounds.index(bounds)

    def _demand(self, parts: int) -> None:
        if self.array.parts != parts:
            kinds = "real elements where a kernel uses complex ones", "complex ones for real ones"
            raise wrong(kinds[parts == 1])

    def end(self) -> None:
        """Write back what is written; what is left of split vectors is uninitialised."""
        at = np.flatnonzero(self.written)
        numbers, stimuli = self.array.numbers, self.space.stimuli
        self.array.touch(False, np.flatnonzero(self.read))
        if not len(at):
            return
        whole = len(at) == self.size
        codes = self.codes if whole else self.codes[at]
        split = (codes & (CODES - 1)) > 0
        bounds = np.array(self.bounds)[np.where(split, 0, codes // CODES)]
        rows = numbers if whole else np.empty((len(at), *numbers.shape[1:]), np.int64)
        rows[..., :stimuli] = (self.residues if whole else self.residues[:, :, at]).transpose(
            2, 0, 1
        )
        rows[..., stimuli:PAIR] = bounds[:, None]
        rows[..., PAIR] = self.array.parts - 1
        if split.any():
            rows[split, :, :stimuli] = UNWRITTEN
        if not whole:
            numbers[at] = rows
        self.array.touch(True, at)


def _most(array: Data, known: NDArray[np.bool_]) -> Bounds:
    """Return bounds that all known entries keep."""
    if not known.any():
        return NOTHING
    numbers, every = array.numbers, known.all()
    if array.parts == 2 and numbers[..., PAIR].all():  # column by column: much faster than by rows
        columns = (
            numbers[..., column] for column in range(array.space.stimuli, array.space.columns - 1)
        )
        most = [(column if every else column[known]).max() for column in columns]
        return tuple_of(np.array(most))
    return tuple_of(array.bounds()[known].reshape(-1, 4).max(axis=0))


def _demand_elements(vectors: Sequence[Any]) -> None:
    if not all(isinstance(each, Elements) for each in vectors):
        raise wrong(
            "a kernel puts constants where data are: what it computes is linear in its data"
        )


class Table(Memory):
    """Constants by their address, which are recognised where they are read."""

    def __init__(self, address: Address, space: Space) -> None:
        super().__init__(address, address.size)
        self.array, self.space = address.again(), space

    def load(self, at: Integers, split: bool, levels: list[Level]) -> tuple[Constants, ...]:
        """Return the constants at these places (count, *rounds, lanes)."""
        if self.array.dtype.kind != "c":
            raise Undecided(f"constants of {self.array.dtype} where a kernel reads complex ones")
        self.note(at, False, levels)
        numbers = numbers_at(self.array, at, split)
        found = self.space.constants(numbers.reshape(-1))
        bounds = units(found.magnitude), found.halves, 0, 0
        residues = np.ascontiguousarray(found.residues.T).view(np.uint64).reshape(2, *at.shape)
        return tuple(Constants(residues[:, i], bounds) for i in range(len(at)))

    def store(self, *_: Any) -> None:
        """Refuse to write."""
        raise wrong(
            "a kernel writes into a table of constants: arrays of data are made by np.empty,"
            " np.zeros or aligned with the type of the data"
        )

    put = store

    def part(self, *_: Any) -> Any:
        """Refuse to read a list of constants."""
        raise Undecided("a list of constants in a kernel")


def numbers_at(array: NDArray[Any], at: Integers, split: bool) -> NDArray[Any]:
    """Return the complex numbers of vectors at places, of which the parts may be split."""
    if not split:
        found: NDArray[Any] = array[at]
        return found
    floats, lanes = array.view(array.real.dtype), at.shape[-1]
    re = 2 * at[..., :1] + np.arange(lanes)
    made = np.empty(at.shape, array.dtype)
    made.real, made.imag = floats[re], floats[re + lanes]
    return made
