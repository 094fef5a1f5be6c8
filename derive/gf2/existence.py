"""Theorem 2 of Cormen 1997, and for which A, c and p there are the factors V and W.

Theorem 2: the row rank of a matrix is its column rank. Proof: let the columns of C be a column
basis of an r x n matrix M. Every column of M is a sum of them, so M = C G with as many rows in G as
columns in C. Every row of M is then a sum of rows of G, and the row rank is at most the column
rank. The same for the transpose of M gives the other direction.

So the bottom p rows of a nonsingular A, which are independent, have p independent columns. T, R and
Π exist for every nonsingular A and every p, and A = V W. c is added by V, whatever it is. A
singular A is no product of the nonsingular V and W. `nodewright prove cormen-theorem-2 cormen-vw`
has both proofs for all sizes; the functions here try every matrix of a small one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from derive.gf2.bits import Affine, column_basis, column_echelon, transposed
from derive.gf2.bmmc import Factorization, factor
from derive.gf2.properties import check
from derive.verdict import Checked, Refuted, Verdict

Columns = Sequence[int]


def column_rank(columns: Columns) -> int:
    """Return the number of columns of a basis.

    >>> column_rank((1, 2, 3))
    2
    """
    return len(column_basis(columns)[0])


def rank_factors(columns: Columns) -> tuple[list[int], list[int]]:
    """Return C, a column basis of M, and G, with M = C G: column j of G says which columns of C add
    up to column j of M.

    >>> rank_factors((3, 2, 1))
    ([2, 1], [3, 1, 2])
    """
    basis, depends = column_basis(columns)
    how = [1 << j if j in basis else depends[j] for j in range(len(columns))]
    return [columns[i] for i in basis], [
        sum((word >> i & 1) << k for k, i in enumerate(basis)) for word in how
    ]


def _product(C: Columns, G: Columns) -> list[int]:
    sums = []
    for word in G:
        total = 0
        for k, column in enumerate(C):
            total ^= column if word >> k & 1 else 0
        sums.append(total)
    return sums


def theorem_2(rows: int, columns: int, rank: Callable[[Columns], int] = column_rank) -> Verdict:
    """Return whether every matrix of this shape has the row rank `rank` of its columns, and is the
    product of its factors C and G; every one is tried.

    >>> print(theorem_2(2, 3))
    checked: row rank = column rank, M = C G (all 64 matrices of 2 x 3 bits)
    """
    statement = "row rank = column rank, M = C G"
    for matrix in product(range(1 << rows), repeat=columns):
        C, G = rank_factors(matrix)
        echelon, _ = column_echelon(transposed(matrix, rows))
        if not rank(matrix) == len(C) == len(echelon):
            found = f"column rank {rank(matrix)}, row rank {len(echelon)}"
            return Refuted(statement, f"columns {matrix}: {found}")
        if _product(C, G) != list(matrix):
            return Refuted(statement, f"columns {matrix}: C G = {_product(C, G)}")
    return Checked(statement, f"all {1 << rows * columns} matrices of {rows} x {columns} bits")


def nonsingular(n: int) -> Iterator[tuple[int, ...]]:
    """Yield the columns of every nonsingular n x n matrix.

    >>> len(list(nonsingular(3)))
    168
    """
    return (A for A in product(range(1 << n), repeat=n) if column_rank(A) == n)


def exists(
    n: int, factored: Callable[[Affine, int], Factorization] = factor, cs: Sequence[int] = ()
) -> Verdict:
    """Return whether A = V W has the properties of section 4 for every nonsingular n x n matrix A,
    every c (or these), and every p = 0, .., n; and whether singular matrices are refused.

    >>> print(exists(2))
    checked: V W exists for every nonsingular A, and for no other (6 matrices of 2 x 2 bits, 4 complements, p = 0 to 2; 10 singular ones are refused)
    """  # noqa: E501
    statement = "V W exists for every nonsingular A, and for no other"
    complements, good = tuple(cs) or tuple(range(1 << n)), set(nonsingular(n))
    for A in product(range(1 << n), repeat=n):
        for c, p in product(complements if A in good else (0,), range(n + 1)):
            try:
                found = check(factored(Affine(A, n, c), p))
            except ValueError:
                if A in good:
                    return Refuted(statement, f"A = {A}, c = {c}, p = {p}: no factors")
                continue
            if A not in good or isinstance(found, Refuted):
                return Refuted(statement, f"A = {A}, c = {c}, p = {p}: {found}")
    return Checked(
        statement,
        f"{len(good)} matrices of {n} x {n} bits, {len(complements)} complements, p = 0 to {n};"
        f" {(1 << n * n) - len(good)} singular ones are refused",
    )
