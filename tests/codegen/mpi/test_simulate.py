"""The simulated communicator: what it delivers, what it counts, and what it refuses."""

import numpy as np
import pytest

from codegen.mpi.accidents import LAST_APART, ONE_NODE, on_nodes
from codegen.mpi.memory.buffers import CommunicationError, NotModelled
from codegen.mpi.ranks import Deadlock
from codegen.mpi.simulate import MPI, run


def numbers(comm, count=4):
    return np.arange(count, dtype=float) + 100 * comm.rank


def test_every_rank_runs_and_returns_its_own_result():
    assert run(3, lambda comm: (comm.Get_rank(), comm.Get_size())).results == (
        (0, 3),
        (1, 3),
        (2, 3),
    )


def test_a_communicator_says_that_it_is_no_intercommunicator():
    assert run(2, lambda comm: (comm.Is_inter(), comm.Dup().Is_inter())).results[0] == (False,) * 2


def test_alltoall_transposes_the_parts():
    def body(comm):
        received = np.empty(4)
        comm.Alltoall(numbers(comm), received)
        return received.tolist()

    assert run(4, body).results[1] == [1, 101, 201, 301]


def test_a_status_counts_bytes_elements_and_basic_elements():
    def body(comm):
        status, pairs = MPI().Status(), MPI().DOUBLE.Create_contiguous(2).Commit()
        if comm.rank == 0:
            comm.Send(numbers(comm, 6), 1)
        else:
            comm.Recv(np.empty(6), 0, status=status)
        counted = status.Get_count(), status.Get_count(pairs), status.Get_elements(pairs)
        return *counted, status.Get_error()

    assert run(2, body).results == ((0, 0, 0, 0), (48, 3, 6, 0))


def test_alltoallv_delivers_different_counts():
    def body(comm):
        counts = [1, 2]
        received = np.zeros(2 * (comm.rank + 1))
        comm.Alltoallv(
            [numbers(comm, 3), counts], [received, ([comm.rank + 1] * 2, [0, comm.rank + 1])]
        )
        return received.tolist()

    assert run(2, body).results == ([0, 100], [1, 2, 101, 102])


@pytest.mark.parametrize(
    ("how", "refused", "message"),
    [
        (lambda n, d: [[*n], [*d]], CommunicationError, "counts"),
        (lambda n, d: np.array([n, d]), CommunicationError, "counts"),
        (lambda n, d: tuple(n) * 2, CommunicationError, "has 4 entries"),
        (lambda n, d: (np.array(n) * 1.0, d), CommunicationError, "integers"),
        (lambda n, d: (n, [0.0, 1.0]), CommunicationError, "integers"),
        (lambda n, d: tuple(n), NotModelled, "one number for all ranks"),
        (lambda n, d: 1, NotModelled, "one number for all ranks"),
    ],
)
def test_counts_and_displacements_are_a_tuple_as_for_mpi4py(how, refused, message):
    def body(comm):
        comm.Alltoallv([numbers(comm, 2), how([1, 1], [0, 1])], [np.zeros(2), [1, 1]])

    with pytest.raises(refused, match=message):
        run(2, body)


def test_an_array_with_counts_displacements_and_no_type_is_refused():
    with pytest.raises(CommunicationError, match="third is a type"):
        run(
            2,
            lambda comm: comm.Alltoallv([numbers(comm, 2), [1, 1], [0, 1]], [np.zeros(2), [1, 1]]),
        )


def test_a_message_of_three_entries_ends_in_a_type():
    with pytest.raises(CommunicationError, match="third is a type"):
        run(1, lambda comm: comm.Sendrecv([numbers(comm), 2, 1], 0, recvbuf=np.zeros(2), source=0))


def test_a_ring_of_sendrecv_shifts_by_one():
    def body(comm):
        received = np.empty(4)
        comm.Sendrecv(
            numbers(comm),
            (comm.rank + 1) % comm.size,
            recvbuf=received,
            source=(comm.rank - 1) % comm.size,
        )
        return received[0]

    assert run(4, body).results == (300, 0, 100, 200)


def test_sendrecv_replace_swaps_two_ranks():
    def body(comm):
        x = numbers(comm)
        comm.Sendrecv_replace(x, 1 - comm.rank, source=1 - comm.rank)
        return x[0]

    assert run(2, body).results == (100, 0)


def test_split_orders_a_group_by_key():
    def body(comm):
        group = comm.Split(comm.rank % 2, -comm.rank)
        place = group.rank, group.size, group.allgather(comm.rank)
        group.Free()
        return place

    assert run(4, body).results == ((1, 2, [2, 0]), (1, 2, [3, 1]), (0, 2, [2, 0]), (0, 2, [3, 1]))


