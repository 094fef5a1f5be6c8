"""Inputs in the forms of memory that a script asks for, of numbers and of exact arrays alike."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.declaration import CONVOLVE
from proofs.certify.exact.data import Data
from proofs.certify.exact.space import PAIR
from proofs.certify.scripts import usage

LINE = 64
"""Bytes of a line of the cache."""
PAST = 8
"""Arrays of a caller may begin this many bytes past one: numpy aligns complex numbers to it."""
FILL = 0xFF
"""Each byte of uninitialised entries but for their marks: floating-point numbers are NaN, residues
UNWRITTEN.
"""
BACKWARDS = (usage.BACKWARDS, usage.BACKWARDS_GAPS)
GAPS = (usage.GAPS, usage.GAPS_READ_ONLY, usage.BACKWARDS_GAPS)
READ_ONLY = (usage.READ_ONLY, usage.GAPS_READ_ONLY)
OWN = (usage.AS_IT_IS, usage.OWN_READ_ONLY)
OTHERWISE = {
    usage.TRANSFORM: "transform(x, plan, out=y) does not return y",
    CONVOLVE: "convolve(x, y, plan, out=z) does not return z",
}
"""What is said where another array than `out` is returned."""
RETURNS_NONE = "{}(.., out=y) fills y and returns None; it is to return y: return out"
"""What leaves the contract open where `out` is not returned."""


def memory(array: Any) -> Any:
    """Return the array of numpy that has the entries of an array."""
    return array.items if isinstance(array, Data) else array


def of_memory(like: Any, items: Any) -> Any:
    """Return such an array as `like` whose entries these are."""
    return Data(items, like.dtype, like.space) if isinstance(like, Data) else items


def blank(like: Any, count: int, dtype: Any) -> Any:
    """Return a new vector of `count` elements: unwritten ones of exact data, zeros of numbers."""
    if isinstance(like, Data):
        return Data(like.space.unwritten((count,), dtype), dtype, like.space)
    return np.zeros(count, dtype)


def on_line(array: Any, past: int = 0) -> Any:
    """Return an array with these entries that begins so many bytes past a line of the cache."""
    items = memory(array)
    if isinstance(array, Data):
        found = items.copy()
        array.space.begin(found, past)
        return of_memory(array, found)
    held = np.empty(items.nbytes + 2 * LINE, np.uint8)
    begin = -held.ctypes.data % LINE + past
    found = held[begin : begin + items.nbytes].view(items.dtype).reshape(items.shape)
    found[...] = items
    return found


def past_line(array: Any) -> Any:
    """Return an array with these entries that begins past a line, as far as its type allows."""
    return on_line(array, max(PAST, array.dtype.alignment))


def owning(array: Any) -> Any:
    """Return an array with these entries, in this order, that owns its memory."""
    return of_memory(array, memory(array).copy("K"))


def unwrite(array: Any, rng: np.random.Generator) -> None:
    """Make entries uninitialised: all bytes are FILL, in exact data of what is kept of its past as
    well, so that no entry that is written is the same; but each has a mark of its own, random ones:
    the lower half of each number, and of exact data the last one, which stays negative.
    """
    items = memory(array)
    if isinstance(array, Data):
        items[...] = np.full(items.itemsize, FILL, np.uint8).view(items.dtype)
        marks_of(array)[...] = rng.integers(-1 << 32, 0, marks_of(array).shape)
    else:
        width = items.real.itemsize
        octets = rng.integers(0, 256, (items.nbytes // width, width), np.uint8)
        octets[:, (width + 1) // 2 :] = FILL
        items[...] = octets.reshape(-1).view(items.dtype).reshape(items.shape)


def marks_of(array: Any) -> Any:
    """Return the numbers in which uninitialised entries differ from each other, and from others."""
    return array.numbers[..., PAIR] if isinstance(array, Data) else octets_of(array)


def twice(items: Any, axis: int) -> Any:
    """Return an array of the same type that is twice as long along an axis."""
    shape = [n * (1 + (i == axis)) for i, n in enumerate(items.shape)]
    found = np.empty(shape, items.dtype)  # concatenate would give numbers their own byte order
    for half in np.split(found, 2, axis):
        half[...] = items
    return found


def shaped(array: Any, form: str) -> Any:
    """Return the entries of a vector as they lie in this form of memory."""
    if form in OWN:
        return array
    items = memory(array)
    if form == usage.LONG_LONG:
        kind = np.dtype("q" if array.dtype.kind == "i" else "Q")
        found = memory(owning(array))
        return Data(found, kind, array.space) if isinstance(array, Data) else found.view(kind)
    step = (-1 if form in BACKWARDS else 1) * (2 if form in GAPS else 1)
    past = form == usage.READ_ONLY
    held = twice(items, 0) if form in GAPS else memory(past_line(array) if past else owning(array))
    first = len(held) - 1 if step < 0 else 0
    held[first::step][...] = items
    found = held[first::step]
    if form in READ_ONLY:
        held.flags.writeable = found.flags.writeable = False
    return of_memory(array, found)


def with_axes(array: Any, axes: tuple[int, ...], turn: int = 0) -> Any:
    """Return a vector as an array of these axes: the same memory, or from one turn to the next
    another order of it, where it is contiguous.
    """
    items = memory(array).reshape(axes)
    if not turn or len(axes) < 2 or not items.flags.c_contiguous:
        return of_memory(array, items)
    found = _in_order(items, turn - 1)
    found.flags.writeable = items.flags.writeable
    return of_memory(array, found)


def orders_of(axes: int) -> list[tuple[int, ...]]:
    """Return the other orders of the axes that are tried: reversed, and two exchanged."""
    every = tuple(range(axes))
    pairs = [
        (*every[:i], j, *every[i + 1 : j], i, *every[j + 1 :]) for i, j in combinations(every, 2)
    ]
    return list(dict.fromkeys([every[::-1], *pairs])) if axes > 1 else []


def turns(axes: int) -> int:
    """Return the number of other memory orders in which an array with these axes is tried."""
    return len(orders_of(axes)) + 2 * axes if axes > 1 else 0


def _in_order(items: Any, turn: int) -> Any:
    """Return an array with these entries in another order of memory: of its axes, with one of them
    backwards, or with gaps in one.
    """
    orders = orders_of(items.ndim)
    turn %= turns(items.ndim)
    if turn < len(orders):
        order = orders[turn]
        held = items.copy().reshape([items.shape[axis] for axis in order]).transpose(order)
    else:
        axis, has_gaps = divmod(turn - len(orders), 2)
        whole = twice(items, axis) if has_gaps else items.copy()
        held = whole[(slice(None),) * axis + (slice(None, None, 2 if has_gaps else -1),)]
    held[...] = items
    return held


def overlap(one: Any, other: Any) -> bool:
    """Return whether two arrays share memory."""
    return bool(np.may_share_memory(memory(one), memory(other)))


@dataclass(frozen=True, eq=False)
class Kept:
    """An array that the caller has, a result or an input of a plan, and a vector whose elements are
    in it; where it is uninitialised, None and its marks.
    """

    array: Any
    vector: Any
    plan: int
    is_result: bool = False
    marks: Any = None

    @property
    def fault(self) -> str:
        """What is wrong, if something else is in it now."""
        if self.vector is None:
            is_same = marks_of(self.array).tobytes() == self.marks
        else:
            is_same = memory(self.array).tobytes() == memory(self.vector).tobytes()
        if is_same:
            return ""
        if self.is_result:
            return "an earlier result, which belongs to the caller, is written to later"
        return "transform changes its input, which must stay unchanged"


def octets_of(array: Any) -> NDArray[np.uint8]:
    """Return the bytes of the entries of an array, in the order of its axes."""
    return np.ascontiguousarray(memory(array)).reshape(-1).view(np.uint8)


def digest_of(array: Any) -> bytes:
    """Return a digest of the entries of an array, which no program can keep as it changes them."""
    return hashlib.sha256(octets_of(array).data).digest()
