"""Diagonals by phase, permutations by digits, and matrices of ones: decided at sizes, proved for
all sizes, and refused where they are none.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from scipy.linalg import block_diag

from derive.exact.complexes import matrix
from derive.text.elaborate import check, formula
from derive.text.expressions import FormulaError, NotWhole, TooLarge
from derive.text.parse import parse, parse_formula
from derive.verdict import Checked, Proved, Refuted
from proofs.kernel.numbers import Poly
from proofs.kernel.terms import Term, substitute
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.translation.translate import translate
from tests.mutation.dense import confirm

GOOD = "perm(a < r, b < s, a*s + b*r)"
FAMILIES = [
    ("T(r*s,s) = diag(a < r, b < s, a*b/(r*s))", "T(r*s,r) = diag(a < r, b < s, a*b/(r*s))"),
    ("Omega(h) = diag(j < h, j/(2*h))", "Omega(h) = diag(j < h, j/h)"),
    ("Omega(h,t) = diag(j < h, (j+t)/(2*h))", "Omega(h,t) = diag(j < h, (j-t)/(2*h))"),
    (
        "F(n) * perm(j < n, j+b) = diag(j < n, b*j/n) * F(n)",
        "F(n) * perm(j < n, j+b) = diag(j < n, j/n) * F(n)",
    ),
    (
        "perm(j < n, j+1) = inv(F(n)) * diag(j < n, j/n) * F(n)",
        "perm(j < n, j-1) = inv(F(n)) * diag(j < n, j/n) * F(n)",
    ),
    ("J(n) * perm(j < n, j+1) * J(n) = perm(j < n, j-1)", "perm(j < n, j-1) = I(n)"),
    ("perm(a < r, b < s, b*r + a) = L(r*s, s)", "perm(a < r, b < s, b*r + a) = L(r*s, r)"),
    (
        "perm(a < r, b < s, c < t, b*r*t + c*r + a) = perm(a < r, b < s*t, b*r + a)",
        "perm(a < r, b < s, c < t, b*r*t + c*r + a) = perm(a < r, b < s*t, a*s*t + b)",
    ),
    (
        "perm(a < r, b < s, c < t, c*r*s + b*r + a)^-1 = perm(a < t, b < s, c < r, c*t*s+b*t+a)",
        "perm(a < r, b < s, c < t, c*r*s + b*r + a)^-1 = perm(a < t, b < s, c < r, b*t*r+c*t+a)",
    ),
    (
        "perm(j < n, a*j) * perm(j < n, b*j) = perm(j < n, a*b*j)",
        "perm(j < n, a*j) * perm(j < n, b*j) = perm(j < n, a*j+b)",
    ),
    (
        "F(n) * perm(j < n, a*j) = inv(perm(j < n, a*j)) * F(n)",
        "F(n) * perm(j < n, a*j) = perm(j < n, a*j) * F(n)",
    ),
    (
        f"transpose({GOOD}) * F(r*s) * {GOOD} = (transpose(perm(c < r, s*c)) * F(r)) (x)"
        " (transpose(perm(d < s, r*d)) * F(s))",
        f"transpose({GOOD}) * F(r*s) * {GOOD} = F(r) (x) F(s)",
    ),
    (
        "F(n) = diag(j < n, j^2/(2*n)) * (I(n) (x) E(1,n) * diag(j < n, k < n, -(j-k)^2/(2*n)) *"
        " E(n,1) (x) I(n)) * diag(k < n, k^2/(2*n))",
        "F(n) = diag(j < n, j^2/(2*n)) * (I(n) (x) E(1,n) * diag(j < n, k < n, -(j+k)^2/(2*n)) *"
        " E(n,1) (x) I(n)) * diag(k < n, k^2/(2*n))",
    ),
    ("E(m,n) * E(n,k) = n * E(m,k)", "E(m,n) * E(n,k) = E(m,k)"),
    ("transpose(E(m,n)) (x) E(p,q) = E(n*p,m*q)", "F(n) * E(n,1) = n * E(n,1)"),
    ("L(r*s,r) * E(r*s,t) = E(r*s,t)", "T(r*s,r) * E(r*s,t) = E(r*s,t)"),
    (
        "diag(j < n, t*j) * diag(j < n, u*j) = diag(j < n, (t+u)*j)",
        "diag(j < n, t*j) * diag(j < n, u*j) = diag(j < n, t*u*j)",
    ),
    (
        "conj(diag(j < n, j^2/(2*n))) = diag(j < n, -j^2/(2*n))",
        "transpose(diag(j < n, j^2/(2*n))) = diag(j < n, -j^2/(2*n))",
    ),
    (
        "A : n x n; perm(a < 2, b < n, b*2 + a) * I(2) (x) A = A (x) I(2) * L(2*n, n)",
        "A : n x n; perm(a < 2, b < n, b*2 + a) * I(2) (x) A = A (x) I(2) * L(2*n, 2)",
    ),
]


@pytest.mark.sampled(3)
@pytest.mark.sampled(19, rest="long")
@pytest.mark.parametrize(("true", "false"), FAMILIES)
def test_each_family_is_proved_and_a_wrong_one_is_refuted(true: str, false: str) -> None:
    """Shifts, strides, the maps of Good and Thomas, chirps of Bluestein, ones."""
    answer = decide_for_all(parse(true), [])
    assert isinstance(answer.verdict, Proved) and answer.theorem is not None, answer.verdict
    assert confirm(answer.theorem, Random(0)) > 0
    assert parse(str(parse(true))) == parse(true)
    assert isinstance(decide_for_all(parse(false), []).verdict, Refuted)


@pytest.mark.parametrize(
    "text",
    [
        "diag(j < 6, j^2/12 - 1/3)",
        "conj(diag(a < 2, b < 3, a*b/5))",
        "perm(j < 6, j - 1)",
        "perm(j < 6, 5*j + 2)",
        "transpose(perm(j < 5, 2*j))",
        "perm(a < 2, b < 3, c < 2, c*6 + a*3 + b)",
        "transpose(perm(a < 2, b < 3, c < 2, c*6 + a*3 + b))",
        "perm(a < 2, b < 3, a*3 + b*2)",
        "E(2,3)",
        "transpose(E(2,3)) (x) E(1,2)",
        "(J(2) (+) F(2)) (+) (I(1) (+) I(1) (+) J(2))",
        "F(2) (+) I(1) (+) I(1)",
        "I(1) (+) I(1) (+) F(2) (+) F(4)",
    ],
)
def test_terms_are_the_matrices_of_the_texts(text: str) -> None:
    """Read as a matrix over GF(q) and as one of complex numbers: with the conjugate roots."""
    term = translate(parse(f"{text} = {text}")).left
    assert np.allclose(dense_complex(term), matrix(formula(parse_formula(text), {})).conj())


def dense_complex(term: Term) -> np.ndarray:
    """Return a term without symbols as a matrix of complex numbers, by its own small reading."""
    kind = type(term).__name__
    parts = [getattr(term, name) for name in term.__match_args__]

    def number(x: object) -> complex:
        return complex(sum(complex(c) for _, c in x.terms))  # type: ignore[attr-defined]

    def order(d: object) -> int:
        powers = [base ** dict(e.terms)[()] for base, e in d.powers]  # type: ignore[attr-defined]
        return int(np.prod(powers, dtype=int))

    match kind:
        case "I":
            return np.eye(order(parts[0]), dtype=complex)
        case "F":
            j = np.arange(order(parts[0]))
            return np.exp(2j * np.pi * parts[1] * np.outer(j, j) / len(j))
        case "E":
            return np.ones((order(parts[0]), order(parts[1])), dtype=complex)
        case "W":
            return np.array([[np.exp(2j * np.pi * number(parts[0]))]])
        case "S":
            u, t = map(order, parts)
            found = np.zeros((u * t, u * t), dtype=complex)
            for j in range(u * t):
                found[j % u * t + j // u, j] = 1
            return found
        case "Block":
            index, body = parts
            blocks = [
                dense_complex(substitute(body, {index.name: Poly.of(value)}))
                for value in range(order(index.radix))
            ]
            return np.asarray(block_diag(*blocks))
        case "Kron":
            return np.kron(dense_complex(parts[0]), dense_complex(parts[1]))
        case "Mul":
            return dense_complex(parts[0]) @ dense_complex(parts[1])
        case "Sum":
            return sum((number(a) + 1j * number(b)) * dense_complex(x) for a, b, x in parts[0])
    raise AssertionError(kind)


REFUSED = [
    ("diag(j < n, j < n, j)", "diag has two digits j"),
    ("perm(j < 4, )", "a size"),
    ("perm(4 < j, j)", "an index"),
    ("perm(j, j)", "'<'"),
    ("diag(j < 4)", "','"),
    ("perm(j < 4, 2*j)", "0 and 2 both go to 0"),
    ("perm(j < 4, j/2)", "places are integers"),
    ("diag(j < 4, 1/j)", "divides by a digit"),
    ("diag(j < 4, 2^j)", "divides by a digit, or has one above"),
    ("diag(j < 1/2, j)", "integers, at least 1"),
    ("diag(j < 2^20, j)", "at most 65536 places"),
    ("inv(E(2,2))", "its inverse has no name here"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_no_diagonal_and_no_permutation_is_refused(text: str, why: str) -> None:
    with pytest.raises(FormulaError) as caught:
        formula(parse_formula(text), {"n": Fraction(4)})
    assert why in str(caught.value) and "\n" not in str(caught.value)
    assert type(caught.value) in (FormulaError, NotWhole, TooLarge)


def test_a_digit_hides_a_symbol_of_its_name() -> None:
    found = parse("F(j) = diag(j < 2*j, j/4)")
    assert found.symbols == {"j"}
    with pytest.raises(FormulaError, match=r"2 x 2 and diag\(j < 2\*j, j/4\) is 4 x 4"):
        check(found, {"j": 2})


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("H(6) = re(F(6)) - im(F(6))", True),
        ("F(6) = re(F(6)) + i * im(F(6))", True),
        ("H(6) = re(F(6)) + im(F(6))", False),
        ("im(conj(F(6))) = im(F(6))", False),
    ],
)
def test_real_and_imaginary_parts_are_halves_of_a_matrix_and_its_conjugate(text, holds):
    assert isinstance(check(parse(text), {}), Checked if holds else Refuted)
    assert parse(str(parse(text))) == parse(text)


def test_a_part_without_its_end_is_refused_at_its_column():
    with pytest.raises(FormulaError, match="column 7: "):
        parse_formula("re(F(4")
