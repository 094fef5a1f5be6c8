"""The programs in the manner of the MPI Bugs Initiative: wrong ones are refuted with their class,
right ones do what they do on real ranks.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from nodewright.runtime import launch
from proofs.certify.language.table_entries import Refuted
from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs import PROGRAMS
from tests.support.paths import ROOT
from tests.support.worlds import mpi_module, run

WRONG = [name for name, program in PROGRAMS.items() if program.fault]
RIGHT = [name for name, program in PROGRAMS.items() if not program.fault]
DEADLOCKS = {Fault.CALL_ORDERING, Fault.RESOURCE_LEAK, Fault.PARAMETER_MATCHING}
"""Of which class a deadlock is, the evaluator does not say."""


def results(name):
    program = PROGRAMS[name]
    return run(program.ranks, lambda comm: program.body(comm, mpi_module().MPI)).results


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_refuted_with_its_class(name):
    with pytest.raises(Refuted) as caught:
        results(name)
    found, _, words = caught.value.words.partition(": ")
    wanted = PROGRAMS[name].fault
    assert found == wanted or (words.startswith("deadlock") and wanted in DEADLOCKS)
    assert "rank " in words
    assert "\n" not in words


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_holds(name):
    assert len(results(name)) == PROGRAMS[name].ranks


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_the_right_programs_do_the_same_on_real_ranks(ranks):
    command = [launch.mpiexec(), "-n", str(ranks), sys.executable, "-m", "tests.support.mpi_bugs"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert found == {name: repr(results(name)) for name in RIGHT if PROGRAMS[name].ranks == ranks}


def test_there_are_several_of_each_class():
    per_class = Counter(PROGRAMS[name].fault for name in WRONG)
    assert {fault for fault in Fault if per_class[fault] < 3} == {
        Fault.ABORTED,
        Fault.GLOBAL_CONCURRENCY,  # of data alone: test_shared_memory.py
    }
