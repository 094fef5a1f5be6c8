"""Arrays of elements of GF(q)[I]/(I²+1), or of real ones in GF(q), without arithmetic: their
memory, their parts, their past.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import itemgetter
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike

from proofs.certify.arrays.constants import Recognizer
from proofs.certify.arrays.residues import Residues, conjugate, products, widened
from proofs.certify.arrays.storage import Storage, copied
from proofs.certify.forbidden import Forbidden, Unmodelled

MIXED = 0
"""Entries of which some were written as other numbers than others."""


class Past(NamedTuple):
    """What the entries of an array have been through; an upper bound, whatever entry it is.

    Every conjugate of a coefficient of the stimulus is at most 2^magnitude, 2^halves times it is an
    algebraic integer (where lengths are no powers of two, another number that is at most 2^halves,
    with all its conjugates), and the data has been through this many exchanges between ranks. As a
    polynomial in the stimulus an entry has at most this degree.
    """

    magnitude: float = 0.0
    halves: int = 0
    exchanges: int = 0
    degree: int = 0

    def joined(self, other: Past) -> Past:
        """Return what bounds both."""
        magnitude, *counts = map(max, self, other)
        return Past(magnitude, *map(int, counts))

    def added(self, other: Past) -> Past:
        """Return what bounds the sum of two entries."""
        return self.joined(other).grown(math.log2(1 + 2 ** -abs(self.magnitude - other.magnitude)))

    def grown(self, magnitude: float, halves: int = 0) -> Past:
        """Return what bounds the product with a number of this bound."""
        return self._replace(magnitude=self.magnitude + magnitude, halves=self.halves + halves)

    def multiplied(self, other: Past) -> Past:
        """Return what bounds the product of two entries: a coefficient of it is a sum of products,
        one for each part of its monomial.
        """
        degree = self.degree + other.degree
        grown = self.grown(other.magnitude + degree, other.halves)
        return grown._replace(exchanges=max(self.exchanges, other.exchanges), degree=degree)

    def exchanged(self) -> Past:
        """Return the same, one exchange later."""
        return self._replace(exchanges=self.exchanges + 1)


class Numbers(Storage):
    """An array of elements of GF(q)[I]/(I²+1), of shape (*s, 2, K), or real ones in GF(q), (*s, 1,
    K), for K stimuli at once.
    """

    def __init__(
        self,
        parts: Residues,
        dtype: DTypeLike,
        recognizer: Recognizer,
        past: Past | None = None,
        root: Self | None = None,
    ) -> None:
        super().__init__(parts, dtype)
        # None, not itself: no cycle keeps the memory
        self.recognizer, self._past, self._root = (recognizer, past or Past(), root)
        self._kind = number_of_parts(dtype)
        """Of an array that is no view: as which numbers its entries were written, of which its past
        is a bound, as in `_own_kind`; MIXED where they are some so, some otherwise.
        """
        self._pieces: list[tuple[int, int, Past, int]] = []
        """Its parts of memory whose entries have another past."""

    @classmethod
    def zeros(cls, shape: Any, dtype: DTypeLike, recognizer: Recognizer, stimuli: int) -> Self:
        """Return an array of zeros."""
        sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        return cls(
            np.zeros((*sizes, number_of_parts(dtype), stimuli), dtype=np.int64), dtype, recognizer
        )

    @property
    def root(self) -> Self:
        """The array that has the memory of this one, which may be a view."""
        return self if self._root is None else self._root

    @property
    def past(self) -> Past:
        """What the entries have been through, as they are read: real and imaginary part of z are
        (z ± z*)/2, one more halving, and put together again they are at most twice as large.
        """
        past, kind = self._stored()
        return past if kind == self._own_kind else past.grown(1, 1)

    @property
    def _own_kind(self) -> int:
        """As which numbers entries are read and written here: real ones (1), complex ones (2), or
        complex ones each of which has parts of two neighbours (3).
        """
        if self._root is None or self.dtype.kind != "c":
            return number_of_parts(self.dtype)
        before = self.parts.ctypes.data - self._root.parts.ctypes.data
        return 2 + before // max(1, self.parts.itemsize * self.parts.shape[-1]) % 2

    def _stored(self) -> tuple[Past, int]:
        """Return what the entries have been through as they were written, and how that was."""
        root = self.root
        if not root._pieces:
            return root._past, root._kind
        begin, end = self._memory()
        found = [each for each in root._pieces if each[0] < end and begin < each[1]]
        known = begin  # up to here the entries lie in pieces
        for first, last, *_ in sorted(root._pieces, key=itemgetter(0)):
            known = max(known, last) if first <= known else known
        if known < end or not found:
            found.append((begin, end, root._past, root._kind))
        *_, pasts, kinds = zip(*found, strict=True)
        return reduce(Past.joined, pasts), kinds[0] if len({*kinds}) == 1 else MIXED

    @property
    def depth(self) -> int:
        """The number of exchanges that the entries have been through."""
        return self.past.exchanges

    def sent(self) -> None:
        """Note that the entries, which may be a contiguous view, go through an exchange."""
        past, kind = self._stored()
        self._written(past.exchanged(), kind)

    def read(self, index: Any = None) -> Self:
        """Note that the entries, or those at an index, are computed with, and return the array;
        raise Forbidden where one of them is none that this transform has written or was given.
        """
        if (self.parts if index is None else self.parts[index]).min(initial=0) < 0:
            raise Forbidden(
                "elements are computed with that nobody has written, that an earlier transform has"
                " left, or that are on their way: 0 times such a one may be no number"
            )
        return self.loaded(index)

    @property
    def real(self) -> Self:
        """Real and imaginary part, as of a numpy array."""
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

    def astype(
        self,
        dtype: DTypeLike,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Self:
        kind = np.dtype(dtype)
        if not np.can_cast(self.dtype, kind, casting):  # type: ignore[arg-type]
            raise TypeError(f"an array of {self.dtype} as {kind}, with casting={casting!r}")
        if kind.kind not in "fc" or number_of_parts(kind) < self.parts.shape[-2]:
            raise Forbidden(f"an array of {self.dtype} as {kind}: that loses what its entries are")
        if kind == self.dtype and not copy and (order == "K" or self.lies(order)):
            return self
        return type(self)(
            copied(widened(self.loaded().parts, number_of_parts(kind)), order),
            kind,
            self.recognizer,
            self.past,
        )

    def view(self, dtype: DTypeLike | None = None) -> Self:
        kind = np.dtype(self.dtype if dtype is None else dtype)
        if (
            self.size == 0
            or kind.kind not in "fc"
            or kind.itemsize * number_of_parts(self.dtype) != self.itemsize * number_of_parts(kind)
        ):
            raise Forbidden(
                f"an array of {self.dtype} viewed as {kind}: a view keeps the type of real and"
                " imaginary parts"
            )
        if not self.flags.c_contiguous:
            raise Unmodelled(
                "a view of another type on an array that is not contiguous is not modelled"
            )
        sizes = (*self.shape[:-1], self.shape[-1] * self.parts.shape[-2] // number_of_parts(kind))
        return type(self)(
            self.parts.reshape(*sizes, number_of_parts(kind), -1),
            kind,
            self.recognizer,
            root=self.root,
        )

    def conj(self) -> Self:
        return type(self)(
            conjugate(self.read().parts, self.recognizer.field.q),
            self.dtype,
            self.recognizer,
            self.past,
        )

    conjugate = conj

    def like(self, parts: Residues) -> Self:
        view = np.may_share_memory(parts, self.parts)
        return type(self)(
            parts, self.dtype, self.recognizer, self.past, self.root if view else None
        )

    def fresh(self, parts: Residues, dtype: DTypeLike, past: Past) -> Self:
        """Return a new array."""
        return type(self)(parts, dtype, self.recognizer, past)

    def assign(self, value: Any) -> None:
        if self.scalar:
            raise TypeError("an entry of an array is a number: it cannot be written to")
        source = self.operand(value)
        if source.parts.shape[-2] > self.parts.shape[-2]:
            raise Forbidden(
                f"complex entries written into an array of {self.dtype}: the imaginary part is lost"
            )
        past = source.loaded().past
        self.parts[...] = widened(source.parts, self.parts.shape[-2])
        self._written(past)
        self.stored()

    def store_at(self, index: Any, value: Any) -> None:
        source = self.operand(value)
        if source.parts.shape[-2] > self.parts.shape[-2]:
            raise Forbidden(
                f"complex entries written into an array of {self.dtype}: the imaginary part is lost"
            )
        past = source.loaded().past
        self.parts[index] = widened(source.parts, self.parts.shape[-2])
        self._mixed(past, self._own_kind)
        self.stored(index)

    @classmethod
    def joined(cls, arrays: Sequence[Any], parts_of: Callable[[list[Residues]], Residues]) -> Self:
        first = next(array for array in arrays if isinstance(array, cls))
        dtype = np.result_type(*(array.dtype for array in arrays))
        operands = [first.operand(array).loaded() for array in arrays]
        parts = parts_of(
            [_spread(widened(operand.parts, number_of_parts(dtype)), first) for operand in operands]
        )
        return first.fresh(
            parts, dtype, reduce(Past.joined, [operand.past for operand in operands])
        )

    def product(self, other: Self, dtype: np.dtype[Any]) -> Self:
        """Return the product of data and data; raise Forbidden in a linear map, Unmodelled where
        its degree may be above what is followed.
        """
        past, most = self.past.multiplied(other.past), self.recognizer.degree
        if most < 2:
            raise Forbidden(
                "the product of two arrays of elements: a linear transform multiplies its data by"
                " constants only"
            )
        if past.degree > most:
            raise Unmodelled(
                f"a product of data whose degree may be {past.degree}, as arrays are followed and"
                f" not their entries, is not modelled: above {most}"
            )
        found = products(self.parts, other.parts, self.recognizer.field.q)
        return self.fresh(widened(found, number_of_parts(dtype)), dtype, past)

    def operand(self, value: Any) -> Self:
        """Return an array as it is, and a number or numpy array as constant entries."""
        if isinstance(value, type(self)):
            return value
        constant = self.recognizer.recognize(value)
        parts = (
            constant.residues[..., None]
            if constant.residues[..., 1].any() or self.parts.shape[-2] == 2
            else constant.residues[..., :1, None]
        )
        return self.fresh(parts, np.result_type(value), Past(constant.magnitude, constant.halves))

    def _component(self, part: slice) -> Self:
        kind = np.empty(0, self.dtype).real.dtype
        return type(self)(self.parts[..., part, :], kind, self.recognizer, root=self.root)

    def _memory(self) -> tuple[int, int]:
        """Return where the memory of the entries begins and ends, others' perhaps between them."""
        begin, end = np.lib.array_utils.byte_bounds(self.parts)
        return int(begin), int(end)

    def _written(self, past: Past, kind: int | None = None) -> None:
        """Note that all entries of this array, which may be a view, have this past now, as numbers
        of their own kind or of another.
        """
        root, kind = self.root, self._own_kind if kind is None else kind
        if not self.flags.c_contiguous:
            whole = self.parts.size == root.parts.size
            return root._renewed(past, kind) if whole else self._mixed(past, kind)
        begin, end = self._memory()
        pieces = [piece for piece in root._pieces if not (begin <= piece[0] and piece[1] <= end)]
        if pieces and pieces[-1][1:] == (begin, past, kind):
            begin = pieces.pop()[0]
        if end - begin == root.parts.nbytes:
            return root._renewed(past, kind)
        root._pieces = [*pieces, (begin, end, past, kind)]
        return None

    def _renewed(self, past: Past, kind: int) -> None:
        self._past, self._kind, self._pieces = past, kind, []

    def _mixed(self, now: Past, own: int) -> None:
        """Note that some entries of the array, perhaps a view, have this past now."""

        def both(past: Past, kind: int) -> tuple[Past, int]:
            return past.joined(now), kind if kind == own else MIXED

        root = self.root
        root._past, root._kind = both(root._past, root._kind)
        root._pieces = [(i, j, *both(past, kind)) for i, j, past, kind in root._pieces]


def number_of_parts(dtype: DTypeLike) -> int:
    """Return 2 for complex types and 1 for real ones."""
    return 2 if np.dtype(dtype).kind == "c" else 1


def _spread(parts: Residues, like: Numbers) -> Residues:
    """Return constants, alike for every stimulus, with a column for each."""
    return np.broadcast_to(parts, (*parts.shape[:-1], like.parts.shape[-1]))
