"""The plan of a local permutation y[A i + c] = x[i] for numpy alone: tiles that fit the
second-level cache, in whole rows.

A row is a coset of L = span(e_0, .., e_{b-1}). A tile is a coset of L + A^-1 L: whole rows of x
that become whole rows of y. Its rows are gathered, its elements are permuted by one table for all
tiles, but for an exclusive or, and its rows are put where they belong.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.kernels.permute.permutation_tiles import Sides, fresh, lg
from derive.gf2.bits import Affine, column_echelon

TILE_BITS = 14
"""A tile has at most 2^TILE_BITS elements."""
FROM = {"many axes": 2**22, "gather": 2**23, "few axes": 2**23}
"""Bytes of an array from which on tiles win against a transpose of many axes, a gather, and a
transpose of at most AXES.
"""
AXES = 3
PAGE = 2**12
SCATTERED = 6
"""Where a page of the source meets fewer than 2^SCATTERED pages of the target, one gather or
transpose of the whole array is as good.
"""
HEAD = 2
"""So many bits of source runs come before target runs grow, too."""


@dataclass(frozen=True)
class Blocks:
    """The tiles of y = A x with rows of 2^b elements, as linear maps."""

    b: int
    rows: Sides
    """Where the rows of a tile are, in rows: those gathered, and those put."""
    inside: tuple[int, ...]
    """Which element of the gathered rows comes to a place in those put."""
    steps: Sides
    """Where tile k begins: in rows of the source, in elements of the target before the complement
    is added.
    """


def pays(A: Affine, itemsize: int, axes: int | None) -> bool:
    """Return whether tiles win against a transpose of an array of so many axes, or, for None,
    against a gather of the whole array.

    >>> from derive.gf2.bmmc import bit_reversal, gray_code
    >>> pays(bit_reversal(19), 8, 19), pays(bit_reversal(18), 8, 18), pays(gray_code(24), 8, None)
    (True, False, False)
    """
    other = "gather" if axes is None else "few axes" if axes <= AXES else "many axes"
    return (
        itemsize << A.bits >= FROM[other]
        and rank(A, max(lg(PAGE // itemsize), SCATTERED)) >= SCATTERED
    )


def rank(A: Affine, b: int) -> int:
    """Return r, where a row of 2^b elements of the source meets 2^r rows of the target."""
    return len(column_echelon([column >> b for column in A.columns[:b]])[0])


def plan(A: Affine, bits: int) -> Blocks:
    """Return the tiles of y = A x, A linear, with the longest rows for which a tile has 2^bits
    elements at most.

    >>> from derive.gf2.bmmc import bit_reversal
    >>> plan(bit_reversal(6), 4)
    Blocks(b=2, rows=((8, 4), (4, 8)), inside=(4, 8, 2, 1), steps=((1, 2), (8, 4)))
    """
    b = max(b for b in range(min(A.bits, bits) + 1) if b + rank(A, b) <= bits)
    low, back = (1 << b) - 1, A.inverse().columns
    units = [1 << k for k in range(A.bits)]
    across = [vector >> b << b for vector in fresh(units[:b], back[:b])]
    own = units[:b] + across
    targets, _ = column_echelon([A(vector) >> b for vector in own])
    leads = [lg(row) for row in targets]
    put = [
        A(vector) & low | sum((A(vector) >> b >> lead & 1) << b + i for i, lead in enumerate(leads))
        for vector in own
    ]
    steps = [
        _level(A, vector >> b << b, across, low)
        for vector in fresh(own, [*units[b : b + HEAD], *back[b:], *units[b:]])
    ]
    steps.sort(key=lambda step: A(step) & low != 0)  # those for which the table is turned come last
    rows = tuple(vector >> b for vector in across), tuple(targets)
    return Blocks(
        b,
        rows,
        Affine(tuple(put), len(put)).inverse().columns,
        (tuple(step >> b for step in steps), tuple(map(A, steps))),
    )


def _level(A: Affine, step: int, across: list[int], low: int) -> int:
    """Return a step to the same tile for which low bits of the target are 0 as far as that can be;
    those of the source are.
    """
    leads, how = column_echelon([A(vector) & low for vector in across])
    for lead, chosen in zip(leads, how, strict=True):
        if A(step) >> lg(lead) & 1:
            step ^= Affine(tuple(across), A.bits)(chosen)
    return step
