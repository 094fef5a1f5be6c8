"""The trusted part: what each rule refuses, attacks that must fail, and path sums against dense
matrices.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from bench.prove import SMALLER, TRUSTED, lines
from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import (
    Hypothesis,
    Thm,
    assume,
    diag,
    empty,
    first,
    induct,
    instantiate,
    mul,
    pi,
    recount,
    refl,
    sym,
    trans,
)
from proofs.kernel.numbers import ONE, Digit, Dim, Nat, Poly, Real, nat, size
from proofs.kernel.path_sums import equal
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W
from proofs.lemmas.hartley_stages import negation
from proofs.prove.tactics import blocks, diagonal, kron, tower
from tests.mutation.dense import compare, confirm, differ
from tests.mutation.wrong_statements import fuzz
from tests.support.paths import ROOT

PROOFS = ROOT / "docs" / "proofs.md"
TWO, ZERO, HALF = Dim.of(2), Nat.of(0), Dim.of(1) / 2
k, l, n = nat("k"), nat("l"), nat("n")
r, s = size("r"), size("s")
x = Digit("x", TWO)
alpha = Real("alpha")


def turn(phase: object) -> Term:
    """Return the matrix of order 1 with entry w^phase."""
    return W(Poly.of(phase))  # type: ignore[arg-type]


def some(theorem: Term) -> Thm:
    return refl(theorem)


# Values of the wrong sort


@pytest.mark.parametrize(
    "value", [Nat.of(-1), nat("m") - 1, -1, 1, TWO, Poly.of(0), True, "n", HALF, I(TWO), None]
)
def test_a_natural_is_set_to_naturals_only(value: Any) -> None:
    with pytest.raises(Refused):
        instantiate(some(I(2**n)), n=value)


@pytest.mark.parametrize(
    "value",
    [
        HALF,
        2 ** (nat("m") - 1),
        ONE / size("t"),
        0,
        1,
        Nat.of(2),
        Poly.of(TWO),
        Fraction(1, 2),
        I(TWO),
    ],
)
def test_a_size_is_set_to_whole_numbers_only(value: Any) -> None:
    with pytest.raises(Refused):
        instantiate(some(I(r)), r=value)


@pytest.mark.parametrize(
    "value",
    [
        Poly.of(Fraction(1, 2)),
        Poly.of(1),
        Poly.of(alpha),
        Poly.of(Digit("y", Dim.of(3))),
        Poly.of(Digit("y", TWO)) * 2,
        Poly.of(Digit("y", TWO)) + Digit("z", TWO),
        Poly.of(Digit("y", TWO)) * Fraction(1, 2),
        Nat.of(0),
        0,
    ],
)
def test_a_digit_is_set_to_a_digit_of_its_radix_or_to_zero_only(value: Any) -> None:
    with pytest.raises(Refused):
        instantiate(some(turn(Poly.of(x) / 3)), x=value)


@pytest.mark.parametrize(
    "number", [1000000000000000003, 1000000000000000003 * 6, (2**31 - 1) * (2**61 - 1)]
)
def test_a_size_with_divisors_beyond_reach_is_refused_at_once(number: int) -> None:
    """By trial division alone it would take minutes; a size whose other divisors are small is
    factored.
    """
    with pytest.raises(
        Refused, match="has no divisor up to 1048576, and others are not looked for"
    ):
        Dim.of(number)
    assert Dim.of(2**400 * 1000003) == Dim(frozenset({(2, Nat.of(400)), (1000003, Nat.of(1))}))


def test_what_a_digit_may_be_set_to() -> None:
    theorem = some(turn(Poly.of(x) / 3))
    assert instantiate(theorem, x=Poly.of(0)).left == turn(0)
    assert instantiate(theorem, x=Poly.of(Digit("y", TWO))).left == turn(
        Poly.of(Digit("y", TWO)) / 3
    )


def test_a_matrix_is_set_to_a_matrix_of_its_shape_only() -> None:
    theorem = some(Var("A", r, s))
    for value in (I(r), Var("B", s, r), F(s), 3, Nat.of(1)):
        with pytest.raises(Refused):
            instantiate(theorem, A=value)  # type: ignore[arg-type]
    assert instantiate(theorem, A=Var("B", r, s)).left == Var("B", r, s)


def test_a_name_that_is_not_free_is_not_set() -> None:
    with pytest.raises(Refused):
        instantiate(some(I(r)), q=TWO)


# Terms that are not well formed


def liar() -> object:
    """A size that says that it is whole."""
    return type("Liar", (Dim,), {"whole": True})(HALF.powers)


ILL_FORMED: list[Callable[[], object]] = [
    lambda: I(HALF),
    lambda: I(liar()),  # type: ignore[arg-type]
    lambda: I(2),  # type: ignore[arg-type]
    lambda: I(2 ** (n - 1)),
    lambda: F(TWO, 2),
    lambda: F(TWO, True),
    lambda: S(TWO, ONE / r),
    lambda: Mul(I(r), I(s)),
    lambda: Mul(Var("A", r, s), Var("A", r, s)),
    lambda: Kron(I(r), "I"),  # type: ignore[arg-type]
    lambda: Sum(()),
    lambda: Sum(((Poly.of(1), Poly.of(0), I(r)), (Poly.of(1), Poly.of(0), I(s)))),
    lambda: Sum(((Poly.of(x), Poly.of(0), I(r)),)),
    lambda: Sum([(Poly.of(1), Poly.of(0), I(r))]),  # type: ignore[arg-type]
    lambda: W(Fraction(1, 2)),  # type: ignore[arg-type]
    lambda: Digit("x", HALF),
    lambda: Dim(frozenset({(4, Nat.of(1))})),
    lambda: Dim(frozenset({(1, Nat.of(1))})),
    lambda: Dim(frozenset({(True, Nat.of(1))})),
    lambda: Dim(frozenset({(2, Nat.of(0))})),
    lambda: Dim(frozenset({(2, Nat.of(1)), (2, Nat.of(3))})),
    lambda: Dim({(2, Nat.of(1))}),  # type: ignore[arg-type]
    lambda: Dim.of(0),
    lambda: Nat(frozenset({(("n",), 0)})),
    lambda: Nat(frozenset({(("n",), Fraction(1, 2))})),  # type: ignore[arg-type]
    lambda: Nat(frozenset({(("n", "m"), 1)})),
    lambda: Poly(frozenset({((ONE, (x,)), 0.5)})),  # type: ignore[arg-type]
    lambda: Poly(frozenset({((TWO, ()), Fraction(1))})),
    lambda: Pi(ZERO - 1, "k", "l", I(TWO)),
    lambda: Pi(n, "k", "k", I(TWO)),
    lambda: Pi(n, "k", "l", I(2**k)),
    lambda: Pi(n, "k", "l", I(2 ** (k + l))),
    lambda: Pi(k, "k", "l", I(TWO)),
    lambda: Pi(n, "k", "l", Var("A", r, s)),
    lambda: Pi(n, "r", "l", I(r)),
    lambda: Pi(n, "k", "l", turn(Poly.of(Digit("y", 2**k)) / 3)),
    lambda: Pi(n, "k", "l", Kron(Var("A", 2**k, 2**k), I(2**l))),
    lambda: Block(Digit("x", r), turn(x)),
    lambda: Block(Digit("k", r), I(2**k)),
]


@pytest.mark.parametrize("build", ILL_FORMED)
def test_an_ill_formed_term_is_refused(build: Callable[[], object]) -> None:
    with pytest.raises((Refused, TypeError)):
        build()


def test_the_size_of_a_product_is_a_size_without_the_bound_names() -> None:
    assert Pi(n, "k", "l", I(2 ** (k + l + 1))).shape == (2**n, 2**n)


# Names


def test_one_name_is_not_used_for_two_sorts() -> None:
    for term in (
        Kron(I(2**n), I(size("n"))),
        Kron(turn(Digit("y", TWO)), turn(Digit("y", Dim.of(3)))),
        Kron(turn(Poly.of(Digit("y", TWO)) / 3), turn(Poly.of(Real("y")) / 3)),
        Kron(Var("A", r, r), Var("A", s, s)),
        Kron(Var("r", r, r), I(s)),
    ):
        with pytest.raises(Refused):
            refl(term)
        with pytest.raises(Refused):
            equal(term, term)


def test_two_sorts_do_not_arise_by_instantiation() -> None:
    theorem = refl(Kron(I(2**n), I(r)))
    with pytest.raises(Refused):
        instantiate(theorem, n=nat("r"))
    digits = refl(Kron(turn(Poly.of(Digit("y", 2**n)) / 3), turn(Poly.of(Digit("z", 2**k)) / 3)))
    with pytest.raises(Refused):
        instantiate(digits, z=Poly.of(Digit("y", 2**k)))


@pytest.mark.parametrize("name", ["#1", "#1'", "~0", "$0", "@0", "", "a b"])
def test_names_that_the_kernel_uses_are_not_free_in_a_theorem(name: str) -> None:
    for term in (
        I(2 ** nat(name)),
        turn(Digit(name, TWO)),
        Var(name, r, r),
        I(size(name)),
        turn(Real(name)),
    ):
        with pytest.raises(Refused):
            refl(term)
        with pytest.raises(Refused):
            diag(term, term)


def test_a_bound_name_is_not_captured() -> None:
    body = turn(Poly.of(Digit("x", r)) * alpha)
    theorem = refl(Block(Digit("x", r), body))
    with pytest.raises(Refused):
        instantiate(theorem, alpha=Poly.of(Digit("#1", r)))
    renamed = instantiate(theorem, alpha=Poly.of(Digit("x", r)))
    assert renamed.left == Block(Digit("y", r), turn(Poly.of(Digit("y", r)) * Digit("x", r)))
    assert renamed.left != Block(Digit("x", r), turn(Poly.of(Digit("x", r)) * Digit("x", r)))


def test_a_reserved_name_in_a_body_is_not_captured() -> None:
    with pytest.raises(Refused):
        Block(Digit("x", r), turn(Poly.of(Digit("x", r)) * Digit("#1", r)))
    with pytest.raises(Refused):
        Pi(n, "k", "l", Kron(I(2 ** (k + l)), I(2 ** nat("#1"))))


def test_a_matrix_that_binds_names_does_not_capture_those_around_it() -> None:
    outer = Block(Digit("x", r), Kron(Var("A", r, r), turn(Poly.of(Digit("x", r)) / 5)))
    inner = Block(Digit("y", r), turn(Poly.of(Digit("y", r)) / 7))
    got = instantiate(refl(outer), A=inner).left
    wanted = Block(
        Digit("x", r),
        Kron(
            Block(Digit("y", r), turn(Poly.of(Digit("y", r)) / 7)), turn(Poly.of(Digit("x", r)) / 5)
        ),
    )
    assert got == wanted and differ(got, wanted, Random(1)) is None


def test_terms_that_differ_in_bound_names_only_are_equal() -> None:
    assert Block(Digit("x", r), turn(Digit("x", r))) == Block(Digit("y", r), turn(Digit("y", r)))
    assert Pi(n, "k", "l", I(2 ** (k + l + 1))) == Pi(n, "l", "k", I(2 ** (k + l + 1)))
    assert Pi(n + 1, "k", "l", Kron(I(2**k), F(2**l))) != Pi(
        n + 1, "l", "k", Kron(I(2**k), F(2**l))
    )


# Theorems


def test_a_theorem_is_made_by_rules_only() -> None:
    for forge in (
        lambda: Thm(object(), I(r), F(r), frozenset(), "refl", ()),
        lambda: Thm(None, I(r), F(r), frozenset(), "refl", ()),
        lambda: Thm(I(r), F(r)),  # type: ignore[call-arg, arg-type]
    ):
        with pytest.raises((Refused, TypeError)):
            forge()


def test_a_theorem_is_not_changed() -> None:
    theorem = refl(I(r))
    for change in (
        lambda: setattr(theorem, "right", F(r)),
        lambda: delattr(theorem, "right"),
        lambda: setattr(theorem, "more", 1),
        lambda: theorem.hypotheses.add(1),  # type: ignore[attr-defined]
        lambda: setattr(theorem.left, "size", s),
        lambda: copy.replace(theorem, right=F(r)),  # type: ignore[attr-defined]
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()
    assert not hasattr(theorem, "__dict__") and (theorem.left, theorem.right) == (I(r), I(r))


def test_what_is_no_theorem_is_no_premise() -> None:
    class Fake:
        left, right, hypotheses = I(r), F(r), frozenset()

    fake: Any = Fake()
    for rule in (
        lambda: sym(fake),
        lambda: trans(fake, refl(F(r))),
        lambda: trans(refl(I(r)), fake),
        lambda: kernel_rules.kron(fake, refl(I(r))),
        lambda: mul(fake, refl(I(r))),
        lambda: kernel_rules.add((Poly.of(1), Poly.of(0), fake)),
        lambda: kernel_rules.block(x, fake),
        lambda: pi(n, "k", "l", fake),
        lambda: instantiate(fake, r=TWO),
        lambda: induct("n", I(2**n), F(2**n), fake, fake),
    ):
        with pytest.raises(Refused):
            rule()


def test_the_rules_are_these() -> None:
    """There are no definitions: what could be ill-founded, or hide a parameter, does not exist."""
    wanted = (
        "add assume block cases diag empty first flip induct instantiate kron mul pi recount refl"
        " sym trans"
    )
    assert sorted(kernel_rules.RULES) == wanted.split()


def test_transitivity_wants_the_same_term() -> None:
    with pytest.raises(Refused):
        trans(refl(I(r)), refl(F(r)))


def test_products_are_unfolded_only_where_they_have_a_factor() -> None:
    body = I(2 ** (k + l + 1))
    with pytest.raises(Refused):
        first(Pi(n, "k", "l", body))
    with pytest.raises(Refused):
        empty(Pi(n, "k", "l", body))
    with pytest.raises(Refused):
        empty(Pi(n + 1, "k", "l", body))
    with pytest.raises(Refused):
        recount(Pi(n + 1, "k", "l", body))
    with pytest.raises(Refused):
        recount(Pi(n * 2, "k", "l", body))
    for not_a_product in (I(r), None):
        for rule in (first, empty, recount):
            with pytest.raises(Refused):
                rule(not_a_product)  # type: ignore[arg-type]


def test_the_factors_of_a_product_are_taken_from_the_left() -> None:
    product = Pi(n + 1, "k", "l", Kron(F(2**k), I(2**l)))
    assert first(product).right == Mul(
        Kron(F(2**n), I(ONE)), Pi(n, "k", "l", Kron(F(2**k), I(2 ** (l + 1))))
    )
    assert differ(product, first(product).right, Random(2)) is None


def test_an_index_is_reversed_digit_by_digit() -> None:
    """J(rs) = J(r) ⊗ J(s) at numbers, entry by entry; near misses differ, and path sums do not
    prove them.
    """
    found = kernel_rules.flip(r, s)
    for a in range(1, 6):
        for b in range(1, 5):
            assert compare(found.left, found.right, {"r": a, "s": b}, Random(a)) is None
    J = kernel_rules.reversing
    for wrong in (
        Kron(J(s), I(r)),
        Kron(I(r), J(s)),
        Kron(J(r), I(s)),
        I(r * s),
        Mul(S(r, s), Kron(J(r), J(s))),
    ):
        assert compare(found.left, wrong, {"r": 2, "s": 3}, Random(0)) is not None
        with pytest.raises(Refused):
            trans(found, diag(found.right, wrong))


@pytest.mark.parametrize(
    "sizes", [(2, 3), (r, 2), (None, r), (r, ONE / r), (r, Poly.of(2)), (r, n)]
)
def test_what_is_no_size_is_not_reversed(sizes: tuple[Any, Any]) -> None:
    with pytest.raises(Refused):
        kernel_rules.flip(*sizes)


# Hypotheses and induction


def test_a_variable_that_a_hypothesis_fixes_is_not_set() -> None:
    A, B = Var("A", r, r), Var("B", r, r)
    commute = assume(Mul(A, B), Mul(B, A))
    for values in ({"A": I(r)}, {"B": I(r)}, {"r": TWO}):
        with pytest.raises(Refused):
            instantiate(commute, **values)  # type: ignore[arg-type]


def test_a_hypothesis_stays_with_what_is_made_of_it() -> None:
    A, B = Var("A", r, r), Var("B", r, r)
    commute = assume(Mul(A, B), Mul(B, A))
    for theorem in (
        sym(commute),
        kernel_rules.kron(refl(I(s)), commute),
        trans(commute, sym(commute)),
        mul(commute, refl(A)),
    ):
        assert theorem.hypotheses == commute.hypotheses


def test_a_variable_that_a_hypothesis_fixes_is_not_bound() -> None:
    phase = turn(Poly.of(x) / 3)
    fixed = assume(phase, turn(0))
    with pytest.raises(Refused):
        kernel_rules.block(x, fixed)
    general = assume(phase, turn(0), "x")
    assert kernel_rules.block(x, general).left == Block(x, phase)
    stage = assume(Kron(F(2**k), I(2**l)), I(2 ** (k + l)))
    with pytest.raises(Refused):
        pi(n + 1, "k", "l", stage)


def by(base: Thm, step: Thm, name: str = "n") -> Thm:
    return induct(name, F(2**n), I(2**n), base, step)


def test_induction_wants_its_two_premises() -> None:
    base = diag(F(ONE), I(ONE))
    good = assume(F(2 ** (n + 1)), I(2 ** (n + 1)))
    for wrong in (
        lambda: by(base, good),  # its hypothesis is not that of the induction and fixes n
        lambda: by(base, refl(F(2 ** (n + 1)))),
        lambda: by(refl(F(ONE)), good),
        lambda: by(base, base),
        lambda: by(base, assume(F(2**n), I(2**n))),
        lambda: by(base, good, name="m"),
        lambda: induct("r", F(r), F(r), refl(F(r)), refl(F(r))),
    ):
        with pytest.raises(Refused):
            wrong()


def test_induction_wants_a_variable_that_no_hypothesis_fixes() -> None:
    """From F_1 = I_1 and (F_{2^n} = I_{2^n} implies F_{2^{n+1}} = I_{2^{n+1}}) with n fixed
    elsewhere nothing follows for all n.
    """
    base = diag(F(ONE), I(ONE))
    elsewhere = assume(Mul(F(2**n), F(2 ** (n + 0))), I(2**n))
    assert elsewhere.hypotheses
    step = trans(
        assume(F(2 ** (n + 1)), Mul(F(2 ** (n + 1)), I(2 ** (n + 1)))),
        assume(Mul(F(2 ** (n + 1)), I(2 ** (n + 1))), I(2 ** (n + 1))),
    )
    with pytest.raises(Refused):
        by(base, step)


def test_the_hypothesis_of_an_induction_is_not_general_in_its_variable() -> None:
    base = diag(F(ONE), I(ONE))
    step = instantiate(assume(F(2**n), I(2**n), "n"), n=n + 1)
    assert by(base, step).hypotheses, (
        "a hypothesis for all n is no hypothesis of an induction and stays"
    )


def test_what_an_induction_generalizes_is_not_fixed_by_another_hypothesis() -> None:
    """(A B = B A fixes A) and the hypothesis of the induction for all A: without this check A B = B
    A is used for every A.
    """
    A, B = Var("A", r, r), Var("B", r, r)
    left, right = Kron(Mul(A, B), I(2**n)), Kron(Mul(B, A), I(2**n))
    commute = assume(Mul(A, B), Mul(B, A))
    base = kernel_rules.kron(commute, refl(I(ONE)))
    hypothesis = assume(left, right, "A")
    other = instantiate(hypothesis, A=Mul(A, A))
    assert Hypothesis(left, right, frozenset({"A"})) in other.hypotheses
    two = trans(
        trans(
            diag(Kron(Mul(A, B), I(2 ** (n + 1))), Kron(Kron(Mul(A, B), I(2**n)), I(TWO))),
            kernel_rules.kron(hypothesis, refl(I(TWO))),
        ),
        diag(Kron(right, I(TWO)), Kron(Mul(B, A), I(2 ** (n + 1)))),
    )
    with pytest.raises(Refused):
        induct("n", left, right, base, two)


# Path sums


def conj(d: Dim) -> Term:
    return F(d, -1)


FALSE: list[tuple[Term, Term]] = [
    (Mul(F(r), F(r)), I(r)),
    (Mul(F(r), conj(r)), I(r)),
    (Mul(F(r), F(r)), Sum(((Poly.of(r), Poly.of(0), I(r)),))),
    (negation(r), I(r)),
    (Mul(negation(r), F(r)), F(r)),
    (S(r, s), S(s, r)),
    (S(r, TWO), I(r * 2)),
    (Kron(F(r), I(s)), Kron(I(s), F(r))),
    (Kron(Var("A", r, r), Var("B", r, r)), Kron(Var("B", r, r), Var("A", r, r))),
    (Mul(Var("A", r, r), Var("B", r, r)), Mul(Var("B", r, r), Var("A", r, r))),
    (F(r * s), Mul(Kron(F(r), I(s)), Mul(Kron(I(r), F(s)), S(r, s)))),
    (blocks(r, lambda i: turn(i / 2)), I(r)),
    (blocks(r, lambda i: turn(i * alpha)), I(r)),
    (blocks(r, lambda i: turn(i / r)), blocks(r, lambda i: turn(i * -1 / r))),
    (diagonal((r, r), lambda i, j: i / 3), diagonal((r, r), lambda i, j: j / 3)),
    (diagonal((r,), lambda i: i * i / 3), diagonal((r,), lambda i: i / 3)),
    (Sum(((Poly.of(1), Poly.of(0), I(r)),)), Sum(((Poly.of(-1), Poly.of(0), I(r)),))),
    (Sum(((Poly.of(0), Poly.of(1), I(r)),)), I(r)),
    (Sum(((Poly.of(r), Poly.of(0), I(r)),)), I(r)),
    (Pi(n, "k", "l", F(2 ** (k + l + 1))), Pi(n + 1, "k", "l", F(2 ** (k + l)))),
    (
        blocks(r, lambda i: tower(n, lambda k, l: Kron(F(2 ** (k + l + 1)), turn(i / 3)))),
        blocks(r, lambda i: tower(n, lambda k, l: F(2 ** (k + l + 1)))),
    ),
]


@pytest.mark.parametrize(("left", "right"), FALSE)
def test_a_false_equation_is_refused_and_has_a_counterexample(left: Term, right: Term) -> None:
    with pytest.raises(Refused):
        diag(left, right)
    assert left.shape != right.shape or differ(left, right, Random(0), wanted=9) is not None


TRUE: list[tuple[Term, Term]] = [
    (Mul(F(r), conj(r)), Sum(((Poly.of(r), Poly.of(0), I(r)),))),
    (Mul(negation(r), negation(r)), I(r)),
    (Mul(negation(r), F(r)), conj(r)),
    (Mul(F(r), F(r)), Mul(conj(r), conj(r))),
    (Mul(S(r, s), S(s, r)), I(r * s)),
    (
        Mul(S(r, s), Mul(Kron(Var("A", s, s), Var("B", r, r)), S(s, r))),
        Kron(Var("B", r, r), Var("A", s, s)),
    ),
    (kron(F(r), F(s)), Mul(Kron(F(r), I(s)), Kron(I(r), F(s)))),
    (diagonal((TWO,), lambda i: i * i / 3), diagonal((TWO,), lambda i: i / 3)),
    (blocks(r, lambda i: turn(i * r)), I(r)),
]


@pytest.mark.parametrize(("left", "right"), TRUE)
def test_a_true_equation_is_proved_and_holds_densely(left: Term, right: Term) -> None:
    assert diag(left, right).right == right
    assert differ(left, right, Random(0)) is None


# Random terms


@pytest.mark.long
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_no_false_equation_between_random_terms_is_accepted(seed: int) -> None:
    told = fuzz(seed, 1000)
    assert told.false == 0 and told.pairs == 1000
    assert told.accepted > 200 and told.pairs - told.accepted - told.missed > 200


def test_a_false_acceptance_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutation.wrong_statements.equal", lambda left, right: True)
    assert fuzz(0, 300).false > 50


def test_the_dense_reading_sees_a_wrong_entry() -> None:
    assert compare(F(r), F(r, -1), {"r": 3}, Random(0)) is not None
    assert compare(F(r), F(r, -1), {"r": 2}, Random(0)) is None


def test_the_trusted_part_is_short() -> None:
    """Lines that are not blank; the documentation names these figures."""
    figures = re.search(
        r"\| trusted part \|.*\n.*\n\|.*\| (\d+) \| (\d+) \|\n\|.*\| (\d+) \| (\d+) \|",
        PROOFS.read_text(encoding="utf-8"),
    )
    assert figures is not None
    found = lines(*TRUSTED), lines(*SMALLER)
    assert tuple(map(int, figures.groups())) == (*found[0], *found[1])
    assert sum(found[0]) < 1600 and sum(found[1]) < 850


# Matrices of ones


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Mul(E(r, s), E(s, r)), Sum(((Poly.of(s), Poly.of(0), E(r, r)),))),
        (Kron(E(r, s), E(s, r)), E(r * s, r * s)),
        (E(ONE, ONE), I(ONE)),
        (Mul(Kron(E(ONE, r), I(s)), Kron(E(r, ONE), I(s))), Sum(((Poly.of(r), Poly.of(0), I(s)),))),
    ],
)
def test_ones_are_multiplied_by_path_sums(left: Term, right: Term) -> None:
    assert confirm(diag(left, right), Random(0)) > 0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (E(r, r), I(r)),
        (Mul(E(r, s), E(s, r)), E(r, r)),
        (Mul(F(r), E(r, r)), E(r, r)),
        (E(r, s), E(s, r)),
        (Kron(E(r, ONE), E(ONE, s)), E(s, r)),
        (Mul(E(r, r), E(r, r)), Sum(((Poly.of(s), Poly.of(0), E(r, r)),))),
        (E(TWO, TWO), F(TWO)),
    ],
)
def test_what_is_not_true_of_ones_is_refused(left: Term, right: Term) -> None:
    with pytest.raises(Refused):
        diag(left, right)


@pytest.mark.parametrize("size_", [HALF, 2, Nat.of(2), ONE / r, None, I(r)])
def test_ones_have_whole_sizes(size_: Any) -> None:
    with pytest.raises(Refused):
        E(size_, r)
