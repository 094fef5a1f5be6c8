"""Types of elements: the named ones of MPI, and those derived from them, which choose elements of a
buffer.

    type = named | contiguous(n, type) | vector(n, length, stride, type)
         | indexed(lengths, displacements, type) | subarray(sizes, subsizes, starts, type)

A derived type is a list of places, counted in elements of its named type, from a lowest one on, and
an extent: element k of a message of several lies k times the extent further on. The extent reaches
from the lowest place to behind the highest (MPI 4.1, 5.1.6), but of a subarray it is the whole
array. A type must be committed before use and freed after.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.faults import Fault
from codegen.mpi.ranks import call_of, current, invalid, unmodelled
from codegen.mpi.sealed import Sealed

Places = NDArray[np.int64]


class Datatype(Sealed):
    """A type of elements: numpy's type of the basic ones, their places, the lowest of them, and how
    far it is to those of the next element.
    """

    def __init__(
        self,
        name: str,
        dtype: np.dtype[Any],
        places: Places,
        lowest: int,
        extent: int,
        derived: bool = True,
    ) -> None:
        self._name, self._dtype, self._places, self._lowest, self._extent, self._derived = (
            name,
            dtype,
            places,
            lowest,
            extent,
            derived,
        )
        self._state = "not been committed" if derived else ""
        if derived:
            world, rank = current()
            world.opened(self, call_of(rank, name), Fault.RESOURCE_LEAK)

    def Get_size(self) -> int:
        """Return the number of bytes of an element, without gaps."""
        return len(self._places) * self._dtype.itemsize

    def Get_extent(self) -> tuple[int, int]:
        """Return the first byte of an element, and the bytes from one element to the next."""
        return self._lowest * self._dtype.itemsize, self._extent * self._dtype.itemsize

    @property
    def size(self) -> int:
        """As Get_size."""
        return self.Get_size()

    @property
    def extent(self) -> int:
        """The bytes from one element to the next."""
        return self.Get_extent()[1]

    def Create_contiguous(self, count: int) -> Datatype:
        """Return the type of `count` elements side by side."""
        return self._of(f"Create_contiguous({count})", [count], [0])

    def Create_vector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Return the type of `count` blocks, `stride` elements apart."""
        return self._of(
            f"Create_vector({count}, {blocklength}, {stride})",
            [blocklength] * max(count, 0),
            [i * stride for i in range(max(count, 0))],
        )

    def Create_indexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Datatype:
        """Return the type of blocks of these lengths at these places."""
        return self._of("Create_indexed()", list(blocklengths), list(displacements))

    def Create_indexed_block(self, blocklength: int, displacements: Sequence[int]) -> Datatype:
        """Return the type of blocks of one length."""
        return self._of(
            "Create_indexed_block()", [blocklength] * len(displacements), list(displacements)
        )

    def Create_subarray(
        self, sizes: Sequence[int], subsizes: Sequence[int], starts: Sequence[int], order: int = 0
    ) -> Datatype:
        """Return the type of a block of a larger array, row-major, or column-major with ORDER_F."""
        if not all(
            0 <= start and 0 < sub and start + sub <= size
            for size, sub, start in zip(sizes, subsizes, starts, strict=True)
        ):
            raise invalid(f"{subsizes} from {starts} of {sizes}: a block lies within its array")
        index = np.arange(int(np.prod(sizes))).reshape(tuple(sizes), order="F" if order else "C")
        if self._lowest:
            raise unmodelled("a block of elements that do not begin at 0")
        block = index[
            tuple(slice(start, start + sub) for start, sub in zip(starts, subsizes, strict=True))
        ]
        return self._at(
            "Create_subarray()",
            block.reshape(-1, order="F" if order else "C"),
            0,
            index.size * self._extent,
        )

    def Commit(self) -> Datatype:
        """Make the type ready for use."""
        self._alive()
        self._state = ""
        return self

    def Free(self) -> None:
        """Give the type back."""
        self._alive()
        if not self._derived:
            raise invalid(f"{self._name} is MPI's own type")
        self._state = "been freed"
        current()[0].closed(self)

    def _usable(self) -> Datatype:
        """Return the type; raise CommunicationError unless it has been committed and not freed."""
        if self._state:
            raise invalid(f"the type of the buffer has {self._state}")
        return self

    def _spread(self, count: int) -> Places:
        """Return the places of the basic elements of `count` elements."""
        return (np.arange(count)[:, None] * self._extent + self._places).reshape(-1)

    def _alive(self) -> None:
        if self._state == "been freed":
            raise invalid("the type has been freed")

    def _of(self, name: str, lengths: list[int], displacements: list[int]) -> Datatype:
        if min([*lengths, 0]) < 0 or len(lengths) != len(displacements):
            raise invalid(
                f"{lengths} elements at {displacements}: as many lengths as displacements, and none"
                " negative"
            )
        blocks = [
            np.arange(begin, begin + length)
            for length, begin in zip(lengths, displacements, strict=True)
        ]
        elements = np.concatenate([np.zeros(0, np.int64), *blocks])
        if not len(elements):
            return self._at(name, elements, 0, 0)
        first, last = (
            int(element) * self._extent + self._lowest
            for element in (elements.min(), elements.max())
        )
        return self._at(name, elements, first, last + self._extent - first)

    def _at(self, name: str, elements: Places, lowest: int, extent: int) -> Datatype:
        self._alive()
        places = (elements[:, None] * self._extent + self._places).reshape(-1)
        return Datatype(name, self._dtype, places, lowest, extent)


def _named(name: str, dtype: str) -> Datatype:
    return Datatype(name, np.dtype(dtype), np.zeros(1, np.int64), 0, 1, derived=False)


NAMES = {
    "DOUBLE_COMPLEX": "complex128",
    "C_DOUBLE_COMPLEX": "complex128",
    "COMPLEX": "complex64",
    "COMPLEX8": "complex64",
    "COMPLEX16": "complex128",
    "C_FLOAT_COMPLEX": "complex64",
    "DOUBLE": "float64",
    "REAL8": "float64",
    "FLOAT": "float32",
    "INT": "int32",
    "LONG": "int64",
    "INT32_T": "int32",
    "INT64_T": "int64",
    "BOOL": "bool",
    "BYTE": "uint8",
}
TYPES: dict[str, Datatype] = {name: _named(name, dtype) for name, dtype in NAMES.items()}
"""The types of elements by their names in MPI."""
