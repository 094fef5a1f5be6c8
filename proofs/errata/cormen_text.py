"""T. H. Cormen, 1997: restrictions, labels of blocks, indentations of programs, and counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import factorial, prod

from derive.gf2 import bmmc
from derive.gf2.bits import rank, unpack
from derive.gf2.word_operations import interprocessor
from proofs.errata.entry import Evaluation, both, differ

Columns = tuple[int, ...]
COLUMNS_FOR_AN_ELEMENT = 3
"""As many columns are added for an element at most, where that is Θ(N/P) in all."""


def restricted(columns: Columns, other: bool) -> bool:
    """Return whether m_ij = 1, with i ≠ j where `other`, means m_jk = 0 for all k ≠ j."""
    n = len(columns)
    return not any(
        columns[j] >> i & 1 and columns[k] >> j & 1
        for i, j, k in product(range(n), repeat=3)
        if k != j and (i != j or not other)
    )


def additions(n: int, i: int, j: int, other: bool) -> str | None:
    """Return whether the matrix that adds column i into column j alone breaks the restriction; with
    i ≠ j, whether a matrix that obeys it is singular, too.
    """
    one = tuple(1 << k | (1 << i if k == j else 0) for k in range(n))
    if not restricted(one, other):
        return f"m_{i}{i} = 1 and m_{i}{j} = 1: the matrix that adds column {i} into column {j}"
    if other:
        for bits in product(range(1 << n), repeat=n):
            all_of = tuple(bits[k] | 1 << k for k in range(n))
            if restricted(all_of, True) and rank(unpack(all_of, n)) < n:
                return f"the columns {all_of} obey the restriction, and are singular"
    return None


def pairs() -> Iterator[tuple[int, int, int]]:
    """Yield n and two columns."""
    return ((n, i, j) for n in (2, 3) for i in range(n) for j in range(n) if i != j)


def dependencies(columns: Columns, inside: bool) -> dict[int, int]:
    """Return D_j of the columns outside the basis by Appendix A's program, with line 13 inside the
    loop over k or after it.
    """
    A, n = list(columns), len(columns)
    D, basis = [0] * n, set()
    for j in reversed(range(n)):
        if not A[j]:
            continue
        basis.add(j)
        i = (A[j] & -A[j]).bit_length() - 1
        for k in range(j):
            if A[k] >> i & 1:
                A[k] ^= A[j]
                D[k] ^= D[j] ^ 1 << j
            D[j] = 0 if inside else D[j]
        D[j] = 0
    return {j: D[j] for j in range(n) if j not in basis}


def line_13(rows: int, number: int, inside: bool) -> str | None:
    """Return a matrix of so many rows and columns of which a column outside the basis is not the
    sum of the columns i with d_ij = 1.
    """
    for columns in product(range(1 << rows), repeat=number):
        for j, D in dependencies(columns, inside).items():
            found = 0
            for i in range(number):
                found ^= columns[i] if D >> i & 1 else 0
            if found != columns[j]:
                used = [i for i in range(number) if D >> i & 1]
                return f"A = {columns}: A_{j} is not the sum of the columns {used}"
    return None


def copied(n: int, p: int, inside: bool) -> str | None:
    """Return a place that lines 6 to 8 of section 5 leave without an element, in the bit reversal:
    after the loop over b (of lines 2 to 5), or in each round.
    """
    f = bmmc.factor(bmmc.bit_reversal(n), p)
    message, rounds = f.elements_per_message, range(f.rounds)
    filled = {
        f.V(f.source(b, k) << f.m | b * message + j)
        for k in range(1 << p)
        for b in (rounds if inside else rounds[-1:])
        for j in range(message)
    }
    left = set(range(1 << n)) - filled
    return (
        f"place {min(left)} receives no element: only round {rounds[-1]} copies" if left else None
    )


def heights(n: int, p: int, top: int) -> str | None:
    """Return whether T R Π has no p x p identity at the lower right if its top section has so many
    rows, in the factors of the bit reversal.
    """
    found = unpack(bmmc.factor(bmmc.bit_reversal(n), p).W.inverse().columns, n)[top:, n - p :]
    return (
        None if rank(found) == found.shape[0] == p else f"the block I has the shape {found.shape}"
    )


def bit_matrices(n: int) -> int:
    """Return the number of BMMC permutations of 2^n elements: 2^n prod (2^n - 2^i)."""
    return (1 << n) * prod((1 << n) - (1 << i) for i in range(n))


def every_one(N: int, printed: bool) -> str | None:
    """Return whether all permutations of N elements are BMMC; corrected: whether that is not for N
    ≤ 4 alone.
    """
    count, all_of = bit_matrices(N.bit_length() - 1), factorial(N)
    if printed:
        return f"all {all_of} permutations are BMMC" if count == all_of else None
    return differ(N <= 4, count == all_of, "all of them: {}, counted: {}")


def theta(m: int, gray: bool) -> str | None:
    """Return whether a processor adds more than COLUMNS_FOR_AN_ELEMENT columns for an element in
    the bit reversal of 4^m elements on 2^m processors, the rounds in the order 0, 1, .. or of a
    Gray code.
    """
    counts = interprocessor(bmmc.factor(bmmc.bit_reversal(2 * m), m), 0)
    found = counts[gray].operations
    return (
        f"rank γ = lg(N/P) = {m}, and {found} columns are added for {1 << m} elements"
        if found > COLUMNS_FOR_AN_ELEMENT << m
        else None
    )


def processors() -> Iterator[tuple[int, int]]:
    """Yield n and p, 0 < p < n."""
    return ((n, p) for n in range(2, 7) for p in range(1, n))


EVALUATIONS: dict[str, Evaluation] = {
    "cormen-dependency-restriction": Evaluation("n i j", pairs, *both(additions, False, True)),
    "cormen-section-4-row-labels": Evaluation(
        "n p", processors, lambda n, p: heights(n, p, p), lambda n, p: heights(n, p, n - p)
    ),
    "cormen-section-5-lines-6-8": Evaluation("n p", processors, *both(copied, False, True)),
    "cormen-section-5-operations": Evaluation(
        "lg(N/P)", lambda: [(m,) for m in range(1, 11)], *both(theta, False, True)
    ),
    "cormen-appendix-a-line-13": Evaluation(
        "rows columns",
        lambda: [(rows, columns) for rows in (1, 2, 3) for columns in (1, 2, 3, 4)],
        *both(line_13, True, False),
    ),
    "cormen-appendix-c-all": Evaluation(
        "N", lambda: [(1 << n,) for n in range(1, 7)], *both(every_one, True, False)
    ),
}
