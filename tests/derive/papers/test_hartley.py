"""The Hartley transform: its factorization, partition, tables and ranks, exactly at every size that
is tried, and refuted when changed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
import sympy

from derive.exact.action import act
from derive.exact.angles import Angles
from derive.exact.exact_check import check, decide
from derive.exact.measures import row_sum, scale
from derive.exact.residues import Residues
from derive.exact.rings import Collision
from derive.fields import RootField
from derive.formula.grammar import Equation, I, factors_of, kron, product
from derive.formula.latex import latex
from derive.formula.permutation_matrices import L, R, S
from derive.formula.transforms import BH, LH, H
from derive.gf2.bits import Affine
from derive.gf2.bmmc import bit_reversal
from derive.gf2.recognize import Witness, recognize
from derive.papers import (
    hartley,
    hartley_check,
    hartley_layouts,
    hartley_lists,
    hartley_ranks,
    hartley_tables,
)
from derive.papers.hartley_layouts import HartleyLayout, input_layout
from derive.papers.hartley_lists import Floats, exchange
from derive.papers.hartley_ranks import first_stage_back, forward, partner_stage_back
from derive.symbolic import explicit, matrix, positive_integers
from derive.verdict import Checked, Refuted
from tests.support import papers as stated
from tests.support.equations import instantiate_equation
from tests.support.matrices import cas, factor_of, matrix_of

SIZES = [(1 << n, 1 << p) for n in range(1, 9) for p in range(n)]
"""All powers of two N <= 256, P <= N/2."""


def residues(N):
    return Residues(RootField.draw(max(8, N), np.random.default_rng(5)))


# The factorization


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("N", [1 << n for n in range(1, 13)])
def test_the_factorization_is_true_in_every_entry_up_to_4096(N):
    verdict = check(hartley.factorization(N))
    assert isinstance(verdict, Checked)
    assert verdict.error == 0
    assert f"all {N * N} entries" in verdict.evidence


@pytest.mark.parametrize("N", [2**13, 2**16])
def test_the_factorization_is_true_at_large_sizes_with_a_stated_error(N):
    verdict = check(hartley.factorization(N))
    assert isinstance(verdict, Checked)
    assert 0 < verdict.error < 2**-32


@pytest.mark.parametrize("h", range(1, 25))
def test_a_stage_doubles_the_size_for_every_size(h):
    assert isinstance(check(stated.hartley_step(h)), Checked)


@pytest.mark.parametrize("N", [2, 4, 8, 16, 32, 64])
def test_the_formulas_mean_what_the_definitions_say(N):
    n = N.bit_length() - 1
    field = residues(N).field
    assert np.allclose(matrix_of(N) @ matrix_of(N), N * np.eye(N))
    dense = np.eye(N)[bit_reversal(n)(np.arange(N))]
    for s in range(1, n + 1):
        assert np.allclose(
            np.array(explicit(LH(s, N)).evalf(), dtype=float) if N <= 8 else factor_of(s, N),
            factor_of(s, N),
        )
        dense = factor_of(s, N) @ dense
    assert np.allclose(dense, matrix_of(N))
    ring = Residues(field)
    units = ring.units(N, range(N))
    for s in range(1, n + 1):
        found = act(LH(s, N), units, ring)
        cosine, sine = (
            ring.rotate(units, 0 * units, np.arange(N), 1 << s),
            ring.rotate(0 * units, units, np.arange(N), 1 << s),
        )
        wanted = np.zeros_like(found)
        for m in range(N):
            a, b, c = hartley.inputs(s, m)
            wanted[m] = (units[a] + cosine[m, m] * units[b] + sine[m, m] * units[c]) % field.q
        assert np.array_equal(found, wanted)


def test_cosines_and_sines_in_a_finite_field_are_those_of_its_root_of_unity():
    ring = residues(16)
    q, w, i = ring.field.q, ring.field.w, pow(ring.field.w, 4, ring.field.q)
    one, zero = np.ones((16, 1), np.int64), np.zeros((16, 1), np.int64)
    cosine, sine = (
        ring.rotate(one, zero, np.arange(16), 16)[:, 0].tolist(),
        ring.rotate(zero, one, np.arange(16), 16)[:, 0].tolist(),
    )
    for e in range(16):
        assert 2 * cosine[e] % q == (pow(w, e, q) + pow(w, -e, q)) % q
        assert 2 * i * sine[e] % q == (pow(w, e, q) - pow(w, -e, q)) % q
        column = act(H(16), ring.units(16, range(1, 2)), ring)[:, 0].tolist()
        assert column[e] == (cosine[e] + sine[e]) % q


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("N", [16, 64, 2**13])
@pytest.mark.parametrize(
    "damage",
    [
        "dropped",
        "doubled",
        "swapped",
        "stage of another order",
        "no reversal",
        "shuffle for reversal",
    ],
)
def test_a_wrong_factorization_is_refuted_and_its_factor_is_named(N, damage):
    equation = hartley.factorization(N)
    factors = list(factors_of(equation.right))
    n, wrong = len(factors) - 1, 1  # L_{n-1}
    if damage == "dropped":
        del factors[wrong]
    elif damage == "doubled":
        factors.insert(wrong, factors[wrong])
    elif damage == "swapped":
        factors[0], factors[1] = factors[1], factors[0]
    elif damage == "stage of another order":
        factors[wrong] = LH(n, N)
    elif damage == "no reversal":
        del factors[-1]
    else:
        factors[-1] = S(2, N)
    verdict = check(replace(equation, right=product(factors)))
    assert isinstance(verdict, Refuted)
    named = {"no reversal": "LH_{1,", "shuffle for reversal": "S_{2,"}.get(damage)
    expected = (named,) if named else (f"LH_{{{n},", f"LH_{{{n - 1},", f"BH_{N}", f"BH_{N // 2}")
    assert any(name in verdict.wrong for name in expected), verdict


def test_a_refutation_names_an_entry_and_its_numbers():
    verdict = check(Equation("", "", H(8), product([LH(3, 8), LH(2, 8), LH(1, 8), L(8, 2)])))
    assert isinstance(verdict, Refuted)
    assert (
        verdict.counterexample
        == "entry (1, 2) is cas(2π·1/4) = 1 on the left and cas(2π·1/2) = -1 on the right"
    )


def test_equal_numbers_in_two_ways_are_no_difference():
    """cas(b) = cas(pi/2 - b): BH_4 is H_2 ⊗ I_2, written otherwise; BH_8 is no H_2 ⊗ I_4."""
    assert isinstance(check(Equation("", "", H(4), kron(H(2), I(2)) @ LH(1, 4) @ R(4))), Checked)
    assert isinstance(
        check(Equation("", "", H(8), product([kron(H(2), I(4)), LH(2, 8), LH(1, 8), R(8)]))),
        Refuted,
    )


@pytest.mark.parametrize("order", [8, 16, 24, 40])
def test_angles_are_numbers(order):
    ring, e = Angles(order), np.arange(-1, order)
    value = np.where(e < 0, 0, cas(order, e))
    lowest = ring.lowest(e)
    equal = abs(value[:, None] - value) < 1e-9
    assert np.array_equal(equal, lowest[:, None] == lowest)
    for a in range(order):
        b = np.arange(order)
        for x in (b, (order // 4 - b) % order):
            for y in (-b % order, (order // 4 + b) % order):
                assert np.allclose(cas(order, ring.rotate(x, y, a, order)), cas(order, a + b))


def test_angles_refuse_what_they_do_not_know():
    ring, one, none = Angles(16), np.array([0]), np.array([-1])
    for forbidden in (
        lambda: ring.add(one, one),
        lambda: ring.twist(one, 1, 4),
        lambda: ring.rotate(one, none, 1, 16),
        lambda: ring.rotate(np.array([1]), np.array([1]), 1, 16),
        lambda: ring.fourier(one),
        lambda: ring.hartley(np.array([[1], [-1]])),
        lambda: ring.hartley(np.array([[0], [0]])),
    ):
        with pytest.raises(Collision):
            forbidden()


@pytest.mark.parametrize("N", [4, 8, 16])
def test_the_bounds_that_errors_rest_on_hold(N):
    """For every primitive root of unity `scale` times an entry is an integer combination of its
    powers, with sums of absolute values as stated.
    """
    n = N.bit_length() - 1
    for formula, dense in (
        (H(N), matrix_of(N)),
        *((LH(s, N), factor_of(s, N)) for s in range(1, n + 1)),
    ):
        assert abs(dense).sum(axis=1).max() <= row_sum(formula)
        assert scale(formula) == 2
    assert scale(hartley.factorization(N).right) == 2**n


# Symbolic sizes


def test_the_equations_exist_with_symbolic_sizes():
    N, s, h, i, j = positive_integers("N s h i j")
    assert matrix(H(N)).shape == (N, N)
    assert matrix(H(N))[i, j] == sympy.cos(2 * sympy.pi * i * j / N) + sympy.sin(
        2 * sympy.pi * i * j / N
    )
    step, factor = stated.hartley_step(h), stated.hartley_factor(s, N)
    assert str(step) == "H_{2*h} = BH_{2*h} (I_2 ⊗ H_h) S_{2,2*h}"
    assert latex(step) == r"H_{2 h} = B^{\mathrm{H}}_{2 h} \, (I_{2} \otimes H_{h}) \, S_{2,2 h}"
    assert (
        latex(hartley.factorization(4))
        == r"H_{4} = L^{\mathrm{H}}_{2,4} \, L^{\mathrm{H}}_{1,4} \, P_{4}"
    )
    for value in range(1, 7):
        assert isinstance(check(instantiate_equation(step, {h: value})), Checked)
    assert instantiate_equation(factor, {s: 2, N: 16}) == stated.hartley_factor(2, 16)


@pytest.mark.parametrize("N", [2, 4, 8])
def test_sympy_has_the_matrices(N):
    n = N.bit_length() - 1
    assert np.allclose(np.array(explicit(H(N)).evalf(), dtype=float), matrix_of(N))
    assert np.allclose(np.array(explicit(BH(N)).evalf(), dtype=float), factor_of(n, N))
    difference = explicit(H(N)) - explicit(hartley.factorization(N).right)
    assert all(sympy.simplify(entry) == 0 for entry in difference)


# The complement


@pytest.mark.parametrize("s", range(1, 11))
def test_the_complement_is_that_of_section_2(s):
    half = 1 << s - 1
    for x in range(1 << s + 2):
        t = x % (2 * half)
        wanted = half if t == 0 else 0 if t == half else (~t + 1) % (2 * half)
        assert hartley.comp(x, s) == x - t + wanted
        assert hartley.comp(hartley.comp(x, s), s) == x
    x = np.arange(1 << s + 2)
    assert hartley.comp(x, s).tolist() == [hartley.comp(int(t), s) for t in x]


def test_the_complement_is_affine_for_three_bits_and_no_more():
    for s in range(1, 15):
        found = recognize(hartley.comp(np.arange(1 << s), s))
        assert isinstance(found, Affine if s <= 3 else Witness)
        if isinstance(found, Affine):
            assert found(np.arange(1 << s)).tolist() == [hartley.comp(t, s) for t in range(1 << s)]
    assert 1 ^ 2 ^ 4 ^ 7 == 0
    sums = [reduce(int.__xor__, (hartley.comp(x, s) for x in (1, 2, 4, 7))) for s in range(3, 70)]
    assert sums == [0] + [4] * 66


# The partition and the tables


def test_algorithm_1_is_right_up_to_stage_lg_p_plus_1():
    for N, P in SIZES:
        p = P.bit_length() - 1
        assert hartley.range_of_algorithm_1(N, P) == list(range(1, p + 2))
        for s in range(1, p + 2):
            ranks = np.arange(P)
            assert np.array_equal(
                hartley.as_printed(ranks, s, N, P), hartley.partition(ranks, s, N, P)
            )
        verdict = hartley.check_partition(N, P, hartley.as_printed)
        assert isinstance(verdict, Refuted if 2 * P < N else Checked)
        if isinstance(verdict, Refuted):
            assert verdict.counterexample.startswith(f"stage {p + 2}: ")


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_every_stage_is_computed_from_what_a_rank_and_its_partner_have(N, P):
    assert isinstance(hartley.check_partition(N, P), Checked)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            lambda rank, s, N, P: hartley.partition(rank, s, N, P) ^ (s == 2),
            "neither it nor its partner has",
        ),
        (
            lambda rank, s, N, P: hartley.partition(rank ^ (s == 3), s, N, P),
            "neither it nor its partner has",
        ),
        (lambda rank, s, N, P: hartley.partition(rank, s, N, P) + 2 * (s == 4), "computed 0 times"),
        (lambda rank, s, N, P: hartley.partition(rank * 0, s, N, P), "times"),
    ],
)
def test_a_wrong_partition_is_refuted(damage, words):
    verdict = hartley.check_partition(64, 8, damage)
    assert isinstance(verdict, Refuted)
    assert words in verdict.counterexample


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: LH(0, 4), "numbered from 1"),
        (lambda: LH(3, 4), "not divisible"),
        (lambda: BH(3), "not divisible"),
        (lambda: H(0), "at least 1"),
    ],
)
def test_formulas_that_do_not_exist_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


def test_wrong_sizes_are_refused_in_words():
    for N, P, words in (
        (8, 8, "P <= N/2"),
        (12, 2, "powers of two; got N = 12"),
        (16, 3, "powers of two; got P = 3"),
        (1, 1, "P <= N/2"),
    ):
        with pytest.raises(ValueError, match=words):
            hartley.SIZES.exponents(N, P)


@pytest.mark.parametrize("N", [2, 4, 8, 16, 64])
def test_table_1_computes_the_transform(N):
    n = N.bit_length() - 1
    x = np.random.default_rng(1).standard_normal(N)
    table = hartley_tables.table_1(N)
    values = {(0, row[0].target.m): x[row[0].terms[0].m] for row in table}
    for s in range(1, n + 1):
        for row in table:
            cell = row[s]
            total = 0.0
            for term in cell.terms:
                kind, _, index = term.weight.partition("_")
                weight = {"": lambda angle: 1.0, "C": np.cos, "S": np.sin}[kind](
                    2 * np.pi * int(index or 0) / 2**s
                )
                total += (-1 if term.sign == "-" else 1) * weight * values[term.s, term.m]
            values[s, cell.target.m] = total
    assert np.allclose([values[n, m] for m in range(N)], matrix_of(N) @ x)


def test_table_1_differs_from_the_copies_where_it_is_said():
    """Copy 1 garbles the lower half of stages 3 and 4, where the weights of stage 3 still are right
    numbers; row 6 of stage 2 is wrong in both.
    """
    first, second = (hartley_tables.table_1_differences(copy) for copy in hartley_tables.COPIES)
    wrong = [(d.row, d.column) for d in first if not d.same]
    assert wrong == [(6, "Stage 2"), *((row, "Stage 4") for row in range(8, 16))]
    assert [(d.row, d.column) for d in first if d.same] == [
        (row, "Stage 3") for row in range(8, 16)
    ]
    assert [(d.row, d.column, d.same) for d in second] == [(6, "Stage 2", False)]
    assert first[0].printed == "F(1,4) - F(1,6)C_2 + F(1,6)S_2 -> F(2,6)"
    assert second[0].printed == "F(1,4) + F(1,8)C_2 + F(1,8)S_2 -> F(2,6)"
    assert first[0].correct == second[0].correct == "F(1,4) + F(1,6)C_2 + F(1,6)S_2 -> F(2,6)"


def test_table_2_is_right_in_both_copies():
    assert [hartley_tables.table_2_differences(copy) for copy in hartley_tables.COPIES] == [[], []]


def test_every_changed_cell_is_seen():
    rows = hartley_tables.table_1_as_printed(2)
    rows[6][3] = rows[6][3].replace("1, 8", "1, 6")
    assert list(hartley_tables.compare_table_1(rows)) == []
    for row in range(16):
        for column in range(6):
            changed = [list(cells) for cells in rows]
            changed[row][column] = rows[(row + 1) % 16][column]
            found = list(hartley_tables.compare_table_1(changed))
            assert [(d.row, d.column) for d in found] == [
                (row, ["Data", "Permute", "Stage 1", "Stage 2", "Stage 3", "Stage 4"][column])
            ]
            assert not found[0].same
    lines = [line for line in hartley_tables.printed_lines(2, 1) if line[0][0] in "01"]
    lines[5][2] = lines[5][2].replace("0111", "0110")
    assert [(d.row, d.column) for d in hartley_tables.compare_table_2(lines)] == [(5, "stage 3")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "F(1,2)",
        r"F(1,2) \rightarrow",
        r"G(1,2) \rightarrow F(1,2)",
        r"F(1,2)C_x \rightarrow F(2,2)",
    ],
)
def test_what_is_no_cell_is_refused(text):
    with pytest.raises(ValueError, match="a cell is a sum of terms"):
        hartley_tables.parse(text)


# On ranks


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_the_layouts_are_the_papers(N, P):
    """The final list of Algorithm 1 and the input list of the Appendix, but for the order on a
    rank.
    """
    n, p, M = N.bit_length() - 1, P.bit_length() - 1, N // P
    before, after, reverse = input_layout(N, P), HartleyLayout(N, P), bit_reversal(n)
    j = np.arange(N)
    rank, offset = after.place(j)
    assert np.array_equal(np.sort(rank * M + offset), j)
    assert np.array_equal(after.index(rank, offset), j)
    assert all(
        after.place(int(k)) == (rank[k], offset[k])
        and after.index(int(rank[k]), int(offset[k])) == k
        for k in j
    )
    assert np.array_equal(after.place(-j % N)[0], rank)
    assert np.array_equal(after.place(-j % N)[1], after.negative(rank, offset))
    for R_ in range(P):
        assert sorted(after.index(R_, np.arange(M))) == sorted(hartley.partition(R_, n, N, P))
        i, e = np.arange(M // 2), np.arange(2)[:, None]
        slots = reverse(2 * P * i + 2 * R_ + e)
        assert sorted(before.index(R_, np.arange(M))) == sorted(slots.reshape(-1))
        c = bit_reversal(n - p - 1)(i)
        assert np.array_equal(before.index(R_, e * (M // 2) + c), slots)


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_half_a_list_goes_to_one_rank_for_the_cyclic_layout(N, P):
    M, layout = N // P, HartleyLayout(N, P)
    for rank in range(P):
        index = layout.index(rank, np.arange(M))
        assert (index[::2] % P == rank).all()
        assert (index[1::2] % P == hartley_layouts.cyclic_partner(rank, P)).all()
        assert np.array_equal(index[::2] // P, 2 * np.arange(M // 2))
        assert np.array_equal(
            index[1::2] // P,
            2 * np.arange(M // 2) + 1 if rank == 0 else M - 1 - 2 * np.arange(M // 2),
        )


def test_the_hartley_layout_is_not_affine():
    def affine(P, what):
        j = np.arange(64)
        z = what(*HartleyLayout(64, P).place(j))
        return all(z[a ^ b] == z[a] ^ z[b] ^ z[0] for a in j for b in j)

    assert [affine(P, lambda rank, offset: offset) for P in (1, 2, 4, 8, 16)] == [
        True,
        False,
        False,
        False,
        False,
    ]
    assert [affine(P, lambda rank, offset: rank) for P in (1, 2, 4, 8, 16)] == [
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("N", "P"), SIZES)
def test_the_ranks_compute_the_transform_exactly(N, P):
    verdict = decide(hartley_check.ranks_claim(N, P))
    assert isinstance(verdict, Checked)
    assert verdict.error == 0


def backward(y, N, P, numbers):
    """Return N x for y = H_N x, from the Hartley layout back to `input_layout`."""
    own = [hartley_lists.by_fourier_back(R, part, N, P, numbers) for R, part in enumerate(y)]
    for s in range(P.bit_length(), 1, -1):
        own = partner_stage_back(own, s, numbers)
    found = first_stage_back(own, numbers) if P > 1 else own
    return [lists.reshape(-1, *lists.shape[2:]) for lists in found]


def on_ranks(x, N, P, numbers, local):
    before, after, offsets, y = (
        input_layout(N, P),
        HartleyLayout(N, P),
        np.arange(N // P),
        np.empty_like(x),
    )
    parts = [x[before.index(rank, offsets)] for rank in range(P)]
    done = forward(parts, N, P, numbers, local)
    for rank, part in enumerate(done):
        y[after.index(rank, offsets)] = part
    return y, parts, backward(done, N, P, numbers) if local == "fourier" else parts


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("N", "P"), SIZES)
def test_one_fourier_transform_does_the_local_stages_and_back(N, P):
    ring = residues(N)
    x = ring.units(N, range(N))
    y, parts, back = on_ranks(x, N, P, ring, "fourier")
    assert np.array_equal(y, act(H(N), x, ring))
    assert all(np.array_equal(a, N * b) for a, b in zip(back, parts, strict=True))
    for local in ("fourier", "stages"):
        y, parts, back = on_ranks(np.eye(N), N, P, Floats(), local)
        assert np.allclose(y, matrix_of(N), atol=1e-13)
    assert all(
        np.allclose(a, (N if local == "fourier" else 1) * b)
        for a, b in zip(back, parts, strict=True)
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda plan: replace(plan, u=-plan.u),
        lambda plan: replace(plan, u=plan.u + 1),
        lambda plan: replace(plan, upper=not plan.upper),
        lambda plan: replace(plan, negative=not plan.negative),
        lambda plan: replace(plan, partner=plan.partner ^ 4),
        lambda plan: replace(plan, half=False),
        lambda plan: replace(plan, s=plan.s + 1),
    ],
)
def test_a_wrong_exchange_is_refuted(damage, monkeypatch):
    def damaged(rank, s):
        return damage(exchange(rank, s)) if s == 3 else exchange(rank, s)

    monkeypatch.setattr(hartley_ranks, "exchange", damaged)
    assert isinstance(decide(hartley_check.ranks_claim(32, 8)), Refuted)


def test_what_is_sent_is_counted():
    """Rank 0 always sends half lists, odd ranks only before stage 2; the partner's share is
    equal.
    """
    for N, P in SIZES:
        p, M = P.bit_length() - 1, N // P
        sent = [
            sum(M // 2 if exchange(rank, s).half else M for s in range(2, p + 2))
            for rank in range(P)
        ]
        assert sent[0] == p * M // 2
        if P > 1:
            assert max(sent) == sent[1] == M // 2 + (p - 1) * M
        for rank in range(P):
            for s in range(2, p + 2):
                mine, theirs = exchange(rank, s), exchange(exchange(rank, s).partner, s)
                assert theirs.partner == rank
                assert mine.half == theirs.half
                assert mine.upper != theirs.upper


def test_the_weights_of_half_an_exchange_are_one_and_minus_one():
    for rank in range(64):
        for s in range(2, 8):
            plan = exchange(rank, s)
            if plan.half:
                assert (
                    round(float(cas(1 << s, plan.u)))
                    == (-1 if plan.negative else 1)
                    == pytest.approx(float(cas(1 << s, plan.u)))
                )


@pytest.mark.parametrize("order", [1, 2, 4, 8, 64, 4096, 2**20])
def test_cosines_from_reduced_angles_are_right_to_the_last_place(order):
    e = np.unique(np.random.default_rng(0).integers(0, order, 4096))
    cosine, sine = hartley_lists.cos_sin(e, order)
    angle = 2 * np.arccos(np.longdouble(-1)) * e.astype(np.longdouble) / order
    assert abs(cosine - np.cos(angle)).max() < 1.5 * 2.0**-53
    assert abs(sine - np.sin(angle)).max() < 1.5 * 2.0**-53


def test_the_check_has_every_statement_and_says_its_source():
    names = [
        name
        for name, source, verdict in hartley_check.checks(32, 4)
        if source.startswith("Lin, Chan & Karplus") and isinstance(verdict, Checked)
    ]
    assert names == [
        *["fht-step"] * 5,
        "fht-factorization",
        "fht-partition",
        "fht-figure-4",
        "fht-ranks",
    ]


@pytest.mark.parametrize(("N", "P"), [(4, 2), (64, 1), (64, 8), (256, 32)])
def test_what_needs_no_communication(N, P):
    """The Fourier transform of real input, the power spectrum and cyclic convolution, from pairs m,
    -m on one rank.
    """
    layout, before, offsets = (HartleyLayout(N, P), input_layout(N, P), np.arange(N // P))
    a, b = np.random.default_rng(2).standard_normal((2, N))
    parts = [[x[before.index(rank, offsets)] for rank in range(P)] for x in (a, b)]
    A, B = (forward(part, N, P, Floats()) for part in parts)
    spectrum, products = np.fft.fft(a), []
    for rank in range(P):
        negative, m = layout.negative(rank, offsets), layout.index(rank, offsets)
        other, B_other = A[rank][negative], B[rank][negative]
        assert np.allclose(((A[rank] + other) - 1j * (A[rank] - other)) / 2, spectrum[m])
        assert np.allclose((A[rank] ** 2 + other**2) / 2, abs(spectrum[m]) ** 2)
        products.append((A[rank] * (B[rank] + B_other) + other * (B[rank] - B_other)) / 2)
    wanted = np.fft.ifft(np.fft.fft(a) * np.fft.fft(b)).real
    for rank, part in enumerate(backward(products, N, P, Floats())):
        assert np.allclose(part / N, wanted[before.index(rank, offsets)])
