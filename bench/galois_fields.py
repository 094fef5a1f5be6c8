"""galois beside the project's own arithmetic: `python -m bench.galois_fields [--elements 65536]`.

First a product of residues in GF(q), q above 2^30 and above 2^47, of `derive.fields.times` and of
galois' arrays over GF(q), with what the class of the field costs before. Then the elimination that
makes T, R and Π of a bit matrix, of `derive.gf2.bits.column_basis` and by galois' row reduction.
Both results are compared before their times are taken. The least of five times counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import galois
import numpy as np

from bench.common import machine, table
from derive.fields import primes, times, wide_primes
from derive.gf2.bits import column_basis
from derive.gf2.elimination import by_galois

ORDER = 2**16
"""The order of the root of unity for which primes are taken."""
REPEATS = 5


def least(call: Callable[[], Any]) -> float:
    """Return the least of REPEATS times of a call, in seconds."""
    found = []
    for _ in range(REPEATS):
        start = perf_counter()
        call()
        found.append(perf_counter() - start)
    return min(found)


def product_row(q: int, count: int) -> list[object]:
    """Return the times of products modulo q."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, q, (2, count))
    start = perf_counter()
    field = galois.GF(q)
    made = perf_counter() - start
    x, y = field(a), field(b)
    first = perf_counter()
    same = bool(np.array_equal(np.asarray(x * y).astype(np.int64), times(a, b, q)))
    first = perf_counter() - first
    if not same:
        raise SystemExit(f"galois and derive.fields.times differ modulo {q}")
    ours, theirs = least(lambda: times(a, b, q)), least(lambda: x * y)
    return [q, f"{made:.2f}", f"{first:.2f}", f"{ours * 1e9 / count:.1f}",
            f"{theirs * 1e9 / count:.1f}", f"{theirs / ours:.1f}"]  # fmt: skip


def elimination_row(n: int) -> list[object]:
    """Return the times of the elimination of an n x n bit matrix, a p x n section of rank p."""
    rng = np.random.default_rng(n)
    columns = [int.from_bytes(rng.bytes(8), "little") & (1 << n) - 1 for _ in range(n)]
    if by_galois(columns, n) != column_basis(columns):
        raise SystemExit(f"the eliminations differ for n = {n}")
    ours = least(lambda: column_basis(columns))
    theirs = least(lambda: by_galois(columns, n))
    return [n, f"{ours * 1e6:.0f}", f"{theirs * 1e6:.0f}", f"{theirs / ours:.0f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=2**16)
    count = parser.parse_args(arguments).elements
    print(machine())
    qs = primes(ORDER)[0], wide_primes(ORDER)[0]
    table(
        f"Products of {count} residues modulo q, ns for each",
        ["q", "class of GF(q), s", "first product, s", "derive.fields.times", "galois", "ratio"],
        [product_row(q, count) for q in qs],
    )
    table(
        "The elimination of Appendix A, n columns of n bits, μs",
        ["n", "column_basis", "galois", "ratio"],
        [elimination_row(n) for n in (4, 10, 20, 40)],
    )


if __name__ == "__main__":
    main(sys.argv[1:])
