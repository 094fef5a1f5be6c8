"""What is proved names the conditions under which all of its sizes are whole."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import pytest

import nodewright as nw
from derive.text.elaborate import equation
from derive.text.expressions import NotWhole
from derive.text.parse import parse

IMPLIED = {
    "F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)": "r divides N",
    "L(N,2*r) * L(N,N/(2*r)) = I(N)": "2*r divides N",
    "I(N/r) (x) I(r/t) = I(N/t)": "r divides N, t divides r",
    "I(r/t) (x) I(N/(r/t)) = I(N)": "r divides N*t, t divides r",
    "L(2^n,2) * L(2^n,2^(n-1)) = I(2^n)": "n >= 1",
    "I(2^(n-1)) (x) I(2^(m-n)) = I(2^(m-1))": "m >= n, n >= 1",
    "L(r*s,r) * L(r*s,s) = I(r*s)": "",
    "R(N) * R(N) = I(N)": "N is a power of 2",
    "R(N/r) * R(N/r) = I(N/r)": "N/r is a power of 2",
}
POWERS = (1, 2, 4, 8)


def whole(sides, at) -> bool:
    """Return whether all sizes are integers, at least 1, at these values."""
    try:
        equation(sides, at)
    except NotWhole:
        return False
    return True


def fulfilled(condition: str, at) -> bool:
    """Return whether values fulfil an implied condition."""
    if power := re.fullmatch(r"(\S+) is a power of 2", condition):
        return Fraction(eval(power[1], {}, {x: Fraction(n) for x, n in at.items()})) in POWERS
    below, sign, above = re.fullmatch(r"(\S+) (divides|>=) (\S+)", condition).groups()
    a, b = eval(below, {}, at), eval(above, {}, at)
    return a >= b if sign == ">=" else b % a == 0


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("text", IMPLIED)
def test_a_proved_statement_has_the_conditions_that_make_its_sizes_whole(text: str) -> None:
    found, wanted = nw.prove(text), IMPLIED[text]
    assert found.kind == "proved"
    assert found.statement.partition(", where ")[2] == wanted
    sides = parse(text)
    names = sorted(sides.symbols)
    for values in product(range(1, 9), repeat=len(names)):
        at = dict(zip(names, values, strict=True))
        conditions = wanted.split(", ") if wanted else []
        assert whole(sides, at) == all(fulfilled(each, at) for each in conditions), at


def test_what_a_condition_says_is_not_implied_again() -> None:
    text = "L(2^n,2) * L(2^n,2^(n-1)) = I(2^n)"
    assert nw.prove(text, where="n >= 2").statement.endswith(", where n >= 2")
    text = "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)"
    assert nw.prove(text, where="N = r*s").statement.endswith(", where N = r*s")


def test_a_document_has_the_implied_conditions(tmp_path) -> None:
    html = nw.prove("I(N/(2*r)) (x) I(2*r) = I(N)").to_html()
    assert "divides" in html


def test_a_derivation_ends_with_the_conditions_of_all_steps() -> None:
    d = nw.Derivation("F(n)")
    d.apply("cooley-tukey", r=2)
    d.apply("cooley-tukey", at="3.2", r=2)
    assert d.end().statement.endswith(", where 4 divides n")


def test_a_size_that_is_put_in_stands_where_its_symbol_stands() -> None:
    found = nw.prove("I(1) (x) F(N) = F(N)", where="N = r + r^2")
    assert "column 12: r+r^2 is not a product of powers" in found.evidence
