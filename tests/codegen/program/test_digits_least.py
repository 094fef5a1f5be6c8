"""Transforms of sizes that are no powers of two take as few exchanges as any: all ways to cut an
index into prime digits, to do them in runs, and to fill the ranks are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, permutations, product
from math import prod

import pytest

from codegen.program.digits.digit_supersteps import Trade
from codegen.program.digits.lower import lowered
from derive.digits.digit_layouts import ArrayLayout

Digit = tuple[bool, int, int]
"""Whether its run is done, the number of the run, and the place within it."""
SIZES = (12, 18, 24, 36, 48, 60, 72, 100)
ENDS = ("block", "cyclic")


def primes(n: int) -> list[int]:
    """Return the prime factors of a number, the least first."""
    least = next((p for p in range(2, n + 1) if n % p == 0), 1)
    return [least, *primes(n // least)] if n > 1 else []


def orders(n: int) -> set[tuple[int, ...]]:
    """Return the prime factors of a number in every order."""
    return set(permutations(primes(n)))


def cut(order: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Yield the ways to cut an order of digits into runs."""
    inner = range(1, len(order))
    for count in range(len(order)):
        for places in combinations(inner, count):
            yield [order[a:b] for a, b in pairwise((0, *places, len(order)))]


def on_ranks(digits: list[tuple[Digit, int]], P: int, layout: str) -> frozenset[Digit] | None:
    """Return the digits on the ranks of a layout, the highest being first; None if it cuts one."""
    found, product_ = [], 1
    for digit, radix in digits if layout == "block" else reversed(digits):
        if product_ < P:
            found.append(digit)
            product_ *= radix
    return frozenset(found) if product_ == P else None


def least(N: int, P: int, ends: tuple[str, str]) -> int | None:
    """Return the fewest exchanges of all ways; None if there is no way."""
    found = (
        exchanges(runs, list(after), P, ends)
        for order in orders(N)
        for runs in cut(order)
        for after in product(*(orders(prod(run)) for run in runs))
    )
    return min((count for count in found if count is not None), default=None)


def exchanges(
    runs: list[tuple[int, ...]], after: list[tuple[int, ...]], P: int, ends: tuple[str, str]
) -> int | None:
    """Return the fewest exchanges where these runs are done one after the other, the digits of
    each cut in another way afterwards.
    """
    given, made = (
        [[((done, t, i), radix) for i, radix in enumerate(run)] for t, run in enumerate(each)]
        for done, each in ((False, runs), (True, after))
    )
    first = on_ranks([digit for run in given for digit in run], P, ends[0])
    last = on_ranks([digit for run in reversed(made) for digit in run], P, ends[1])
    if first is None or last is None:
        return None
    seen = now = {(first, advanced(first, 0, len(runs)))}
    for count in range(2 * len(runs) + 2):
        if (last, len(runs)) in now:
            return count
        now = {
            (content, advanced(content, t, len(runs)))
            for t in {t for _, t in now}
            for content in fillings([d for run in (*made[:t], *given[t:]) for d in run], P)
        } - seen
        seen = seen | now
    return None


def advanced(content: frozenset[Digit], t: int, count: int) -> int:
    """Return how many runs are done in a phase with these digits on the ranks."""
    while t < count and not any(digit[:2] == (False, t) for digit in content):
        t += 1
    return t


def fillings(digits: list[tuple[Digit, int]], P: int) -> Iterator[frozenset[Digit]]:
    """Yield the sets of digits whose product is P."""
    for count in range(len(digits) + 1):
        for chosen in combinations(digits, count):
            if prod(radix for _, radix in chosen) == P:
                yield frozenset(digit for digit, _ in chosen)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("N", SIZES)
@pytest.mark.parametrize("ends", [*product(ENDS, ENDS)], ids=" to ".join)
def test_no_way_has_fewer_exchanges(N: int, ends: tuple[str, str]) -> None:
    for P in (p for p in range(2, N) if N % p == 0):
        source, target = (ArrayLayout(name, (N,), (P,)) for name in ends)
        try:
            steps = lowered(source, target)
        except ValueError:
            assert least(N, P, ends) is None, P
        else:
            assert sum(isinstance(step, Trade) for step in steps) == least(N, P, ends), P


def test_axes_are_cut_elsewhere_where_that_takes_fewer_exchanges() -> None:
    source, target = (ArrayLayout(name, (24, 8), (4, 2)) for name in ("cyclic", "cyclic,block"))
    steps = lowered(source, target)
    assert sum(isinstance(step, Trade) for step in steps) == 2