def test_objects_are_broadcast_gathered_and_reduced():
    def body(comm):
        return (
            comm.bcast([comm.rank], root=1),
            comm.gather(comm.rank),
            comm.allreduce(comm.rank, op=MPI().MAX),
        )

    assert run(3, body).results == (([1], [0, 1, 2], 2), ([1], None, 2), ([1], None, 2))


def test_bcast_of_a_buffer_reaches_all():
    def body(comm):
        x = numbers(comm)
        comm.Bcast(x, root=2)
        return x[0]

    assert run(3, body).results == (200, 200, 200)


def test_requests_may_be_waited_for_in_any_order():
    def body(comm):
        received = np.empty((2, 4))
        other = 1 - comm.rank
        requests = [comm.Irecv(received[tag], source=other, tag=tag) for tag in (1, 0)]
        requests += [comm.Isend(numbers(comm) + tag, other, tag=tag) for tag in (0, 1)]
        MPI().Request.Waitall(requests[::-1])
        return received[:, 0].tolist()

    assert run(2, body).results == ([100, 101], [0, 1])


def test_a_pending_receive_shows_no_number():
    def body(comm):
        received = np.zeros(4)
        request = comm.Irecv(received, source=0)
        early = received.copy()
        sent = comm.Isend(np.ones(4), 0)
        MPI().Request.Waitall([request, sent])
        return early, received

    early, late = run(1, body).results[0]
    assert np.isnan(early).all()
    assert late.tolist() == [1, 1, 1, 1]


def test_a_trace_counts_what_goes_to_other_ranks():
    def body(comm):
        received = np.empty(8)
        comm.Alltoall(numbers(comm, 8), received)
        comm.Sendrecv(received, comm.rank, recvbuf=np.empty(8), source=comm.rank)

    trace = run(4, body).trace
    assert (trace.messages, trace.words) == (3, 6)
    first = next(trace.operations[1].messages)
    assert (trace.operations[1].kind, first.source, first.target, first.elements) == (
        "Alltoall",
        1,
        0,
        2,
    )


def test_256_ranks_exchange():
    def body(comm):
        x = np.zeros(256)
        for _ in range(4):
            y = np.empty(256)
            comm.Alltoall(x, y)
            comm.Sendrecv(y, comm.rank ^ 255, recvbuf=x, source=comm.rank ^ 255)

    trace = run(256, body).trace
    assert len(trace.operations) == 256 * 8
    assert trace.messages == 4 * (255 + 1)


def test_sends_before_receives_on_both_sides_deadlock_with_every_line_shown():
    def body(comm):
        comm.Send(numbers(comm), 1 - comm.rank)
        comm.Recv(np.empty(4), source=1 - comm.rank)

    with pytest.raises(Deadlock) as caught:
        run(2, body)
    assert [call.rank for call in caught.value.blocked] == [0, 1]
    assert "rank 1 in Send(to rank 0, 4 elements of float64, tag 0) at line" in str(caught.value)
    assert "comm.Send(numbers(comm), 1 - comm.rank)" in str(caught.value)


def refused(body, words, ranks=2, error=CommunicationError):
    with pytest.raises(error, match=words):
        run(ranks, body)


def test_a_message_of_another_count_is_refused():
    def body(comm):
        comm.Send(numbers(comm, 3), 1) if comm.rank == 0 else comm.Recv(np.empty(4), source=0)

    refused(
        body,
        r"(?s)rank 0 .*3 elements of float64.*rank 1 .*4 elements of float64|rank 1 .*4"
        r" elements.*rank 0 .*3 elements",
    )


def test_a_message_of_another_type_is_refused():
    def body(comm):
        (
            comm.Send(numbers(comm), 1)
            if comm.rank == 0
            else comm.Recv(np.empty(4, np.float32), source=0)
        )

    refused(body, "float32.*float64|float64.*float32")


def test_alltoall_of_different_counts_names_both_ranks():
    def body(comm):
        count = 4 + 2 * comm.rank
        comm.Alltoall(np.zeros(count), np.zeros(count))

    refused(body, "rank 0 sends 2 elements of float64 to rank 1, which expects 3 elements")


def test_ranks_in_different_collective_calls_are_refused():
    def body(comm):
        comm.Alltoall(np.zeros(2), np.zeros(2)) if comm.rank else comm.Barrier()

    refused(body, r"rank 1 in Alltoall.*but rank 0 in Barrier")


def test_different_roots_are_refused():
    refused(lambda comm: comm.bcast(1, root=comm.rank), r"root 1.*root 0")


def test_a_send_buffer_that_changes_before_completion_is_refused():
    def body(comm):
        x, other = numbers(comm), 1 - comm.rank
        request = comm.Isend(x, other)
        x[0] = 7
        comm.Recv(np.empty(4), source=other)
        request.Wait()

    refused(body, "changed before the send was complete")


