"""Message race. Receives that more than one message can match, and answers that decide the
course.
"""

from codegen.mpi.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, right, wrong


@wrong(Fault.MESSAGE_RACE, 3)
def two_messages_for_any_source(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
    else:
        y = empty()
        comm.Recv(y)
        comm.Recv(y, source=2)


@wrong(Fault.MESSAGE_RACE, 3)
def the_first_that_comes_is_taken_for_rank_1(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
        return None
    first, second = empty(), empty()
    comm.Recv(first)
    comm.Recv(second)
    return first.tolist()


@wrong(Fault.MESSAGE_RACE, 3)
def a_receive_from_any_rank_takes_what_another_waits_for(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
    else:
        y, z = empty(), empty()
        MPI.Request.Waitall([comm.Irecv(y, source=MPI.ANY_SOURCE), comm.Irecv(z, source=1)])


@wrong(Fault.MESSAGE_RACE, 3)
def a_probe_from_any_source(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
        return None
    status = MPI.Status()
    comm.Probe(status=status)
    first = status.Get_source()
    comm.Recv(empty(), source=first)
    comm.Recv(empty(), source=3 - first)
    return first


@wrong(Fault.MESSAGE_RACE, 3)
def a_gather_does_not_order_what_its_others_send_after(comm, MPI):
    y = empty()
    if comm.rank == 1:
        comm.Send(numbers(comm), 0)
    if comm.rank == 0:
        comm.Recv(y)
    comm.Gather(numbers(comm, 1), empty(3) if comm.rank == 0 else None)
    if comm.rank == 2:
        comm.Send(numbers(comm), 0)
    if comm.rank == 0:
        comm.Recv(y, source=2)


@wrong(Fault.MESSAGE_RACE)
def a_course_that_depends_on_a_test(comm, MPI):
    if comm.rank == 0:
        comm.Send(numbers(comm), 1)
        return None
    request = comm.Irecv(empty(), source=0)
    early = request.Test()
    request.Wait()
    return early


@wrong(Fault.MESSAGE_RACE, 3)
def which_request_comes_first_is_returned(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
        return None
    requests = [comm.Irecv(empty(), source=1), comm.Irecv(empty(), source=2)]
    first = MPI.Request.Waitany(requests)
    MPI.Request.Waitall(requests)
    return first


@wrong(Fault.MESSAGE_RACE)
def what_a_probe_sees_is_returned(comm, MPI):
    if comm.rank == 0:
        comm.Send(numbers(comm), 1)
        return None
    seen = comm.Iprobe(source=0)
    comm.Recv(empty(), source=0)
    return seen


@right()
def any_source_of_one(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
        return None
    y, status = empty(), MPI.Status()
    comm.Recv(y, status=status)
    return y.tolist(), status.Get_source(), status.Get_tag(), status.Get_count(MPI.DOUBLE)


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


@right(3)
def any_source_told_apart_by_tags(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0, tag=comm.rank)
        return None
    y = empty((2, 4))
    for tag in (2, 1):
        comm.Recv(y[tag - 1], source=MPI.ANY_SOURCE, tag=tag)
    return y.tolist()


@right(3)
def any_source_in_turns_that_a_barrier_orders(comm, MPI):
    found = []
    for turn in (1, 2):
        if comm.rank == turn:
            comm.Send(numbers(comm), 0)
        if comm.rank == 0:
            y = empty()
            comm.Recv(y)
            found.append(y.tolist())
        comm.Barrier()
    return found


@right(3)
def any_source_in_turns_that_messages_order(comm, MPI):
    y, token = empty(), empty(1)
    if comm.rank == 0:
        comm.Recv(y)
        comm.Send(token, 2, tag=1)
        comm.Recv(y)
        return y.tolist()
    if comm.rank == 2:
        comm.Recv(token, source=0, tag=1)
    comm.Send(numbers(comm), 0)
    return None


@right()
def a_probe_and_a_receive_of_its_size(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm, 3), 0, tag=4)
        return None
    status = MPI.Status()
    comm.Probe(1, MPI.ANY_TAG, status)
    y = empty(status.Get_count(MPI.DOUBLE))
    comm.Recv(y, status.Get_source(), status.Get_tag())
    return y.tolist()


@right()
def a_message_that_is_looked_for_until_it_is_there(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
        return None
    while not comm.Iprobe(source=1):
        pass
    y = empty()
    comm.Recv(y, source=1)
    return y.tolist()
