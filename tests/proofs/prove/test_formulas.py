"""Equations of one's own for all sizes: what is proved, what is refuted at which sizes, and what is
left undecided.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product
from math import lcm
from pathlib import Path
from random import Random

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.meaning import check as check_program
from codegen.program.resolve import resolve
from derive.exact.action import act
from derive.exact.complexes import entry
from derive.exact.measures import order as order_of_roots
from derive.exact.residues import Residues
from derive.fields import RootField
from derive.formula.grammar import Equation
from derive.formula.transforms import F
from derive.text.elaborate import check as check_text
from derive.text.elaborate import decided as compare
from derive.text.elaborate import formula
from derive.text.expressions import FormulaError, NotWhole, value
from derive.text.parse import parse, parse_formula, parse_relations
from derive.verdict import Checked, Proved, Refuted, Undecided, Verdict, holds
from proofs.certify.program import certify
from proofs.kernel.terms import free
from proofs.prove.claimed import claim_of
from proofs.prove.equation_proofs import Answer, decide_for_all
from proofs.prove.sizes.small_values import ALPHAS
from proofs.prove.small_sizes import EVERY_ENTRY, MOST_LARGER
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.translate import Translated, translate
from proofs.replay import certificate_steps as replay
from proofs.replay.claimed_theorems import check_claim
from proofs.replay.export import own, own_certificate
from proofs.show.document import document
from tests.mutation.dense import Field, confirm, dense, order, prime, rational, root_of_unity
from tests.support.commands import Command
from tests.support.programs import spec_of

pytestmark = pytest.mark.sampled(16)


def decided(text: str, where: str = "") -> Answer:
    return decide_for_all(parse(text), parse_relations(where))


COOLEY_TUKEY = "F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)"
PROVED = [
    (COOLEY_TUKEY, ""),
    ("F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)", ""),
    ("F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)", "N = r*s, r >= 2"),
    ("F(r*s) = L(r*s,r) * I(s) (x) F(r) * L(r*s,s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", ""),
    ("F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)", ""),
    ("F(2^n) = prod(k,1,n, A(2^(n-k+1),2^n)) * R(2^n)", ""),
    ("F(2^n) = R(2^n) * prod(k,1,n, transpose(A(2^k,2^n)))", ""),
    ("inv(prod(k,0,n-1, I(2^k) (x) B(2^(n-k)))) = R(2^n) * inv(F(2^n))", ""),
    (
        (
            "F(r^n) = prod(k,0,n-1, I(r^k) (x) (F(r) (x) I(r^(n-1-k)) * T(r^(n-k), r^(n-k-1)))) *"
            " prod(k,0,n-1, I(r^(n-1-k)) (x) L(r^(k+1),r))"
        ),
        "n >= 1",
    ),
    ("F(4*h) = D(4*h) * I(4) (x) F(h) * L(4,2) (x) I(h) * L(4*h,4)", ""),
    ("H(2*h) = BH(2*h) * I(2) (x) H(h) * L(2*h,2)", ""),
    ("H(2^n) = prod(k,0,n-1, I(2^k) (x) BH(2^(n-k))) * R(2^n)", ""),
    ("H(N) * H(N) = F(N) * conj(F(N))", ""),
    ("F(N) * inv(F(N)) = I(N)", ""),
    ("J(N) * J(N) = I(N)", ""),
    ("R(N) * R(N) = I(N)", ""),
    ("R(2^(m+n)) = L(2^(m+n),2^n) * R(2^m) (x) R(2^n)", ""),
    ("L(r*s*t, r*s) = L(r*s*t, r) * L(r*s*t, s)", ""),
    ("T(2*h,h) = I(h) (+) Omega(h)", ""),
    ("inv(Gamma(u,p,N)) = Gamma(N/p,N/u,N)", ""),
    ("AHat(k,u,p,N) = I(p/u) (x) ButterflySum(k,N/p,u)", ""),
    ("S(u,u*n) * A(k*u,u*n,a) * inv(S(u,u*n)) = S(u,u*n) * A(k*u,u*n,a) * L(u*n,n)", "k = 2*h"),
    ("prod(k,1,3, F(N)) = F(N) * F(N) * F(N)", ""),
]
WHT = "prod(k,0,n-1, I(2^k) (x) F(2) (x) I(2^(n-1-k)))"
RADIX_2 = "(prod(k,0,{0}-1, I(2^k) (x) {1}(2^({0}-k))) * R(2^{0}))"
PEASE = (
    "L(2^n,2) * I(2^(n-1)) (x) F(2) * (L(2^n,2^(n-k-1)) * I(2^k) (x) T(2^(n-k),2^(n-k-1)) *"
    " L(2^n,2^(k+1)))"
)
SHUFFLES = [
    ("prod(k,1,n, L(2^n,2)) = I(2^n)", ""),
    ("prod(k,1,n, L(r^n,r)) = I(r^n)", ""),
    ("prod(k,1,n, L(2^n,2^(n-1))) = I(2^n)", "n >= 1"),
    ("prod(k,1,n, L(2^(m*n),2^m)) = I(2^(m*n))", "m >= 1"),
    ("prod(k,1,m, L(2^(m+n),2)) = L(2^(m+n),2^m)", ""),
    ("prod(k,1,m+n, L(2^(m+n),2)) = I(2^(m+n))", ""),
    ("prod(k,1,2*n, L(4^n,2)) = I(4^n)", ""),
    ("prod(k,1,2*n+1, L(2^(2*n+1),2)) = I(2^(2*n+1))", ""),
    ("prod(k,1,m, L(2^n,2)) = L(2^n,2^m)", "n >= m"),
    ("prod(k,1,n-m, L(2^n,2)) = L(2^n,2^(n-m))", "m <= n"),
    (f"prod(k,1,n, L(2^n,2) * I(2^(n-1)) (x) F(2)) = {WHT}", ""),
    (f"prod(k,1,n, I(2^(n-1)) (x) F(2) * L(2^n,2)) = {WHT}", ""),
    (f"prod(k,1,n, L(2^n,2^(n-1)) * F(2) (x) I(2^(n-1))) = {WHT}", "n >= 1"),
    (
        (
            "prod(k,1,n, L(r^n,r) * I(r^(n-1)) (x) F(r)) = prod(k,0,n-1, I(r^k) (x) F(r) (x)"
            " I(r^(n-1-k)))"
        ),
        "",
    ),
    (f"F(2^n) = prod(k,0,n-1, {PEASE}) * R(2^n)", ""),
]
TWO_EXPONENTS = [
    (f"F(2^m) (x) F(2^n) = {RADIX_2.format('m', 'B')} (x) {RADIX_2.format('n', 'B')}", ""),
    (
        (
            "F(2^m) (x) F(2^n) = prod(k,0,m-1, I(2^k) (x) B(2^(m-k)) (x) I(2^n)) * prod(k,0,n-1,"
            " I(2^(m+k)) (x) B(2^(n-k))) * R(2^m) (x) R(2^n)"
        ),
        "",
    ),
    (f"H(2^m) (x) H(2^n) = {RADIX_2.format('m', 'BH')} (x) {RADIX_2.format('n', 'BH')}", ""),
    (f"{WHT.replace('n', '(m+n)')} = {WHT.replace('n', 'm')} (x) {WHT}", ""),
    ("R(2^(m+n)) = L(2^(m+n),2^n) * R(2^m) (x) I(2^n) * I(2^m) (x) R(2^n)", ""),
    ("R(4^n) = L(4^n,2^n) * R(2^n) (x) R(2^n)", ""),
    (
        (
            "F(2^(m+n)) = prod(k,0,m-1, I(2^k) (x) B(2^(m+n-k))) * I(2^m) (x) F(2^n) * R(2^m) (x)"
            " I(2^n) * L(2^(m+n),2^m)"
        ),
        "",
    ),
    (
        "F(2^(m+n)) = prod(k,0,m-1, I(2^k) (x) B(2^(m+n-k))) * R(2^m) (x) F(2^n) * L(2^(m+n),2^m)",
        "",
    ),
    ("F(4^n) = prod(k,0,2*n-1, I(2^k) (x) B(2^(2*n-k))) * R(4^n)", ""),
    ("F(4^n) = prod(k,1,2*n, A(2^(2*n-k+1),4^n)) * R(4^n)", ""),
    (
        "F(2^n) = F(2^m) (x) I(2^(n-m)) * T(2^n,2^(n-m)) * I(2^m) (x) F(2^(n-m)) * L(2^n,2^m)",
        "n >= m",
    ),
    (
        (
            "F(2^n) = prod(k,0,m-1, I(2^k) (x) B(2^(n-k))) * I(2^m) (x) F(2^(n-m)) * R(2^m) (x)"
            " I(2^(n-m)) * L(2^n,2^m)"
        ),
        "n >= m",
    ),
    (
        (
            "F(2^n) = prod(k,0,m-1, I(2^k) (x) B(2^(n-k))) * prod(k,m,n-1, I(2^k) (x) B(2^(n-k))) *"
            " R(2^n)"
        ),
        "n > m",
    ),
]
SIDE_BY_SIDE = [
    ("I(r) (x) I(s) = I(s) (x) I(r)", ""),
    ("F(r) (x) I(s) (x) I(t) = F(r) (x) I(t) (x) I(s)", ""),
    ("L(r*s,r) (x) I(t) * L(r*s,s) (x) I(t) = I(t) (x) I(r*s)", ""),
    ("R(2^n) * T(2^n,2) * R(2^n) = R(2^n) * R(2^n) * R(2^n) * T(2^n,2) * R(2^n)", "n >= 1"),
    ("R(2^n) * R(2^n) * R(2^n) = R(2^n)", ""),
    ("R(2^n) * L(2^n,2) * R(2^n) = L(2^n,2^(n-1))", "n >= 1"),
    ("F(2^n) (x) F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k)) (x) I(2^n)) * R(2^n) (x) F(2^n)", ""),
    ("F(2^n) (x) I(4^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k)) (x) I(4^n)) * R(2^n) (x) I(4^n)", ""),
    ("I(2^n) (x) F(2^n) = prod(k,0,n-1, I(2^(n+k)) (x) B(2^(n-k))) * I(2^n) (x) R(2^n)", ""),
]
UP, DOWN = (
    "prod(k,0,n-1, I({0}^k) (x) F({0}) (x) I({0}^(n-1-k)))",
    "prod(k,0,n-1, I({0}^(n-1-k)) (x) F({0}) (x) I({0}^k))",
)
IN_REVERSE = [
    (f"{UP.format('r')} = {DOWN.format('r')}", ""),
    (f"prod(k,0,n-1, L(2^n,2^(n-1)) * I(2^(n-1)) (x) F(2)) = {UP.format(2)}", ""),
    (f"prod(k,0,n-1, F(2) (x) I(2^(n-1)) * L(2^n,2^(n-1))) = {UP.format(2)}", ""),
    (f"prod(k,0,n-1, L(2^n,2) * F(2) (x) I(2^(n-1))) = {DOWN.format(2)}", ""),
    (f"prod(k,0,n-1, L(r^n,r^(n-1)) * I(r^(n-1)) (x) F(r)) = {UP.format('r')}", ""),
    (f"prod(k,0,n-1, I(r^(n-1)) (x) F(r) * L(r^n,r)) = {DOWN.format('r')}", ""),
]
FROM_A_BOUND_ON = [
    ("L(256*m,256) * L(256*m,m) = I(256*m)", ""),
    ("F(2^(n+8)) = F(256) (x) I(2^n) * T(2^(n+8),2^n) * I(256) (x) F(2^n) * L(2^(n+8),256)", ""),
    ("F(2^n) = F(2) (x) I(2^(n-1)) * T(2^n,2^(n-1)) * I(2) (x) F(2^(n-1)) * L(2^n,2)", "n >= 8"),
    ("F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)", "n >= 8"),
    ("prod(k,1,m, L(2^n,2)) = L(2^n,2^m)", "n >= m, m >= 8"),
]
REVERSED = [
    ("J(r*s) = J(r) (x) J(s)", ""),
    ("J(r*s) = J(s) (x) J(r)", ""),
    ("J(2^(m+n)) = J(2^m) (x) J(2^n)", ""),
    ("J(r^n) = prod(k,0,n-1, I(r^k) (x) J(r) (x) I(r^(n-1-k)))", ""),
    ("R(2^n) * J(2^n) = J(2^n) * R(2^n)", ""),
    ("L(r*s,r) * J(r*s) = J(r*s) * L(r*s,r)", ""),
    ("L(r*s,r) * J(r) (x) J(s) = J(r*s) * L(r*s,r)", ""),
    ("L(2^(m+n),2^m) * J(2^(m+n)) = J(2^(m+n)) * L(2^(m+n),2^m)", ""),
]
POWERS_AND_SUMS = [
    ("F(N)^4 = N^2 * I(N)", ""),
    ("H(N)^2 = N * I(N)", ""),
    ("H(N) = 1/2 * (F(N) + conj(F(N))) + i/2 * (F(N) - conj(F(N)))", ""),
    ("conj(F(N)) = 1/N * F(N)^3", ""),
    ("L(r^n,r)^n = I(r^n)", ""),
    ("(I(2) (x) F(2))^n = I(2) (x) F(2)^n", ""),
    ("F(2)^(m+n) = F(2)^m * F(2)^n", ""),
    ("inv(i * F(N)) = -i * inv(F(N))", ""),
    ("transpose(T(r*s,s) * F(r*s) - 2 * L(r*s,r)) = F(r*s) * T(r*s,s) - 2 * L(r*s,s)", ""),
    ("F(N)^(-2) = 1/N^2 * F(N)^2", ""),
]


@pytest.mark.sampled(16)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(
    ("text", "where"),
    PROVED + SHUFFLES + TWO_EXPONENTS + REVERSED + SIDE_BY_SIDE + IN_REVERSE + POWERS_AND_SUMS,
)
def test_true_equations_are_proved_for_all_sizes(text: str, where: str) -> None:
    answer = decided(text, where)
    assert isinstance(answer.verdict, Proved), answer.verdict
    assert answer.theorem is not None
    assert answer.tried >= 3
    assert not answer.theorem.hypotheses
    assert confirm(answer.theorem, Random(0)) > 0


@pytest.mark.long
@pytest.mark.parametrize(("text", "where"), IN_REVERSE[2:4])
def test_products_of_F_and_shuffles_have_documents(text: str, where: str) -> None:
    """F_2 beside I, before a shuffle, in every factor: its size has the bound numbers of the
    product, and it is no Hartley butterfly.
    """
    shown = document([own(parse(text), where, decided(text, where))], latex=False)
    assert "Induction on n" in shown


@pytest.mark.parametrize(("text", "where"), FROM_A_BOUND_ON)
def test_true_equations_of_large_matrices_are_proved(text: str, where: str) -> None:
    """They are compared by random vectors, from 256 rows on."""
    answer = decided(text, where)
    assert isinstance(answer.verdict, Proved) and answer.theorem is not None and answer.tried >= 3
    steps = json.loads(own_certificate(parse(text), where, answer.theorem, claim=answer.claim))
    assert replay.replay(steps).right == answer.theorem.right
    assert check_claim(steps, answer.theorem)[0] == ""


@pytest.mark.long
def test_towers_that_grow_by_two_factors_are_opened_twice() -> None:
    """Four by four: the bit reversal of 2 n bits grows by two stages where the butterflies grow by
    one; a wrong one is refuted.
    """
    text = "F(4^n) = prod(k,0,n-1, I(4^k) (x) {}(4^(n-k))) * R(4^n)"
    answer = decided(text.format("D"))
    assert (
        isinstance(answer.verdict, Proved)
        and answer.theorem is not None
        and confirm(answer.theorem, Random(0)) > 0
    )
    assert isinstance(decided(text.format("B")).verdict, Refuted)


def test_a_proof_is_replayed_from_its_certificate_and_a_changed_step_is_refused(
    tmp_path: Path,
) -> None:
    answer = decided("F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)")
    assert answer.theorem is not None
    text = replay.certificate("formula", answer.theorem)
    found = replay.replay(json.loads(json.dumps(text)))
    assert (found.left, found.right) == (answer.theorem.left, answer.theorem.right)
    file = tmp_path / "proof.json"
    text["steps"][-1]["left"] = text["steps"][-1]["right"]
    file.write_text(json.dumps(text))
    done = subprocess.run(
        [sys.executable, "-m", "proofs.replay", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "refused" in done.stderr) == (1, True)


REFUTED = [
    (
        f"prod(k,0,n-1, L(3^n,3) * I(3^(n-1)) (x) T(3,1)) * L(3^n,3) = {UP.format(3)}",
        "n >= 1",
        {"n": 1},
    ),
    (
        f"prod(k,1,n, L(2^n,2^(n-1)) * I(2^(n-1)) (x) F(2)) * L(2^n,2) = {UP.format(2)}",
        "n >= 1",
        {"n": 2},
    ),
    ("F(r*s) = F(r) (x) I(s) * T(r*s,r) * I(r) (x) F(s) * L(r*s,r)", "", {"r": 2, "s": 3}),
    ("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,s)", "", {"r": 2, "s": 3}),
    ("F(r*s) = F(r) (x) I(s) * I(r) (x) F(s) * L(r*s,r)", "", {"r": 2, "s": 2}),
    ("F(r*s) = F(r) (x) I(s) * I(r) (x) F(s) * L(r*s,r)", "r >= 3", {"r": 3, "s": 2}),
    ("F(r*s) = F(r) (x) I(s) * conj(T(r*s,s)) * I(r) (x) F(s) * L(r*s,r)", "", {"r": 2, "s": 2}),
    ("F(r*s) = conj(F(r)) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", "", {"r": 3, "s": 1}),
    ("F(r*s) = I(r) (x) F(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", "", {"r": 1, "s": 2}),
    ("F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k)))", "", {"n": 2}),
    ("F(2^n) = prod(k,0,n-1, B(2^(k+1)) (x) I(2^(n-1-k))) * R(2^n)", "", {"n": 2}),
    ("F(2^n) = prod(k,1,n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)", "n >= 1", {"n": 2}),
    ("F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k), 1/2)) * R(2^n)", "", {"n": 1}),
    ("R(2^n) = prod(k,1,n, L(2^n,2))", "", {"n": 2}),
    ("H(2*h) = BH(2*h) * I(2) (x) H(h)", "", {"h": 2}),
    ("H(N) = F(N)", "", {"N": 3}),
    ("R(2^n) = L(2^n, 2)", "n >= 1", {"n": 3}),
    (
        "I(2^n) = L(2^n, 2^(n-1)) * L(2^n, 2^(n-1)) * L(2^n, 2^(n-1)) * L(2^n, 2^(n-1))",
        "n >= 1",
        {"n": 3},
    ),
    ("L(32*s, 2*s) = L(32*s, 4*s) * L(32*s, 16)", "", {"s": 2}),
    ("prod(k,1,n, L(2^n,2)) = L(2^n,2)", "n >= 1", {"n": 2}),
    ("prod(k,1,m, L(2^(m+n),2)) = L(2^(m+n),2^n)", "", {"m": 1, "n": 2}),
    ("prod(k,1,2*n, L(4^n,2)) = L(4^n,2^n)", "", {"n": 1}),
    ("prod(k,1,m, L(2^n,2)) = L(2^n,2^(n-m))", "n >= m", {"m": 1, "n": 3}),
    (f"prod(k,1,n, L(2^n,2) * I(2^(n-1)) (x) F(2)) * L(2^n,2) = {WHT}", "n >= 1", {"n": 2}),
    (f"F(2^n) = prod(k,0,n-1, {PEASE.replace('k+1', 'k')}) * R(2^n)", "", {"n": 2}),
    (f"F(2^n) = prod(k,0,n-1, {PEASE})", "", {"n": 2}),
    (
        "F(2^(m+n)) = prod(k,0,m-1, I(2^k) (x) B(2^(m+n-k))) * I(2^m) (x) F(2^n) * L(2^(m+n),2^m)",
        "",
        {"m": 2, "n": 0},
    ),
    (
        "F(2^(m+n)) = prod(k,0,m-1, I(2^k) (x) B(2^(m+n-k))) * R(2^m) (x) F(2^n) * L(2^(m+n),2^n)",
        "",
        {"m": 1, "n": 2},
    ),
    ("R(2^(m+n)) = R(2^n) (x) R(2^m) * L(2^(m+n),2^m)", "", {"m": 1, "n": 2}),
    ("J(r*s) = J(r) (x) I(s)", "", {"r": 1, "s": 2}),
    ("R(2^n) * J(2^n) = R(2^n)", "", {"n": 1}),
    ("L(r*s,r) * J(r*s) = J(r*s) * L(r*s,s)", "", {"r": 2, "s": 3}),
    ("J(r^n) = prod(k,0,n-1, J(r^k) (x) I(r^(n-k)))", "", {"n": 1, "r": 2}),
    ("H(N) = 1/2 * (F(N) + conj(F(N))) - i/2 * (F(N) - conj(F(N)))", "", {"N": 3}),
    ("A : m x m, B : n x n; A (x) B = L(m*n,n) * B (x) A * L(m*n,m)", "", {"m": 2, "n": 3}),
    ("A : m x n, B : p x q; A (x) B = L(m*p,p) * B (x) A * L(n*q,q)", "", None),
    ("A, B : n x n; (A + B)^2 = A^2 + 2 * A*B + B^2", "", {"n": 2}),
    ("A : m x m; A^(k+l) = A^k * A^k", "", None),
    ("conj(F(N)) = 1/N * F(N)^2", "", {"N": 2}),
    ("F(N)^4 = N * I(N)", "", {"N": 2}),
    ("L(r^n,r)^(n+1) = I(r^n)", "", {"n": 2, "r": 2}),
    ("inv(i * F(N)) = i * inv(F(N))", "", {"N": 1}),
    ("F(N) + J(N) = F(N) - J(N)", "", {"N": 1}),
    ("F(130) = I(130)", "", {}),
    ("F(256) = F(16) (x) I(16) * T(256,16) * I(16) (x) F(16) * L(256,64)", "", {}),
    ("L(131*m,131) = I(131*m)", "", {"m": 2}),
    ("L(256*m,256) * L(256*m,256) = I(256*m)", "", {"m": 2}),
    (
        "F(2^(n+8)) = F(256) (x) I(2^n) * T(2^(n+8),256) * I(256) (x) F(2^n) * L(2^(n+8),256)",
        "",
        {"n": 1},
    ),
    ("T(2^n,2) = I(2^n)", "n >= 8", {"n": 8}),
    ("F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k)))", "n >= 8", {"n": 8}),
    ("prod(k,1,14, prod(j,1,15, prod(l,1,2, L(2^n,2)))) = I(2^n)", "", {"n": 8}),
    ("F(r) (x) I(s) (x) I(t) = I(t) (x) F(r) (x) I(s)", "", {"r": 2, "s": 1, "t": 2}),
    ("R(2^n) * R(2^n) * R(2^n) = I(2^n)", "", {"n": 2}),
    ("R(2^n) * L(2^n,2) * R(2^n) = L(2^n,2)", "n >= 1", {"n": 3}),
    (
        "F(2^n) (x) F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k)) (x) I(2^n)) * F(2^n) (x) R(2^n)",
        "",
        {"n": 1},
    ),
    ("R(8) * L(8,2) * R(8) = L(8,2)", "", {}),
]


@pytest.mark.parametrize(("text", "where", "values"), REFUTED)
def test_false_equations_are_refuted_at_the_smallest_sizes(
    text: str, where: str, values: dict[str, int] | None
) -> None:
    answer = decided(text, where)
    assert isinstance(answer.verdict, Refuted), answer.verdict
    assert values is None or answer.values == values


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "where"),
    [
        pytest.param("transpose(BH(2*h)) * BH(2*h) = 2 * I(2*h)", "", marks=pytest.mark.slow),
        (
            "let W(n) = F(2) (x) I(2^(n-1)) * (W(n-1) (+) W(n-1)), W(0) = I(1);"
            " W(n)^2 = 2^n * I(2^n)",
            "",
        ),
    ],
)
def test_what_the_engine_does_not_reach_is_undecided(text: str, where: str) -> None:
    """True, all of them."""
    answer = decided(text, where)
    assert isinstance(answer.verdict, Undecided)
    assert not holds(answer.verdict)
    assert answer.theorem is None


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(5) * I(2) = sum(k < 5, diag(j < 2, k^2/5))",
        "sqrt(5) * F(2) = sum(k < 5, diag(j < 2, k^2/5)) * F(2)",
    ],
)
def test_an_equation_without_symbols_is_checked(text: str) -> None:
    """Every entry is compared, so that nothing is left open; a wrong one is refuted."""
    answer = decided(text)
    assert isinstance(answer.verdict, Checked) and holds(answer.verdict) and answer.theorem is None
    assert answer.verdict.error == 0 and "exactly" in answer.verdict.evidence
    left, _, _ = text.partition(" = ")
    rows = formula(parse_formula(left), {}).size
    assert isinstance(decided(f"{left} = J({rows})").verdict, Refuted)


@pytest.mark.long
def test_what_is_compared_by_random_vectors_says_so() -> None:
    """1800 rows, of sums of roots of unity: too many entries for a table in many fields."""
    verdict = decided(
        "(I(800) (+) F(1000)) * (I(800) (+) F(1000)) = I(800) (+) (F(1000) * F(1000))"
    ).verdict
    assert (
        isinstance(verdict, Checked)
        and 0 < verdict.error <= 2**-32
        and "false with probability at most" in verdict.evidence
    )
    assert isinstance(
        decided("(I(800) (+) F(1000)) * (I(800) (+) F(1000)) = I(800) (+) F(1000)").verdict, Refuted
    )


@pytest.mark.long
def test_a_search_that_goes_too_deep_leaves_an_equation_undecided() -> None:
    """2520 = lcm(1, ..., 10) shuffles are I up to n = 10, and 2520 nested factors too many for the
    search.
    """
    shuffles = "prod(k,1,14, prod(j,1,15, prod(l,1,12, L(2^n,2))))"
    verdict = decided(f"{shuffles} (x) I(m) = I(2^n*m)", "n <= 10").verdict
    assert isinstance(verdict, Undecided)
    assert verdict.reason.endswith("; its products are nested too deeply for the search")


@pytest.mark.long
def test_sides_that_are_the_same_are_not_compared_at_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sums of roots of unity are added up to 32 rows only, and the larger matrices that are tried
    are few.
    """
    sizes: list[int] = []

    def counted(stated: Equation, seed: int = 0, entries: int | None = None) -> Verdict:
        assert entries == EVERY_ENTRY
        sizes.append(stated.left.size)
        return compare(stated, seed, entries)

    monkeypatch.setattr("proofs.prove.small_sizes.decided", counted)
    assert isinstance(
        decided("F(N) * L(N,r) * F(N) = F(N) * L(N,r) * F(N)", "N = r*s").verdict, Proved
    )
    assert sum(size > EVERY_ENTRY for size in sizes) <= MOST_LARGER < len(sizes)
    F64 = Equation("", "", F(64) @ F(64), F(64) @ F(64))
    verdict = compare(F64, entries=EVERY_ENTRY)
    assert isinstance(verdict, Checked) and verdict.error > 0


