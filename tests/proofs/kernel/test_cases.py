"""Cases of a digit, and congruences between digits of few values: what is proved is true, and what
is changed is refused.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from derive.text.parse import parse
from proofs.kernel.kernel_rules import Thm, cases, chosen, diag
from proofs.kernel.numbers import ONE, Digit, Dim, Poly, size
from proofs.kernel.phases import solutions
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import F, I, Kron, Mul, Sum, Term
from proofs.prove.cases import by_cases
from proofs.prove.tactics import diagonal, kron
from proofs.prove.translation.translate import translate
from proofs.replay.certificate_steps import certificate, replay
from tests.mutation.dense import compare

m, TWO, THREE = size("m"), Dim.of(2), Dim.of(3)
LEFT, RIGHT = F(m * 2), Mul(F(m * 2), I(m * 2))
"""Equal, and so is each half of their rows."""


def half(value: int, term: Term) -> Term:
    return Mul(Kron(I(ONE), Kron(chosen(value, 2), I(m))), term)


def halves() -> list[Thm]:
    return [diag(half(v, LEFT), half(v, RIGHT)) for v in (0, 1)]


@pytest.mark.sampled(2)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_a_chosen_row_has_one_1(d: int) -> None:
    for v, turned in product(range(d), (False, True)):
        shape = (Dim.of(d), ONE) if turned else (ONE, Dim.of(d))
        assert chosen(v, d, turned).shape == shape
        for w in range(d):
            row, column = chosen(w, d), chosen(v, d, True)
            product_ = Mul(row, column)
            wanted = Sum(((Poly.of(int(v == w)), Poly.of(0), I(ONE)),))
            assert compare(product_, wanted, {}, Random(v)) is None
            assert diag(product_, wanted)


def test_what_holds_in_every_case_holds() -> None:
    found = cases(LEFT, RIGHT, 0, ONE, m, *halves())
    assert (found.left, found.right, found.hypotheses) == (LEFT, RIGHT, frozenset())


def test_a_certificate_with_cases_is_replayed_and_a_changed_one_refused() -> None:
    text = certificate("halves", cases(LEFT, RIGHT, 0, ONE, m, *halves()))
    found = replay(text)
    assert (found.rule, found.left, found.right) == ("cases", LEFT, RIGHT)
    (step,) = (one for one in text["steps"] if one["rule"] == "cases")
    step["premises"][2] = 1
    with pytest.raises(Refused):
        replay(text)


CHANGED: dict[str, Any] = {
    "no case": lambda a, b: cases(LEFT, RIGHT, 0, ONE, m),
    "a case is missing": lambda a, b: cases(LEFT, RIGHT, 0, ONE, m, a),
    "a case twice": lambda a, b: cases(LEFT, RIGHT, 0, ONE, m, a, a),
    "cases in another order": lambda a, b: cases(LEFT, RIGHT, 0, ONE, m, b, a),
    "one case more": lambda a, b: cases(LEFT, RIGHT, 0, ONE, m, a, b, b),
    "columns for rows": lambda a, b: cases(LEFT, RIGHT, 1, ONE, m, a, b),
    "another side": lambda a, b: cases(LEFT, RIGHT, 2, ONE, m, a, b),
    "another place": lambda a, b: cases(LEFT, RIGHT, 0, m, ONE, a, b),
    "another equation": lambda a, b: cases(LEFT, F(m * 2, -1), 0, ONE, m, a, b),
    "sides exchanged": lambda a, b: cases(RIGHT, LEFT, 0, ONE, m, a, b),
    "no theorem": lambda a, b: cases(LEFT, RIGHT, 0, ONE, m, a, (b.left, b.right)),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_other_cases_are_refused(change: Any) -> None:
    with pytest.raises(Refused):
        change(*halves())


def test_what_holds_in_one_case_only_is_not_proved() -> None:
    """The first rows of F(2m) and of diag(1, -1) ⊗ I(m) times it are the same, not the others."""
    wrong = Mul(Kron(diagonal((TWO,), lambda b: b / 2), I(m)), LEFT)
    first = diag(half(0, LEFT), half(0, wrong))
    with pytest.raises(Refused):
        diag(half(1, LEFT), half(1, wrong))
    with pytest.raises(Refused):
        cases(LEFT, wrong, 0, ONE, m, first, first)


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("value", range(8))
def test_an_entry_is_at_its_digits_and_at_no_others(value: int) -> None:
    """Two digits may have the same value."""
    for at in product((0, 1), repeat=3):
        digits = kron(*(chosen(bit, 2, True) for bit in at))
        if at == (value >> 2, value >> 1 & 1, value & 1):
            assert diag(chosen(value, 8, True), digits)
        else:
            with pytest.raises(Refused):
                diag(chosen(value, 8, True), digits)


@pytest.mark.parametrize(("d", "a", "b", "by"), [*product((2, 4, 6), (1, 2), (2, 3), range(3))])
def test_solutions_of_a_congruence_are_counted(d: int, a: int, b: int, by: int) -> None:
    x, y = Digit("x", Dim.of(b)), Digit("y", THREE)
    found = solutions(Poly.of(x) * a - Poly.of(y) + by, Dim.of(d))
    wanted = [(i, j) for i in range(b) for j in range(3) if (a * i - j + by) % d == 0]
    assert found is not None and [(at[x], at.get(y)) for at in found] == wanted


def test_congruences_of_symbols_have_no_solutions_that_are_counted() -> None:
    x, y = Digit("x", m), Digit("y", TWO)
    assert solutions(Poly.of(x), TWO) is None and solutions(Poly.of(y), m) is None
    assert solutions(Poly.of(y) * m, TWO) is None


WRONG = (
    "transpose(I(m) (+) L(2*m,2)) = I(m) (+) L(2*m,2)",
    "F(2*h) = L(2*h,h) * (F(h) (+) Omega(h) * F(h)) * F(2) (x) I(h)",
)


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("text", WRONG)
def test_near_misses_are_refused_by_the_kernel(text: str) -> None:
    """By the kernel alone, before sizes are compared."""
    terms = translate(parse(text))
    with pytest.raises(Refused):
        by_cases(terms.left, terms.right)
