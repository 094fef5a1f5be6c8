"""One printer writes every kind of formula text as LaTeX and in the letters of proofs."""

import pytest

from derive.text.elaborate import formula
from derive.text.parse import parse, parse_formula
from derive.text.text_latex import formula_in_letters, latex
from proofs.show.markup import FORMULA, marked

PRINTED = {
    "(F(2) (x) I(2))^n": (r"(F_{2} \otimes I_{2})^{n}", "(F_{2} ⊗ I_{2})^{n}"),
    "L(8,2)^(n-1)": ("(L^{8}_{2})^{n-1}", "(L^{8}_{2})^{n - 1}"),
    "inv(F(4)^2)": ("((F_{4})^{2})^{-1}", "((F_{4})^{2})^-1"),
    "conj(F(N)^k)": (r"\overline{(F_{N})^{k}}", "((F_{N})^{k})^{*}"),
    "F(4) - (n+1)*i * J(4)": (r"F_{4} - (n+1) \mathrm{i} \, J_{4}", "F_{4} - (n + 1) i J_{4}"),
    "-i * (F(4) + J(4))": (r"-\mathrm{i} \, (F_{4} + J_{4})", "-i (F_{4} + J_{4})"),
    "(2 * I(2)) (+) F(2)": (r"(2 \, I_{2}) \oplus F_{2}", "(2 I_{2}) ⊕ F_{2}"),
    "diag(j_1 < n, j_1/n)^2": (
        r"(\operatorname{diag}_{j_{1} < n} (w^{j_{1}/n}))^{2}",
        "(diag_{j_{1} < n} (w^{j_{1}/n}))^{2}",
    ),
    "perm(a < r, b < s, a*s+b*r) * F(r*s)": (
        r"\operatorname{perm}_{a < r,\,b < s} (a s+b r) \, F_{r s}",
        "perm_{a < r, b < s} (a s + b r) F_{r s}",
    ),
    "prod(k, 0, n, F(2)^k + I(2))": (
        r"\prod_{k=0}^{n} ((F_{2})^{k} + I_{2})",
        "∏_{k = 0}^{n} ((F_{2})^{k} + I_{2})",
    ),
}


@pytest.mark.parametrize("text", PRINTED)
def test_every_kind_of_formula_is_printed_in_both_styles(text: str) -> None:
    found = parse_formula(text)
    assert (latex(found), formula_in_letters(found)) == PRINTED[text]
    assert parse_formula(str(found)) == found
    assert marked(formula_in_letters(found), FORMULA).isascii()


@pytest.mark.parametrize(
    "text",
    [
        *("B(8, 1/2)", "Gamma(2, 4, 8)", "inv(L(8, 2))", "inv(F(8))", "transpose(BH(8))"),
        *("conj(F(2)) (x) I(4) * T(8, 4)", "I(2) (x) F(3) (x) I(5)", "F(2) (x) (F(2) * J(2))"),
        *("F(2) (+) I(3)", "F(2) - 1/2 * H(2)", "3*i * F(2)", "sqrt(2) * F(2)", "powers(5, 2)"),
        *("perm(j < 5, 2*j)", "diag(a < 2, b < 3, a*b/6)", "inv(powers(5, 2))"),
    ],
)
def test_a_text_of_numbers_and_the_formula_that_it_is_are_one_in_latex(text: str) -> None:
    typed = parse_formula(text)
    assert typed.typed
    assert not formula(typed, {}).typed
    assert formula(typed, {}).to_latex() == typed.to_latex() == latex(typed)
    assert formula(parse_formula(str(formula(typed, {}))), {}) == formula(typed, {})


def test_a_subscript_of_a_name_of_ones_own_is_no_second_script() -> None:
    text = "let G1(n) = F(n); A1 : 2 x 2; A1 * G1(2) = A1 * G1(2)"
    found = parse(text)
    assert latex(found.left) == r"A_{1} \, {G_{1}}_{2}"
    assert formula_in_letters(found.left) == "A_{1} G1_{2}"


def test_a_formula_is_read_with_what_statements_define() -> None:
    sides = parse("let G(n) = F(n) * J(n); A : 2 x 2; A * G(2) = A * G(2)")
    assert parse_formula(str(sides.left), sides.statements) == sides.left
    with pytest.raises(ValueError, match="unknown matrix G"):
        parse_formula("G(2)")
