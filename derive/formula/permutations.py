"""Formulas that are permutations: where an element goes, for every size, and as an affine map over
GF(2) for powers of two.
"""

from __future__ import annotations

from functools import reduce
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from derive.formula.combinations import Ranged
from derive.formula.grammar import Applied, Formula, I, Kron, Product
from derive.formula.leaves import Called, Leaf
from derive.formula.permutation_matrices import Bmmc, J, L, R
from derive.gf2.bits import Affine
from derive.gf2.bmmc import bit_reversal, identity, rotation, vector_reversal
from derive.gf2.recognize import recognize
from derive.lazy import lazily

_matrices = lazily("derive.text.text_matrices")


def lg(number: int) -> int:
    """Return the exponent of a power of two; raise ValueError for any other number.

    >>> lg(8)
    3
    """
    if number < 1 or number & number - 1:
        raise ValueError(f"{number} is not a power of two")
    return number.bit_length() - 1


def is_permutation(formula: Formula) -> bool:
    """Return whether a formula is built from permutations only.

    >>> from derive.formula.permutation_matrices import Gamma
    >>> is_permutation(Gamma(2, 4, 8) @ R(8))
    True
    """
    match formula:
        case Bmmc() | Ranged("perm"):
            return True
        case Leaf(name):
            return bool(_matrices.permutes(name))
        case Kron() | Product() | Applied():
            return all(map(is_permutation, formula.parts))
    return False


def target(formula: Formula) -> NDArray[np.int64]:
    """Return the array whose entry j is the place where a permutation puts element j: y[target[j]]
    = x[j].

    >>> target(L(6, 2)).tolist()
    [0, 3, 1, 4, 2, 5]
    """
    match formula:
        case I(n):
            return np.arange(n)
        case L(N, r):
            return np.arange(N).reshape(r, N // r).T.reshape(-1)
        case R(N):
            return bit_reversal(lg(N))(np.arange(N))
        case J(n):
            return np.arange(n)[::-1]
        case Bmmc(address):
            return address(np.arange(formula.size))
        case Ranged("perm"):
            return np.array(_matrices.targets_of(formula))
        case Called("powers", (p, g)):
            powers = accumulate(range(p - 2), lambda power, _: power * g % p, initial=1 % p)
            return np.fromiter(powers, np.int64) - 1
        case Leaf() if formula.definition is not None:
            return target(formula.definition)
        case Applied("inv", of):
            return np.argsort(target(of))
        case Kron((left, right)):
            return (target(left)[:, None] * right.size + target(right)).reshape(-1)
        case Product(factors):
            return reduce(
                lambda right, left: left[right], [target(factor) for factor in reversed(factors)]
            )
    raise ValueError(f"{formula} is not a permutation")


def affine(formula: Formula) -> Affine:
    """Return a permutation formula, of a power of two of elements, as the affine map j -> target
    over GF(2).

    Raises ValueError where the sizes are no powers of two, the permutation is not affine, or the
    formula is no permutation.

    >>> from derive.formula.permutation_matrices import S
    >>> affine(Applied("inv", S(2, 8))) == affine(L(8, 4))
    True
    """
    match formula:
        case I(n):
            return identity(lg(n))
        case L(N, r):
            return rotation(lg(N), -lg(r))
        case R(N):
            return bit_reversal(lg(N))
        case J(n):
            return vector_reversal(lg(n))
        case Bmmc(address):
            return address
        case Ranged("perm") | Called("powers"):
            found = recognize(target(formula))
            if isinstance(found, Affine):
                return found
            raise ValueError(
                f"{formula} is not affine over GF(2): {found}; a program supports permutations of"
                " whole digits, such as L(N,r), and of index bits, such as R(N)"
            )
        case Leaf() if formula.definition is not None:
            return affine(formula.definition)
        case Applied("inv", of):
            return affine(of).inverse()
        case Kron((left, right)):
            return _beside(affine(left), affine(right))
        case Product(factors):
            return reduce(lambda a, b: a @ b, [affine(factor) for factor in factors])
    raise ValueError(f"{formula} is not a permutation")


def _beside(high: Affine, low: Affine) -> Affine:
    """Return the map that treats the high bits by one map and the low bits by another."""
    shifted = tuple(column << low.rows for column in high.columns)
    return Affine(low.columns + shifted, low.rows + high.rows, low.c | high.c << low.rows)
