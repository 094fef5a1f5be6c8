"""Equations that hold at the first sizes alone are refuted at random ones, or it is said where they
fail; an equation without symbols is checked at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from derive.lazy import lazily
from derive.text.expressions import Values
from derive.text.parse import parse, parse_relations
from derive.verdict import Checked, Proved, Refuted, Undecided
from proofs.prove import equation_proofs
from proofs.prove.budget import OutOfTime, look, within
from proofs.prove.conditions import in_words
from proofs.prove.equation_proofs import Answer, decide_for_all
from proofs.prove.sizes.random_values import Drawing, work
from proofs.prove.small_sizes import Tried

WRONG = "F(r*s) = F(s) (x) I(r) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)"
ROOTS_16 = "*".join(f"(t-{i})" for i in range(1, 17))
ROOTS_40 = "*".join(f"(t-{i})" for i in range(1, 41))
HIDDEN = "a*(a-1)*(a-2)*(2*a-1)*(3*a-1)"

FALSE = [
    ("perm(j < r, j+5040) = I(r)", ""),
    ("perm(j < r, 5041*j) = I(r)", ""),
    ("perm(j < r, 5041*j) = I(r)", "r >= 2, r <= 5000"),
    ("diag(j < m, 5040*j/m) = I(m)", ""),
    ("diag(j < m, 720720*j^2/m) (x) F(r) = I(m) (x) F(r)", ""),
    ("L(2^n,2)^840 = I(2^n)", ""),
    ("L(2^n,2)^2520 = I(2^n)", ""),
    ("prod(k, 1, 840, L(2^n,2)) = I(2^n)", ""),
    ("L(2^m,2)^840 = I(2^n)", "m = n"),
    (f"{ROOTS_16} * I(2) = 0 * I(2)", ""),
    (f"{ROOTS_40} * I(2) = 0 * I(2)", ""),
    (f"{ROOTS_16} * F(r) + I(r) = I(r)", "r = t"),
    ("(n-5041)*(n-5040)*(n-5042) * perm(j < 2, j + n) = 0 * I(2)", "n >= 5040"),
    ("F(N/5040) = I(N/5040)", ""),
    (f"diag(j < 2, {HIDDEN}*j) = I(2)", ""),
    (f"B(2, {HIDDEN}) = B(2, 0)", ""),
    ("sum(k < 4, perm(j < r, j + 2520*k)) = 4 * I(r)", ""),
    ("A : n x n; A * perm(j < n, j+5040) = A", ""),
    ("let G(n) = perm(j < n, j+5040); G(n) (x) F(m) = I(n) (x) F(m)", ""),
    (WRONG, "r >= 40, s >= 40"),
    (WRONG, "r >= 300, s >= 300"),
    ("R(2^n) (x) I(m) = I(2^n*m)", "n >= 40"),
]
FACTOR = "diag(j < {r}, 5040*j/{r})"
COUNTED = f"prod(k,0,n-m-2, {FACTOR}) * {FACTOR} = prod(k,0,n-m-1, {FACTOR})"
OUTSIDE = [("F(2^n) = I(2^n)", "n >= 40"), ("F(2^n) = I(2^n)", "2^n >= 10^12")]


def decided(text: str, where: str = "", seconds: float | None = 60) -> Answer:
    return decide_for_all(parse(text), parse_relations(where), seconds)


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(("text", "where"), FALSE)
def test_what_holds_at_the_first_sizes_alone_is_refuted(text: str, where: str) -> None:
    found = decided(text, where)
    assert isinstance(found.verdict, Refuted) and found.values
    assert decided(text, where).verdict == found.verdict, "the statement is the seed"


@pytest.mark.parametrize(("text", "where"), OUTSIDE)
def test_it_is_said_where_an_equation_of_large_sizes_fails(text: str, where: str) -> None:
    found = decided(text, where).verdict
    assert isinstance(found, Undecided)
    assert "nothing was compared" in found.reason
    assert "outside of the conditions it is false, at " in found.reason


def test_it_is_said_that_an_equation_of_large_sizes_holds_at_smaller_ones() -> None:
    found = decided("F(2^n) = F(2^n)", "n >= 40").verdict
    assert (
        isinstance(found, Undecided) and "outside of the conditions it is true at 1" in found.reason
    )


def test_random_values_fulfil_the_bounds_and_come_next_to_numbers_of_the_text() -> None:
    conditions = parse_relations("r >= 300, s <= 7")
    drawing = Drawing.of(parse("L(r*s*5040, r) = L(r*s*5040, s)"), conditions)
    drawn = [at for attempts in drawing.rounds() for at in attempts]
    assert all(at["r"] >= 300 and 1 <= at["s"] <= 7 for at in drawn)
    near = {int(at["r"]) for at in drawn}
    assert near & {300, 301, 302} and near & {5039, 5040, 5041}
    assert {at["r"] % 11 for at in drawn} == set(range(11))


@pytest.mark.parametrize(
    ("text", "at", "most"),
    [
        ("F(n) * I(n)", {"n": 100}, 2),
        ("sum(k < n, sum(l < n, F(2)))", {"n": 100}, 101**2),
        ("L(4,2)^(n*m)", {"n": 10, "m": 20}, 13),
    ],
)
def test_sums_of_many_terms_are_not_worked_out(text: str, at: Values, most: int) -> None:
    assert work(parse(f"{text} = I(1)").left, dict(at)) == most  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["F(6) = F(6)", "F(12)^2 = F(12) * F(12)"])
def test_an_equation_without_symbols_is_checked_without_a_search(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a proof is looked for")

    assert isinstance(decide_for_all(parse(text), [], always_search=True).verdict, Proved)
    monkeypatch.setattr(equation_proofs, "prove", never)
    found = decided(text)
    assert isinstance(found.verdict, Checked) and found.tried == 1


def test_a_search_that_takes_too_long_keeps_what_was_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where conditions leave finitely many sizes, all compared, the equation is checked."""

    def late(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(equation_proofs, "prove", late)
    found = decided("F(n) = F(n)", "n <= 3")
    assert isinstance(found.verdict, Checked) and found.tried == 3
    open_ = decided("F(n) = F(n)")
    assert isinstance(open_.verdict, Undecided) and open_.tried > 11
    assert f"true at {open_.tried} sizes that were compared" in open_.verdict.reason


def burning(*calls: Tried) -> Callable[..., Tried]:
    """Return what stands for comparisons that are equal at one size and then take very long, and
    answers so when it is called again.
    """
    left = [*calls]

    def compared(*given: Any) -> Tried:
        if len(left) < len(calls):
            return left.pop()
        left.pop(0)
        given[3].append({})
        while True:
            look()

    return compared


@pytest.mark.long
def test_comparisons_that_take_long_leave_time_for_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equation_proofs, "compared", burning(Tried(1), Tried(1)))
    found = decided("J(n) * J(n) = I(n)", seconds=5)
    assert isinstance(found.verdict, Proved) and found.tried == 1


