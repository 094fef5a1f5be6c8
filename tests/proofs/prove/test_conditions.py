"""One convention of what symbols may be, in check, prove and generate; conditions that are put in;
a search that ends in time.
"""

from __future__ import annotations

import json
import threading
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest

from derive.text.elaborate import check
from derive.text.expressions import FormulaError
from derive.text.parse import parse, parse_relations
from derive.text.sorts import naturals_and_reals
from derive.verdict import Checked, Proved, Refuted, Undecided, holds
from proofs.prove import proof_search
from proofs.prove.budget import OutOfTime, look, within
from proofs.prove.equation_proofs import Answer, decide_for_all
from proofs.replay.certificate_steps import said
from proofs.replay.export import own_certificate
from tests.support.commands import Command


def decided(text: str, where: str = "", seconds: float | None = None) -> Answer:
    return decide_for_all(parse(text), parse_relations(where), seconds)


# Values of symbols: 0, 1, 2, ... for exponents and bounds of a prod, 1, 2, 3, ... for sizes

TWICE = "prod(k,1,n+2, J(2)) = prod(k,1,n, J(2))"
"""True from n = 0 on; at n = -1 it would say J = I."""
FACTORS = (
    "F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k))) * R(2^n) * prod(k,1,m+2, J(2^n)) * prod(k,1,m,"
    " J(2^n))"
)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    "where",
    [
        "",
        "n >= 0",
        "n > -1",
        "n >= 1",
        "n = m - 1",
        "m - 1 = n",
        "n = m - 1, m >= 1",
        "n = 2*m",
        "n = m, m >= 0",
        "n = m, m = 3",
    ],
)
def test_an_equation_that_holds_from_0_on_is_proved(where: str) -> None:
    assert isinstance(decided(TWICE, where).verdict, Proved)


@pytest.mark.parametrize(
    "where",
    [
        "n >= -1",
        "n > -2",
        "-1 <= n",
        "n = -1",
        "n = 1/2",
        "n >= 1, n >= -3",
        "n = m - 1, m >= -1",
        "n = m, m = -1",
    ],
)
def test_a_condition_that_goes_below_what_a_symbol_may_be_is_refused(where: str) -> None:
    with pytest.raises(
        FormulaError,
        match=r"where [nm] .*an exponent or a bound of a prod, which is an integer, at least 0",
    ):
        decided(TWICE, where)


@pytest.mark.parametrize("where", ["r >= 0", "r = 0", "r > -1", "r = 1/2"])
def test_a_size_is_at_least_1(where: str) -> None:
    with pytest.raises(FormulaError, match="r is a size, which is an integer, at least 1"):
        decided("F(r) = F(r)", where)
    assert isinstance(decided("F(r) = F(r)", "r > 0").verdict, Proved)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (TWICE, {"n": -1}),
        (TWICE, {"n": Fraction(1, 2)}),
        ("F(r+1) = F(r+1)", {"r": 0}),
        ("F(2*r) = F(2*r)", {"r": Fraction(1, 2)}),
    ],
)
def test_a_value_that_a_symbol_may_not_have_is_refused(text: str, at: dict[str, Fraction]) -> None:
    with pytest.raises(FormulaError, match="which is an integer, at least"):
        check(parse(text), at)


def test_the_same_values_are_checked_and_proved() -> None:
    """At every value that check takes, what prove proved is true; a number of factors below 0 is
    none, as the grammar says.
    """
    for n in range(5):
        assert holds(check(parse(TWICE), {"n": n}))
    for text in (
        "prod(k,1,-5, J(2)) = I(2)",
        "prod(k,3,1, J(2)) = I(2)",
        "prod(k,1,0, J(2)) = I(2)",
    ):
        assert holds(check(parse(text), {})) and isinstance(decided(text).verdict, Checked)
    assert isinstance(decided("prod(k,1,-5, J(2)) = J(2)").verdict, Refuted)
    assert isinstance(decided("prod(k,1,n-2, J(2)) = prod(k,1,n, J(2))").verdict, Refuted), (
        "n = 1: I and J"
    )
    assert isinstance(decided("prod(k,1,n-2, J(2)) = prod(k,1,n, J(2))", "n >= 2").verdict, Proved)


def test_an_alpha_may_be_any_number() -> None:
    assert naturals_and_reals(parse("B(2^n, a) = B(2*r, a)")) == ({"n"}, {"a"})
    assert holds(check(parse("B(4, a) = B(4, a)"), {"a": Fraction(-1, 2)}))
    assert isinstance(decided("B(2*r, a) = B(2*r, a)", "a >= -1").verdict, Proved)


@pytest.mark.parametrize(
    ("value", "status"), [("0", 0), ("2", 0), ("-1", 2), ("n-5", 2), ("1/2", 2)]
)
def test_a_program_is_made_at_the_same_values(
    nodewright: Command, value: str, status: int, tmp_path: Path
) -> None:
    file = tmp_path / "a.py"
    found, _, err = nodewright(
        "generate",
        "--formula",
        FACTORS,
        "--set",
        f"m={value}",
        "--size",
        "16",
        "--ranks",
        "1",
        "-o",
        str(file),
    )
    assert found == status
    assert file.exists() == (status == 0)
    assert status == 0 or "m is an exponent or a bound of a prod" in err
    assert nodewright("check", "--formula", FACTORS, "--set", f"n=4,m={value}")[0] == status


# Conditions

