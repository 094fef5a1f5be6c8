"""Every element of an array has one place, whatever the shape and the grid."""

import re
from itertools import product

import numpy as np
import pytest

from derive.digits.digit_layouts import ArrayLayout
from derive.digits.part_layouts import PartLayout

SHAPES = [*product((1, 2, 5, 6), (1, 3, 7))]
GRIDS = [*product((1, 2, 3, 8), (1, 2, 4))]
NAMES = ("block", "balanced")


@pytest.mark.parametrize("name", NAMES)
def test_parts_are_slices_of_the_array_and_cover_it(name: str) -> None:
    for shape, grid in product(SHAPES, GRIDS):
        layout = PartLayout(name, shape, grid)
        x = np.arange(layout.N).reshape(shape)
        ranks, offsets = layout.place(x)
        for rank in range(layout.P):
            part = x[layout.slices(rank)]
            assert part.shape == layout.local_shape(rank)
            assert (ranks[layout.slices(rank)] == rank).all()
            assert (offsets[layout.slices(rank)].ravel() == np.arange(part.size)).all()
            assert (layout.index(rank, np.arange(part.size)) == part.ravel()).all()
        assert sorted(layout.address(x.ravel())) == [*range(layout.N)]


@pytest.mark.parametrize("name", NAMES)
def test_equal_parts_are_those_of_array_layouts(name: str) -> None:
    for shape, grid in product(SHAPES, GRIDS):
        if any(n % p for n, p in zip(shape, grid, strict=True)):
            continue
        even = ArrayLayout("block" if name == "balanced" else name, shape, grid)
        j = np.arange(even.N)
        places = PartLayout(name, shape, grid).place(j)
        assert all((own == other).all() for own, other in zip(places, even.place(j), strict=True))


def test_ranks_count_along_axes_in_any_order() -> None:
    layout = PartLayout("block", (5, 6), (2, 3), order=(1, 0))
    assert [layout.coordinates(rank) for rank in (0, 1, 2)] == [(0, 0), (1, 0), (0, 1)]
    ranks, _ = layout.place(np.arange(layout.N).reshape(5, 6))
    assert all((ranks[layout.slices(rank)] == rank).all() for rank in range(6))


def test_balanced_parts_differ_by_one_at_most() -> None:
    for n, p in product(range(1, 20), range(1, 9)):
        sizes = PartLayout("balanced", (n,), (p,)).sizes(np.arange(p))
        assert sizes.sum() == n
        assert sizes[0] - sizes[-1] <= 1 and (np.diff(sizes) <= 0).all()


@pytest.mark.parametrize(
    ("name", "grid", "why"),
    [
        (
            "blok",
            (2, 1),
            "unknown layout 'blok' of an axis of 5 elements on 2 ranks, perhaps block",
        ),
        (
            "whole,block",
            (2, 1),
            "a whole axis must be on one rank; got 2 ranks for 5 elements; give",
        ),
        ("block,whole,whole", (2, 1), "must be one name for all 2 axes, or one name for each"),
        ("block", (2,), "shape (5, 2) and grid (2,) have as many axes"),
    ],
)
def test_layouts_that_there_are_not_are_refused(name: str, grid: tuple[int, ...], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        PartLayout(name, (5, 2), grid)


def test_offsets_that_a_rank_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="offset 2 is beyond the 2 elements of rank 2"):
        PartLayout("block,whole", (5, 2), (3, 1)).index(2, 2)
