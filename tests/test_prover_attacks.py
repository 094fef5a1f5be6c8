"""Attacks on the trusted part of the prover: each would prove something false, and is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proofs import block_replay
from proofs.blocks import Equation, Letter, Refused, letter, matrix, one, relation, zero
from proofs.columns import Case, Derivation, Elimination, Obtained, resized
from proofs.theorems.smaller import BlockTheorem

# Words and names that become equal


def a_sum_that_vanishes() -> Elimination:
    """T = X S + Y S, written twice: for X = Y both sides say T = 0."""
    X, Y, S, T = (letter(name, "n", "n") for name in "XYST")
    v, row = letter("v", "p", "1"), letter("u", "1", "p")
    kept = (relation(T, X * S + Y * S), relation(X * S, T + Y * S))
    cases = (Case(is_so, (("c", ("1", "c")),), (("T", matrix("n", "n", T)),)) for is_so in (relation(v, zero("p", "1")), relation(row * v, one("1"))))
    start = (("T", matrix("n", "n", X * S + Y * S)),)
    return Elimination(Letter("C", "p", "c"), Letter("v", "p", "1"), Letter("u", "1", "p"), v, (), kept, ("c",), start, *cases, ())


def every_product_is_zero() -> Derivation:
    """X and Y both renamed to A: were A S + A S taken for A S, A S = 0 would follow from nothing."""
    A, S, T = (letter(name, "n", "n") for name in "AST")
    obtained = Obtained(a_sum_that_vanishes(), (), (("X", "A"), ("Y", "A")))
    wrong = Equation(matrix("n", "n", A * S), matrix("n", "n", 0), (relation(A * S, T), relation(T, zero("n", "n"))))
    return Derivation((obtained, wrong), (wrong,))


def test_words_that_become_equal_by_a_name_cancel() -> None:
    obtained = Obtained(a_sum_that_vanishes(), (), (("X", "A"), ("Y", "A")))
    assert [str(r) for r in obtained.relations] == ["T = 0", "A S = T + A S"]
    apart = Obtained(a_sum_that_vanishes(), (), (("X", "A"), ("Y", "B")))
    assert [str(r) for r in apart.relations] == ["T = A S + B S", "A S = T + B S"]
    with pytest.raises(Refused, match="neither assumed nor proved"):
        every_product_is_zero()


def test_words_that_become_equal_by_a_name_cancel_in_a_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate is written where nothing is checked of a derivation."""
    with monkeypatch.context() as unchecked:
        unchecked.setattr(Derivation, "__post_init__", lambda self: None)
        proof = every_product_is_zero()
    text: Any = json.loads(json.dumps(block_replay.certificate("wrong", BlockTheorem("wrong", "", lambda: proof))))
    with pytest.raises(Refused, match="neither assumed nor proved"):
        block_replay.replay(text)


def test_letters_of_one_name_that_become_equal_by_a_size_are_refused() -> None:
    """Z X and Z X of other sizes are products of other matrices: their sum is not 0 where the sizes are one."""
    both = letter("Z", "n", "p") * letter("X", "p", "n") + letter("Z", "n", "q") * letter("X", "q", "n")
    with pytest.raises(Refused, match="two letters of one name"):
        resized(both, "q", "p")