def test_a_search_ends_after_so_many_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "prod(k,1,n, L(2^n,2)) = I(2^n)"
    monkeypatch.setattr("proofs.prove.proof_search.MOST_GUESSES", 0)
    assert isinstance(decided(text).verdict, Undecided)
    monkeypatch.undo()
    assert isinstance(decided(text).verdict, Proved)


@pytest.mark.parametrize(
    ("where", "symbols"),
    [
        ("n >= m", {"n": "n+m"}),
        ("n > m", {"n": "n+m+1"}),
        ("m <= n, m >= 2", {"m": "m+2", "n": "n+m+2"}),
        ("n >= m, m >= n", {"n": "n"}),
    ],
)
def test_a_natural_above_another_is_a_sum(where: str, symbols: dict[str, str]) -> None:
    """A circle of conditions puts nothing in."""
    sides = parse("I(2^n) (x) I(2^m) = I(2^m) (x) I(2^n)")
    found, _ = claim_of(sides, parse_relations(where))
    assert dict(found.symbols.replaced) == {
        name: value for name, value in symbols.items() if name != value
    }


def test_the_symbol_that_a_bit_reversal_brings_is_no_other_one() -> None:
    """R(N) stands for N = 2^n with a new n, also where the text has a symbol of that name."""
    assert isinstance(decided("R(N) (x) I(2^lg_N) = R(N) (x) I(2^lg_N)").verdict, Proved)
    assert isinstance(
        decided(
            "I(N) (x) F(2^lg_N) * R(N) (x) I(2^lg_N) = I(2^lg_N) (x) F(N) * R(N) (x) I(2^lg_N)"
        ).verdict,
        Refuted,
    )


