"""From a formula of one's own to one that can be lowered: a product of layers I_a ⊗ X ⊗ I_b.

    X = a permutation | T | I ⊕ Omega | F

A Kronecker product is the product of its operands beside identities, a butterfly is (F_2 ⊗ I) times
a diagonal.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from derive.formula.grammar import DirectSum, Formula, I, Kron, Product, direct_sum, kron, product
from derive.formula.leaves import Leaf
from derive.formula.permutation_matrices import Bmmc, S, inverse
from derive.formula.permutations import is_permutation, target
from derive.formula.transforms import A, ButterflySum, F, Omega, T
from derive.gf2.recognize import Witness, recognize

LARGEST = 2**20
"""A direct sum of permutations of at most so many elements is looked at element by element."""


def prepared(formula: Formula) -> Formula:
    """Return a formula as a product of layers.

    Raises ValueError naming the factor that is no permutation of index bits, no diagonal known here
    and no Fourier matrix.

    >>> print(prepared(kron(F(2), F(4)) @ T(8, 4)))
    (F_2 ⊗ I_4) (I_2 ⊗ F_4) T^8_4
    """
    layers = _layers(formula, 1, 1)
    return product(layers) if layers else I(formula.size)


def _layers(formula: Formula, a: int, b: int) -> list[Formula]:
    """Return the factors of I_a ⊗ formula ⊗ I_b."""
    match formula:
        case I():
            return []
        case Product(factors):
            return [layer for factor in factors for layer in _layers(factor, a, b)]
        case _ if is_permutation(formula):
            return [_beside(a, formula, b)]
        case Kron(left, right):
            return _layers(left, a, right.size * b) + _layers(right, left.size * a, b)
        case F(d):
            return [_beside(a, formula, b)] * (d > 1)
        case T() | DirectSum((I(), Omega(_, 0))):
            return [_beside(a, formula, b)]
        case Leaf() if formula.definition is not None:
            return _layers(formula.definition, a, b)
        case ButterflySum(k, n, u):
            # Theorem 2.2
            return _layers(S(u, u * n) @ A(k * u, u * n) @ inverse(S(u, u * n)), a, b)
        case DirectSum(terms):
            return _direct(terms, a, b)
    raise ValueError(
        f"{formula} cannot be a step of a program; a factor must be a permutation, a diagonal T or"
        " I ⊕ Ω, or I ⊗ F ⊗ I"
    )


def _beside(a: int, formula: Formula, b: int) -> Formula:
    return kron(I(a), kron(formula, I(b)))


def _direct(terms: tuple[Formula, ...], a: int, b: int) -> list[Formula]:
    """Return the factors of a direct sum of equal terms, or of permutations."""
    if all(term == terms[0] for term in terms):
        return _layers(terms[0], a * len(terms), b)
    whole = direct_sum(terms)
    if all(is_permutation(term) for term in terms) and whole.size <= LARGEST:
        found = recognize(_target(terms))
        if isinstance(found, Witness):
            raise ValueError(
                f"{whole} must be affine over GF(2) to be a step of a program; it is {found}"
            )
        return [_beside(a, Bmmc(found, str(whole)), b)]
    raise ValueError(
        f"{whole} cannot be a step of a program; the terms of a direct sum must be equal or"
        " permutations"
    )


def _target(terms: tuple[Formula, ...]) -> NDArray[np.int64]:
    """Return where a direct sum of permutations puts each element."""
    starts = accumulate((term.size for term in terms), initial=0)
    return np.concatenate(
        [start + target(term) for start, term in zip(starts, terms, strict=False)]
    )
