"""Direct sums, products, and sums with numbers, as terms of the kernel. Not trusted.

The kernel has direct sums over an index only. Another one is the sum of (P ⊗ I) X (Q ⊗ I) over its
blocks X, P being the inclusion of the block's rows in all rows, and Q that of its columns,
transposed. Inclusions are between sizes that are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from math import gcd

from derive.formula.combinations import unfit
from derive.text.syntax import DirectSum, Text
from proofs.kernel.kernel_rules import chosen
from proofs.kernel.numbers import ONE, Digit, Dim, Poly
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, Pi, S, Sum, Term, W
from proofs.prove.tactics import blocks, diagonal, kron, mul
from proofs.prove.translation.divisibility import Inexpressible

ZERO, TWO = Poly.of(0), Dim.of(2)
ROWS, COLUMNS = ([chosen(v, 2, turned) for v in (0, 1)] for turned in (False, True))


def in_order(texts: Sequence[Text], terms: list[Term]) -> Term:
    """Return a product of terms of these texts; Inexpressible: the sizes of two factors differ."""
    for (one, a), (two, b) in pairwise(zip(texts, terms, strict=True)):
        if a.shape[1] != b.shape[0]:
            why = unfit(one, a.shape[1], two, b.shape[0])
            raise Inexpressible(f"column {two.column}: {why}")
    return mul(*terms)


def stacked(terms: list[Term], text: DirectSum) -> Term:
    """Return a direct sum: of equal terms, of diagonals of one size, else of blocks between
    inclusions, where their sizes are multiples of the smallest one.

    Raises Inexpressible where it is none of these.
    """
    if len(terms) == 1:
        return terms[0]
    if all(term == terms[0] for term in terms):
        return Kron(I(Dim.of(len(terms))), terms[0])
    if len(terms) == 2 and (one := _halves(*terms)):
        return one
    counts = [_counts(list(shapes), text) for shapes in zip(*(t.shape for t in terms), strict=True)]
    return _included(terms, *counts)


def _counts(sizes: list[Dim], text: DirectSum) -> list[int]:
    """Return how many times the smallest of the sizes each of them is."""
    smallest = next((d for d in sizes if all((other / d).whole for other in sizes)), None)
    if smallest is None:
        smallest = ONE
    counts = [number_of(d / smallest) for d in sizes]
    if not all(counts):
        raise Inexpressible(
            f"column {text.column}: {text}: the kernel has direct sums of blocks whose sizes are"
            " multiples of the smallest one"
        )
    return counts


def number_of(d: Dim) -> int:
    """Return a whole number, 0 for a size with symbols."""
    found = Poly.of(d).terms
    ((dim, _), c) = next(iter(found))
    return int(c) if dim == ONE else 0


def _halves(upper: Term, lower: Term) -> Term | None:
    """Return a direct sum of two diagonals as one, None where they are none of one size."""
    digits = _digits(lower) or _digits(upper)
    one, other = (_phase(term, digits) for term in (upper, lower))
    if one is None or other is None or upper.shape != lower.shape:
        return None
    return blocks(TWO, lambda b: _diagonal(digits, one + (other - one) * b))


def _included(terms: list[Term], rows: list[int], columns: list[int]) -> Term:
    """Return a direct sum of blocks, each between inclusions; they have so many times the smallest
    numbers of rows and columns.
    """
    summands, i, j = [], 0, 0
    for term, m, n in zip(terms, rows, columns, strict=True):
        P = inclusion(sum(rows), m, i, term.shape[0] / m, False)
        Q = inclusion(sum(columns), n, j, term.shape[1] / n, True)
        summands.append(mul(P, term, Q))
        i, j = i + m, j + n
    return added(summands)


def inclusion(total: int, size: int, at: int, order: Dim, turned: bool) -> Term:
    """Return P ⊗ I of this order, P putting so many elements from a place on among all; or its
    transposed. Of powers of one prime, P is the smallest that does it.
    """
    unit = gcd(total, size, at) if len(Dim.of(total).powers) == 1 else 1
    N, d, first = Dim.of(total // unit), Dim.of(size // unit), at // unit
    P = _from_phases(F(N, -1), (N,), (d,), lambda x, i: x * (i + first) / N, turned)
    return Kron(P, I(order * unit))


def over_index(term: Term, count: Dim) -> Term:
    """Return the sum of the blocks of a direct sum over an index."""
    rows, columns = (I(d / count) for d in term.shape)
    return mul(Kron(E(ONE, count), rows), term, Kron(E(count, ONE), columns))


def stage(term: Term) -> Term:
    """Return I + N ⊗ X for a square X, the entry (0, 1) of N, of order 2, alone being 1.

    N N = 0, so that the product of I + N ⊗ X(k) is I + N ⊗ (X(0) + X(1) + ..).
    """
    return added([I(TWO * term.shape[0]), Kron(Mul(COLUMNS[0], ROWS[1]), term)])


def of_stages(product: Pi) -> Sum:
    """Return the sum of the X(k) as the block (0, 1) of the product of I + N ⊗ X(k)."""
    order = I(product.shape[0] / 2)
    row = mul(Kron(ROWS[0], order), product, Kron(COLUMNS[1], order))
    return Sum(((Poly.of(1), ZERO, row),))


def stages_of(term: Term) -> Pi | None:
    """Return the product that a sum is the block of, None for any other term."""
    match term:
        case Sum(((_, _, Mul(_, Mul(Pi() as product, _))),)):
            even = (product.shape[0] / 2).whole
            return product if even and term == of_stages(product) else None
    return None


def of_bits(columns: Sequence[int], turned: bool) -> Term:
    """Return the permutation y = A x over GF(2): 2^-n times the sum over h of (-1)^(h (y - A x)).

    The columns of A are packed into integers, row i at bit i.
    """
    n = len(columns)
    ones = [(i, j) for j, column in enumerate(columns) for i in range(n) if column >> i & 1]

    def phase(*digits: Poly) -> Poly:
        h, x = digits[:n][::-1], digits[n:][::-1]
        return sum((h[i] * x[j] / 2 for i, j in ones), ZERO)

    return _from_phases(kron(*[F(TWO, -1)] * n), (TWO,) * n, (TWO,) * n, phase, turned)


def _from_phases(
    before: Term,
    rows: tuple[Dim, ...],
    columns: tuple[Dim, ...],
    phase: Callable[..., Poly],
    turned: bool,
) -> Term:
    """Return 1/N times a symmetric matrix of order N times the matrix of w^phase, a function of the
    digits of rows and of columns; or the transposed product.
    """
    N, M = (reduce(Dim.__mul__, radices, ONE) for radices in (rows, columns))
    phases = diagonal((*rows, *columns), phase)
    factors = [before, Kron(I(N), E(ONE, M)), phases, Kron(E(N, ONE), I(M))]
    if turned:
        factors = [Kron(E(ONE, N), I(M)), phases, Kron(I(N), E(M, ONE)), before]
    return Sum(((Poly.of(1) / N, ZERO, mul(*factors)),))


def _digits(term: Term) -> tuple[Digit, ...]:
    """Return the digits of a diagonal that is written as a direct sum."""
    return (term.index, *_digits(term.body)) if isinstance(term, Block) else ()


def _phase(term: Term, digits: tuple[Digit, ...]) -> Poly | None:
    """Return the phase of a diagonal in these digits, None where it is none in them."""
    match term:
        case I():
            return ZERO
        case W(phase):
            return phase if not digits else None
        case Block(x, body) if digits and x == digits[0]:
            return _phase(body, digits[1:])
    return None


def _diagonal(digits: tuple[Digit, ...], phase: Poly) -> Term:
    return Block(digits[0], _diagonal(digits[1:], phase)) if digits else W(phase)


def by_digits(
    name: str, radices: tuple[Dim, ...], of: Callable[..., Poly], turned: bool = False
) -> Term:
    """Return a diagonal of the phases `of` its digits, or the permutation to these places, perhaps
    transposed.

    With N places that is [k = place mod N], 1/N times the sum over x of w^(x (place - k)/N): the
    conjugate of F_N times a matrix of w^(x place/N).
    """
    if name == "diag":
        return diagonal(radices, of)
    if order := _order_of_digits(radices, of):
        return digits_moved(radices, order, turned)
    return by_phases(radices, of, turned)


def by_phases(radices: tuple[Dim, ...], of: Callable[..., Poly], turned: bool = False) -> Term:
    """Return the permutation of digits to the places `of` these, perhaps transposed."""
    N = reduce(Dim.__mul__, radices, ONE)
    return _from_phases(F(N, -1), (N,), radices, lambda x, *digits: x * of(*digits) / N, turned)


def _order_of_digits(radices: tuple[Dim, ...], of: Callable[..., Poly]) -> list[int]:
    """Return the digits from the most significant one on, as they make up a place; [] where they
    do not.
    """
    names = [Digit(f"d{i}_", radix) for i, radix in enumerate(radices)]
    terms = of(*map(Poly.of, names)).terms
    if len(terms) != len(radices) or any(c.denominator != 1 or c < 1 for _, c in terms):
        return []
    weights = {atoms: dim * int(c) for (dim, atoms), c in terms}
    weight, found = ONE, list[int]()
    for _ in radices:
        own = [i for i, x in enumerate(names) if i not in found and weights.get((x,)) == weight]
        if not own:
            return []
        found.append(own[0])
        weight = weight * radices[own[0]]
    return found[::-1]


def digits_moved(radices: tuple[Dim, ...], order: list[int], turned: bool = False) -> Term:
    """Return the permutation of digits into another order, by exchanges of neighbours."""
    now, factors = list(range(len(radices))), list[Term]()
    for place, digit in enumerate(order):
        for i in range(now.index(digit), place, -1):
            t, u = radices[now[i - 1]], radices[now[i]]
            before, after = (
                reduce(Dim.__mul__, (radices[d] for d in row), ONE)
                for row in (now[: i - 1], now[i + 1 :])
            )
            factors.append(Kron(I(before), Kron(S(t, u) if turned else S(u, t), I(after))))
            now[i - 1], now[i] = now[i], now[i - 1]
    if not factors:
        return I(reduce(Dim.__mul__, radices, ONE))
    return mul(*(factors if turned else factors[::-1]))


def scaled(term: Term, number: Poly, imaginary: bool, conjugated: bool) -> Term:
    """Return a matrix times a number, or times i and a number.

    The kernel's F has w = exp(2 pi i/n) where a text has its conjugate: its i is -i in a text.
    """
    if not imaginary:
        return Sum(((number, ZERO, term),))
    return Sum(((ZERO, number if conjugated else number * -1, term),))


def added(terms: list[Term]) -> Sum:
    """Return a sum of matrices."""
    return Sum(tuple((Poly.of(1), ZERO, term) for term in terms))
