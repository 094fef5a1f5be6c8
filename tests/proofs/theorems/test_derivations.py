"""Derivations line by line: what is derived is proved and says why; a changed line is refused."""

from __future__ import annotations

from collections import Counter
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest

from derive.exact.action import act
from derive.exact.residues import Residues
from derive.fields import RootField
from derive.formula.grammar import Formula, factors_of, product
from derive.papers.bsp import group_cyclic as emitted
from derive.text.parse import parse
from derive.verdict import Proved, Refuted
from proofs.kernel.kernel_rules import Thm, assume, diag, instantiate
from proofs.kernel.numbers import ONE, Dim, nat, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import F, I, Kron, Mul, S, Term, Var
from proofs.lemmas import fourier_stages
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.tactics import chain, kron, mul, rewrite
from proofs.show.kernel_chains import links, read
from proofs.theorems import bsp_stages, derivations, theorems
from proofs.theorems.bsp_stages import hat
from proofs.theorems.notation import equation
from proofs.theorems.statement_proofs import cooley_tukey, stated
from tests.mutation.dense import Field, compare, dense, prime, root_of_unity
from tests.mutation.wrong_statements import counted, wrong_theorems

b, c, d, e, g, h, m, n, p, q, r, s, u = (size(name) for name in "bcdeghmnpqrsu")
DERIVED = {
    "bsp-lemma-1.2-1": ("by path sums",),
    "bsp-lemma-1.2-2": ("by path sums",),
    "bsp-lemma-1.2-3": ("by path sums",),
    "bsp-lemma-1.2-4": ("by path sums", "by the assumption"),
    "bsp-gamma-inverse": ("by path sums",),
    "bsp-stage-pair": ("by path sums", "bsp-1.12"),
    "bsp-corollary-2.3": ("by path sums", "bsp-theorem-2.2"),
    "bsp-2.7": ("bsp-2.5", "Lemma 1", "by path sums in every factor"),
    "bsp-4.2": ("bsp-corollary-3.2 with d = m, q = a + b", "bsp-1.6 with n = m", "Lemma 1"),
    "bsp-fft-two-phases": ("cooley-tukey with r = p, s = e p", "by path sums"),
    "bsp-fft-next-phase": ("stride-lemma with s = d e u", "cooley-tukey with r = d, s = d e u"),
}
"""Derivations, with reasons of their lines."""


def reasons(name: str) -> set[str]:
    found = read(derivations()[name], citing=True).arguments
    return {step.reason for one in found for part in one.chains for step in part.steps}


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", DERIVED)
def test_a_derivation_is_proved_and_its_lines_say_why(name: str) -> None:
    derivation = derivations()[name]
    assert isinstance(derivation.verdict(), Proved)
    for wanted in DERIVED[name]:
        assert any(reason.startswith(wanted) for reason in reasons(name)), wanted


def test_a_derivation_cites_what_is_listed_before_it_and_not_itself() -> None:
    listed = list(theorems())
    for name in DERIVED.keys() & {*listed}:
        cited = {reason.split()[0].rstrip(",") for reason in reasons(name)}
        assert cited & {*listed[listed.index(name) :]} == set()
    assert "bsp-lemma-1.2" not in {
        part for i in range(1, 5) for part in reasons(f"bsp-lemma-1.2-{i}")
    }


def test_lemma_1_2_is_derived_part_by_part() -> None:
    parts = [derivations()[f"bsp-lemma-1.2-{i}"] for i in range(1, 5)]
    whole = theorems()["bsp-lemma-1.2"]
    assert [equation(one) for part in parts for one in part.prove()] == [
        equation(one) for one in whole.prove()
    ]
    assert [bool(one.hypotheses) for part in parts for one in part.prove()] == [False] * 4 + [True]


# Identities that are rules of rewriting


