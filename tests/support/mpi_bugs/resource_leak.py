"""Resource leak. Communicators, windows and persistent requests that are never given back."""

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, other, right, wrong


@wrong(Fault.RESOURCE_LEAK)
def a_duplicate_that_is_never_freed(comm, MPI):
    comm.Dup().Barrier()


@wrong(Fault.RESOURCE_LEAK, 3)
def a_part_that_one_rank_does_not_free(comm, MPI):
    part = comm.Split(comm.rank % 2)
    if comm.rank:
        part.Free()


@wrong(Fault.RESOURCE_LEAK)
def a_persistent_request_that_is_never_freed(comm, MPI):
    requests = [comm.Recv_init(empty(), other(comm)), comm.Send_init(numbers(comm), other(comm))]
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)


@wrong(Fault.RESOURCE_LEAK)
def a_window_that_is_never_freed(comm, MPI):
    MPI.Win.Allocate_shared(8, 8, comm=comm).Fence()


@right()
def all_is_given_back(comm, MPI):
    copy, x = comm.Dup(), numbers(comm)
    copy.Bcast(x, root=1)
    copy.Free()
    return x.tolist()
