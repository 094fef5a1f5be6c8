"""Conjugate, transposed and inverse formulas, Hartley matrices, and the exact action of formulas
that hold any of them.

    formula = .. | Conjugate(F | T | Omega) | Inverted(F | Conjugate(F) | H)

All others are taken apart: the conjugate of a product is the product of the conjugates, and a
butterfly is (F_2 ⊗ I_h) (I_h ⊕ Ω_h^α). What is no algebraic integer is multiplied by a whole
number, the `scale` of a formula: 2 H_n = (1 - i) F_n + (1 + i) conj(F_n), n inv(F_n) = conj(F_n).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from math import lcm, prod

import numpy as np

from derive.exact import action
from derive.exact.claim import Claim
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import (
    Alpha,
    DirectSum,
    Equation,
    Formula,
    I,
    Kron,
    Product,
    Size,
    direct_sum,
    kron,
    product,
)
from derive.formula.permutation_matrices import inverse
from derive.formula.permutations import is_permutation
from derive.formula.transforms import BH, LH, A, AHat, B, ButterflySum, D, F, H, Omega, T


@dataclass(frozen=True)
class Conjugate(Formula):
    """The complex conjugate of F, T or Omega; built by `conjugate`."""

    of: Formula

    @property
    def size(self) -> Size:
        return self.of.size

    def __str__(self) -> str:
        return f"conj({self.of})"


@dataclass(frozen=True)
class Inverted(Formula):
    """The inverse of F, of its conjugate or of H; built by `inverted`."""

    of: Formula

    @property
    def size(self) -> Size:
        return self.of.size

    def __str__(self) -> str:
        return f"inv({self.of})"


def expanded(formula: Formula) -> Formula:
    """Return a butterfly, a stage or a sum of stages by smaller matrices; any other formula as it
    is.

    >>> print(expanded(B(8)))
    (F_2 ⊗ I_4) (I_4 ⊕ Ω_4)
    """
    match formula:
        case B(K, alpha):
            return kron(F(2), I(K // 2)) @ direct_sum([I(K // 2), Omega(K // 2, alpha)])
        case D(K, alpha):
            return B(K, alpha) @ kron(I(2), B(K // 2, alpha))
        case A() | AHat():
            return formula.definition
        case ButterflySum(_, _, u):
            return direct_sum(formula.term(s) for s in range(u))
    return formula


def conjugate(formula: Formula) -> Formula:
    """Return the complex conjugate.

    >>> print(conjugate(kron(F(2), I(4)) @ T(8, 4)))
    (conj(F_2) ⊗ I_4) conj(T^8_4)
    """
    match formula:
        case F() | T() | Omega():
            return Conjugate(formula)
        case Conjugate(of):
            return of
        case Inverted(of):
            return Inverted(conjugate(of))
        case Kron(left, right):
            return kron(conjugate(left), conjugate(right))
        case DirectSum(terms):
            return direct_sum(conjugate(term) for term in terms)
        case Product(factors):
            return product(conjugate(factor) for factor in factors)
    smaller = expanded(formula)
    return formula if smaller == formula else conjugate(smaller)


def transposed(formula: Formula) -> Formula:
    """Return the transposed matrix.

    >>> print(transposed(kron(F(2), I(4)) @ T(8, 4)))
    T^8_4 (F_2 ⊗ I_4)
    """
    match formula:
        case Kron(left, right):
            return kron(transposed(left), transposed(right))
        case DirectSum(terms):
            return direct_sum(transposed(term) for term in terms)
        case Product(factors):
            return product(transposed(factor) for factor in reversed(factors))
        case BH() | LH():
            raise ValueError(
                f"transpose({formula}): the transposed Hartley butterfly has no name here"
            )
        case _ if is_permutation(formula):
            return inverse(formula)
    smaller = expanded(formula)
    return formula if smaller == formula else transposed(smaller)


def inverted(formula: Formula) -> Formula:
    """Return the inverse matrix.

    >>> print(inverted(kron(F(2), I(4)) @ T(8, 4)))
    conj(T^8_4) (inv(F_2) ⊗ I_4)
    """
    match formula:
        case F() | H() | Conjugate(F()):
            return Inverted(formula)
        case Inverted(of):
            return of
        case T() | Omega() | Conjugate():
            return conjugate(formula)
        case Kron(left, right):
            return kron(inverted(left), inverted(right))
        case DirectSum(terms):
            return direct_sum(inverted(term) for term in terms)
        case Product(factors):
            return product(inverted(factor) for factor in reversed(factors))
        case BH() | LH():
            raise ValueError(f"inv({formula}): the inverse of a Hartley butterfly has no name here")
        case _ if is_permutation(formula):
            return inverse(formula)
    return inverted(expanded(formula))


def scale(formula: Formula) -> int:
    """Return a whole number whose product with the formula has algebraic integers as entries.

    >>> scale(kron(H(8), Inverted(F(4))))
    8
    """
    match formula:
        case H() | BH() | LH():
            return 2
        case Inverted(of):
            return scale(of) * of.size
        case Kron(left, right):
            return scale(left) * scale(right)
        case DirectSum(parts):
            return lcm(*(scale(part) for part in parts))
        case Product(parts):
            return prod(scale(part) for part in parts)
    return 1


def order(formula: Formula) -> int:
    """Return a common order of all roots of unity in a formula."""
    match formula:
        case H(n) | BH(n):
            return lcm(4, n)
        case LH():
            return order(formula.definition)
        case Conjugate(of) | Inverted(of):
            return order(of)
        case Kron(left, right):
            return lcm(order(left), order(right))
        case DirectSum(parts) | Product(parts):
            return lcm(*(order(part) for part in parts))
    return action.order(formula)


def row_sum(formula: Formula) -> int:
    """Return a bound on the sum of the absolute values of a row's entries, whatever the roots of
    unity are, at most 1 a term.
    """
    match formula:
        case H(n):
            return 2 * int(n)
        case Conjugate(of) | Inverted(of):
            return row_sum(of)
        case BH() | LH():
            return 4
        case Kron(left, right):
            return row_sum(left) * row_sum(right)
        case DirectSum(parts):
            return max(row_sum(part) for part in parts)
        case Product(parts):
            return prod(row_sum(part) for part in parts)
    return action.row_sum(formula)


def known(formula: Formula) -> bool:
    """Return whether derive.exact.check decides equations of this formula without multiples:
    nothing is conjugated or inverted.

    >>> known(H(4) @ H(4)), known(Inverted(F(4)))
    (True, False)
    """
    match formula:
        case Conjugate() | Inverted():
            return False
        case Kron(left, right):
            return known(left) and known(right)
        case DirectSum(parts) | Product(parts):
            return all(known(part) for part in parts)
    return True


def plain(formula: Formula) -> bool:
    """Return whether derive.exact.action knows all parts of a formula."""
    match formula:
        case H() | BH() | LH() | Conjugate() | Inverted():
            return False
        case Kron(left, right):
            return plain(left) and plain(right)
        case DirectSum(parts) | Product(parts):
            return all(plain(part) for part in parts)
    return True


SEVERAL_TERMS = 9
"""Added to the bound of a claim whose rows are not compared as lists of terms, which then have one
length.
"""


def even(formula: Formula) -> bool:
    """Return whether all rows of a formula are formed by the same number of additions."""
    match formula:
        case DirectSum():
            return False
        case Kron(left, right):
            return even(left) and even(right)
        case Product(parts):
            return all(even(part) for part in parts)
    return plain(formula)


def act(formula: Formula, x: Elements, ring: Ring) -> Elements:
    """Return scale(formula) · formula · x, exactly; x has shape (formula.size, stimuli, ...)."""
    if plain(formula):
        return action.act(formula, x, ring)
    match formula:
        case H():
            y = ring.fourier(x)
            less, more = (ring.add(y, ring.twist(y, quarter, 4)) for quarter in (3, 1))
            return ring.add(less, _negated_index(more))
        case BH(K):
            return _hartley_butterfly(x, K, ring)
        case LH():
            return act(formula.definition, x, ring)
        case Conjugate(F()):
            return _negated_index(ring.fourier(x))
        case Conjugate(T(N, s)):
            return ring.twist(x, -np.outer(np.arange(N // s), np.arange(s)).reshape(-1), N)
        case Conjugate(Omega(h, alpha)):
            exponent, turns = _weights(h, alpha)
            return ring.twist(x, -exponent, turns)
        case Inverted(of):
            return act(conjugate(of), x, ring)
        case Product(factors):
            return reduce(lambda y, factor: act(factor, y, ring), reversed(factors), x)
        case DirectSum(terms):
            ends = np.cumsum([term.size for term in terms])[:-1]
            parts = zip(terms, np.split(x, ends), strict=True)
            return action.join(
                [
                    times(act(term, part, ring), scale(formula) // scale(term), ring)
                    for term, part in parts
                ]
            )
        case Kron(left, right):
            return _kron(left, right, x, ring)
    raise TypeError(f"no meaning for {formula!r}")


def _weights(h: int, alpha: Alpha) -> tuple[Elements, int]:
    """Return the exponents and the order of the roots of unity of Ω_h^α."""
    a = Fraction(alpha)
    turns = 2 * h * a.denominator
    return np.arange(h) * a.denominator + a.numerator % turns, turns


def _hartley_butterfly(x: Elements, K: int, ring: Ring) -> Elements:
    """Return 2 BH_K x: twice a cosine is w + w^-1, twice a sine -i w + i w^-1."""
    low, high = (
        times(half, count, ring) for half, count in zip(np.split(x, 2), (2, 1), strict=True)
    )
    u = np.arange(K // 2)
    cosines = ring.add(ring.twist(high, u, K), ring.twist(high, -u, K))
    back = _negated_index(high)
    sines = ring.add(
        ring.twist(ring.twist(back, u, K), 3, 4), ring.twist(ring.twist(back, -u, K), 1, 4)
    )
    turned = ring.add(cosines, sines)
    return np.concatenate([ring.add(low, turned), ring.add(low, ring.twist(turned, 1, 2))])


def _negated_index(x: Elements) -> Elements:
    """Return the vector whose element k is element -k mod n of x."""
    return x[-np.arange(len(x)) % len(x)]


def _kron(left: Formula, right: Formula, x: Elements, ring: Ring) -> Elements:
    """Return (left ⊗ right) x, each factor applied along its own axis."""
    a, b = left.size, right.size
    y = x.reshape(a, b, *x.shape[1:]).swapaxes(0, 1).reshape(b, a * x.shape[1], *x.shape[2:])
    y = act(right, y, ring)
    y = y.reshape(b, a, x.shape[1], *y.shape[2:]).swapaxes(0, 1)
    z = act(left, y.reshape(a, b * x.shape[1], *y.shape[3:]), ring)
    return z.reshape(a * b, x.shape[1], *z.shape[2:])


def times(x: Elements, count: int, ring: Ring) -> Elements:
    """Return x + x + ... + x, `count` terms, by doubling."""
    total, power = None, x
    while count:
        if count & 1:
            total = power if total is None else ring.add(total, power)
        count >>= 1
        power = ring.add(power, power) if count else power
    return x if total is None else total


def claim(equation: Equation) -> Claim:
    """Return an equation as a claim about whole multiples of its sides.

    >>> from derive.exact.check import decide
    >>> print(decide(claim(Equation("", "", conjugate(F(4)) @ F(4), F(4) @ conjugate(F(4))))))
    checked: conj(F_4) F_4 = F_4 conj(F_4) (all 16 entries, exactly in Z[zeta_4])
    """
    sides = equation.left, equation.right
    common = lcm(*(scale(side) for side in sides))
    left, right = (partial(_multiple, side, common // scale(side)) for side in sides)
    return Claim(
        statement=str(equation),
        size=equation.left.size,
        order=lcm(*(order(side) for side in sides), 4 if common == 1 else 8),
        growth=common * sum(row_sum(side) for side in sides)
        + (0 if all(even(side) for side in sides) else SEVERAL_TERMS),
        left=left,
        right=right,
        fourier=isinstance(equation.left, F) and common == 1,
        real=common > 1,
    )


def _multiple(formula: Formula, count: int, x: Elements, ring: Ring) -> Elements:
    """Return count · scale(formula) · formula · x."""
    return times(act(formula, x, ring), count, ring)
