"""Communicators of grids of ranks: places, shifts and parts, as MPI defines them."""

import numpy as np
import pytest

from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.world.transfers import PROC_NULL
from tests.support.worlds import run

SIZES = 2, 3


def on_grid(body, ranks=6, **words):
    """Return what a body returns on each rank of a grid of 2 x 3."""

    def on_rank(comm):
        grid = comm.Create_cart(SIZES, **words)
        found = body(grid) if grid else None
        if grid:
            grid.Free()
        return found

    return run(ranks, on_rank).results


def test_the_last_axis_counts_fastest():
    found = on_grid(lambda grid: (grid.Get_coords(grid.rank), grid.Get_cart_rank([1, 2])))
    wanted = np.stack(np.unravel_index(np.arange(6), SIZES), axis=1).tolist()
    assert found == [(place, 5) for place in wanted]


def test_a_shift_goes_around_periodic_axes_only():
    found = on_grid(lambda grid: (grid.Shift(0, 1), grid.Shift(1, 1)), periods=[False, True])
    assert found[4] == ((1, PROC_NULL), (3, 5))
    assert found[2] == ((PROC_NULL, 5), (1, 0))


def test_a_part_of_a_grid_has_the_ranks_with_the_other_coordinates_in_common():
    def parts(grid):
        row, copy = grid.Sub([False, True]), grid.Dup()
        found = row.rank, row.size, row.Get_topo(), copy.Get_topo()[0]
        row.Free()
        copy.Free()
        return found

    assert on_grid(parts)[5] == (2, 3, ([3], [0], [2]), [2, 3])


def test_ranks_beyond_a_grid_have_no_communicator():
    assert on_grid(lambda grid: grid.size, ranks=7) == [6] * 6 + [None]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda grid: grid.Get_cart_rank([2, 0]), "outside of a grid"),
        (lambda grid: grid.Get_cart_rank([0]), "in place of coordinates"),
        (lambda grid: grid.Shift(2, 1), "axis 2"),
        (lambda grid: grid.Sub([True]), "remain_dims"),
        (lambda grid: grid.Get_coords(6), "in place of a rank"),
    ],
)
def test_what_is_not_on_the_grid_is_refuted(body, words):
    with pytest.raises(Refuted, match=words):
        on_grid(body)


def test_a_grid_of_more_ranks_is_refuted_and_another_order_of_ranks_undecided():
    with pytest.raises(Refuted, match="of 5 ranks"):
        on_grid(lambda grid: None, ranks=5)
    with pytest.raises(Undecided, match="reorder"):
        on_grid(lambda grid: None, reorder=True)
