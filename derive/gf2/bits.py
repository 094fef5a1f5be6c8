"""Bit matrices and affine maps y = A x + c over GF(2).

Bits are written least significant first: row 0 and column 0 of a matrix belong to bit 0 of an
index. A matrix travels as the tuple of its columns, each packed into an integer with row i at bit i
(Cormen 1997, section 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from derive.call_arguments import indices
from derive.fields import BitMatrix, over_gf2
from derive.gf2.echelon import column_basis as column_basis
from derive.gf2.echelon import column_echelon as column_echelon
from derive.gf2.echelon import spans as spans
from derive.gf2.shown import Shown
from derive.maps.map_expressions import Expression, Variables, of_bits

TABLE_BITS = 12
"""An array of indices is mapped by tables of at most 2^12 entries, which stay in the L1 cache."""
CHUNK = 2**15
"""So many indices at a time, so that temporaries stay in cache, too."""


def bit_matrix(entries: ArrayLike) -> BitMatrix:
    """Return the bit matrix with these rows of zeros and ones.

    Raises ValueError if the entries are not a rectangle of zeros and ones.

    >>> print(picture(bit_matrix([[1, 1], [0, 1]])))
    1 1
    . 1
    """
    try:
        array = np.asarray(entries)
    except ValueError as error:
        lengths = sorted({np.asarray(row, object).size for row in entries})  # type: ignore[union-attr]
        raise ValueError(
            f"rows of {' and '.join(map(str, lengths))} entries: a bit matrix is a rectangle of"
            " zeros and ones"
        ) from error
    if array.ndim != 2:
        raise ValueError(f"a bit matrix has rows and columns, not shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"entries of type {array.dtype}: a bit matrix has entries 0 and 1 only")
    wrong = np.argwhere((array != 0) & (array != 1))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(
            f"entry {array[i, j]} in row {i}, column {j}: a bit matrix has entries 0 and 1 only"
        )
    return over_gf2(array.astype(np.uint8))


def pack(matrix: BitMatrix) -> tuple[int, ...]:
    """Return the columns of a bit matrix as integers, row i at bit i.

    >>> pack(bit_matrix([[1, 1], [0, 1]]))
    (1, 3)
    """
    octets = np.packbits(np.asarray(matrix, dtype=np.uint8), axis=0, bitorder="little")
    return tuple(int.from_bytes(octets[:, j].tobytes(), "little") for j in range(matrix.shape[1]))


def unpack(columns: Sequence[int], rows: int) -> BitMatrix:
    """Return the bit matrix with these packed columns.

    >>> print(picture(unpack((1, 3), rows=2)))
    1 1
    . 1
    """
    size = max(1, -(-rows // 8))
    octets = np.frombuffer(
        b"".join(column.to_bytes(size, "little") for column in columns), dtype=np.uint8
    )
    bits = np.unpackbits(octets.reshape(len(columns), size), axis=1, count=rows, bitorder="little")
    return over_gf2(np.ascontiguousarray(bits.T))


def transposed(columns: Sequence[int], rows: int) -> tuple[int, ...]:
    """Return the packed columns of A^T from those of A.

    >>> transposed((1, 3), rows=2)
    (3, 2)
    """
    return tuple(
        sum((column >> i & 1) << j for j, column in enumerate(columns)) for i in range(rows)
    )


def rank(matrix: BitMatrix) -> int:
    """Return the rank over GF(2).

    >>> rank(bit_matrix([[1, 1], [1, 1]]))
    1
    """
    return len(column_echelon(pack(matrix))[0])


def inverse(matrix: BitMatrix) -> BitMatrix:
    """Return A^-1; raise ValueError naming rows that add up to zero if there is none.

    >>> inverse(bit_matrix([[1, 1], [1, 1]]))
    Traceback (most recent call last):
    ValueError: the 2 x 2 matrix is singular over GF(2): rows 0, 1 add up to zero
    """
    n, columns = matrix.shape
    if n != columns:
        raise ValueError(f"a {n} x {columns} matrix has no inverse: it is not square")
    if n == 0:
        return matrix
    try:
        return over_gf2(np.linalg.inv(matrix))
    except np.linalg.LinAlgError:
        rows = np.flatnonzero(np.asarray(matrix.left_null_space()[0]))
        raise ValueError(
            f"the {n} x {n} matrix is singular over GF(2): rows {', '.join(map(str, rows))} add up"
            " to zero"
        ) from None


def picture(matrix: BitMatrix) -> str:
    """Return the matrix as text, least significant bit at the top left, a dot for 0.

    >>> print(picture(unpack((2, 1), rows=2)))
    . 1
    1 .
    """
    return "\n".join(" ".join(".1"[int(entry)] for entry in row) for row in matrix)


def span(columns: Iterable[int]) -> NDArray[np.int64]:
    """Return the array with columns·x over GF(2) at place x, for all x with as many bits as there
    are columns.

    >>> span((1, 3)).tolist()
    [0, 1, 3, 2]
    """
    values = np.zeros(1, dtype=np.int64)
    for column in columns:
        values = np.concatenate([values, values ^ column])
    return values


@dataclass(frozen=True, repr=False)
class Affine(Shown):
    """The map y = A x + c over GF(2), from indices of len(columns) bits to indices of `rows` bits.

    `f(x)` is the image of an index or of an integer array, `f @ g` the composition.

    Attributes:
        columns: the columns of A, each an integer with row i at bit i.
        rows: the number of rows of A, which is the number of bits of y.
        c: the complement, an integer of `rows` bits; 0 by default.

    Raises:
        ValueError: a column or c has more than `rows` bits.

    References:
        Cormen (1997), section 2.

    Examples:
        >>> gray = Affine((1, 3, 6), rows=3)
        >>> gray(6), gray(np.arange(8)).tolist()
        (5, [0, 1, 3, 2, 6, 7, 5, 4])
        >>> gray
        y = A x, bit 0 of x and y first:
        1 1 .
        . 1 1
        . . 1
        >>> gray.A.tolist(), gray.c, gray.inverse()(5)
        ([[1, 1, 0], [0, 1, 1], [0, 0, 1]], 0, 6)
    """

    columns: tuple[int, ...]
    rows: int
    c: int = 0

    def __post_init__(self) -> None:
        for j, column in enumerate(self.columns):
            if not 0 <= column < 1 << self.rows:
                raise ValueError(f"column {j} = {column} does not fit {self.rows} rows")
        if not 0 <= self.c < 1 << self.rows:
            raise ValueError(
                f"complement {self.c} does not fit {self.rows} bits; it must be from 0 to"
                f" {(1 << self.rows) - 1 if self.rows < 30 else f'2^{self.rows} - 1'}"
            )

    @classmethod
    def of(cls, matrix: BitMatrix, c: int = 0) -> Affine:
        """Return the map x -> matrix x + c.

        Args:
            matrix: a bit matrix, an array over GF(2).
            c: the complement, an integer with a bit for each row.

        Raises:
            ValueError: c has more bits.
        """
        return cls(pack(matrix), matrix.shape[0], c)

    @classmethod
    def identity(cls, n: int) -> Affine:
        """Return the identity map x -> x of n >= 0 bits; raise ValueError for other n."""
        return cls(tuple(1 << j for j in range(n)), n)

    @cached_property
    def matrix(self) -> BitMatrix:
        """A as a bit matrix, an array over GF(2)."""
        return unpack(self.columns, self.rows)

    @property
    def A(self) -> BitMatrix:  # the papers' letter
        """A as a bit matrix, the same as `matrix`."""
        return self.matrix

    @property
    def bits(self) -> int:
        """The number of bits of x."""
        return len(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as --json prints it: whether it is a BMMC permutation, the packed columns
        of A, and c.

        >>> Affine((2, 1), 2).to_dict()
        {'bmmc': True, 'n': 2, 'A': [2, 1], 'c': 0}
        """
        invertible = self.bits == self.rows == rank(self.matrix)
        return {"bmmc": invertible, "n": self.bits, "A": list(self.columns), "c": self.c}

    @property
    def linear(self) -> Affine:
        """The map without its complement, x -> A x."""
        return Affine(self.columns, self.rows)

    def __matmul__(self, other: Affine) -> Affine:
        """Return the composition, x -> self(other(x)) (Cormen 1997, Lemma 1).

        >>> Affine((2, 1), 2, 1) @ Affine((2, 1), 2, 2) == Affine((1, 2), 2, 0)
        True
        """
        if self.bits != other.rows:
            raise ValueError(
                f"a map of {self.bits} bits cannot follow one that yields {other.rows} bits"
            )
        return Affine(tuple(map(self.linear, other.columns)), self.rows, self(other.c))

    def inverse(self) -> Affine:
        """Return the inverse map x -> A^-1 x + A^-1 c (Cormen 1997, Lemma 1).

        Raises:
            ValueError: A is not square, or is singular (the error names rows that add up to zero).
        """
        return self._inverse

    @cached_property
    def _inverse(self) -> Affine:
        _, columns = column_echelon(self.columns)  # A G = I where A is nonsingular
        if not len(columns) == self.bits == self.rows:
            inverse(self.matrix)  # says which rows add up to zero
        return Affine(columns, self.rows, Affine(columns, self.rows)(self.c))

    def written(self, variables: Variables) -> Expression:
        """Return A x + c as an expression of Python.

        Args:
            variables: names and numbers of values, powers of two. Together the variables hold the
                bits of x, the first of them the high bits.

        Returns:
            An Expression; str(expression) is its text.

        Raises:
            ValueError: the variables hold another number of bits.
        """
        if prod(count for _, count in variables) != 1 << self.bits:
            raise ValueError(f"the variables must hold {self.bits} bits; got {[*variables]}")
        return of_bits(self.columns, self.c, variables)

    def divided(self, by: int) -> tuple[Affine, Affine]:
        """Return the maps to the quotient and the remainder of the image by a power of two.

        Args:
            by: a power of two, at most 2^rows.

        Returns:
            A tuple of two Affine.

        Raises:
            ValueError: `by` is not a power of two, or is above 2^rows.
        """
        if by < 1 or by & by - 1 or by > 1 << self.rows:
            raise ValueError(f"by must be a power of two up to 2^{self.rows}; got {by}")
        at, low = by.bit_length() - 1, by - 1
        high = Affine(tuple(a >> at for a in self.columns), self.rows - at, self.c >> at)
        return high, Affine(tuple(a & low for a in self.columns), at, self.c & low)

    @overload
    def __call__(self, x: int) -> int: ...
    @overload
    def __call__(self, x: NDArray[Any]) -> NDArray[np.int64]: ...
    def __call__(self, x: int | NDArray[Any]) -> int | NDArray[np.int64]:
        """Return A x + c for an index or an array of indices (at most 62 bits there).

        Raises ValueError for an index of more bits than x has.
        """
        if type(x) is not int or x >> self.bits:  # an int of so many bits needs no check
            x = indices(x, 1 << self.bits)
        if isinstance(x, np.ndarray):
            return self._map_array(x)
        y = self.c
        for column in self.columns:
            if x & 1:
                y ^= column
            x >>= 1
        return y

    def _map_array(self, x: NDArray[np.int64]) -> NDArray[np.int64]:
        if max(self.bits, self.rows) > 62:
            raise ValueError(
                f"arrays hold indices of at most 62 bits, not {max(self.bits, self.rows)}"
            )
        flat = x.reshape(-1)
        y = np.empty(len(flat), dtype=np.int64)
        for start in range(0, len(flat), CHUNK):
            part = flat[start : start + CHUNK]
            y[start : start + CHUNK] = self.c
            for shift, table in self._tables:
                y[start : start + CHUNK] ^= table[part >> shift & len(table) - 1]
        return y.reshape(x.shape)

    @cached_property
    def _tables(self) -> list[tuple[int, NDArray[np.int64]]]:
        shifts = range(0, self.bits, TABLE_BITS)
        return [(shift, span(self.columns[shift : shift + TABLE_BITS])) for shift in shifts]

    def __str__(self) -> str:
        complement = "".join(".1"[self.c >> i & 1] for i in range(self.rows))
        return picture(self.matrix) + (f"\n+ {' '.join(complement)}" if self.c else "")