@pytest.mark.parametrize(
    ("text", "where"), SHUFFLES + TWO_EXPONENTS + REVERSED + SIDE_BY_SIDE + FROM_A_BOUND_ON
)
def test_no_mutant_of_a_harder_equation_is_proved(text: str, where: str) -> None:
    """One size or matrix changed: refused, refuted, or confirmed at numbers of its own."""
    changes = (
        ("2^m)", "2^n)"),
        ("k+1", "k"),
        ("n-k", "n-k+1"),
        ("F(2)", "I(2)"),
        ("L(2^n,2)", "L(2^n,2^(n-1))"),
        ("R(", "J("),
        ("J(r", "I(r"),
    )
    made = 0
    for old, new in changes:
        head, found, tail = text.rpartition(old)
        if not found:
            continue
        made += 1
        try:
            answer = decided(f"{head}{new}{tail}", where)
        except FormulaError:
            continue
        if answer.theorem is not None:
            assert confirm(answer.theorem, Random(2)) > 0
    assert made or "L(" in text or "J(" in text or "I(s)" in text


def test_a_sum_of_sizes_is_a_letter_or_the_equation_is_undecided_not_refused() -> None:
    assert decided("I(n) (+) F(m) = (I(n) (+) F(m)) * I(n + m)").theorem
    assert decided("I(m) (+) I(n) = I(n + m)").theorem
    found = decided("E(2*m+2*n, 1) = E(2*n+2*m, 1) * E(1, 1)")
    assert found.symbols == (("m", "M-n"),)
    answer = decided("E(2^n+1, 1) = E(1+2^n, 1)")
    assert isinstance(answer.verdict, Undecided)
    assert "sums of sizes" in answer.verdict.reason or "direct sums" in answer.verdict.reason


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        (
            "F(r) * F(s) = F(r)",
            "",
            "column 8: the 1 column of F(r) meets the 2 rows of F(s) at r = 1, s = 2; in a",
        ),
        ("I(1/2) * F(n) = F(n)", "", "no values"),
        ("F(n) = F(n)", "m >= 1", "where: unknown symbol m"),
        ("F(n) = F(n)", "m = 3", "where: unknown symbol m; the symbols of the equation are n"),
        ("F(n) = F(n)", "m = 3, n >= m", "where: unknown symbol m"),
        (
            "I(4) = I(2) (x) I(2)",
            "m = 3",
            "where: unknown symbol m; the symbols of the equation are none",
        ),
        ("F(n) = F(n)", "n ! 1", "'!'"),
        ("F(0) = F(0)", "", "column 3: 0: the sizes in F(0) are integers, at least 1"),
        ("F(2^100000000) = F(2^100000000)", "", "exponents are integers up to 64"),
        ("F(N) = F(N)", "N = 1/0", "where, column 5: 1/0 divides by 0"),
        ("F(N/0) = F(N)", "", "column 3: N/0 divides by 0 at N = 1"),
        ("F(n) = I(n/(n-n))", "", "divides by 0"),
    ],
)
def test_wrong_input_is_refused_in_one_line(text: str, where: str, why: str) -> None:
    with pytest.raises(FormulaError) as caught:
        decided(text, where)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "proposed", "proved"),
    [
        (
            "AHat(k,u,p,N) = Gamma(u,p,N) * A(k*u,N) * inv(Gamma(u,p,N))",
            "k = 2*h or u = 2*h",
            ["k = 2*h"],
        ),
        ("I(r*s/2) = I(r*s/2)", "r = 2*h or s = 2*h", ["r = 2*h", "s = 2*h"]),
        ("I(r*s/(2*t)) = I(r*s/(2*t))", "r = 2*t*h or s = 2*t*h", ["r = 2*t*h"]),
        ("I(2^(m+n-1)) = I(2^(m+n-1))", "m >= 1 or n >= 1", ["m >= 1", "n >= 1"]),
        ("I(2^(m+n-k)) = I(2^(m+n-k))", "m >= k or n >= k", ["n >= k"]),
        ("I(r^n*s/2) = I(r^n*s/2)", "s = 2*h", ["s = 2*h"]),
    ],
)
def test_conditions_that_would_help_are_proposed(
    text: str, proposed: str, proved: list[str]
) -> None:
    found = decided(text).verdict
    assert isinstance(found, Undecided) and found.reason.endswith(f"such as where {proposed}")
    for where in proved:
        assert isinstance(decided(text, where).verdict, Proved)


