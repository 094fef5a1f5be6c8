"""The permutations of the papers as permutations of digits, for sizes that need be no powers of
two.
"""

from __future__ import annotations

from functools import reduce

from derive.digits.radices import DigitPermutation, identity, reversal, stride
from derive.formula.grammar import Formula, I, Inverse, Kron, Product
from derive.formula.permutation_matrices import Gamma, L, R, S
from derive.formula.permutations import lg


def digits_of(formula: Formula) -> DigitPermutation:
    """Return a permutation formula as a permutation of whole digits.

    formula: built from I, L, S, P (the reversal of bits), Γ and inverses by products and Kronecker
    products, of numbers. Raises ValueError for any other, and for products of permutations whose
    digits have no common parts.

    >>> digits_of(Gamma(2, 4, 24)) == digits_of(L(24, 2)).inverse()
    False
    >>> digits_of(L(30, 6)) == digits_of(L(30, 2) @ L(30, 3))
    True
    """
    match formula:
        case I(n):
            return identity(n)
        case L(N, r):
            return stride(N, r)
        case R(N):
            return reversal((2,) * lg(N))
        case S() | Gamma():
            return digits_of(formula.definition)
        case Inverse(of):
            return digits_of(of).inverse()
        case Kron(left, right):
            return digits_of(left).beside(digits_of(right))
        case Product(factors):
            return reduce(lambda a, b: a @ b, map(digits_of, factors))
    raise ValueError(f"{formula} is no permutation of whole digits")
