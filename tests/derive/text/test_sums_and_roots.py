"""Sums over an index, square roots, bit matrices and powers of a generator in formulas as text."""

from __future__ import annotations

import re

import numpy as np
import pytest

import nodewright as nw
from derive.text.elaborate import formula
from derive.text.expressions import FormulaError
from derive.text.parse import parse, parse_formula
from proofs.derivations.rules import RADER


def matrix(text, **at):
    return formula(parse_formula(text), at).to_matrix()


@pytest.mark.parametrize("a", [1, 2, 3, 5, 6, 7, 8, 12, 15, 49, 77, 360])
def test_a_square_root_is_positive(a):
    np.testing.assert_allclose(matrix(f"sqrt({a}) * I(1)"), [[a**0.5]], atol=1e-9)
    np.testing.assert_allclose(matrix(f"i/sqrt({a}) * I(1)"), [[1j / a**0.5]], atol=1e-9)
    assert nw.check(nw.equation(f"sqrt({a}) * (sqrt({a}) * F(2)) = {a} * F(2)")).holds


@pytest.mark.parametrize("left", ["sqrt(3) * F(4)", "sqrt(7) * sqrt(3) * I(4)", "1/sqrt(3) * F(4)"])
def test_a_square_root_with_the_other_sign_is_refuted(left):
    assert nw.check(nw.equation(f"{left} = {left}")).holds
    assert nw.check(nw.equation(f"{left} = -1 * ({left})")).kind == "refuted"


def test_a_sum_over_an_index_is_the_sum_of_its_terms():
    terms = [matrix(f"diag(j < 4, j*{k}/8) * F(4)") for k in range(3)]
    np.testing.assert_allclose(matrix("sum(k < n, diag(j < 4, j*k/8) * F(4))", n=3), sum(terms))


@pytest.mark.parametrize(
    ("columns", "c"), [((1, 3, 6), 0), ((4, 2, 1), 5), ((7, 6, 4), 3), ((3, 1), 2)]
)
def test_bit_matrices_put_x_at_the_sum_of_its_columns(columns, c):
    wanted = np.zeros((2 ** len(columns),) * 2)
    for x in range(len(wanted)):
        y = 0
        for j, column in enumerate(columns):
            y ^= column * (x >> j & 1)
        wanted[y ^ c, x] = 1
    text = f"bits({', '.join(map(str, columns))})"
    shifted = f"xor({len(wanted)}, {c}) * {text}" if c else text
    np.testing.assert_allclose(matrix(shifted), wanted, atol=1e-12)
    np.testing.assert_allclose(matrix(f"inv({text}) * {text}"), np.eye(len(wanted)), atol=1e-12)


def rader(p, g):
    return re.sub(r"\bg\b", str(g), re.sub(r"\bp\b", str(p), RADER))


@pytest.mark.parametrize(("p", "g"), [(3, 2), (5, 2), (5, 3), (7, 3), (11, 2), (13, 2)])
def test_the_transform_of_rader_is_checked_at_primes(p, g):
    found = nw.check(nw.equation(rader(p, g)))
    assert found.holds and "all" in found.evidence and "exactly" in found.evidence


WRONG_PARTS = {"0 * I": "1 * I", "1/(5-1)": "1/5", "+ j*k": "- j*k", "conj(F(5-1))": "F(4)"}


@pytest.mark.parametrize(("old", "new"), WRONG_PARTS.items())
def test_a_wrong_transform_of_rader_is_refuted(old, new):
    assert old in rader(5, 2)
    assert nw.check(nw.equation(rader(5, 2).replace(old, new, 1))).kind == "refuted"


@pytest.mark.parametrize(
    "text",
    [
        "1/2 * sqrt(2) (x) F(2)",
        "i * sqrt(n) (x) (F(n) * R(n))",
        "sum(k < n, diag(j < n, j*k/n)) + I(n)",
        "sum(k < 2, sum(l < k+1, F(3)))",
        "bits(1, 3, 6) * xor(8, 5) (x) I(1)",
        "transpose(powers(p, g))",
    ],
)
def test_what_is_printed_is_typed_back(text):
    assert str(parse_formula(text)) == text
    assert parse(f"{text} = {text}").to_latex()


WRONG = {
    "sqrt(0) * F(2)": "column 6: 0: the argument of sqrt must be an integer >= 1",
    "sqrt(2 * F(2)": "column 11: expected ')' or ',' after a size of sqrt",
    "sqrt(1031) * F(2)": "column 6: sqrt(1031): the prime divisors of 1031 are at most 1024 here",
    "sqrt(n/2) * F(2)": "column 6: n/2 = 3/2 at n = 3",
    "F(2) * sqrt(2)": "column 8: the 2 columns of F(2) meet the 1 row of sqrt(2); in a",
    "sum(k, F(2))": "column 6: expected '<' after the index k of sum, got ','",
    "sum(k < 2 F(2))": "column 11: expected ',' in sum(k < 2, formula), got 'F'",
    "sum(k < n, F(k+1))": "column 12: F(k+1) at k = 0 is 1 x 1 and F(k+1) at k = 1 is 2 x 2: the",
    "sum(k < n-3, F(2))": "column 1: sum(k < n-3, F(2)) has 0 terms at n = 3",
    "sum(k < 5000, F(2))": "column 1: the sum has 5000 terms: at most 4096 are worked out",
    "bits(1, 1)": "column 1: bits(1, 1): the columns 1, 1 are dependent over GF(2)",
    "bits(1, 4)": "column 1: bits(1, 4): column 1 = 4 does not fit 2 rows",
    "xor(6, 1)": "column 1: xor(6, 1): 6 is not a power of two",
    "xor(4, 4)": "column 1: xor(4, 4): complement 4 does not fit 2 bits",
    "powers(7, 2)": "column 1: powers(7, 2): the powers of 2 modulo 7 are 3 of 1 to 6",
    "powers(9, 2)": "column 1: powers(9, 2): the powers of 2 modulo 9 are 6 of 1 to 8",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_text_is_refused_with_its_column(text):
    with pytest.raises(FormulaError) as error:
        formula(parse_formula(text), {"n": 3})
    assert str(error.value).startswith(WRONG[text])
    assert "\n" not in str(error.value)


@pytest.mark.long
def test_documents_have_roots_and_sums_in_letters_that_latex_knows():
    proof = nw.prove("sum(k < n, 1/sqrt(n) * F(r)) = sqrt(n) * F(r)")
    assert proof.holds and r"\sqrt{n}" in proof.to_latex()
    assert r"\sum" in proof.to_latex() and "√" not in proof.to_latex() + proof.to_html()
    assert r"\sqrt{n}" in nw.equation("sqrt(n) * F(n) = F(n)").to_latex()
