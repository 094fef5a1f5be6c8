"""Vectors of exact elements and of constants.

    vector = Elements          residues of shape (2, K, *rounds, W), and bounds that all keep
           | Constants         residues of shape (2, *rounds, W)

Residues are below `most` times q: sums are reduced when a product or a store needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact import arithmetic
from proofs.certify.exact.residue_arrays import reduced
from proofs.certify.exact.space import LEAST, UNIT, Space, units
from proofs.certify.language.table_entries import Undecided
from proofs.certify.rounds.indices import Integers, Opaque

Residues = NDArray[np.uint64]
Bounds = tuple[int, int, int, int]
"""Magnitude, halves, exchanges, degree."""
NOTHING: Bounds = (LEAST, 0, 0, 0)
MOST_SUMMANDS = 2**31
"""Sums of so many residues fit 64 bits."""


def blockwise(vectors: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return arrays of W entries each after every block of W of them is transposed."""
    lanes = len(vectors[0])
    blocks = (
        np.stack(vectors[first : first + lanes], axis=1) for first in range(0, len(vectors), lanes)
    )
    return [row for block in blocks for row in block]


@lru_cache(2**16)
def joined(one: Bounds, other: Bounds) -> Bounds:
    """Return the bounds of sums."""
    return tuple_of(arithmetic.joined(np.array(one), np.array(other)))


@lru_cache(2**16)
def multiplied(one: Bounds, other: Bounds, space: Space) -> Bounds:
    """Return the bounds of products; Refuted where their degree is too high."""
    found = arithmetic.multiplied(np.array(one), np.array(other))
    arithmetic.demand_degree(found, space)
    return tuple_of(found)


def tuple_of(bounds: Integers) -> Bounds:
    """Return the bounds of an array of four."""
    magnitude, halves, exchanges, degree = bounds.reshape(4).tolist()
    return magnitude, halves, exchanges, degree


def most_of(bounds: Sequence[Bounds]) -> Bounds:
    """Return bounds that are kept by all numbers that keep one of these."""
    return tuple_of(np.max(np.array([NOTHING, *bounds]), axis=0))


def with_axes(array: NDArray[Any], axes: int, lead: int = 2) -> NDArray[Any]:
    """Return an array with so many axes beside the first ones, which are no loops."""
    missing = axes + lead - array.ndim
    return array.reshape(*array.shape[:lead], *[1] * missing, *array.shape[lead:])


def alike(one: NDArray[Any], other: NDArray[Any], lead: int = 2) -> list[NDArray[Any]]:
    """Return arrays with axes for the same loops; the first axes are no loops."""
    if one.ndim == other.ndim:
        return [one, other]
    axes = max(one.ndim, other.ndim) - lead
    return [with_axes(each, axes, lead) for each in (one, other)]


class Vector(Opaque):
    """W numbers for each round, along the last axis of an array."""

    __slots__ = ()

    @property
    def _array(self) -> Any:
        return getattr(self, self.by_round[0])

    def __len__(self) -> int:
        return int(self._array.shape[-1])

    def every(self, parts: int, first: int) -> Any:
        """Return the lanes first, first + parts, .. as a vector."""
        return self.like(self._array[..., first::parts])

    def repeated(self, lanes: int) -> Any:
        """Return a vector of this one number."""
        return self.like(np.repeat(self._array, lanes, axis=-1))


class Constants(Vector):
    """W constants for each round: residues of shape (2, *rounds, W) below q."""

    __slots__ = ("bounds", "residues")
    by_round = "residues", 1, 1
    said = "constants"

    def __init__(self, residues: Residues, bounds: Bounds) -> None:
        self.residues, self.bounds = residues, bounds

    def __mul__(self, other: Any) -> Elements:
        if not isinstance(other, Elements):
            raise Undecided("a product of constants in a kernel, in all rounds at once")
        return other.times(self)


