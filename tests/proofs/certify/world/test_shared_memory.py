"""Shared windows: races are found element by element, and what is loaded from others is counted."""

from __future__ import annotations

import numpy as np
import pytest

from proofs.certify.exact.data_functions import OPERATORS
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.world.windows import allocate_shared, array_of, from_buffer
from tests.support.worlds import elements, space_of, whole, world

COUNT = 4


def ran(body, ranks=2, nodes=None, count=COUNT):
    """Return results and trace of body(comm, window, arrays, given), and free the window."""
    space = space_of()
    one = world(ranks, nodes, space)

    def of_rank(comm):
        window = allocate_shared(16 * count, 16, comm=comm)
        arrays = [from_buffer(window.Shared_query(r)[0], complex) for r in range(comm.size)]
        window.Lock_all()
        given = elements(space, np.arange(count) + 10 * comm.rank)
        found = body(comm, window, arrays, given)
        window.Unlock_all()
        comm.Barrier()
        window.Free()
        return found

    return one.run(of_rank), one.log.trace


def synced(comm, window):
    window.Sync()
    comm.Barrier()
    window.Sync()


def doubled(array):
    """Compute with an array."""
    return whole(OPERATORS["*"](array, 2))


def test_what_another_rank_has_stored_is_there_after_a_barrier_between_two_syncs():
    def body(comm, window, arrays, given):
        arrays[comm.rank][:] = given
        synced(comm, window)
        return whole(arrays[1 - comm.rank].copy())

    results, trace = ran(body)
    assert results == [[10, 11, 12, 13], [0, 1, 2, 3]]
    assert (trace.exchanges, trace.messages, trace.words) == (1, 1, 4)
    assert trace.calls == ("load",)


def test_a_store_to_another_rank_is_a_message_too():
    def body(comm, window, arrays, given):
        arrays[1 - comm.rank][1:3] = given[1:3]
        synced(comm, window)
        return whole(arrays[comm.rank][1:3].copy())

    results, trace = ran(body)
    assert results == [[11, 12], [1, 2]]
    assert (trace.exchanges, trace.messages, trace.words) == (1, 1, 2)


def test_an_element_that_is_loaded_twice_in_an_epoch_is_one_word():
    def body(comm, window, arrays, given):
        arrays[comm.rank][:] = given
        synced(comm, window)
        doubled(arrays[1 - comm.rank][:3])
        return doubled(arrays[1 - comm.rank][[1, 2, 3, 3]])

    results, trace = ran(body)
    assert results[0] == [22, 24, 26, 26]
    assert trace.words == 4


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("sync barrier", "", "with no Sync here"),
        ("barrier sync", "", "with no Sync by rank"),
        ("barrier", "sync", "with no Sync by rank"),
        ("sync", "sync", "have not waited for each other"),
    ],
)
def test_what_is_missing_between_a_store_and_a_load_is_named(before, after, words):
    def body(comm, window, arrays, given):
        arrays[comm.rank][:] = given
        for call in (*before.split(), *after.split()):
            window.Sync() if call == "sync" else comm.Barrier()
        return None if comm.rank else doubled(arrays[1])

    with pytest.raises(Refuted, match=f"global concurrency: rank 0: .*{words}") as error:
        ran(body)
    assert error.value.line


def test_a_store_after_others_have_loaded_waits_for_them():
    def body(comm, window, arrays, given):
        for _ in range(2):
            arrays[comm.rank][:] = given
            synced(comm, window)
            doubled(arrays[1 - comm.rank])

    with pytest.raises(Refuted, match=r"(loaded from|stored) there"):
        ran(body)


def test_two_buffers_in_turn_take_one_barrier():
    def body(comm, window, arrays, given):
        found = []
        for turn in range(4):
            half = slice(2 * (turn % 2), 2 * (turn % 2) + 2)
            arrays[comm.rank][half] = given[half]
            synced(comm, window)
            found.append(doubled(arrays[1 - comm.rank][half]))
        return found

    assert ran(body)[0][1] == [[0, 2], [4, 6]] * 2


def test_two_ranks_that_store_to_one_element_race():
    def body(comm, window, arrays, given):
        arrays[0][2] = given[0]

    with pytest.raises(Refuted, match=r"rank . has stored there"):
        ran(body)


@pytest.mark.parametrize(
    "index",
    [
        lambda rank: slice(rank, None, 2),
        lambda rank: np.array([rank, 3 - rank]) if rank < 2 else None,
        lambda rank: np.arange(4) % 2 == rank,
        lambda rank: (..., slice(2 * rank, 2 * rank + 2)),
    ],
)
def test_elements_side_by_side_do_not_race(index):
    if index(0) is not None and isinstance(index(0), np.ndarray) and index(0).dtype == int:
        index = lambda rank: np.array([[0, 3], [1, 2]][rank])  # noqa: E731

    def body(comm, window, arrays, given):
        arrays[0][index(comm.rank)] = given[:2]
        return doubled(arrays[0][index(comm.rank)])

    assert ran(body)[0] == [[0, 2], [20, 22]]


