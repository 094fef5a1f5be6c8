"""Claims decided by random vectors over GF(q), with a bound on the probability that a false one
passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from math import log2
from os import cpu_count
from typing import Any

import numpy as np

from derive.exact.angles import Angles
from derive.exact.claim import Claim, Difference, Progress, difference
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Elements, Monomials, Paths, Ring
from derive.fields import WIDE_BITS, RootField, inverses, powers, times, wide_prime, wide_primes
from derive.verdict import Checked, Undecided, Verdict

GOAL = 2.0**-32
"""Random vectors are drawn until their error bound is below this."""
FEW = 1 << 12
"""Vectors of fewer entries are run one after the other."""
LOW_ORDER = 1 << 20
"""Roots of unity up to this order are tried by a single vector."""


def decide_by_vectors(claim: Claim, seed: int, progress: Progress) -> Verdict:
    """Compare the images of random vectors in randomly drawn fields until the error bound is below
    GOAL.

    A difference of the two sides vanishes in the drawn field (`_vanishing`), or the vector misses
    it (1/q), or the point at which the images are compared does (`_degree`/q). What stands for
    matrix variables is drawn as well: a polynomial in their entries that is not 0 is 0 at degree/q
    of all points. Where the left side
    is F_N and one path leads to every entry of the right one, entries are single roots of unity:
    two that differ do so in every GF(q), and the first of the three cannot happen.
    """
    single = claim.fourier and _one_path_each(claim, seed)
    paths = claim.growth / 2.0**64 if single else 0.0
    each = (1 + _degree(claim) + claim.degree) / 2**WIDE_BITS + (
        0.0 if single else _vanishing(claim)
    )
    if each > 1 / 2:
        return Undecided(
            claim.statement,
            f"too few primes q = 1 mod {claim.order} below 2^48 for entries of"
            f" 2^{claim.growth.bit_length()}",
        )
    runs = int(np.ceil(log2(GOAL - paths) / log2(each)))
    seeds = np.random.SeedSequence(seed).spawn(runs)
    with _workers(claim) as each_of:
        for run, wrong in enumerate(each_of(lambda seed: _run(claim, seed), seeds)):
            if wrong:
                return claim.refuted(*_entry(claim, *wrong))
            progress((run + 1) / runs)
    error = each**runs + paths
    how = "one path to every entry, which is so a single root of unity, and " * single
    how += _drawn(claim, runs)
    return Checked(
        claim.statement,
        f"{how}, q = 1 mod {claim.order}: false with probability at most {error:.1e}",
        error,
    )


def differs_at(claim: Claim, seed: int) -> tuple[Difference, Ring] | None:
    """Return an entry in which the two sides differ, and the ring in which they do; None where a
    single random vector over a single random GF(q) does not show it, which bounds no error.

    This takes a few milliseconds, and is for a search of counterexamples.

    Raises ValueError for roots of unity of an order above 2^20.
    """
    if claim.order > LOW_ORDER:
        raise ValueError(f"roots of unity of order {claim.order}, above 2^20, are not tried")
    rng = np.random.default_rng(seed)
    field = RootField.draw(claim.order, rng, np.array([wide_prime(claim.order, rng)]))
    test = _Test(claim, Residues(field, int(rng.integers(2**63)) if claim.letters else 0))
    x = rng.integers(0, field.q, (claim.size, 1))
    if not test.differ(x):
        return None
    few = (0, *rng.integers(claim.size, size=2).tolist()) if claim.size > FEW else ()
    units = (
        column
        for column in few
        if test.differ(test.ring.units(claim.size, range(column, column + 1)))
    )
    column = next(units, None)
    return _entry(claim, _column(test, x) if column is None else column, test.ring)


@contextmanager
def _workers(claim: Claim) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield what runs a function on each seed: threads, where a run takes longer than a start."""
    if claim.size < FEW:
        yield map
        return
    with ThreadPoolExecutor(cpu_count()) as pool:
        yield pool.map


def _drawn(claim: Claim, runs: int) -> str:
    """Return what was drawn, in words."""
    several = f"{runs} random vectors over random GF(q)"
    vectors = several if runs > 1 else "a random vector over a random GF(q)"
    letters = f" and random matrices for {', '.join(claim.letters)}" if claim.letters else ""
    return vectors + letters


def _vanishing(claim: Claim) -> float:
    """Return a bound on the probability that a nonzero difference of the two sides vanishes in a
    random GF(q).

    All conjugates of an entry of the difference are at most 2^b = `growth`, so its norm is at most
    2^(b phi) and at most b phi/47 prime ideals of norm above 2^47 divide it, of the phi ·
    len(wide_primes(order)) that are drawn from.
    """
    return min(1.0, log2(claim.growth) / (WIDE_BITS * len(wide_primes(claim.order))))


