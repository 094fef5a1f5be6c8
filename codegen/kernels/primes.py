"""Codelets of odd primes: F_p on p vectors, as expressions in their sums and differences.

With s_k = v_k + v_(p-k) and d_k = -i (v_k - v_(p-k)), 0 < k <= (p - 1)/2,

    y_j = v_0 + sum_k cos(2 pi jk/p) s_k + sin(2 pi jk/p) d_k
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

PRIMES = (7, 5, 3)
"""The odd primes that kernels have codelets of."""


@dataclass(frozen=True)
class Codelet:
    """F_p as a function prints it: the pairs (k, p - k), the sums with cosines by their names, and
    all results but the first.
    """

    p: int
    pairs: tuple[tuple[int, int], ...]
    sums: tuple[tuple[str, str], ...]
    results: tuple[str, ...]


def codelet(p: int) -> Codelet:
    """Return the codelet of a prime.

    >>> codelet(3).sums, codelet(3).results[0]
    ((('c1', 'muladd(-0.5, s1, a)'),), 'muladd(0.8660254037844386, d1, c1)')
    """
    half = range(1, (p + 1) // 2)
    sums = ((f"c{j}", _nested([_cosine(j * k, p) for k in half], "s", "a")) for j in half)
    results = (
        _nested([_sine(j * k, p) for k in half], "d", f"c{min(j, p - j)}") for j in range(1, p)
    )
    return Codelet(p, tuple((k, p - k) for k in half), tuple(sums), tuple(results))


def _nested(factors: Sequence[float], name: str, last: str) -> str:
    """Return the text of a sum of products, of vectors 1, 2, .. of this name, and a last vector."""
    for k, factor in reversed([*enumerate(factors, 1)]):
        last = f"muladd({factor!r}, {name}{k}, {last})"
    return last


def _cosine(e: int, p: int) -> float:
    """Return cos(2 pi e / p), from an angle of at most a quarter of a turn; -1/2 without an
    error.
    """
    least = min(e % p, -e % p)
    if p == 3:
        return -0.5
    return cos(2 * pi * least / p) if 4 * least <= p else -cos(pi * (p - 2 * least) / p)


def _sine(e: int, p: int) -> float:
    """Return sin(2 pi e / p), from an angle of at most a quarter of a turn."""
    least = min(e % p, -e % p)
    size = sin(2 * pi * least / p if 4 * least <= p else pi * (p - 2 * least) / p)
    return size if 2 * (e % p) < p else -size
