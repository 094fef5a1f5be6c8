"""A matrix that is defined by others needs no rule of its own; rules that exist agree with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from derive.exact.action import act
from derive.exact.exact_check import check
from derive.exact.measures import order, row_sum, scale
from derive.exact.rings import Terms
from derive.formula.adjoints import conjugate, inverted, transposed
from derive.formula.grammar import Equation, Formula, I, Leaf, kron
from derive.formula.leaves import MATRICES
from derive.formula.permutation_matrices import Gamma, L, S
from derive.formula.transforms import LH, A, AHat, B, ButterflySum, D, F, HatSum, Omega, T
from derive.sizes import Size, divide
from derive.verdict import Checked, Refuted

HALF = Fraction(1, 2)
DEFINED = [
    *(B(8), B(2, HALF), D(4), D(8, HALF), A(4, 16), A(2, 8, Fraction(-1, 3)), S(2, 8)),
    *(AHat(2, 2, 4, 16), ButterflySum(2, 4, 2), HatSum(2, 2, 4, 8, 2), Gamma(2, 4, 8)),
]


@pytest.fixture
def half() -> Iterator[Callable[[int], Formula]]:
    """A matrix that is there as long as the test of it runs."""
    before = {**MATRICES}

    @dataclass(frozen=True)
    class Half(Leaf, form="Half_n", order="n", whole="n/2"):
        """The last two factors of Cooley and Tukey's equation."""

        n: Size

        @property
        def definition(self) -> Formula:
            h = divide(self.n, 2)
            return kron(I(2), F(h)) @ L(self.n, 2)

    yield Half
    MATRICES.clear()
    MATRICES.update(before)


@pytest.mark.parametrize("matrix", DEFINED, ids=str)
def test_a_rule_for_the_action_agrees_with_the_definition(matrix: Formula) -> None:
    assert matrix.definition is not None
    ring = Terms(48)
    x = ring.units(matrix.size, range(matrix.size))
    found, wanted = (ring.rows(act(one, x, ring)) for one in (matrix, matrix.definition))
    assert np.array_equal(found, wanted)


def test_a_new_matrix_needs_its_definition_alone(half: Callable[[int], Formula]) -> None:
    butterfly = kron(F(2), I(4)) @ T(8, 4)
    assert isinstance(check(Equation("", "", F(8), butterfly @ half(8))), Checked)
    assert isinstance(check(Equation("", "", F(8), butterfly @ half(8) @ L(8, 2))), Refuted)
    assert (order(half(8)), row_sum(half(8)), scale(half(8))) == (4, 4, 1)
    assert str(conjugate(half(8))) == "(I_2 ⊗ conj(F_4)) L^8_2"
    assert str(transposed(half(8))) == "L^8_2^-1 (I_2 ⊗ F_4)"
    assert isinstance(check(Equation("", "", inverted(half(8)) @ half(8), I(8))), Checked)


def test_a_diagonal_is_not_written_out_by_its_definition() -> None:
    """The text that defines it is for as many places as a typed diagonal has."""
    for large in (T(2**20, 2**10), Omega(2**20)):
        assert scale(large) == 1 and transposed(large) is large


def test_measures_of_butterflies_and_stages_are_those_of_their_entries() -> None:
    assert [row_sum(one) for one in (B(8), D(8), A(4, 8), ButterflySum(2, 4, 2))] == [2, 4, 2, 2]
    assert [order(one) for one in (B(8, HALF), D(8), ButterflySum(4, 8, 2))] == [16, 8, 8]
    assert (order(LH(2, 8)), row_sum(LH(2, 8)), scale(LH(2, 8))) == (8, 3, 2)
