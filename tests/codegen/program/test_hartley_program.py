"""The Hartley transform as supersteps between layouts: exact, refuted when changed, and counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from codegen.cost.bounds import bound
from codegen.cost.counted import count
from codegen.program import hartley_steps
from codegen.program.digits.digit_supersteps import Trade
from codegen.program.hartley_program import Hartley
from codegen.program.hartley_steps import AcrossRanks, HalfSpectra, Unpaired
from codegen.program.meaning import check
from codegen.systems.exchanges import EXCHANGES
from derive.exact.exact_check import check as check_equation
from derive.formula.grammar import factors_of
from derive.papers.hartley_layouts import HARTLEY_LAYOUTS, HalfSpectrum, HartleyLayout, placement
from derive.verdict import Checked, Refuted
from tests.support.programs import build

SIZES = [(1 << n, 1 << p) for n in range(1, 8) for p in range(n)]
GROUPED = [(N, P) for N, P in SIZES if 2 * P * P <= N]


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("block", "hartley"),
        ("cyclic", "block"),
        ("hartley-input", "cyclic"),
        ("bit-reversed", "hartley-input"),
    ],
)
def test_the_program_computes_the_transform_between_any_layouts(N, P, before, after):
    verdict = check(build("fht", N, P, before, after))
    assert isinstance(verdict, Checked)
    assert verdict.error == 0


@pytest.mark.parametrize(("N", "P"), GROUPED)
@pytest.mark.parametrize(
    ("before", "after"),
    [("hartley-input", "hartley"), ("cyclic", "cyclic"), ("bit-reversed", "hartley-input")],
)
def test_one_all_to_all_computes_it_as_well(N, P, before, after):
    verdict = check(build("fht", N, P, before, after, algorithm="group-cyclic"))
    assert isinstance(verdict, Checked)
    assert verdict.error == 0


@pytest.mark.sampled(2)
@pytest.mark.sampled(13, rest="long")
@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize("after", ["hartley-input", "block", "cyclic"])
def test_the_way_back_computes_it_from_the_hartley_layout(N, P, after):
    verdict = check(build("fht", N, P, "hartley", after))
    assert isinstance(verdict, Checked)
    assert verdict.error <= 2.0**-32


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_every_exchange_makes_the_same_moves(exchange):
    assert isinstance(check(build("fht", 64, 8, "cyclic", "block", exchange)), Checked)


def test_without_a_name_the_output_is_that_of_the_transform():
    assert build("fht", 64, 8).output.name == "hartley"
    assert build("fht", 64, 8, "hartley").output.name == "hartley-input"
    assert build("fft", 64, 8).output.name == "block"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("algorithm", "before"),
    [("hypercube", "block"), ("group-cyclic", "block"), ("hypercube", "hartley")],
)
def test_a_missing_superstep_is_refuted(algorithm, before):
    program = build("fht", 128, 8, before, "bit-reversed", algorithm=algorithm)
    assert isinstance(check(program), Checked)
    for left_out in range(len(program.steps)):
        steps = tuple(step for i, step in enumerate(program.steps) if i != left_out)
        assert isinstance(check(replace(program, steps=steps)), Refuted)


@pytest.mark.parametrize(
    ("side", "name"), [("input", "cyclic"), ("output", "cyclic"), ("output", "hartley")]
)
def test_another_layout_than_its_own_is_refuted(side, name):
    program = build("fht", 128, 8, "block", "bit-reversed")
    assert isinstance(check(replace(program, **{side: placement(name, 128, 8)})), Refuted)


def test_the_input_of_the_other_algorithm_is_refuted():
    program = build("fht", 128, 8, "cyclic", algorithm="group-cyclic")
    assert [type(step) for step in program.steps] == [HalfSpectra, Trade, AcrossRanks]
    assert isinstance(check(replace(program, steps=Hartley(128, 8).by_stages)), Refuted)


def test_a_wrong_partner_on_the_way_to_cyclic_is_refuted(monkeypatch):
    assert isinstance(check(build("fht", 64, 8, "block", "cyclic")), Checked)
    monkeypatch.setattr(hartley_steps, "cyclic_partner", lambda rank, P: rank ^ 1)
    assert isinstance(check(build("fht", 64, 8, "block", "cyclic")), Refuted)


def test_costs_are_those_of_the_paper_in_its_own_layouts():
    for N, P in SIZES:
        p = P.bit_length() - 1
        cost = count(build("fht", N, P, "hartley-input"))
        assert (cost.exchanges, cost.messages) == (p, p)
        assert cost.words == (N // (2 * P) + (p - 1) * N // P if P > 1 else 0)
        assert count(build("fht", N, P, "hartley", "hartley-input")) == cost
        turned = count(build("fht", N, P, "hartley-input", "cyclic"))
        assert turned.exchanges == p + (P > 2)
        assert turned.words - cost.words == (N // (2 * P) if P > 2 else 0)


def test_from_cyclic_to_hartley_one_exchange_is_enough_and_no_program_sends_less():
    for N, P in GROUPED:
        program = build("fht", N, P, "cyclic", algorithm="group-cyclic")
        cost = count(program)
        assert (cost.exchanges, cost.messages, cost.words) == (
            int(P > 1),
            P - 1,
            (P - 1) * N // P**2,
        )
        assert bound(program).words == cost.words


def test_no_program_sends_less_than_its_bound():
    for N, P in SIZES:
        for before, after in (
            ("block", "hartley"),
            ("hartley-input", "hartley"),
            ("cyclic", "block"),
            ("hartley", "block"),
        ):
            program = build("fht", N, P, before, after)
            assert bound(program).words <= count(program).words


def test_the_cost_of_other_layouts_is_added_rank_by_rank():
    block, own = count(build("fht", 1024, 8)), count(build("fht", 1024, 8, "hartley-input"))
    assert (block.exchanges, block.messages, block.words) == (
        own.exchanges + 1,
        own.messages + 2,
        own.words + 128,
    )
    assert block.flops == own.flops


def test_only_ranks_that_are_their_own_mirror_keep_everything():
    for P in (1, 2, 4, 8):
        assert Unpaired(64, P).sent(np.arange(P)).messages.tolist() == [
            int(-rank % P != rank) for rank in range(P)
        ]


REFUSED = {
    "as many ranks as elements": (
        ("fht", 16, 16),
        {},
        "the Hartley transform on ranks needs P <= N/2; got N = 16 and P = 16",
    ),
    "no power of two": (
        ("fht", 24, 4),
        {},
        "24 elements on 4 ranks, block to block: P² must divide N",
    ),
    "too many ranks for one exchange": (
        ("fht", 64, 8),
        {"algorithm": "group-cyclic"},
        "needs 2 P^2 <= N",
    ),
    "an algorithm of another system": (
        ("fft", 64, 8),
        {"algorithm": "hypercube"},
        "only fht has it",
    ),
    "pairs at both ends": (("fht", 64, 8, "hartley", "hartley"), {}, "unknown layout 'hartley'"),
    "pairs as input of one exchange": (
        ("fht", 64, 4, "hartley"),
        {"algorithm": "group-cyclic"},
        "from the Hartley layout goes only hypercube",
    ),
    "pairs for another system": (
        ("fft", 64, 4, "block", "hartley"),
        {},
        "unknown layout 'hartley'",
    ),
    "an overlapped exchange": (
        ("fht", 64, 4, "block", "block", "overlapped"),
        {"algorithm": "group-cyclic"},
        "overlapped with algorithm group-cyclic: what it sends is there at once",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_take_is_refused_with_the_rule(name):
    given, more, rule = REFUSED[name]
    with pytest.raises(ValueError, match=r".") as caught:
        build(*given, **more)
    assert rule in str(caught.value)


def test_counting_needs_no_data():
    cost = count(build("fht", 2**40, 2**19))
    assert cost.exchanges == 20
    assert np.isfinite(cost.flops)
    assert count(build("fht", 2**40, 2**19, "cyclic", algorithm="group-cyclic")).exchanges == 1


@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize("name", HARTLEY_LAYOUTS)
def test_its_layouts_are_bijections_and_their_index_is_the_inverse(N, P, name):
    layout = placement(name, N, P)
    ranks, offsets = layout.place(np.arange(N))
    assert sorted(zip(ranks.tolist(), offsets.tolist(), strict=True)) == [
        (s, o) for s in range(P) for o in range(N // P)
    ]
    for s in range(P):
        held = [layout.index(s, o) for o in range(N // P)]
        assert [layout.place(j) for j in held] == [(s, o) for o in range(N // P)]
        assert np.array_equal(layout.index(s, np.arange(N // P)), held)
    assert str(held[0]) in layout.table()


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_the_half_spectrum_lies_where_its_pairs_are(N, P):
    half, pairs = HalfSpectrum(N, P), HartleyLayout(N, P)
    for m in range(1, N // 2):
        (one, first), (other, second) = half.place(2 * m), half.place(2 * m + 1)
        assert one == other == pairs.place(m)[0] == pairs.place(N - m)[0]
        assert second == first + 1
        assert not one or {first, second} == {pairs.place(m)[1], pairs.place(N - m)[1]}
    assert (half.place(0), half.place(1)) == ((0, 0), (0, 1))
    assert pairs.place(N // 2)[0] == 0


def test_an_unknown_layout_and_too_many_ranks_are_refused():
    with pytest.raises(ValueError, match="unknown layout 'zigzag': the layouts are block"):
        placement("zigzag", 64, 4)
    with pytest.raises(ValueError, match="P <= N/2"):
        placement("hartley", 4, 4)


@pytest.mark.parametrize("P", [1, 2, 8])
@pytest.mark.parametrize("ends", [("block", ""), ("hartley-input", "block"), ("hartley", "cyclic")])
def test_the_steps_have_the_factors_of_the_equation(P, ends):
    program = build("fht", 64, P, *ends)
    first, last = program.still
    done = [factor for step in reversed(program.steps) for factor in step.factors]
    assert (*last, *done, *first) == factors_of(program.equation.right)
    assert check_equation(program.equation).holds
