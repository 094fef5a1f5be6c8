"""What is counted of the operations of a run."""

from __future__ import annotations

from proofs.certify.world.trace import Operation, Trace


def sends(rank: int, depth: int, *sent: tuple[int, int]) -> Operation:
    """Return an operation in which a rank of four sends words to others."""
    return Operation(rank, "Isend", (0, 1, 2, 3), sent, depth, 1)


def test_an_h_relation_is_the_most_that_a_rank_sends_or_receives_in_an_exchange() -> None:
    of_both = [sends(rank, depth, (3 - rank, 5)) for rank in range(4) for depth in (1, 2)]
    assert Trace(tuple(of_both)).relations == (5, 5)
    uneven = [sends(rank, 1, (0, 5)) for rank in (1, 2, 3)] + [sends(0, 1, (1, 2))]
    assert Trace(tuple(uneven)).relations == (15,)


def test_a_rank_that_takes_no_part_in_an_exchange_is_one_behind() -> None:
    swapped = [sends(1, 1, (3, 8)), sends(3, 1, (1, 8))]
    moved = [sends(rank, 1 + rank % 2, (rank ^ 1, 12)) for rank in range(4)]
    assert Trace((*swapped, *moved)).relations == (12, 12)
