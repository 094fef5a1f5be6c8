"""Call ordering. Calls that never go together, and orders that look as if they did not."""

import numpy as np

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, exchanged, numbers, other, right, wrong


@wrong(Fault.CALL_ORDERING)
def receives_before_sends(comm, MPI):
    comm.Recv(empty(), source=other(comm))
    comm.Send(numbers(comm), other(comm))


@wrong(Fault.CALL_ORDERING)
def synchronous_sends_before_receives(comm, MPI):
    comm.Ssend(numbers(comm), other(comm))
    comm.Recv(empty(), source=other(comm))


@wrong(Fault.CALL_ORDERING)
def a_receive_without_a_send(comm, MPI):
    if comm.rank:
        comm.Recv(empty(), source=0)


@wrong(Fault.CALL_ORDERING)
def a_send_without_a_receive(comm, MPI):
    if comm.rank:
        comm.Ssend(numbers(comm), 0)


@wrong(Fault.CALL_ORDERING)
def a_barrier_that_one_rank_leaves_out(comm, MPI):
    if comm.rank:
        comm.Barrier()


@wrong(Fault.CALL_ORDERING, 3)
def collective_calls_in_another_order(comm, MPI):
    if comm.rank == 2:
        comm.Barrier()
        comm.Bcast(numbers(comm), root=0)
    else:
        comm.Bcast(numbers(comm), root=0)
        comm.Barrier()


@wrong(Fault.CALL_ORDERING)
def a_reduction_for_an_allreduce(comm, MPI):
    comm.Reduce(numbers(comm), empty(), root=0) if comm.rank else comm.Allreduce(
        numbers(comm), empty()
    )


@wrong(Fault.CALL_ORDERING)
def a_broadcast_that_waits_and_one_that_does_not(comm, MPI):
    comm.Ibcast(numbers(comm), root=0).Wait() if comm.rank else comm.Bcast(numbers(comm), root=0)


@wrong(Fault.CALL_ORDERING)
def a_message_across_a_barrier(comm, MPI):
    if comm.rank:
        comm.Ssend(numbers(comm), 0)
        comm.Barrier()
    else:
        comm.Barrier()
        comm.Recv(empty(), source=1)


@wrong(Fault.CALL_ORDERING, 3)
def a_ring_of_receives(comm, MPI):
    comm.Recv(empty(), source=(comm.rank - 1) % 3)
    comm.Send(numbers(comm), (comm.rank + 1) % 3)


@right()
def a_receive_that_is_begun_before_the_send(comm, MPI):
    y = empty()
    request = comm.Irecv(y, source=other(comm))
    comm.Send(numbers(comm), other(comm))
    request.Wait()
    return y.tolist()


@right()
def one_rank_in_the_other_order(comm, MPI):
    y = empty()
    if comm.rank:
        comm.Recv(y, source=0)
        comm.Send(numbers(comm), 0)
    else:
        comm.Send(numbers(comm), 1)
        comm.Recv(y, source=1)
    return y.tolist()


@right(4)
def even_and_odd_ranks_in_turns(comm, MPI):
    y, to, come_from = empty(), (comm.rank + 1) % 4, (comm.rank - 1) % 4
    if comm.rank % 2:
        comm.Recv(y, source=come_from)
        comm.Ssend(numbers(comm), to)
    else:
        comm.Ssend(numbers(comm), to)
        comm.Recv(y, source=come_from)
    return y.tolist()


@right(4)
def a_line_with_no_rank_at_its_ends(comm, MPI):
    y = np.full(4, -1.0)
    to = comm.rank + 1 if comm.rank < 3 else MPI.PROC_NULL
    come_from = comm.rank - 1 if comm.rank else MPI.PROC_NULL
    comm.Sendrecv(numbers(comm), to, recvbuf=y, source=come_from)
    return y.tolist()


@right()
def messages_without_elements(comm, MPI):
    comm.Sendrecv(empty(0), other(comm), recvbuf=empty(0), source=other(comm))
    comm.Alltoallv([empty(0), [0, 0]], [empty(0), [0, 0]])
    return exchanged(comm)


@right()
def messages_out_of_order_by_their_tags(comm, MPI):
    if comm.rank:
        requests = [comm.Isend(numbers(comm) + tag, 0, tag=tag) for tag in (0, 1)]
        MPI.Request.Waitall(requests)
        return None
    y = empty((2, 4))
    for tag in (1, 0):
        comm.Recv(y[tag], source=1, tag=tag)
    return y.tolist()


@right()
def a_message_to_oneself_by_requests(comm, MPI):
    y = empty()
    request = comm.Irecv(y, source=comm.rank)
    comm.Send(numbers(comm), comm.rank)
    request.Wait()
    return y.tolist()


@right(4)
def collective_calls_of_disjoint_parts(comm, MPI):
    part = comm.Split(comm.rank % 2, -comm.rank)
    x = numbers(comm, 2)
    if comm.rank % 2:
        part.Barrier()
    part.Allreduce(MPI.IN_PLACE, x)
    place = part.Get_rank()
    part.Free()
    return place, x.tolist()


@right(3)
def two_broadcasts_at_once(comm, MPI):
    x, y = numbers(comm), numbers(comm, 2)
    requests = [comm.Ibcast(x, root=0), comm.Ibcast(y, root=1)]
    MPI.Request.Waitall(requests[::-1])
    return x.tolist(), y.tolist()


@wrong(Fault.CALL_ORDERING)
def a_free_before_the_message_that_another_waits_for(comm, MPI):
    part = comm.Dup()
    if comm.rank == 0:
        part.Free()
        comm.Send(numbers(comm), 1)
    else:
        comm.Recv(empty(), source=0)
        part.Free()


@wrong(Fault.PARAMETER_MATCHING)
def frees_in_another_order(comm, MPI):
    parts = [comm.Dup(), comm.Dup()]
    for part in parts[:: -1 if comm.rank else 1]:
        part.Free()


@wrong(Fault.CALL_ORDERING)
def a_barrier_where_another_frees(comm, MPI):
    part = comm.Dup()
    if comm.rank:
        part.Barrier()
    part.Free()


@right()
def a_freed_communicator_is_none(comm, MPI):
    part = comm.Dup()
    same = part == part and part != comm
    part.Free()
    if part != MPI.COMM_NULL:
        part.Free()
    return same, bool(part)


@right()
def any_tag_on_a_channel(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0, tag=5)
        comm.Send(numbers(comm, 2), 0, tag=7)
        return None
    y, z = empty(), empty(2)
    comm.Recv(y, source=1, tag=MPI.ANY_TAG)
    comm.Recv(z, source=1, tag=MPI.ANY_TAG)
    return y.tolist(), z.tolist()
