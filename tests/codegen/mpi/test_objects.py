"""Objects between simulated ranks, lists of requests, and handles: what mpi4py and MPICH take, and
what fails there.
"""

import enum
import functools
import pickle
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from codegen.mpi.memory.buffers import CommunicationError, NotModelled
from codegen.mpi.memory.pickled import IRECV_BUFFER
from codegen.mpi.ranks import MOST_HANDLES
from codegen.mpi.simulate import MPI, run
from tests.support.simulated import accepted

Request = MPI().Request


class Way(enum.Enum):
    """An enumeration."""

    ON = 1


@dataclass(frozen=True, slots=True)
class Held:
    """An object with slots."""

    a: int = 1


class Itself:
    """An object that says how it is pickled."""

    def __reduce__(self):
        return Held, ()


Pair = namedtuple("Pair", "a b")


def one(x):
    return x + 1


@functools.cache
def two(x):
    return x + 2


SENT = {
    "a number": 3,
    "an array": np.arange(3),
    "a list in a list": [[1], {"a": (2, None)}],
    "a member of an enumeration": Way.ON,
    "an object with slots": Held(4),
    "a named tuple": Pair(1, 2),
    "a function": one,
    "a function that remembers": two,
    "a class": Held,
    "a partial function": functools.partial(one, 1),
    "numpy's": np.add,
    "a type": np.dtype("c16"),
}
NOT_SENT = {
    "a lambda": lambda: 1,
    "a generator": (i for i in ()),
    "a module": np,
    "memory": memoryview(b"1"),
    "a class within a function": (
        lambda: type("Local", (), {"__module__": __name__, "__qualname__": "f.<locals>.Local"})
    )(),
}
WAYS = {
    "bcast": lambda comm, x: comm.bcast(x if comm.rank == 0 else None),
    "allgather": lambda comm, x: comm.allgather(x)[1],
    "alltoall": lambda comm, x: comm.alltoall([x, x])[1],
    "gather": lambda comm, x: (comm.gather(x) or [x])[0],
    "scatter": lambda comm, x: comm.scatter([x, x] if comm.rank == 0 else None),
    "sendrecv": lambda comm, x: comm.sendrecv(x, 1 - comm.rank, source=1 - comm.rank),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SENT)
def test_objects_that_can_be_pickled_arrive(name, way):
    for found in run(2, lambda comm: WAYS[way](comm, SENT[name])).results:
        assert pickle.dumps(found) == pickle.dumps(SENT[name])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NOT_SENT)
def test_objects_that_cannot_be_pickled_are_not_sent(name, way):
    with pytest.raises((TypeError, pickle.PicklingError), match=r"(?i)can(no|')t pickle"):
        run(2, lambda comm: WAYS[way](comm, NOT_SENT[name]))


def test_every_rank_has_an_object_of_its_own():
    def body(comm):
        held = [comm.rank]
        found = comm.allgather(held)
        found[comm.rank].append("more")
        return held, found[comm.rank] is held

    assert run(2, body).results == (([0], False), ([1], False))


@pytest.mark.parametrize(
    "thing", [Itself(), MPI().DOUBLE, MPI().SUM], ids=["itself", "a datatype", "an operator"]
)
def test_what_pickles_itself_or_is_mpis_is_not_modelled(thing):
    with pytest.raises(NotModelled):
        run(2, lambda comm: comm.bcast(thing))


def taken(comm, octets, **room):
    going, coming = (
        comm.isend(bytes(octets), 1 - comm.rank),
        comm.irecv(source=1 - comm.rank, **room),
    )
    found = coming.wait()
    going.wait()
    return len(found)


def test_irecv_takes_what_it_has_room_for():
    assert run(2, lambda comm: taken(comm, IRECV_BUFFER - 64)).results == (IRECV_BUFFER - 64,) * 2
    assert (
        run(2, lambda comm: taken(comm, 2 * IRECV_BUFFER, buf=3 * IRECV_BUFFER)).results
        == (2 * IRECV_BUFFER,) * 2
    )
    assert (
        run(2, lambda comm: taken(comm, 2 * IRECV_BUFFER, buf=bytearray(3 * IRECV_BUFFER))).results
        == (2 * IRECV_BUFFER,) * 2
    )


@pytest.mark.parametrize("room", [{}, {"buf": None}, {"buf": 1000}])
def test_irecv_of_a_larger_object_is_refused(room):
    with pytest.raises(
        CommunicationError, match=r"parameter matching: .* has room for \d+, as in mpi4py"
    ):
        run(2, lambda comm: taken(comm, IRECV_BUFFER + 1, **room))


def test_recv_has_room_for_every_object():
    assert (
        run(
            2,
            lambda comm: len(
                comm.sendrecv(bytes(2 * IRECV_BUFFER), 1 - comm.rank, source=1 - comm.rank)
            ),
        ).results
        == (2 * IRECV_BUFFER,) * 2
    )


LISTS = {
    "a list": list,
    "a tuple": tuple,
    "an array of objects": lambda q: np.array(q, object),
    "a dictionary by numbers": lambda q: dict(enumerate(q)),
}
NO_LISTS = {
    "the values of a dictionary": (lambda q: dict(enumerate(q)).values(), "not subscriptable"),
    "an iterator": (iter, "no len"),
    "a generator": (lambda q: (one for one in q), "no len"),
    "what goes backwards": (reversed, "no len"),
    "one that is none": (lambda q: [*q, None], "Cannot convert NoneType"),
}


def waits(comm, listed, wait):
    into = np.zeros(2)
    requests = [comm.Irecv(into, 1 - comm.rank), comm.Isend(np.ones(2), 1 - comm.rank)]
    wait(listed(requests))
    return into.sum()


@pytest.mark.parametrize("wait", [Request.Waitall, Request.waitall])
@pytest.mark.parametrize("name", LISTS)
def test_requests_are_waited_for_in_what_has_numbers(name, wait):
    assert accepted(2, lambda comm: waits(comm, LISTS[name], wait)).results == (2, 2)


@pytest.mark.parametrize(
    "wait", [Request.Waitall, Request.waitall, Request.Waitany, Request.Testall]
)
@pytest.mark.parametrize("name", NO_LISTS)
def test_requests_in_something_else_are_an_error_as_in_mpi4py(name, wait):
    listed, words = NO_LISTS[name]
    with pytest.raises(TypeError, match=words):
        accepted(2, lambda comm: waits(comm, listed, wait))


def duplicates(comm, number):
    held = [comm.Dup() for _ in range(number)]
    for each in held:
        each.Free()


def test_as_many_communicators_as_mpich_has_may_be_open_at_once():
    accepted(2, lambda comm: duplicates(comm, MOST_HANDLES))
    accepted(1, lambda comm: [comm.Dup().Free() for _ in range(2 * MOST_HANDLES)] and None)
    with pytest.raises(
        CommunicationError,
        match=f"more than {MOST_HANDLES} communicators and windows of a rank at once",
    ):
        accepted(2, lambda comm: duplicates(comm, MOST_HANDLES + 1))


def test_memory_of_a_window_that_is_given_back_is_anybodys():
    def body(comm):
        window = MPI().Win.Allocate_shared(8, comm=comm)
        held = np.frombuffer(window.tomemory(), np.int64)
        held[:] = 7
        kept = held.copy()
        window.Free()
        return held.tolist(), kept.tolist()

    assert run(2, body).results == (([-1], [7]),) * 2
