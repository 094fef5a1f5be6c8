"""Ranks of parts of the matrices F and H over a prime field: at most those over the complex
numbers, as a minor that is 0 is 0 mod q.
"""

from __future__ import annotations

from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.fields import RootField

EXACTLY_UP_TO = 512
"""Up to this N ranks of matrices are computed where there is no closed form."""


def rank_of_part(
    N: int, rows: NDArray[Any], columns: NDArray[Any], seed: int = 0, hartley: bool = False
) -> int:
    """Return the rank over GF(q) of these rows and columns of F_N, or of H_N.

    >>> rank_of_part(12, np.arange(4, 12), np.arange(4), hartley=True)
    4
    """
    entries, q = _entries(N, seed, hartley)
    return rank_mod(entries[np.outer(rows, columns) % N], q)


def rank_of_cosines(n: int, rows: NDArray[Any], columns: NDArray[Any], seed: int = 0) -> int:
    """Return the rank over GF(q) of these rows and columns of the cosine matrix C2_n.

    >>> rank_of_cosines(3, np.array([1]), np.array([1]))
    0
    """
    cosines, q = _cosines(n, seed)
    return rank_mod(cosines[np.outer(rows, 2 * columns + 1) % (4 * n)], q)


def least_rank_of_cosines(n: int, rows: NDArray[Any], columns: NDArray[Any]) -> int:
    """Return a number that the rank of these rows and columns is at least.

    With θ = π(2j + 1)/2n rows 0, 1, .. are cos kθ, polynomials of degree k in cos θ, and rows
    n - k, k = 1, 2, .., are ± sin kθ, sin θ times such of degree k - 1. So rows from either end on
    have full rank in any columns.

    >>> least_rank_of_cosines(8, np.array([0, 1, 2, 7]), np.arange(4, 8))
    3
    """
    has = np.zeros(n + 1, bool)
    has[rows] = True
    first, last = int(has.argmin()), int(has[-2::-1].argmin()) if len(rows) < n else n
    return min(max(first, last), len(columns))


@lru_cache(8)
def _cosines(n: int, seed: int) -> tuple[NDArray[np.int64], int]:
    """Return 2 cos(2 pi e/4n) for all e, in a field, and its q."""
    field = RootField.draw(lcm(8, 4 * n), np.random.default_rng(seed))
    w = field.powers[:: field.order // (4 * n)]
    return (w + np.roll(w[::-1], 1)) % field.q, field.q


@lru_cache(8)
def _entries(N: int, seed: int, hartley: bool) -> tuple[NDArray[np.int64], int]:
    """Return the entry of F_N, or twice that of H_N, at every j k mod N, in a field, and its q."""
    field = RootField.draw(lcm(8, N), np.random.default_rng(seed))
    w = field.powers[:: field.order // N]
    return _cas(w, field) if hartley else w, field.q


def _cas(w: NDArray[np.int64], field: RootField) -> NDArray[np.int64]:
    """Return cos + sin of 2 pi e/N times 2 for all e, from the powers of a root of unity: (1 - i)
    w^e + (1 + i) w^-e.
    """
    i = int(field.powers[field.order // 4])
    return ((1 - i) % field.q * w + (1 + i) % field.q * np.roll(w[::-1], 1)) % field.q


def rank_mod(matrix: NDArray[np.int64], q: int) -> int:
    """Return the rank of a matrix of residues mod a prime q < 2^31, by elimination.

    >>> rank_mod(np.array([[1, 2], [3, 6], [4, 8]]), 7), rank_mod(np.array([[1, 2], [3, 5]]), 7)
    (1, 2)
    """
    left, rank = (matrix.T if matrix.shape[0] > matrix.shape[1] else matrix) % q, 0
    for column in range(left.shape[1]):
        below = np.flatnonzero(left[rank:, column])
        if not len(below):
            continue
        left[[rank, rank + below[0]]] = left[[rank + below[0], rank]]
        pivot = left[rank] * pow(int(left[rank, column]), -1, q) % q
        left[rank + 1 :] = (left[rank + 1 :] - left[rank + 1 :, column, None] * pivot) % q
        rank += 1
        if rank == len(left):
            break
    return rank