@pytest.mark.parametrize(
    ("text", "where", "sizes"),
    [
        ("F(n) = conj(F(n))", "n <= 2", 2),
        ("F(n) = conj(F(n))", "n < 3, 4 > n, n > 0", 2),
        ("transpose(BH(2*h)) * BH(2*h) = 2 * I(2*h)", "4 >= h, h >= 3", 2),
        ("perm(j < m*n, j+n)^m = I(m*n)", "n <= 3, m <= 2", 6),
        ("perm(j < N/3, j+1)^(N/3) = I(N/3)", "N <= 12", 4),
    ],
)
def test_an_equation_at_finitely_many_sizes_is_checked_where_it_is_not_proved(
    text: str, where: str, sizes: int
) -> None:
    answer = decided(text, where)
    assert (
        isinstance(answer.verdict, Checked) and answer.verdict.error == 0 and answer.tried == sizes
    )
    assert answer.verdict.evidence == f"all {sizes} sizes that the conditions allow"


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("perm(j < m*n, j+n)^m = I(m*n)", "n <= 3"),
        ("perm(j < m*n, j+n)^m = I(m*n)", "n <= 3, m <= n"),
    ],
)
def test_an_equation_of_which_sizes_are_left_stays_undecided(text: str, where: str) -> None:
    assert isinstance(decided(text, where).verdict, Undecided)


