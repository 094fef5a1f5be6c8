"""From a formula of one's own to one that can be lowered: a product of layers I_a ⊗ X ⊗ I_b.

    X = a permutation | T | I ⊕ Omega | F | I ⊕ X ⊕ I

A Kronecker product is the product of its operands beside identities, a butterfly is (F_2 ⊗ I) times
a diagonal, a direct sum the product of its terms between identities.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from codegen.program.factors import apart, is_diagonal
from codegen.program.stages.direct_sums import part_of
from derive.digits.digit_permutations import digits_of
from derive.formula.adjoints import conjugate
from derive.formula.combinations import Scaled, Sqrt
from derive.formula.grammar import (
    Applied,
    DirectSum,
    Formula,
    I,
    Kron,
    Product,
    direct_sum,
    factors_of,
    kron,
    product,
)
from derive.formula.leaves import Leaf
from derive.formula.permutation_matrices import Bmmc, J, S, inverse
from derive.formula.permutations import is_permutation, target
from derive.formula.transforms import A, ButterflySum, F
from derive.gf2.bits import Affine
from derive.gf2.recognize import recognize
from derive.papers.statements.statement_tables import at_sizes

LARGEST = 2**20
"""A direct sum of permutations of at most so many elements is looked at element by element."""


def prepared(formula: Formula) -> Formula:
    """Return a formula as a product of layers.

    Raises ValueError naming the factor that is no permutation of index bits, no diagonal known here
    and no Fourier matrix.

    >>> from derive.formula.transforms import T
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
            return [kron(I(a), formula, I(b))]
        case Kron((left, right)):
            return _layers(left, a, right.size * b) + _layers(right, left.size * a, b)
        case F(d) | Applied("conj", F(d)):
            return [kron(I(a), formula, I(b))] * (d > 1)
        case Applied("inv", of):
            return _layers(conjugate(of), a, b)
        case Scaled(_, False, of):
            return _layers(of, a, b)
        case Sqrt():
            return []
        case _ if is_diagonal(formula):
            return [kron(I(a), formula, I(b))]
        case Leaf() if formula.definition is not None:
            return _layers(formula.definition, a, b)
        case ButterflySum(k, n, u):
            # Theorem 2.2
            return _layers(S(u, u * n) @ A(k * u, u * n) @ inverse(S(u, u * n)), a, b)
        case DirectSum(terms):
            return _direct(terms, a, b)
    raise ValueError(
        f"{formula} cannot be a step of a program; a factor must be a permutation, a diagonal T,"
        " I ⊕ Ω or diag(..), or I ⊗ F ⊗ I, each of which may be inv(..) or have a number"
    )


def number_of(formula: Formula) -> tuple[Fraction, int]:
    """Return the number by which the layers of a formula are multiplied: a fraction, and an integer
    whose square root is a factor of it.

    >>> from derive.formula.adjoints import inverted
    >>> number_of(product([inverted(F(8)), kron(Sqrt(8), F(8))]))
    (Fraction(1, 8), 8)
    """
    match formula:
        case Product(factors):
            parts = [*map(number_of, factors)]
        case Kron((left, right)):
            parts = [number_of(left), number_of(right)]
        case Applied("inv", of) if not is_permutation(of):
            return Fraction(1, of.size), 1
        case Scaled(number, False, of):
            parts = [(number, 1), number_of(of)]
        case Sqrt(a):
            return Fraction(1), a
        case DirectSum((first, *others)) if all(
            number_of(each) == number_of(first) for each in others
        ):
            return number_of(first)
        case _:
            return Fraction(1), 1
    return prod((number for number, _ in parts), start=Fraction(1)), prod(a for _, a in parts)


def without_number(formula: Formula) -> Formula:
    """Return the product of the layers of a formula, without the number by which it is multiplied.

    >>> from derive.formula.adjoints import inverted
    >>> print(without_number(inverted(F(8))))
    conj(F_8)
    """
    match formula:
        case Product(factors):
            return product(map(without_number, factors))
        case Kron((left, right)):
            return kron(without_number(left), without_number(right))
        case Applied("inv", of) if not is_permutation(of):
            return conjugate(of)
        case Scaled(_, False, of):
            return without_number(of)
        case Sqrt():
            return I(1)
        case DirectSum(terms):
            return direct_sum(map(without_number, terms))
    return formula


