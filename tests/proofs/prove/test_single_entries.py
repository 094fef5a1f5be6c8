"""Equations of matrices with one entry in each column are compared at sizes that no vector fills:
what holds up to a power of its base is refuted beyond it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from derive.exact.complexes import columns
from derive.text.elaborate import formula
from derive.text.parse import parse, parse_formula, parse_relations
from derive.verdict import Refuted
from proofs.derivations.hypotheses import assumed
from proofs.prove.equation_proofs import at_small_sizes, decide_for_all
from proofs.prove.sizes.monomials import NoSingleEntry, place, spelled
from proofs.prove.sizes.single_entries import refuted_by_entries

FALSE = [
    ("diag(j < 2^n, j*2^20/2^n) = I(2^n)", "", "n = 21: entry (1, 1) is -1 on the left and 1"),
    (
        "diag(j < 3^n, j*3^8/3^n) = I(3^n)",
        "",
        "n = 9: entry (1, 1) is w_3 = -0.5 - 0.866025i on the left and 1",
    ),
    ("perm(j < 2^n, j+2^12) = I(2^n)", "", "n = 13: entry (4096, 0) is 1 on the left and 0"),
    ("perm(j < 2^n, j+2^40) = I(2^n)", "n >= 2", "n = 41: entry (1099511627776, 0) is 1"),
    (
        "diag(j < 5^n, j*5^25/5^n) = I(5^n)",
        "",
        "n = 26: entry (1, 1) is w_5 = 0.309017 - 0.951057i on",
    ),
    (
        "diag(j < 2^n, j^2*2^25/2^n) = I(2^n)",
        "n >= 30",
        "n = 30: entry (1, 1) is w_32 = 0.980785 - 0.19509i on",
    ),
    ("diag(i < 2^m, j < 2^n, i*j*2^30/2^n) = I(2^(m+n))", "", "m = 1, n = 31: entry ("),
    ("I(2) (x) perm(j < 2^n, j+2^20) = I(2^(n+1))", "", "n = 21: entry (1048576, 0) is 1"),
    ("inv(perm(j < 2^n, (2^30+1)*j)) = I(2^n)", "", "n = 31: entry (1073741825, 1) is 1"),
    ("2 * perm(j < 2^n, j+2^22) = 2 * I(2^n)", "", "n = 23: entry (4194304, 0) is 2"),
    ("prod(k, 1, 3, perm(j < 2^n, j+2^30)) = I(2^n)", "", "n = 31: entry (1073741824, 0) is 1"),
]


@pytest.mark.parametrize(("text", "where", "words"), FALSE)
def test_what_holds_up_to_a_power_is_refuted_beyond_it(text: str, where: str, words: str) -> None:
    found = decide_for_all(parse(text), parse_relations(where), 20).verdict
    assert isinstance(found, Refuted)
    assert f"at {words}" in found.counterexample


@pytest.mark.parametrize("text", ["diag(j < 2^n, j*2^20/2^n) = I(2^n)", FALSE[2][0]])
def test_nothing_of_this_kind_is_assumed(text: str) -> None:
    with pytest.raises(ValueError, match="entry"):
        assumed("mine", text, "")


TRUE = [
    "L(r*s,r) * L(r*s,s) = I(r*s)",
    "inv(L(N,r)) = L(N,N/r)",
    "transpose(T(N,s) * L(N,s)) = inv(L(N,s)) * T(N,s)",
    "R(2^(n+1)) = L(2^(n+1),2^n) * I(2) (x) R(2^n)",
    "prod(k, 0, n-1, I(2^k) (x) L(2^(n-k),2^(n-k-1))) = R(2^n)",
    "S(u,u*v) (+) I(m) = L(u*v,u) (+) I(m)",
    "i * diag(j < n, j/4) = diag(j < n, (j-1)/4)",
    "-1 * diag(j < n, j/3) = diag(j < n, j/3 + 1/2)",
    "Gamma(u,u*v,u*v*w) = I(v) (x) S(u,u*w)",
    "perm(j < n, 3*j) * inv(perm(j < n, 3*j)) = I(n)",
    "perm(i < r, j < s, i + r*j) = L(r*s,s)",
    "conj(Omega(h, a)) * Omega(h, a) = I(h)",
    "0 * perm(j < n, j+1) = 0 * I(n)",
]


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("text", TRUE)
def test_no_column_of_what_is_true_differs(text: str) -> None:
    assert refuted_by_entries(parse(text), [], []) is None
    assert at_small_sizes(parse(text), []).verdict is None


@pytest.mark.parametrize(
    "text",
    [
        *("L(12,3)", "S(3,12)", "T(12,4)", "R(8)", "J(5)", "Gamma(2,4,16)", "xor(8,5)"),
        *("Omega(4, 1/3)", "Omega(4)", "diag(i < 3, j < 4, i*j^2/5)", "perm(j < 7, 3*j+2)"),
        *("perm(i < 2, j < 3, k < 2, 5 + 6*j - 5*j + 3*i + 6*k)", "inv(L(12,3)) * T(12,2)"),
        *("I(2) (x) L(6,2) (x) J(2)", "T(4,2) (+) 3*J(2) (+) xor(4,3)", "-1/2 * i * T(6,2)"),
        *("conj(T(6,2))", "inv(2*T(6,3)*L(6,2))", "transpose(T(6,3)*perm(j < 6, j+2))"),
        *("(T(6,2)*L(6,3))^3", "(T(6,2)*L(6,3))^(-2)", "prod(k, 1, 3, perm(j < 4, j+k)*L(4,2))"),
    ],
)
def test_single_entries_are_those_of_the_matrix(text: str) -> None:
    read = formula(parse_formula(text), {})
    matrix = columns(read, range(read.size))
    found = np.zeros_like(matrix)
    for j in range(len(matrix)):
        i, (number, phase) = place(read, j)
        found[i, j] = float(number) * np.exp(-2j * np.pi * float(phase))
        assert place(read, i, back=True) == (j, (number, phase))
    assert np.allclose(matrix, found)


def test_other_matrices_are_not_read() -> None:
    assert refuted_by_entries(parse("F(2^n) = I(2^n)"), [], []) is None
    assert refuted_by_entries(parse("perm(j < 2^n, j^3) = I(2^n)"), [], []) is None
    with pytest.raises(NoSingleEntry):
        place(formula(parse_formula("F(2)"), {}), 0)


def test_an_entry_is_written_in_one_way() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    assert spelled((Fraction(-1), half)) == spelled((Fraction(1), Fraction(0))) == "1"
    twice = "2 w_6^5 = 1 + 1.73205i"
    assert spelled((Fraction(-2), third)) == spelled((Fraction(2), third - half)) == twice
    assert spelled((Fraction(3, 2), Fraction(1, 4))) == "3/2 w_4 = -1.5i"
    assert spelled((Fraction(0), third)) == "0"
