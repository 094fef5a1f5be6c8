"""Rewriting: what is proved holds on instances, step by step, and what is wrong is not proved."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest

from derive.exact.action import act
from derive.exact.rings import Monomials
from derive.formula.grammar import (
    DirectSum,
    Equation,
    I,
    Inverse,
    Kron,
    Product,
    direct_sum,
    kron,
    product,
)
from derive.formula.permutation_matrices import Gamma, L, R, S, inverse
from derive.formula.transforms import A, AHat, B, ButterflySum, D, F, Omega, T
from derive.papers.bsp import cooley_tukey, corollary_2_3, corollary_3_2, group_cyclic, theorem_2_2
from derive.rewriting import rewrite, rules
from derive.rewriting.derivations import (
    cyclic_input,
    group_cyclic_stage,
    inserted_permutations,
    inverse_of_gamma,
    lemma_1_2,
    next_phase,
    stage_pair,
    stride_lemma,
    two_phases,
)
from derive.rewriting.digits import moved, prove_moves
from derive.rewriting.rewrite import (
    combine,
    conditions,
    derivation,
    normal_form,
    prove_chain,
    prove_equal,
)
from derive.rewriting.rules import Variable
from derive.symbolic import instantiate, positive_integers
from derive.verdict import Derived

d, e, g, k, m, n, p, r, s, t, u = positive_integers("d e g k m n p r s t u")
DERIVATIONS = [
    *lemma_1_2(),
    inverse_of_gamma(),
    stage_pair(),
    group_cyclic_stage(),
    inserted_permutations(),
    cyclic_input(),
    two_phases(),
    next_phase(),
]


def random_matrix(seed, size):
    return np.random.default_rng([ord(letter) for letter in seed]).standard_normal((size, size))


def root(order, exponents):
    return np.exp(2j * np.pi * np.asarray(exponents, dtype=float) / order)


def dense(formula):
    """Return the matrix of a formula with numbers for sizes, from the definitions in
    derive.formula.grammar's docstrings.
    """
    match formula:
        case I(size):
            return np.eye(size)
        case Variable(name, size):
            return random_matrix(name, size)
        case F(size):
            return root(size, np.outer(range(size), range(size)))
        case Omega(half, alpha):
            return np.diag(root(2 * half, np.arange(half) + float(alpha)))
        case B(size, alpha):
            one, weight = np.eye(size // 2), dense(Omega(size // 2, alpha))
            return np.block([[one, weight], [one, -weight]])
        case D(size, alpha):
            return dense(B(size, alpha)) @ np.kron(np.eye(2), dense(B(size // 2, alpha)))
        case A(K, size, alpha):
            return np.kron(np.eye(size // K), dense(B(K, alpha)))
        case T(size, low):
            return np.diag([root(size, i * j) for i in range(size // low) for j in range(low)])
        case L(size, step) | S(step, size):
            return np.eye(size)[[j * step + i for i in range(step) for j in range(size // step)]]
        case R(size):
            bits = size.bit_length() - 1
            return np.eye(size)[[int(f"{j:0{bits}b}"[::-1], 2) if bits else 0 for j in range(size)]]
        case Gamma(step, ranks, size):
            return np.kron(np.eye(ranks // step), dense(S(step, size // ranks * step)))
        case AHat(order, step, ranks, size):
            gamma = dense(Gamma(step, ranks, size))
            return gamma @ dense(A(order * step, size)) @ gamma.T
        case ButterflySum(_, _, count):
            return dense(DirectSum(tuple(formula.term(i) for i in range(count))))
        case Kron(left, right):
            return np.kron(dense(left), dense(right))
        case DirectSum(terms):
            rows = [
                [dense(a) if i == j else np.zeros((a.size, b.size)) for j, b in enumerate(terms)]
                for i, a in enumerate(terms)
            ]
            return np.block(rows)
        case Product(factors):
            return reduce(np.matmul, (dense(factor) for factor in factors))
        case Inverse(of):
            return dense(of).T
    raise NotImplementedError(formula)


def equal(left, right):
    return left.size == right.size and dense(left) == pytest.approx(dense(right), abs=1e-9)


SMALL = {d: 2, e: 3, g: 3, k: 2, m: 3, n: 4, p: 3, r: 2, s: 5, t: 2, u: 3}
IDENTITIES = {
    "rebuild": Kron(I(r), I(s)),
    "multiply_out": kron(I(r * (u + 1)), F(2)),
    "unfold_hat": AHat(k, u, r * u, n * r * u),
    "unfold_gamma": Gamma(u, r * u, n * r * u),
    "unfold_shuffle": S(u, n * u),
    "unfold_stage": A(2 * k, 2 * k * s),
    "unfold_butterfly": D(4 * s),
    "trivial": L(s, s) @ L(s, 1) @ T(s, s) @ T(s, 1),
    "invert_stride": Inverse(L(r * s, r)),
    "associate": Kron(Kron(F(r), F(s)), F(u)),
    "split": kron(F(r), F(s)),
    "distribute": kron(I(r), F(s) @ F(s)),
    "move_strides": L(r * s, s) @ kron(F(r), I(s)),
    "cancel": inverse(L(r * s, r)) @ F(r * s) @ L(r * s, r) @ L(r * s, s) @ F(r * s),
    "arrange": kron(Variable("Z", r), I(s)) @ kron(I(r), Variable("A", s)),
}


def test_every_rule_has_a_case():
    assert {rule.__name__ for _, rule in rules.RULES} == set(IDENTITIES)


@pytest.mark.parametrize("name", IDENTITIES)
def test_rule_changes_the_text_and_not_the_matrix(name):
    formula = IDENTITIES[name]
    changed = rules.everywhere(getattr(rules, name), formula)
    assert changed != formula
    assert equal(instantiate(formula, SMALL), instantiate(changed, SMALL))


@pytest.mark.parametrize(
    "factor", [kron(I(d), kron(Variable("X", e), I(s))), kron(I(g), kron(Variable("X", t), I(e)))]
)
def test_stride_permutation_takes_a_matrix_to_its_other_digits(factor):
    block = factor.size
    for first in (L(block, s), L(block, g), L(block, d)):
        moved_ = rules.shift(first, factor)
        if moved_ is not None:
            assert equal(instantiate(product(moved_), SMALL), instantiate(first @ factor, SMALL))
    assert rules.shift(L(d * e * s, s), kron(I(d), kron(Variable("X", e), I(s)))) is not None


@pytest.mark.parametrize("proof", DERIVATIONS, ids=lambda proof: proof.name)
def test_derivation_is_proved(proof):
    assert isinstance(proof.verdict, Derived)
    assert proof.verdict.statement == f"{proof.lines[0]} = {proof.lines[-1]}"


PLACES = {
    "bsp-gamma-inverse": [{n: 3, r: 2, u: 5}, {n: 4, r: 3, u: 2}],
    "bsp-stage-pair": [{"b": 3, "q": 1}, {"b": 2, "q": 3}],
    "bsp-corollary-2.3": [
        {k: 2, n: 4, r: 3, u: 2},
        {k: 4, n: 4, r: 1, u: 3},
        {k: 2, n: 6, r: 2, u: 4},
    ],
    "bsp-2.7": [{"K1": 4, "K2": 2, "K3": 4, "K4": 2, n: 4, p: 4}],
    "bsp-4.2": [{"K1": 4, "K2": 2, n: 4, p: 2, u: 2}, {"K1": 4, "K2": 2, n: 4, p: 8, u: 4}],
    "bsp-fft-two-phases": [{e: 3, p: 2}, {e: 1, p: 4}, {e: 2, p: 3}],
    "bsp-fft-next-phase": [
        {d: 2, e: 3, g: 2, u: 3},
        {d: 3, e: 1, g: 2, u: 2},
        {d: 2, e: 2, g: 1, u: 4},
    ],
}


@pytest.mark.parametrize(
    "proof", [proof for proof in DERIVATIONS if proof.name in PLACES], ids=lambda proof: proof.name
)
def test_every_step_of_a_derivation_holds_on_instances(proof):
    for place in PLACES[proof.name]:
        values = {
            positive_integers(name) if isinstance(name, str) else name: value
            for name, value in place.items()
        }
        chain = [instantiate(step.formula, values) for step in proof.steps]
        assert chain[-1] == instantiate(proof.lines[-1], values)
        first = dense(chain[0])
        for formula in chain[1:]:
            assert dense(formula) == pytest.approx(first, abs=1e-9), str(formula)


@pytest.mark.parametrize("proof", lemma_1_2()[:3], ids=lambda proof: proof.name)
def test_lemma_1_2_holds_on_instances(proof):
    for place in ({m: 2, n: 3}, {m: 4, n: 2}):
        lines = [dense(instantiate(line, place)) for line in proof.lines]
        assert all(left == pytest.approx(right) for left, right in pairwise(lines))


def test_corollary_2_3_rests_on_theorem_2_2_and_on_whole_quotients():
    rests_on = group_cyclic_stage().verdict.rests_on
    assert rests_on[0].startswith("bsp-theorem-2.2: S_{u,n*u} A_{k*u,n*u} S_{u,n*u}^-1 = diag(")
    assert "n/k is a positive integer" in rests_on
    assert "(2.6)" in rests_on


def test_corollary_2_3_needs_theorem_2_2():
    assert prove_chain(group_cyclic_stage().lines) is None


def corollary(**changed):
    values = {"r": r, "p": r * u, "N": n * r * u, "k": k} | changed
    return corollary_2_3(**values)


@pytest.mark.parametrize(
    "right",
    [
        kron(I(u), ButterflySum(k, n, r)),
        kron(I(r), ButterflySum(k, u, n)),
        kron(ButterflySum(k, n, u), I(r)),
        ButterflySum(k, n, r * u),
        kron(I(r * u), A(k, n)),
    ],
    ids=[
        "u and r exchanged",
        "u and n exchanged",
        "factors of ⊗ exchanged",
        "one group",
        "no twiddles",
    ],
)
def test_wrong_corollary_2_3_is_not_proved(right):
    assert prove_equal(corollary().left, right, [theorem_2_2(u, n * u, k)]) is None


def test_theorem_2_2_at_another_size_does_not_help():
    for wrong in (theorem_2_2(r, n * r, k), theorem_2_2(u, n * u, 2 * k), theorem_2_2(n, n * u, k)):
        assert prove_equal(corollary().left, corollary().right, [wrong]) is None


@pytest.mark.parametrize("place", range(1, 4))
def test_wrong_line_of_a_proof_is_refused(place):
    proof = inserted_permutations()
    lines = list(proof.lines)
    gamma = Gamma(p, p, n * p)
    lines[place] = gamma @ lines[place]
    assert replace(proof, lines=tuple(lines)).verdict is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (kron(Variable("A", r), Variable("B", s)), kron(Variable("B", s), Variable("A", r))),
        (Variable("A", n) @ Variable("B", n), Variable("B", n) @ Variable("A", n)),
        (
            kron(I(m), Variable("A", n)) @ kron(I(m), Variable("B", n)),
            kron(I(m), Variable("B", n)) @ kron(I(m), Variable("A", n)),
        ),
        (kron(F(n), I(m)) @ kron(I(n), F(m)), kron(I(m), F(n)) @ kron(F(m), I(n))),
        (F(n) @ F(n), F(n)),
        (inverse(L(r * s, r)), L(r * s, r)),
        (inverse(Gamma(u, r * u, n * r * u)), Gamma(n, n * u, n * r * u)),
        (L(r * s, s) @ kron(F(r), I(s)), kron(F(r), I(s)) @ L(r * s, s)),
        (L(r * s, r) @ kron(F(r), I(s)), kron(I(s), F(r)) @ L(r * s, r)),
        (A(4 * r, 4 * r * s) @ A(2 * r, 4 * r * s), kron(D(4 * r), I(s))),
    ],
    ids=str,
)
def test_false_equation_is_not_proved(left, right):
    assert prove_equal(left, right) is None
    values = {r: 4, s: 2, n: 4, m: 2, u: 2}
    assert not equal(instantiate(left, values), instantiate(right, values))


@pytest.mark.parametrize(
    "wrong", [kron(F(p), I(e * p)), kron(I(p * e), F(p)), kron(I(e), kron(F(p), I(p)))], ids=str
)
def test_group_cyclic_form_with_another_last_transform_is_not_proved(wrong):
    split, gamma = cooley_tukey(p, p * e), Gamma(p, p, p * p * e)
    right = product(
        [inverse(gamma), wrong, gamma, T(p * p * e, p * e), kron(I(p), F(p * e)), L(p * p * e, p)]
    )
    assert prove_equal(split.left, right, [split]) is None


def test_two_phases_are_the_emitted_form():
    for ranks, rest in ((2, 1), (2, 4), (4, 2)):
        assert (
            instantiate(two_phases().lines[-1], {p: ranks, e: rest})
            == group_cyclic(ranks * ranks * rest, ranks).right
        )


def test_next_phase_ends_in_the_partial_product_of_the_emitted_form():
    ring = Monomials(64)
    units = ring.units(64, range(64))
    found = act(instantiate(next_phase().lines[-1], {d: 4, e: 1, g: 4, u: 1}), units, ring)
    assert any(
        np.array_equal(found, act(partial, units, ring)) for partial in group_cyclic(64, 16).partial
    )


def test_mixed_product_needs_equal_shapes():
    assert rules.mixed_product(kron(F(2), F(6)), kron(F(3), F(4))) is None
    assert rules.mixed_product(kron(F(r), F(s)), kron(F(s), F(r))) is None
    assert rules.mixed_product(kron(F(r), F(s)), kron(L(r, r), F(s))) == kron(
        F(r) @ L(r, r), F(s) @ F(s)
    )
    assert combine(kron(F(r), F(s)) @ kron(F(s), F(r))) == kron(F(r), F(s)) @ kron(F(s), F(r))


def test_layers_change_places_only_where_the_digits_are_visibly_others():
    assert rules.independent(kron(F(r), I(s)), kron(I(r), F(s)))
    assert not rules.independent(kron(F(r), I(s)), kron(I(s), F(r)))
    assert not rules.independent(kron(F(r), I(n / r)), kron(I(s), F(n / s)))
    assert not rules.independent(kron(F(4), I(2)), kron(I(2), F(4)))


def test_exponents_that_are_equal_after_expansion_are_equal():
    assert prove_equal(kron(I(r * (u + 1)), F(2)), kron(I(r), kron(I(u + 1), F(2)))) is not None
    assert prove_equal(F(2 ** (n + 1)), F(2 * 2**n)) is not None


def test_conditions_name_what_is_not_visible():
    assert conditions([L(r * s, r), F(n)]) == ()
    assert conditions([L(n, r), A(k, n), R(n)]) == (
        "n/r is a positive integer",
        "k/2 is a positive integer",
        "n/k is a positive integer",
        "n is a power of two",
    )


def test_sides_of_different_sizes_are_refused():
    with pytest.raises(ValueError, match="the sides of an equation have one size"):
        prove_equal(F(n), F(n + 1))


def test_assumption_is_used_only_where_its_surroundings_fit():
    pair = Equation("pair", "", kron(I(2), F(s)), Variable("X", 2 * s))
    assert normal_form(kron(I(6), F(s)), [pair])[-1].formula == kron(I(3), Variable("X", 2 * s))
    for formula in (kron(I(3), F(s)), kron(I(r), F(s)), kron(F(s), I(2)), kron(I(2), F(r))):
        assert normal_form(formula, [pair])[-1].formula == formula


def test_assumption_that_never_ends_is_named(monkeypatch):
    monkeypatch.setattr(rewrite, "LIMIT", 25)
    endless = Equation("endless", "", F(n), F(n) @ F(n))
    with pytest.raises(ValueError, match="no end after 25 steps"):
        prove_equal(F(n), I(n), [endless])


def test_corollary_3_2_and_1_6_give_cyclic_input_only_together():
    proof = cyclic_input()
    assert proof.verdict is not None
    for one in proof.assumptions:
        assert prove_chain(proof.lines, [one]) is None
    assert prove_chain(proof.lines, [corollary_3_2(n, n * p), proof.assumptions[1]]) is None


def test_stride_lemma_moves_digits():
    equation, proof = stride_lemma(d, g, s)
    assert isinstance(proof, Derived)
    for place in ({d: 2, g: 3, s: 5}, {d: 4, g: 1, s: 2}):
        assert equal(instantiate(equation.left, place), instantiate(equation.right, place))
    wrong = Equation("", "", equation.left, kron(I(g), L(d * s, s)) @ L(g * d * s, g))
    assert prove_moves(wrong, (s, d, g)) is None
    assert prove_moves(equation, (s, g, d)) is None


def test_moved_digits_are_those_of_the_dense_permutation():
    digits = (2, 3, 5)
    for formula in (
        L(30, 5),
        L(30, 15),
        Inverse(S(5, 30)),
        Gamma(5, 15, 30) @ L(30, 5),
        kron(L(6, 3), I(5)),
        kron(I(2), inverse(L(15, 5))),
    ):
        after = moved(formula, tuple(enumerate(digits)))
        if after is not None:
            axes = [number for number, _ in after]
            assert (
                dense(formula) @ np.arange(30)
                == np.arange(30).reshape(digits).transpose(axes).reshape(-1)
            ).all()


def test_normal_form_of_a_random_product_is_the_same_matrix_and_finds_its_shuffles():
    rng = random.Random(7)
    orders = (2, 3, 2)
    for _ in range(25):
        layers = [layer_at(rng.randrange(3), letter, orders) for letter in rng.choices("ABC", k=5)]
        formula = product(layers)
        final = normal_form(formula)[-1].formula
        assert equal(formula, final)
        i = rng.randrange(4)
        exchanged = layers[:i] + [layers[i + 1], layers[i]] + layers[i + 2 :]
        assert (derivation(formula, product(exchanged)) is not None) == equal(
            formula, product(exchanged)
        )


def test_normal_form_of_a_random_product_with_strides_is_the_same_matrix():
    rng = random.Random(11)
    strides = [
        L(12, 2),
        L(12, 3),
        L(12, 4),
        L(12, 6),
        kron(I(2), L(6, 2)),
        kron(I(2), L(6, 3)),
        kron(L(6, 2), I(2)),
        kron(L(4, 2), I(3)),
    ]
    for _ in range(60):
        layers = [layer_at(rng.randrange(3), letter, (2, 3, 2)) for letter in "ABC"] + rng.choices(
            strides, k=4
        )
        formula = product(rng.sample(layers, k=len(layers)))
        assert all(equal(formula, step.formula) for step in normal_form(formula))


def layer_at(place, letter, orders):
    before, order, after = (
        int(np.prod(orders[:place])),
        orders[place],
        int(np.prod(orders[place + 1 :])),
    )
    return kron(I(before), kron(Variable(f"{letter}{order}", order), I(after)))


def test_direct_sums_are_rewritten_term_by_term():
    left = direct_sum([inverse(L(r * s, r)) @ L(r * s, r), F(2)])
    assert prove_equal(left, direct_sum([I(r * s), F(2)])) is not None
    assert prove_equal(left, direct_sum([F(2), I(r * s)])) is None
