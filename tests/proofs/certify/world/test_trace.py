"""What is counted of the operations of a run."""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from proofs.certify.world.trace import Operation, Trace
from tests.support.judged import verdicts


def sends(rank: int, depth: int, *sent: tuple[int, int]) -> Operation:
    """Return an operation in which a rank of four sends words to others."""
    return Operation(rank, "Isend", (0, 1, 2, 3), sent, depth)


def test_an_h_relation_is_the_most_that_a_rank_sends_or_receives_in_an_exchange() -> None:
    of_both = [sends(rank, depth, (3 - rank, 5)) for rank in range(4) for depth in (1, 2)]
    assert Trace(tuple(of_both)).relations == (5, 5)
    uneven = [sends(rank, 1, (0, 5)) for rank in (1, 2, 3)] + [sends(0, 1, (1, 2))]
    assert Trace(tuple(uneven)).relations == (15,)


def test_a_rank_that_sends_nothing_in_a_call_with_counts_synchronises_only_if_nobody_does() -> None:
    nothing, some = ((1, 0),), ((1, 3),)

    def calls(kind: str, *sent: tuple[tuple[int, int], ...]) -> int:
        both = [
            Operation(rank, kind, (0, 1), of_rank, 0, "transform", any(n for _, n in of_rank))
            for rank, of_rank in enumerate(sent)
        ]
        return Trace(tuple(both)).synchronisations

    assert calls("Alltoallv", some, nothing) == 0
    assert calls("Alltoallv", nothing, nothing) == 1
    assert calls("Isend", some, nothing) == 1


def test_where_a_rank_takes_no_part_in_an_exchange_no_h_relation_is_told_apart() -> None:
    swapped = [sends(1, 1, (3, 8)), sends(3, 1, (1, 8))]
    moved = [sends(rank, 1 + rank % 2, (rank ^ 1, 12)) for rank in range(4)]
    assert Trace((*swapped, *moved)).relations == ()


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    ("N", "scheme", "output", "exchange"),
    [
        (256, "2", "f:1", "pairwise"),
        (64, "5", "cyclic", "nonblocking"),
        (64, "5", "group-cyclic:2", "alltoall"),
    ],
)
def test_programs_in_whose_first_move_some_ranks_send_nothing_cost_what_is_counted(
    N: int, scheme: str, output: str, exchange: str
) -> None:
    request = make_request("hypercube-fft", N, 8, "cyclic", output, exchange, scheme=scheme)
    assert verdicts(emit(resolve(request)), short=True)["cost"].holds