def test_real_and_imaginary_parts_are_places_of_their_own():
    def body(comm, window, arrays, given):
        part = arrays[0].imag if comm.rank else arrays[0].real
        part[:] = given.real
        synced(comm, window)
        return doubled(arrays[0].real)

    assert ran(body)[0] == [[0, 2, 4, 6]] * 2


def test_columns_of_a_matrix_do_not_race():
    def body(comm, window, arrays, given):
        arrays[0].reshape(2, 2)[:, comm.rank] = given[:2]
        synced(comm, window)
        return doubled(arrays[0])

    assert ran(body)[0] == [[0, 20, 2, 22]] * 2


def test_a_race_that_messages_may_order_is_undecided():
    def body(comm, window, arrays, given):
        token = np.zeros(1)
        if comm.rank == 0:
            arrays[0][:] = given
            window.Sync()
            comm.Send(token, 1)
        else:
            comm.Recv(token, 0)
            window.Sync()
            doubled(arrays[0])

    with pytest.raises(Undecided, match="may order it"):
        ran(body)


def test_a_barrier_of_a_part_of_the_ranks_does_not_end_an_epoch():
    def body(comm, window, arrays, given):
        arrays[comm.rank][:] = given
        part = comm.Split(comm.rank // 2)
        window.Sync()
        part.Barrier()
        window.Sync()
        part.Free()
        arrays[comm.rank][:] = given
        part = comm.Split(comm.rank)
        part.Barrier()
        doubled(arrays[(comm.rank + 1) % 4])

    with pytest.raises((Refuted, Undecided), match="stored there"):
        ran(body, 4)


def test_memory_of_a_window_is_gone_when_it_is_freed():
    def of_rank(comm):
        window = allocate_shared(64, 16, comm=comm)
        x = array_of((2, 2), complex, window.tomemory())
        window.Free()
        x[...] = 1

    with pytest.raises(Refuted, match="which is freed"):
        world(2, space=space_of()).run(of_rank)


def test_memory_that_nobody_has_stored_to_is_refuted():
    with pytest.raises(Refuted, match="uninitialised"):
        ran(lambda comm, window, arrays, given: doubled(arrays[comm.rank]))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda comm, window: window.Sync(), "epoch lifecycle: rank .: Sync outside"),
        (lambda comm, window: [window.Lock_all(), window.Lock_all()], "a second Lock_all"),
        (lambda comm, window: window.Unlock_all(), "without Lock_all"),
        (lambda comm, window: [window.Lock_all(), window.Free()], "while the window is locked"),
        (lambda comm, window: None, "resource leak"),
        (lambda comm, window: window.Shared_query(2), "in place of a rank"),
        (lambda comm, window: [window.Free(), window.Sync()], "is freed"),
    ],
)
def test_the_life_of_a_window(body, words):
    with pytest.raises(Refuted, match=words):
        world(2, space=space_of()).run(lambda c: body(c, allocate_shared(64, 16, comm=c)))


def test_ranks_of_several_nodes_share_no_memory():
    with pytest.raises(Refuted, match="ranks of several nodes"):
        ran(lambda *_: None, 2, [0, 1])


def test_a_fence_orders_stores_and_loads():
    space = space_of()

    def of_rank(comm):
        window = allocate_shared(64, 16, comm=comm)
        arrays = [from_buffer(window.Shared_query(r)[0], complex) for r in range(2)]
        window.Fence()
        arrays[comm.rank][:] = elements(space, np.arange(4) + comm.rank)
        window.Fence()
        found = doubled(arrays[1 - comm.rank])
        window.Fence()
        window.Free()
        return found

    assert world(2, space=space).run(of_rank) == [[2, 4, 6, 8], [0, 2, 4, 6]]


def test_what_is_received_in_a_window_is_stored_there():
    def body(comm, window, arrays, given):
        comm.Sendrecv(given, comm.rank ^ 1, recvbuf=arrays[comm.rank], source=comm.rank ^ 1)
        window.Sync()
        comm.Barrier()
        if synced_after:
            window.Sync()
        y = given.copy()
        comm.Sendrecv(arrays[1 - comm.rank], comm.rank, recvbuf=y, source=comm.rank)
        return whole(y)

    synced_after = True
    assert ran(body)[0] == [[0, 1, 2, 3], [10, 11, 12, 13]]
    synced_after = False
    with pytest.raises((Refuted, Undecided), match="with no Sync here"):
        ran(body)
