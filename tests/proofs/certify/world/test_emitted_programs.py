"""Emitted programs on the evaluator's ranks and exact arrays: they compute what they declare, at
the cost that they state.
"""

from __future__ import annotations

import numpy as np
import pytest

from derive.verdict import Checked
from proofs.certify.checks.cost_check import cost
from proofs.certify.declared_constants import declared
from proofs.certify.exact.constants import NoConstant
from proofs.certify.language.table_entries import Refuted
from proofs.certify.scripts.evaluation_jobs import natural
from proofs.certify.scripts.traffic import Traffic
from tests.support.in_cpython import give_operators, loaded
from tests.support.paths import ROOT
from tests.support.rounds import given
from tests.support.worlds import world

PROGRAMS = [
    path
    for path in sorted((ROOT / "generated").glob("*.py"))
    if 'KERNELS, EXCHANGE = "numpy"' in path.read_text("utf-8")
    and "_256_" not in path.name
    and "_257_" not in path.name  # its padded lengths need another field than that of N
]


def ran(source, nodes=None):
    """Return the declaration of a program and its trace; AssertionError unless it is right."""
    d = declared(loaded(source, None))
    space, parts, wanted = given(d, np.random.default_rng(1))
    one, names = world(d.P, nodes, space), loaded(source, space)

    def of_rank(comm):
        plan = names["plan"](comm)
        one.log.phases[comm.rank] = "transform"
        x = parts[comm.rank].reshape(d.part("input", comm.rank))
        x.items.flags.writeable = False
        y = names["transform"](x, plan)
        one.log.phases[comm.rank] = "plan"
        plan.free()
        assert y.shape == d.part("output", comm.rank)
        assert not np.shares_memory(x.items, y.items)
        return y.reshape(-1)

    results = one.run(of_rank)
    found = natural(d, [y.numbers[..., : space.stimuli] for y in results])
    assert (found == wanted).all()
    return d, one.log.trace


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_computes_what_it_declares_at_the_cost_that_it_states(path, monkeypatch):
    give_operators(monkeypatch)
    nodes = range(4) if "node_aware" in path.stem else None  # the cost is that between nodes
    d, trace = ran(path.read_text("utf-8"), nodes)
    traffic = Traffic.of(trace.in_numbers_of(d.dtype.itemsize), d.P, 1)
    verdict = cost(d, traffic, "cost")
    assert isinstance(verdict, Checked), verdict


@pytest.mark.parametrize("nodes", [[0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 1]])
def test_a_program_for_several_nodes_computes_the_same_on_them(nodes, monkeypatch):
    give_operators(monkeypatch)
    [path] = [path for path in PROGRAMS if "node_aware" in path.stem]
    _, trace = ran(path.read_text("utf-8"), nodes)
    assert trace.calls


WRONG = [
    ("fft_1024_4_shared", "self.memory.Sync()", "pass", "no Sync"),
    ("fft_1024_4_shared", "self.comm.Barrier()", "pass", "uninitialised"),
    ("fft_1024_4_shared", "self.memory.Free()", "pass", "resource leak"),
    ("fft_1024_4_block", "Alltoall(work, out)", "Alltoall(work, work)", "overlaps its own buffer"),
    ("fft_1024_4_block", "self.own.Free()", "pass", "resource leak"),
    ("fft_1024_4_block", "work = plan.work", "work = np.empty_like(x)[:255]", "ValueError"),
    ("fft_1024_4_block", "plan.own.Alltoall(work, out)", "pass", "uninitialised"),
    ("fft_1024_4_overlapped", "request.Wait()", "pass", "local concurrency|request|nobody"),
]


@pytest.mark.parametrize(("name", "line", "other", "words"), WRONG)
def test_a_wrong_line_is_refuted_by_its_rule(name, line, other, words, monkeypatch):
    give_operators(monkeypatch)
    source = (ROOT / "generated" / f"{name}.py").read_text("utf-8")
    assert line in source
    with pytest.raises(Refuted, match=words):
        ran(source.replace(line, other))


def test_roots_of_another_order_are_unknown(monkeypatch):
    give_operators(monkeypatch)
    source = (ROOT / "generated/fft_1024_4_block.py").read_text("utf-8")
    with pytest.raises(NoConstant, match="no dyadic"):
        ran(source.replace("rank + o % 64 * 4), 1024", "rank + o % 64 * 4), 1023"))


def test_a_wrong_result_is_seen(monkeypatch):
    give_operators(monkeypatch)
    source = (ROOT / "generated/fft_1024_4_block.py").read_text("utf-8")
    with pytest.raises(AssertionError):
        ran(source.replace("rank + o % 64 * 4), 1024", "rank + o % 64 * 4 + 1), 1024"))
