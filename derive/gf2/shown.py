"""Bit matrices as text, and in a notebook as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from derive.lazy import lazily

if TYPE_CHECKING:
    from derive.show.drawing import Drawing

_grids, _html = lazily("derive.show.grids"), lazily("derive.show.html")
MOST_BITS = 32
"""So many rows and columns of a matrix are printed where it shows itself."""


def shortened(columns: Sequence[int], rows: int) -> str:
    """Return a matrix of packed columns as text, bit 0 at the top left, a dot for 0; of a large one
    a corner, with what is left out.

    >>> print(shortened([0] * 33, 1).splitlines()[-1])
    first 1 of 1 rows, 32 of 33 columns
    """
    high, shown = min(rows, MOST_BITS), columns[:MOST_BITS]
    lines = [" ".join(".1"[column >> i & 1] for column in shown) for i in range(high)]
    if (high, len(shown)) != (rows, len(columns)):
        lines.append(f"first {high} of {rows} rows, {len(shown)} of {len(columns)} columns")
    return "\n".join(lines)


def short(number: int) -> str:
    """Return a natural number, of a long one a power of two or its size.

    >>> short(2**63), short(2**80), short(2**80 + 1)
    ('9223372036854775808', '2^80', 'an integer of 81 bits')
    """
    bits = number.bit_length()
    if bits <= 64:
        return str(number)
    return f"2^{bits - 1}" if number.bit_count() == 1 else f"an integer of {bits} bits"


class Shown:
    """A map y = A x + c of packed columns, which shows its matrix."""

    if TYPE_CHECKING:
        columns: tuple[int, ...]
        rows: int
        c: int

    def drawing(self) -> Drawing:
        """Return A as a picture."""
        return _grids.bit_matrix("A", self.columns, self.rows, len(self.columns))

    def _repr_html_(self) -> str:
        """Return the map as a notebook shows it."""
        return str(_html.fragment(self.drawing(), f"y = A x + c, c = {short(self.c)}"))

    def __repr__(self) -> str:
        """Return A and the complement."""
        said = f" + {short(self.c)}" if self.c else ""
        return f"y = A x{said}, bit 0 of x and y first:\n{shortened(self.columns, self.rows)}"
