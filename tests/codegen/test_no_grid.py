"""Errors for arrays that no grid of the ranks can hold: the ranks, sizes and layouts that they
offer work.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

import nodewright as nw
from codegen.no_grid import distributed, suffices


def refused(size: str, ranks: int, input: str, output: str) -> str:
    """Return the error of a request that no program answers."""
    with pytest.raises(ValueError, match="try") as error:
        nw.fht(size, ranks, input=input, output=output)
    return str(error.value)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("size", "ranks", "input", "output"),
    [
        ("25x20x16", 4, "block,whole,whole", "block,whole,whole"),
        ("24x20x16", 3, "cyclic", "cyclic"),
        ("25x21x15", 4, "cyclic", "cyclic"),
        ("25x20x16", 4, "whole,block,whole", "block,whole,whole"),
        ("7x5", 2, "block", "block"),
        ("12x10", 3, "block,whole", "cyclic,whole"),
        ("5x7x11", 4, "block,block,whole", "whole,block,block"),
        ("3x5x7x9", 8, "block,cyclic,whole,whole", "block,whole,block,whole"),
    ],
)
def test_every_remedy_that_an_error_offers_works(
    size: str, ranks: int, input: str, output: str
) -> None:
    offered = refused(size, ranks, input, output).partition("; try ")[2]
    numbers = re.match(r"([\d, or]+) ranks?", offered)
    assert numbers
    for other in map(int, re.findall(r"\d+", numbers[1])):
        nw.fht(size, other, input=input, output=output)
    for sizes, axis in re.findall(r"([\d or]+) elements on axis (\d)", offered):
        for n in re.findall(r"\d+", sizes):
            axes = size.split("x")
            axes[int(axis)] = n
            nw.fht("x".join(axes), ranks, input=input, output=output)
    for name in re.findall(r"the layout (\S+)", offered):
        nw.fht(size, ranks, input=name, output=name)


def test_the_error_offers_another_axis() -> None:
    assert refused("25x20x16", 4, *["block,whole,whole"] * 2) == (
        "size 25x20x16, block,whole,whole to block,whole,whole: 4 ranks do not divide the 25"
        " elements of axis 0; try 1 or 5 ranks, or 24 or 28 elements on axis 0, or the layout"
        " whole,block,whole"
    )


def test_whole_axes_are_on_one_rank() -> None:
    with pytest.raises(
        ValueError, match="no axis is distributed, so that only 1 rank works; got 2"
    ):
        nw.fht("5x7", 2, input="whole", output="whole")
    assert nw.fht("5x7", 1, input="whole", output="whole").cost().exchanges == 0


@pytest.mark.parametrize("shape", [(4, 6), (9, 3), (8, 12), (5, 4, 8)])
def test_what_suffices_works(shape: tuple[int, ...]) -> None:
    names = [",".join(each) for each in product(("block", "whole"), repeat=len(shape))]
    for one, other, P in product(names, names, (2, 3, 4)):
        cuts = (distributed(name, len(shape)) for name in (one, other))
        if "block" in one and "block" in other and suffices(P, shape, *cuts):
            nw.fht(shape, P, input=one, output=other)


def test_layouts_that_distribute_different_numbers_of_axes_are_named() -> None:
    with pytest.raises(ValueError, match="input block distributes 2 axes and output block,whole"):
        nw.fht("64x48", 4, input="block", output="block,whole")


@pytest.mark.parametrize(
    ("size", "ranks", "stated"),
    [
        ("100x100x100", 3, {"input": "block,whole,whole"}),
        ("100x100x100", 6, {"input": "block,block,whole"}),
        ("7x6x5", 2, {"output": "whole,block,whole"}),
        ("64x64x64", 4, {"input": "cyclic,whole,whole"}),
        ("64x64", 4, {"output": "whole,whole"}),
        ("64x64", 4, {"input": "cyclic", "output": "block,whole"}),
    ],
)
def test_layouts_that_distribute_the_same_number_of_axes_are_offered(
    size: str, ranks: int, stated: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="the same number") as error:
        nw.fft(size, ranks, **stated)
    found = re.search(r": give (input|output) ([^;]+)", str(error.value))
    assert found
    for layout in found[2].split(" or "):
        program = nw.fft(size, ranks, **(stated | {found[1]: layout}))
        assert getattr(program.request, found[1]) == layout
