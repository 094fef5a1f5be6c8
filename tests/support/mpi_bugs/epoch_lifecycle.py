"""Epoch lifecycle. Windows outside of epochs, and epochs that do not end."""

from proofs.certify.world.faults import Fault
from tests.support.mpi_bugs.catalogue import shared_of, wrong


@wrong(Fault.EPOCH_LIFECYCLE)
def a_lock_that_is_never_unlocked(comm, MPI):
    window, _ = shared_of(comm, MPI)
    window.Lock_all()
    window.Free()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_window_locked_twice(comm, MPI):
    window, _ = shared_of(comm, MPI)
    window.Lock_all()
    window.Lock_all()


@wrong(Fault.EPOCH_LIFECYCLE)
def an_unlock_without_a_lock(comm, MPI):
    window, _ = shared_of(comm, MPI)
    window.Unlock_all()
    window.Free()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_fence_while_a_lock_is_held(comm, MPI):
    window, _ = shared_of(comm, MPI)
    window.Lock_all()
    window.Fence()


@wrong(Fault.EPOCH_LIFECYCLE)
def a_sync_outside_of_an_epoch(comm, MPI):
    window, _ = shared_of(comm, MPI)
    window.Sync()
    comm.Barrier()
    window.Free()
