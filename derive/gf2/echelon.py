"""Bases and echelon forms of bit matrices, given by their packed columns: row i at bit i."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce


def column_basis(columns: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return (S, D): the column basis that prefers rightmost columns, and the dependencies on it.

    S lists the basis columns in increasing order; bit i of D[j] is 1 where column j is the sum of
    basis columns i > j, and D[j] = 0 for j in S. Cormen 1997, Appendix A; columns are visited from
    the right, which Section 4 needs.

    >>> column_basis((3, 2, 1))
    ((1, 2), (6, 0, 0))
    """
    left = list(columns)
    depends = [0] * len(left)
    basis = []
    for j in reversed(range(len(left))):
        if left[j]:
            basis.append(j)
            pivot = left[j] & -left[j]
            for k in range(j):
                if left[k] & pivot:
                    left[k] ^= left[j]
                    depends[k] ^= depends[j] | 1 << j
            depends[j] = 0
    return tuple(reversed(basis)), tuple(depends)


def column_echelon(columns: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return (E, G): E = C G in reduced column echelon form, its columns of full rank in increasing
    order of their leading bits.

    The leading bit of a column of E is 0 in all other columns. Column i of G says which columns of
    C add up to column i of E.

    >>> column_echelon((6, 4))
    ((2, 4), (3, 2))
    """
    reduced: dict[int, tuple[int, int]] = {}
    leads = 0
    for j, column in enumerate(columns):
        made, clears = 1 << j, column & leads
        while clears:
            other, how = reduced[clears.bit_length() - 1]
            column, made, clears = column ^ other, made ^ how, clears ^ other & leads
        if column:
            lead = column.bit_length() - 1
            for k, (e, g) in reduced.items():
                if e >> lead & 1:
                    reduced[k] = e ^ column, g ^ made
            reduced[lead] = (column, made)
            leads |= 1 << lead
    ordered = [reduced[lead] for lead in sorted(reduced)]
    return tuple(e for e, _ in ordered), tuple(g for _, g in ordered)


def spans(columns: Sequence[int], *vectors: int) -> bool:
    """Return whether each of these vectors is a sum of some of the columns.

    >>> spans((3, 1), 2), spans((1,), 2), spans((1,), 1, 2)
    (True, False, False)
    """
    echelon, _ = column_echelon(columns)
    return not any(reduce(_cleared, reversed(echelon), vector) for vector in vectors)


def _cleared(vector: int, column: int) -> int:
    """Return the vector, the column added to it if that clears the column's leading bit."""
    return min(vector, vector ^ column)
