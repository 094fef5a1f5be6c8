"""Programs in the manner of the MPI Bugs Initiative: every wrong one is refused with its class,
every right one accepted.
"""

import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.ranks import Schedule
from codegen.mpi.schedules import one_of
from codegen.mpi.simulate import MPI, on_all
from nodewright.runtime import launch
from tests.support.mpi_bugs import PROGRAMS
from tests.support.paths import ROOT
from tests.support.simulated import accepted

WRONG = [name for name, program in PROGRAMS.items() if program.fault]
RIGHT = [name for name, program in PROGRAMS.items() if not program.fault]


def simulated(program):
    return accepted(program.ranks, lambda comm: program.body(comm, MPI()))


def verdict(name):
    """Return the class of error that is found in a program, and the error, or nothing."""
    try:
        simulated(PROGRAMS[name])
    except CommunicationError as error:
        return error.fault, error
    return None, None


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_refused_with_its_class(name):
    fault, error = verdict(name)
    assert fault == PROGRAMS[name].fault, error
    assert "\n" not in str(error)
    assert str(error).startswith(f"{fault}: ")


@pytest.mark.parametrize("name", WRONG)
def test_a_refusal_names_rank_and_line(name):
    text = str(verdict(name)[1])
    assert "rank " in text
    assert " at line " in text or "returns what it has read" in text


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_accepted(name):
    assert verdict(name) == (None, None)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_the_right_programs_do_the_same_on_real_ranks(ranks):
    command = [launch.mpiexec(), "-n", str(ranks), sys.executable, "-m", "tests.support.mpi_bugs"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    wanted = {name: PROGRAMS[name] for name in RIGHT if PROGRAMS[name].ranks == ranks}
    assert found == {
        name: repr(list(simulated(program).results)) for name, program in wanted.items()
    }


def test_the_confusion_counts_are_those_of_a_perfect_tool():
    found = Counter(
        (PROGRAMS[name].fault is not None, verdict(name)[0] is not None) for name in PROGRAMS
    )
    assert found == {(True, True): len(WRONG), (False, False): len(RIGHT)}
    assert (len(WRONG), len(RIGHT)) == (110, 52)  # as docs/certificates.md has it
    per_class = Counter(PROGRAMS[name].fault for name in WRONG)
    assert {fault for fault in Fault if per_class[fault] < 3} == {Fault.ABORTED}


def at_random(rng):
    """Return an order of ranks that is drawn anew at every step."""
    return lambda ready: rng.choice(list(ready))


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_does_the_same_in_any_order(name):
    program, wanted = PROGRAMS[name], simulated(PROGRAMS[name]).results
    for seed in range(20):
        order = at_random(random.Random(seed))
        _, done = one_of(
            program.ranks,
            on_all(program.ranks, lambda comm: program.body(comm, MPI())),
            Schedule(order=order),
        )
        assert done.results == wanted


def with_wildcards(rng):
    """Return a program in which three ranks send to the first, which receives by sources and tags
    that are named or left open.
    """
    sends = {rank: [rng.choice((0, 1)) for _ in range(rng.randint(0, 2))] for rank in (1, 2, 3)}
    waits = {rank: rng.randint(0, 2) for rank in sends}
    receives = [(rank, tag, k) for rank, tags in sends.items() for k, tag in enumerate(tags)]
    if rng.random() < 0.5:
        receives.sort(key=lambda receive: waits[receive[0]])
    else:
        rng.shuffle(receives)
    asked = [
        (
            rng.choice((rank, None)),
            rng.choice((tag, None)),
            waits[rank] if rng.random() < 0.8 else 0,
        )
        for rank, tag, _ in receives
    ]

    def body(comm):
        found, mpi = [], MPI()
        for step in range(3):
            if comm.rank:
                for k, tag in enumerate(sends[comm.rank] if waits[comm.rank] == step else ()):
                    comm.Send(np.array([comm.rank, k, 0.0]), 0, tag)
            else:
                for source, tag, when in asked:
                    if when == step:
                        x = np.zeros(3)
                        comm.Recv(
                            x,
                            mpi.ANY_SOURCE if source is None else source,
                            mpi.ANY_TAG if tag is None else tag,
                        )
                        found.append(x.tolist())
            comm.Barrier()
        return found

    return body


def outcomes(body, orders):
    """Return what comes out in these orders: results, or a deadlock."""
    found = set()
    for seed in range(orders):
        try:
            found.add(
                str(
                    one_of(4, on_all(4, body), Schedule(order=at_random(random.Random(seed))))[
                        1
                    ].results
                )
            )
        except CommunicationError as error:
            found.add(error.fault)
    return found


@pytest.fixture(scope="module")
def drawn():
    """Programs with wildcards, by the class of error that is found in them, if any."""
    found = {None: [], Fault.MESSAGE_RACE: []}
    for seed in range(400):
        body = with_wildcards(random.Random(seed))
        try:
            accepted(4, body)
            found[None].append(body)
        except CommunicationError as error:
            found.setdefault(error.fault, []).append(body)
    return found


@pytest.mark.slow
def test_what_is_accepted_with_wildcards_has_one_outcome_in_any_order(drawn):
    assert len(drawn[None]) > 100
    assert [len(outcomes(body, 12)) for body in drawn[None]] == [1] * len(drawn[None])


@pytest.mark.long
def test_most_of_what_is_refused_as_a_race_has_several_outcomes(drawn, monkeypatch):
    monkeypatch.setattr("codegen.mpi.schedules.race", lambda world: None)
    several = [len(outcomes(body, 12)) > 1 for body in drawn[Fault.MESSAGE_RACE]]
    assert len(several) > 40
    assert sum(several) > 0.8 * len(several)
