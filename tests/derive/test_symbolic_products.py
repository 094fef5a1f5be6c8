"""Equations with symbolic sizes, compared by sympy: the group-cyclic FFT holds, and each of its
factors that is exchanged for another is refused.
"""

from __future__ import annotations

import json
from functools import cache

import pytest

from derive.symbolic_products import compare
from derive.text.elaborate import check
from derive.text.parse import parse
from derive.verdict import Checked, Refuted, Undecided
from nodewright.api.checks import LIMITS, symbolic_statements
from nodewright.api.checks import symbolic_fft as symbolic_fft_of_the_library
from nodewright.cli import check_commands as check_command
from tests.support.commands import Command

STATEMENTS = [text for _, _, text in symbolic_statements()]
TWO = (
    "inv(Gamma(P,P,P^2*m))",
    "I(P) (x) F(P) (x) I(m)",
    "Gamma(P,P,P^2*m)",
    "T(P^2*m,P*m)",
    "I(P) (x) F(P*m)",
    "L(P^2*m,P)",
)


@pytest.mark.sampled(2)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("text", STATEMENTS)
def test_sympy_agrees_with_the_exact_check_at_numbers(text: str) -> None:
    sides = parse(text)
    assert isinstance(compare(sides), Checked)
    values = {size: 2 + i % 2 for i, size in enumerate(sorted(sides.symbols))}
    assert isinstance(check(sides, values), Checked)


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(
    ("place", "other"),
    [
        (0, "Gamma(P,P,P^2*m)"),
        (1, "I(P) (x) I(m) (x) F(P)"),
        (1, "I(P*m) (x) F(P)"),
        (2, "I(P^2*m)"),
        (3, "T(P^2*m,P)"),
        (3, "I(P^2*m)"),
        (4, "F(P*m) (x) I(P)"),
        (5, "L(P^2*m,P*m)"),
        (5, "I(P^2*m)"),
    ],
)
def test_a_wrong_factor_is_refused(place: int, other: str) -> None:
    right = [*TWO[:place], other, *TWO[place + 1 :]]
    found = compare(parse(f"F(P^2*m) = {' * '.join(right)}"))
    assert isinstance(found, Refuted) and "P = 2" in found.counterexample


def test_a_sum_that_stays_is_undecided() -> None:
    """F F is N times a permutation: sums over inner indices are left."""
    found = compare(parse("F(P) * F(P) = F(P) * F(P)"))
    assert isinstance(found, Undecided) and "not read" in found.reason


@pytest.mark.long
def test_the_command_prints_its_limits(
    nodewright: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_command, "symbolic_fft", cache(symbolic_fft_of_the_library))
    code, out, _ = nodewright("check", "fft", "--symbolic")
    assert code == 0 and out.count("checked ") == len(STATEMENTS)
    assert " ".join(out.split()).endswith(LIMITS)
    record = json.loads(nodewright("check", "fft", "--symbolic", "--json")[1])
    assert record["verdict"] == "checked" and record["limits"] == LIMITS


@pytest.mark.parametrize("words", [("fht",), ("fft", "--size", "16"), ("fft", "--seed", "2")])
def test_anything_more_is_refused(nodewright: Command, words: tuple[str, ...]) -> None:
    code, _, err = nodewright("check", *words, "--symbolic")
    assert code == 2 and "write nodewright check fft --symbolic alone" in err
