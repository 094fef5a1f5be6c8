"""Buffering hazard. Deadlocks that buffers would undo; and all collective calls at least once."""

from codegen.mpi.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, other, right, wrong


@wrong(Fault.BUFFERING_HAZARD)
def sends_before_receives(comm, MPI):
    comm.Send(numbers(comm), other(comm))
    comm.Recv(empty(), source=other(comm))


@wrong(Fault.BUFFERING_HAZARD, 4)
def a_ring_of_sends(comm, MPI):
    comm.Send(numbers(comm), (comm.rank + 1) % 4)
    comm.Recv(empty(), source=(comm.rank - 1) % 4)


@wrong(Fault.BUFFERING_HAZARD)
def a_send_to_oneself(comm, MPI):
    comm.Send(numbers(comm), comm.rank)
    comm.Recv(empty(), source=comm.rank)


@wrong(Fault.BUFFERING_HAZARD)
def tags_in_the_other_order(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0, tag=0)
        comm.Send(numbers(comm), 0, tag=1)
    else:
        comm.Recv(empty(), source=1, tag=1)
        comm.Recv(empty(), source=1, tag=0)


@wrong(Fault.BUFFERING_HAZARD)
def a_send_across_a_barrier(comm, MPI):
    if comm.rank:
        comm.Send(numbers(comm), 0)
        comm.Barrier()
    else:
        comm.Barrier()
        comm.Recv(empty(), source=1)


@wrong(Fault.BUFFERING_HAZARD)
def a_wait_for_the_send_before_the_receive(comm, MPI):
    comm.Isend(numbers(comm), other(comm)).Wait()
    comm.Recv(empty(), source=other(comm))


@wrong(Fault.BUFFERING_HAZARD)
def objects_sent_before_they_are_received(comm, MPI):
    comm.send({"rank": comm.rank}, other(comm))
    return comm.recv(source=other(comm))


@right()
def objects_sent_and_received_at_once(comm, MPI):
    request = comm.isend({"rank": comm.rank}, other(comm))
    found = comm.recv(source=other(comm))
    request.wait()
    return (
        found,
        comm.sendrecv(comm.rank, other(comm), source=other(comm)),
        comm.scatter([1, 2] if comm.rank == 0 else None),
    )


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
    kinds = [MPI.DOUBLE] * 4
    comm.Alltoallw([x, ([1] * 4, [0, 8, 16, 24]), kinds], [z, ([1] * 4, [24, 16, 8, 0]), kinds])
    found += [x.tolist(), y.tolist(), z.tolist()]
    comm.Reduce(x, z if comm.rank == 2 else None, op=MPI.MAX, root=2)
    comm.Allreduce(MPI.IN_PLACE, z, op=MPI.SUM)
    w = empty(1)
    comm.Reduce_scatter_block(x, w)
    comm.Scan(x, z)
    found += [w.tolist(), z.tolist()]
    comm.Reduce_scatter(x, w, [1, 1, 1, 1], MPI.MIN)
    found += [
        w.tolist(),
        comm.reduce(comm.rank, root=3),
        comm.scan(comm.rank),
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
    x, y, z, w, v = numbers(comm), empty(16), empty(), empty(), empty()
    requests = [
        comm.Iallgather(x, y),
        comm.Ialltoall(x, z),
        comm.Iallreduce(x, w),
        comm.Igather(x, empty(16) if comm.rank == 0 else None),
    ]
    requests += [comm.Iscan(x, v), comm.Ireduce(x, empty() if comm.rank == 3 else None, root=3)]
    MPI.Request.Waitall(requests)
    return y.tolist(), z.tolist(), w.tolist(), v.tolist()


@right()
def none_in_place(comm, MPI):
    y, z = numbers(comm), numbers(comm)
    comm.Allgather(None, y)
    comm.Alltoall(None, y)
    comm.Allreduce(None, z)
    return y.tolist(), z.tolist()
