"""Parameter matching. Ranks that disagree on a type, a count, a root, an operator, a tag or a
communicator.
"""

import numpy as np

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, right, wrong


@wrong(Fault.PARAMETER_MATCHING)
def another_type(comm, MPI):
    comm.Send(numbers(comm), 1) if comm.rank == 0 else comm.Recv(empty(4, np.float32), source=0)


@wrong(Fault.PARAMETER_MATCHING)
def as_many_bytes_of_another_type(comm, MPI):
    comm.Send(numbers(comm), 1) if comm.rank == 0 else comm.Recv(empty(4, np.int64), source=0)


@wrong(Fault.PARAMETER_MATCHING)
def a_message_cut_short(comm, MPI):
    comm.Send(numbers(comm), 1) if comm.rank == 0 else comm.Recv(empty(3), source=0)


@wrong(Fault.PARAMETER_MATCHING)
def another_tag(comm, MPI):
    comm.Send(numbers(comm), 1, tag=1) if comm.rank == 0 else comm.Recv(empty(), source=0, tag=2)


@wrong(Fault.PARAMETER_MATCHING)
def another_communicator_for_a_message(comm, MPI):
    copy = comm.Dup()
    comm.Send(numbers(comm), 1) if comm.rank == 0 else copy.Recv(empty(), source=0)
    copy.Free()


@wrong(Fault.PARAMETER_MATCHING)
def another_communicator_for_a_barrier(comm, MPI):
    copy = comm.Dup()
    (comm if comm.rank else copy).Barrier()
    copy.Free()


@wrong(Fault.PARAMETER_MATCHING, 3)
def another_root_of_a_broadcast(comm, MPI):
    comm.Bcast(numbers(comm), root=comm.rank)


@wrong(Fault.PARAMETER_MATCHING)
def another_root_of_objects(comm, MPI):
    comm.bcast(1, root=comm.rank)


@wrong(Fault.PARAMETER_MATCHING)
def another_operator(comm, MPI):
    comm.Allreduce(numbers(comm), empty(), op=MPI.MAX if comm.rank else MPI.SUM)


@wrong(Fault.PARAMETER_MATCHING)
def another_operator_of_objects(comm, MPI):
    comm.allreduce(1, op=MPI.MAX if comm.rank else MPI.SUM)


@wrong(Fault.PARAMETER_MATCHING)
def another_count_of_an_alltoall(comm, MPI):
    count = 4 + 2 * comm.rank
    comm.Alltoall(empty(count), empty(count))


@wrong(Fault.PARAMETER_MATCHING)
def another_type_of_a_reduction(comm, MPI):
    dtype = np.float64 if comm.rank else np.complex128
    comm.Allreduce(empty(4, dtype), empty(4, dtype))


@wrong(Fault.PARAMETER_MATCHING, 3)
def another_count_of_a_gatherv(comm, MPI):
    comm.Gatherv(numbers(comm, 2), [empty(5), [2, 2, 1]] if comm.rank == 0 else None, root=0)


@wrong(Fault.PARAMETER_MATCHING)
def another_count_of_an_ibcast(comm, MPI):
    comm.Ibcast(empty(4 + comm.rank), root=0).Wait()


@right(4)
def the_root_is_the_last_rank(comm, MPI):
    x = numbers(comm)
    comm.Bcast(x, root=comm.size - 1)
    return x.tolist()
