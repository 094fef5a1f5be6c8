"""The factorizations of F_N: true at every size in exact arithmetic, read a second time as dense
matrices, and refuted when changed.
"""

from __future__ import annotations

import re
from cmath import exp, pi
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from derive.exact import random_vectors
from derive.exact.action import act
from derive.exact.claim import Claim
from derive.exact.exact_check import check, decide
from derive.exact.measures import order
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Cyclotomic, Monomials, Paths, Terms
from derive.fields import RootField, powers, times, wide_primes
from derive.formula import grammar as f
from derive.formula import permutation_matrices, transforms
from derive.formula.grammar import Equation, I, kron, product
from derive.formula.permutation_matrices import L, R, S, inverse
from derive.formula.transforms import A, B, ButterflySum, F, T
from derive.papers import bsp, bsp_phases
from derive.papers.bsp_phases import powers_of_two
from derive.papers.bsp_variants import in_time
from derive.symbolic import explicit
from derive.verdict import Checked, Refuted
from tests.support import papers as stated
from tests.support.matrices import Reading, dense

SIZES = [(2**n, 2**p) for n in range(1, 7) for p in range(n)]
"""All powers of two P < N <= 64."""


def test_the_dense_fourier_matrix_is_that_of_numpy_conjugated():
    assert np.allclose(dense(F(12)), np.fft.fft(np.eye(12)).conj())


def test_the_dense_stride_permutation_reads_with_stride_r():
    x = np.arange(12)
    assert (dense(L(12, 3)) @ x).real.tolist() == [x[j * 3 + i] for i in range(3) for j in range(4)]


LEAVES = [
    *(
        I(3),
        F(1),
        F(2),
        F(6),
        F(8),
        transforms.Omega(4),
        transforms.Omega(3, Fraction(1, 4)),
        B(8),
        B(6, Fraction(1, 2)),
        A(4, 8),
        A(2, 8, Fraction(3, 4)),
    ),
    *(
        transforms.D(4),
        transforms.D(8),
        transforms.D(8, Fraction(1, 2)),
        transforms.D(12),
        T(8, 2),
        T(8, 4),
        T(12, 3),
        ButterflySum(4, 8, 2),
        ButterflySum(2, 2, 4),
    ),
    *(
        L(8, 2),
        L(12, 3),
        S(2, 8),
        S(4, 8),
        R(1),
        R(8),
        permutation_matrices.Gamma(2, 4, 16),
        permutation_matrices.Gamma(4, 4, 16),
        permutation_matrices.Gamma(1, 2, 8),
        transforms.AHat(2, 2, 4, 16),
        transforms.AHat(4, 4, 4, 16),
    ),
    *(
        inverse(L(12, 3)),
        inverse(permutation_matrices.Gamma(2, 4, 16)),
        kron(F(2), F(3)),
        kron(B(4), I(2)),
        kron(R(4), L(6, 2)),
        f.direct_sum([F(2), I(1), T(4, 2)]),
    ),
    *(F(4) @ L(4, 2) @ F(4), kron(F(2) @ F(2), T(4, 2))),
]


@pytest.mark.parametrize("formula", LEAVES, ids=str)
def test_every_formula_means_in_each_exact_ring_what_is_printed(formula):
    N = formula.size
    field = RootField.draw(48, np.random.default_rng(0))
    exact = Reading(lambda n, e: pow(field.w, int(48 * e / n), field.q), object)
    found = act(formula, Residues(field).units(N, range(N)), Residues(field))
    assert np.array_equal(found, exact(formula) % field.q)
    if 32 % order(formula) == 0:
        found = act(formula, Cyclotomic(32).units(N, range(N)), Cyclotomic(32))
        assert np.allclose(found @ [dense.w(32, e) for e in range(16)], dense(formula))
    try:
        found = act(formula, Monomials(48).units(N, range(N)), Monomials(48))
    except Collision:
        assert formula in (F(4) @ L(4, 2) @ F(4), kron(F(2) @ F(2), T(4, 2)))
    else:
        assert np.allclose(np.where(found < 0, 0, np.exp(2j * np.pi * found / 48)), dense(formula))


