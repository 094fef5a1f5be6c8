"""Prime factorizations, and sums by keys. Trusted; standard library only."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, reduce
from math import isqrt
from operator import mul
from typing import Any

from proofs.kernel.sealed import need

LAST_DIVISOR = 2**20
"""Primes are found by division by all numbers up to this."""


def collect(pairs: Iterable[tuple[Any, Any]]) -> frozenset[tuple[Any, Any]]:
    """Return pairs (key, value) with the values of equal keys added, and without zeros."""
    total: dict[Any, Any] = {}
    for key, value in pairs:
        total[key] = total[key] + value if key in total else value
    return frozenset((key, value) for key, value in total.items() if value)


def times(total: Any, factors: Iterable[Any]) -> Any:
    """Return total * factor * ..."""
    return reduce(mul, factors, total)


@cache
def primes(n: int) -> frozenset[tuple[int, int]]:
    """Return the prime factorization of n >= 1, nothing for other numbers. Refused: one that takes
    divisors beyond LAST_DIVISOR.
    """
    last = isqrt(max(n, 0))
    p = next((p for p in range(2, min(last, LAST_DIVISOR) + 1) if n % p == 0), n)
    need(
        p < n or last <= LAST_DIVISOR,
        "{} has no divisor up to {}, and others are not looked for",
        n,
        LAST_DIVISOR,
    )
    return collect([*primes(n // p), (p, 1)]) if n > 1 else frozenset()
