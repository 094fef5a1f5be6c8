"""What the data of a run are, and how one entry of them lies in memory.

    item = part | part part                     a real number, or a complex one by its two parts
    part = residue^K magnitude halves exchanges degree pair

An item is one opaque entry of a numpy array, so that numpy's own functions move items, and whatever
moves an entry moves its bounds. `residue` is the part in GF(q) for each of K stimuli, -1 where
nobody has written. The bounds, upper ones, are those of the number:

    magnitude    every conjugate of a coefficient is at most 2^(magnitude / 1024)
    halves       2^(halves / 2) times the number is an algebraic integer
    exchanges    between ranks that it has been through
    degree       as a polynomial in the data
    pair         1: the bounds are those of the complex number that the part was written with

Tokens, where there is no field, are items of one part and one residue, which are moved only.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from math import ceil, prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from proofs.certify.exact.constants import Constants, Recognizer
from proofs.certify.language.limits import ELEMENTS
from proofs.certify.language.table_entries import COMPUTES, DATA, Undecided

Numbers = NDArray[np.int64]
Items = NDArray[np.void]

UNIT = 1024
"""Units of a magnitude in a bit."""
MAGNITUDE, HALVES, EXCHANGES, DEGREE, PAIR = range(-5, 0)
BOUNDS = 4
"""Bounds of a number: magnitude, halves, exchanges, degree."""
COLUMNS = 5
"""The bounds, and whether they are those of a pair."""
LEAST = -60 * UNIT
"""The magnitude of 0."""
UNWRITTEN, OWN_TOKEN = -1, -2


class Space:
    """Data of a type: exact elements for so many stimuli, or tokens without a recognizer.

    `watch` is told each access to entries: the array, whether it writes, and at which index.
    `spend` is told the bytes of each new array, of which none has more than `most` entries, and
    `note` the items of each array, `work` the flops of each operation. `sends` is told what each
    message to another rank has: its source and target, the line, and the residues.
    """

    said = DATA
    """What messages call an array of them."""

    def __init__(
        self, dtype: DTypeLike, stimuli: int = 1, recognizer: Recognizer | None = None
    ) -> None:
        self.dtype, self.stimuli, self.recognizer = np.dtype(dtype), stimuli, recognizer
        self.watch: Callable[[Any, bool, Any], None] | None = None
        self.spend: Callable[[int], None] | None = None
        self.note: Callable[[Items], None] | None = None
        self.work: Callable[[int], None] | None = None
        self.sends: Callable[[int, int, int, Numbers], None] | None = None
        self._begins: dict[int, tuple[weakref.ref[Items], int]] = {}
        self.most = ELEMENTS
        self.columns = stimuli + COLUMNS
        self.items = {parts: np.dtype((np.void, parts * self.columns * 8)) for parts in (1, 2)}

    @property
    def field(self) -> Recognizer:
        """The field of the elements; raises Undecided where there are tokens."""
        if self.recognizer is None:
            raise Undecided(f"the program {COMPUTES}")
        return self.recognizer

    @property
    def q(self) -> int:
        """The order of the field."""
        return self.field.field.q

    @property
    def degree(self) -> int:
        """The highest degree of the declared result; 1 of a linear map."""
        return self.field.degree

    def parts(self, dtype: DTypeLike) -> int:
        """Return the number of parts of an entry."""
        return 2 if self.recognizer is not None and np.dtype(dtype).kind == "c" else 1

    def holds(self, dtype: DTypeLike | None) -> bool:
        """Return whether new arrays of this type are arrays of data.

        Of real data these are those of complex numbers, too, which two real ones are. Of single
        precision they are those of double precision, too, in which tables may be computed. Tables
        of integers and truth values are asked for by another name than that of the data.
        """
        kind = np.dtype(dtype)
        if kind.kind == "c" and self.recognizer is not None:
            return kind in (np.result_type(self.dtype, np.complex64), np.complex128)
        return kind == self.dtype and (kind.kind not in "biu" or isinstance(dtype, np.dtype))

    def blank(self, shape: Any, dtype: DTypeLike, order: str = "C") -> Items:
        """Return items of this shape that are zero bytes."""
        if order not in ("C", "F"):
            raise Undecided(f"a new array with order={order!r}")
        self.few(shape)
        item = self.items[self.parts(dtype)]
        found: Items = np.zeros(shape, item, order=order)  # type: ignore[call-overload]
        return found

    def few(self, shape: Any) -> None:
        """Raise Undecided where an array of this shape has too many entries."""
        sizes = shape if isinstance(shape, tuple | list) else (shape,)
        if (count := prod(map(int, sizes))) > self.most:
            words = f"{count} elements of {self.dtype} in one array"
            raise Undecided(f"{words}; at most {self.most} are evaluated")

    def opened(self, items: Items) -> Numbers:
        """Return the numbers of items, a view of shape (*shape, parts, columns)."""
        shape = (*items.shape, items.dtype.itemsize // (8 * self.columns), self.columns)
        return items[..., None].view(np.int64).reshape(shape)

    def filled(self, shape: Any, dtype: DTypeLike, fill: int, order: str = "C") -> Items:
        """Return items without a past that hold this residue."""
        found = self.blank(shape, dtype, order)
        numbers = self.opened(found)
        one = np.zeros(self.columns, np.int64)
        one[: self.stimuli], one[MAGNITUDE], one[PAIR] = fill, LEAST, numbers.shape[-2] - 1
        numbers[...] = one
        return found

    def zeros(self, shape: Any, dtype: DTypeLike, order: str = "C") -> Items:
        """Return items that hold zero, or the token that stands for all numbers of the program."""
        return self.filled(shape, dtype, 0 if self.recognizer else OWN_TOKEN, order)

    def unwritten(self, shape: Any, dtype: DTypeLike, order: str = "C") -> Items:
        """Return items that nobody has written."""
        return self.filled(shape, dtype, UNWRITTEN, order)

    def made(self, residues: Numbers, bounds: Any, parts: int) -> Items:
        """Return items of residues (*shape, 1 or 2, K or 1) and bounds (*shape or less, 1, 4)."""
        past = np.empty((*np.shape(bounds)[:-1], COLUMNS), np.int64)
        past[..., :PAIR], past[..., PAIR] = bounds, parts - 1
        found: Items = np.empty(residues.shape[:-2], self.items[parts])
        numbers, given = self.opened(found), residues.shape[-2]
        numbers[..., :given, : self.stimuli] = residues
        numbers[..., given:, : self.stimuli] = 0
        numbers[..., self.stimuli :] = past
        return found

    def constants(self, values: Any) -> Constants:
        """Return the exact numbers that floating-point ones stand for; raise NoConstant where one
        stands for none.
        """
        return self.field.recognize(values)

    def entries(self, values: Any) -> tuple[Items, np.dtype[Any]]:
        """Return constants of a program as items, with their type: one token for all of them."""
        if self.recognizer is None:
            return self.zeros(np.shape(values), self.dtype), self.dtype
        found = self.constants(values)
        dtype = np.result_type(np.asarray(values).dtype, np.float32)
        parts = self.parts(dtype)
        bounds = units(found.magnitude), found.halves, 0, 0
        return self.made(found.residues[..., :parts, None], bounds, parts), dtype

    def count(self, flops: int) -> None:
        """Tell who counts them the flops of an operation."""
        if self.work is not None:
            self.work(flops)

    def tell(self, source: int, target: int, line: int, items: Items) -> None:
        """Tell who listens to the messages what one of them has."""
        if self.sends is not None:
            self.sends(source, target, line, self.opened(items)[..., : self.stimuli].copy())

    def begin(self, items: Items, past: int) -> None:
        """Note that the memory of items begins so many bytes past a line of the cache."""
        key = id(items)
        gone = weakref.ref(items, lambda _: self._begins.pop(key, None))
        self._begins[key] = gone, past

    def past_line(self, items: Items) -> int | None:
        """Return how many bytes past a line of the cache the memory of items begins; None where
        that is not known.
        """
        return self._begins[id(items)][1] if id(items) in self._begins else None


def units(magnitude: float) -> int:
    """Return a magnitude in units, rounded up.

    >>> units(0.5), units(-1000.0) == LEAST
    (512, True)
    """
    return max(ceil(UNIT * magnitude), LEAST)


def spoil(array: Any, space: Space) -> None:
    """Make the elements of the input, in memory of numbers or of items, unwritten."""
    numbers = array if array.dtype == np.int64 else space.opened(array)
    left = numbers[..., DEGREE] > 0 if space.recognizer else numbers[..., 0] >= 0
    if left.any():
        numbers[left, : space.stimuli] = UNWRITTEN
