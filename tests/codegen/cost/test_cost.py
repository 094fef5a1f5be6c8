"""Counted cost against every message of every rank, against the trace of a run in one process, and
against the paper's closed forms.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.cost.counted import EXAMPLE_MACHINE, Cost, Machine, count
from codegen.emit.text import emit
from codegen.program import moves
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from codegen.systems.exchanges import EXCHANGES
from codegen.systems.options import DIRECTIONS
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from derive.gf2.bmmc import bit_reversal
from derive.papers import bsp_phases
from nodewright.machine import read_machine
from tests.support.programs import build, module_of
from tests.support.strategies import FEWER, layout_names, permutations_over_ranks
from tests.support.worlds import run

CASES = [
    *[
        ("fft", 64, 8, before, after)
        for before in ("block", "cyclic", "group-cyclic:2", "f:1", "bit-reversed")
        for after in ("block", "cyclic")
    ],
    *[("fft", N, P, "block", "block") for N, P in ((4, 1), (4, 2), (16, 8), (32, 4), (256, 64))],
]


def counted(program):
    """Return (exchanges, messages, words) of the rank that sends most, one message at a time."""
    messages, words, exchanges = [0] * program.P, [0] * program.P, 0
    for step in program.steps:
        if step.is_move and step.exchanges:
            exchanges += 1
            count = step.exchange.messages
            each = program.M // count
            for k in range(program.P):
                targets = step.exchange.to(k * count + np.arange(count))
                others = sum(1 for target in targets.tolist() if target != k)
                messages[k] += others
                words[k] += others * each
    return exchanges, max(messages), max(words)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(("system", "N", "P", "before", "after"), CASES)
def test_messages_and_words_are_those_of_the_rank_that_sends_most(
    system, N, P, before, after, exchange
):
    program = build(system, N, P, before, after, exchange)
    cost = count(program)
    assert (cost.exchanges, cost.messages, cost.words) == counted(program)


@FEWER
@given(permutations_over_ranks(8), st.sampled_from(EXCHANGES))
def test_messages_to_others_are_counted_for_every_rank(case, exchange):
    address, p = case
    found = moves.plan(address, p, exchange).exchange
    ranks = np.arange(2**p)
    if found is None:
        return
    b = np.arange(2**found.rank_gamma)
    assert found.sent(ranks).tolist() == [
        int((found.to(k << found.rank_gamma | b) != k).sum()) for k in ranks.tolist()
    ]


@pytest.mark.long
@FEWER
@given(permutations_over_ranks(7).filter(lambda case: case[1] < case[0].bits), st.data())
def test_the_cost_of_a_permutation_is_what_leaves_a_rank(case, data):
    address, p = case
    n = address.bits
    before, after = (data.draw(st.sampled_from(layout_names(n, p))) for _ in range(2))
    program = build("permute", 2**n, 2**p, before, after, "alltoall", Bmmc(address))
    sent = [set() for _ in range(2**p)]
    words = [0] * 2**p
    for j in range(2**n):
        source, target = program.input.place(j)[0], program.output.place(address(j))[0]
        if source != target:
            sent[source].add(target)
            words[source] += 1
    cost = count(program)
    assert (cost.messages, cost.words) == (max(map(len, sent)), max(words))
    assert cost.flops == 0


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(
    ("system", "N", "P", "before", "after"), [case for case in CASES if case[1] <= 64]
)
def test_a_run_sends_what_was_counted(system, N, P, before, after, exchange):
    program = build(system, N, P, before, after, exchange)
    module = module_of(emit(program))

    def body(comm):
        plan = module.plan(comm)
        y = module.transform(np.ones(program.M, complex), plan)
        plan.free()
        return y

    done = run(P, body)
    cost = count(program)
    assert (done.trace.messages, done.trace.words) == (cost.messages, cost.words)


def test_the_transpose_of_the_cyclic_layout_costs_one_exchange_of_all_but_one_part():
    for P in (2, 4, 8):
        N, n = 1024, 1024 // P
        cost = count(build("fft", N, P, "cyclic", "cyclic"))
        assert (cost.exchanges, cost.messages, cost.words) == (1, P - 1, n - n // P)


def test_flops_count_radix_2_butterflies_and_twiddles():
    """5 n lg N butterflies on every rank, and 6 n for every phase after the first."""
    for N, P in ((64, 1), (64, 4), (64, 16), (64, 32), (1024, 4)):
        n, H = N // P, bsp_phases.phases(N, P)
        assert count(build("fft", N, P)).flops == 5 * n * (N.bit_length() - 1) + 6 * n * (H - 1)


@pytest.mark.parametrize("ends", [("block", "balanced"), ("balanced", "block")])
def test_no_rank_does_more_flops_than_are_counted(ends):
    shapes = [(name, shape) for name in ("fft", "rfft") for shape in ("10x7", "9x8x7")]
    shapes += [("dct", 13), ("dst", "10x7"), ("fft", 13), ("fft", 257)]
    asked = [stated(shape, P) | {"system": name} for name, shape in shapes for P in (2, 3, 8)]
    uneven = [make_request(**each, input=ends[0], output=ends[1]) for each in asked]
    lists = [make_request("fht", 64, P, direction=way) for P in (2, 4, 8) for way in DIRECTIONS]
    for program in map(resolve, [*uneven, *lists]):
        most = max(sum(step.flops(rank) for step in program.steps) for rank in range(program.P))
        assert count(program).flops == most, program.request


def test_a_redundant_exchange_costs_more():
    program = build("fft", 64, 4, "cyclic", "cyclic")
    step = next(step for step in program.steps if step.exchanges)
    more = replace(program, steps=(*program.steps, step, step))
    before, after = count(program), count(more)
    assert (after.exchanges, after.messages, after.words) == (
        3 * before.exchanges,
        3 * before.messages,
        3 * before.words,
    )


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_million_ranks_are_counted(exchange):
    program = build("fft", 2**40, 2**20, "block", "cyclic", exchange)
    cost = count(program)
    assert cost.exchanges == bsp_phases.phases(2**40, 2**20) == 2
    assert cost.messages >= 2**20 - 1
    assert sum(1 for step in program.steps if step.transforms_of_ranks) >= 2


@pytest.mark.parametrize("p", [4, 18, 30])
def test_the_rank_that_sends_most_is_found_among_many(p):
    """Ranks with their highest bit set send all to one other, the others keep all."""
    columns = [*(1 << j for j in range(p + 3)), 1 << p + 3 | 1 << 4]
    program = build("permute", 2 ** (p + 4), 2**p, permutation=Bmmc(Affine(tuple(columns), p + 4)))
    assert count(program) == Cost(1, 1, 16, 0)


def test_a_bit_reversal_sends_one_message_less_than_there_are_ranks():
    cost = count(
        build(
            "permute",
            2**36,
            2**18,
            exchange="pairwise",
            permutation=Bmmc(bit_reversal(36), "bit-reversal"),
        )
    )
    assert cost == Cost(1, 2**18 - 1, 2**18 - 1, 0)


def test_a_machine_turns_cost_into_seconds():
    machine = Machine("m", v=1e6, g=3.0, l=500.0)
    assert machine.seconds(Cost(exchanges=2, messages=9, words=100, flops=1700)) == pytest.approx(
        (1700 + 300 + 1000) / 1e6
    )
    assert EXAMPLE_MACHINE.seconds(Cost(1, 0, 0, 0)) == EXAMPLE_MACHINE.l / EXAMPLE_MACHINE.v


def test_a_machine_is_read_from_its_file(tmp_path):
    path = tmp_path / "t3e.toml"
    path.write_text('name = "Cray"\nv = 34.9e6\ng = 12\nl = 1000\n', encoding="utf-8")
    assert read_machine(path) == Machine("Cray", 34.9e6, 12.0, 1000.0)
    path.write_text("v = 1\ng = 2\nl = 3\n", encoding="utf-8")
    assert read_machine(path).name == "t3e"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "v = 1\ng = 2\n",
            r"l = None: a machine states v \(flop/s\), g and l \(flops\), from 1e-30 to 1e\+30",
        ),
        ("v = 0\ng = 2\nl = 3\n", "v = 0: a machine states"),
        ("v = 1\ng = -2\nl = 3\n", "g = -2: a machine states"),
        ("v = 1\ng = 'fast'\nl = 3\n", "g = 'fast': a machine states"),
        ("v = true\ng = 2\nl = 3\n", "v = True: a machine states"),
        ("v = nan\ng = 2\nl = 3\n", "v = nan: a machine states"),
        ("v = inf\ng = 2\nl = 3\n", "v = inf: a machine states"),
        (f"v = 1\ng = 1{'0' * 400}\nl = 3\n", r"g = 10+\.\.\.0+: a machine states"),
        ("v = 1e-300\ng = 2\nl = 3\n", "v = 1e-300: a machine states"),
        ("v = 1\ng = 2\nl = 1e31\n", r"l = 1e\+31: a machine states"),
        (
            "v = 1\ng = 2\nl = 3\nL = 4\n",
            r"L = 4, perhaps l: a machine states .*, and tables \[\[processors\]\], and nothing",
        ),
        ("", "v = None"),
        ("v = ", "Invalid value"),
        ("no machine", "machine.toml must be a TOML file: "),
    ],
)
def test_other_machine_files_are_refused_with_their_name(tmp_path, text, complaint):
    path = tmp_path / "machine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint) as caught:
        read_machine(path)
    assert str(caught.value).startswith(str(path))


def test_a_machine_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "m.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"m\.toml"):
        read_machine(tmp_path / "m.toml")
    with pytest.raises(FileNotFoundError):
        read_machine(tmp_path / "none.toml")