@pytest.mark.parametrize("where", ["n >= 20", "n >= 1, n < 1", "2^n = 3"])
def test_conditions_that_no_value_fulfils_leave_an_equation_undecided(where: str) -> None:
    answer = decided("F(2^n) = F(2^n)", where)
    assert (
        isinstance(answer.verdict, Undecided)
        and answer.tried == 0
        and "nothing was compared" in answer.verdict.reason
    )


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        (
            "F(2^n) = F(2^n)",
            "n >= 20",
            "the smallest matrices have 1048576 rows, and at most 65536 are compared",
        ),
        (
            "F(2^40) = F(2^40)",
            "",
            "the smallest matrices have 1099511627776 rows, and at most 65536 are compared",
        ),
        (
            "prod(k,1,n, I(2)) = I(2)",
            "n >= 5000",
            "the product has 5000 factors: at most 4096 are worked out",
        ),
        ("F(2^n) = F(2^n)", "n >= 3, n < 3", "no values that were tried fulfil the conditions"),
        ("I(n/2) = I(n/2)", "n >= 1, n < 2", "n/2 = 1/2 at n = 1"),
    ],
)
def test_it_is_said_which_limit_leaves_nothing_to_compare(text: str, where: str, why: str) -> None:
    answer = decided(text, where)
    assert isinstance(answer.verdict, Undecided) and answer.tried == 0
    assert (
        answer.verdict.reason.startswith("nothing was compared: ") and why in answer.verdict.reason
    )


def test_values_from_a_bound_on_are_tried() -> None:
    assert isinstance(decided("F(n) = F(n)", "n >= 20").verdict, Proved)
    assert decided("L(2*n, 2) = L(2*n, n)", "n >= 30").values == {"n": 30}


def test_a_division_by_zero_is_no_value() -> None:
    """r = 0 is left out, r = 1/2 is not."""
    answer = decided("Omega(1,2*N/r) = I(1)")
    assert (
        isinstance(answer.verdict, Refuted)
        and answer.values is not None
        and answer.values["r"] != 0
    )


