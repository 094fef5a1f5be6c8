"""Sequences of sizes: members of which quotients are whole, where they stand in terms, and what is
refused.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from proofs.kernel.check import of_theorem
from proofs.kernel.kernel_rules import Thm, assume, diag, first, induct, instantiate, pi, refl
from proofs.kernel.numbers import ONE, Digit, Dim, Member, Nat, Poly, Sequence, nat, size
from proofs.kernel.path_sums import equal
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, F, I, Kron, Mul, Pi, S, Term, W, free, substitute
from proofs.replay.certificate_steps import certificate, replay
from tests.mutation.dense import compare, confirm, draw, rational
from tests.mutation.wrong_statements import fuzz

a, b, k, l = (nat(name) for name in "abkl")
m, TWO = size("m"), Dim.of(2)
N, U = Sequence("N", 0), Sequence("U", m)

WHOLE: list[tuple[Dim, bool]] = [
    (N.at(0), True),
    (N.at(a), True),
    (N.at(a + b) / N.at(a), True),
    (N.at(a + 1) / N.at(a) * N.at(b) / N.at(0), True),
    (N.at(a + 1) * N.at(b + 2) / N.at(a) / N.at(b), True),
    (N.at(a + 1) * N.at(b) / N.at(a), True),
    (N.at(a) / N.at(a + 1), False),
    (N.at(a) / N.at(b), False),
    (N.at(a + b) / N.at(a) / N.at(b), False),
    (N.at(a * 2) / N.at(a + b), False),
    (ONE / N.at(a), False),
    (m * N.at(a) / N.at(a + 1), False),
    (U.at(a + b) / U.at(a), True),
    (m * U.at(a) / U.at(a + 1), True),
    (m * m * U.at(a) / U.at(a + 2), True),
    (m * U.at(a) / U.at(a + 2), False),
    (m * U.at(a + 1) / U.at(a), True),
    (U.at(a) / U.at(a + 1), False),
    (size("n") * U.at(a) / U.at(a + 1), False),
    (m / U.at(1), True),
    (m * N.at(a) / U.at(1), True),
    (m * U.at(1) / U.at(1) / U.at(1), True),
    (m * U.at(a) * U.at(b) / U.at(a + 1) / U.at(b + 1), False),
    (m * m * U.at(a) * U.at(b) / U.at(a + 1) / U.at(b + 1), True),
]


@pytest.mark.parametrize(("quotient", "whole"), WHOLE, ids=[str(d) for d, _ in WHOLE])
def test_quotients_of_members_are_whole_where_they_are_integers(quotient: Dim, whole: bool) -> None:
    assert quotient.whole is whole


@pytest.mark.long
def test_what_is_whole_is_an_integer_at_numbers() -> None:
    """Random quotients; a good part of those that are integers at all numbers is seen."""
    rng, symbols = Random(7), free(N.at(a), U.at(b), m)
    places = [draw(symbols, rng) for _ in range(60)]
    indices = [Nat.of(0), Nat.of(1), a, a + 1, a + 2, a + b, a + b + 1, b, b * 2]
    whole = integers = 0
    for _ in range(3000):
        found = ONE
        for _ in range(rng.randint(1, 4)):
            one = rng.choice((N, U)).at(rng.choice(indices))
            found = found * m if rng.random() < 0.2 else found
            found = found * one if rng.random() < 0.5 else found / one
        integer = all(rational(found, at).denominator == 1 for at in places)
        assert integer or not found.whole, found
        whole, integers = whole + found.whole, integers + integer
    assert whole > 900 and whole > 0.8 * integers


def test_members_are_products_of_what_is_between() -> None:
    assert N.at(0) == ONE and N.at(a) / N.at(a) == ONE
    r = N.at(a + 1) / N.at(a)
    assert r * N.at(a) == N.at(a + 1) and str(r) == "N[a+1]*N[a]^(-1)"
    assert substitute(r, {"a": Nat.of(0)}) == N.at(1)
    assert substitute(U.at(a), {"m": Dim.of(6), "a": b + 1}) == Sequence("U", Dim.of(6)).at(b + 1)
    assert free(U.at(a + b)).keys() == {"U", "m", "a", "b"}


def test_path_sums_know_digits_of_such_radices() -> None:
    r, s = N.at(a + 1) / N.at(a), N.at(a)
    weights = Block(
        Digit("x", r), Block(Digit("y", s), W(Poly.of(Digit("x", r)) * Digit("y", s) / N.at(a + 1)))
    )
    right = Mul(Kron(F(r), I(s)), Mul(weights, Mul(Kron(I(r), F(s)), S(r, s))))
    theorem = diag(F(N.at(a + 1)), right)
    assert confirm(theorem, Random(3)) == 2
    said = of_theorem(certificate("", theorem))[1]
    assert said == "for all N with N[0] = 1 and integers N[1]/N[0], N[2]/N[1], .., a >= 0"


def step_of_U() -> Thm:
    """Return a theorem about a radix of U, which divides m."""
    d = U.at(a + 1) / U.at(a)
    return diag(Kron(I(d), I(m / d)), I(m))


def test_a_certificate_says_what_radices_divide() -> None:
    text = certificate("", step_of_U())
    assert replay(text).left == step_of_U().left
    assert of_theorem(text)[1] == (
        "for all U with U[0] = 1 and integers U[1]/U[0], U[2]/U[1], .. that divide m, a >= 0,"
        " m >= 1"
    )


REFUSED: dict[str, Any] = {
    "a value for a sequence": lambda: instantiate(refl(I(N.at(a))), N=Dim.of(2)),
    "a term for a sequence": lambda: instantiate(refl(I(N.at(a))), N=I(Dim.of(2))),
    "a sequence that is a size, too": lambda: refl(I(N.at(a) * size("N"))),
    "a sequence that is a natural, too": lambda: refl(I(N.at(nat("N")))),
    "one sequence of two kinds": lambda: refl(I(N.at(a) * Sequence("N", m).at(a))),
    "an equation of two kinds": lambda: diag(
        Kron(I(N.at(1)), I(size("t"))), Kron(I(size("t")), I(Sequence("N", m).at(1)))
    ),
    "a name that is none": lambda: refl(I(Sequence("N[0]", 0).at(a))),
    "a negative index": lambda: N.at(a - 1),
    "the index 0": lambda: Member(N, Nat.of(0)),
    "N_0 other than 1": lambda: Dim(frozenset({(Member(N, Nat.of(0)), Nat.of(1))})),
    "a multiple that is no integer": lambda: Sequence("N", m / 2),
    "a multiple that is no size": lambda: Sequence("N", 4),
    "a multiple that is False": lambda: Sequence("N", False),
    "an index that is no Nat": lambda: Member(N, 1),  # type: ignore[arg-type]
    "a base that is no member": lambda: Dim(frozenset({(N, Nat.of(1))})),  # type: ignore[arg-type]
    "a multiple that takes the name": lambda: refl(I(Sequence("N", size("N")).at(a))),
    "a digit of that name": lambda: refl(Block(Digit("N", TWO), I(N.at(a)))),
    "an index of a product of that name": lambda: Pi(a, "N", "l", I(N.at(b))),
    "a bound name": lambda: diag(*[Pi(a, "k", "l", I(Sequence("#1", 0).at(b)))] * 2),
    "a multiple that a hypothesis fixes": lambda: instantiate(
        assume(I(Sequence("N", 2**a).at(b)), I(Sequence("N", 2**a).at(b)), "N"), a=b
    ),
    "a quotient that is no size": lambda: I(N.at(a) / N.at(a + 1)),
    "a radix that does not divide": lambda: I(m * N.at(a) / N.at(a + 1)),
    "a product of factors of several orders": lambda: Pi(a, "k", "l", I(N.at(k))),
    "a product whose order is no member": lambda: Pi(a, "k", "l", I(N.at(l + 1))),
    "an index that is captured": lambda: substitute(
        Pi(a, "k", "l", Kron(I(N.at(k + l + 1)), F(N.at(b)))), {"b": nat("#1")}
    ),
    "a multiple that is bound": lambda: Pi(a, "k", "l", I(Sequence("N", 2**k).at(b))),
    "an induction on a sequence": lambda: induct(
        "N", I(N.at(a)), I(N.at(a)), refl(I(ONE)), refl(I(N.at(a)))
    ),
    "another multiple than that of a hypothesis": lambda: instantiate(
        assume(F(U.at(a)), I(U.at(a)), "m"), m=m * 2
    ),
    "a hypothesis that fixes it": lambda: instantiate(assume(F(N.at(a)), I(N.at(a))), a=Nat.of(1)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_sequence_or_no_index_is_refused(what: str) -> None:
    with pytest.raises(Refused):
        REFUSED[what]()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (F(N.at(a + 1)), F(N.at(a + 1), -1)),
        (S(N.at(a), N.at(a + 1) / N.at(a)), S(N.at(a + 1) / N.at(a), N.at(a))),
        (S(N.at(1), N.at(1)), I(N.at(1) * N.at(1))),
        (Kron(F(N.at(a)), I(N.at(b))), Kron(I(N.at(b)), F(N.at(a)))),
        (Kron(F(N.at(1)), F(N.at(2) / N.at(1))), F(N.at(2))),
    ],
)
def test_what_holds_for_some_radices_only_is_not_proved(left: Term, right: Term) -> None:
    """At radices 1 all of these hold."""
    assert left.shape == right.shape and not equal(left, right)
    at = {"a": 1, "b": 1, "N": (1, 3, 12, 60)}
    assert compare(left, right, at, Random(1)) is not None
    assert compare(left, right, {**at, "N": (1, 1, 1)}, Random(1)) is None


@pytest.mark.parametrize("count", range(4))
def test_a_product_over_stages_has_an_order_that_is_a_member(count: int) -> None:
    body = Kron(I(N.at(k + l + 1) / N.at(k + 1)), Kron(F(N.at(k + 1) / N.at(k)), I(N.at(k))))
    stages = Pi(a, "k", "l", body)
    assert stages.shape == (N.at(a), N.at(a))
    assert confirm(first(Pi(a + 1, "k", "l", body)), Random(count)) > 0
    same = pi(Nat.of(count), "k", "l", diag(body, Mul(body, I(N.at(k + l + 1)))))
    assert same.left == substitute(stages, {"a": Nat.of(count)})


def in_members(term: Term) -> Term:
    """Return a term with the radix N_(a+1) / N_a for r and N_a for s, which are any two sizes."""
    found: Term = substitute(term, {"r": N.at(a + 1) / N.at(a), "s": N.at(a)})
    return found


@pytest.mark.long
def test_random_terms_of_such_sizes_are_proved_equal_as_those_of_symbols() -> None:
    found, plain = fuzz(11, 600, written=in_members), fuzz(11, 600)
    assert found.false == plain.false == 0 and found.accepted == plain.accepted > 300
