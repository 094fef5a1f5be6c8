"""Conjugate, transposed and inverse formulas, entry by entry over GF(q): conjugation takes the root
of unity w to 1/w.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from numpy.typing import NDArray

from derive.exact.action import act
from derive.exact.complexes import Complexes, entry
from derive.exact.measures import order, row_sum, scale
from derive.exact.residues import Residues
from derive.fields import RootField, primes
from derive.formula.adjoints import conjugate, inverted, transposed
from derive.formula.grammar import Formula, I, direct_sum, kron
from derive.formula.permutation_matrices import Bmmc, Gamma, J, L, R, S, inverse
from derive.formula.transforms import BH, LH, A, AHat, B, ButterflySum, D, F, H, HatSum, Omega, T, W
from derive.gf2.bmmc import bit_reversal, identity

PERMUTATIONS = [L(6, 2), S(2, 8), R(8), J(5), Gamma(2, 4, 8), Bmmc(bit_reversal(3)), I(3)]
OTHERS = [
    F(6),
    H(6),
    T(12, 3),
    Omega(3, Fraction(1, 2)),
    W(8, identity(3), bit_reversal(3), "w"),
    B(6, Fraction(1, 3)),
    D(8, Fraction(1, 2)),
    A(4, 8, 1),
    AHat(2, 2, 4, 8),
    ButterflySum(2, 4, 3),
    HatSum(2, 2, 2, 4, 2),
    BH(8),
    LH(2, 8),
]
LEAVES = [*PERMUTATIONS, *(inverse(one) for one in PERMUTATIONS), *OTHERS]
FORMULAS = [
    *LEAVES,
    *(of(leaf) for of in (conjugate, inverted) for leaf in OTHERS),
    kron(F(2), T(6, 2)),
    kron(inverted(F(3)), L(4, 2)),
    direct_sum([F(3), inverted(H(2)), I(2)]),
    kron(F(2), I(4)) @ T(8, 4) @ kron(I(2), F(4)) @ L(8, 2),
    direct_sum([J(2), conjugate(F(2))]) @ inverted(H(4)) @ B(4),
]


def field_of(formula: Formula) -> RootField:
    L = lcm(8, order(formula))
    return RootField.draw(L, np.random.default_rng(0), np.array(primes(L)[:1]))


def matrix(formula: Formula, field: RootField) -> NDArray[np.int64]:
    ring = Residues(field)
    return act(formula, ring.units(formula.size, range(formula.size)), ring) % field.q


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_the_transposed_formula_has_the_transposed_entries(formula: Formula) -> None:
    field = field_of(formula)
    assert np.array_equal(matrix(transposed(formula), field), matrix(formula, field).T)


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_the_conjugate_formula_has_the_entries_for_the_inverse_root(formula: Formula) -> None:
    field = field_of(formula)
    back = RootField(field.q, field.order, pow(field.w, -1, field.q))
    assert np.array_equal(matrix(conjugate(formula), field), matrix(formula, back))


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_the_inverse_formula_has_the_inverse_matrix(formula: Formula) -> None:
    field = field_of(formula)
    left, right = (matrix(one, field).astype(object) for one in (inverted(formula), formula))
    assert np.array_equal(left @ right % field.q, np.eye(formula.size, dtype=int))


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_complex_entries_and_their_bounds(formula: Formula) -> None:
    """The adjoint matrix is the conjugate of the transposed one, and rows are below their bound."""
    ring = Complexes(order(formula))
    dense = act(formula, ring.units(formula.size, range(formula.size)), ring)
    assert abs(dense).sum(axis=1).max() <= row_sum(formula) + 1e-12
    assert entry(formula, 1, 0) == dense[1, 0]
    of = conjugate(transposed(formula))
    assert np.allclose(act(of, ring.units(of.size, range(of.size)), ring), dense.conj().T)


def test_multiples_that_have_algebraic_integers_as_entries() -> None:
    assert [scale(one) for one in (H(6), inverted(H(6)), inverted(F(6)), T(8, 2))] == [2, 12, 6, 1]
    assert scale(kron(H(2), inverted(F(3)))) == scale(direct_sum([H(2), inverted(F(3))])) == 6


def test_the_hartley_butterfly_is_real_and_half_its_transpose_is_its_inverse() -> None:
    assert conjugate(BH(4)) == BH(4) == transposed(transposed(BH(4)))
    assert 2 * inverted(BH(4)) == transposed(BH(4)) and str(transposed(BH(4))) == "transpose(BH_4)"
