"""The programs in the manner of the MPI Bugs Initiative, as far as the language has what they use:
wrong ones are refuted with their class, right ones do what they do on the simulated ranks.
"""

from __future__ import annotations

from collections import Counter

import pytest

from codegen.mpi.faults import Fault
from codegen.mpi.memory.buffers import poisoned_within
from codegen.mpi.simulate import MPI as SIMULATED
from proofs.certify.language.operations import Refuted, Undecided
from tests.support.mpi_bugs import PROGRAMS
from tests.support.simulated import accepted
from tests.support.worlds import run_with

NOT_WATCHED = {
    "shared_memory_without_a_barrier",
    "shared_memory_that_is_written_again_too_soon",
    "two_ranks_store_to_one_place",
}
"""Races of ordinary numbers in shared memory: data alone are watched (test_shared_memory.py)."""
DEADLOCKS = {Fault.BUFFERING_HAZARD, Fault.CALL_ORDERING, Fault.RESOURCE_LEAK}


def outcome(monkeypatch, program):
    try:
        results, trace = run_with(monkeypatch, program.ranks, program.body)
    except Refuted as error:
        return error.words.split(": ")[0], str(error)
    except (Undecided, AttributeError):
        return "undecided", ""
    if any(map(poisoned_within, results)):
        return Fault.LOCAL_CONCURRENCY, "a rank returns what it has read too early"
    return results, trace


@pytest.mark.parametrize("name", [name for name in PROGRAMS if PROGRAMS[name].fault])
def test_a_wrong_program_does_not_hold(name, monkeypatch):
    found, words = outcome(monkeypatch, PROGRAMS[name])
    wanted = PROGRAMS[name].fault
    if found == "undecided" or name in NOT_WATCHED:
        return
    if "deadlock" in words:
        # which the evaluator does not divide further
        assert wanted in DEADLOCKS | {Fault.PARAMETER_MATCHING}
        return
    assert found == wanted, words
    assert "rank " in words


@pytest.mark.parametrize("name", [name for name in PROGRAMS if not PROGRAMS[name].fault])
def test_a_right_program_does_what_it_does_on_simulated_ranks(name, monkeypatch):
    program = PROGRAMS[name]
    found, trace = outcome(monkeypatch, program)
    if found == "undecided":
        return
    wanted = accepted(program.ranks, lambda comm: program.body(comm, SIMULATED()))
    assert found == list(wanted.results)
    assert trace.sends == wanted.trace.sends
    assert (trace.messages, trace.words) == (wanted.trace.messages, wanted.trace.words)
    lines, known = (
        Counter((one.rank, one.kind, one.moves, one.line, one.itemsize) for one in each.operations)
        for each in (trace, wanted.trace)
    )
    assert lines == known


def test_the_language_has_most_of_them(monkeypatch):
    """The others test for completion, receive from any rank, or have derived types, windows that
    are put to, or pickled objects.
    """
    undecided = Counter(
        program.fault is not None
        for program in PROGRAMS.values()
        if outcome(monkeypatch, program)[0] == "undecided"
    )
    assert undecided == {True: 35, False: 30}