def _one_path_each(claim: Claim, seed: int) -> bool:
    """Return whether the right side, of 2^31 paths at most, has one path from every place to every
    place.

    The numbers of paths are added modulo 2^64 for a random vector. Where not all are 1, one of them
    differs from 1 by less than `growth`, and the sum is that of all ones with probability at most
    growth/2^64.
    """
    if claim.growth > 2**31:
        return False
    x = np.random.default_rng(seed).integers(-(2**63), 2**63, (claim.size, 1), dtype=np.int64)
    try:
        return bool((claim.right(x, Paths(claim.order)) == x.sum()).all())
    except Collision:
        return False


@dataclass(frozen=True)
class _Test:
    """A linear map to a few residues that is 0 where the two sides have equal images: r (right x) -
    (r F_N) x, or the images' difference.
    """

    claim: Claim
    ring: Residues
    rows: Elements | None = None
    columns: Elements | None = None

    def differ(self, x: Elements) -> bool:
        """Return whether the images of x are seen to differ."""
        y = self.claim.right(x, self.ring)
        if self.rows is None or self.columns is None:
            return not np.array_equal(self.claim.left(x, self.ring), y)
        want, found = (
            self.ring.total(self.ring.times(weights[:, None], z))
            for weights, z in ((self.columns, x), (self.rows, y))
        )
        return bool(want != found)


def _run(claim: Claim, seed: np.random.SeedSequence) -> tuple[int, Residues] | None:
    """Return a column in which the two sides differ, and the field in which they do, or None."""
    rng = np.random.default_rng(seed)
    field = RootField.draw(claim.order, rng, np.array(wide_primes(claim.order)))
    ring = Residues(field, int(rng.integers(2**63)) if claim.letters else 0)
    weights = _weights(claim, ring.field, rng) if claim.fourier or claim.hartley else ()
    test = _Test(claim, ring, *weights)
    x = rng.integers(0, ring.field.q, (claim.size, 1))
    return (_column(test, x), ring) if test.differ(x) else None


def _column(test: _Test, x: Elements) -> int:
    """Return a place of x that alone is seen to differ, by halving x: the test is linear."""
    start, stop = 0, len(x)
    while stop - start > 1:
        middle = (start + stop) // 2
        half = np.zeros_like(x)
        half[start:middle] = x[start:middle]
        start, stop = (start, middle) if test.differ(half) else (middle, stop)
    return start


def _entry(claim: Claim, column: int, ring: Residues) -> tuple[Difference, Ring]:
    """Return the first entry of a column in which the two sides differ, without a field if entries
    are single numbers.
    """
    smaller = Angles(claim.order) if claim.real else Monomials(claim.order)
    for larger in (smaller, ring) if not claim.letters else (ring,):
        try:
            found = difference(claim, range(column, column + 1), larger)
        except Collision:
            continue
        if found:
            return found, larger
    raise AssertionError("a column that differs in a field has an entry that does")


def _odd(N: int) -> tuple[int, int]:
    """Return (a, m) with N = 2^a m, m odd."""
    a = (N & -N).bit_length() - 1
    return a, N >> a


def _degree(claim: Claim) -> int:
    """Return the degree of the polynomial at a random point of which images are compared: a false
    one is 0 at degree/q of all points.
    """
    a, m = _odd(claim.size)
    return a + m - 1 if claim.fourier or claim.hartley else 0


def _weights(claim: Claim, field: RootField, rng: np.random.Generator) -> tuple[Elements, Elements]:
    """Return r and r F_N, or r H_N, at a random point (t_0, ..., t_(a-1), s): r_k is the product of
    the t_i with bit i of k, times s^(k div 2^a).

    N = 2^a m. Column j of r F_N is the sum over all k from the definition of F_N, one factor a bit,
    and no transform: (1 + t_0 w^j) (1 + t_1 w^2j) ... times the sum of (s w^(2^a j))^l, l < m.
    """
    q, (a, m) = field.q, _odd(claim.size)
    t, s = [int(t) for t in rng.integers(0, q, a)], int(rng.integers(0, q))
    root = field.powers[:: field.order // claim.size]
    rows, columns = powers(s, m, q), _geometric(times(root[:: 1 << a], s, q), m, q)
    for i in reversed(range(a)):
        rows = np.stack([rows, times(rows, t[i], q)], axis=1).reshape(-1)
        columns = times(np.tile(columns, 2), (times(root[:: 1 << i], t[i], q) + 1) % q, q)
    return rows, _hartley(columns, field) if claim.hartley else columns


def _geometric(ratio: Elements, m: int, q: int) -> Elements:
    """Return the sums of ratio^l for l < m, where all of ratio have the same m-th power."""
    denominator = (ratio - 1) % q
    pole = denominator == 0
    sums = times(inverses(np.where(pole, 1, denominator), q), (pow(int(ratio[0]), m, q) - 1) % q, q)
    return np.where(pole, m % q, sums)


def _hartley(columns: Elements, field: RootField) -> Elements:
    """Return r H_N, given r F_N: cas is (1 - i)/2 w + (1 + i)/2 w^-1."""
    q, i, half = field.q, int(field.powers[field.order // 4]), (field.q + 1) // 2
    forward, backward = (
        times(columns[sign * np.arange(len(columns))], half * (1 - sign * i) % q, q)
        for sign in (1, -1)
    )
    return (forward + backward) % q
