"""The memory of arrays of exact elements: entries in GF(q)[I]/(I²+1), or real and in GF(q), for K stimuli at once.

An array of shape s is a numpy array `parts` of residues of shape (*s, 2 or 1, K). Slices, reshape, transpose, .real, .imag
and view are views, as in numpy: they share the memory, and what is known of its past, with the array that they come from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from proofs.constants import Recognizer, Refused
from proofs.rings import Residues, conjugate, widened


@dataclass(frozen=True)
class Past:
    """What the entries of an array have been through; an upper bound, whatever entry it is.

    Every conjugate of a coefficient of the stimulus is at most 2^magnitude, 2^halves times it is an algebraic integer, and
    the data has been through this many exchanges between ranks.
    """

    magnitude: float = 0.0
    halves: int = 0
    exchanges: int = 0

    def joined(self, other: Past) -> Past:
        """Return what bounds both."""
        return Past(max(self.magnitude, other.magnitude), max(self.halves, other.halves), max(self.exchanges, other.exchanges))

    def added(self, other: Past) -> Past:
        """Return what bounds the sum of two entries."""
        both = self.joined(other)
        return Past(both.magnitude + math.log2(1 + 2 ** -abs(self.magnitude - other.magnitude)), both.halves, both.exchanges)

    def grown(self, magnitude: float, halves: int = 0) -> Past:
        """Return what bounds the product with a number of this bound."""
        return Past(self.magnitude + magnitude, self.halves + halves, self.exchanges)

    def exchanged(self) -> Past:
        """Return the same, one exchange later."""
        return Past(self.magnitude, self.halves, self.exchanges + 1)


class Storage:
    """The entries of an array and its views: all that moves entries without computing with them."""

    def __init__(self, parts: Residues, dtype: DTypeLike, recognizer: Recognizer, past: Past | None = None, root: Self | None = None) -> None:
        self.parts, self.dtype, self.recognizer = parts, np.dtype(dtype), recognizer
        self.root, self._past = self if root is None else root, past or Past()

    @classmethod
    def zeros(cls, shape: Any, dtype: DTypeLike, recognizer: Recognizer, stimuli: int) -> Self:
        """Return an array of zeros."""
        sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        return cls(np.zeros((*sizes, number_of_parts(dtype), stimuli), dtype=np.int64), dtype, recognizer)

    @property
    def past(self) -> Past:
        """What the entries of the whole array, of which this may be a view, have been through."""
        return self.root._past

    @property
    def depth(self) -> int:
        """The number of exchanges that the entries have been through."""
        return self.past.exchanges

    def sent(self) -> None:
        """Note that the entries go through an exchange."""
        self.root._past = self.past.exchanged()

    @property
    def shape(self) -> tuple[int, ...]:
        """As of a numpy array, and so are the following."""
        return self.parts.shape[:-2]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def flags(self) -> Any:
        return self.parts.flags

    @property
    def T(self) -> Self:
        return self.transpose()

    @property
    def real(self) -> Self:
        return self._component(slice(0, 1))

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Self:
        return self._component(slice(1, 2))

    @imag.setter
    def imag(self, value: Any) -> None:
        self.imag[...] = value

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of shape () has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Self:
        return self.like(self.parts[_index(index, self.ndim)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index].write(value) if _is_basic(index) else self._scatter(index, value)

    def reshape(self, *shape: Any, order: str = "C") -> Self:
        if order != "C":
            raise Refused(f"reshape with order={order!r} is not modelled")
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int | np.integer) else shape
        return self.like(self.parts.reshape(*_completed(tuple(sizes), self.size), *self.parts.shape[-2:]))

    def transpose(self, *axes: Any) -> Self:
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int | np.integer) else axes or None
        chosen = tuple(range(self.ndim))[::-1] if order is None else tuple(axis % self.ndim for axis in order)
        return self.like(self.parts.transpose(*chosen, self.ndim, self.ndim + 1))

    def swapaxes(self, one: int, other: int) -> Self:
        return self.like(self.parts.swapaxes(one % self.ndim, other % self.ndim))

    def ravel(self) -> Self:
        return self.reshape(-1)

    def flatten(self) -> Self:
        return self.reshape(-1).copy()

    def copy(self, order: str = "C") -> Self:
        return type(self)(self.parts.copy(order="C"), self.dtype, self.recognizer, self.past)

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Self:
        kind = np.dtype(dtype)
        if kind.kind not in "fc" or number_of_parts(kind) < self.parts.shape[-2]:
            raise Refused(f"an array of {self.dtype} as {kind}: that loses what its entries are")
        return type(self)(widened(self.parts, number_of_parts(kind)).copy(), kind, self.recognizer, self.past)

    def view(self, dtype: DTypeLike) -> Self:
        kind = np.dtype(dtype)
        if self.size == 0 or kind.kind not in "fc" or kind.itemsize * number_of_parts(self.dtype) != self.itemsize * number_of_parts(kind):
            raise Refused(f"an array of {self.dtype} viewed as {kind}: a view keeps the type of real and imaginary parts")
        if not self.flags.c_contiguous:
            raise Refused("a view of another type on an array that is not contiguous")
        self._take_apart()
        sizes = (*self.shape[:-1], self.shape[-1] * self.parts.shape[-2] // number_of_parts(kind))
        return type(self)(self.parts.reshape(*sizes, number_of_parts(kind), -1), kind, self.recognizer, root=self.root)

    def fill(self, value: Any) -> None:
        self.write(value)

    def conj(self) -> Self:
        return type(self)(conjugate(self.parts, self.recognizer.field.q), self.dtype, self.recognizer, self.past)

    conjugate = conj

    def like(self, parts: Residues) -> Self:
        """Return an array with these parts, a view where they lie in the memory of this one."""
        view = np.may_share_memory(parts, self.parts)
        return type(self)(parts, self.dtype, self.recognizer, self.past, self.root if view else None)

    def fresh(self, parts: Residues, dtype: DTypeLike, past: Past) -> Self:
        """Return a new array."""
        return type(self)(parts, dtype, self.recognizer, past)

    def write(self, value: Any) -> None:
        """Set all entries to this array or number, broadcast as in numpy."""
        source = self.operand(value)
        if source.parts.shape[-2] > self.parts.shape[-2]:
            raise Refused(f"complex entries written into an array of {self.dtype}: the imaginary part is lost")
        self.parts[...] = widened(source.parts, self.parts.shape[-2])
        whole = self.parts.size == self.root.parts.size
        self.root._past = source.past if whole else self.past.joined(source.past)

    def operand(self, value: Any) -> Self:
        """Return an array as it is, and a number or numpy array as constant entries."""
        if isinstance(value, type(self)):
            return value
        constant = self.recognizer.recognize(value)
        parts = constant.residues[..., None] if constant.residues[..., 1].any() or self.parts.shape[-2] == 2 else constant.residues[..., :1, None]
        return self.fresh(parts, np.result_type(value), Past(constant.magnitude, constant.halves))

    def _scatter(self, index: Any, value: Any) -> None:
        source = self.operand(value)
        self.parts[_index(index, self.ndim)] = widened(source.parts, self.parts.shape[-2])
        self.root._past = self.past.joined(source.past)

    def _component(self, part: slice) -> Self:
        kind = np.empty(0, self.dtype).real.dtype
        self._take_apart()
        return type(self)(self.parts[..., part, :], kind, self.recognizer, root=self.root)

    def _take_apart(self) -> None:
        """Real and imaginary part of z are (z ± z*)/2: one more halving; put together again they are at most twice as large."""
        self.root._past = self.past.grown(1, 1)


def number_of_parts(dtype: DTypeLike) -> int:
    """Return 2 for complex types and 1 for real ones."""
    return 2 if np.dtype(dtype).kind == "c" else 1


def _index(index: Any, ndim: int) -> Any:
    """Return an index of the array as an index of its parts; it must not reach into them."""
    entries = index if isinstance(index, tuple) else (index,)
    used = sum(max(np.ndim(entry), 1) if np.asarray(entry).dtype == bool else 1 for entry in entries if entry is not None and entry is not Ellipsis)
    if used > ndim:
        raise IndexError(f"{used} indices of an array with {ndim} axes")
    return (*entries, slice(None), slice(None)) if any(entry is Ellipsis for entry in entries) else index


def _is_basic(index: Any) -> bool:
    entries = index if isinstance(index, tuple) else (index,)
    return all(entry is None or entry is Ellipsis or isinstance(entry, int | np.integer | slice) for entry in entries)


def _completed(sizes: tuple[Any, ...], size: int) -> tuple[int, ...]:
    """Return a shape with its -1 filled in; raise ValueError where it does not hold this number of entries."""
    known = math.prod(int(s) for s in sizes if s != -1)
    shape = tuple(size // max(known, 1) if s == -1 else int(s) for s in sizes)
    if sizes.count(-1) > 1 or math.prod(shape) != size:
        raise ValueError(f"cannot reshape an array of {size} entries into shape {sizes}")
    return shape