class Elements(Vector):
    """W elements for each round."""

    __slots__ = ("bounds", "most", "residues", "space")
    by_round = "residues", 2, 1

    def __init__(self, residues: Residues, bounds: Bounds, space: Space, most: int = 1) -> None:
        self.residues, self.bounds, self.space, self.most = residues, bounds, space, most

    def least(self) -> Residues:
        """Return the least residues."""
        return self.residues if self.most == 1 else reduced(self.residues, self.space.q)

    def like(self, residues: Residues) -> Elements:
        """Return elements with the same bounds."""
        return Elements(residues, self.bounds, self.space, self.most)

    def __add__(self, other: Any) -> Elements:
        return self._sum(other, False)

    def __sub__(self, other: Any) -> Elements:
        return self._sum(other, True)

    def _sum(self, other: Any, negative: bool) -> Elements:
        if not isinstance(other, Elements):
            raise Undecided("a sum of elements of x and a value that is not a vector of them")
        if len(self) != len(other):
            raise Undecided("a sum of vectors of different lanes")
        one, most = self, self.most + other.most
        if most >= MOST_SUMMANDS:
            one, other = one.like(one.least()), other.like(other.least())
            one.most, other.most, most = 1, 1, 2
        x, y = alike(one.residues, other.residues)
        found = x + (np.uint64(other.most * self.space.q) - y if negative else y)
        return Elements(found, joined(self.bounds, other.bounds), self.space, most)

    def __mul__(self, other: Any) -> Elements:
        return self.times(self._constant(other) if _is_number(other) else other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Elements:
        if not _is_number(other) or not other:
            raise Undecided("a quotient of a kernel, in all rounds at once")
        return self.times(self._constant(1 / other))

    def __neg__(self) -> Elements:
        return self.like(np.uint64(self.most * self.space.q) - self.residues)

    def _constant(self, value: complex) -> Constants:
        known = self.space.constants(value)
        residues = known.residues.astype(np.uint64).reshape(2, 1)
        return Constants(residues, (units(known.magnitude), known.halves, 0, 0))

    def turned(self, sign: int) -> Elements:
        """Return i or -i times the vector."""
        found = np.empty_like(self.residues)
        negative = np.uint64(self.most * self.space.q)
        re, im = self.residues
        found[0] = im if sign < 0 else negative - im
        found[1] = re if sign > 0 else negative - re
        return self.like(found)

    def mirrored(self) -> Elements:
        """Return the conjugates of the lanes in reverse order."""
        found = self.residues[..., ::-1].copy()
        found[1] = np.uint64(self.most * self.space.q) - found[1]
        return self.like(found)

    def bent(self) -> Elements:
        """Return the vector with its imaginary parts in reverse order: halves of sums of two
        numbers, put together at most twice as large.
        """
        found = self.residues.copy()
        found[1] = self.residues[1, ..., ::-1]
        magnitude, halves, exchanges, degree = self.bounds
        bounds = magnitude + UNIT, halves + 2, exchanges, degree
        return Elements(found, bounds, self.space, self.most)

    def muladd(self, c: float, other: Any) -> Elements:
        """Return c times the vector, plus the other."""
        known = self._constant(c)
        found = self.least() * known.residues[0, 0]
        grown = multiplied(self.bounds, known.bounds, self.space)
        return Elements(reduced(found, self.space.q), grown, self.space) + other

    def times(self, other: Any) -> Elements:
        """Return the products with constants, or with elements where the degree may be higher."""
        if not isinstance(other, Elements | Constants):
            raise Undecided("a product of elements of x and a value that is not a vector")
        bounds, q = multiplied(self.bounds, other.bounds, self.space), self.space.q
        if isinstance(other, Elements):
            x, y = self.least(), other.least()
        else:
            x = self.residues if 2 * self.most * q * q < 2**64 else self.least()
            y = other.residues[:, None]
        x, (re, im) = alike(x, y)
        found = np.empty((2, *np.broadcast_shapes(x.shape[1:], re.shape)), np.uint64)
        np.add(x[0] * re, x[1] * (np.uint64(q) - im), out=found[0])
        np.add(x[0] * im, x[1] * re, out=found[1])
        return Elements(reduced(found, q), bounds, self.space)

    @staticmethod
    def transposed(v: Sequence[Elements]) -> tuple[Elements, ...]:
        """Return the vectors of blocks of W, transposed."""
        bounds, most = most_of([each.bounds for each in v]), max(each.most for each in v)
        shape = np.broadcast_shapes(*(each.residues.shape[2:] for each in v))
        lead = v[0].residues.shape[:2]
        same = [np.broadcast_to(with_axes(e.residues, len(shape)), (*lead, *shape)) for e in v]
        rows = blockwise([np.moveaxis(each, -1, 0) for each in same])
        return tuple(Elements(np.moveaxis(row, 0, -1), bounds, v[0].space, most) for row in rows)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex)
