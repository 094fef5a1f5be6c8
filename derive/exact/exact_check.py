"""Is an equation true at its size? Every entry exactly where that is feasible, else by random
vectors over GF(q) with the error bound stated.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from derive.exact.action import act
from derive.exact.angles import Angles
from derive.exact.bit_matrices import decide_by_matrices
from derive.exact.claim import Claim, Difference, Progress, difference, valued
from derive.exact.measures import degree, order, row_sum, scale
from derive.exact.random_vectors import decide_by_vectors
from derive.exact.rings import Collision, Cyclotomic, Elements, Monomials, Ring, Sums, Terms
from derive.exact.wrong_factor import smallest_wrong
from derive.formula.combinations import letters
from derive.formula.grammar import Equation
from derive.formula.transforms import F, H
from derive.verdict import Checked, Undecided, Verdict

EVERY_ENTRY = 4096
"""Up to this size all entries are compared, where no roots of unity are added."""
CYCLOTOMIC = 256
"""Up to this size entries that are sums of roots of unity are compared in Z[zeta]."""
BLOCK = 2**18
"""So many elements at a time, so that they stay in cache."""
LARGEST = 2**24
LARGEST_ORDER = 2**26
"""Fields hold a table of the powers of a root of unity, up to this order."""
INT64 = 2**62
"""What numpy computes is compared where nothing in it is as large."""
SHORT = 8
"""Matrices with so few nonzero entries a row, both sides together, are compared row by row."""


def check(equation: Equation, seed: int = 0, progress: Progress = lambda done: None) -> Verdict:
    """Return whether the two sides of an equation are equal at its size.

    Every entry is compared exactly where rows have few, up to N = 4096 where each is a single root
    of unity or, of Hartley transforms of several axes, a sum of a few, and up to N = 256 where they
    are other sums. Else random vectors over randomly drawn GF(q) are, and `error` of the verdict
    bounds the probability of a false acceptance. A Refuted names an entry and the smallest wrong
    factor. `progress` is told the part that is done. Above 2^24 elements bit matrices are compared,
    where all factors are affine maps of indices over GF(2).

    >>> from derive.papers.statements.statement_tables import at_sizes
    >>> print(check(at_sizes("bsp-1.6", n=3)))
    checked: F_8 = A_{8,8} A_{4,8} A_{2,8} P_8 (all 64 entries, exactly in Z[zeta_8])
    """
    by_matrices = decide_by_matrices(equation) if equation.left.size > LARGEST else None
    return decide(claim(equation), seed, progress) if by_matrices is None else by_matrices


def claim(equation: Equation) -> Claim:
    """Return an equation as a claim about its two sides.

    >>> from derive.papers.statements.statement_tables import at_sizes
    >>> claim(at_sizes("bsp-1.6", n=3)).order
    8
    """
    sides = equation.left, equation.right
    named = letters(equation.left) | letters(equation.right)
    whole = lcm(*(scale(side) for side in sides))
    return Claim(
        statement=str(equation),
        size=equation.left.columns,
        rows=equation.left.size,
        roots=lcm(*(order(side) for side in sides)),
        order=lcm(4, *map(order, (*sides, *equation.original))),
        growth=whole * sum(row_sum(side) for side in sides),
        left=lambda x, ring: act(equation.left, x, ring),
        right=lambda x, ring: act(equation.right, x, ring),
        fourier=isinstance(equation.left, F),
        hartley=isinstance(equation.left, H),
        real=whole > 1,
        letters=tuple(sorted(named)),
        degree=max(map(degree, sides)),
        locate=lambda found, ring: "" if named else smallest_wrong(equation, found, ring),
    )


def decide(
    claim: Claim, seed: int = 0, progress: Progress = lambda done: None, entries: int = EVERY_ENTRY
) -> Verdict:
    """Return whether a claim holds, as `check` does for equations; beyond `entries` elements by
    random vectors, or where rows are short.

    Raises ValueError above 2^24 elements.
    """
    if claim.size > LARGEST:
        raise ValueError(
            f"check supports N up to {LARGEST}; got {claim.size}; prove covers all sizes"
        )
    by_entries = (_decide_entries, _decide_few, _decide_sums) if claim.size <= entries else ()
    for exactly in () if claim.letters else (_decide_rows, *by_entries):
        try:
            return exactly(claim, progress)
        except Collision:
            continue
    if claim.order > LARGEST_ORDER:
        return Undecided(
            claim.statement,
            f"roots of unity of order {claim.order} are added: fields with roots of orders up to"
            f" {LARGEST_ORDER} are tried",
        )
    return decide_by_vectors(claim, seed, progress)


def _decide_rows(claim: Claim, progress: Progress) -> Verdict:
    """Compare the nonzero entries of all rows; raise Collision where rows or exponents are long, or
    an entry is a sum of roots of unity.
    """
    ring = Terms(claim.order)
    if claim.growth > SHORT or ring.largest >= INT64:
        raise Collision
    x = ring.units(claim.size, range(claim.size))
    left, right = claim.left(x, ring), claim.right(x, ring)
    if not np.array_equal(left, right):
        found = _first_different(ring.rows(left), ring.rows(right), ring)
        if found:
            return claim.refuted(found, Monomials(claim.order))
    rows = claim.rows or claim.size
    return Checked(
        claim.statement, f"the nonzero entries of all {rows} rows, exactly in {claim.numbers}"
    )


def _first_different(left: Elements, right: Elements, ring: Terms) -> Difference | None:
    """Return the first entry in which rows differ."""
    width = max(left.shape[1], right.shape[1])
    left, right = (
        np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=-1)
        for rows in (left, right)
    )
    if np.array_equal(left, right):
        return None
    row, entry = (int(i) for i in np.argwhere(left != right)[0])
    column = min(
        int(rows[row, entry]) // ring.order for rows in (left, right) if rows[row, entry] >= 0
    )
    return Difference(row, column, _term(left[row], column, ring), _term(right[row], column, ring))


def _term(entries: Elements, column: int, ring: Ring) -> str:
    return next(
        (
            valued([(term % ring.order, 1)], ring.order)
            for term in entries.tolist()
            if term // ring.order == column
        ),
        "0",
    )


def _decide_entries(claim: Claim, progress: Progress) -> Verdict:
    """Compare all columns, the entries of which are single numbers; raise Collision above 4096, for
    long exponents, or where one is a sum.
    """
    if claim.size > EVERY_ENTRY or claim.order > LARGEST_ORDER:
        raise Collision
    if claim.real:
        return _decide_columns(
            claim,
            Angles(claim.order),
            f"exactly, as cosines and sines of multiples of 2π/{claim.order}",
            progress,
        )
    return _decide_columns(claim, Monomials(claim.order), f"exactly in {claim.numbers}", progress)


def _decide_few(claim: Claim, progress: Progress) -> Verdict:
    """Compare all columns, the entries of which are sums of a few roots of unity; raise Collision
    above 4096, for long exponents, or where there are more, or other ones on one side, though these
    may be the same number.
    """
    if claim.size > EVERY_ENTRY or claim.order > LARGEST_ORDER or claim.order % 8:
        raise Collision
    how = f"exactly, as sums of roots of unity of order {claim.order}"
    return _decide_columns(claim, Sums(claim.order), how, progress)


def _decide_sums(claim: Claim, progress: Progress) -> Verdict:
    """Compare all columns in Z[zeta]; raise Collision above 256, where the order is no power of
    two, or coefficients may be long.

    A coefficient of a number is a mean of its conjugates, each turned: it is at most the largest of
    them, which is below `growth`.
    """
    zeta = claim.order
    if (
        claim.real
        or claim.size > CYCLOTOMIC
        or zeta > 2 * CYCLOTOMIC
        or zeta & zeta - 1
        or claim.growth >= INT64
    ):
        raise Collision
    return _decide_columns(
        claim, Cyclotomic(zeta), f"exactly in {claim.numbers}", progress, 8 * BLOCK // zeta
    )


def _decide_columns(
    claim: Claim, ring: Ring, how: str, progress: Progress, block: int = BLOCK
) -> Verdict:
    N = claim.size
    width = max(1, block // N)
    for start in range(0, N, width):
        columns = range(start, min(start + width, N))
        found = difference(claim, columns, ring)
        if found:
            return claim.refuted(found, ring)
        progress(columns.stop / N)
    return Checked(claim.statement, f"all {claim.entries} entries, {how}")
