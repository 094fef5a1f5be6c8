"""Ranks that wait for each other, what is left open, and buffers that are under way."""

from __future__ import annotations

import time

import numpy as np
import pytest

from proofs.certify.exact.data import Data
from proofs.certify.exact.data_functions import FUNCTIONS, OPERATORS
from proofs.certify.language.table_entries import Operation, Refuted, Undecided
from proofs.certify.world.communicator import COMM_NULL, Comm, NullComm
from proofs.certify.world.message_requests import Request
from proofs.certify.world.mpi_members import MEMBERS, MPI
from tests.support.worlds import elements, space_of, whole, world


def with_data(body, ranks=2):
    """Return the results of body(comm, x, y): four elements, and four that nobody has written."""
    space = space_of()

    def of_rank(comm):
        y = Data(space.unwritten(4, complex), complex, space)
        return body(comm, elements(space, np.arange(4) + 10 * comm.rank), y)

    return world(ranks, space=space).run(of_rank)


def test_a_deadlock_names_ranks_calls_and_lines():
    def body(comm, x, y):
        comm.Recv(y, 1 - comm.rank, 5)

    with pytest.raises(Refuted) as error:
        with_data(body)
    line = body.__code__.co_firstlineno + 1
    assert str(error.value) == (
        "call ordering: deadlock, no rank can go on: rank 0 in Recv(from rank 1, 4 elements of"
        f" complex128, tag 5) at line {line}; rank 1 in Recv(from rank 0, 4 elements of complex128,"
        f" tag 5) at line {line}"
    )
    assert error.value.verdict == "messages"


def test_a_send_waits_for_its_receive():
    with pytest.raises(Refuted, match="deadlock"):
        with_data(lambda comm, x, y: comm.Send(x, 1 - comm.rank))


def test_an_error_says_on_which_rank_it_was():
    def body(comm, x, y):
        if comm.rank:
            raise Undecided("something")

    with pytest.raises(Undecided) as error:
        with_data(body)
    assert error.value.__notes__ == ["on rank 1 of 2"]


def test_ranks_that_wait_are_ended_when_one_fails():
    ended = []

    def body(comm, x, y):
        if comm.rank:
            raise Undecided("something")
        try:
            comm.Barrier()
        finally:
            ended.append(comm.rank)

    with pytest.raises(Undecided):
        with_data(body)
    assert ended == [0]


def nested(deep):
    """Return a list of a list twice, which is such a list, and so on."""
    found = [1, 2]
    for _ in range(deep):
        found = [found, found]
    return found


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda c, x, y: c.Dup() and None, "resource leak: what rank . in Dup"),
        (lambda c, x, y: c.Isend(x, c.rank) and None, "request lifecycle: what rank 0 in Isend"),
        (lambda c, x, y: c.Send_init(x, 0) and None, "resource leak: what rank 0 in Send_init"),
        (lambda c, x, y: c.Recv_init(y, 0).Wait(), "never started"),
        (lambda c, x, y: c.Free(), "which the program has not made"),
        (lambda c, x, y: c.Send(x, 2), "2 in place of a rank of 2"),
        (lambda c, x, y: c.Send(x[::2], 1), "not contiguous"),
        (lambda c, x, y: c.Alltoall(x[:3], y[:3]), "each gets equally many"),
        (lambda c, x, y: c.Sendrecv(x, c.rank, 0, y[:2], c.rank), "count and type"),
        (lambda c, x, y: c.Sendrecv(x, c.rank, 0, y.real.copy(), c.rank), "count and type"),
        (lambda c, x, y: c.Alltoall(x[:2] if c.rank else x, y[:2] if c.rank else y), "expects"),
        (lambda c, x, y: c.Abort(), "aborted"),
        (lambda c, x, y: c.Bcast(x, root=c.rank), "what all ranks give is the same"),
        (lambda c, x, y: c.Barrier() if c.rank else c.allgather(1), "in one order"),
        (lambda c, x, y: c.Allreduce(x, x), "overlaps its own buffer"),
        (lambda c, x, y: c.scatter([1]), "1 values for 2 ranks"),
        (lambda c, x, y: c.Recv(FUNCTIONS["broadcast_to"](y[:1], (1,)), 0), "read-only"),
    ],
)
def test_what_breaks_a_rule_is_refuted_with_its_class(body, words):
    with pytest.raises(Refuted, match=words) as error:
        with_data(body)
    assert error.value.verdict == "messages"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda c, x, y: c.Recv(y, None), "from any rank"),
        (lambda c, x, y: c.allgather(x), "sent as an object"),
        (lambda c, x, y: c.allgather({1, 2}), "sent as an object"),
        (lambda c, x, y: c.bcast(nested(60)), "values in an object that is sent at once; at most"),
        (lambda c, x, y: c.Allreduce(x, y, op=MPI["MAX"]), "MPI.MAX of an array that depends on x"),
        (lambda c, x, y: c.Recv(y, 0, status=1), "status"),
        (lambda c, x, y: c.Send([1, 2], 0), "a message buffer that is int"),
    ],
)
def test_what_the_language_does_not_have_is_undecided(body, words):
    with pytest.raises(Undecided, match=words):
        with_data(body)


def begun(comm, x, y):
    other = 1 - comm.rank
    return [comm.Irecv(y, other), comm.Isend(x, other)]


