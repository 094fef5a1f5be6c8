"""Derivations of an FFT in phases: each is proved for all sizes, and a damaged step is refused."""

from __future__ import annotations

import pytest

from derive.text import elaborate
from derive.text.parse import parse_formula
from derive.text.syntax import Sides
from derive.verdict import Proved
from proofs.derivations.derivation import Derivation
from proofs.derivations.phases import in_phases

PLANS = {
    "one rank": (3, 0, [((3,), 0)]),
    "one rank, three radices": (6, 0, [((1, 2, 3), 0)]),
    "two phases": (5, 2, [((3,), 0), ((2,), 2)]),
    "radices in both phases": (8, 3, [((2, 3), 0), ((1, 2), 3)]),
    "a first phase that takes less than a rank has": (7, 2, [((3,), 0), ((4,), 2)]),
    "three phases": (7, 4, [((3,), 0), ((2,), 2), ((2,), 4)]),
    "groups less than what is transformed": (8, 5, [((3,), 0), ((2,), 2), ((3,), 5)]),
}


def derived(n: int, p: int, phases: list[tuple[tuple[int, ...], int]]) -> Derivation:
    found = in_phases(n, p, phases)
    derivation = Derivation(parse_formula(found.start))
    for step in found.steps():
        derivation.apply(*step)
    return derivation


@pytest.mark.parametrize("name", PLANS)
def test_the_factorization_holds_at_its_sizes(name):
    found = in_phases(*PLANS[name])
    sides = Sides(parse_formula(found.start), derived(*PLANS[name]).formula)
    assert elaborate.check(sides, found.values).holds


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", ["two phases", "one rank, three radices"])
def test_the_derivation_is_proved_for_all_sizes(name):
    assert isinstance(derived(*PLANS[name]).end().verdict, Proved)


@pytest.mark.parametrize("name", PLANS)
def test_letters_stand_for_the_radices(name):
    n, p, phases = PLANS[name]
    found = in_phases(n, p, phases)
    product = 1
    for value in found.values.values():
        product *= value
    assert product == 1 << n


def test_a_step_with_another_size_is_refused():
    found = in_phases(*PLANS["three phases"])
    derivation = Derivation(parse_formula(found.start))
    (first, second, *_) = found.steps()
    derivation.apply(*first)
    with pytest.raises(ValueError, match="parallel-last does not apply at 2"):
        derivation.apply(second[0], "2", second[2])
    with pytest.raises(ValueError, match=r"r_1.* is not whole for all values of its symbols"):
        derivation.apply(second[0], second[1], {"u": "r_1*r_1"})


def test_radices_that_do_not_multiply_to_the_size_are_refused():
    with pytest.raises(ValueError, match=r"their radices multiply to 2\^4, not 2\^5"):
        in_phases(5, 2, [((3,), 0), ((1,), 2)])
