"""Arrays of tokens: opaque elements, which can be moved and nothing else.

Element j of a vector is the token j. Whatever a program would do with its value is refused, so its
course is the same for every vector of every type, and where the tokens end up is where the elements
of any vector do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import DTypeLike

from codegen.mpi.memory.buffers import Octets
from proofs.certify.arrays.shapes import SHAPES
from proofs.certify.arrays.storage import Parts, Storage
from proofs.certify.forbidden import Forbidden

ZERO = -2
"""What np.zeros holds; memory that was never written holds -1."""


@dataclass(frozen=True)
class Opaque:
    """New arrays of data are arrays of tokens."""

    dtype: np.dtype[Any]

    def holds(self, dtype: DTypeLike | None) -> bool:
        """Return whether an array of this type is one of data; tables of integers and truth values
        are asked for by another name than DTYPE.
        """
        return np.dtype(dtype) == self.dtype and (
            isinstance(dtype, np.dtype) or self.dtype.kind not in "biu"
        )

    def zeros(self, shape: Any) -> Tokens:
        """Return an array without elements of the input."""
        return Tokens.of(np.full(shape, ZERO), self.dtype)


class Tokens(Storage):
    """An array of tokens of a type, of shape (*s, 1, 2): each token, and the number of exchanges
    that it has been through.
    """

    functions = SHAPES

    @classmethod
    def of(cls, tokens: Any, dtype: DTypeLike) -> Self:
        """Return an array of these tokens, which have been through no exchange."""
        numbers = np.asarray(tokens, dtype=np.int64)
        return cls(np.stack([numbers, np.zeros_like(numbers)], axis=-1)[..., None, :], dtype)

    @property
    def tokens(self) -> Any:
        """The tokens of the array."""
        return self.parts[..., 0, 0]

    @property
    def depth(self) -> int:
        return int(self.parts[..., 1].max(initial=0))

    def sent(self) -> None:
        """Note that the tokens go through an exchange."""
        self.parts[..., 1] += 1

    def like(self, parts: Parts) -> Self:
        return type(self)(parts, self.dtype)

    def assign(self, value: Any) -> None:
        if self.scalar:
            raise TypeError("an entry of an array is a number: it cannot be written to")
        self.parts[...] = self._operand(value).loaded().parts
        self.stored()

    def store_at(self, index: Any, value: Any) -> None:
        self.parts[index] = self._operand(value).loaded().parts
        self.stored(index)

    @classmethod
    def joined(cls, arrays: Sequence[Any], parts_of: Callable[[list[Parts]], Parts]) -> Self:
        first = next(array for array in arrays if isinstance(array, cls))
        return cls(
            parts_of([first._operand(array).loaded().parts for array in arrays]), first.dtype
        )

    def view(self, dtype: DTypeLike | None = None) -> Self | Octets:
        """Return the memory as another type of this size, or as bytes for communicators only."""
        kind = np.dtype(self.dtype if dtype is None else dtype)
        if kind.itemsize == self.itemsize and not kind.hasobject:
            return type(self)(self.parts, kind)
        if kind == np.uint8 and self.ndim == 1 and self.flags.c_contiguous:
            return Octets(self)
        raise Forbidden(
            f"an array of {self.dtype} of shape {self.shape} viewed as {kind}: elements keep their"
            " size, or are bytes to be sent"
        )

    def astype(
        self,
        dtype: DTypeLike,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Self:
        if np.dtype(dtype) != self.dtype:
            raise Forbidden(
                f"elements of {self.dtype} are converted to {np.dtype(dtype)}: a permutation moves"
                " its data and does nothing else"
            )
        return self.copy(order) if copy or not (order == "K" or self.lies(order)) else self

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> NoReturn:
        raise Forbidden(
            f"np.{ufunc.__name__} of elements: a permutation moves its data and does nothing else"
        )

    def _operand(self, value: Any) -> Tokens:
        if not isinstance(value, Tokens):
            raise Forbidden(
                f"{type(value).__name__} in place of elements: a permutation writes no data of"
                " its own"
            )
        if value.dtype != self.dtype:
            raise Forbidden(
                f"elements of {value.dtype} are put into an array of {self.dtype}, which converts"
                " them"
            )
        return value
