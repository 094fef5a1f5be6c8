"""Messages that are computed from supersteps: those that the programs send."""

from __future__ import annotations

import numpy as np
import pytest

from bench.scale.contestants import messages
from codegen.cost.counted import relations, supersteps
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import named
from proofs.certify.checks.cost_check import forms
from proofs.certify.traces.recorded import recorded
from tests.support.paths import ROOT

PROGRAMS = (
    "fft_1024_4_block",
    "fft_1024_4_overlapped",
    "fht_1024_4_block",
    "permute_1024_8_gray_code_records",
    "rfft_1000_5_block",
)
UNEQUAL = (
    make_request("fft", 100, 3, "balanced,whole", "block,whole", shape=(10, 10)),
    make_request("fft", 100, 3, "balanced", "block"),
    make_request("fft", 257, 3, "block", "balanced"),
    make_request("rfft", 90, 4, "balanced", "block", result="spectrum"),
    make_request("rfft", 90, 4, "balanced", "block", result="spectrum", direction="backward"),
    make_request("dct", 60, 7, "balanced", "block", shape=(12, 5)),
    make_request("dct", 60, 7, "balanced", "block"),
)
SPECS = (
    *UNEQUAL,
    make_request("fft", 2**20, 256, "cyclic", "cyclic"),
    make_request("fft", 2**12, 256),
    make_request("hypercube-fft", 256, 16, scheme="2"),
    make_request("hypercube-fft", 256, 16, "cyclic", "scrambled", scheme="3"),
    make_request("fht", 256, 16, "hartley-input"),
    make_request("fht", 512, 16, "cyclic", algorithm="group-cyclic"),
    make_request("fht", 512, 16, "cyclic", "cyclic", algorithm="group-cyclic"),
    make_request("fft", 360, 6, "cyclic", "cyclic"),
    make_request("rfft", 128, 8),
    make_request("permute", 256, 16, permutation=Bmmc(named("shuffle", 8), "shuffle")),
)


def received(program, rows):
    """Return the most words that a rank receives."""
    return int(np.bincount(rows[:, 1], rows[:, 2], program.P).max())


def in_order(rows):
    return rows[np.lexsort(rows.T)].tolist()


def sent(program, rows):
    """Return the messages and words of each rank."""
    words = np.bincount(rows[:, 0], rows[:, 2], program.P)
    return np.bincount(rows[:, 0], minlength=program.P).tolist(), words.tolist()


@pytest.fixture
def hypercube(tmp_path):
    """Write Prog. 2, in which a rank exchanges all that it has with a neighbour."""
    path = tmp_path / "hypercube.py"
    path.write_text(
        emit(resolve(make_request("hypercube-fft", 64, 8, scheme="2"))), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_sends_the_messages_of_its_supersteps(name):
    assert_sends_what_is_computed(ROOT / "generated" / f"{name}.py")


def test_prog_2_sends_the_messages_of_its_supersteps(hypercube):
    assert_sends_what_is_computed(hypercube)


def assert_sends_what_is_computed(path):
    trace = recorded(path)
    found = messages(forms(trace.declaration)[0])
    *exchanges, last = trace.exchanges
    assert not len(last.messages)
    assert [in_order(each.messages) for each in exchanges] == [in_order(rows) for rows in found]


@pytest.mark.parametrize(
    "asked", SPECS, ids=lambda asked: f"{asked.system}_{asked.N}_{asked.P}_{asked.output}"
)
def test_each_rank_sends_what_is_counted(asked):
    program = resolve(asked)
    found = messages(program)
    *exchanges, _ = supersteps(program)
    assert [sent(program, rows) for rows in found] == [
        ([*step.messages], [*step.words]) for step in exchanges
    ]


def test_a_relation_is_the_most_that_a_rank_sends_or_receives():
    more = 0
    for asked in SPECS:
        program = resolve(asked)
        for h, rows in zip(relations(program), messages(program), strict=True):
            most = max(sent(program, rows)[1])
            assert h == max(most, received(program, rows)), asked
            more += h > most
    assert more >= 5


@pytest.mark.parametrize("asked", [SPECS[7], SPECS[12], SPECS[14]], ids=lambda asked: f"{asked.N}")
def test_all_ranks_receive_one_message_at_a_time_in_an_all_to_all(asked):
    for rows in messages(resolve(asked)):
        targets = rows[:, 1].reshape(asked.P, -1)
        assert (np.sort(targets, axis=0) == np.arange(asked.P)[:, None]).all()
