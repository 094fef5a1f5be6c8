"""Traces: the text that is written is read back, and has the messages of the program and nothing
else.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

import numpy as np
import pytest

from codegen.cost.counted import EXAMPLE_MACHINE, count, sent_by, supersteps
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from nodewright import traces
from proofs.certify.program import certify
from proofs.certify.traces import recorded as recording
from proofs.certify.traces.recorded import parted, recorded
from tests.support.paths import ROOT

GENERATED = ROOT / "generated"
CYCLIC = GENERATED / "fft_1024_4_cyclic.py"
PROGRAMS = (
    (CYCLIC, make_request("fft", 1024, 4, "cyclic", "cyclic")),
    *(
        (GENERATED / name, make_request("fft", 1024, 4, "cyclic", "cyclic", exchange))
        for name, exchange in (
            ("fft_1024_4_auto.py", "auto"),
            ("fft_1024_4_node_aware.py", "node-aware"),
        )
    ),
    (
        GENERATED / "fft_1024_4_overlapped.py",
        make_request("fft", 1024, 4, "cyclic", "block", exchange="overlapped"),
    ),
    (GENERATED / "fft_1024_256_block.py", make_request("fft", 1024, 256)),
    (GENERATED / "fht_1024_4_block.py", make_request("fht", 1024, 4)),
)
OPERATION = re.compile(
    r"l(\d+): (?:calc (\d+)|(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+))|l(\d+) requires l(\d+)"
)


@dataclass
class Graph:
    """A rank in GOAL: nanoseconds, messages (other rank, bytes, tag), and who requires whom."""

    calc: dict[int, int] = field(default_factory=dict)
    send: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    recv: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    requires: dict[int, set[int]] = field(default_factory=dict)


def read_goal(text):
    """Return the graphs of a text of GOAL, rank by rank; raise ValueError where it is none."""
    head, *blocks = text.split("\n\n")
    graphs = []
    for rank, block in enumerate(blocks):
        first, *lines, last = block.rstrip("\n").split("\n")
        if (first, last) != (f"rank {rank} {{", "}"):
            raise ValueError(f"{first} .. {last}")
        graphs.append(graph_of(lines))
    if head != f"num_ranks {len(graphs)}":
        raise ValueError(head)
    return graphs


def graph_of(lines):
    graph = Graph()
    for line in lines:
        found = OPERATION.fullmatch(line)
        if found is None:
            raise ValueError(line)
        label, nanoseconds, verb, size, peer, tag, later, earlier = found.groups()
        if later:
            graph.requires.setdefault(int(later), set()).add(int(earlier))
        elif verb:
            getattr(graph, verb)[int(label)] = (int(peer), int(size), int(tag))
        else:
            graph.calc[int(label)] = int(nanoseconds)
    return graph


def check(text):
    """Raise ValueError unless each send has its receive and nothing waits for itself."""
    graphs = read_goal(text)
    sent = Counter(
        (r, *message) for r, graph in enumerate(graphs) for message in graph.send.values()
    )
    received = Counter(
        (peer, r, size, tag)
        for r, graph in enumerate(graphs)
        for peer, size, tag in graph.recv.values()
    )
    if sent != received or max(sent.values()) > 1:
        raise ValueError(f"sent {sent - received}, received {received - sent}")
    for graph in graphs:
        operations = {*graph.calc, *graph.send, *graph.recv}
        if not {label for labels in graph.requires.values() for label in labels} <= operations:
            raise ValueError("an operation requires one that is not there")
        try:
            TopologicalSorter(graph.requires).prepare()
        except CycleError as error:
            raise ValueError("an operation waits for itself") from error
    return graphs


def goal_of(program):
    trace = traces.trace_of(program)
    schedule = traces.schedule_of(trace.exchanges, trace.declaration.dtype.itemsize)
    return traces.goal(schedule, EXAMPLE_MACHINE.v)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("path", "asked"), PROGRAMS, ids=[path.stem for path, _ in PROGRAMS])
def test_goal_has_the_messages_and_words_of_each_rank_that_cost_counts(path, asked):
    graphs, program = check(goal_of(path)), resolve(asked)
    messages, words = sent_by(program, np.arange(asked.P))
    assert [len(graph.send) for graph in graphs] == messages.tolist()
    size = np.dtype(asked.dtype).itemsize
    sizes = [sum(size for _, size, _ in graph.send.values()) for graph in graphs]
    assert sizes == (size * words).tolist()
    wanted = 1e9 * count(program).flops / EXAMPLE_MACHINE.v
    most = max(sum(graph.calc.values()) for graph in graphs)
    assert most == pytest.approx(wanted, abs=len(supersteps(program)))


def test_computation_waits_for_the_messages_before_it_and_messages_for_the_computation():
    for graph in check(goal_of(CYCLIC)):
        first, last = graph.calc
        assert graph.requires[last] == {*graph.send, *graph.recv}
        assert all(graph.requires[label] == {first} for label in (*graph.send, *graph.recv))


MUTANTS = {
    "a dropped receive": (r"l2: recv 1024b from 1 tag 0\nl2 requires l1\n", "", "sent Counter"),
    "another size": ("recv 1024b from 1", "recv 1008b from 1", "1008"),
    "another tag": ("send 1024b to 1 tag 0", "send 1024b to 1 tag 1", "sent Counter"),
    "another rank": ("send 1024b to 1", "send 1024b to 2", "sent Counter"),
    "a circle": ("l2 requires l1", "l2 requires l8", "waits for itself"),
    "no operation": ("l8 requires l7", "l8 requires l9", "one that is not there"),
    "no GOAL": ("l1: calc", "l1: compute", "l1: compute"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_trace_that_is_changed_is_refused(name):
    before, after, said = MUTANTS[name]
    text = goal_of(CYCLIC)
    changed = re.sub(before, after, text, count=1)
    assert changed != text
    with pytest.raises(ValueError, match=said):
        check(changed)


@pytest.mark.parametrize("change", [(2, 255), (2, 257), (0, 1)], ids=["fewer", "more", "source"])
def test_messages_that_are_not_counted_are_no_trace(change):
    steps = supersteps(resolve(make_request("fft", 1024, 4, "cyclic", "cyclic")))
    rows = np.concatenate([exchange.messages for exchange in recorded(CYCLIC).exchanges])
    assert parted(rows, steps) is not None
    rows[0, change[0]] = change[1]
    assert parted(rows, steps) is None


def test_simgrid_has_the_same_messages_from_a_file_for_each_rank(nodewright, tmp_path):
    file = tmp_path / "fft.smpi"
    code, out, err = nodewright("trace", CYCLIC, "-o", file, "--format", "smpi", "--json")
    assert (code, err) == (0, "")
    assert '"messages": 12, "bytes": 12288, "flops": 57344' in out
    files = [f"{file}.{rank}" for rank in range(4)]
    assert file.read_text().split() == files
    for rank, graph in enumerate(read_goal(goal_of(CYCLIC))):
        lines = [line.split() for line in (tmp_path / f"fft.smpi.{rank}").read_text().splitlines()]
        assert {line[0] for line in lines} == {f"{rank}"}
        assert [line[1] for line in lines] == [
            *("init", "compute", *["irecv"] * 3, *["isend"] * 3, "waitall", "compute", "finalize")
        ]
        for verb, messages in (("isend", graph.send), ("irecv", graph.recv)):
            found = [tuple(map(int, line[2:])) for line in lines if line[1] == verb]
            assert found == [(peer, tag, size) for peer, size, tag in messages.values()]


def test_a_program_without_a_certificate_that_holds_is_refused_unless_it_is_forced(
    nodewright, tmp_path
):
    program, file = shutil.copy(CYCLIC, tmp_path / "fft.py"), tmp_path / "fft.goal"
    code, out, err = nodewright("trace", program, "-o", file)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "has no certificate; run" in err
    assert not file.exists()
    code, out, err = nodewright("trace", program, "-o", file, "--force")
    assert (code, err.count("\n")) == (0, 1)
    assert "continuing because of --force" in err
    assert file.read_text() == goal_of(CYCLIC)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((CYCLIC, "-o", "."), "Is a directory"),
        ((CYCLIC, "-o", "t", "--machine", "no_rate.toml"), "v = None"),
        ((CYCLIC, "-o", "t", "--machine", "no_rate.toml", "--format", "smpi"), "counts flops"),
        ((CYCLIC, "-o", "t", "--format", "otf"), "choose from goal, smpi"),
        ((GENERATED / "fft_1024_4_shared.py", "-o", "t"), "exchange by shared memory"),
        (("nowhere.py", "-o", "t"), "nowhere.py: No such file"),
    ],
)
def test_what_is_wrong_is_one_line_and_no_file(nodewright, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "no_rate.toml").write_text("g = 1\nl = 1\n")
    code, out, err = nodewright("trace", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert [path.name for path in tmp_path.iterdir()] == ["no_rate.toml"]


@pytest.mark.parametrize("P", [2048, 4096, 8192])
def test_more_ranks_than_are_evaluated_are_one_line(nodewright, tmp_path, P):
    program, file = tmp_path / "fft.py", tmp_path / "fft.goal"
    program.write_text(emit(resolve(make_request("fft", 2**15, P))), encoding="utf-8")
    code, out, err = nodewright("trace", program, "-o", file, "--force")
    assert (code, out) == (2, "")
    assert f"P = {P} is above 1024" in err.splitlines()[-1]
    assert not file.exists()


def test_more_messages_than_are_written_are_one_line(monkeypatch):
    monkeypatch.setattr(recording, "MOST_MESSAGES", 11)
    with pytest.raises(ValueError, match="sends 12 messages: a trace has 11 at most"):
        traces.trace_of(CYCLIC)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("    plan.own.Alltoall(out, work)\n", "    work[:] = out\n", "sends other messages"),
        ("    plan.own.Alltoall(out, work)\n", 2 * "    plan.own.Alltoall(out, work)\n", "24"),
        ("plan.own.Alltoall(out", "plan.own.Alltoall(out[1:]", "rank"),
    ],
    ids=["none", "twice", "fewer"],
)
def test_a_program_that_sends_something_else_has_no_trace(
    nodewright, tmp_path, before, after, said
):
    program, file, text = tmp_path / "fft.py", tmp_path / "t", CYCLIC.read_text(encoding="utf-8")
    assert before in text
    program.write_text(text.replace(before, after), encoding="utf-8")
    code, out, err = nodewright("trace", program, "-o", file, "--force")
    assert (code, out, err.count("\n")) == (2, "", 2)
    assert said in err.splitlines()[-1]
    assert not file.exists()


@pytest.mark.long
def test_a_certificate_that_does_not_hold_is_none(nodewright, tmp_path):
    program, text = tmp_path / "fft.py", CYCLIC.read_text(encoding="utf-8")
    before, after = "plan.own.Alltoall(out, work)", "work[:] = out"
    assert before in text
    program.write_text(text.replace(before, after), encoding="utf-8")
    assert not certify(program, ran=0).holds
    code, out, err = nodewright("trace", program, "-o", tmp_path / "t")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "has a certificate that does not hold" in err
    assert not (tmp_path / "t").exists()


def test_no_rank_has_a_file_where_one_cannot_be_written(nodewright, tmp_path):
    (tmp_path / "t.2").mkdir()
    code, out, err = nodewright("trace", CYCLIC, "-o", tmp_path / "t", "--format", "smpi")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "t.2: Is a directory" in err
    assert [path.name for path in tmp_path.iterdir()] == ["t.2"]
