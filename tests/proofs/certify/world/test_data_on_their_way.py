"""Data travel as they do on real ranks: the same elements arrive, and what is sent is counted."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from nodewright.runtime import launch
from proofs.certify.exact.data import Data
from proofs.certify.exact.data_functions import OPERATORS
from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.mpi_members import MPI
from tests.support.exchanges import SENT, M, P, received
from tests.support.paths import ROOT
from tests.support.worlds import as_module, elements, mpi_module, run, space_of, whole, world


@cache
def on_real_ranks():
    """Return what real ranks have in the end, by the names of the exchanges."""
    program = "tests.support.exchanges_on_real_ranks"
    command = [launch.mpiexec(), "-n", str(P), sys.executable, "-m", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def evaluated(body):
    space = space_of()
    one = world(P, space=space)

    def of_rank(comm):
        given = elements(space, range(M * comm.rank, M * comm.rank + M))
        blank = lambda n: Data(space.zeros(n, complex), complex, space)  # noqa: E731
        return [whole(array) for array in body(comm, as_module(MPI), given, blank)]

    return one.run(of_rank), one.log.trace


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("body", SENT, ids=lambda body: body.__name__)
def test_data_and_numbers_arrive_as_on_real_ranks(body):
    found, _ = evaluated(body)
    of_numbers = run(P, lambda comm: received(body, comm, mpi_module().MPI))
    assert found == of_numbers.results
    assert str(found) == on_real_ranks()[body.__name__]


@pytest.mark.parametrize("body", SENT, ids=lambda body: body.__name__)
def test_messages_and_words_are_counted(body):
    _, trace = evaluated(body)
    of_numbers = run(P, lambda comm: received(body, comm, mpi_module().MPI)).trace
    assert (trace.messages, trace.words) == SENT[body]
    operations = [replace(each, depth=0) for each in trace.operations]  # of numbers it is not known
    assert Counter(operations) == Counter(of_numbers.operations)


@pytest.mark.parametrize(("joined", "exchanges"), [(True, 3), (False, 2)])
def test_elements_of_a_message_have_been_through_as_many_exchanges_as_the_last_of_them(
    joined, exchanges
):
    def body(comm, mpi, x, blank):
        two, one, away = blank(2), blank(1), (comm.rank + 1) % P
        back = (comm.rank - 1) % P
        comm.Sendrecv(x[:1], away, recvbuf=one, source=back)
        if joined:  # the second element waits for the first
            two[0], two[1] = one[0], x[1]
            comm.Sendrecv(two.copy(), away, recvbuf=two, source=back)
        else:
            comm.Sendrecv(one.copy(), away, recvbuf=two[:1], source=back)
            comm.Sendrecv(x[1:2], away, recvbuf=two[1:], source=back)
        comm.Sendrecv(two[1:].copy(), away, recvbuf=one, source=back)
        return [one]

    _, trace = evaluated(body)
    assert trace.exchanges == exchanges


def test_an_array_in_columns_is_sent_as_it_lies():
    def body(comm, mpi, x, blank):
        y = blank(M)
        comm.Alltoall(x.reshape(2, 4).T, y)
        return [y]

    found, _ = evaluated(body)
    assert found[0] == [[0, 1, 8, 9, 16, 17, 24, 25]]


@pytest.mark.parametrize("call", ["Allgather", "Alltoall"])
def test_numbers_that_are_received_among_data_are_constants(call):
    space = space_of()

    def of_rank(comm):
        y = Data(space.unwritten(P, complex), complex, space)
        getattr(comm, call)(np.full(1 if call == "Allgather" else P, 1j**comm.rank), y)
        return OPERATORS["*"](y, elements(space, [1, 2, 3, 4])).numbers

    wanted = OPERATORS["*"](elements(space, [1, 2, 3, 4]), np.array([1, 1j, -1, -1j]))
    for found in world(P, space=space).run(of_rank):
        assert np.array_equal(found[..., :2], wanted.numbers[..., :2])


def test_data_that_are_received_in_an_array_of_numbers_decide_nothing():
    space = space_of()

    def of_rank(comm):
        comm.Allgather(elements(space, [1, 2]), np.zeros(2 * P, complex))

    with pytest.raises(Undecided, match="for other numbers; give it the type DTYPE"):
        world(P, space=space).run(of_rank)


def test_real_parts_are_received_in_a_view_of_an_array_for_data():
    space = space_of()

    def of_rank(comm):
        parts = Data(space.unwritten(P, complex), complex, space).view(float)
        comm.Allgather(elements(space, [1, comm.rank]).real.copy(), parts)
        return whole(parts)

    assert world(P, space=space).run(of_rank)[0] == [1, 0, 1, 1, 1, 2, 1, 3]


def test_a_logical_operator_gives_the_type_of_its_operands():
    def of_rank(comm):
        flags, found = np.array([1, comm.rank], np.uint8), np.zeros(2, np.uint8)
        comm.Allreduce(flags, found, op=MPI["LAND"])
        return found.tolist()

    assert world(P).run(of_rank) == [[1, 0]] * P


def test_a_sum_of_data_and_numbers_decides_nothing():
    space = space_of()

    def of_rank(comm):
        y = Data(space.unwritten(2, complex), complex, space)
        comm.Allreduce(np.ones(2, complex) if comm.rank else elements(space, [1, 2]), y)

    with pytest.raises(Undecided, match="a reduction of arrays that depend on x and of others"):
        world(P, space=space).run(of_rank)
