"""The permutations of the papers as permutations of digits, for sizes that need be no powers of
two.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations, pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.digits.radices import DigitPermutation, identity, reversal, stride
from derive.formula.combinations import Ranged
from derive.formula.grammar import Applied, Formula, I, Kron, Product, kron
from derive.formula.leaves import Called, Leaf
from derive.formula.permutation_matrices import L, R
from derive.formula.permutations import lg, target


def digits_of(formula: Formula) -> DigitPermutation:
    """Return a permutation formula as a permutation of whole digits.

    formula: built from I, L, S, P (the reversal of bits), Γ, inverses and permutations that are
    typed digit by digit, by products and Kronecker products, of numbers. Raises ValueError for any
    other, and for products of permutations whose digits have no common parts.

    >>> from derive.formula.permutation_matrices import Gamma
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
        case Leaf() if formula.definition is not None:
            return digits_of(formula.definition)
        case Ranged("perm") | Called("powers"):
            return recognized(target(formula), str(formula))
        case Applied("inv", of):
            return digits_of(of).inverse()
        case Kron((left, right)):
            return digits_of(left).beside(digits_of(right))
        case Product(factors):
            return reduce(lambda a, b: a @ b, map(digits_of, factors))
    raise ValueError(f"{formula} is not a permutation of whole digits, such as L(N,r)")


def recognized(targets: NDArray[np.int64], name: str) -> DigitPermutation:
    """Return the permutation of whole digits that takes j to targets[j], each index once; raise
    ValueError where there is none.

    >>> recognized(np.array([0, 3, 1, 4, 2, 5]), "p")
    DigitPermutation(radices=(3, 2), order=(1, 0))
    """
    left, digits = np.array(targets), list[tuple[int, int]]()
    while len(left) > 1:
        step = int(left[1] - left[0])
        even = np.flatnonzero(np.diff(left) != step)
        radix = int(even[0]) + 1 if len(even) else len(left)
        digits.insert(0, (step, radix))
        left = left[::radix]
    order = np.argsort([-step for step, _ in digits]).tolist()
    radices = tuple(radix for _, radix in digits)
    if np.prod(radices, dtype=int) == len(targets):
        found = DigitPermutation(radices, tuple(order))
        if (found(np.arange(len(targets))) == np.array(targets)).all():
            return found
    raise ValueError(f"{name} is not a permutation of whole digits, such as L(N,r)")


def strides(moved: DigitPermutation) -> tuple[Formula, ...]:
    """Return the factors I ⊗ L ⊗ I whose product is a permutation of whole digits, none for the
    identity.

    Each L exchanges two neighbouring blocks of digits: of all such exchanges, the one after which
    most neighbours are those of the end.

    >>> print(*strides(DigitPermutation((2, 3, 5), (2, 0, 1))))
    L^30_5
    >>> print(*strides(DigitPermutation((2, 3, 5), (2, 1, 0))))
    L^30_5 (L^6_3 ⊗ I_5)
    """
    digits = [*zip(np.argsort(moved.order).tolist(), moved.radices, strict=True)]
    found = list[Formula]()
    while digits != sorted(digits):
        cuts = combinations(range(len(digits) + 1), 3)
        a, b, c = max(cuts, key=lambda cut: _neighbours(_exchanged(digits, *cut)))
        high, low = (prod(radix for _, radix in part) for part in (digits[a:b], digits[b:c]))
        before, after = (prod(radix for _, radix in part) for part in (digits[:a], digits[c:]))
        found.insert(0, kron(I(before), L(high * low, low), I(after)))
        digits = _exchanged(digits, a, b, c)
    return tuple(found)


def _exchanged(digits: list[Any], a: int, b: int, c: int) -> list[Any]:
    return digits[:a] + digits[b:c] + digits[a:b] + digits[c:]


def _neighbours(digits: list[tuple[int, int]]) -> int:
    """Return how many places are side by side as in the end, which have numbers from 0 on."""
    places = [-1, *(place for place, _ in digits), len(digits)]
    return sum(high + 1 == low for high, low in pairwise(places))
