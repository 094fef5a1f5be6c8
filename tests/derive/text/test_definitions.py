"""Definitions of one's own: what they stand for at sizes and for all sizes, and what is refused."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from derive.formula.named_matrices import ALIASES, MATRICES
from derive.text.definitions import closed
from derive.text.elaborate import check, decided, formula
from derive.text.expressions import FormulaError, NotWhole, TooLarge
from derive.text.parse import parse, parse_relations
from derive.text.syntax import Defined
from derive.text.text_grammar import KEYWORDS
from derive.text.tokens import OPERATORS
from derive.verdict import Checked, Proved, Refuted, Undecided
from proofs.prove.equation_proofs import decide_for_all

FFT = "let G(n) = B(2^n) * I(2) (x) G(n-1) * L(2^n,2), G(0) = I(1); "
RADIX = (
    "let Q(r, n) = F(r) (x) I(r^(n-1)) * T(r^n,r^(n-1)) * I(r) (x) Q(r, n-1) * L(r^n,r), Q(r, 0)"
    " = I(1); "
)
WHT = "let W(n) = W(n-1) (x) F(2), W(0) = I(1); "
COOLEY_TUKEY = "let C(r, s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r); "


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (COOLEY_TUKEY + "F(a*b*c) = C(a, b*c)", ("C(a, b*c)", "C(b, a)")),
        (FFT + "F(2^n) = G(n)", ("L(2^n,2)", "L(2^n,2^(n-1))")),
        (
            WHT + "W(n) = prod(k,0,n-1, I(2^k) (x) F(2) (x) I(2^(n-1-k)))",
            ("(x) F(2), ", "(x) J(2), "),
        ),
        (
            "let V(n) = L(2^n,2^(n-1)) * I(2) (x) V(n-1), V(0) = I(1); V(n) = R(2^n)",
            ("V(0) = I(1)", "V(0) = I(3)"),
        ),
        (
            "let G(n) = B(2^n) * I(2) (x) G(n-1) * L(2^n,2), G(1) = F(2); F(2^(n+1)) = G(n+1)",
            ("G(1) = F(2)", "G(1) = J(2)"),
        ),
        (
            "let V(K) = F(2) (x) I(K/2) * T(K,K/2); F(2^n) = prod(k,0,n-1, I(2^k) (x) V(2^(n-k)))"
            " * R(2^n)",
            ("T(K,K/2)", "T(K,2)"),
        ),
        (RADIX + "F(r^n) = Q(r, n)", ("T(r^n,r^(n-1))", "T(r^n,r)")),
        (RADIX + "F(n^r) = Q(n, r)", ("= Q(n, r)", "= Q(r, n)")),
        (
            "let Q(s, n, r) = F(s) (x) Q(s, n-1, r), Q(s, 0, r) = F(r);"
            " Q(n, m, s) = prod(k, 0, m-1, I(n^k) (x) F(n) (x) I(n^(m-1-k))) (x) F(s)",
            ("(x) F(s)", "(x) H(s)"),
        ),
    ],
)
def test_definitions_are_proved_and_wrong_ones_are_not(text: str, wrong: tuple[str, str]) -> None:
    found = decide_for_all(parse(text), [])
    assert isinstance(found.verdict, Proved), found.verdict
    assert parse(str(parse(text))) == parse(text)
    changed = text.replace(*wrong)
    assert changed != text
    try:
        assert isinstance(decide_for_all(parse(changed), []).verdict, Refuted)
    except FormulaError as error:
        assert re.search("must be equal|the same size", str(error))  # noqa: PT017


RECURSIONS = [
    FFT + "G(n) = G(n)",
    WHT + "W(n) = W(n)",
    "let W(n) = T(3^n,3) * F(3) (x) (J(3^(n-1)) * W(n-1) * F(3^(n-1))), W(0) = I(1); W(n) = W(n)",
    "let W(n) = I(2) (x) (J(2^(2*n-1)) * W(n-1) (x) F(2) * T(2^(2*n-1),2)), W(0) = I(1);"
    " W(n) = W(n)",
    RADIX + "Q(3, n) = Q(3, n)",
    "let W(n, r) = I(r) (x) (J(r^(2*n-1)) * W(n-1, r) (x) F(r) * T(r^(2*n-1),r)), W(0, r) = I(1);"
    " W(n, 2) = W(n, 2)",
    *(
        f"let W(n) = {body}, W(0) = I(1), W(1) = F(2); W({n}) = W({n})"
        for body in ("T(2^n,2) * I(4) (x) W(n-2) * L(2^n,2)", "F(4) (x) (J(2^(n-2)) * W(n-2))")
        for n in ("2*n", "2*n+1")
    ),
    "let W(n) = J(2^n) * W(n-1) (x) F(2), W(0) = F(3), W(1) = F(2); W(n) = W(n)",
]


@pytest.mark.parametrize("text", RECURSIONS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_closed_form_is_what_the_steps_lead_to(text: str, n: int) -> None:
    stepped = parse(text).left
    assert isinstance(stepped, Defined)
    at = {"n": Fraction(n)}
    one, other = formula(stepped, at), formula(closed(stepped), at)
    assert isinstance(decided(one == other), Checked)


def test_sizes_come_down_by_division_and_steps_that_miss_the_last_case_are_refused() -> None:
    halves = parse("let G(N) = B(N) * I(2) (x) G(N/2) * L(N,2), G(1) = I(1); F(M) = G(M)")
    assert isinstance(check(halves, {"M": 16}), Checked)
    with pytest.raises(NotWhole):
        check(halves, {"M": 6})
    assert isinstance(decide_for_all(halves, []).verdict, Undecided)
    with pytest.raises(NotWhole, match=r"has n = 0: W\(n\) comes down to W\(1\)"):
        check(parse("let W(n) = J(2) * W(n-1), W(1) = J(2); W(k) = J(2)^k"), {"k": 0})
    with pytest.raises(TooLarge, match="too many steps"):
        check(parse("let W(n) = W(n-1) * W(n-1), W(0) = J(2); W(k) = J(2)"), {"k": 50})


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("let V(n) = F(n) * F(m); V(2) = F(2)", 12, "m must be a parameter of V(n)"),
        ("let W(n) = W(n) (x) F(2), W(0) = I(1); W(2) = I(4)", 12, "does not come down to W(0)"),
        ("let W(n) = W(n+1) (x) F(2), W(0) = I(1); W(2) = I(4)", 12, "does not come down"),
        ("let W(n) = W(n-0) (x) F(2), W(0) = I(1); W(2) = I(4)", 12, "does not come down"),
        ("let W(n) = W(n/1) (x) F(2), W(0) = I(1); W(2) = I(4)", 12, "does not come down"),
        ("let W(n) = W(n-1) (x) F(2); W(2) = I(4)", 12, "has no base case; add"),
        ("let W(n) = W(n-2), W(0) = I(1), W(0) = F(1); W(2) = I(1)", 35, "two last cases at 0"),
        (
            "let W(m, n) = W(m, n-2), W(m, 0) = I(m), W(1, n) = I(1); W(2, 2) = I(2)",
            44,
            "the last case of W(m, n) has a number for one parameter, and the others as they are",
        ),
        ("let Q(r, n) = F(r) (x) Q(r, n-1); Q(2,2) = I(4)", 24, "add ', Q(r, 0) = ...'"),
        ("let Q(r, n) = F(r) (x) Q(n, n-1), Q(r, 0) = I(1); Q(2,2) = I(4)", 24, "the other"),
        ("let Q(r, n) = F(r) (x) Q(r-1, n), Q(r, 0) = I(1); Q(2,2) = I(4)", 24, "or n/c for n"),
        (
            "let Q(r, n) = F(r) (x) Q(n-1), Q(r, 0) = I(1); Q(2,2) = I(4)",
            24,
            "Q takes 2 arguments, Q(r, n); got 1",
        ),
        ("let Q(r, n) = F(r) (x) Q(r, n-1), Q(r, n) = I(1); Q(2,2) = I(4)", 37, "for one"),
        ("let Q(r, n) = F(r) (x) Q(r, n-1), Q(0, 0) = I(1); Q(2,2) = I(4)", 37, "for one"),
        ("let Q(r, n) = F(r) (x) Q(r, n-1), Q(0) = I(1); Q(2,2) = I(4)", 37, "for one"),
        (
            "let Q(r, n) = F(r) (x) Q(r, n-1), Q(r, 0) = I(s); Q(2,2) = I(4)",
            45,
            "s must be a parameter of Q(r, n)",
        ),
        (
            "let W(n) = I(n), W(0) = I(1); W(2) = I(4)",
            25,
            "only a recursive definition has a base case",
        ),
        (
            "let W(n) = W(n-1), W(0) = W(0); W(2) = I(4)",
            27,
            "only a recursive definition has a base case",
        ),
        ("let V(n) = W(n); W(2) = I(4)", 12, "unknown matrix W"),
        ("let V(n) = I(n); V(2,3) = I(4)", 18, "V takes 1 argument, V(n); got 2"),
        ("let V(n) = I(n); let V(n) = J(n); V(2) = I(2)", 22, "a name of its own"),
        ("let V(n, n) = I(n); V(2) = I(2)", 5, "parameters that differ"),
        ("let prod(n) = I(n); prod(2) = I(2)", 5, "the name of a matrix"),
        ("let V(n) = I(n); V(2)", 22, "'='"),
        ("let V(n) = I(n)", 16, "';'"),
        ("A : m x m; let V(n) = A (x) I(n); V(2) = V(2)", 23, "m must be a parameter of V(n)"),
        ("A : n x n; let V(n) = A; V(2*n) = V(2*n)", 23, "a matrix variable has numbers"),
        ("let V(n) = I(n); V : 2 x 2; V = V", 18, "V is a matrix variable and defined"),
    ],
)
def test_definitions_that_say_nothing_are_refused(text: str, column: int, why: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert str(caught.value).startswith(f"column {column}: "), caught.value
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_definition_prints_before_the_equation() -> None:
    text = "let V(n) = F(2) (x) I(n); let C(n) = V(n) * V(n); A : n x n; A (x) C(n) = C(n) (x) A"
    found = parse(text)
    assert str(found) == text
    assert found.to_latex() == (
        r"A \otimes C_{n} = C_{n} \otimes A, \quad A \in \mathbb{C}^{n \times n},"
        r" \quad V_{n} = F_{2} \otimes I_{n}, \quad C_{n} = V_{n} \, V_{n}"
    )
    assert isinstance(check(found, {"n": 2}), Refuted)


LANGUAGE = [*MATRICES, *ALIASES, *OPERATORS, *KEYWORDS, "i"]


@pytest.mark.parametrize("name", LANGUAGE)
def test_a_definition_hides_no_letter_of_the_language(name: str) -> None:
    with pytest.raises(FormulaError) as error:
        parse(f"let {name}(n) = I(n); {name}(n) = I(n)")
    assert str(error.value).startswith("column 5: ")


def test_a_matrix_variable_of_a_definition_stands_before_it() -> None:
    text = "A : 2 x 2; let V(n) = A (x) I(n); B : 4 x n; V(2) * B = B"
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("let V(n) = prod(n, 0, 2, I(2)); V(3) = I(2)", "column 12: the index n of prod hides the"),
        ("let V(n) = I(2) * sum(n < 2, I(2)); V(3) = I(2)", "column 19: the index n of sum hides"),
        ("let V(n) = diag(n < 4, n/4); V(3) = I(4)", "column 12: the index n of diag hides the"),
        ("let n(n) = F(n); n(2) = F(2)", "column 5: n(n): a definition has a name of its own"),
    ],
)
def test_a_definition_hides_no_parameter(text, complaint):
    with pytest.raises(FormulaError) as error:
        parse(text)
    assert str(error.value).startswith(complaint)


@pytest.mark.parametrize(
    ("text", "where", "wrong"),
    [
        (
            "let C(n) = prod(k, 1, 2, diag(j < 2, j*n/(5*k)));"
            " prod(k, 3, 3, C(k)) = diag(j < 2, 9*j/10)",
            "",
            ("9*j/10", "2*j/5"),
        ),
        (
            "let C(n) = sum(k < 2, diag(j < 2, j*k/n));"
            " sum(k < 3, C(k+1)) = sum(k < 3, sum(l < 2, diag(j < 2, j*l/(k+1))))",
            "",
            ("j*l/(k+1)", "j*l/(l+1)"),
        ),
        ("prod(k, 1, 2, diag(j < 2, j*n/5)) = diag(j < 2, 2*j*k/5)", "n = k", ("2*j*k", "3*j")),
        ("diag(j < 2, j*n/(5*j_1)) = diag(l < 2, j*l/(5*j_1))", "n = j", ("j*l/(5*j_1)", "l/5")),
    ],
)
def test_what_is_put_in_for_a_symbol_is_caught_by_no_index(text, where, wrong) -> None:
    conditions = parse_relations(where) if where else []
    assert isinstance(decide_for_all(parse(text), conditions).verdict, Proved | Checked)
    assert wrong[0] in text
    damaged = decide_for_all(parse(text.replace(*wrong)), conditions)
    assert isinstance(damaged.verdict, Refuted)


@pytest.mark.long
@pytest.mark.parametrize(
    ("definitions", "left", "wrong"),
    [
        (
            "let W(n) = diag(j < 2, j/2^n)^2 * W(n-1), W(0) = I(2); ",
            "W(m)",
            "(diag(j < 2, j/2^(m-1)) * diag(j < 2, j/2^(m-2)))^m",
        ),
        (
            "let V(n) = diag(j < 2, j/2^n) * V(n-1), V(0) = I(2);"
            " let W(n) = V(n) * W(n-1), W(0) = I(2); ",
            "W(m)",
            "prod(i, 0, m-1, prod(k, 0, m-1, diag(j < 2, j/2^m)))",
        ),
    ],
)
def test_indices_of_closed_forms_and_powers_are_none_of_those_around_them(
    definitions, left, wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number before both sides is 0 at all sizes that are tried, but for random ones, which
    refute the equation: here none are drawn.
    """
    refuted = decide_for_all(parse(f"{definitions}{left} = {wrong}"), parse_relations("m >= 2"))
    assert isinstance(refuted.verdict, Refuted)
    monkeypatch.setattr("proofs.prove.small_sizes.refutations", lambda *asked: ())
    monkeypatch.setattr("proofs.prove.small_sizes.refuted_by_entries", lambda *asked: None)
    zero = " * ".join(f"(2^m * I(1) - {2**i} * I(1))" for i in range(2, 9))
    text = f"{definitions}({zero}) (x) {left} = ({zero}) (x) {wrong}"
    found = decide_for_all(parse(text), parse_relations("m >= 2"), 5)
    assert isinstance(found.verdict, Undecided)
    assert "bug in nodewright" not in found.verdict.reason
    phases = "let W(n) = diag(j < 2, j/2^n)^2 * W(n-1), W(0) = I(2); W(m) = diag(j < 2, -2*j/2^m)"
    assert isinstance(decide_for_all(parse(phases), []).verdict, Proved)