@pytest.mark.parametrize(
    "formula", [B(8), A(4, 8), transforms.D(8), T(8, 2), transforms.AHat(2, 2, 4, 16)], ids=str
)
def test_formal_sums_list_the_nonzero_entries_of_every_row(formula):
    N, ring = formula.size, Terms(48)
    found = np.zeros((N, N), complex)
    for row, terms in enumerate(ring.rows(act(formula, ring.units(N, range(N)), ring)).tolist()):
        for term in terms:
            found[row, term // 48] += dense.w(48, term % 48)
    assert np.allclose(found, dense(formula))


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_every_equation_holds_exactly(N, P):
    equations = bsp.equations(N, P)
    for equation in equations:
        verdict = check(equation)
        assert isinstance(verdict, Checked), str(verdict)
        assert verdict.error == 0
        N = equation.left.size
        assert re.match(
            rf"(all {N * N} entries|the nonzero entries of all {N} rows), exactly in Z(\[zeta_|$)",
            verdict.evidence,
        )
    names = {equation.name for equation in equations}
    assert {"bsp-1.6", "bsp-2.8", "bsp-lemma-3.1", "bsp-corollary-3.2", "bsp-fft"} <= names
    assert ("bsp-2.5" in names) == ("bsp-2.7" in names) == (P * P <= N)
    assert ("bsp-theorem-2.2" in names) == ("bsp-corollary-2.3" in names) == (P > 1)


@pytest.mark.parametrize(("N", "P"), [(N, P) for N, P in SIZES if N <= 32])
def test_every_equation_holds_for_dense_matrices(N, P):
    for equation in bsp.equations(N, P):
        assert np.allclose(dense(equation.left), dense(equation.right), atol=1e-11), str(equation)


@pytest.mark.parametrize("v", [2, 4, 8])
@pytest.mark.parametrize("P", [1, 2, 8])
def test_virtual_processors_change_nothing(v, P):
    equation = bsp.group_cyclic(64, P, v)
    assert isinstance(check(equation), Checked)
    assert len(f.factors_of(equation.right)) > len(f.factors_of(bsp.group_cyclic(64, P).right))
    assert np.allclose(dense(equation.right), dense(F(64)), atol=1e-11)


@pytest.mark.parametrize(("r", "s"), [(2, 3), (3, 4), (5, 3), (6, 6), (1, 7), (7, 1), (2, 16)])
def test_cooley_tukey_holds_beyond_powers_of_two(r, s):
    for equation in (stated.cooley_tukey(r, s), stated.transposed_cooley_tukey(r, s)):
        assert isinstance(check(equation), Checked)
        assert np.allclose(dense(equation.right), dense(F(r * s)), atol=1e-11)


def test_the_number_of_phases_is_the_smallest_power_that_reaches_N():
    for n in range(1, 41):
        for p in range(n):
            N, local = 2**n, 2 ** (n - p)
            H = bsp_phases.phases(N, 2**p)
            assert local**H >= N > local ** (H - 1)
    assert bsp_phases.phases(2**21, 2**18) == 7


def test_groups_grow_by_the_local_size_until_all_ranks_are_in_one():
    for n in range(1, 41):
        for p in range(n):
            N, P, local = 2**n, 2**p, 2 ** (n - p)
            groups, radices = bsp_phases.groups(N, P), bsp_phases.radices(N, P)
            assert len(groups) == len(radices) == bsp_phases.phases(N, P)
            assert groups[0] == 1
            assert all(after == min(P, before * local) for before, after in pairwise(groups))
            assert [np.prod(radices[1 : J + 1], dtype=object) for J in range(len(groups))] == list(
                groups
            )
            assert np.prod(radices, dtype=object) == N
            assert all(2 <= d <= local for d in radices)


def test_the_phases_of_the_largest_example_are_its_radices():
    assert bsp_phases.radices(2**21, 2**18) == (8,) * 7
    assert bsp_phases.groups(2**21, 2**18) == tuple(8**J for J in range(7))


def test_two_phases_are_refused_beyond_the_root_of_N():
    why = r"\(2\.7\) needs P <= sqrt\(N\), not P = {}, N = {}: \(2\.8\) is the general case"
    for N, P in SIZES:
        if P * P <= N:
            assert bsp.equation_2_7(N, P).left == F(N)
        else:
            with pytest.raises(ValueError, match=why.format(P, N)):
                bsp.equation_2_7(N, P)


@pytest.mark.parametrize(
    ("N", "P", "complaint"),
    [
        (24, 4, "powers of two; got N = 24"),
        (16, 6, "powers of two; got P = 6"),
        (16, 0, "ranks must be at least 1; got 0"),
        (0, 1, "size must be at least 1; got 0"),
        (-8, 1, "size must be at least 1; got -8"),
        (16, 16, "fft on powers of two needs P < N; got N = 16 and P = 16; try 8 ranks"),
        (16, 32, "got N = 16 and P = 32"),
        (1, 1, "got N = 1 and P = 1"),
    ],
)
def test_other_sizes_are_refused(N, P, complaint):
    for function in (
        bsp_phases.SIZES.exponents,
        bsp_phases.phases,
        bsp_phases.groups,
        bsp_phases.radices,
        bsp.equation_2_8,
        bsp.group_cyclic,
        bsp.equations,
    ):
        with pytest.raises(ValueError, match=complaint):
            function(N, P)


# Mutants: what is changed in an equation, and the factor that is to be named for it.


def changed(equation, place, *others):
    """Return the equation with the factor at this place, counted from the left, replaced by
    others.
    """
    factors = list(f.factors_of(equation.right))
    factors[place : place + 1] = others
    return replace(equation, right=product(factors))


def swapped(equation, i, j):
    """Return the equation with two factors exchanged."""
    factors = list(f.factors_of(equation.right))
    factors[i], factors[j] = factors[j], factors[i]
    return replace(equation, right=product(factors))


def conjugated_twiddle(N, s):
    """Return T^N_s with the weight of its last place conjugated, as a direct sum: w_N^-(ij) is
    w_2^1 w_N^(N/2 - ij).
    """
    i, j = N // s - 1, s - 1
    return f.direct_sum(
        [transforms.Omega(1, Fraction(2 * a * b, N)) for a in range(N // s) for b in range(s)][:-1]
        + [transforms.Omega(1, Fraction(-2 * i * j, N))]
    )


RADIX_2, EMITTED, PAPER = stated.equation_1_6(16), bsp.group_cyclic(16, 4), bsp.equation_2_8(16, 8)
MUTANTS = {
    "alpha of a stage": (
        changed(RADIX_2, 1, A(8, 16, 1)),
        "B_8^1 in factor 4 from the right, A_{8,16}^1",
    ),
    "a fraction in alpha": (
        changed(RADIX_2, 2, A(4, 16, Fraction(1, 2))),
        "B_4^{1/2} in factor 3 from the right, A_{4,16}^{1/2}",
    ),
    "a negative alpha": (
        changed(RADIX_2, 0, A(16, 16, -1)),
        "B_16^{-1} in factor 5 from the right, A_{16,16}^{-1}",
    ),
    "a stage is missing": (changed(RADIX_2, 2), "B_8 in factor 3 from the right, A_{8,16}"),
    "a stage is done twice": (
        changed(RADIX_2, 2, A(4, 16), A(4, 16)),
        "B_4 in factor 4 from the right, A_{4,16}",
    ),
    "two stages are exchanged": (
        swapped(RADIX_2, 1, 2),
        "B_8 in factor 3 from the right, A_{8,16}",
    ),
    "bit reversal is missing": (changed(RADIX_2, 4), "B_2 in factor 1 from the right, A_{2,16}"),
    "bit reversal comes last": (
        replace(RADIX_2, right=product([R(16), *f.factors_of(RADIX_2.right)[:-1]])),
        "B_2 in factor 1 from the right, A_{2,16}",
    ),
    "a shuffle for bit reversal": (
        changed(RADIX_2, 4, S(2, 16)),
        "S_{2,16} in factor 1 from the right, S_{2,16}",
    ),
    "another twiddle": (changed(EMITTED, 3, T(16, 8)), "T^16_8 in factor 3 from the right, T^16_8"),
    "no twiddle": (changed(EMITTED, 3), "Γ_{4,4,16} in factor 3 from the right, Γ_{4,4,16}"),
    "one twiddle conjugated": (
        changed(EMITTED, 3, conjugated_twiddle(16, 4)),
        "Ω_1^{-9/8} in factor 3 from the right",
    ),
    "another stride": (changed(EMITTED, 5, L(16, 2)), "L^16_2 in factor 1 from the right, L^16_2"),
    "the inverse of a stride": (
        changed(bsp.group_cyclic(32, 4), 5, L(32, 8)),
        "L^32_8 in factor 1 from the right, L^32_8",
    ),
    "a move the wrong way": (
        changed(bsp.group_cyclic(32, 4), 2, inverse(permutation_matrices.Gamma(4, 4, 32))),
        "Γ_{4,4,32}^-1 in factor 4 from the right",
    ),
    "the local transform along the other axis": (
        changed(EMITTED, 4, kron(F(4), I(4))),
        "(F_4 ⊗ I_4) in factor 2 from the right, (F_4 ⊗ I_4)",
    ),
    "twiddles and transform exchanged": (
        swapped(EMITTED, 3, 4),
        "T^16_4 in factor 2 from the right, T^16_4",
    ),
    "k of a stage in the paper's form": (
        changed(PAPER, 1, transforms.AHat(2, 4, 8, 16)),
        "Â_{2,4,8,16} in factor 12 from the right, Â_{2,4,8,16}",
    ),
    "the group of a stage in the paper's form": (
        changed(PAPER, 4, transforms.AHat(2, 2, 8, 16)),
        "Â_{2,2,8,16} in factor 9 from the right, Â_{2,2,8,16}",
    ),
    "a group too small": (
        changed(stated.theorem_2_2(4, 16, 4), 1, A(8, 16)),
        "B_8 in factor 1 from the right, A_{8,16}",
    ),
    "k,u in place of ku, as printed": (
        replace(stated.theorem_2_2(2, 16, 4), left=S(2, 16) @ A(4, 16) @ inverse(S(2, 16))),
        "B_4 in factor 2 from the right, A_{4,16}, on the left side",
    ),
    "a wrong u on the right": (
        replace(stated.corollary_2_3(2, 4, 16, 2), right=kron(I(4), ButterflySum(2, 4, 1))),
        "B_2",
    ),
    "the other half of a four-butterfly": (
        replace(bsp.equation_1_12(8), right=B(8) @ kron(B(4), I(2))),
        "(B_4 ⊗ I_2) in factor 1 from the right",
    ),
    "Lemma 3.1 with its factors exchanged": (
        replace(stated.lemma_3_1(2, 8), right=kron(R(4), R(2)) @ S(2, 8)),
        "S_{2,8} in factor 1 from the right",
    ),
    "Corollary 3.2 with the inverse shuffle": (
        changed(stated.corollary_3_2(2, 8), 2, S(4, 8)),
        "S_{4,8} in factor 1 from the right",
    ),
    "Cooley-Tukey with r for s": (
        changed(stated.cooley_tukey(3, 4), 1, T(12, 3)),
        "T^12_3 in factor 3 from the right",
    ),
    "another left side": (
        replace(bsp.equation_1_12(8), left=transforms.D(8, 1)),
        "D_8^1, the left side",
    ),
}

PLACE = re.compile(r"entry \((\d+), (\d+)\) is (.*) on the left and (.*) on the right")


def value(text: str) -> complex:
    """Return an element of Z[zeta] that a verdict prints: w_8, 0, or 2 - 3 w_8^3, here with the
    paper's w_n = exp(2πi/n). What is no integer has its value for exp(-2πi/n), numpy's.
    """
    text, _, shown = text.partition(" = ")
    terms = text.replace("- ", "-").replace("+ ", "+").replace(" w", "w")
    found = sum(map(term, re.split(r" [+]?", terms)), start=0j)
    assert bool(shown) == ("w_" in text)
    if shown:
        given = complex(shown.replace(" ", "").replace("i", "j"))
        assert np.isclose(given, found.conjugate(), rtol=1e-5, atol=1e-6)
    return found


def term(text: str) -> complex:
    """Return a term: 2, w_8, -w_8^3 or 2w_8^3."""
    found = re.fullmatch(r"(-?)(\d*)(?:w_(\d+)(?:\^(\d+))?)?", text)
    assert found and text, text
    root = dense.w(int(found[3]), int(found[4] or 1)) if found[3] else 1
    return int(f"{found[1]}{found[2] or 1}") * root


def assert_counterexample_is_one(equation, verdict):
    """Compute the entry that a verdict names a second time, on both sides."""
    place = PLACE.fullmatch(verdict.counterexample)
    row, column = int(place[1]), int(place[2])
    left, right = dense(equation.left)[row, column], dense(equation.right)[row, column]
    assert abs(left - right) > 1e-6
    assert np.isclose(left, value(place[3]))
    assert np.isclose(right, value(place[4]))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_equation_is_refuted_by_an_entry_and_its_smallest_wrong_factor(name):
    equation, wrong = MUTANTS[name]
    verdict = check(equation)
    assert isinstance(verdict, Refuted)
    assert_counterexample_is_one(equation, verdict)
    assert wrong
    assert verdict.wrong.startswith(wrong)


def damaged(formula):
    """Yield formulas of the same size with one thing changed: an exponent, a stride, a size, a
    direction, the order of a product ⊗.
    """
    match formula:
        case f.Kron((left, right)):
            yield from (f.Kron((left, other)) for other in damaged(right))
            yield from (f.Kron((other, right)) for other in damaged(left))
            yield f.Kron((right, left))
        case f.Applied("inv", of):
            yield of
            yield from (inverse(other) for other in damaged(of))
        case A(K, N, alpha):
            yield from (A(K, N, alpha + 1), A(K, N, alpha + Fraction(1, 2)), A(K, N, -1 - alpha))
            yield from (
                A(other, N, alpha) for other in (2 * K, K // 2) if other > 1 and N % other == 0
            )
        case B(K, alpha):
            yield from (B(K, alpha + 1), B(K, alpha - Fraction(1, 2)))
        case T(N, s):
            yield from (
                T(N, other) for other in (s // 2, 2 * s, N // s) if other and N % other == 0
            )
            yield conjugated_twiddle(N, s)
        case F(n):
            yield from (
                (f.direct_sum([I(1), F(n - 1)]), f.direct_sum([F(n - 1), I(1)])) if n > 1 else ()
            )
        case L(N, r):
            yield inverse(formula)
            yield from (
                permutation_matrices.stride(N, other)
                for other in (2 * r, r // 2)
                if other and N % other == 0
            )
        case S(u, M):
            yield inverse(formula)
            yield from (S(other, M) for other in (2 * u, u // 2) if other and M % other == 0)
        case permutation_matrices.Gamma(u, p, N):
            yield inverse(formula)
            yield from (
                permutation_matrices.Gamma(other, p, N)
                for other in (2 * u, u // 2)
                if other and p % other == 0
            )
        case R(N):
            yield from (S(2, N), f.direct_sum([I(N // 2), R(N // 2)])) if N > 1 else ()
        case transforms.AHat(k, u, p, N):
            sizes = [(2 * k, u), (k // 2, u), (k, 2 * u), (k, u // 2)]
            yield from (
                transforms.AHat(a, b, p, N)
                for a, b in sizes
                if a > 1 and b and p % b == 0 and N // p % a == 0
            )
        case ButterflySum(k, n, u):
            ranks = [A(k, n, Fraction(s, u)) for s in range(u)]
            yield f.direct_sum([*ranks[:-1], A(k, n, Fraction(u, u))])
            yield f.direct_sum([A(k, n)] * u)


def same_matrix(one, other):
    return np.allclose(dense(one), dense(other), atol=1e-9)


def every_equation(N, P):
    """Return every equation of this size, and the emitted form with virtual processors, no two of
    the same text.
    """
    more = [bsp.group_cyclic(N, P, v) for v in (2, N // P)] + [
        stated.cooley_tukey(3, 4),
        stated.transposed_cooley_tukey(4, 3),
        in_time((2, 3, 4)),
        in_time((4, 2, 2)),
    ]
    return {str(equation): equation for equation in (*bsp.equations(N, P), *more)}.values()


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("N", "P"), [(8, 2), (16, 4), (16, 8), (32, 4)])
def test_in_every_equation_the_damaged_factor_is_named(N, P):
    for equation in every_equation(N, P):
        for side, name in ((equation.right, "right"), (equation.left, "left")):
            factors = f.factors_of(side)
            if name == "left" and len(factors) == 1:
                continue
            for i, factor in enumerate(reversed(factors)):
                others = [other for other in damaged(factor) if not same_matrix(other, factor)]
                assert others or same_matrix(factor, I(factor.size)) or factor.size == 2, str(
                    factor
                )
                for other in others:
                    kept = list(factors)
                    kept[-1 - i] = other
                    verdict = check(
                        replace(
                            equation, **{name: f.Product(tuple(kept)) if len(kept) > 1 else other}
                        )
                    )
                    assert isinstance(verdict, Refuted)
                    if len(kept) > 1:
                        assert f" in factor {i + 1} from the right, {other}" in verdict.wrong
                        assert verdict.wrong.endswith("on the left side") == (name == "left")
                    else:
                        assert (
                            "_" in verdict.wrong
                            and "factor" not in verdict.wrong
                            and "side" not in verdict.wrong
                        )


@pytest.mark.long
@pytest.mark.sampled(4)
@pytest.mark.parametrize(("N", "P"), [(8, 2), (16, 4), (16, 8), (32, 4)])
def test_in_every_equation_a_factor_left_out_done_twice_or_out_of_order_is_named(N, P):
    for equation in every_equation(N, P):
        factors = f.factors_of(equation.right)[::-1]
        for i, factor in enumerate(factors if len(factors) > 1 else ()):
            if not same_matrix(factor, I(factor.size)):
                without, twice = (
                    [*factors[:i], *factors[i + 1 :]],
                    [*factors[:i], factor, *factors[i:]],
                )
                verdict = check(replace(equation, right=product(without[::-1])))
                assert isinstance(verdict, Refuted)
                after = next(
                    (k for k in range(i + 1, len(factors)) if not same_matrix(factors[k], factor)),
                    len(factors),
                )
                place = (
                    f"factor {after} from the right, {factors[after]}"
                    if after < len(factors)
                    else "a factor left of"
                )
                assert place in verdict.wrong and "missing" in verdict.wrong
                verdict = check(replace(equation, right=product(twice[::-1])))
                assert isinstance(verdict, Refuted)
                assert f"factor {after + 1} from the right, {twice[after]}" in verdict.wrong
            if i and not same_matrix(factor @ factors[i - 1], factors[i - 1] @ factor):
                verdict = check(
                    replace(
                        equation,
                        right=product(
                            [*factors[: i - 1], factor, factors[i - 1], *factors[i + 1 :]][::-1]
                        ),
                    )
                )
                assert isinstance(verdict, Refuted)
                assert f" in factor {i} from the right, {factor}" in verdict.wrong


def test_an_equation_that_is_as_it_was_made_names_no_factor():
    """It has nothing to be compared with; an entry is named all the same."""
    right = changed(stated.cooley_tukey(2, 4), 1, T(8, 2)).right
    verdict = check(Equation("", "", F(8), right))
    assert isinstance(verdict, Refuted) and verdict.counterexample and not verdict.wrong


@pytest.mark.parametrize(
    ("N", "P"), [(8, 2), (16, 4), (16, 8), pytest.param(32, 16, marks=pytest.mark.slow)]
)
def test_no_factor_can_be_left_out_or_done_twice(N, P):
    equation = bsp.group_cyclic(N, P)
    for i, factor in enumerate(f.factors_of(equation.right)):
        for mutant in (changed(equation, i), changed(equation, i, factor, factor)):
            verdict = check(mutant)
            assert isinstance(verdict, Refuted), str(mutant)
            assert_counterexample_is_one(mutant, verdict)
            assert verdict.wrong


# Entries that are sums of roots of unity.


@cache
def squares(N):
    """Return F_N F_N = (the radix-2 product)^2, every entry of which is a sum of N roots of
    unity.
    """
    radix_2 = stated.equation_1_6(N).right
    return Equation("square", "", F(N) @ F(N), radix_2 @ radix_2)


def test_sums_of_roots_are_compared_in_the_cyclotomic_integers():
    verdict = check(squares(16))
    assert isinstance(verdict, Checked)
    assert verdict.error == 0
    assert verdict.evidence == "all 256 entries, exactly in Z[zeta_16]"


def test_the_fourth_power_of_a_fourier_matrix_is_a_multiple_of_the_identity():
    assert isinstance(
        check(Equation("", "", F(4) @ F(4) @ F(4) @ F(4), kron(product([F(2)] * 8), I(2)))), Checked
    )
    wrong = Equation("", "", F(4) @ F(4) @ F(4) @ F(4), kron(product([F(2)] * 6), I(2)))
    assert_counterexample_is_one(wrong, check(wrong))
    assert "is 16 on the left and 8 on the right" in check(wrong).counterexample


@pytest.mark.parametrize(
    "right",
    [
        stated.equation_1_6(16).right @ changed(RADIX_2, 1, A(8, 16, 1)).right,
        stated.equation_1_6(16).right @ swapped(RADIX_2, 1, 2).right,
        F(16) @ R(16) @ F(16),
        product([F(16)] * 6),
        kron(F(4) @ F(4), F(4) @ F(4)),
    ],
)
def test_wrong_sums_of_roots_are_refuted_by_an_entry(right):
    equation = Equation("", "", F(16) @ F(16), right)
    verdict = check(equation)
    assert isinstance(verdict, Refuted)
    assert_counterexample_is_one(equation, verdict)


def test_sums_of_roots_of_large_or_odd_order_are_compared_in_a_finite_field():
    odd = stated.cooley_tukey(3, 2)
    for equation in (Equation("", "", F(6) @ F(6), odd.right @ odd.right), squares(512)):
        verdict = check(equation)
        assert isinstance(verdict, Checked)
        assert re.match(
            r"\d random vectors over random GF\(q\), q = 1 mod \d+: false", verdict.evidence
        )
        assert 0 < verdict.error < random_vectors.GOAL
        assert f"false with probability at most {verdict.error:.1e}" in verdict.evidence


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    "equation",
    [
        Equation(
            "",
            "",
            F(6) @ F(6),
            changed(stated.cooley_tukey(3, 2), 1).right @ stated.cooley_tukey(3, 2).right,
        ),
        Equation("", "", F(512) @ F(512), F(512) @ R(512) @ F(512)),
        Equation("", "", F(3) @ F(3), F(3) @ F(3) @ F(3) @ F(3)),
    ],
    ids=["a twiddle left out", "bit reversal between", "nine times"],
)
def test_wrong_sums_in_a_finite_field_are_refuted_by_an_entry(equation):
    verdict = check(equation)
    assert isinstance(verdict, Refuted)
    row, column, left, right = PLACE.fullmatch(verdict.counterexample).groups()
    assert (
        abs(
            dense(equation.left)[int(row), int(column)]
            - dense(equation.right)[int(row), int(column)]
        )
        > 1e-6
    )
    assert left != right
    assert re.fullmatch(r"\d+ in GF\(\d+\)", left) and re.fullmatch(r"\d+ in GF\(\d+\)", right)


# Sizes at which random vectors decide.

LARGE = 2**13


@pytest.mark.parametrize("P", [1, 2, 64, 128, 2**12])
def test_large_sizes_are_checked_by_random_vectors_with_a_small_error(P):
    for equation in (
        bsp.group_cyclic(LARGE, P),
        bsp.group_cyclic(LARGE, P, 2),
        bsp.equation_2_8(LARGE, P),
    ):
        verdict = check(equation)
        assert isinstance(verdict, Checked)
        assert 0 < verdict.error < 2**-32
        assert f"false with probability at most {verdict.error:.1e}" in verdict.evidence
        assert "one path to every entry" in verdict.evidence
        assert "a random vector over a random GF(q), q = 1 mod 8192" in verdict.evidence


def test_short_rows_are_compared_exactly_at_large_sizes():
    for equation in (
        stated.theorem_2_2(64, LARGE, 16),
        bsp.equation_1_12(LARGE),
        stated.lemma_3_1(16, LARGE),
    ):
        verdict = check(equation)
        assert isinstance(verdict, Checked)
        assert verdict.error == 0


LARGE_EMITTED, LARGE_PAPER = bsp.group_cyclic(LARGE, 16), bsp.equation_2_8(LARGE, 2**12)
LARGE_MUTANTS = {
    "another twiddle": (
        changed(LARGE_EMITTED, 3, T(LARGE, 1024)),
        "T^8192_1024 in factor 3 from the right",
    ),
    "no twiddle": (changed(LARGE_EMITTED, 3), "Γ_{16,16,8192} in factor 3 from the right"),
    "another stride": (
        changed(LARGE_EMITTED, 5, L(LARGE, 512)),
        "L^8192_512 in factor 1 from the right",
    ),
    "no move back": (changed(LARGE_EMITTED, 0), "a factor left of (I_16 ⊗ F_16 ⊗ I_32): 1 missing"),
    "another group": (
        changed(LARGE_PAPER, 1, transforms.AHat(2, 1024, 2**12, LARGE)),
        "Â_{2,1024,4096,8192} in factor ",
    ),
    "one butterfly of one rank": (
        changed(
            stated.equation_1_6(LARGE),
            11,
            f.direct_sum([B(4)] * 1023 + [B(4, Fraction(1, 2))] + [B(4)] * 1024),
        ),
        "B_4^{1/2} in factor 3 from the right",
    ),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", LARGE_MUTANTS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_wrong_equations_of_large_size_are_refuted_by_random_vectors(name, seed):
    equation, wrong = LARGE_MUTANTS[name]
    verdict = check(equation, seed)
    assert isinstance(verdict, Refuted)
    place = PLACE.fullmatch(verdict.counterexample)
    row, column = int(place[1]), int(place[2])
    assert np.isclose(value(place[3]), dense.w(LARGE, row * column))
    assert not np.isclose(value(place[3]), value(place[4]))
    assert verdict.wrong.startswith(wrong)


def test_a_wrong_row_of_a_sparse_matrix_of_large_size_is_found():
    equation = stated.theorem_2_2(64, LARGE, 16)
    right = f.direct_sum(
        [A(16, 128, Fraction(s, 64)) for s in range(63)] + [A(16, 128, Fraction(62, 64))]
    )
    verdict = check(replace(equation, right=right))
    row, column, left, other = PLACE.fullmatch(verdict.counterexample).groups()
    assert int(row) >= 63 * 128 and int(column) >= 63 * 128
    assert left != other
    assert verdict.wrong == "B_16^{31/32}"


def test_a_large_equation_whose_left_side_is_no_fourier_matrix_is_checked_and_refuted():
    radix_2, emitted = stated.equation_1_6(LARGE).right, LARGE_EMITTED.right
    assert isinstance(check(Equation("", "", radix_2, emitted)), Checked)
    verdict = check(Equation("", "", radix_2, LARGE_MUTANTS["another twiddle"][0].right))
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample == (
        "entry (1, 1) is w_8192 = 1 - 0.00076699i on the left and 1 on the right"
    )


def test_an_order_without_primes_is_refused():
    with pytest.raises(ValueError, match="no prime q = 1 mod 2147483648 lies between"):
        RootField.draw(2**31, np.random.default_rng(0))


def test_a_drawn_root_is_primitive():
    for zeta in (2, 12, 48, 1024):
        field = RootField.draw(zeta, np.random.default_rng(zeta))
        assert field.q % zeta == 1 and 2**30 < field.q < 2**31
        powers = [pow(field.w, e, field.q) for e in range(zeta)]
        assert len(set(powers)) == zeta
        assert field.powers.tolist() == powers


# Sizes and shapes beyond the equations of the papers.


@pytest.mark.parametrize(("r", "s"), [(3, 4096), (4096, 3), (1031, 8), (5, 1000), (97, 97)])
def test_every_size_is_checked_beyond_4096(r, s):
    for equation in (stated.cooley_tukey(r, s), stated.transposed_cooley_tukey(r, s)):
        verdict = check(equation)
        assert isinstance(verdict, Checked)
        assert 0 < verdict.error < random_vectors.GOAL


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("r", "s"), [(3, 4096), (8, 1031)])
def test_wrong_equations_of_every_size_are_refuted_by_an_entry(r, s):
    verdict = check(changed(stated.cooley_tukey(r, s), 1, T(r * s, r)))
    assert PLACE.fullmatch(verdict.counterexample)
    assert verdict.wrong == f"T^{r * s}_{r} in factor 3 from the right, T^{r * s}_{r}"


@pytest.mark.parametrize("N", [1, 2, 3, 5, 8, 12, 15, 49, 96, 1024, 3 * 2048])
def test_a_transform_over_a_finite_field_is_its_definition(N):
    field = RootField.draw(N, np.random.default_rng(N), np.array(wide_primes(N)))
    ring, x = Residues(field), np.random.default_rng(N).integers(0, field.q, (N, 2))
    y = act(F(N), x, ring)
    for k in {0, 1 % N, N // 2, N - 1}:
        want = sum(int(field.powers[j * k % N]) * x[j].astype(object) for j in range(N)) % field.q
        assert y[k].tolist() == want.tolist()


@pytest.mark.parametrize("q", [5, 2**31 - 1, wide_primes(8)[0], 2**48 - 59])
def test_residues_are_multiplied_exactly(q):
    rng = np.random.default_rng(q)
    a, b = (
        np.append(rng.integers(0, q, 10**5), [0, 1, q - 1, q - 1, q - 2]),
        np.append(rng.integers(0, q, 10**5), [q - 1, q - 1, 1, q - 1, q - 1]),
    )
    want = (a.astype(object) * b.astype(object) % q).tolist()
    assert times(a, b, q).tolist() == want
    assert times(a, q - 1, q).tolist() == [(q - int(x)) % q for x in a]
    assert powers(q - 2, 100, q).tolist() == [pow(q - 2, e, q) for e in range(100)]


UNEVEN = f.direct_sum([B(4), I(1), transforms.D(4), T(4, 2), F(3), I(1)])


def test_direct_sums_of_rows_of_different_lengths_are_compared_exactly():
    assert isinstance(check(Equation("", "", UNEVEN, UNEVEN)), Checked)
    split = Equation(
        "",
        "",
        f.direct_sum([transforms.D(2**13), I(2**13)]),
        f.direct_sum([B(2**13) @ kron(I(2), B(2**12)), I(2**13)]),
    )
    assert check(split).evidence == "the nonzero entries of all 16384 rows, exactly in Z[zeta_8192]"
    shorter = check(replace(split, right=f.direct_sum([I(2**13), transforms.D(2**13)])))
    assert shorter.counterexample == "entry (0, 2048) is 1 on the left and 0 on the right"


def test_rows_that_differ_in_one_entry_more_are_refuted():
    verdict = check(Equation("", "", f.direct_sum([F(2), I(2)]), I(4)))
    assert verdict.counterexample == "entry (0, 1) is 1 on the left and 0 on the right"


def test_paths_are_counted():
    x = Paths(8).units(8, range(8))
    assert (act(bsp.group_cyclic(8, 2).right, x, Paths(8)) == 1).all()
    assert (act(F(8) @ F(8), x, Paths(8)) == 8).all()


def test_two_paths_to_an_entry_leave_it_to_more_fields():
    """F F^-1 F with an inverse that is made of two transforms: true, but no entry is a single root
    of unity on the way.
    """
    N = 2**13
    turned = F(N) @ kron(I(2), I(N // 2))
    once = check(stated.equation_1_6(N))
    sums = check(
        Equation(
            "", "", turned @ turned, stated.equation_1_6(N).right @ bsp.group_cyclic(N, 4).right
        )
    )
    assert "one path" in once.evidence and "one path" not in sums.evidence
    assert isinstance(sums, Checked) and 0 < sums.error < random_vectors.GOAL


def test_a_false_claim_about_a_transform_does_not_pass_for_one_with_single_paths():
    """Every entry is 1 in absolute value, and each is reached by one path; one of them is wrong."""
    N = 2**13

    def wrong(x, ring):
        y = act(F(N), x, ring)
        return np.concatenate([y[:-1], ring.twist(y[-1:], 1, N)])

    claim = Claim("", N, N, 2 * N, lambda x, ring: act(F(N), x, ring), wrong, fourier=True)
    verdict = decide(claim)
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample == (
        "entry (8191, 0) is 1 on the left and w_8192 = 1 - 0.00076699i on the right"
    )


@pytest.mark.parametrize(("N", "P"), [(8, 2), (16, 4), (64, 8)])
def test_every_equation_is_there_for_the_sizes_that_the_transform_uses(N, P):
    found = {str(equation) for equation in bsp.equations(N, P)}
    n, used = (
        N // P,
        [
            (u, 2**k)
            for u in bsp_phases.groups(N, P)
            if u > 1
            for k in range(1, (N // P).bit_length())
        ],
    )
    wanted = [
        stated.equation_1_6(N),
        bsp.equation_2_8(N, P),
        stated.lemma_3_1(P, N),
        stated.corollary_3_2(P, N),
        bsp.group_cyclic(N, P),
    ]
    wanted += [bsp.equation_1_12(2**k) for k in range(2, N.bit_length())]
    wanted += [stated.theorem_2_2(u, u * n, k) for u, k in used] + [
        stated.corollary_2_3(P // u, P, N, k) for u, k in used
    ]
    wanted += [stated.equation_2_5(N, P), bsp.equation_2_7(N, P)] if P * P <= N else []
    assert found == {str(equation) for equation in wanted}


@pytest.mark.parametrize(
    "make",
    [
        lambda: I(0),
        lambda: F(0),
        lambda: F(-2),
        lambda: B(0),
        lambda: T(0, 2),
        lambda: L(8, -2),
        lambda: transforms.Omega(0),
        lambda: R(0),
    ],
)
def test_a_size_is_at_least_1(make):
    with pytest.raises(ValueError, match=r"a size is at least 1|must be a power of two"):
        make()


@pytest.mark.parametrize("N", [16, 32, 128])
def test_exchanges_are_local_permutations_and_packets(N):
    for P in powers_of_two(2, N // 2):
        for equation in bsp_phases.exchanges(N, P):
            assert check(equation).holds
            assert not check(replace(equation, right=equation.right @ R(N))).holds


@pytest.mark.parametrize(("u", "M", "k"), [(1, 8, 2), (2, 8, 4), (4, 32, 2), (4, 64, 16)])
def test_appendix_a_is_the_stage_of_theorem_2_2(u, M, k, monkeypatch):
    assert bsp_phases.lemma_a_1(u, M, k).holds
    rows = bsp_phases.equation_a_3(u, M, k)
    assert np.array_equal(rows, bsp_phases.equation_a_2(u, M, k))
    stage = explicit(stated.theorem_2_2(u, M, k).right)
    for row, (p, q, e) in enumerate(rows.tolist()):
        others = {j: stage[row, j] for j in range(M) if stage[row, j] != 0}
        assert others.pop(p) == 1 and list(others) == [q]
        assert abs(complex(others[q]) - exp(2j * pi * e / (k * u))) < 1e-12
    if u > 1:
        monkeypatch.setattr(bsp_phases, "sigma", lambda u, M, j: j)
        assert not bsp_phases.lemma_a_1(u, M, k).holds
        assert not np.array_equal(bsp_phases.equation_a_2(u, M, k), rows)


@pytest.mark.parametrize("name", ["lemma-a.1", "a.1", "a.2", "a.3"])
def test_check_has_appendix_a_and_refuses_what_is_not_it(name, monkeypatch):
    found = {each: verdict for each, _, verdict in bsp_phases.appendix_a(64, 8)}
    assert all(verdict.holds for verdict in found.values()) and f"bsp-{name}" in found
    if name == "lemma-a.1":
        monkeypatch.setattr(bsp_phases, "sigma", lambda u, M, j: j ^ (j == 5))
    else:
        made = f"equation_{name.replace('.', '_')}"
        whole = getattr(bsp_phases, made)
        monkeypatch.setattr(bsp_phases, made, lambda *sizes: np.roll(whole(*sizes), 1, axis=1))
    refuted = {each for each, _, verdict in bsp_phases.appendix_a(64, 8) if not verdict.holds}
    assert f"bsp-{name}" in refuted
