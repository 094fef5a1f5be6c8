"""Data travel as they do on the simulated ranks: the same elements, messages, words, exchanges."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from codegen.mpi.simulate import MPI as SIMULATED
from proofs.certify.exact.data import Data
from proofs.certify.exact.functions import OPERATORS
from proofs.certify.language.operations import Undecided
from proofs.certify.world.members import MPI
from tests.support.worlds import as_module, elements, run, space_of, whole, world

P, M = 4, 8


def simulated(body):
    def of_rank(comm):
        given = np.arange(M * comm.rank, M * comm.rank + M).astype(complex)
        results = body(comm, SIMULATED(), given, lambda n: np.zeros(n, complex))
        return [array.view(complex).real.astype(int).tolist() for array in results]

    done = run(P, of_rank)
    return list(done.results), done.trace


def evaluated(body):
    space = space_of()
    one = world(P, space=space)

    def of_rank(comm):
        given = elements(space, range(M * comm.rank, M * comm.rank + M))
        blank = lambda n: Data(space.zeros(n, complex), complex, space)  # noqa: E731
        return [whole(array) for array in body(comm, as_module(MPI), given, blank)]

    return one.run(of_rank), one.log.trace


def alltoall(comm, mpi, x, blank):
    y, z = blank(M), blank(M)
    comm.Alltoall(x, y)
    comm.Alltoall([y, mpi.C_DOUBLE_COMPLEX], z)
    return y, z


def alltoall_in_place(comm, mpi, x, blank):
    comm.Alltoall(mpi.IN_PLACE, x)
    return [x]


def alltoallv(comm, mpi, x, blank):
    y, to = blank(M), (comm.rank + 1) % P
    counts = [M // 2 if rank == to else 0 for rank in range(P)]
    wanted = [M // 2 if rank == (comm.rank - 1) % P else 0 for rank in range(P)]
    comm.Alltoallv([x, counts], [y, (wanted, [2] * P)])
    return [y]


def alltoall_at_once(comm, mpi, x, blank):
    y = blank(M)
    comm.Ialltoall(x, y).Wait()
    return [y]


def gathers(comm, mpi, x, blank):
    y, z = blank(M * P), blank(M * P)
    comm.Allgather(x, y)
    comm.Gather(x[:2], z[:8] if comm.rank == 1 else None, root=1)
    comm.Allgatherv(x[: comm.rank], [z[8:14], ([0, 1, 2, 3], [0, 0, 1, 3])])
    comm.Gatherv(x[: comm.rank], [z[20:26], [0, 1, 2, 3]] if comm.rank == 0 else None)
    return y, z


def scatters(comm, mpi, x, blank):
    y, z = blank(2), blank(comm.rank + 1)
    comm.Scatter(x if comm.rank == 2 else None, y, root=2)
    counts = [1, 2, 3, 4]
    big = blank(10)
    big[:8] = x
    comm.Scatterv([big, (counts, [0, 1, 3, 6])] if comm.rank == 3 else None, z, root=3)
    return y, z


def broadcasts(comm, mpi, x, blank):
    comm.Bcast(x, root=2)
    comm.Bcast(x[:2], root=0)
    return [x]


def reductions(comm, mpi, x, blank):
    y, z = blank(M), blank(M)
    comm.Allreduce(x, y, op=mpi.SUM)
    comm.Reduce(x, z if comm.rank == 3 else None, root=3)
    comm.Allreduce(mpi.IN_PLACE, x)
    return x, y, z


def a_ring(comm, mpi, x, blank):
    y, to, come_from = blank(M), (comm.rank + 1) % P, (comm.rank - 1) % P
    if comm.rank % 2:
        comm.Recv(y, source=come_from)
        comm.Send(x, to, tag=3)
    else:
        comm.Send(x, dest=to, tag=3)
        comm.Recv(y, come_from, 3)
    return [y]


def requests(comm, mpi, x, blank):
    y = blank(M)
    pairs = [rank for rank in range(P) if rank != comm.rank]
    waits = [comm.Irecv(y[2 * rank : 2 * rank + 2], rank) for rank in pairs]
    waits += [comm.Isend(x[2 * rank : 2 * rank + 2], rank) for rank in pairs]
    mpi.Request.Waitall(waits)
    y[2 * comm.rank : 2 * comm.rank + 2] = x[2 * comm.rank : 2 * comm.rank + 2]
    return [y]


def persistent(comm, mpi, x, blank):
    y, other = blank(M), comm.rank ^ 1
    both = [comm.Recv_init(y, other), comm.Send_init(x, other)]
    for _ in range(3):
        mpi.Prequest.Startall(both)
        mpi.Request.Waitall(both)
        x[...] = y
    for request in both:
        request.Free()
    return x, y


def exchanges(comm, mpi, x, blank):
    y, other = blank(M), comm.rank ^ 2
    comm.Sendrecv(x, other, recvbuf=y, source=other)
    comm.Sendrecv_replace(y[:4], other ^ 1, source=other ^ 1)
    comm.Sendrecv(x[:0], mpi.PROC_NULL, recvbuf=x, source=mpi.PROC_NULL)
    return x, y


def parts_of_the_ranks(comm, mpi, x, blank):
    part, node = comm.Split(comm.rank % 2, -comm.rank), comm.Split_type(mpi.COMM_TYPE_SHARED)
    copy, y = part.Dup(), blank(M)
    copy.Alltoall(x, y)
    node.Barrier()
    for each in (part, node, copy):
        each.Free()
    return [y]


def parts_of_complex_numbers(comm, mpi, x, blank):
    y = blank(M)
    comm.Alltoall(x.view(float), y.view(float))
    return [y]


BODIES = [
    alltoall, alltoall_in_place, alltoallv, alltoall_at_once, gathers, scatters, broadcasts,
    reductions, a_ring, requests, persistent, exchanges, parts_of_the_ranks,
    parts_of_complex_numbers,
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_elements_and_their_trace_are_those_of_simulated_ranks(body):
    (found, trace), (wanted, known) = evaluated(body), simulated(body)
    assert found == wanted
    operations = [replace(each, depth=0) for each in trace.operations]  # of numbers it is not known
    assert Counter(operations) == Counter(known.operations)
    assert trace.sends == known.sends
    assert (trace.messages, trace.words) == (known.messages, known.words)


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

    with pytest.raises(Undecided, match="none of data; give it the type DTYPE"):
        world(P, space=space).run(of_rank)


def test_a_sum_of_data_and_numbers_decides_nothing():
    space = space_of()

    def of_rank(comm):
        y = Data(space.unwritten(2, complex), complex, space)
        comm.Allreduce(np.ones(2, complex) if comm.rank else elements(space, [1, 2]), y)

    with pytest.raises(Undecided, match="a reduction of data and numbers"):
        world(P, space=space).run(of_rank)