def split(formula: Formula, M: int) -> Formula:
    """Return a product of layers in which transforms are of numbers of elements that divide M, a
    rank's: F_d = (F_r ⊗ I_s) T^d_s (I_r ⊗ F_s) L^d_r with the largest s.

    >>> print(split(F(16), 8))
    (F_2 ⊗ I_8) T^16_8 (I_2 ⊗ F_8) L^16_2
    """
    return product(part for factor in factors_of(formula) for part in _parts(factor, M))


def _parts(layer: Formula, M: int) -> list[Formula]:
    inner, a, b = apart(layer)
    whole = inner.of if isinstance(inner, Applied) else inner
    if not isinstance(whole, F) or M % (d := whole.size) == 0:
        return [layer]
    if pow(M, d.bit_length(), d):
        raise ValueError(
            f"{layer} combines {d} elements, but a rank holds {M}; every prime factor of {d} must"
            f" divide {M}"
        )
    s = gcd(d, M)
    parts = factors_of(at_sizes("cooley-tukey", r=d // s, s=s).right)
    found = map(conjugate, parts) if whole is not inner else parts
    return [each for part in found for each in _parts(kron(I(a), part, I(b)), M)]


def _direct(terms: tuple[Formula, ...], a: int, b: int) -> list[Formula]:
    """Return the factors of a direct sum: of equal terms, of permutations that are one of index
    bits, or those of each term between identities.
    """
    if all(term == terms[0] for term in terms):
        return _layers(terms[0], a * len(terms), b)
    whole = direct_sum(terms)
    if (
        all(map(is_permutation, terms))
        and whole.size <= LARGEST
        and not whole.size & whole.size - 1
    ):
        found = recognize(_target(terms))
        if isinstance(found, Affine):
            return [kron(I(a), Bmmc(found, str(whole)), I(b))]
    _check_numbers(terms)
    starts = accumulate((term.size for term in terms), initial=0)
    parts = (
        part
        for start, term in zip(starts, terms, strict=False)
        for layer in _layers(term, 1, 1)
        for part in _parts_of(start, layer)
    )
    return [_between(part, at, whole.size, a, b) for at, part in parts]


def _check_numbers(terms: tuple[Formula, ...]) -> None:
    """Raise ValueError unless terms of a direct sum are multiplied by one number."""
    numbers = {number_of(term) for term in terms}
    if len(numbers) > 1:
        stated = " and ".join(f"{number}" + f" √{a}" * (a > 1) for number, a in sorted(numbers))
        raise ValueError(
            f"{direct_sum(terms)} cannot be a step of a program; its terms must have the same"
            f" number, here they have {stated}"
        )


def _parts_of(start: int, layer: Formula) -> Iterator[tuple[int, Formula]]:
    """Yield the layers that are one term of a direct sum, with the indices that they begin at; one
    that is itself a term is of as many parts as it has copies.
    """
    inner, a, b = apart(layer)
    if (found := part_of(inner)) is None or is_diagonal(inner):
        yield start, layer
        return
    at, own = found
    for copy in range(a):
        yield start + (copy * inner.size + at) * b, kron(own, I(b))


def _between(layer: Formula, start: int, size: int, a: int, b: int) -> Formula:
    """Return I_a ⊗ (I_start ⊕ layer ⊕ I) ⊗ I_b of this size within; what ⊗ I_c have in common is
    after all.

    >>> print(_between(kron(F(2), I(6)), 3, 24, 1, 1))
    ((I_1 ⊕ (F_2 ⊗ I_2) ⊕ I_3) ⊗ I_3)
    """
    inner, p, q = apart(layer)
    _check_permutation(inner)
    c = gcd(q, start, size)
    before, after = start // c, (size - start - layer.size) // c
    own = kron(I(p), inner, I(q // c))
    terms = *map(I, filter(None, (before,))), own, *map(I, filter(None, (after,)))
    return kron(I(a), direct_sum(*terms), I(c * b))


def _check_permutation(inner: Formula) -> None:
    """Raise ValueError for a permutation that a term of a direct sum cannot have."""
    if is_permutation(inner) and not isinstance(inner, J):
        try:
            digits_of(inner)
        except ValueError as error:
            raise ValueError(f"{error}; within a direct sum it must be, or J(n)") from error


def _target(terms: tuple[Formula, ...]) -> NDArray[np.int64]:
    """Return where a direct sum of permutations puts each element."""
    starts = accumulate((term.size for term in terms), initial=0)
    return np.concatenate(
        [start + target(term) for start, term in zip(starts, terms, strict=False)]
    )