def test_alphas_of_one_and_two_are_tried() -> None:
    assert {Fraction(1), Fraction(2)} <= {*ALPHAS}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inv(H(n)) = H(n)", "at n = 2: entry (0, 0) is 0.5 on the left and 1 on the right"),
        ("inv(F(n)) = conj(F(n))", "at n = 2: entry (0, 0) is 0.5 on the left and 1 on the right"),
        ("H(n) = inv(F(n))", "at n = 2: entry (0, 0) is 1 on the left and 0.5 on the right"),
        (
            "inv(F(n)) = inv(conj(F(n)))",
            (
                "at n = 3: entry (1, 1) is -0.166667 + 0.288675i on the left and -0.166667 -"
                " 0.288675i on the right"
            ),
        ),
    ],
)
def test_a_counterexample_can_be_checked_by_a_person(text: str, said: str) -> None:
    """The entries themselves, not residues and not multiples of them."""
    answer = decided(text)
    assert isinstance(answer.verdict, Refuted) and answer.verdict.counterexample == said


@pytest.mark.parametrize(
    "text",
    [
        "H(8) * L(8,2) = F(8)",
        "inv(H(6)) * F(6) = F(6)",
        "F(3) (x) inv(H(4)) = F(12)",
        "inv(H(2048)) = F(2048)",
    ],
)
def test_the_entry_that_is_shown_is_that_of_the_formula(text: str) -> None:
    verdict = check_text(parse(text), {})
    assert isinstance(verdict, Refuted) and "GF" not in verdict.counterexample
    assert re.fullmatch(
        r"entry \(\d+, \d+\) is [-+ \d.ei]+ on the left and [-+ \d.ei]+ on the right",
        verdict.counterexample,
    )


def test_complex_entries_are_those_of_numpy() -> None:
    n = np.arange(6)
    F6 = np.exp(-2j * np.pi * np.outer(n, n) / 6)
    H6 = F6.real - F6.imag
    stated = formula(parse_formula("conj(F(6)) * inv(H(6)) * T(6,3)"), {})
    wanted = F6.conj() @ np.linalg.inv(H6) @ np.diag(np.exp(-2j * np.pi * (n // 3) * (n % 3) / 6))
    assert np.allclose([[entry(stated, i, j) for j in n] for i in n], wanted)


def test_a_condition_leaves_out_the_values_that_do_not_fulfil_it() -> None:
    answer = decided("L(2^n, 2) = I(2^n)", "n >= 1, n <= 1")
    assert (
        isinstance(answer.verdict, Checked)
        and answer.verdict.evidence == "the only size that the conditions allow"
    )
    assert isinstance(decided("L(2^n, 2) = I(2^n)", "n >= 1").verdict, Refuted)


def test_a_symbol_that_is_replaced_leaves_out_no_whole_size() -> None:
    """N/r is whole where N = r N'; (r s)/2 may be whole in two ways, and no single replacement is
    right.
    """
    assert translate(parse("I(N/r) = I(N/r)")).symbols.replaced == (("N", "N*r"),)
    answer = decided("I(r*s/2) = I(r*s/2)")
    assert isinstance(answer.verdict, Undecided)


def test_no_mutant_of_a_true_equation_is_proved() -> None:
    """Each true text with one size or one matrix changed: refuted, or true at all sizes that were
    tried and then perhaps proved.
    """
    refuted = 0
    for text, where in PROVED[:12]:
        for old, new in (
            ("I(r)", "I(s)"),
            ("(N,r)", "(N,N/r)"),
            ("n-k)", "n-k+1)"),
            ("F(s)", "conj(F(s))"),
            ("BH", "B"),
            ("D(", "B("),
            ("k+1", "k"),
        ):
            mutant = (
                old.join(text.split(old)[:-1]) + new + text.split(old)[-1] if old in text else ""
            )
            if not mutant:
                continue
            try:
                answer = decided(mutant, where)
            except FormulaError:
                refuted += 1
                continue
            refuted += isinstance(answer.verdict, Refuted)
            if answer.theorem is not None:
                assert confirm(answer.theorem, Random(1)) > 0
    assert refuted >= 12


PROGRAMS = [
    ("F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)", {"N": 64, "r": 8, "s": 8}, 4),
    ("F(64) = prod(k,0,5, I(2^k) (x) B(2^(6-k))) * R(64)", {}, 8),
    ("F_64 = Γ_{4,4,64}^-1 (I_4 ⊗ F_4 ⊗ I_4) Γ_{4,4,64} T^64_16 (I_4 ⊗ F_16) L^64_4", {}, 4),
    (
        (
            "F(16) = J(16) * J(16) * (I(2) (+) J(2)) (x) I(4) * (I(2) (+) J(2)) (x) I(4) * F(4) (x)"
            " I(4) * T(16,4) * I(4) (x) F(4) * L(16,4)"
        ),
        {},
        4,
    ),
    ("F(16) = F(4) (x) I(4) * T(16,4) * J(16) * J(16) * I(4) (x) F(4) * L(16,4)", {}, 4),
    ("F(16) = F(4) (x) I(4) * T(16,4) * (F(4) (+) F(4) (+) F(4) (+) F(4)) * L(16,4)", {}, 2),
]


@pytest.mark.long
@pytest.mark.parametrize(("text", "at", "P"), PROGRAMS)
def test_a_factorization_of_ones_own_becomes_a_certified_program(
    text: str, at: dict[str, int], P: int, tmp_path: Path
) -> None:
    sides = parse(text)
    asked = spec_of(formula(sides.right, at), P)
    assert holds(check_program(resolve(asked)))
    file = tmp_path / "program.py"
    file.write_text(emit(resolve(asked)), encoding="utf-8")
    assert "FACTORIZATION = " in file.read_text(encoding="utf-8")
    assert certify(file).holds


@pytest.mark.long
def test_a_wrong_factorization_has_no_certificate(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    text = emit(resolve(spec_of(formula(parse(PROGRAMS[0][0]).right, dict(PROGRAMS[0][1])), 4)))
    for more in ("Γ_{4,4,64}", "P_64", "T^64_8"):
        file.write_text(text.replace("T^64_8", f"T^64_8 {more}"), encoding="utf-8")
        with pytest.raises(ValueError, match="is not F_64: entry"):
            certify(file)
    file.write_text(text.replace('FACTORIZATION = "', 'FACTORIZATION = "F_2 '), encoding="utf-8")
    with pytest.raises(ValueError, match="FACTORIZATION"):
        certify(file)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("H(16)", "H_16"),
        ("conj(H(4)) (x) I(4)", "H_4"),
        ("(I(8) (+) F(8)) * J(16)", r"I_8 ⊕ F_8"),
        ("(L(8,2) (+) I(8)) * J(16)", "not BMMC"),
        ("Omega(16)", "Ω_16"),
    ],
)
def test_a_factor_that_cannot_be_lowered_is_named(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        resolve(spec_of(formula(parse_formula(text), {}), 4))


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ["check", "--formula", COOLEY_TUKEY, "--set", "r=4,s=8", "--json"],
            0,
            '"verdict": "checked"',
        ),
        (
            ["check", "--formula", "F(n) = H(n)", "--set", "n=4", "--json"],
            1,
            '"verdict": "refuted"',
        ),
        (["prove", "--formula", COOLEY_TUKEY, "--json"], 0, '"verdict": "proved"'),
        (["prove", "--formula", "F(n) = H(n)", "--json"], 1, '"values": {"n": "3"}'),
        (
            ["prove", "--formula", "transpose(BH(2*h)) * BH(2*h) = 2 * I(2*h)", "--json"],
            0,
            '"verdict": "proved"',
        ),
        (["check", "--formula", "F(8) = G(8)"], 2, "column 8: unknown matrix G"),
        (["check", "--formula", "F(n) = F(n)"], 2, "n has no value"),
        (
            ["check", "fft", "--formula", "F(2) = F(2)"],
            2,
            "SYSTEM cannot be combined with --formula",
        ),
        (["check", "fft"], 2, "missing --size, --ranks"),
        (
            ["prove", "--formula", "transpose(BH(8)) * BH(8) = 2 * I(8)", "--json"],
            0,
            '"verdict": "checked"',
        ),
        (["prove", "--formula", "F(0) = F(0)"], 2, "the sizes in F(0) are integers, at least 1"),
        (
            [
                "generate",
                "--formula",
                "F(2^n) = F(2^n)",
                "--set",
                "n=6",
                "--size",
                "64",
                "--ranks",
                "4",
            ],
            2,
            "the size 64 gives n = 6",
        ),
        (
            ["generate", "--formula", "H(2^n) = H(2^n)", "--size", "64", "--ranks", "4"],
            2,
            "n has no value",
        ),
        (["generate", "--formula", "F(N) = H(N)", "--size", "16", "--ranks", "4"], 1, "refuted"),
        (
            ["generate", "--formula", "H(16) = H(16)", "--size", "16", "--ranks", "4"],
            2,
            "H_16 cannot be a step of a program",
        ),
        (
            ["generate", "--formula", "F(N) = F(N)", "--size", "13", "--ranks", "13"],
            2,
            "F_13 combines 13 elements, but a rank holds 1",
        ),
    ],
)
def test_the_command_line_ends_with_the_status_of_the_verdict(
    nodewright: Command, words: list[str], status: int, said: str
) -> None:
    found, out, err = nodewright(*words)
    assert found == status
    assert said in out + err
    assert status != 2 or err.count("\n") == 1


