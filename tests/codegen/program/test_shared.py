"""Exchange through shared memory: certified, refused where it is damaged, counted, bounded in
memory, and run on real ranks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit.steps import fourier_passes, window_lines
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import AUTO, SHARED
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.text.elaborate import formula
from derive.text.parse import parse_formula
from derive.verdict import holds
from nodewright.runtime.launch import mpiexec
from proofs.certify.plain_text import counted
from tests.mutation.behaviour import _held
from tests.support.changes import changed, changed_once
from tests.support.judged import refuted, verdicts
from tests.support.loaded import loaded
from tests.support.programs import build, spec_of
from tests.support.worlds import run

pytestmark = pytest.mark.sampled(48)


def fft(N, P, before="block", after="block", **options):
    return emit(resolve(make_request("fft", N, P, before, after, SHARED, **options)))


def permute(name, N, P, before="block", after="block", **options):
    moved = Bmmc(bmmc.named(name, N.bit_length() - 1), name)
    return emit(
        resolve(
            make_request(
                "permute", N, P, before, after, SHARED, moved, **{"dtype": "float64"} | options
            )
        )
    )


CERTIFIED = {
    "one exchange": lambda: fft(64, 4, "cyclic", "cyclic"),
    "three exchanges, two ranks": lambda: fft(64, 2),
    "backward, in single precision": lambda: fft(
        64, 4, "cyclic", "block", direction="backward", dtype="complex64"
    ),
    "scaled": lambda: fft(64, 4, "block", "bit-reversed", norm="ortho"),
    "gathers and rounds": lambda: fft(64, 16, "f:1", "block"),
    "one element a rank and more": lambda: fft(32, 16, "scrambled", "cyclic"),
    "one rank": lambda: fft(64, 1),
    "a permutation by axes": lambda: permute("shuffle", 64, 4),
    "a permutation by tables": lambda: permute("gray-code", 64, 4, "cyclic", "block"),
    "a permutation of records": lambda: permute("bit-reversal", 64, 2, dtype="i4,f8"),
    "a permutation that stays": lambda: permute("identity", 16, 4),
    "a transform by compiled kernels": lambda: fft(64, 2, "cyclic", "cyclic", kernels="numba"),
    "kernels that are compiled": lambda: permute("bit-reversal", 1024, 2, kernels="numba"),
    "kernels in Gray-code order": lambda: permute("vector-reversal", 64, 4, kernels="gray"),
}


decided = cache(verdicts)
"""What is decided of an emitted text, which more than one test looks at."""


@pytest.mark.long
@pytest.mark.parametrize("name", CERTIFIED)
def test_programs_that_share_memory_are_certified(name):
    found = decided(CERTIFIED[name]())
    assert all(map(holds, found.values()))
    assert "cost" in found


@pytest.mark.long
def test_a_formula_of_ones_own_shares_memory():
    own = formula(parse_formula("F(4) (x) I(4) * T(16,4) * I(4) (x) F(4) * L(16,4)"), {})
    assert refuted(emit(resolve(spec_of(own, 2, exchange=SHARED)))) == {}


RACE = "global concurrency"
ON_THEIR_WAY = "computes with elements that are uninitialised"


@pytest.mark.parametrize("name", [name for name in CERTIFIED if name != "one rank"])
def test_without_its_barriers_every_program_that_exchanges_is_refused(name):
    program = CERTIFIED[name]()
    found = refuted(program.replace("        self.comm.Barrier()\n", ""))
    races = RACE in found.get("messages", "") or ON_THEIR_WAY in found.get("function", "")
    assert races if count_of(program)[0] else found == {}


LONG = {
    "one half": (lambda: fft(64, 2, "cyclic", "cyclic"), 1, "two barriers each"),
    "one half, compiled": (
        lambda: fft(64, 4, "cyclic", "cyclic", kernels="numba"),
        1,
        "two barriers each",
    ),
    "one half, moved": (lambda: permute("bit-reversal", 64, 4), 1, "two barriers each"),
    "one half, stored to where it was read": (
        lambda: fft(256, 4, "cyclic", "block", kernels="numba"),
        1,
        "a barrier each",
    ),
    "two halves": (lambda: fft(64, 4), 2, "a barrier each"),
}


def of_long(monkeypatch, name):
    """Return a program that is written as those are whose parts are long, and what it says."""
    emitted, halves, words = LONG[name]
    monkeypatch.setattr(window_lines, "ONE_HALF", 1)
    return emitted(), halves, words


@pytest.mark.long
@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", LONG)
def test_a_long_part_of_a_window_has_one_half_where_that_can_be_and_a_barrier_more(
    monkeypatch, name
):
    program, halves, words = of_long(monkeypatch, name)
    assert words in program
    found = refuted(program)
    assert (
        found == {}
        if words == "a barrier each"
        else list(found) == ["cost"] and "2 synchronisations instead of 1" in found["cost"]
    )
    P = loaded(program)["P"]
    assert run(P, lambda comm: held_by(program, comm)).results == [halves] * P


def held_by(text, comm):
    """Return of how many halves the window of a rank is."""
    plan = loaded(text)["plan"](comm)
    halves = len(plan.window.segments[comm.rank])
    plan.free()
    return halves


@pytest.mark.sampled(1)
@pytest.mark.parametrize("instead", ["pass", "plan.window.memory.Sync()"])
def test_a_half_that_is_released_too_early_is_refused(monkeypatch, instead):
    program, *_ = of_long(monkeypatch, "one half")
    assert program.count("plan.window.wait()") == 1
    assert RACE in refuted(changed(program, ("plan.window.wait()", instead)))["messages"]


BACK = {
    "nobody waits before what comes back is read": (
        "plan.window.returned()",
        "list(work.reshape(P, -1))",
        "messages",
        RACE,
    ),
    "results are sought where they would have been": (
        "plan.window.returned()",
        "plan.window.exchange(plan.messages)",
        "function",
        "the output y_1 is",
    ),
    "results are stored to one's own segment": (
        "local_1(tuple([memory_of(message) for message in messages]), *plan.addresses_2)",
        "for part, message in zip(work.reshape(P, -1), messages):\n    part[:] = message\n"
        "local_1(tuple([memory_of(part) for part in work.reshape(P, -1)]), *plan.addresses_2)",
        "messages",
        RACE,
    ),
    "a result goes to another's place": (
        "store_pairs(x[1], at + j, 0, v[1:2])",
        "store_pairs(x[3], at + j, 0, v[1:2])",
        "function",
        "the output y_",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", BACK)
def test_results_that_are_stored_elsewhere_than_messages_were_are_refused(monkeypatch, name):
    program, *_ = of_long(monkeypatch, "one half, stored to where it was read")
    old, new, verdict, words = BACK[name]
    found = refuted(changed_once(program, (old, new)))
    assert verdict in found and words in found[verdict], found


@pytest.fixture
def pass_by_pass(monkeypatch):
    """Return a program that is written as those are whose ranks wait between two passes."""
    monkeypatch.setattr(window_lines, "ONE_HALF", 1)
    monkeypatch.setattr(fourier_passes, "PASS_BY_PASS", 1)
    return fft(2**14, 2, kernels="numba")


def test_ranks_wait_between_two_passes_of_a_long_part(pass_by_pass):
    assert "two barriers each" in pass_by_pass and "reshape(1, M)" in pass_by_pass
    body = pass_by_pass[pass_by_pass.index("def transform(") :]
    first, second, half = (body.index(each) for each in (", 64, 0)", ", 0, 128)", "local_2("))
    waits = [i for i in range(len(body)) if body.startswith("plan.window.wait()", i)]
    assert first < waits[0] < second < half < waits[1] and len(waits) == 2
    assert "a barrier each" in fft(2**14, 4, kernels="numba")  # whose second kernel has one pass


@pytest.mark.long
def test_all_but_a_barrier_more_is_certified_of_ranks_that_wait_between_two_passes(pass_by_pass):
    found = refuted(pass_by_pass)
    assert list(found) == ["cost"] and "4 synchronisations instead of 2" in found["cost"]


@pytest.mark.long
def test_four_ranks_wait_between_two_passes_and_store_back_what_they_read(pass_by_pass):
    program = fft(2**15, 4, kernels="numba")
    assert "in 3 exchanges, 4 barriers" in program and "plan.window.returned()" in program
    found = refuted(program)
    assert list(found) == ["cost"] and "4 synchronisations instead of 3" in found["cost"]


BETWEEN = {
    "nobody waits": ("plan.window.wait()", "pass", "messages", RACE),
    "a room that the other rank reads": (
        "address(self.room)",
        "address(self.window.half())",
        "function",
        "have some elements in common",
    ),
    "a room in x": (
        "work = plan.window.half()",
        "work = plan.window.half()\nplan.addresses = (plan.addresses[0], memory_of(x), *plan.addresses[2:])",  # noqa: E501
        "function",
        "in memory of 8192",
    ),
    "rows that are left out": (
        "local_1((0,) * 2, memory_of(work), *plan.addresses, 0, 128)",
        "pass",
        "function",
        "the output y_0 is",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", BETWEEN)
def test_wrong_passes_are_refused(pass_by_pass, name):
    old, new, verdict, words = BETWEEN[name]
    found = refuted(changed_once(pass_by_pass, (old, new)))
    assert verdict in found and words in found[verdict], found


def count_of(program):
    """Return exchanges, messages and words as the head of a program states them."""
    line = next(line for line in program.splitlines() if line.startswith("Cost "))
    words = line.split()
    return tuple(
        int(next(before for before, word in pairwise(words) if word.startswith(name)))
        for name in ("exchange", "message", "word")
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("N", "P", "before", "after"),
    [(64, 4, "cyclic", "cyclic"), (64, 2, "block", "block"), (64, 16, "f:1", "block")],
)
def test_head_and_command_state_what_the_trace_shows(nodewright, N, P, before, after):
    program = fft(N, P, before, after)
    words = [
        "cost",
        "fft",
        "--size",
        str(N),
        "--ranks",
        str(P),
        "--input",
        before,
        "--output",
        after,
        "--exchange",
        SHARED,
        "--json",
    ]
    status, out, _ = nodewright(*words)
    assert status == 0
    stated = json.loads(out)
    evidence = decided(program)["cost"].evidence
    exchanged, messages, moved = count_of(program)
    assert (stated["exchanges"], stated["messages"], stated["words"]) == (
        exchanged,
        messages,
        moved,
    )
    figures = [(exchanged, "exchange"), (messages, "message"), (moved, "word")]
    assert evidence.startswith("".join(f"{counted(*figure)}, " for figure in figures))
    assert f", {counted(exchanged, 'synchronisation')}, " in evidence


@pytest.mark.parametrize("P", [2, 4, 8])
def test_it_costs_what_alltoall_does(P):
    for layouts in (("block", "block"), ("cyclic", "cyclic")):
        assert count(build("fft", 256, P, *layouts, SHARED)) == count(
            build("fft", 256, P, *layouts)
        )


SHARES = ("window", "messag")
"""How the names of what lies in the window begin."""


@pytest.mark.parametrize("layouts", [("cyclic", "cyclic"), ("block", "block")])
def test_a_plan_has_two_arrays_and_its_tables(layouts):
    N, P = 1024, 4
    M, text = N // P, fft(N, P, *layouts)

    def body(comm):
        plan = loaded(text)["plan"](comm)
        tables = {name: each for name, each in vars(plan).items() if name[:6] not in SHARES}
        held = _held(list(tables.values())), plan.window.segments[comm.rank].nbytes
        plan.free()
        return *held, _held(plan), plan.window

    for tables, halves, after, window in run(P, body).results:
        assert halves == 2 * M * 16
        assert tables <= 2 * M * 16
        assert (after, window) == (0, None)


@pytest.mark.long
def test_messages_of_one_element_are_read_as_numbers():
    ends, way = ("group-cyclic:2", "block", AUTO), {"kernels": "numba", "direction": "backward"}
    text = emit(resolve(make_request("fft", 32, 8, *ends, local="cache-friendly:2", **way)))
    assert "[place] = message[0]" in text
    assert decided(text)["function"].holds


@pytest.mark.long
def test_real_ranks_compute_what_numpy_does(tmp_path):
    x = np.random.default_rng(2).standard_normal(1024) + 1j
    np.save(tmp_path / "X.npy", x)
    for P, layouts in (
        (2, ("block", "block")),
        (4, ("cyclic", "cyclic")),
        (2, ("cyclic", "bit-reversed")),
    ):
        (tmp_path / "p.py").write_text(fft(1024, P, *layouts), encoding="utf-8")
        done = started(P, tmp_path / "p.py", tmp_path / "X.npy", tmp_path / "Y.npy")
        assert (done.returncode, done.stderr) == (0, "")
        y = np.load(tmp_path / "Y.npy")
        assert np.linalg.norm(y - np.fft.fft(x)) <= 80 * np.finfo(float).eps * np.linalg.norm(y)


def started(P, *words, **environment):
    command = [mpiexec(), "-n", str(P), sys.executable, *map(str, words)]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_ranks_of_several_nodes_are_told_so_in_one_line(tmp_path):
    np.save(tmp_path / "X.npy", np.ones(64, complex))
    (tmp_path / "p.py").write_text(fft(64, 2), encoding="utf-8")
    # as if each rank had a node of its own
    done = started(
        2, tmp_path / "p.py", tmp_path / "X.npy", tmp_path / "Y.npy", MPIR_CVAR_NOLOCAL="1"
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == "p.py: rank 0 cannot make its plan: 1 of 2 ranks share the memory of rank 0: exchange"
        " shared is for ranks of one node, take alltoall across nodes\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["X.npy", "p.py"]


TWO_PLANS = """
import runpy, sys
import numpy as np
from mpi4py import MPI

comm, program = MPI.COMM_WORLD, runpy.run_path(sys.argv[1])
x = np.arange(program["M"]) + 1j * comm.rank
plans = [program["plan"](comm) for _ in range(2)]
found = [program["transform"](x, plan) for plan in plans * 3]
assert all(np.array_equal(y, found[0]) for y in found)
plans[0].free()
plans[0].free()
if sys.argv[2] == "dies" and comm.rank == 1:
    raise RuntimeError("gone")
assert np.array_equal(program["transform"](x, plans[1]), found[0])
plans[1].free()
"""


def test_plans_share_nothing_and_no_rank_waits_for_one_that_is_gone(tmp_path):
    (tmp_path / "p.py").write_text(fft(64, 2), encoding="utf-8")
    (tmp_path / "driver.py").write_text(TWO_PLANS, encoding="utf-8")
    done = started(2, tmp_path / "driver.py", tmp_path / "p.py", "lives")
    assert (done.returncode, done.stderr) == (0, "")
    done = started(2, "-m", "mpi4py", tmp_path / "driver.py", tmp_path / "p.py", "dies")
    assert done.returncode != 0
    assert "RuntimeError: gone" in done.stderr
