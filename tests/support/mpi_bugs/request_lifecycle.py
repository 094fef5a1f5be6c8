"""Request lifecycle. Requests without Wait, without Start, started twice; and tests for
completion.
"""

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, other, right, shared_of, wrong


@wrong(Fault.REQUEST_LIFECYCLE)
def a_send_without_wait(comm, MPI):
    if comm.rank == 0:
        comm.Isend(numbers(comm), 1)
    else:
        comm.Recv(empty(), source=0)


@wrong(Fault.REQUEST_LIFECYCLE)
def a_receive_without_wait(comm, MPI):
    if comm.rank == 0:
        comm.Irecv(empty(), source=1)
    else:
        comm.Send(numbers(comm), 0)


@wrong(Fault.REQUEST_LIFECYCLE, 3)
def a_broadcast_without_wait(comm, MPI):
    comm.Ibcast(numbers(comm), root=0)


@wrong(Fault.REQUEST_LIFECYCLE)
def a_wait_for_one_of_two(comm, MPI):
    x, y = empty(), numbers(comm)
    requests = [comm.Irecv(x, source=other(comm)), comm.Isend(y, other(comm))]
    requests[0].Wait()


@wrong(Fault.REQUEST_LIFECYCLE)
def a_persistent_request_that_is_never_started(comm, MPI):
    request = comm.Recv_init(empty(), other(comm))
    request.Wait()
    request.Free()


@wrong(Fault.REQUEST_LIFECYCLE)
def a_persistent_request_started_twice(comm, MPI):
    request = comm.Recv_init(empty(), other(comm))
    request.Start()
    request.Start()


@wrong(Fault.REQUEST_LIFECYCLE)
def a_persistent_request_without_wait(comm, MPI):
    if comm.rank == 0:
        request = comm.Send_init(numbers(comm), 1)
        request.Start()
    else:
        comm.Recv(empty(), source=0)


@wrong(Fault.REQUEST_LIFECYCLE)
def a_request_freed_before_it_is_complete(comm, MPI):
    comm.Irecv(empty(), source=other(comm)).Free()
    comm.Send(numbers(comm), other(comm))


@right()
def persistent_requests_again_and_again(comm, MPI):
    x, y, found = numbers(comm), empty(), []
    requests = [comm.Recv_init(y, other(comm)), comm.Send_init(x, other(comm))]
    for _ in range(3):
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        found.append(y.tolist())
        x += 1
    for request in requests:
        request.Free()
    return found


@right()
def a_request_waited_for_twice(comm, MPI):
    y = empty()
    requests = [comm.Irecv(y, source=other(comm)), comm.Isend(numbers(comm), other(comm))]
    MPI.Request.Waitall(requests)
    MPI.Request.Waitall(requests)
    return y.tolist()


@right()
def handles_that_count_as_false_when_they_are_done_with(comm, MPI):
    y, found = empty(), []
    requests = [comm.Irecv(y, source=other(comm)), comm.Isend(numbers(comm), other(comm))]
    found += map(bool, requests)
    requests[0].Wait()
    found += map(bool, requests)
    MPI.Request.Waitall(requests)
    found += [*map(bool, requests), requests[0] == requests[1], requests[0] != requests[1]]
    again = [comm.Recv_init(y, other(comm)), comm.Send_init(numbers(comm), other(comm))]
    MPI.Prequest.Startall(again)
    MPI.Request.Waitall(again)
    again[0].Free()
    windows = [shared_of(comm, MPI)[0] for _ in range(2)]
    handles = [*again, *windows, comm.Dup(), comm.Dup()]
    found += [*map(bool, handles), again[0] == requests[0], windows[0] == windows[1]]
    for handle in handles[1:]:
        handle.Free()
    found += [*map(bool, handles), again[0] == again[1], windows[0] == windows[1]]
    return [*found, handles[4] == handles[5], handles[4] == MPI.COMM_NULL]