def test_the_command_in_the_head_of_a_program_makes_it_again(
    nodewright: Command, tmp_path: Path
) -> None:
    file, again = str(tmp_path / "a.py"), str(tmp_path / "b.py")
    formula = "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)"
    sizes = ["--set", "r=4,s=N/r", "--size", "16", "--ranks", "2"]
    assert nodewright("generate", "--formula", formula, *sizes, "-o", file)[0] == 0
    text = Path(file).read_text(encoding="utf-8")
    line = re.search(r"^Made by nodewright (generate .*)$", text, re.MULTILINE)[1]
    assert nodewright(*shlex.split(line), "-o", again)[0] == 0
    assert Path(again).read_text(encoding="utf-8") == text


TRANSLATED = [
    *(text for text, where in PROVED if not where),
    (
        "transpose(prod(k,1,n, I(2^(n-k)) (x) L(2^k,2))) = prod(k,1,n, transpose(I(2^k) (x)"
        " L(2^(n+1-k),2)))"
    ),
    "conj(T(r*s,s)) * inv(F(r) (x) I(s)) = inv(I(r) (x) F(s)) * J(r*s)",
    "I(h) (+) Omega(h,a) = Omega(h,a) (+) conj(Omega(h))",
    "F(h) (+) H(h) = inv(H(h)) (+) J(h)",
    "prod(k,1,n, prod(j,1,k, L(2^(n+1),2) * T(2^(n+1),2^j))) = I(2^(n+1))",
]


@pytest.mark.parametrize("text", TRANSLATED)
def test_a_term_and_its_text_are_the_same_matrix(text: str) -> None:
    """True or false, both sides: the terms by tests.mutation.dense, the texts by
    derive.exact.action, at several values over one GF(q).
    """
    sides = parse(text)
    terms = translate(sides)
    stands = dict(terms.symbols.replaced)
    compared = 0
    for at in islice(draws(terms), 24):
        values = {name: text_value(stands.get(name, name), at) for name in sides.symbols}
        for side, term in ((sides.left, terms.left), (sides.right, terms.right)):
            try:
                found = formula(side, values)
            except NotWhole:  # a body that has no whole size where a product is empty
                continue
            L = lcm(8, order_of_roots(found), order(term, at))
            q = prime(L, Random(0))
            w = root_of_unity(L, q)
            ring = Residues(RootField(q, L, w))
            acted = act(found, ring.units(found.size, range(found.size)), ring) % q
            matrix = dense(term, at, Field(L, q, w)) % q
            assert np.array_equal(matrix, acted), f"{side} at {values}"
            compared += 1
    assert compared >= 4


def draws(terms: Translated) -> Iterator[dict[str, int | Fraction]]:
    """Yield small values of the free variables of two terms."""
    sorts = free(terms.left, terms.right)
    options = [
        (
            range(3)
            if sort == "natural"
            else (1, 2, 3)
            if sort == "size"
            else (Fraction(1, 2), Fraction(0))
        )
        for sort in sorts.values()
    ]
    for values in product(*options):
        at = dict(zip(sorts, values, strict=True))
        if rational(terms.left.shape[0], at) <= 32:
            yield at


def text_value(text: str, at: dict[str, int | Fraction]) -> Fraction:
    """Return the value of a size as a Dim or a Nat prints."""
    total = parse_formula(f"B(2, {text.replace('_', '')})")
    return value(total.sizes[1], {name.replace("_", ""): number for name, number in at.items()})  # type: ignore[union-attr]


@pytest.mark.parametrize("c", [2, 3, 11, 13, 17, 6])
def test_a_number_above_the_line_may_share_a_divisor_with_what_is_below(c: int) -> None:
    """At N = 1, r = c the size c N/r is whole, although r does not divide N; there the two sides
    differ.
    """
    answer = decided(f"I({c}*N/r) (x) Omega(1,2*N/r) = I({c}*N/r)")
    assert not isinstance(answer.verdict, Proved)


def power(text: str, count: int) -> str:
    return f"prod(k, 1, {count}, {text})"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (power("F(2)", 128), power("F(2)", 130)),
        (power("F(4)", 64), power("F(4)", 66)),
        (power("F(16)", 32), power("F(16)", 36)),
        (power("F(4)*conj(F(4))", 32), power("F(4)*conj(F(4))", 34)),
        (power("F(2)", 126), "I(2)"),
        (power("H(4)", 64), power("H(4)", 66)),
    ],
)
def test_powers_that_wrap_to_the_same_64_bits_are_refuted(left: str, right: str) -> None:
    """2^64 and 2^65 are both 0 modulo 2^64."""
    found = check_text(parse(f"{left} = {right}"), {})
    assert isinstance(found, Refuted) and "-9223372036854775808" not in found.counterexample
    assert isinstance(decided(f"{left} = {right}").verdict, Refuted)


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("2^64 * F(2) = 2^32 * (2^32 * F(2))", True),
        ("2^64 * I(2) = 0 * I(2)", False),
        ("2^63 * F(6) - 2^63 * F(6) = 0 * F(6)", True),
    ],
)
def test_large_numbers_before_matrices_are_exact(text: str, true: bool) -> None:
    assert isinstance(check_text(parse(text), {}), Checked if true else Refuted)


