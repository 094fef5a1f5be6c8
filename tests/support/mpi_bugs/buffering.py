"""Deadlocks that buffers would undo; and all collective calls at least once."""

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, other, right, wrong


@wrong(Fault.CALL_ORDERING)
def sends_before_receives(comm, MPI):
    comm.Send(numbers(comm), other(comm))
    comm.Recv(empty(), source=other(comm))


@wrong(Fault.CALL_ORDERING, 4)
def a_ring_of_sends(comm, MPI):
    comm.Send(numbers(comm), (comm.rank + 1) % 4)
    comm.Recv(empty(), source=(comm.rank - 1) % 4)


@wrong(Fault.CALL_ORDERING)
def a_send_to_oneself(comm, MPI):
    comm.Send(numbers(comm), comm.rank)
    comm.Recv(empty(), source=comm.rank)


@wrong(Fault.CALL_ORDERING)
def tags_in_the_other_order(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0, tag=0)
        comm.Send(numbers(comm), 0, tag=1)
    else:
        comm.Recv(empty(), source=1, tag=1)
        comm.Recv(empty(), source=1, tag=0)


@wrong(Fault.CALL_ORDERING)
def a_send_across_a_barrier(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
        comm.Barrier()
    else:
        comm.Barrier()
        comm.Recv(empty(), source=1)


@wrong(Fault.CALL_ORDERING)
def a_wait_for_the_send_before_the_receive(comm, MPI):
    comm.Isend(numbers(comm), other(comm)).Wait()
    comm.Recv(empty(), source=other(comm))


@right(4)
def every_collective_call(comm, MPI):
    x, found = numbers(comm, 4), []
    y = empty(16)
    comm.Allgather(x, y)
    found.append(y.tolist())
    comm.Gather(x, y if comm.rank == 1 else None, root=1)
    comm.Scatter(y if comm.rank == 1 else None, x, root=1)
    comm.Gatherv(x[: comm.rank], [y[:6], [0, 1, 2, 3]] if comm.rank == 0 else None)
    comm.Scatterv([y[:6], ([0, 1, 2, 3], [0, 0, 1, 3])] if comm.rank == 0 else None, x[: comm.rank])
    comm.Allgatherv(x[: comm.rank + 1], [y[:10], ([1, 2, 3, 4], [0, 1, 3, 6]), MPI.DOUBLE])
    z = empty()
    comm.Alltoall(x, z)
    comm.Alltoallv([x, [1] * 4], [z, ([1] * 4, [3, 2, 1, 0])])
    found += [x.tolist(), y.tolist(), z.tolist()]
    comm.Reduce(x, z if comm.rank == 2 else None, op=MPI.MAX, root=2)
    comm.Allreduce(MPI.IN_PLACE, z, op=MPI.SUM)
    found += [
        z.tolist(),
        comm.reduce(comm.rank, root=3),
        comm.alltoall([comm.rank] * 4),
        comm.gather(comm.rank, root=1),
    ]
    return found


@right(4)
def collective_calls_in_place(comm, MPI):
    y = empty(8)
    y[2 * comm.rank : 2 * comm.rank + 2] = numbers(comm, 2)
    comm.Allgather(MPI.IN_PLACE, y)
    comm.Alltoall(MPI.IN_PLACE, y)
    comm.Reduce(MPI.IN_PLACE if comm.rank == 0 else y, y if comm.rank == 0 else None)
    comm.Gather(MPI.IN_PLACE if comm.rank == 0 else numbers(comm, 2), y if comm.rank == 0 else None)
    comm.Scatter(y if comm.rank == 0 else None, MPI.IN_PLACE if comm.rank == 0 else y[:2])
    return y.tolist()


@right(4)
def collective_calls_with_requests(comm, MPI):
    x, y, z, w = numbers(comm), empty(16), empty(), empty()
    requests = [
        comm.Iallgather(x, y),
        comm.Ialltoall(x, z),
        comm.Iallreduce(x, w),
        comm.Igather(x, empty(16) if comm.rank == 0 else None),
    ]
    requests.append(comm.Ireduce(x, empty() if comm.rank == 3 else None, root=3))
    MPI.Request.Waitall(requests)
    return y.tolist(), z.tolist(), w.tolist()


@right()
def none_in_place(comm, MPI):
    y, z = numbers(comm), numbers(comm)
    comm.Allgather(None, y)
    comm.Alltoall(None, y)
    comm.Allreduce(None, z)
    return y.tolist(), z.tolist()
