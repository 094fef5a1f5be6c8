"""Global concurrency. Windows that two ranks use at once."""

from tests.support.mpi_bugs.catalogue import numbers, other, right, shared_of


@right()
def shared_memory_with_two_buffers_and_one_barrier_a_turn(comm, MPI):
    window, arrays = shared_of(comm, MPI, 8)
    found = []
    window.Lock_all()
    for turn in range(4):
        half = slice(turn % 2 * 4, turn % 2 * 4 + 4)
        arrays[comm.rank][half] = numbers(comm) + turn
        window.Sync()
        comm.Barrier()
        window.Sync()
        found.append(arrays[other(comm)][half].tolist())
    window.Unlock_all()
    comm.Barrier()
    window.Free()
    return found


@right()
def shared_memory_in_epochs_of_fences(comm, MPI):
    window, arrays = shared_of(comm, MPI)
    window.Fence()
    arrays[comm.rank][:] = numbers(comm)
    window.Fence()
    found = arrays[other(comm)].tolist()
    window.Fence()
    window.Free()
    return found
