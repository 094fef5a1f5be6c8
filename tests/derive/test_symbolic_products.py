"""Equations with symbolic sizes, compared by sympy: the group-cyclic FFT holds, and each of its
factors that is exchanged for another is refused.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from derive import symbolic_fft
from derive.exact.check import check
from derive.formula.grammar import Equation, Formula, I, kron, product
from derive.formula.instances import instantiate
from derive.formula.permutation_matrices import Gamma, stride
from derive.formula.transforms import F, T
from derive.symbolic import positive_integers
from derive.symbolic_products import compare
from derive.verdict import Checked, Refuted, Undecided
from nodewright.api.checks import LIMITS, STATEMENTS
from nodewright.api.checks import symbolic_fft as symbolic_fft_of_the_library
from nodewright.cli import check as check_command
from tests.support.commands import Command

P, m = positive_integers("P m")
TWO = symbolic_fft.two_phases(P, m)
N = P * P * m


def factors(formula: Formula) -> tuple[Formula, ...]:
    return formula.factors  # type: ignore[attr-defined, no-any-return]


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(("made", "letters"), STATEMENTS)
def test_sympy_agrees_with_the_exact_check_at_numbers(made, letters) -> None:
    sizes = positive_integers(letters)
    equation = made(*sizes)
    assert isinstance(compare(equation), Checked)
    values = {size: 2 + i % 2 for i, size in enumerate(sizes)}
    left, right = (instantiate(side, values) for side in (equation.left, equation.right))
    assert isinstance(check(Equation("", "", left, right)), Checked)


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(
    ("place", "other"),
    [
        (0, Gamma(P, P, N)),
        (1, kron(I(P), kron(I(m), F(P)))),
        (1, kron(I(P * m), F(P))),
        (2, I(N)),
        (3, T(N, P)),
        (3, I(N)),
        (4, kron(F(P * m), I(P))),
        (5, stride(N, P * m)),
        (5, I(N)),
    ],
)
def test_a_wrong_factor_is_refused(place: int, other: Formula) -> None:
    right = list(factors(TWO.right))
    right[place] = other
    found = compare(replace(TWO, right=product(right)))
    assert isinstance(found, Refuted) and "P = 2" in found.counterexample


def test_a_sum_that_stays_is_undecided() -> None:
    """F F is N times a permutation: sums over inner indices are left."""
    found = compare(Equation("", "", F(P) @ F(P), F(P) @ F(P)))
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
