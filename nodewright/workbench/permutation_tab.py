"""The tab of permutations: a matrix of bits, the factors A = V W, and who sends to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from derive.gf2 import bmmc
from derive.gf2.bits import Affine
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


def named(name: str, bits: str) -> Affine:
    """Return a permutation by its name; ValueError where there is none of this name and size.

    >>> named("bit-reversal", "3").columns
    (4, 2, 1)
    """
    n = number(bits, "bits")
    if n > MOST_BITS:
        raise ValueError(f"{n} bits: the workbench shows matrices of up to {MOST_BITS} rows")
    return api.permutation(name, n)


def flipped(A: Affine, i: int, j: int) -> Affine:
    """Return the map with another bit in row i of column j; the last column is the complement.

    >>> flipped(Affine((1, 2), 2), 0, 1).columns, flipped(Affine((1, 2), 2), 0, 2).c
    ((1, 3), 1)
    """
    packed = [*A.columns, A.c]
    packed[j] ^= 1 << i
    return Affine(tuple(packed[:-1]), A.rows, packed[-1])


def shown(A: Affine, processor_bits: int) -> Shown:
    """Return the factorization A = V W as pictures; ValueError where A is singular.

    >>> shown(named("bit-reversal", "4"), 2).title
    'A = V W: N = 2^4 elements on P = 2^2 ranks'
    """
    f = api.factor(A, p=processor_bits)
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


def page(A: Affine, processor_bits: int) -> str:
    """Return the factorization as HTML, or why there is none."""
    try:
        return shown(A, processor_bits).page
    except ValueError as error:
        return wrong(str(error))


def clickable(A: Affine, entries: Sequence[object], shift: Sequence[object]) -> str:
    """Return buttons for the bits of A, row by row, and of c, with the numbers of the bits."""
    n = len(shift)
    if not n:
        return words(f"Bits are to be clicked up to {MOST_CLICKED} rows, not at {A.bits}.")
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