@pytest.mark.parametrize("number", ["2^65/2", "1/3^60", "1/0"])
def test_numbers_out_of_range_are_refused(number: str) -> None:
    with pytest.raises(FormulaError, match=r"exponents are|denominators|divides by 0"):
        check_text(parse(f"{number} * F(2) = I(2)"), {})


@pytest.mark.parametrize("count", [59, 60, 61, 62, 63, 64, 127, 130])
def test_powers_are_compared_on_both_sides_of_64_bits(count: int) -> None:
    twice = f"{power('F(2)', count)} * F(2)"
    assert isinstance(check_text(parse(f"{twice} = {power('F(2)', count + 1)}"), {}), Checked)
    assert isinstance(check_text(parse(f"{twice} = {power('F(2)', count + 3)}"), {}), Refuted)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{power('F(256)', 3000)} = {power('F(256)', 3001)}", "too few primes"),
        (f"{power('F(8)', 3)} * Omega(8, 1/2000000000000) = F(8)", "roots of unity of order"),
        ("Omega(4, 1/2000000000000) = I(4)", "roots of unity of order"),
    ],
)
def test_a_check_beyond_its_fields_is_undecided(nodewright: Command, text: str, why: str) -> None:
    found = check_text(parse(text), {})
    assert isinstance(found, Undecided) and why in found.reason and not holds(found)
    status, out, _ = nodewright("check", "--formula", text)
    assert status == 1
    assert "undecided" in out


def test_long_exponents_of_roots_of_unity_are_reduced() -> None:
    """5·10^18 = 2 mod 6, and with 2 more it is beyond 62 bits; an exponent times 2^25 may be,
    too.
    """
    assert isinstance(check_text(parse("Omega(3, 5000000000000000000) = Omega(3, 2)"), {}), Checked)
    assert isinstance(check_text(parse("Omega(3, 5000000000000000000) = Omega(3, 3)"), {}), Refuted)
    for n in (2**20, 2**30 + 1, 2**33 + 1, 2**36 + 1):
        true, false = (
            check_text(
                parse(f"Omega(3, 1/{n}) * Omega(3, {a}/{n}) = Omega(3, 0) * Omega(3, 0)"), {}
            )
            for a in (6 * n - 1, 1)
        )
        assert not isinstance(true, Refuted) and isinstance(true, Checked) == (n < 2**33)
        assert not isinstance(false, Checked) and isinstance(false, Refuted) == (n < 2**33)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("H(2*h) = L(2*h,h) * I(2) (x) H(h) * transpose(BH(2*h))", Proved),
        ("transpose(BH(2*h)) * BH(2*h) = 2 * I(2*h)", Undecided),
        ("transpose(BH(8)) * BH(8) = 2 * I(8)", Checked),
        ("transpose(BH(2*h)) * BH(2*h) = I(2*h)", Refuted),
        ("inv(LH(3, 8*h)) = 1/2 * transpose(LH(3, 8*h))", Proved),
        ("H(2*h) = L(2*h,2) * I(2) (x) H(h) * transpose(BH(2*h))", Refuted),
        ("transpose(BH(2*h)) = BH(2*h)", Refuted),
        ("inv(BH(2*h)) = BH(2*h)", Refuted),
    ],
)
def test_a_butterfly_of_hartley_has_a_transpose_and_an_inverse(text: str, kind: type) -> None:
    assert isinstance(decided(text).verdict, kind)


def test_a_size_that_is_put_in_is_a_size() -> None:
    answer = decided("Omega(1,2*N) (x) I(3*N) = I(3*N)", "N = r/3")
    assert not isinstance(answer.verdict, Refuted)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("(1 - i) * (1 + i) * I(n) = 2 * I(n)", "(1 - i) * (1 + i) * I(n) = 2*i * I(n)"),
        ("(a + b*i)^2 * I(n) = (a^2 - b^2 + 2*a*b*i) * I(n)", "(a + b*i)^2 * I(n) = a^2 * I(n)"),
        (
            "2 * F(n) = (1 - i) * H(n) + (1 + i) * H(n) * perm(j < n, -j)",
            "2 * F(n) = (1 + i) * H(n) + (1 - i) * H(n) * perm(j < n, -j)",
        ),
    ],
)
def test_complex_numbers_before_matrices_are_proved_and_false_ones_refuted(
    true: str, false: str
) -> None:
    assert isinstance(decided(true).verdict, Proved)
    assert isinstance(decided(false).verdict, Refuted)


@pytest.mark.parametrize(
    ("body", "column"), [("F(2^(n-k))", 17), ("E(2, 3)", 17), ("prod(j, 0, n-1, F(2^j))", 33)]
)
def test_factors_of_unequal_size_are_refused_in_the_letters_of_the_text(
    body: str, column: int
) -> None:
    translate(parse("prod(k, 0, n-1, F(2^n)) = I(2^n)"))
    with pytest.raises(ValueError, match=r"have the same size$") as found:
        translate(parse(f"prod(k, 0, n-1, {body}) = I(2^n)"))
    assert not set("#∏_") & set(str(found.value))
    assert str(found.value).startswith(f"column {column}: ")


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sqrt(n)*F(n) - sqrt(n)*F(n) = 0*I(n)", Proved),
        ("sqrt(n)*F(n) - sqrt(n)*J(n) = 0*I(n)", Refuted),
        ("0*I(n) = sqrt(n)*F(n) - sqrt(m)*F(n)", Refuted),
        ("sqrt(m)*I(n) + sqrt(n)*I(n) = sqrt(n)*I(n) + sqrt(m)*I(n)", Proved),
        ("sqrt(m)*I(n) + sqrt(n)*I(n) = sqrt(n)*I(n) + sqrt(n)*I(n)", Refuted),
        ("sqrt(m)*F(n)*conj(F(n)) + sqrt(n)*I(n) = sqrt(n)*I(n) + n*sqrt(m)*I(n)", Proved),
        ("sqrt(m)*I(n) + sqrt(n)*I(n) + sqrt(m)*I(n) = sqrt(n)*I(n) + sqrt(m)*I(n)", Refuted),
        ("sqrt(m)*I(n) + sqrt(n)*J(n) = sqrt(m)*J(n) + sqrt(n)*I(n)", Refuted),
    ],
)
def test_terms_with_roots_that_both_sides_have_cancel(text: str, kind: type[Verdict]) -> None:
    assert isinstance(decided(text).verdict, kind)


@pytest.mark.long
def test_terms_that_cancel_leave_their_conditions() -> None:
    left = "sqrt(m)*I(n/2) (x) F(2) + sqrt(n)*I(n/2) (x) F(2)"
    right = "sqrt(n)*I(n/2) (x) F(2) + sqrt(m)*I(n/2) (x) F(2)"
    assert "2 divides n" in str(decided(f"{left} = {right}").verdict)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        (
            "prod(k,0,n-m-2, J(r)) * J(r) = prod(k,0,n-m-1, J(r))",
            "m >= 1",
            "the product runs from 0 to n-m-2: state a condition",
        ),
        ("I(N/r) (x) I(N*k/s) = I(N*N*k/r/s)", "", "N*k/s is not whole for all values"),
    ],
)
def test_messages_of_the_translation_are_in_the_symbols_of_the_text(
    text: str, where: str, message: str
) -> None:
    with pytest.raises(Inexpressible, match=re.escape(message)):
        claim_of(parse(text), parse_relations(where))