INNER = "F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)"
COOLEY_TUKEY = "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)"


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "where"),
    [
        (COOLEY_TUKEY, "N = r*s"),
        (COOLEY_TUKEY, "r*s = N"),
        (COOLEY_TUKEY, "N/r = s"),
        (COOLEY_TUKEY, "s = N/r"),
        (COOLEY_TUKEY, "N/s = r"),
        (COOLEY_TUKEY, "N = r*s, r = 2*q"),
        (COOLEY_TUKEY, "r = 2*q, N = r*s"),
        (INNER, "r*s = N"),
        (INNER, "N/r = s"),
        (INNER, "s = N/r"),
    ],
)
def test_an_equation_is_put_in_from_either_side(text: str, where: str) -> None:
    answer = decided(text, where)
    assert isinstance(answer.verdict, Proved) and answer.theorem is not None
    assert said(json.loads(own_certificate(parse(text), where, answer.theorem, claim=answer.claim)))
    assert isinstance(decided(text.replace("L(N,r)", "L(N,N/r)"), where).verdict, Refuted)


@pytest.mark.long
def test_an_equation_that_is_not_put_in_is_named() -> None:
    answer = decided("I(a) (x) I(b) = I(c) (x) I(d)", "a*b = c*d")
    assert isinstance(answer.verdict, Undecided) and answer.tried > 100
    assert answer.verdict.reason.endswith(
        "a*b = c*d restricts what is compared, and no proof uses it"
    )


def test_a_condition_on_no_symbol_of_the_equation_is_refused() -> None:
    for where in ("m = 3", "q*t = s", "m >= 1"):
        with pytest.raises(FormulaError, match=r"^where: unknown symbol"):
            decided("F(n) = F(n)", where)


# Names

NAMES = (
    "theorem",
    "values",
    "self",
    "lambda",
    "None",
    "in",
    "k0",
    "l0",
    "x0",
    "x1",
    "lg_N",
    "n_1",
    "alpha",
    "I",
    "F",
    "key",
    "natural",
    "size",
)


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_symbol_may_have_any_name_of_the_engine(name: str) -> None:
    """As a size, and as an exponent of an induction."""
    size = (
        f"F({name}*s) = F({name}) (x) I(s) * T({name}*s,s) * I({name}) (x) F(s) *"
        f" L({name}*s,{name})"
    )
    tower = f"F(2^{name}) = prod(k,0,{name}-1, I(2^k) (x) B(2^({name}-k))) * R(2^{name})"
    for text in (size, tower):
        answer = decided(text)
        assert isinstance(answer.verdict, Proved) and answer.theorem is not None
        assert said(
            json.loads(own_certificate(parse(text), "", answer.theorem, claim=answer.claim))
        )


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize("r", ["k0", "x0", "l0"])
def test_a_size_called_as_an_open_index_is_no_index(r: str) -> None:
    stage = f"I({r}^k) (x) (F({r}) (x) I({r}^(n-1-k)) * T({r}^(n-k), {r}^(n-k-1)))"
    text = f"F({r}^n) = prod(k,0,n-1, {stage}) * prod(k,0,n-1, I({r}^(n-1-k)) (x) L({r}^(k+1),{r}))"
    assert isinstance(decided(text, "n >= 1").verdict, Proved)


# Time

LONG = "H(n)" + " * H(n)" * 13


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} * L(r*s,r) (x) I(n/(r*s)) = {LONG} * L(r*s,r) (x) I(n/(r*s))",
        "prod(k,1,4000, F(2^n)*H(2^n)) = prod(k,1,3998, F(2^n)*H(2^n))",
    ],
)
def test_a_search_ends_in_time(text: str) -> None:
    start = process_time()
    answer = decided(text, seconds=1.5)
    assert process_time() - start < 15
    assert isinstance(answer.verdict, Undecided) and answer.verdict.reason.startswith(
        "after 1.5 s: "
    )


@pytest.mark.long
def test_it_is_said_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of time at the fifth look."""
    looks: list[int] = []

    def late() -> None:
        looks.append(0)
        if len(looks) == 5:
            raise OutOfTime

    monkeypatch.setattr(proof_search, "look", late)
    stages = "prod(k,0,n-1, I(2^k) (x) B(2^(n-k)))"
    twiddles = "L(2^n,2^(n-k)) * I(2^k) (x) T(2^(n-k),2^(n-k-1)) * L(2^n,2^k)"
    same = f"prod(k,0,n-1, F(2) (x) I(2^(n-1)) * {twiddles} * L(2^n,2))"
    answer = decided(f"{stages} = {same}", "n >= 2", seconds=600)
    assert isinstance(answer.verdict, Undecided)
    assert (
        "true at 12 sizes that were compared, path sums, " in answer.verdict.reason
        and "induction" in answer.verdict.reason
    )


def test_a_time_that_is_enough_changes_nothing() -> None:
    assert decided(TWICE, seconds=600).verdict == decided(TWICE).verdict


def test_the_time_holds_in_a_thread_too() -> None:
    found: list[object] = []

    def run() -> None:
        try:
            with within(0.05):
                while True:
                    look()
        except OutOfTime:
            found.append("over")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(10)
    assert found == ["over"]
    look()


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_that_is_none_is_refused(nodewright: Command, seconds: str) -> None:
    status, _, err = nodewright("prove", "--formula", TWICE, "--seconds", seconds)
    assert status == 2
    assert err.count("\n") == 1
    assert nodewright("prove", "cooley-tukey", "--seconds", "5")[0] == 2
