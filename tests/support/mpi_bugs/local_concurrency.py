"""Local concurrency. Buffers that a rank uses while an operation has them."""

import numpy as np

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, other, right, wrong


@wrong(Fault.LOCAL_CONCURRENCY)
def a_write_before_the_send_is_complete(comm, MPI):
    x = numbers(comm)
    request = comm.Isend(x, other(comm))
    x[0] = 7
    comm.Recv(empty(), source=other(comm))
    request.Wait()


@wrong(Fault.LOCAL_CONCURRENCY)
def a_write_before_the_receive_is_complete(comm, MPI):
    y = empty()
    request = comm.Irecv(y, source=other(comm))
    y[0] = 7
    comm.Send(numbers(comm), other(comm)) if comm.rank else None
    comm.Send(numbers(comm), 1) if comm.rank == 0 else None
    request.Wait()


@wrong(Fault.LOCAL_CONCURRENCY)
def a_read_before_the_receive_is_complete(comm, MPI):
    y = empty()
    requests = [comm.Irecv(y, source=other(comm)), comm.Isend(numbers(comm), other(comm))]
    early = y.sum()
    MPI.Request.Waitall(requests)
    return early


@wrong(Fault.LOCAL_CONCURRENCY)
def a_read_after_a_wait_for_the_wrong_request(comm, MPI):
    y = empty()
    requests = [comm.Irecv(y, source=other(comm)), comm.Isend(numbers(comm), other(comm))]
    requests[1].Wait()
    early = y.tolist()
    requests[0].Wait()
    return np.array(early)


@wrong(Fault.LOCAL_CONCURRENCY)
def two_receives_that_overlap(comm, MPI):
    y = empty(6)
    requests = [
        comm.Irecv(y[:4], source=other(comm), tag=0),
        comm.Irecv(y[2:], source=other(comm), tag=1),
    ]
    requests += [comm.Isend(numbers(comm), other(comm), tag=tag) for tag in (0, 1)]
    MPI.Request.Waitall(requests)


@wrong(Fault.LOCAL_CONCURRENCY)
def a_send_out_of_a_buffer_that_is_being_received(comm, MPI):
    y = empty()
    requests = [comm.Irecv(y, source=other(comm)), comm.Isend(y, other(comm))]
    MPI.Request.Waitall(requests)


@wrong(Fault.LOCAL_CONCURRENCY)
def aliased_buffers_of_a_sendrecv(comm, MPI):
    x = numbers(comm, 6)
    comm.Sendrecv(x[:4], other(comm), recvbuf=x[2:], source=other(comm))


@wrong(Fault.LOCAL_CONCURRENCY)
def aliased_buffers_of_an_alltoall(comm, MPI):
    x = numbers(comm)
    comm.Alltoall(x, x)


@wrong(Fault.LOCAL_CONCURRENCY)
def a_write_before_a_broadcast_is_complete(comm, MPI):
    x = numbers(comm)
    request = comm.Ibcast(x, root=0)
    x[0] = 7
    request.Wait()


@wrong(Fault.LOCAL_CONCURRENCY)
def a_collective_call_into_a_pending_receive(comm, MPI):
    y = empty()
    request = comm.Irecv(y, source=other(comm))
    comm.Allreduce(numbers(comm), y)
    comm.Send(numbers(comm), other(comm))
    request.Wait()


@right()
def one_buffer_sent_twice(comm, MPI):
    x, y = numbers(comm), empty((2, 4))
    requests = [comm.Isend(x, other(comm), tag=tag) for tag in (0, 1)] + [
        comm.Irecv(y[tag], source=other(comm), tag=tag) for tag in (0, 1)
    ]
    MPI.Request.Waitall(requests)
    return y.tolist()


@right()
def receives_side_by_side(comm, MPI):
    y = empty(8)
    requests = [
        comm.Irecv(y[4:], source=other(comm), tag=1),
        comm.Irecv(y[:4], source=other(comm), tag=0),
    ]
    requests += [comm.Isend(numbers(comm) + tag, other(comm), tag=tag) for tag in (0, 1)]
    MPI.Request.Waitall(requests)
    return y.tolist()
