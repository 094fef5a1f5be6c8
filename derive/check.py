"""Is an equation true at its size? Every entry exactly where that is feasible, else by random vectors over GF(q) with the error bound stated."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import lcm, log2
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact import Collision, Cyclotomic, Elements, Monomials, Residues, Ring, Terms, act, order, row_sum
from derive.fields import PRIME_BITS, RootField, powers, primes
from derive.formula import A, ButterflySum, DirectSum, Equation, F, Formula, I, Kron, Product, factors_of
from derive.verdict import Checked, Refuted, Verdict

EVERY_ENTRY = 4096
"""Up to this size all entries are compared."""
CYCLOTOMIC = 256
"""Up to this size entries that are sums of roots of unity are compared in Z[zeta]."""
BLOCK = 2**18
"""So many elements at a time, so that they stay in cache."""
Action = Callable[[Elements, Ring], Elements]
"""A linear map of vectors, given the ring that their elements live in."""
Progress = Callable[[float], None]
GOAL = 2.0**-32
"""Random checks go on until their error bound is below this."""
LARGEST = 2**24
SHORT = 8
"""Matrices with so few nonzero entries a row, both sides together, are compared entry by entry at every size."""


@dataclass(frozen=True)
class Difference:
    """A place where the two sides of an equation differ: entry (row, column), or the image of a random vector (column None)."""

    row: int
    column: int | None
    left: str
    right: str

    def __str__(self) -> str:
        if self.column is None:
            return f"the images of a random vector differ: {self.left} on the left and {self.right}"
        return f"entry ({self.row}, {self.column}) is {self.left} on the left and {self.right} on the right"


@dataclass(frozen=True)
class Claim:
    """That two linear maps of vectors of `size` elements are equal.

    `order` is a multiple of the orders of all roots of unity on both sides, `growth` bounds the absolute row sums of the two
    together. `fourier` says that the left side is F_N. `locate` names the smallest wrong part, given a difference.
    """

    statement: str
    size: int
    order: int
    growth: int
    left: Action
    right: Action
    fourier: bool = False
    locate: Callable[[Difference, Ring], str] = lambda found, ring: ""


def check(equation: Equation, seed: int = 0, progress: Progress = lambda done: None) -> Verdict:
    """Return whether the two sides of an equation are equal at its size.

    Up to N = 4096 every entry is compared exactly, and at every size where rows have few entries. Else random vectors over
    randomly drawn GF(q) are, and `error` of the verdict bounds the probability of a false acceptance. A Refuted names an entry
    and the smallest wrong factor. `progress` is told the part that is done.

    >>> from derive.fourier import equation_1_6
    >>> print(check(equation_1_6(8)))
    checked: F_8 = A_{8,8} A_{4,8} A_{2,8} P_8 (all 64 entries, exactly in Z[zeta_8])
    """
    return decide(claim(equation), seed, progress)


def claim(equation: Equation) -> Claim:
    """Return an equation as a claim about its two sides.

    >>> from derive.fourier import equation_1_6
    >>> claim(equation_1_6(8)).order
    8
    """
    return Claim(
        statement=str(equation),
        size=equation.left.size,
        order=lcm(order(equation.left), order(equation.right), 4),
        growth=row_sum(equation.left) + row_sum(equation.right),
        left=lambda x, ring: act(equation.left, x, ring),
        right=lambda x, ring: act(equation.right, x, ring),
        fourier=isinstance(equation.left, F),
        locate=lambda found, ring: _smallest_wrong(equation, found, ring),
    )


def decide(claim: Claim, seed: int = 0, progress: Progress = lambda done: None) -> Verdict:
    """Return whether a claim holds, as `check` does for equations.

    Raises ValueError above 2^24 elements.
    """
    if claim.size > LARGEST:
        raise ValueError(f"N = {claim.size}: a check holds vectors of N elements and takes N <= {LARGEST}")
    if claim.growth <= SHORT:
        try:
            return _decide_rows(claim)
        except Collision:
            pass
    return (_decide_entries if claim.size <= EVERY_ENTRY else _decide_random)(claim, seed, progress)


def _decide_rows(claim: Claim) -> Verdict:
    """Compare the nonzero entries of all rows; raise Collision where an entry is a sum of roots of unity."""
    ring = Terms(claim.order)
    x = ring.units(claim.size, range(claim.size))
    left, right = ring.rows(claim.left(x, ring)), ring.rows(claim.right(x, ring))
    if np.array_equal(left, right):
        return _entries_verdict(claim, ring)
    if left.shape != right.shape:
        raise Collision
    row, entry = (int(i) for i in np.argwhere(left != right)[0])
    column = int(min(left[row, entry], right[row, entry])) // ring.order
    found = Difference(row, column, _term(left[row], column, ring), _term(right[row], column, ring))
    return Refuted(claim.statement, str(found), claim.locate(found, Monomials(claim.order)))


def _term(entries: Elements, column: int, ring: Ring) -> str:
    return next((f"w_{ring.order}^{term % ring.order}" for term in entries.tolist() if term // ring.order == column), "0")


def _decide_entries(claim: Claim, seed: int, progress: Progress) -> Verdict:
    """Compare all columns; where roots of unity are added, go on in a larger ring."""
    N = claim.size
    ring: Ring = Monomials(claim.order)
    width = max(1, BLOCK // N)
    start = 0
    while start < N:
        columns = range(start, min(start + width, N))
        try:
            found = _difference(claim, columns, ring)
        except Collision:
            ring, width = _beyond_monomials(claim, seed)
            continue
        if found:
            return Refuted(claim.statement, str(found), claim.locate(found, ring))
        start = columns.stop
        progress(start / N)
    return _entries_verdict(claim, ring)


def _beyond_monomials(claim: Claim, seed: int) -> tuple[Ring, int]:
    """Return the ring, and the columns at a time, for entries that are sums of roots of unity."""
    N, zeta = claim.size, claim.order
    if N <= CYCLOTOMIC and zeta <= 2 * CYCLOTOMIC and zeta & zeta - 1 == 0:
        return Cyclotomic(zeta), max(1, 8 * BLOCK // (N * zeta))
    return Residues(RootField.draw(zeta, np.random.default_rng(seed))), max(1, BLOCK // N)


def _entries_verdict(claim: Claim, ring: Ring) -> Checked:
    count = f"all {claim.size**2} entries"
    if isinstance(ring, Residues):
        error = _vanishing(claim)
        return Checked(claim.statement, f"{count}, in GF({ring.field.q}) drawn at random: false with probability at most {error:.1e}", error)
    return Checked(claim.statement, f"{count}, exactly in Z[zeta_{ring.order}]")


def _difference(claim: Claim, columns: range, ring: Ring) -> Difference | None:
    """Return the first entry of these columns in which the two sides differ, or None."""
    x = ring.units(claim.size, columns)
    left, right = claim.left(x, ring), claim.right(x, ring)
    if np.array_equal(left, right):
        return None
    unequal = (left != right).reshape(*left.shape[:2], -1).any(axis=2)
    column, row = (int(i) for i in np.argwhere(unequal.T)[0])
    return Difference(row, columns[column], _value(left[row, column], ring), _value(right[row, column], ring))


def _value(element: NDArray[Any], ring: Ring) -> str:
    """Return an element as text."""
    if isinstance(ring, Monomials):
        return "0" if element < 0 else f"w_{ring.order}^{int(element)}"
    if isinstance(ring, Residues):
        return f"{int(element)} in GF({ring.field.q})"
    terms = [f"{int(c)} w_{ring.order}^{i}" for i, c in enumerate(np.atleast_1d(element)) if c]
    return " + ".join(terms) or "0"


def _vanishing(claim: Claim) -> float:
    """Return a bound on the probability that a nonzero difference of the two sides vanishes in a random GF(q).

    All conjugates of an entry of the difference are at most 2^b = `growth`, so its norm is at most 2^(b phi) and at most
    b phi/30 prime ideals of norm above 2^30 divide it, of the phi · len(primes(order)) that are drawn from.
    """
    return min(1.0, log2(claim.growth) / (PRIME_BITS * len(primes(claim.order))))


def _decide_random(claim: Claim, seed: int, progress: Progress) -> Verdict:
    """Compare the images of random vectors in randomly drawn fields until the error bound is below GOAL."""
    each = _vanishing(claim) + 1 / 2**PRIME_BITS + claim.size / 2**PRIME_BITS
    if each >= 1:
        raise ValueError(f"N = {claim.size}: too few primes q = 1 mod {claim.order} below 2^31 for a random check")
    runs = int(np.ceil(log2(GOAL) / log2(each)))
    seeds = np.random.SeedSequence(seed).spawn(runs)
    with ThreadPoolExecutor(cpu_count()) as pool:
        for run, (found, ring) in enumerate(pool.map(lambda seed: _run(claim, seed), seeds)):
            if found:
                return Refuted(claim.statement, str(found), claim.locate(found, ring))
            progress((run + 1) / runs)
    evidence = f"{runs} random vectors over random GF(q), q = 1 mod {claim.order}: false with probability at most {each**runs:.1e}"
    return Checked(claim.statement, evidence, each**runs)


def _run(claim: Claim, seed: np.random.SeedSequence) -> tuple[Difference | None, Ring]:
    rng = np.random.default_rng(seed)
    ring = Residues(RootField.draw(claim.order, rng))
    return _random_difference(claim, ring, rng), ring


def _random_difference(claim: Claim, ring: Residues, rng: np.random.Generator) -> Difference | None:
    q = ring.field.q
    x = rng.integers(0, q, (claim.size, 1))
    y = claim.right(x, ring)
    if claim.fourier:
        return _fourier_difference(x[:, 0], y[:, 0], ring, rng)
    want = claim.left(x, ring)
    if np.array_equal(want, y):
        return None
    row = int(np.argwhere(want != y)[0, 0])
    return Difference(row, None, f"{int(want[row, 0])}", f"{int(y[row, 0])} at place {row} in GF({q})")


def _fourier_difference(x: Elements, y: Elements, ring: Residues, rng: np.random.Generator) -> Difference | None:
    """Return a random point t at which sum_k t^k y_k is not what y = F_N x would make it, or None."""
    q = ring.field.q
    t = int(rng.integers(q))
    want, found = _geometric(x, t, ring.field), _power_sum(y, t, q)
    return None if want == found else Difference(0, None, f"with sum_k t^k y_k = {want}", f"{found} at t = {t} in GF({q})")


def _power_sum(y: Elements, t: int, q: int) -> int:
    """Return sum_k t^k y_k mod q."""
    return int((powers(t, len(y), q) * y % q).sum() % q)


def _geometric(x: Elements, t: int, field: RootField) -> int:
    """Return sum_k t^k (F_N x)_k = sum_j x_j (t^N - 1)/(t w^j - 1) from the definition of F_N, without a transform."""
    q, N = field.q, len(x)
    ratio = field.powers[:: field.order // N] * t % q
    denominator = (ratio - 1) % q
    pole = denominator == 0
    terms = (pow(t, N, q) - 1) * _inverses(np.where(pole, 1, denominator), q) % q
    return int((x * np.where(pole, N % q, terms) % q).sum() % q)


def _inverses(a: Elements, q: int) -> Elements:
    """Return the inverses mod q of a power of two of elements by one inversion of their product, 3 multiplications an element."""
    if len(a) == 1:
        return np.array([pow(int(a[0]), -1, q)])
    pairs = a.reshape(-1, 2)
    both = _inverses(pairs[:, 0] * pairs[:, 1] % q, q)
    return (both[:, None] * pairs[:, ::-1] % q).reshape(-1)


def _smallest_wrong(equation: Equation, found: Difference, ring: Ring) -> str:
    """Return the first factor from the right whose partial product is not what the equation claims, down to its wrong block."""
    factors = factors_of(equation.right)
    if len(factors) == 1:
        return str(block_at(factors[0], found.row)) if found.column is not None else str(factors[0])
    N = equation.left.size
    x = np.arange(1, N + 1)[:, None] if found.column is None else ring.units(N, range(found.column, found.column + 1))
    y = x
    for i, (factor, partial) in enumerate(zip(reversed(factors), equation.partial, strict=False)):
        y, want = _act(factor, y, ring), _act(partial, x, ring)
        if not np.array_equal(y, want):
            row = int(np.argwhere((y != want).reshape(N, -1).any(axis=1))[0, 0])
            return f"{block_at(factor, row)} in factor {i + 1} from the right, {factor}"
    if equation.partial and len(factors) > len(equation.partial):
        return f"factor {len(equation.partial) + 1} from the right, {factors[-1 - len(equation.partial)]}: the product is complete without it"
    if len(factors) < len(equation.partial):
        return f"a factor left of {factors[0]}: {len(equation.partial) - len(factors)} missing"
    return ""


def _act(formula: Formula, x: Elements, ring: Ring) -> Elements:
    try:
        return act(formula, x, ring)
    except Collision:
        return np.full_like(x, -2)


def block_at(formula: Formula, row: int) -> Formula:
    """Return the smallest diagonal block of a formula that holds this row.

    >>> print(block_at(A(4, 8), 6))
    B_4
    """
    match formula:
        case A():
            return block_at(formula.definition, row)
        case ButterflySum(_, n, _):
            return block_at(formula.term(row // n), row % n)
        case Kron(I(), right):
            return block_at(right, row % right.size)
        case DirectSum(terms):
            for term in terms:
                if row < term.size:
                    return block_at(term, row)
                row -= term.size
        case Product((only,)):
            return block_at(only, row)
    return formula