IDENTITIES = {
    "identities": "I(r) (x) I(s) = I(r*s)",
    "redistributed stage": (
        "AHat(2*k, u, u, 2*k*n*u) = Gamma(u, u, 2*k*n*u) * A(2*k*u, 2*k*n*u) * inv(Gamma(u, u,"
        " 2*k*n*u))"
    ),
    "redistribution": "Gamma(u, r*u, n*r*u) = I(r) (x) S(u, n*u)",
    "inverse redistribution": "inv(Gamma(u, r*u, n*r*u)) = Gamma(n, n*r, n*r*u)",
    "shuffle": "S(u, n*u) = L(n*u, u)",
    "stage": "A(2*k, 2*k*s) = I(s) (x) B(2*k)",
    "4-butterfly": "D(4*s) = B(4*s) * I(2) (x) B(2*s)",
    "trivial cases": "L(s, s) * L(s, 1) * T(s, s) * T(s, 1) * F(1) (x) I(s) = I(s)",
    "trivial sum of stages": "ButterflySum(2*k, 2*k*n, 1) = A(2*k, 2*k*n)",
    "inverse stride": "inv(L(r*s, r)) = L(r*s, s)",
    "associativity": "(F(r) (x) F(s)) (x) F(u) = F(r) (x) (F(s) (x) F(u))",
    "split": "F(r) (x) F(s) = F(r) (x) I(s) * I(r) (x) F(s)",
    "distribution": "I(r) (x) (F(s) * F(s)) = I(r) (x) F(s) * I(r) (x) F(s)",
    "stride exchanges factors": "L(r*s, s) * F(r) (x) I(s) = I(s) (x) F(r) * L(r*s, s)",
    "stride is undone": "inv(L(r*s, r)) * F(r*s) * L(r*s, r) * L(r*s, s) = L(r*s, s) * F(r*s)",
    "other order": "F(r) (x) I(s) * I(r) (x) F(s) = I(r) (x) F(s) * F(r) (x) I(s)",
    "exponents": "F(2^(n+1)) = F(2*2^n)",
    "strides in turn": "L(r*s*t, r*s) = L(r*s*t, r) * L(r*s*t, s)",
    "stride lemma": "L(g*d, g) (x) I(s) * L(g*d*s, g*d) = I(g) (x) L(d*s, d) * L(g*d*s, g)",
}
FALSE = [
    "F(r) (x) F(s) = F(s) (x) F(r)",
    "F(n) (x) I(m) * I(n) (x) F(m) = I(m) (x) F(n) * F(m) (x) I(n)",
    "F(r) (x) I(s) * I(s) (x) F(r) = I(s) (x) F(r) * F(r) (x) I(s)",
    "F(4) (x) I(2) * I(2) (x) F(4) = I(2) (x) F(4) * F(4) (x) I(2)",
    "F(n) * F(n) = F(n)",
    "inv(L(r*s, r)) = L(r*s, r)",
    "L(r*s*t, r*s) = L(r*s*t, r) * L(r*s*t, r)",
    "inv(Gamma(u, r*u, n*r*u)) = Gamma(n, n*u, n*r*u)",
    "L(r*s, s) * F(r) (x) I(s) = F(r) (x) I(s) * L(r*s, s)",
    "L(r*s, r) * F(r) (x) I(s) = I(s) (x) F(r) * L(r*s, r)",
    "A(4*r, 4*r*s) * A(2*r, 4*r*s) = D(4*r) (x) I(s)",
    "L(g*d, g) (x) I(s) * L(g*d*s, g*d) = I(g) (x) L(d*s, s) * L(g*d*s, g)",
    "(inv(L(r*s, r)) * L(r*s, r)) (+) F(2) = F(2) (+) I(r*s)",
]


@pytest.mark.sampled(3)
@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("name", IDENTITIES)
def test_an_identity_is_proved_for_all_sizes(name: str) -> None:
    assert isinstance(decide_for_all(parse(IDENTITIES[name]), ()).verdict, Proved)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("text", FALSE)
def test_a_false_equation_is_refuted(text: str) -> None:
    assert isinstance(decide_for_all(parse(text), ()).verdict, Refuted)


