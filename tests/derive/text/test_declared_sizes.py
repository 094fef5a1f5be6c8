"""k : size, which makes an integer of a symbol that occurs in phases only."""

from __future__ import annotations

import pytest

import nodewright as nw
from derive.text.expressions import FormulaError
from derive.text.parse import parse
from derive.text.sorts import naturals_and_reals

WHOLE = "k : size; diag(j < n, k*j) = I(n)"


@pytest.mark.parametrize(
    "text", [WHOLE, "k, l : size; A : n x n; A * diag(j < n, k*l) = A", "k : size; I(k) = I(k)"]
)
def test_what_is_declared_is_a_size_and_is_printed_where_it_stands(text: str) -> None:
    sides = parse(text)
    assert naturals_and_reals(sides) == (set(), set())
    assert parse(str(sides)) == sides
    assert str(sides).partition(";")[0] == text.partition(";")[0]


@pytest.mark.parametrize(
    ("where", "verdict"), [("", "proved"), ("k = m*l", "proved"), ("k = m + 2", "proved")]
)
def test_it_is_proved_for_integers_and_for_what_is_put_in_for_them(
    where: str, verdict: str
) -> None:
    assert nw.prove(WHOLE, where=where).kind == verdict
    assert nw.prove(WHOLE.partition("; ")[2], where=where).kind == "refuted"


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("equation", "verdict", "printed"),
    [
        ("G(t, n) = I(n)", "refuted", ""),
        ("G(t, n) * diag(j < n, k*j) = I(n)", "refuted", "k : size; "),
        ("G(t+k, n) = I(n)", "refuted", "k : size; "),
        ("let K(k, n) = G(k, n) * G(2*k, n); K(t, n) = I(n)", "refuted", ""),
        ("let K(l, k) = G(l, k) * G(2*l, k); K(t, n) = I(n)", "refuted", ""),
        ("let W(k, n) = G(k, 2) (x) W(k, n-1), W(k, 0) = I(1); W(t, n) = I(2^n)", "refuted", ""),
        ("G(k, n) = I(n)", "proved", "k : size; "),
        ("G(2*k, n) = I(n)", "proved", "k : size; "),
    ],
)
def test_a_parameter_is_no_declared_symbol(equation: str, verdict: str, printed: str) -> None:
    """Wherever the declaration stands, and the equation that is printed is the same."""
    definition = "let G(k, n) = diag(j < n, k*j); "
    for before in (f"k : size; {definition}", f"{definition}k : size; "):
        found = nw.prove(before + equation)
        assert found.kind == verdict, found
        sides = parse(before + equation)
        assert str(sides).startswith(f"{printed}let G(k, n)")
        assert str(parse(str(sides))) == str(sides)
        assert naturals_and_reals(parse(str(sides))) == naturals_and_reals(sides)


def test_another_value_is_an_error() -> None:
    assert nw.check(WHOLE, n=3, k=2).holds
    with pytest.raises(ValueError, match="k is a size"):
        nw.check(WHOLE, n=3, k="1/2")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("k : size diag(j < n, k*j) = I(n)", "';' after symbols that are sizes"),
        ("k : sizes; I(n) = I(n)", "'x' between the numbers of rows and columns"),
    ],
)
def test_a_declaration_that_is_none_is_refused(text: str, why: str) -> None:
    with pytest.raises(FormulaError, match=why):
        parse(text)
