"""Measures of a formula that a check needs beside its action: the order of its roots of unity,
bounds of its rows, and which multiple of it has algebraic integers as entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import ceil, isqrt, lcm, prod

from derive.formula.combinations import Added, Ranged, Scaled, Sqrt, Term, Variable, terms_of
from derive.formula.grammar import Applied, DirectSum, Formula, Kron, Product
from derive.formula.named_matrices import Chirp
from derive.formula.permutations import is_permutation
from derive.formula.transforms import BH, E, F, H, Omega, T, W
from derive.lazy import lazily

_matrices = lazily("derive.text.text_matrices")

Measure = Callable[[Formula], int]
Folding = Callable[[Iterable[int]], int]
Adding = Callable[[Sequence[Term], Measure], int]


def _folded(formula: Formula, leaf: Measure, multiply: Folding, stack: Folding, add: Adding) -> int:
    """Return a number of a formula from those of its leaves by rules for products and sums."""

    def of(part: Formula) -> int:
        return _folded(part, leaf, multiply, stack, add)

    match formula:
        case Kron() | Product():
            return multiply(map(of, formula.parts))
        case DirectSum(terms):
            return stack(map(of, terms))
        case Added() | Scaled():
            return add(terms_of(formula), of)
    return leaf(formula)


def _common(numbers: Iterable[int]) -> int:
    return lcm(*numbers)


def order(formula: Formula) -> int:
    """Return a common order of all roots of unity in a formula.

    >>> from derive.formula.transforms import A
    >>> order(A(4, 8, Fraction(1, 2)))
    8
    """
    return _folded(formula, _order, _common, _common, _of_terms)


def _of_terms(terms: Sequence[Term], of: Measure) -> int:
    return lcm(4, *(of(term) for _, _, term in terms))


def _order(leaf: Formula) -> int:
    match leaf:
        case F(n) | T(n, _):
            return int(n)
        case W():
            return leaf.order
        case Ranged("diag"):
            return _matrices.exponents_of(leaf)[1]
        case Sqrt():
            return 8 * prod(leaf.primes[1])
        case Omega(h, alpha):
            return int(2 * h * Fraction(alpha).denominator)
        case H(n) | BH(n):
            return lcm(8, int(n))
        case Chirp(m, n):
            return lcm(int(m), 2 * int(n))
        case Applied(_, of):
            return order(of)
    return 1 if leaf.definition is None else order(leaf.definition)


def row_sum(formula: Formula) -> int:
    """Return a bound on the sum of the absolute values of a row's entries, for every choice of the
    root of unity.

    >>> from derive.formula.transforms import A
    >>> row_sum(A(4, 8) @ A(2, 8))
    4
    """
    return _folded(formula, _row_sum, prod, max, _weighted)


def _weighted(terms: Sequence[Term], of: Measure) -> int:
    return max(1, sum(ceil(abs(number)) * of(term) for number, _, term in terms))


def _row_sum(leaf: Formula) -> int:
    match leaf:
        case F(n) | Chirp(n, _):
            return int(n)
        case Variable() | E():
            return int(leaf.columns)
        case Sqrt(a):
            return isqrt(a) + 1
        case H(n):
            return int(2 * n)
        case BH() | Applied("transpose"):
            return 3
        case Applied("conj", of):
            return row_sum(of)
        case Applied("inv", of) if not is_permutation(of):
            return row_sum(of) // int(of.size)
    return 1 if leaf.definition is None else row_sum(leaf.definition)


def degree(formula: Formula) -> int:
    """Return how often matrix variables are multiplied with one another at most.

    >>> A = Variable("A", 2, 2)
    >>> degree(A @ A + A), degree(F(2))
    (2, 0)
    """
    return _folded(formula, _degree, sum, max, lambda terms, of: max(of(one) for *_, one in terms))


def _degree(leaf: Formula) -> int:
    return int(isinstance(leaf, Variable) or leaf_is_conjugated(leaf))


def leaf_is_conjugated(leaf: Formula) -> bool:
    """Return whether a leaf is the conjugate of a matrix variable."""
    return isinstance(leaf, Applied) and isinstance(leaf.of, Variable)


def scale(formula: Formula) -> int:
    """Return a whole number whose product with the formula has algebraic integers as entries:
    cosines and sines are halves of such.

    >>> from derive.formula.transforms import LH
    >>> scale(LH(2, 4) @ LH(1, 4)), scale(F(4)), scale(Applied("inv", F(4)))
    (4, 1, 4)
    """
    return _folded(formula, _scale, prod, _common, _denominator)


def _denominator(terms: Sequence[Term], of: Measure) -> int:
    return lcm(*(number.denominator * of(term) for number, _, term in terms))


def _scale(leaf: Formula) -> int:
    match leaf:
        case H() | BH() | Applied("transpose"):
            return 2
        case Applied("inv", of) if not is_permutation(of):
            return scale(of) * int(of.size)
    return 1 if leaf.definition is None else scale(leaf.definition)
