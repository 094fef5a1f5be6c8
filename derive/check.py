"""Is an equation true at its size? Every entry exactly where that is feasible, else by random vectors over GF(q) with the error bound stated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lcm, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact import Collision, Cyclotomic, Elements, Monomials, Residues, Ring, act, order, row_sum
from derive.fields import PRIME_BITS, RootField, primes
from derive.formula import A, ButterflySum, DirectSum, Equation, F, Formula, I, Kron, Product, factors_of
from derive.verdict import Checked, Refuted, Verdict

EVERY_ENTRY = 4096
"""Up to this size all entries are compared."""
CYCLOTOMIC = 256
"""Up to this size entries that are sums of roots of unity are compared in Z[zeta]."""
BLOCK = 2**18
"""So many elements at a time, so that they stay in cache."""
GOAL = 2.0**-40
"""Random checks go on until their error bound is below this."""
POINTS = 4
"""Random points t at which sum_k t^k y_k is compared, for each random vector."""


@dataclass(frozen=True)
class Difference:
    """A place where the two sides of an equation differ: entry (row, column), or the image of a random vector (column None)."""

    row: int
    column: int | None
    left: str
    right: str

    def __str__(self) -> str:
        if self.column is None:
            return f"the images of a random vector {self.left} and {self.right}"
        return f"entry ({self.row}, {self.column}) is {self.left} on the left and {self.right} on the right"


def check(equation: Equation, seed: int = 0, progress: Callable[[float], None] = lambda done: None) -> Verdict:
    """Return whether the two sides of an equation are equal at its size.

    Up to N = 4096 every entry is compared exactly; beyond, random vectors over randomly drawn GF(q) are, and `error` of the
    verdict bounds the probability of a false acceptance. A Refuted names an entry and the smallest wrong factor. `progress` is
    told the part that is done.

    >>> from derive.fourier import equation_1_6
    >>> print(check(equation_1_6(8)))
    checked: F_8 = A_{8,8} A_{4,8} A_{2,8} P_8 (all 64 entries, exactly in Z[zeta_8])
    """
    if equation.left.size <= EVERY_ENTRY:
        return _check_entries(equation, seed, progress)
    return _check_random(equation, seed, progress)


def common_order(equation: Equation) -> int:
    """Return the order of the root of unity in which both sides of an equation are written, a multiple of 4."""
    return lcm(order(equation.left), order(equation.right), 4)


def _check_entries(equation: Equation, seed: int, progress: Callable[[float], None]) -> Verdict:
    N, zeta = equation.left.size, common_order(equation)
    ring: Ring = Monomials(zeta)
    width = max(1, BLOCK // N)
    start = 0
    while start < N:
        columns = range(start, min(start + width, N))
        try:
            found = _difference(equation, columns, ring)
        except Collision:
            ring, width = _beyond_monomials(N, zeta, seed)
            continue
        if found:
            return Refuted(str(equation), str(found), _smallest_wrong(equation, found, ring))
        start = columns.stop
        progress(start / N)
    return _entries_verdict(equation, ring)


def _beyond_monomials(N: int, zeta: int, seed: int) -> tuple[Ring, int]:
    """Return the ring, and the columns at a time, for a formula whose entries are sums of roots of unity."""
    if N <= CYCLOTOMIC and zeta <= 2 * CYCLOTOMIC and zeta & zeta - 1 == 0:
        return Cyclotomic(zeta), max(1, 8 * BLOCK // (N * zeta))
    return Residues(RootField.draw(zeta, np.random.default_rng(seed))), max(1, BLOCK // N)


def _entries_verdict(equation: Equation, ring: Ring) -> Checked:
    count = f"all {equation.left.size**2} entries"
    if isinstance(ring, Residues):
        error = _vanishing(equation, ring.order)
        return Checked(str(equation), f"{count}, in GF({ring.field.q}) with w = {ring.field.w} drawn at random: false with probability at most {error:.1e}", error)
    return Checked(str(equation), f"{count}, exactly in Z[zeta_{ring.order}]")


def _difference(equation: Equation, columns: range, ring: Ring) -> Difference | None:
    """Return the first entry of these columns in which the two sides differ, or None."""
    x = ring.units(equation.left.size, columns)
    left, right = act(equation.left, x, ring), act(equation.right, x, ring)
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


def _vanishing(equation: Equation, zeta: int) -> float:
    """Return a bound on the probability that a nonzero difference of the two sides vanishes in a random GF(q).

    All conjugates of an entry of the difference are at most 2^b = row_sum(left) + row_sum(right), so its norm is at most
    2^(b phi) and at most b phi/30 prime ideals of norm above 2^30 divide it, of the phi · len(primes(zeta)) that are drawn from.
    """
    b = log2(row_sum(equation.left) + row_sum(equation.right))
    return min(1.0, b / (PRIME_BITS * len(primes(zeta))))


def _check_random(equation: Equation, seed: int, progress: Callable[[float], None]) -> Verdict:
    """Compare the images of random vectors in randomly drawn fields until the error bound is below GOAL."""
    rng = np.random.default_rng(seed)
    N, zeta = equation.left.size, common_order(equation)
    each = _vanishing(equation, zeta) + 1 / 2**PRIME_BITS + (N / 2**PRIME_BITS) ** POINTS
    runs = max(1, int(np.ceil(log2(GOAL) / log2(each)))) if each < 1 else 0
    if runs == 0:
        raise ValueError(f"N = {N}: too few primes q = 1 mod {zeta} below 2^31 for a random check")
    for run in range(runs):
        field = RootField.draw(zeta, rng)
        found = _random_difference(equation, Residues(field), rng)
        if found:
            return Refuted(str(equation), str(found), _smallest_wrong(equation, found, Residues(field)))
        progress((run + 1) / runs)
    evidence = f"{runs} random vectors over random GF(q), q = 1 mod {zeta}: false with probability at most {each**runs:.1e}"
    return Checked(str(equation), evidence, each**runs)


def _random_difference(equation: Equation, ring: Residues, rng: np.random.Generator) -> Difference | None:
    q = ring.field.q
    x = rng.integers(0, q, (equation.left.size, 1))
    y = act(equation.right, x, ring)
    if isinstance(equation.left, F):
        for _ in range(POINTS):
            t = int(rng.integers(q))
            want, found = _geometric(x[:, 0], t, ring.field), _power_sum(y[:, 0], t, q)
            if want != found:
                return Difference(0, None, f"have sum t^k y_k = {want}", f"{found} at t = {t} in GF({q})")
        return None
    want_all = act(equation.left, x, ring)
    if np.array_equal(want_all, y):
        return None
    row = int(np.argwhere(want_all[:, 0] != y[:, 0])[0, 0])
    return Difference(row, None, f"have {int(want_all[row, 0])}", f"{int(y[row, 0])} at place {row} in GF({q})")


def powers(t: int, count: int, q: int) -> Elements:
    """Return t^0, ..., t^(count-1) mod q.

    >>> powers(3, 5, 7).tolist()
    [1, 3, 2, 6, 4]
    """
    table = np.ones(1, dtype=np.int64)
    while len(table) < count:
        table = np.concatenate([table, table * pow(t, len(table), q) % q])
    return table[:count]


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
    if len(equation.partial) != len(factors):
        return "" if len(factors) > 1 else str(equation.right)
    columns = range(found.column, found.column + 1) if found.column is not None else range(1)
    x = ring.units(equation.left.size, columns) if found.column is not None else np.arange(1, equation.left.size + 1)[:, None]
    y = x
    for i, (factor, claim) in enumerate(zip(reversed(factors), equation.partial, strict=True)):
        y, want = _act(factor, y, ring), _act(claim, x, ring)
        if not np.array_equal(y, want):
            row = int(np.argwhere((y != want).reshape(len(y), -1).any(axis=1))[0, 0])
            return f"{block_at(factor, row)} in factor {i + 1} from the right, {factor}"
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
