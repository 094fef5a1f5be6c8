"""Global concurrency. Windows that two ranks use at once."""

from codegen.mpi.faults import Fault
from tests.support.mpi_bugs.catalogue import (
    empty,
    numbers,
    other,
    right,
    shared_of,
    window_of,
    wrong,
)


@wrong(Fault.GLOBAL_CONCURRENCY, 3)
def two_puts_to_one_place(comm, MPI):
    window, _ = window_of(comm, MPI)
    window.Fence()
    if comm.rank:
        window.Put(numbers(comm), 0)
    window.Fence()
    window.Free()


@wrong(Fault.GLOBAL_CONCURRENCY, 3)
def a_put_and_a_get_of_one_place(comm, MPI):
    window, _ = window_of(comm, MPI)
    y = empty()
    window.Fence()
    window.Put(numbers(comm), 0) if comm.rank == 1 else None
    window.Get(y, 0) if comm.rank == 2 else None
    window.Fence()
    window.Free()


@wrong(Fault.GLOBAL_CONCURRENCY)
def a_put_and_a_get_of_one_rank(comm, MPI):
    window, _ = window_of(comm, MPI)
    y = empty()
    window.Fence()
    window.Put(numbers(comm), other(comm))
    window.Get(y, other(comm))
    window.Fence()
    window.Free()


@wrong(Fault.GLOBAL_CONCURRENCY)
def a_store_into_a_place_that_is_put_to(comm, MPI):
    window, x = window_of(comm, MPI)
    window.Fence()
    if comm.rank == 0:
        window.Put(numbers(comm), 1)
    else:
        x[0] = 7
    window.Fence()
    window.Free()
    return x.tolist()


@wrong(Fault.GLOBAL_CONCURRENCY)
def a_store_into_a_place_that_is_got(comm, MPI):
    window, x = window_of(comm, MPI)
    y = empty()
    window.Fence()
    if comm.rank == 0:
        window.Get(y, 1)
    else:
        x[0] = 7
    window.Fence()
    window.Free()
    return y.tolist()


@wrong(Fault.GLOBAL_CONCURRENCY, 3)
def puts_under_locks_in_no_order(comm, MPI):
    window, x = window_of(comm, MPI)
    if comm.rank:
        window.Lock(0)
        window.Put(numbers(comm), 0)
        window.Unlock(0)
    comm.Barrier()
    window.Free()
    return x.tolist()


@wrong(Fault.GLOBAL_CONCURRENCY)
def shared_memory_without_a_barrier(comm, MPI):
    window, arrays = shared_of(comm, MPI)
    arrays[comm.rank][:] = numbers(comm)
    found = arrays[other(comm)].tolist()
    comm.Barrier()
    window.Free()
    return found


@wrong(Fault.GLOBAL_CONCURRENCY)
def shared_memory_that_is_written_again_too_soon(comm, MPI):
    window, arrays = shared_of(comm, MPI)
    found = []
    window.Lock_all()
    for turn in range(3):
        arrays[comm.rank][:] = numbers(comm) + turn
        window.Sync()
        comm.Barrier()
        found.append(arrays[other(comm)].tolist())
    window.Unlock_all()
    comm.Barrier()
    window.Free()
    return found


@wrong(Fault.GLOBAL_CONCURRENCY, 3)
def two_ranks_store_to_one_place(comm, MPI):
    window, arrays = shared_of(comm, MPI)
    arrays[0][0] = comm.rank
    comm.Barrier()
    found = arrays[0][0]
    comm.Barrier()
    window.Free()
    return float(found)


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


@right(3)
def two_gets_of_one_place(comm, MPI):
    window, x = window_of(comm, MPI)
    x[:] = numbers(comm)
    y = empty()
    window.Fence()
    window.Get(y, 1)
    window.Fence()
    window.Free()
    return y.tolist()


@right(3)
def puts_and_gets_that_are_flushed(comm, MPI):
    window, x = window_of(comm, MPI, 3)
    y = empty(1)
    window.Lock_all()
    window.Put(numbers(comm, 1), (comm.rank + 1) % 3, comm.rank)
    window.Flush((comm.rank + 1) % 3)
    comm.Barrier()
    window.Get(y, (comm.rank + 2) % 3, (comm.rank + 1) % 3)
    window.Flush_all()
    window.Unlock_all()
    comm.Barrier()
    window.Free()
    return y.tolist(), x.tolist()


@right(3)
def puts_in_turns_that_barriers_order(comm, MPI):
    window, x = window_of(comm, MPI)
    for turn in (1, 2):
        if comm.rank == turn:
            window.Lock(0, MPI.LOCK_EXCLUSIVE)
            window.Put(numbers(comm), 0)
            window.Unlock(0)
        comm.Barrier()
    found = x.tolist()
    comm.Barrier()
    window.Free()
    return found
