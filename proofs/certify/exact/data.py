"""Arrays of exact elements or tokens: their memory, their views, and how entries are moved.

Data = (items, dtype, space)        `items` is a numpy array, so a view here is a view there
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import DTypeLike

from proofs.certify.exact.items import alone, entries_of, gap, is_entry
from proofs.certify.exact.space import EXCHANGES, PAIR, UNIT, UNWRITTEN, Items, Numbers, Space
from proofs.certify.language.table_entries import DATA, Refuted, Undecided
from proofs.certify.language.values.function_values import Raised
from proofs.certify.language.values.opaque import Opaque

RAISED = ValueError, IndexError
"""What numpy raises for shapes and indices; AxisError is one of them."""


def wrong(words: str) -> Refuted:
    """Return that the program does with its data what no such array takes."""
    return Refuted("function", words)


def raised(error: Exception) -> Raised:
    """Return that numpy raises this error for such an array, with a text of its own."""
    found = Raised(error)
    error.args = (Opaque("the text of an error of numpy", str),)
    return found


def by_numpy(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Return what numpy does with items; what it raises for a shape or an index is raised for
    numbers, too, with the same text.
    """
    try:
        return function(*given, **named)
    except RAISED as error:
        raise Raised(error) from None
    except TypeError as error:
        raise Undecided(f"with {DATA}: {error}") from None


def _of_both(bounds: Numbers) -> Numbers:
    """Return the larger bounds of two parts (*shape, 2, 4): `max` of so short an axis is slow."""
    return np.maximum(bounds[..., :1, :], bounds[..., 1:, :])


class Octets:
    """The bytes of a contiguous array: a message buffer, and good for nothing else."""

    def __init__(self, data: Data) -> None:
        self.data = data