def variable(name: str, order: Dim) -> Var:
    return Var(name, order, order)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Kron(variable("A", r), variable("B", s)), Kron(variable("B", s), variable("A", r))),
        (Mul(variable("A", n), variable("B", n)), Mul(variable("B", n), variable("A", n))),
        (
            Mul(Kron(I(m), variable("A", n)), Kron(I(m), variable("B", n))),
            Mul(Kron(I(m), variable("B", n)), Kron(I(m), variable("A", n))),
        ),
        (F(n), F(n * 2)),
    ],
    ids=str,
)
def test_matrices_do_not_commute_and_sizes_are_not_mixed(left: Term, right: Term) -> None:
    with pytest.raises(Refused):
        diag(left, right)


def test_a_stride_permutation_takes_a_matrix_to_its_other_digits() -> None:
    inner = kron(I(d), variable("X", e), I(s))
    last, first = kron(I(s * d), variable("X", e)), kron(variable("X", e), I(s * d))
    for stride, right in ((S(s, d * e), last), (S(e * s, d), first)):
        assert diag(Mul(stride, inner), Mul(right, stride))
        for wrong in {last, first, inner} - {right}:
            with pytest.raises(Refused):
                diag(Mul(stride, inner), Mul(wrong, stride))


def test_kronecker_products_merge_only_where_the_factors_fit() -> None:
    A, B, C, D = variable("A", r), variable("B", s), variable("C", r), variable("D", s)
    assert diag(Mul(Kron(A, B), Kron(C, D)), Kron(Mul(A, C), Mul(B, D)))
    with pytest.raises(Refused):
        Mul(A, B)
    for wrong in (Kron(Mul(C, A), Mul(B, D)), Kron(Mul(B, D), Mul(A, C))):
        with pytest.raises(Refused):
            diag(Mul(Kron(A, B), Kron(C, D)), wrong)


def test_an_assumption_is_used_only_where_its_surroundings_fit() -> None:
    pair = assume(Kron(I(Dim.of(2)), F(s)), variable("X", s * 2))
    three = rewrite(Kron(I(Dim.of(3)), pair.left), pair)
    assert three.right == Kron(I(Dim.of(3)), variable("X", s * 2)) and three.hypotheses
    two, odd = Dim.of(2), Dim.of(3)
    for term in (Kron(I(odd), F(s)), Kron(I(r), F(s)), Kron(F(s), I(two)), Kron(I(two), F(r))):
        with pytest.raises(Refused, match="does not occur"):
            rewrite(term, pair)


def test_neighbours_of_random_products_change_places_where_that_is_true() -> None:
    rng = Random(7)
    orders = [Dim.of(k) for k in (2, 3, 2)]
    exchanged = 0
    for _ in range(25):
        layers = [layer(rng.randrange(3), letter, orders) for letter in rng.choices("ABC", k=5)]
        i = rng.randrange(4)
        other = layers[:i] + [layers[i + 1], layers[i]] + layers[i + 2 :]
        same = compare(mul(*layers), mul(*other), {}, rng) is None
        try:
            diag(mul(*layers), mul(*other))
        except Refused:
            assert not same
        else:
            assert same
            exchanged += 1
    assert 3 <= exchanged <= 22


def layer(place: int, letter: str, orders: list[Dim]) -> Term:
    before, after = (prod(part, start=Dim.of(1)) for part in (orders[:place], orders[place + 1 :]))
    return kron(I(before), variable(letter + str(orders[place]), orders[place]), I(after))


# Changed lines


def steps_of(name: str) -> list[Thm]:
    return [step for part in derivations()[name].prove() for step, _ in links(part)]


@pytest.mark.sampled(8)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", DERIVED)
def test_a_changed_line_of_a_derivation_is_refused(name: str) -> None:
    """Every line with one thing changed in every way: none that numbers refute follows from the
    line before it.
    """
    rng = Random(name)
    found = [counted(wrong_theorems(step, rng)) for step in steps_of(name)]
    assert all(one["refused"] == one["made"] - one["proved"] for one in found)
    total = sum(found, Counter[str]())
    assert total["unsound"] == 0 and (total["refused"] >= 3 or name == "bsp-lemma-1.2-2")


