"""The tab of permutations: a matrix of bits, the factors A = V W, and who sends to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from derive.gf2 import bmmc
from derive.show import html
from derive.show.drawing import in_unicode
from derive.show.svg import svg
from derive.sizes import number
from nodewright.api import permutation_calls as api
from nodewright.show import factorization_picture
from nodewright.workbench.parts import grid, pictures, scrolled, stack, title, words, wrong

MOST_CLICKED, MOST_BITS = 10, 256
"""Matrices of so many rows have bits to click, and of so many rows pictures are made."""
NAMES = (*bmmc.NAMED, "transpose:1")


@dataclass(frozen=True)
class Matrix:
    """A permutation y = A x + c of 2^n elements: the columns of A, packed, bit 0 first, and c."""

    n: int
    columns: tuple[int, ...]
    c: int = 0

    def bit(self, i: int, j: int) -> int:
        """Return the entry in row i and column j."""
        return self.columns[j] >> i & 1

    def flipped(self, i: int, j: int) -> Matrix:
        """Return the matrix with another bit in row i and column j.

        >>> Matrix(2, (1, 2)).flipped(0, 1).columns
        (1, 3)
        """
        column = self.columns[j] ^ 1 << i
        return replace(self, columns=(*self.columns[:j], column, *self.columns[j + 1 :]))

    def shifted(self, i: int) -> Matrix:
        """Return the map with another bit i of c."""
        return replace(self, c=self.c ^ 1 << i)


@dataclass(frozen=True)
class Shown:
    """The parts of the page that show a permutation: its factors, messages and elements as
    pictures, the words on them, and figures.
    """

    title: str
    words: tuple[str, ...]
    matrices: tuple[str, ...]
    movement: tuple[str, ...]
    figures: str

    @property
    def page(self) -> str:
        return stack(
            title(in_unicode(self.title)),
            words(*map(in_unicode, self.words)),
            pictures(*self.matrices),
            pictures(*self.movement),
            scrolled(self.figures),
        )


def named(name: str, bits: str) -> Matrix:
    """Return a permutation by its name; ValueError where there is none of this name and size.

    >>> named("bit-reversal", "3")
    Matrix(n=3, columns=(4, 2, 1), c=0)
    """
    n = number(bits, "bits")
    if n > MOST_BITS:
        raise ValueError(f"{n} bits: the workbench shows matrices of up to {MOST_BITS} rows")
    found = api.permutation(name, n)
    return Matrix(n, tuple(found.columns), found.c)


def shown(matrix: Matrix, processor_bits: int) -> Shown:
    """Return the factorization A = V W as pictures; ValueError where A is singular.

    >>> shown(named("bit-reversal", "4"), 2).title
    'A = V W: N = 2^4 elements on P = 2^2 ranks'
    """
    rows = [[matrix.bit(i, j) for j in range(matrix.n)] for i in range(matrix.n)]
    f = api.factor(rows, p=processor_bits, c=matrix.c)
    heading, *lines = factorization_picture.words(f)
    moved = [factorization_picture.messages(f), *factorization_picture.movement(f)]
    if len(moved) == 1:
        most = factorization_picture.MOST_BITS
        lines.append(f"elements are drawn for up to {most} bits of an index, not for {f.n}")
    return Shown(
        heading,
        tuple(lines),
        tuple(map(svg, factorization_picture.matrices(f))),
        tuple(map(svg, moved)),
        _figures(f),
    )


def page(matrix: Matrix, processor_bits: int) -> str:
    """Return the factorization as HTML, or why there is none."""
    try:
        return shown(matrix, processor_bits).page
    except ValueError as error:
        return wrong(str(error))


def clickable(matrix: Matrix, entries: Sequence[object], shift: Sequence[object]) -> str:
    """Return buttons for the bits of A, row by row, and of c, with the numbers of the bits."""
    n = len(shift)
    if not n:
        return words(f"Bits are to be clicked up to {MOST_CLICKED} rows, not at {matrix.n}.")
    rows = ([i, *entries[n * i : n * (i + 1)], shift[i]] for i in range(n))
    return grid(n + 2, ["", *range(n), "c", *(each for row in rows for each in row)])


def _figures(f: api.Factorization) -> str:
    """Return what every rank sends beside the least, and what was checked."""
    least = f.at_least
    values = {
        "rank of γ": f.rank_gamma,
        "messages from every rank": f.rounds,
        "elements of a message": f.elements_per_message,
        "least messages to others": least.messages,
        "least elements to others": least.words,
    }
    found = f.verdict
    checked = html.verdict(found.kind, found.statement, found.evidence)
    return html.fragment(
        html.named({name: x for name, x in values.items() if x is not None}), checked
    )
