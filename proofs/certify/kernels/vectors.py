"""Complex vectors and constants of kernels in the text of a program, as exact elements.

A compiled kernel reads and writes an address with vectors of the type that its loads were made for,
whatever lies there. So all loads and all memories of a program are for complex numbers of one size:
lists have their real and imaginary parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from codegen.kernels import plain, plain_vectors
from proofs.certify.arrays.constants import Recognizer
from proofs.certify.arrays.residues import Residues, times
from proofs.certify.forbidden import Forbidden, Unmodelled

LANES = (1, 2, 4, 8, 16)
"""Lanes that a processor's vector may have: other numbers leave gaps in memory."""


@dataclass(slots=True, eq=False, repr=False)
class Constant(plain.Opaque):
    """W constants, as residues of shape (W, 2)."""

    residues: Residues
    magnitude: float
    halvings: int

    def __len__(self) -> int:
        return len(self.residues)

    def repeated(self, lanes: int) -> Constant:
        """Return a vector of this one constant."""
        return Constant(np.repeat(self.residues, lanes, axis=0), self.magnitude, self.halvings)


@dataclass(slots=True, eq=False, repr=False)
class Vector(plain.Opaque):
    """W elements, residues of shape (W, 2, K) up to multiples of q; bounds as of a `Past`."""

    residues: Residues
    recognizer: Recognizer
    magnitude: float
    halvings: int
    exchanges: int

    def __len__(self) -> int:
        return len(self.residues)

    def _like(self, values: Residues) -> Vector:
        return Vector(values, self.recognizer, self.magnitude, self.halvings, self.exchanges)

    def every(self, parts: int, q: int) -> Vector:
        """Return the lanes q, q + parts, .. as a vector."""
        return self._like(self.residues[q::parts])

    def _with(self, values: Residues, other: Vector) -> Vector:
        """Return a sum or difference with these values: its conjugates at most double."""
        bounds = (
            max(self.magnitude, other.magnitude) + 1,
            max(self.halvings, other.halvings),
            max(self.exchanges, other.exchanges),
        )
        return Vector(values, self.recognizer, *bounds)

    def __add__(self, other: Vector) -> Vector:
        return self._with(self.residues + other.residues, other)

    def __sub__(self, other: Vector) -> Vector:
        return self._with(self.residues - other.residues, other)

    def turned(self, sign: int) -> Vector:
        """Return i or -i times the vector."""
        values = np.empty_like(self.residues)
        values[:, 0], values[:, 1] = -sign * self.residues[:, 1], sign * self.residues[:, 0]
        return self._like(values)

    def mirrored(self) -> Vector:
        """Return the conjugates of the lanes in reverse order."""
        values = self.residues[::-1].copy()
        values[:, 1] *= -1
        return self._like(values)

    def bent(self) -> Vector:
        """Return the vector with its imaginary parts in reverse order: parts are halves of sums,
        and two put together at most twice as large.
        """
        values = self.residues.copy()
        values[:, 1] = self.residues[::-1, 1]
        return Vector(
            values, self.recognizer, self.magnitude + 1, self.halvings + 1, self.exchanges
        )

    def muladd(self, c: float, other: Vector) -> Vector:
        """Return c times the vector, plus the other."""
        constant, q = self.recognizer.recognize(c), self.recognizer.field.q
        grown = Vector(
            self.residues,
            self.recognizer,
            self.magnitude + constant.magnitude,
            self.halvings + constant.halves,
            self.exchanges,
        )
        return grown._with(
            self.residues % q * int(constant.residues[0]) % q + other.residues, other
        )

    @staticmethod
    def products(v: Sequence[Vector], w: Sequence[Any]) -> tuple[Vector, ...]:
        """Return the products of vectors with constants."""
        if not all(isinstance(each, Constant) for each in w):
            raise Forbidden(
                "the product of two vectors of elements: a linear transform multiplies its data by"
                " constants only"
            )
        recognizer = v[0].recognizer
        values = times(
            np.stack([each.residues for each in v]) % recognizer.field.q,
            np.stack([each.residues for each in w]),
            recognizer.field.q,
        )
        return tuple(
            Vector(
                found,
                recognizer,
                one.magnitude + other.magnitude,
                one.halvings + other.halvings,
                one.exchanges,
            )
            for found, one, other in zip(values, v, w, strict=True)
        )

    @staticmethod
    def transposed(v: Sequence[Vector]) -> tuple[Vector, ...]:
        """Return the vectors of blocks of W, transposed."""
        bounds = [
            max(getattr(each, name) for each in v)
            for name in ("magnitude", "halvings", "exchanges")
        ]
        return tuple(
            Vector(found, v[0].recognizer, *bounds)
            for found in plain_vectors.blockwise([each.residues for each in v])
        )


def of_one_size(operations: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return those of the operations that make loads or take arrays; they raise Unmodelled where
    another size was met before, or where no vector has so many lanes.
    """
    known = set[int]()

    def meet(dtype: DTypeLike, numbers: int) -> None:
        known.add(np.dtype(dtype).itemsize * numbers)
        if len(known) > 1:
            raise Unmodelled(
                f"kernels on complex numbers of {' and '.join(map(str, sorted(known)))} bytes are"
                " not modelled: those of a program have one size"
            )

    def making(name: str) -> Callable[..., Any]:
        def made(dtype: DTypeLike, lanes: int) -> Any:
            if lanes not in LANES:
                raise Unmodelled(f"vectors of {lanes} lanes are not modelled")
            meet(dtype, 1)
            return operations[name](dtype, lanes)

        return made

    def taking(name: str) -> Callable[..., Any]:
        def taken(array: Any) -> Any:
            meet(array.dtype, 1 if array.dtype.kind == "c" else 2)
            return operations[name](array)

        return taken

    return {name: making(name) for name in ("loads", "lists")} | {
        name: taking(name) for name in ("address", "memory_of")
    }