class Data:
    """An array of data. `scalar` says that it is one entry, which numpy gives as a number."""

    __slots__ = ("dtype", "items", "scalar", "space")
    __array_ufunc__ = None
    said = DATA

    def __init__(self, items: Items, dtype: DTypeLike, space: Space, scalar: bool = False) -> None:
        self.items, self.dtype, self.space, self.scalar = items, np.dtype(dtype), space, scalar
        if space.spend is not None and items.base is None:
            space.spend(items.nbytes)
        if space.note is not None:
            space.note(items)

    shape = property(lambda self: self.items.shape)
    ndim = property(lambda self: self.items.ndim)
    size = property(lambda self: self.items.size)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.items.size * self.dtype.itemsize)
    numbers = property(lambda self: self.space.opened(self.items))
    T = property(lambda self: self.transpose())
    called = property(lambda self: self.space.said)

    @property
    def parts(self) -> int:
        """The number of parts of an entry."""
        return self.space.parts(self.dtype)

    @property
    def writeable(self) -> bool:
        """Whether entries may be set."""
        return bool(self.items.flags.writeable) and not self.scalar

    # reading
    def touch(self, writes: bool, index: Any = None) -> None:
        """Note that entries are read, or have been written: all, or those at an index."""
        if self.space.watch is not None:
            self.space.watch(self, writes, index)

    def value(self) -> tuple[Numbers, Numbers]:
        """Return residues (*shape, parts, K) and bounds (*shape, 1, 4), to compute with.

        Raises:
            Refuted: if one of the entries has no value, or all are moved only.
        """
        _ = self.space.field
        return self.values()

    def values(self) -> tuple[Numbers, Numbers]:
        """Return the same, of integers modulo p as well."""
        self.touch(False)
        residues = self.numbers[..., : self.space.stimuli]
        if residues[..., 0].min(initial=0) < 0:  # an entry is unwritten for all stimuli or none
            raise wrong(
                "the program computes with elements that are uninitialised, left over from an"
                " earlier transform, or in transit"
            )
        return residues, self.bounds()

    def bounds(self) -> Numbers:
        """Return the bounds of each entry as a number of this type: (*shape, 1, 4).

        Real and imaginary part of z are (z ± z*)/2, one halving more; a + bi of two real numbers is
        at most twice as large as the larger one.
        """
        numbers = self.numbers
        found, pair = numbers[..., self.space.stimuli : PAIR], numbers[..., PAIR:]
        if self.parts == 2 and pair.all():
            return _of_both(found)
        apart = found.copy()
        apart[..., 1:2] += 2 * pair
        if self.parts == 1:
            return apart
        apart = _of_both(apart)
        apart[..., 0] += UNIT
        return np.where(pair.all(axis=-2, keepdims=True), _of_both(found), apart)

    @property
    def depth(self) -> int:
        """The most exchanges that an entry has been through."""
        return int(self.numbers[..., EXCHANGES].max(initial=0))

    def moved(self, parts: int | None = None) -> Items:
        """Return the items as they are written elsewhere, with so many parts."""
        items, parts = self.items, parts or self.parts
        if self.space.recognizer is None or (self.parts == parts == 2):
            return items
        items = alone(items, self.space) if self.parts == 1 else items
        if parts == self.parts:
            return items
        numbers = self.space.opened(items)
        return self.space.made(
            numbers[..., : self.space.stimuli], numbers[..., self.space.stimuli : PAIR], 2
        )

    # views and copies
    def like(self, items: Items) -> Self:
        """Return an array of these items: a view of this memory, or copies of its entries."""
        if not np.may_share_memory(items, self.items):
            if items.base is not None and self.space.spend is not None:
                self.space.spend(items.nbytes)
            items = alone(items, self.space) if self.parts == 1 else items
        return type(self)(items, self.dtype, self.space)

    def viewed(self, function: Callable[..., Any], *given: Any, **named: Any) -> Self:
        """Return what a function of numpy makes of the items: a view, or copies of all of them."""
        found = by_numpy(function, self.items, *given, **named)
        if not np.may_share_memory(found, self.items):
            self.touch(False)
        return self.like(found)

    def transpose(self, *axes: Any) -> Self:
        return self.viewed(np.ndarray.transpose, *axes)

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        return self.viewed(np.swapaxes, axis1, axis2)

    def reshape(self, *shape: Any, order: Any = "C") -> Self:
        return self.viewed(np.ndarray.reshape, *shape, order=order)

    def ravel(self, order: Any = "C") -> Self:
        return self.viewed(np.ravel, order)

    def copy(self, order: Any = "C") -> Self:
        self.touch(False)
        return self.like(by_numpy(self.items.copy, order))

    def flatten(self, order: Any = "C") -> Self:
        self.touch(False)
        return self.like(by_numpy(self.items.flatten, order))

    def view(self, dtype: DTypeLike | None = None) -> Self | Octets:
        """Return the memory as one of another type: parts of complex numbers, or bytes to send."""
        kind = self.dtype if dtype is None else np.dtype(dtype)
        if kind == self.dtype or (
            self.space.recognizer is None and kind.itemsize == self.itemsize and not kind.hasobject
        ):
            return type(self)(self.items, kind, self.space, self.scalar)
        if kind == np.uint8:
            return Octets(self)
        parts = self.space.parts(kind)
        if kind.kind not in "fc" or kind.itemsize * self.parts != self.itemsize * parts:
            raise Undecided(f"an array of {self.dtype} seen as one of {kind}")
        items = by_numpy(self.items.view, self.space.items[parts])
        if parts == 2 and gap(items) % (2 * self.space.columns * 8):
            raise Undecided("complex numbers made of an imaginary part and the next real part")
        return type(self)(items, kind, self.space)

    def astype(
        self,
        dtype: DTypeLike,
        order: Any = "K",
        casting: Any = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Self:
        kind = np.dtype(dtype)
        if kind == self.dtype:
            fits = copy or not self._lies(order)
            return self.copy(order) if fits else self
        if kind.kind not in "fc" or self.space.parts(kind) < self.parts:
            raise Undecided(f"elements of x of {self.dtype}, converted to {kind}")
        if self.space.recognizer is None:
            raise Undecided(f"elements of x of {self.dtype}, converted to {kind}, not only moved")
        if not np.can_cast(self.dtype, kind, casting):
            raise raised(TypeError(f"cannot cast {self.dtype} to {kind} with casting={casting!r}"))
        self.touch(False)
        item = self.space.items[self.space.parts(kind)]
        items = by_numpy(np.empty_like, self.items, dtype=item, order=order)
        items[...] = self.moved(self.space.parts(kind))
        return type(self)(items, kind, self.space)

    def _lies(self, order: str) -> bool:
        flags = self.items.flags
        return {"C": flags.c_contiguous, "F": flags.f_contiguous}.get(order, True)

    def part(self, which: int) -> Self:
        """Return real parts (0) or imaginary parts (1), a view; real data are their real parts."""
        if self.space.recognizer is None:
            raise Undecided(
                "a real or imaginary part of an element of x, which a permutation only moves"
            )
        if self.parts == 1:
            if not which:
                return self
            items = np.empty(self.shape, self.items.dtype, "F" if self.items.flags.fnc else "C")
            items[...] = self.space.zeros((), self.dtype)
            items.flags.writeable = False
            return type(self)(items, self.dtype, self.space, self.scalar)
        kind = np.empty(0, self.dtype).real.dtype
        items = self.numbers[..., which, :].view(self.space.items[1])[..., 0]
        return type(self)(items, kind, self.space, self.scalar)

    real = property(lambda self: self.part(0), lambda self, value: self.part(0).assign(value))
    imag = property(lambda self: self.part(1), lambda self, value: self.part(1).assign(value))

    # indices
    def __len__(self) -> int:
        if not self.ndim:
            raise raised(TypeError("len() of unsized object"))
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Self:
        _demand_index(index)
        if isinstance(index, str):
            raise Undecided(f"{index!r} as an index of {DATA}")
        one = is_entry(index, self.ndim)
        for each in entries_of(index):
            if isinstance(each, np.ndarray | list) and np.size(each) > self.size:
                self.space.few([np.size(each), self.size // max(1, len(self.items))])
        found = by_numpy(self.items.__getitem__, (*entries_of(index), ...) if one else index)
        if one:
            self.touch(False, index)
            return type(self)(self.like(found.copy()).items, self.dtype, self.space, scalar=True)
        if not np.may_share_memory(found, self.items) and found.size:
            self.touch(False, index)
        return self.like(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        _demand_index(index)
        source = operand(value, self.space)
        items = source.moved(self.parts) if source.parts <= self.parts else None
        if items is None:
            raise wrong(f"complex entries are written into an array of {self.dtype}")
        demand_same(source.dtype, self.dtype, self.space)
        if self.scalar:
            raise raised(TypeError(f"'numpy.{self.dtype}' object does not support item assignment"))
        if not self.writeable:
            raise raised(ValueError("assignment destination is read-only"))
        source.touch(False)
        one = is_entry(index, self.ndim)
        if one and source.ndim:
            raise raised(TypeError("only 0-dimensional arrays can be converted to Python scalars"))
        place = (*entries_of(index), ...) if one else index
        by_numpy(self.items.__setitem__, place, items)
        self.touch(True, None if index is Ellipsis else index)

    def assign(self, value: Any) -> None:
        """Set all entries, broadcast as in numpy."""
        self[...] = value

    # what an array of data does not tell
    def _no_value(self, *_: Any) -> NoReturn:
        raise Undecided("what the program does depends on the value of an element of x")

    __bool__ = __int__ = __index__ = __float__ = __complex__ = __contains__ = _no_value
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __abs__ = _no_value
    __array__ = __str__ = __format__ = _no_value

    def __hash__(self) -> int:
        if self.scalar:
            self._no_value()
        raise raised(TypeError("unhashable type: 'numpy.ndarray'"))

    def __repr__(self) -> str:
        raise Undecided(f"the text of {DATA}")


def demand_same(source: np.dtype[Any], target: np.dtype[Any], space: Space) -> None:
    """Raise Undecided where a permutation converts its data; another order of bytes is none."""
    if space.recognizer is None and source.newbyteorder("=") != target.newbyteorder("="):
        raise Undecided(f"elements of x of {source}, converted to {target}, not only moved")


def operand(value: Any, space: Space) -> Data:
    """Return data as they are, and numbers as exact entries that are alike for every stimulus."""
    if isinstance(value, Data):
        return value
    if not isinstance(value, np.ndarray | np.generic | int | float | complex | list | tuple):
        raise Undecided(getattr(value, "words", f"{type(value).__name__} in place of numbers"))
    items, dtype = space.entries(value)
    return Data(items, dtype, space)


def unwrite(data: Data) -> None:
    """Make entries uninitialised."""
    data.numbers[..., : data.space.stimuli] = UNWRITTEN


def _demand_index(index: Any) -> None:
    """Raise Undecided for an index that depends on data."""
    if any(isinstance(entry, Data) for entry in entries_of(index)):
        raise Undecided("an index that depends on the value of an element of x")