@pytest.mark.long
def test_comparisons_go_on_behind_a_search_that_finds_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later = Refuted("J(n) = I(n)", "at n = 2: entry (0, 0)")
    monkeypatch.setattr(equation_proofs, "compared", burning(Tried(1), Tried(1, later, {})))
    assert decided("J(n) = I(n)", seconds=5).verdict == later
    monkeypatch.setattr(equation_proofs, "compared", burning(Tried(1), Tried(70)))
    found = decided("J(n) = I(n)", seconds=5)
    assert isinstance(found.verdict, Undecided) and found.tried == 70


def forever() -> None:
    while True:
        in_words([])


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("seconds", [0.05, 60, None])
def test_a_time_within_another_gives_back_what_it_has_not_taken(seconds: float | None) -> None:
    def within_another() -> None:
        with within(0.3):
            with suppress(OutOfTime), within(0.05):
                forever()
            with within(seconds):
                pass
            forever()

    with pytest.raises(OutOfTime):
        within_another()
    with within(60), pytest.raises(OutOfTime):
        within_another()


BUSY = """
from time import thread_time

end = thread_time() + 0.3
while thread_time() < end:
    pass
DONE = True
"""


def test_a_module_that_is_imported_is_not_left_half_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "busy_for_a_while.py").write_text(BUSY)
    monkeypatch.syspath_prepend(tmp_path)
    later = lazily("busy_for_a_while")
    with suppress(OutOfTime), within(0.05):
        assert later.DONE
        forever()
    assert sys.modules["busy_for_a_while"].DONE


def test_a_library_is_not_left_half_done() -> None:
    library = {"__name__": "galois"}
    with suppress(OutOfTime), within(0.05):
        exec(BUSY, library)
        forever()
    assert library["DONE"]


@pytest.mark.sampled(3)
@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("r", "rstabquvhz")
def test_naturals_at_their_bounds_meet_primes(r: str) -> None:
    """It fails only where the first product has -1 factors, and r does not divide 5040."""
    found = decided(COUNTED.format(r=r), "n >= 1, n >= m")
    assert isinstance(found.verdict, Refuted)
    assert found.values == {"m": 1, "n": 1, r: 11}


@pytest.mark.parametrize(
    ("text", "where", "smallest"),
    [
        ("perm(j < r, j+5040) = I(r)", "", {"r": 11}),
        ("diag(j < m, 720720*j^2/m) (x) F(r) = I(m) (x) F(r)", "", {"m": 17, "r": 1}),
        (f"{ROOTS_16} * I(2) = 0 * I(2)", "", {"t": 17}),
        ("F(N/5040) = I(N/5040)", "", {"N": 10080}),
        ("sum(k < 4, perm(j < r, j + 2520*k)) = 4 * I(r)", "", {"r": 11}),
        (WRONG, "r >= 40, s >= 40", {"r": 40, "s": 41}),
    ],
)
def test_the_smallest_sizes_that_refute_are_given(
    text: str, where: str, smallest: dict[str, int]
) -> None:
    assert decided(text, where).values == smallest
