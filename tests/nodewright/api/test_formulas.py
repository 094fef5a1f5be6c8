"""Formulas are values: matrices, equations, powers."""

import numpy as np
import pytest
import sympy

import nodewright as nw
from derive.symbolic import positive_integers

COOLEY_TUKEY = nw.kron(nw.F(2), nw.I(4)) @ nw.T(8, 4) @ nw.kron(nw.I(2), nw.F(4)) @ nw.L(8, 2)


def test_a_formula_prints_as_mathematics_and_as_latex():
    assert str(COOLEY_TUKEY) == "(F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2"
    assert COOLEY_TUKEY.to_latex().startswith(r"(F_{2} \otimes I_{4}) \, T^{8}_{4}")
    assert COOLEY_TUKEY._repr_latex_() == f"${COOLEY_TUKEY.to_latex()}$"
    assert COOLEY_TUKEY.shape == (8, 8)


def test_a_matrix_is_that_of_numpy():
    assert np.allclose(nw.F(8).to_matrix(), np.fft.fft(np.eye(8)))
    assert np.allclose(COOLEY_TUKEY.to_matrix(), np.fft.fft(np.eye(8)))
    assert np.allclose(
        nw.kron(nw.F(2), nw.J(3)).to_matrix(), np.kron([[1, 1], [1, -1]], np.eye(3)[::-1])
    )
    n = np.arange(6)
    angle = 2 * np.pi * np.outer(n, n) / 6
    assert np.allclose(nw.H(6).to_matrix(), np.cos(angle) + np.sin(angle))


def test_a_matrix_of_sympy_is_exact_with_the_sign_of_numpy():
    assert nw.F(4).to_sympy()[1, 1] == -sympy.I
    assert COOLEY_TUKEY.to_sympy() == nw.F(8).to_sympy()
    A = nw.Variable("A", 2, 3)
    assert str(A @ nw.E(3, 2) == nw.E(2, 2)) == "A : 2 x 3; A E_{3,2} = E_{2,2}"
    assert not nw.check(A @ nw.E(3, 2) == nw.E(2, 2))
    half = (nw.F(4) - 1j * nw.H(4)) / 2
    assert half.to_sympy() == (nw.F(4).to_sympy() - sympy.I * nw.H(4).to_sympy()) / 2
    assert np.allclose(half.to_matrix(), np.array(half.to_sympy().evalf(), dtype=complex))
    n, j = positive_integers("n j")
    assert nw.F(n).to_sympy()[j, 1] == sympy.exp(-2 * sympy.I * sympy.pi * j / n)


def test_a_matrix_of_numbers_takes_numbers():
    with pytest.raises(ValueError, match="F_n: a matrix of numbers has a number as its size"):
        nw.F(positive_integers("n")).to_matrix()


def test_a_power_is_a_product_and_its_inverse_undoes_it():
    assert str(nw.F(4) ** 2) == "F_4 F_4"
    assert nw.F(4) ** 0 == nw.I(4)
    assert nw.L(6, 2) ** 1 == nw.L(6, 2)
    both = (nw.F(4) ** -2 @ nw.F(4) ** 2).to_matrix()
    assert np.allclose(both, np.eye(4))


def test_equality_of_formulas_is_an_equation_true_where_they_are_written_alike():
    stated = nw.F(8) == COOLEY_TUKEY
    assert repr(stated) == f"Equation('F_8 = {COOLEY_TUKEY}')"
    assert not stated
    assert nw.check(stated)
    assert nw.F(8) == nw.F(8)
    assert {nw.F(8): 1}[nw.F(8)] == 1
    assert (nw.F(8) == nw.F(4)) is False
    assert nw.F(8) != 8


@pytest.mark.parametrize(
    ("sum_of", "wanted"),
    [((nw.F(2), nw.I(3)), "(F_2 ⊕ I_3)"), (([nw.F(2), nw.I(3)],), "(F_2 ⊕ I_3)")],
)
def test_a_direct_sum_takes_formulas_or_a_list(sum_of, wanted):
    assert str(nw.direct_sum(*sum_of)) == wanted


def test_a_size_below_1_is_refused():
    with pytest.raises(ValueError, match="a size is at least 1"):
        nw.F(0)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda: nw.E(2, 0), "a size is at least 1"),
        (lambda: nw.E(2.0, 3), "2.0 in E: a size is an integer"),
        (lambda: nw.Variable("A", 2, 0), "a size is at least 1"),
        (lambda: nw.Variable(3, 2, 2), "name must be a string; got 3"),
        (lambda: nw.Variable("A b", 2, 2), "name must be a word"),
        (lambda: nw.F(4) / 0, "F_4 / 0: a formula is divided by another number"),
    ],
)
def test_sizes_names_and_numbers_that_are_none_are_refused(wrong, why):
    with pytest.raises(ValueError, match=why):
        wrong()
