"""Invalid parameter. Ranks, roots, tags, counts, buffers, types, operators, communicators and
windows that no call takes.
"""

import numpy as np

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, other, right, wrong


@wrong(Fault.INVALID_PARAMETER)
def a_target_that_is_no_rank(comm, MPI):
    comm.Send(numbers(comm), 2)


@wrong(Fault.INVALID_PARAMETER)
def a_source_that_is_no_rank(comm, MPI):
    comm.Recv(empty(), source=7)


@wrong(Fault.INVALID_PARAMETER)
def a_literal_number_for_any_source(comm, MPI):
    comm.Recv(empty(), source=-1)


@wrong(Fault.INVALID_PARAMETER)
def a_negative_tag(comm, MPI):
    comm.Isend(numbers(comm), other(comm), tag=-7)


@wrong(Fault.INVALID_PARAMETER)
def a_tag_that_is_too_large(comm, MPI):
    comm.Send(numbers(comm), other(comm), tag=1 << 40)


@wrong(Fault.INVALID_PARAMETER)
def a_send_with_any_tag(comm, MPI):
    comm.Send(numbers(comm), other(comm), tag=MPI.ANY_TAG)


@wrong(Fault.INVALID_PARAMETER)
def a_negative_count(comm, MPI):
    comm.Send([numbers(comm), -1, MPI.DOUBLE], other(comm))


@wrong(Fault.INVALID_PARAMETER)
def a_count_beyond_the_buffer(comm, MPI):
    comm.Send([numbers(comm), 5, MPI.DOUBLE], other(comm))


@wrong(Fault.INVALID_PARAMETER)
def no_buffer(comm, MPI):
    comm.Bcast(None, root=0)


@wrong(Fault.INVALID_PARAMETER)
def a_type_that_the_buffer_has_not(comm, MPI):
    comm.Bcast([numbers(comm), MPI.FLOAT], root=0)


@wrong(Fault.INVALID_PARAMETER)
def a_root_that_is_no_rank(comm, MPI):
    comm.Bcast(numbers(comm), root=2)


@wrong(Fault.INVALID_PARAMETER)
def a_negative_root(comm, MPI):
    comm.Reduce(numbers(comm), empty(), root=-1)


@wrong(Fault.INVALID_PARAMETER)
def an_operator_that_is_none(comm, MPI):
    comm.Allreduce(numbers(comm), empty(), op=3)


@wrong(Fault.INVALID_PARAMETER)
def bits_of_floating_point_numbers(comm, MPI):
    comm.Allreduce(numbers(comm), empty(), op=MPI.BAND)


@wrong(Fault.INVALID_PARAMETER)
def a_communicator_that_has_been_freed(comm, MPI):
    copy = comm.Dup()
    copy.Free()
    copy.Barrier()


@wrong(Fault.INVALID_PARAMETER)
def no_communicator(comm, MPI):
    part = comm.Split(0 if comm.rank else MPI.UNDEFINED)
    part.Barrier()


@right()
def parameters_in_all_their_forms(comm, MPI):
    x, y = numbers(comm), empty()
    comm.Sendrecv([x, MPI.DOUBLE], other(comm), recvbuf=[y, 4, MPI.DOUBLE], source=other(comm))
    comm.Sendrecv(
        [x, 2, MPI.DOUBLE], other(comm), 32767, [y, (2, 2), MPI.DOUBLE], other(comm), 32767
    )
    comm.Sendrecv([x, 4], other(comm), recvbuf=y, source=other(comm))
    return y.tolist()


@right()
def ranks_and_counts_of_numpy(comm, MPI):
    y = empty()
    comm.Sendrecv(
        [numbers(comm), np.int64(4)], np.int64(other(comm)), recvbuf=y, source=np.int32(other(comm))
    )
    return y.tolist()


@right()
def a_rank_without_a_color(comm, MPI):
    part = comm.Split(0 if comm.rank == 0 else MPI.UNDEFINED)
    if part == MPI.COMM_NULL:
        return None
    size = part.Get_size()
    part.Free()
    return size


@right()
def buffers_in_further_forms(comm, MPI):
    x, y = numbers(comm), empty()
    comm.Sendrecv([x, 4, None], other(comm), recvbuf=[y, None, None], source=other(comm))
    comm.Sendrecv([x, (2, 1), None], other(comm), recvbuf=[y, 2, "d"], source=other(comm))
    comm.Alltoallv([x, ([2, 2], None), MPI.DOUBLE], [y, [2, 2], None, "f8"])
    return y.tolist()


@wrong(Fault.INVALID_PARAMETER)
def a_list_of_an_array_alone(comm, MPI):
    comm.Sendrecv([numbers(comm)], other(comm), recvbuf=empty(), source=other(comm))


@wrong(Fault.INVALID_PARAMETER)
def the_greatest_of_complex_numbers(comm, MPI):
    comm.Allreduce(numbers(comm) + 0j, empty(dtype=complex), MPI.MAX)