LINES: dict[str, tuple[str, Term]] = {
    "another redistribution": ("bsp-fft-next-phase", S(g, d * d * e * u)),
    "a redistribution more": ("bsp-fft-two-phases", S(p, p * e)),
    "a transform more": ("bsp-stage-pair", Kron(I(b), F(q * 4))),
    "a shuffle more": ("bsp-corollary-2.3", Kron(I(r), S(u, c * h * 2))),
}


@pytest.mark.parametrize("what", LINES)
def test_a_factor_more_in_a_line_is_refused(what: str) -> None:
    name, factor = LINES[what]
    (theorem,) = stated(name)
    for step, _ in links(theorem):
        with pytest.raises(Refused):
            chain(step.left, mul(factor, step.right))


def test_corollary_2_3_needs_theorem_2_2_at_its_sizes() -> None:
    (corollary,) = stated("bsp-corollary-2.3")
    line, theorem = links(corollary)[0][0].right, bsp_stages.theorem_2_2()[1]
    assert rewrite(line, theorem).right == corollary.right
    for wrong in ({"u": r}, {"h": h * 2}, {"u": u * r}):
        with pytest.raises(Refused, match="does not occur"):
            rewrite(line, instantiate(theorem, **wrong))


@pytest.mark.parametrize(
    "right",
    [
        hat(r, u, h, c),
        hat(c, r, h, u),
        Kron(hat(u, ONE, h, c), I(r)),
        hat(u * r, ONE, h, c),
        Kron(I(r * u * c), fourier_stages.butterfly(h)),
    ],
    ids=["u and r", "u and c", "factors of ⊗", "one group", "no twiddles"],
)
def test_a_wrong_corollary_2_3_is_refused(right: Term) -> None:
    (corollary,) = stated("bsp-corollary-2.3")
    assert right.shape == corollary.right.shape
    assert diag(corollary.left, corollary.right)
    with pytest.raises(Refused):
        diag(corollary.left, right)


@pytest.mark.parametrize(
    "wrong", [Kron(F(p), I(e * p)), Kron(I(p * e), F(p)), kron(I(e), F(p), I(p))], ids=str
)
def test_the_group_cyclic_form_with_another_last_transform_is_refused(wrong: Term) -> None:
    s = p * e
    right = mul(S(s, p), wrong, S(p, s), fourier_stages.twiddle(p, s), Kron(I(p), F(s)), S(p, s))
    with pytest.raises(Refused):
        chain(F(p * s), cooley_tukey(p, s), right)


def test_cyclic_input_needs_corollary_3_2_at_its_sizes() -> None:
    assert {"bsp-corollary-3.2", "bsp-1.6"} <= {reason.split()[0] for reason in reasons("bsp-4.2")}
    (split,), a = fourier_stages.corollary_3_2(), nat("a")
    with pytest.raises(Refused, match="does not occur"):
        chain(fourier_stages.reversal(nat("m") + a), instantiate(split, d=a, q=a))


# The emitted form


def over_a_field(term: Term, formula: Formula, numbers: dict[str, Any]) -> tuple[Any, Any]:
    """Return a term and a formula as matrices over GF(q)."""
    modulus = prime(192, Random(4))
    root = root_of_unity(192, modulus)
    ring = Residues(RootField(modulus, 192, root))
    units = ring.units(formula.size, range(formula.size))
    return dense(term, numbers, Field(192, modulus, root)) % modulus, act(formula, units, ring)


@pytest.mark.parametrize(("ranks", "rest"), [(2, 1), (2, 4), (4, 2)])
def test_two_phases_are_the_emitted_form(ranks: int, rest: int) -> None:
    (theorem,) = stated("bsp-fft-two-phases")
    right = emitted(ranks * ranks * rest, ranks).right
    assert np.array_equal(*over_a_field(theorem.right, right, {"p": ranks, "e": rest}))


def test_the_next_phase_ends_in_a_partial_product_of_the_emitted_form() -> None:
    (theorem,) = stated("bsp-fft-next-phase")
    at = {"d": 4, "e": 1, "g": 4, "u": 1}
    factors = factors_of(emitted(64, 16).right)
    assert any(
        np.array_equal(*over_a_field(theorem.right, product(factors[-count:]), at))
        for count in range(1, len(factors))
    )