def test_a_receive_buffer_that_is_written_before_completion_is_refused():
    def body(comm):
        x = np.empty(4)
        request = comm.Irecv(x, source=0)
        x[0] = 7
        comm.Send(np.ones(4), 0)
        request.Wait()

    refused(body, "written before the receive was complete", ranks=1)


def test_overlapping_buffers_are_refused():
    def body(comm):
        x = np.zeros(6)
        comm.Sendrecv(x[:4], comm.rank, recvbuf=x[2:], source=comm.rank)

    refused(body, "overlap")


def test_a_buffer_that_is_not_contiguous_is_refused():
    refused(lambda comm: comm.Alltoall(np.zeros((2, 2)).T[:1], np.zeros(2)), "not contiguous")


def test_an_alltoall_that_does_not_divide_is_refused():
    refused(lambda comm: comm.Alltoall(np.zeros(3), np.zeros(3)), "3 elements among 2 ranks")


def test_a_target_outside_the_communicator_is_refused():
    refused(lambda comm: comm.Send(np.zeros(3), 2), "rank 2 of a communicator of 2 ranks")


def test_a_freed_communicator_is_refused():
    def body(comm):
        copy = comm.Dup()
        copy.Free()
        copy.Barrier()

    refused(body, "has been freed")


@pytest.mark.parametrize("asked", ["rank", "size"])
def test_a_freed_communicator_has_no_ranks(asked):
    def body(comm):
        copy = comm.Dup()
        copy.Free()
        getattr(copy, asked)

    refused(body, "has been freed")


def test_a_freed_communicator_ends_nobody():
    def body(comm):
        copy = comm.Dup()
        copy.Free()
        copy.Abort(1)

    refused(body, "has been freed")


def test_abort_ends_all_ranks():
    refused(lambda comm: comm.Abort(3) if comm.rank else comm.Barrier(), r"Abort\(3\)")


def test_an_exception_names_its_rank():
    with pytest.raises(ZeroDivisionError) as caught:
        run(2, lambda comm: 1 / (1 - comm.rank))
    assert caught.value.__notes__ == ["on rank 1 of 2"]


def test_what_is_left_open_is_listed():
    def body(comm):
        comm.Split(0, comm.rank)
        request = comm.Isend(np.ones(2), 1 - comm.rank)
        comm.Recv(np.ones(2), source=1 - comm.rank)
        return request

    leaks = run(2, body).leaks
    assert len(leaks) == 4
    assert any("rank 1 in Split(color 0, key 1)" in leak for leak in leaks)
    assert any("Isend(to rank 0" in leak for leak in leaks)


NOT_MODELLED = {
    "Comm.Bsend": lambda comm: comm.Bsend(np.zeros(2), 0),
    "Comm.Mprobe": lambda comm: comm.Mprobe(),
    "Request.Cancel": lambda comm: comm.Irecv(np.zeros(2), source=0).Cancel(),
    "MPI.File": lambda comm: MPI().File,
    "Win.Accumulate": lambda comm: MPI().Win.Allocate(8, comm=comm).Accumulate(np.zeros(1), 0),
    "Datatype.Create_struct": lambda comm: MPI().DOUBLE.Create_struct(),
    "Status.Is_cancelled": lambda comm: MPI().Status().Is_cancelled(),
    "is an array, ": lambda comm: comm.Send([np.zeros(2), 1.5], 0),
    "a buffer of type int": lambda comm: comm.Send(3, 0),
}


@pytest.mark.parametrize("words", NOT_MODELLED)
def test_what_is_not_modelled_says_so(words):
    refused(NOT_MODELLED[words], words, ranks=1, error=NotModelled)


def of_nodes(comm):
    node = comm.Split_type(MPI().COMM_TYPE_SHARED)
    window = MPI().Win.Allocate_shared(8, comm=node)
    found = node.size, len(window.Shared_query(node.size - 1)[0])
    window.Free()
    node.Free()
    return found


NODES = {
    ONE_NODE: [4, 4, 4, 4],
    LAST_APART: [3, 3, 3, 1],
    (2, 2, 1, 1): [2, 2, 2, 2],
    (0, 1, 0, 1): [2, 2, 2, 2],
}


@pytest.mark.parametrize(("nodes", "sizes"), NODES.items())
def test_ranks_share_the_memory_of_their_node(nodes, sizes):
    with on_nodes(nodes):
        assert [size for size, _ in run(4, of_nodes).results] == sizes


def test_no_memory_is_shared_between_nodes():
    with on_nodes(LAST_APART), pytest.raises(CommunicationError, match="ranks of several nodes"):
        run(3, lambda comm: MPI().Win.Allocate_shared(8, comm=comm))
