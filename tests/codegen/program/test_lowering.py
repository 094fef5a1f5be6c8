"""Supersteps compute what the formula says, for every layout and exchange; every message has one
sender, one receiver and one place.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.program import moves
from codegen.program.affine_steps import steps_of
from codegen.program.bits.bit_exchanges import AllToAll, Rounds
from codegen.program.digits.digit_supersteps import Diagonal, Trade, Transform, Turn
from codegen.program.digits.ways import planned
from codegen.program.meaning import check, interpret
from codegen.program.supersteps import Program
from codegen.requests import make_request
from codegen.systems.exchanges import EXCHANGES
from derive.digits.radices import DigitPermutation, reversal
from derive.exact.rings import Monomials
from derive.formula.affine_layouts import bit_reversed, block, cyclic, named
from derive.formula.grammar import I, direct_sum, kron
from derive.formula.permutation_matrices import Bmmc, L
from derive.formula.permutations import lg
from derive.formula.transforms import A, B, F, Omega
from derive.gf2.bits import Affine
from derive.gf2.bmmc import bit_reversal, rotation
from derive.maps.map_expressions import Field, Number
from derive.papers import bsp, bsp_phases
from derive.verdict import Checked, Refuted
from tests.support.programs import build
from tests.support.strategies import FEWER, layout_names, layouts, permutations_over_ranks

pytestmark = pytest.mark.sampled(8, rest="long")


def different_layouts(n, p):
    """Return names of layouts, one for each distribution."""
    names = reversed(layout_names(n, p))
    return list({named(name, 1 << n, 1 << p).address: name for name in names}.values())


SMALL = [(2**n, 2**p) for n in range(1, 5) for p in range(n)]
LARGER = [(2**n, 2**p) for n in (5, 6) for p in range(n)]
PAIRS = [
    ("block", "block"),
    ("cyclic", "cyclic"),
    ("block", "cyclic"),
    ("cyclic", "block"),
    ("bit-reversed", "block"),
    ("block", "bit-reversed"),
]


def exponents(program):
    """Return the exponents of the matrix that a program computes, in Z[zeta_N]."""
    ring = Monomials(max(4, program.N))
    return interpret(program, ring.units(program.N, range(program.N)), ring)


def fourier_exponents(N):
    """Return the exponents of F_N in Z[zeta_N]: j k mod N."""
    order = max(4, N)
    return [[j * k % N * (order // N) for k in range(N)] for j in range(N)]


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(("N", "P"), SMALL)
def test_small_programs_compute_the_fourier_matrix_from_every_layout_to_every_layout(
    N, P, exchange
):
    names = different_layouts(lg(N), lg(P))
    for before, after in product(names, names):
        assert exponents(build("fft", N, P, before, after, exchange)).tolist() == fourier_exponents(
            N
        ), f"{before} to {after}"


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(("N", "P"), LARGER)
def test_larger_programs_compute_the_fourier_matrix(N, P, exchange):
    n, p = lg(N), lg(P)
    for before, after in [*PAIRS, (f"group-cyclic:{max(1, P // 2)}", f"f:{(n - p) // 2}")]:
        assert exponents(build("fft", N, P, before, after, exchange)).tolist() == fourier_exponents(
            N
        ), f"{before} to {after}"


LAYOUT_PAIRS = (
    st.tuples(st.integers(1, 6), st.integers(0, 5))
    .filter(lambda size: size[1] < size[0])
    .flatmap(lambda size: st.tuples(layouts(*size), layouts(*size), st.sampled_from(EXCHANGES)))
)


@FEWER
@given(LAYOUT_PAIRS)
def test_programs_compute_the_fourier_matrix_from_any_affine_layout_to_any_other(case):
    before, after, exchange = case
    equation = bsp.group_cyclic(1 << before.n, 1 << before.p)
    steps = steps_of(equation.right, before, after, exchange)
    asked = make_request("fft", 1 << before.n, 1 << before.p, exchange=exchange)
    program = Program(asked, equation, before, after, steps)
    assert exponents(program).tolist() == fourier_exponents(program.N)
    assert isinstance(check(program), Checked)


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(("N", "P"), [(2**13, 2), (2**13, 2**10), (2**17, 8)])
def test_large_programs_are_checked_by_random_vectors(N, P, exchange):
    program = build("fft", N, P, "cyclic", "bit-reversed", exchange)
    verdict = check(program)
    assert isinstance(verdict, Checked)
    assert 0 < verdict.error < 2**-32


def exchanges(program):
    return sum(step.exchanges for step in program.steps)


@pytest.mark.long
def test_exchanges_are_as_many_as_phases_and_their_borders_need():
    for n in range(2, 9):
        for p in range(1, n):
            N, P = 2**n, 2**p
            H = bsp_phases.phases(N, P)
            counts = {pair: exchanges(build("fft", N, P, *pair)) for pair in PAIRS[:4]}
            assert counts == {
                ("block", "block"): H + 1,
                ("cyclic", "cyclic"): H - 1,
                ("block", "cyclic"): H,
                ("cyclic", "block"): H,
            }


def test_one_exchange_is_enough_in_the_cyclic_layout_up_to_the_root_of_N():
    for n in range(2, 14):
        for p in range(1, n // 2 + 1):
            assert exchanges(build("fft", 2**n, 2**p, "cyclic", "cyclic")) == 1


def test_one_rank_exchanges_nothing():
    for before, after in PAIRS:
        assert exchanges(build("fft", 64, 1, before, after)) == 0


def moved(step, n, p):
    """Return where a move takes every storage address: packed, exchanged as messages, unpacked, one
    element at a time.
    """
    m = n - p
    places = []
    for z in range(2**n):
        rank, offset = z >> m, step.pack(z)
        if step.exchange is not None:
            low = m - step.exchange.rank_gamma
            message = rank << step.exchange.rank_gamma | offset >> low
            rank, place = step.exchange.to(message), step.exchange.position(message)
            offset = place << low | offset & (1 << low) - 1
        places.append(rank << m | step.unpack(rank << m | offset))
    return places


@FEWER
@given(permutations_over_ranks(7), st.sampled_from(EXCHANGES))
def test_a_move_packs_exchanges_and_unpacks_as_its_permutation_says(case, exchange):
    address, p = case
    n = address.bits
    step = moves.plan(address, p, exchange)
    assert step.address == address
    assert moved(step, n, p) == [address(z) for z in range(2**n)]


@FEWER
@given(
    st.integers(2, 7)
    .flatmap(lambda n: st.tuples(st.permutations(range(n)), st.integers(0, n)))
    .filter(lambda case: case[0] != sorted(case[0]))
)
def test_a_move_by_digits_goes_where_the_matrix_says_and_is_arranged_at_no_more_cost(case):
    (bits, p), ranks = case, np.arange(1 << case[1])
    m, address = len(bits) - p, Affine(tuple(1 << bit for bit in bits), len(bits))
    step, move = planned(DigitPermutation.of_bits(address), 1 << p), moves.plan(address, p)
    z = np.arange(1 << len(bits))
    assert (step.interpret(z)[address(z)] == z).all()
    assert [part.tolist() for part in step.sent(ranks)] == [
        part.tolist() for part in move.sent(ranks)
    ]
    cost = sum(moves.arranging_cost(order.affine(), m) for order in (step.pack, step.unpack))
    assert cost <= sum(moves.arranging_cost(part, m) for part in (move.pack, move.unpack))


def messages(step, p):
    """Return {(rank, message): (target, place)} of an exchange."""
    r = step.exchange.rank_gamma
    both = np.arange(2 ** (p + r))
    (k, b), target, place = (
        np.divmod(both, 2**r),
        step.exchange.to(both),
        step.exchange.position(both),
    )
    return dict(
        zip(
            zip(k.tolist(), b.tolist(), strict=True),
            zip(target.tolist(), place.tolist(), strict=True),
            strict=True,
        )
    )


@FEWER
@given(permutations_over_ranks(7))
def test_every_round_is_a_permutation_of_the_ranks(case):
    address, p = case
    step = moves.plan(address, p, "pairwise")
    if step.exchange is None:
        assert all(
            address(z) >> address.bits - p == z >> address.bits - p for z in range(2**address.bits)
        )
        return
    assert isinstance(step.exchange, Rounds)
    found = messages(step, p)
    for b in range(2**step.exchange.rank_gamma):
        assert sorted(found[k, b][0] for k in range(2**p)) == list(range(2**p))
        assert all(found[k, b][1] == b for k in range(2**p))


@FEWER
@given(permutations_over_ranks(7))
def test_an_alltoall_stays_in_groups_ordered_by_rank(case):
    address, p = case
    step = moves.plan(address, p)
    if not isinstance(step.exchange, AllToAll):
        return
    found = messages(step, p)
    groups = {k: [found[k, b][0] for b in range(2**step.exchange.rank_gamma)] for k in range(2**p)}
    for k, group in groups.items():
        assert group == sorted(group)
        assert k in group
        assert all(groups[other] == group for other in group)
        # What arrives lies in the order of its senders.
        assert all(found[k, b][1] == group.index(k) for b in range(len(group)))


@FEWER
@given(permutations_over_ranks(7), st.sampled_from(EXCHANGES))
def test_no_two_messages_arrive_at_one_place(case, exchange):
    address, p = case
    step = moves.plan(address, p, exchange)
    if step.exchange is not None:
        found = messages(step, p)
        assert sorted(found.values()) == sorted(found)


def test_both_kinds_of_exchange_are_met():
    assert moves.plan(bit_reversal(6), 3).exchange == AllToAll((1, 2, 4), 3)
    assert isinstance(moves.plan(bit_reversal(6), 3, "pairwise").exchange, Rounds)
    assert isinstance(moves.plan(rotation(6, -4), 4).exchange, Rounds)
    assert moves.plan(bit_reversal(6), 0).exchange is None
    assert isinstance(moves.plan(Affine.of(bit_reversal(6).matrix, 63), 3).exchange, AllToAll)


def test_moving_only_ranks_is_one_message():
    for exchange in EXCHANGES:
        step = moves.plan(Affine((1, 2, 8, 4), 4), 2, exchange)
        assert isinstance(step.exchange, Rounds)
        assert step.exchange.rank_gamma == 0


LOCAL = {
    F(16): (16, 1),
    kron(F(2), I(8)): (2, 8),
    kron(I(2), F(8)): (8, 1),
    kron(I(2), kron(F(2), I(4))): (2, 4),
}


@pytest.mark.parametrize("formula", LOCAL, ids=str)
def test_local_transforms_are_recognized(formula):
    steps = steps_of(formula, block(16, 1), block(16, 1))
    d, c = LOCAL[formula]
    assert steps == (Transform(None, 16 // (d * c), d, c),)
    assert steps[0].factors == (formula,)


REFUSED = [
    *(F(16), kron(F(4), I(4)), kron(F(2), I(8)), kron(I(2), F(8))),
    *(A(4, 16), B(16), Omega(16), kron(F(4), F(4)), direct_sum([F(8), F(8)]), kron(A(2, 2), I(8))),
    *(kron(F(4), kron(I(2), F(2))), kron(direct_sum([I(1), I(3)]), I(4)), kron(I(4), B(4))),
]


@pytest.mark.parametrize("formula", REFUSED, ids=str)
def test_what_cannot_be_lowered_is_refused_in_one_line_that_names_it(formula):
    with pytest.raises(ValueError, match="of the 4 elements of a rank") as caught:
        steps_of(L(16, 4) @ formula @ L(16, 4), block(16, 4), block(16, 4))
    assert str(caught.value).startswith(f"{formula} must be a permutation")


@FEWER
@given(
    permutations_over_ranks(7).filter(lambda case: case[1] < case[0].bits),
    st.sampled_from(EXCHANGES),
    st.data(),
)
def test_a_permutation_program_does_what_its_permutation_says_in_any_layout(case, exchange, data):
    address, p = case
    n, N = address.bits, 2**address.bits
    before, after = (data.draw(st.sampled_from(layout_names(n, p))) for _ in range(2))
    program = build("permute", N, 2**p, before, after, exchange, Bmmc(address))
    assert exchanges(program) <= 1
    x = np.arange(N)[:, None]
    y = interpret(program, x, Monomials(N))
    assert [int(y[address(j), 0]) for j in range(N)] == list(range(N))
    assert isinstance(check(program), Checked)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("permute", 16, 4), "permute needs a permutation"),
        (
            ("fft", 16, 4, "block", "block", "alltoall", Bmmc(bit_reversal(4))),
            "only permute has a permutation; got fft",
        ),
        (
            ("permute", 32, 4, "block", "block", "alltoall", Bmmc(bit_reversal(4))),
            "the permutation must have 32 elements, a matrix of 5 x 5 bits; got 16",
        ),
        (("xyz", 16, 4), "unknown system 'xyz': the systems are fft"),
        (("fft", 16, 4, "diagonal"), "unknown layout 'diagonal'"),
        (
            ("fft", 16, 4, "block", "f:3"),
            "layout f:3 needs 0 <= K <= 2 for 16 elements on 4 ranks; got 3",
        ),
        (("fht", 12, 8), "8 ranks must divide 12 elements"),
        (
            ("fft", 16, 16, "cyclic"),
            "got N = 16 and P = 16; try 8 ranks; or take the layouts block",
        ),
    ],
)
def test_programs_that_cannot_be_built_are_refused(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        build(*arguments)


ENDS, EQUATION = (block(64, 8), cyclic(64, 8)), bsp.group_cyclic(64, 8)
PROGRAM = Program(
    make_request("fft", 64, 8, "block", "cyclic"), EQUATION, *ENDS, steps_of(EQUATION.right, *ENDS)
)


def with_step(program, i, **changes):
    """Return the program with fields of its i-th step changed."""
    return with_other(program, i, replace(program.steps[i], **changes))


def with_other(program, i, step):
    return replace(program, steps=(*program.steps[:i], step, *program.steps[i + 1 :]))


def without(program, i):
    return replace(program, steps=program.steps[:i] + program.steps[i + 1 :])


def with_trades(**changes):
    """Return programs with a field of one of the trades changed by a function of the trade."""
    return {
        f"{name} of trade {i}": with_step(PROGRAM, i, **{name: change(PROGRAM.steps[i])})
        for i in TRADES
        for name, change in changes.items()
    }


TRADES = [i for i, step in enumerate(PROGRAM.steps) if isinstance(step, Trade)]
LOCALS = [i for i, step in enumerate(PROGRAM.steps) if isinstance(step, Transform)]
TWIDDLED = next(i for i in LOCALS if PROGRAM.steps[i].diagonal)
DIAGONAL = PROGRAM.steps[TWIDDLED].diagonal
((ROW, COLUMN, _),) = DIAGONAL.terms
TURNED = reversal((2, 2, 2))
BITS = ((1, 2), (2, 2), (4, 2))
"""The digits of a rank in the opposite order."""
MUTANTS = {
    **{f"step {i} is missing": without(PROGRAM, i) for i in range(len(PROGRAM.steps))},
    **{
        f"trade {i} does not exchange": with_other(
            PROGRAM, i, Turn(PROGRAM.steps[i].unpack @ PROGRAM.steps[i].pack, 8)
        )
        for i in TRADES
    },
    **with_trades(pack=lambda step: TURNED @ step.pack, unpack=lambda step: step.unpack @ TURNED),
    **{f"transform {i} has another radix": with_step(PROGRAM, i, d=2, c=4) for i in LOCALS},
    "no twiddle": with_step(PROGRAM, TWIDDLED, diagonal=None),
    "a twiddle of another order": with_step(
        PROGRAM, TWIDDLED, diagonal=replace(DIAGONAL, order=DIAGONAL.order // 2)
    ),
    "a twiddle with one bit of j wrong": with_step(
        PROGRAM,
        TWIDDLED,
        diagonal=Diagonal(64, ((ROW, Number((*COLUMN.fields, Field(32, 2, 1))), 1),)),
    ),
    "a twiddle on a transform that has none": with_step(PROGRAM, LOCALS[0], diagonal=DIAGONAL),
    **{
        f"{name} digits in the opposite order": with_step(
            PROGRAM, TRADES[0], exchange=replace(PROGRAM.steps[TRADES[0]].exchange, **{name: BITS})
        )
        for name in ("enter", "leave")
    },
    "another input layout": replace(PROGRAM, input=cyclic(64, 8)),
    "another output layout": replace(PROGRAM, output=bit_reversed(64, 8)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_wrong_supersteps_are_refuted(name):
    verdict = check(MUTANTS[name])
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample


def test_the_programs_that_were_changed_are_right():
    assert isinstance(check(PROGRAM), Checked)
