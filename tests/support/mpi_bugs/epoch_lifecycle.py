"""Epoch lifecycle. Windows outside of epochs, and epochs that do not end."""

from codegen.mpi.faults import Fault
from tests.support.mpi_bugs.catalogue import empty, numbers, other, right, window_of, wrong


@wrong(Fault.EPOCH_LIFECYCLE)
def a_put_without_a_fence(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Put(numbers(comm), other(comm))
    window.Fence()
    window.Free()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_put_whose_epoch_does_not_end(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Fence()
    window.Put(numbers(comm), other(comm))
    window.Free()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_lock_that_is_never_unlocked(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Lock(comm.rank)
    window.Free()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_rank_locked_twice(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Lock(comm.rank)
    window.Lock(comm.rank)


@wrong(Fault.EPOCH_LIFECYCLE)
def an_unlock_without_a_lock(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Unlock(other(comm))
    window.Free()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_fence_while_a_lock_is_held(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Lock(comm.rank)
    window.Fence()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_sync_outside_of_an_epoch(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Sync()
    comm.Barrier()
    window.Free()


@right()
def a_put_between_fences(comm, MPI):
    window, x = window_of(comm, MPI)
    window.Fence()
    window.Put(numbers(comm), other(comm))
    window.Fence()
    found = x.tolist()
    window.Free()
    return found


@right()
def a_get_between_fences(comm, MPI):
    window, x = window_of(comm, MPI)
    x[:] = numbers(comm)
    y = empty(2)
    window.Fence()
    window.Get(y, other(comm), 1)
    window.Fence()
    window.Free()
    return y.tolist()


@right()
def a_put_under_a_lock(comm, MPI):
    window, x = window_of(comm, MPI)
    comm.Barrier()
    window.Lock(other(comm))
    window.Put(numbers(comm), other(comm))
    window.Unlock(other(comm))
    comm.Barrier()
    found = x.tolist()
    window.Free()
    return found


@right(3)
def all_put_to_places_of_their_own(comm, MPI):
    window, x = window_of(comm, MPI, 3)
    window.Fence()
    for rank in range(comm.size):
        window.Put(numbers(comm, 1), rank, comm.rank)
    window.Fence()
    found = x.tolist()
    window.Free()
    return found