TOUCHES = {
    "read of a receive": lambda x, y: y.copy(),
    "computation with a receive": lambda x, y: OPERATORS["+"](y, x),
    "element of a receive": lambda x, y: y[2],
    "elements of a receive": lambda x, y: y[[1, 2]],
    "write into a receive": lambda x, y: y.__setitem__(0, 1),
    "write into a send": lambda x, y: x.__setitem__(slice(1), 1),
    "part of a send": lambda x, y: x.imag.assign(1),
    "in place": lambda x, y: OPERATORS["*="](x, 2),
    "out": lambda x, y: FUNCTIONS["add"](x, 1, out=x),
}


@pytest.mark.parametrize("name", TOUCHES)
def test_a_buffer_is_not_touched_until_its_request_is_complete(name):
    def early(comm, x, y):
        requests = begun(comm, x, y)
        TOUCHES[name](x, y)
        Request.Waitall(requests)

    def late(comm, x, y):
        Request.Waitall(begun(comm, x, y))
        TOUCHES[name](x, y)

    with pytest.raises(Refuted, match="local concurrency"):
        with_data(early)
    with_data(late)


def test_a_send_may_be_read_and_what_lies_beside_a_buffer_is_free():
    def body(comm, x, y):
        requests = begun(comm, x[:2], y[1:3])
        y[0], y[3] = x[0], x[3]
        x[2:] = x[:2]
        x.reshape(2, 2)[1, 1] = 5
        Request.Waitall(requests)
        return whole(y), whole(x)

    assert with_data(body) == [([0, 10, 11, 3], [0, 1, 0, 5]), ([10, 0, 1, 13], [10, 11, 10, 5])]


def test_an_element_that_is_read_is_a_number_of_its_own():
    def body(comm, x, y):
        first = x[0]
        x[0] = 7
        return whole(first), whole(x[0])

    assert with_data(body)[1] == (10, 7)


def test_values_that_are_gathered_are_copies():
    def body(comm, x, y):
        mine = [comm.rank, {"a": (1.5, None)}, np.arange(2)]
        found = comm.allgather(mine)
        mine[0] = 7
        found[0][1]["a"] = 0
        return found[1][0], found[1][1], comm.alltoall([10 * comm.rank, 10 * comm.rank + 1])

    assert with_data(body) == [(1, {"a": (1.5, None)}, [0, 10]), (1, {"a": (1.5, None)}, [1, 11])]


def test_values_in_all_their_calls():
    def body(comm, x, y):
        return (
            comm.bcast(comm.rank, root=1),
            comm.gather(comm.rank, root=1),
            comm.scatter([5, 6] if comm.rank == 0 else None),
            comm.allreduce(comm.rank + 1, op=MPI["PROD"]),
            comm.reduce(comm.rank, root=0),
        )

    assert with_data(body) == [(1, None, 5, 2, 1), (1, [0, 1], 6, 2, None)]


REDUCED = {"SUM": 8, "PROD": 15, "MAX": 5, "MIN": 3, "BAND": 1, "BOR": 7, "BXOR": 6}
REDUCED_TRUTHS = {"LAND": False, "LOR": True, "LXOR": True}


@pytest.mark.parametrize("name", [*REDUCED, *REDUCED_TRUTHS])
def test_only_operators_of_bits_reduce_bytes(name):
    def body(comm):
        given, found = np.array([(5, 3)[comm.rank]], np.uint8), np.empty(1, np.uint8)
        comm.Allreduce([given, MPI["BYTE"]], [found, MPI["BYTE"]], op=MPI[name])
        return found.item()

    if name in ("BAND", "BOR", "BXOR"):
        assert world(2).run(body) == [REDUCED[name]] * 2
        return
    with pytest.raises(Refuted, match=f"MPI.{name} of MPI.BYTE"):
        world(2).run(body)


@pytest.mark.parametrize(("name", "wanted"), [*REDUCED.items(), *REDUCED_TRUTHS.items()])
def test_each_operator_reduces_values_and_arrays_alike(name, wanted):
    def body(comm, x, y):
        own = (comm.rank == 1) if name in REDUCED_TRUTHS else (5, 3)[comm.rank]
        found = np.empty(1, np.array(own).dtype)
        comm.Allreduce(np.array([own]), found, op=MPI[name])
        return comm.allreduce(own, op=MPI[name]), found.item()

    assert with_data(body) == [(wanted, wanted)] * 2


def test_communicators_are_equal_as_in_mpi4py():
    def body(comm, x, y):
        part = comm.Split(0 if comm.rank else MPI["UNDEFINED"])
        if comm.rank == 0:
            return part == COMM_NULL, bool(part), part is COMM_NULL
        same = part == part and part != comm
        part.Free()
        return same, part == COMM_NULL, bool(comm)

    assert with_data(body) == [(True, False, True), (True, True, True)]


def test_a_name_of_no_communicator_is_refuted():
    with pytest.raises(Refuted, match="Barrier of COMM_NULL"):
        MEMBERS[NullComm]["Barrier"].read(COMM_NULL)


def test_every_call_has_the_names_of_its_arguments():
    known = MEMBERS[Comm]
    for name, words in {
        "Alltoallv": {"sendbuf", "recvbuf"},
        "Sendrecv": {"sendbuf", "dest", "sendtag", "recvbuf", "source", "recvtag", "status"},
        "Split": {"color", "key"},
        "Reduce": {"sendbuf", "recvbuf", "op", "root"},
    }.items():
        found = known[name].read(None)
        assert isinstance(found, Operation)
        assert found.keywords == words


def test_many_ranks_take_little_time():
    def of_rank(comm):
        y = np.zeros(256)
        for _ in range(4):
            comm.Alltoall(np.arange(256.0) + comm.rank, y)
        return y[:2].tolist()

    started = time.process_time()
    assert world(256).run(of_rank)[3] == [3, 4]
    assert time.process_time() - started < 5
