"""A = V W as a picture: the bit matrices, who sends to whom in which round, what moves where."""

from __future__ import annotations

from derive.call_arguments import counted
from derive.formula.affine_layouts import Layout
from derive.gf2.bmmc import Factorization
from derive.gf2.shown import short
from derive.show.drawing import (
    BLUE,
    RED,
    Boxes,
    Drawing,
    Shape,
    Words,
    beside,
    color,
    heading,
    stacked,
)
from derive.show.grids import bit_matrix, framed, storage

MOST_DRAWN, NUMBERED = 64, 16
"""So many ranks' messages are drawn, and so many with the numbers of the rounds."""
MOST_BITS = 16
"""Elements are drawn for at most so many bits of an index."""
HATTED = tuple(f"{letter}\u0302" for letter in "αβγδ")


def drawn(f: Factorization, layout: Layout | None = None, name: str = "") -> Drawing:
    """Return the matrices of A = V W, W = (T R Pi)^-1, who sends to whom, and where the first
    elements go, as in Cormen's Figure 1.

    With a layout, f is of Q A Q^-1, and elements have the numbers that it gives them.

    >>> from derive.gf2.bmmc import bit_reversal, factor
    >>> drawn(factor(bit_reversal(4), 2)).title
    'A = V W: N = 2^4 elements on P = 2^2 ranks'
    """
    title, *lines = words(f, layout, name)
    below = [messages(f), *movement(f, layout)]
    parts = [heading(title, *lines), beside(matrices(f)), beside(below)]
    return stacked(parts, title)


def words(f: Factorization, layout: Layout | None = None, name: str = "") -> list[str]:
    """Return the title of the picture of A = V W, and what is said below it."""
    what = f"{name}, A = V W" if name else "A = V W"
    lines = [
        f"{what}: N = 2^{f.n} elements on P = 2^{f.p} ranks",
        "bit matrices, bit 0 at the top left; red lines part the offset's bits from the rank's",
        f"W moves elements within ranks, V between ranks; complement c = {short(f.permutation.c)}",
    ]
    if layout is not None:
        lines.append(
            f"A is Q A Q^-1 of the layout {layout.name}, Q from indices to storage addresses"
        )
    return lines


def matrices(f: Factorization) -> list[Drawing]:
    """Return pictures of A, V and W, and of the factors T, R, Π of W^-1."""
    maps = {"A": f.permutation, "V": f.V, "W": f.W, "T": f.trailer, "R": f.reducer, "Π": f.swapper}
    named = {"A": tuple("αβγδ"), "V": HATTED}
    return [
        bit_matrix(letter, each.columns, each.rows, f.m, named.get(letter, ()))
        for letter, each in maps.items()
    ]


def messages(f: Factorization) -> Drawing:
    """Return which rank sends to which: the number of the round up to 16 ranks, red up to 64."""
    sent = counted(short(f.rounds), "message")
    title = f"{sent} of {counted(short(f.elements_per_message), 'element')} from every rank"
    P, top, left = 1 << f.p, 50, 44
    if P > MOST_DRAWN:
        why = f"P = 2^{f.p}: who sends to whom is drawn up to {MOST_DRAWN} ranks"
        return heading(title, why, size=11)
    cell = 20 if P <= NUMBERED else 6
    how = "cells have the round" if P <= NUMBERED else "round 0 in red, the others in blue"
    shapes = list[Shape]()
    places = {
        b: tuple((left + cell * f.target(b, k), top + cell * k) for k in range(P))
        for b in range(f.rounds)
    }
    numbered = P <= NUMBERED
    for b, at in places.items():
        own = color(b) if numbered else BLUE if b else RED
        shapes.append(Boxes(at, 0.94 * cell, 0.94 * cell, own, 0.4 if numbered else 0.9))
        shapes += [Words(x + 0.47 * cell, y + 0.47 * cell, str(b), 9) for x, y in at if numbered]
    for k in range(0, P, 1 if numbered else 8):
        shapes.append(Words(left - 8, top + cell * (k + 0.5), str(k), 8, anchor="end"))
        shapes.append(Words(left + cell * (k + 0.5), top - 8, str(k), 8))
    said = f"row: from rank, column: to rank; {how}"
    return framed(title, said, (left, top), (cell * P, cell * P), shapes)


def movement(f: Factorization, layout: Layout | None = None) -> list[Drawing]:
    """Return the elements by rank and offset before and after, with the color of the rank that they
    come from; nothing where their numbers are long.
    """
    if f.n > MOST_BITS:
        return []
    number = layout.address.inverse() if layout is not None else None
    back = f.permutation.inverse()

    def before(s: int, o: int) -> tuple[str, int]:
        z = s << f.m | o
        return str(number(z) if number else z), z >> f.m

    def after(s: int, o: int) -> tuple[str, int]:
        z = back(s << f.m | o)
        return before(z >> f.m, z & (1 << f.m) - 1)

    titles = {"before": before, "after; color: the rank that an element comes from": after}
    return [storage(title, held, 1 << f.p, 1 << f.m) for title, held in titles.items()]
