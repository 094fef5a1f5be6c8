"""Attacks on the trusted part of the prover: each would prove something false, and is refused."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from proofs.blocks.block_matrices import Equation, Letter, letter, matrix, one, relation, zero
from proofs.blocks.column_induction import Case, Elimination, Obtained
from proofs.blocks.columns import Assumed, Derivation, resized
from proofs.blocks.divisions import Division
from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Hypothesis, assume, instantiate, refl
from proofs.kernel.numbers import Digit, Dim, Nat, Poly, nat, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, F, I, Kron, Mul, Sum, Term, W
from proofs.replay import block_certificates
from proofs.theorems.by_blocks import BlockTheorem
from tests.support.prover_attacks import ATTACKS

# Words and names that become equal


def a_sum_that_vanishes() -> Elimination:
    """T = X S + Y S, written twice: for X = Y both sides say T = 0."""
    X, Y, S, T = (letter(name, "n", "n") for name in "XYST")
    v, row = letter("v", "p", "1"), letter("u", "1", "p")
    kept = (relation(T, X * S + Y * S), relation(X * S, T + Y * S))
    cases = (
        Case(is_so, (("c", ("1", "c")),), (("T", matrix("n", "n", T)),))
        for is_so in (relation(v, zero("p", "1")), relation(row * v, one("1")))
    )
    start = (("T", matrix("n", "n", X * S + Y * S)),)
    return Elimination(
        Letter("C", "p", "c"),
        Letter("v", "p", "1"),
        Letter("u", "1", "p"),
        v,
        (),
        kept,
        ("c",),
        start,
        *cases,
        (),
    )


def every_product_is_zero(assumed: bool = False) -> Derivation:
    """X and Y both renamed to A: were A S + A S taken for A S, A S = 0 would follow from nothing;
    or what it follows from is assumed.
    """
    A, S, T = (letter(name, "n", "n") for name in "AST")
    obtained = Obtained(a_sum_that_vanishes(), (), (("X", "A"), ("Y", "A")))
    given = (relation(A * S, T, "why"), relation(T, zero("n", "n"), "why"))
    wrong = Equation(matrix("n", "n", A * S), matrix("n", "n", 0), given)
    return Derivation((obtained, *([Assumed(given)] if assumed else []), wrong), (wrong,))


def test_words_that_become_equal_by_a_name_cancel() -> None:
    obtained = Obtained(a_sum_that_vanishes(), (), (("X", "A"), ("Y", "A")))
    assert [str(r) for r in obtained.relations] == ["T = 0", "A S = T + A S"]
    apart = Obtained(a_sum_that_vanishes(), (), (("X", "A"), ("Y", "B")))
    assert [str(r) for r in apart.relations] == ["T = A S + B S", "A S = T + B S"]
    with pytest.raises(Refused, match="neither assumed nor proved"):
        every_product_is_zero()


def test_words_that_become_equal_by_a_name_cancel_in_a_certificate() -> None:
    """The same with its assumption, which is left out of the certificate then."""
    proof = every_product_is_zero(assumed=True)
    text: Any = json.loads(
        json.dumps(
            block_certificates.certificate("wrong", BlockTheorem("wrong", "", lambda: proof, ""))
        )
    )
    assert block_certificates.replay(text) == proof
    text["objects"][-1][1].pop(1)
    with pytest.raises(Refused, match="neither assumed nor proved"):
        block_certificates.replay(text)


def test_letters_of_one_name_that_become_equal_by_a_size_are_refused() -> None:
    """Z X and Z X of other sizes are products of other matrices: their sum is not 0 where the sizes
    are one.
    """
    both = letter("Z", "n", "p") * letter("X", "p", "n") + letter("Z", "n", "q") * letter(
        "X", "q", "n"
    )
    with pytest.raises(Refused, match="two letters of one name"):
        resized(both, "q", "p")


# Values of Python


@pytest.mark.parametrize(("kind", "name"), ATTACKS)
def test_an_attack_is_refused(kind: str, name: str) -> None:
    with pytest.raises((Refused, TypeError, AttributeError)):
        ATTACKS[kind, name]()


def test_the_attacks_are_of_every_kind() -> None:
    kinds = Counter(kind for kind, _ in ATTACKS)
    assert len(ATTACKS) >= 20 and min(kinds.values()) >= 2, kinds


def test_what_the_attacks_imitate_is_accepted() -> None:
    """The right neighbours: the same objects, made as they are to be made."""
    n, r = nat("n"), size("r")
    step = instantiate(assume(F(2**n), I(2**n), "n"), n=n + 1)
    assert step.hypotheses and Hypothesis(I(r), F(r), frozenset({"r"})).fixed == frozenset()
    added = kernel_rules.add((Poly.of(1), Poly.of(0), refl(I(r))))
    assert added.left == Sum(((Poly.of(1), Poly.of(0), I(r)),))
    assert Block(Digit("y", size("k")), W(Poly.of(0))).shape == (size("k"), size("k"))
    assert replace(one("n"), rows="m", cols="m") == one("m") and sealed_twice() == sealed_twice()
    assert (
        Division(nat("R"), nat("P"), Nat.of(0), nat("R"), (("P", nat("R") + 1),)).ranges
        == "P = 1 + R"
    )


def sealed_twice() -> Term:
    return Mul(F(Dim.of(6)), Kron(I(Dim.of(2)), F(Dim.of(3), -1)))


def test_equal_objects_are_one_object() -> None:
    assert sealed_twice() is sealed_twice()
    assert Block(Digit("x", Dim.of(2)), W(Poly.of(0))) is Block(
        Digit("y", Dim.of(2)), W(Poly.of(0))
    )


def test_a_size_may_be_called_as_a_rule_calls_its_theorem() -> None:
    for name in ("theorem", "values", "self", "key", "cls", "kind", "given", "lambda"):
        assert instantiate(refl(I(size(name))), **{name: Dim.of(2)}).left == I(Dim.of(2))
