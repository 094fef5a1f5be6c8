"""Transforms by digits in tiles: supersteps mean what they did, and cost what they did."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from codegen.cost.counted import count, relations
from codegen.emit.text import emit
from codegen.kernels import fourier_kernels, fusion
from codegen.kernels.fourier_kernels import has_kernel
from codegen.kernels.fusion import fused
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.tiling import tiled
from codegen.program.digits.transform_tiles import Tiled, parts_of_rows
from codegen.program.meaning import check
from codegen.program.resolve import resolve
from derive.digits.radices import DigitPermutation
from derive.verdict import Checked, Refuted
from tests.support.tiles import BLOCK, CYCLIC, PENCILS, SLABS, request, small_tiles

CASES = (
    ("16x8x8", "2x1x1", CYCLIC, 2),  # two axes in one tile; columns, and the order of messages
    ("16x16x8", "2x1x1", SLABS, 2),
    ("16x16x8", "2x1x1", BLOCK, 2),
    ("16x16x8", "2x2x1", PENCILS, 3),  # messages are put in order as they are gathered
    ("16x16x32", "2x2x1", PENCILS, 3),  # and two digits choose the tile
    ("18x6x9", "3x1x1", CYCLIC, 2),
    ("8x8x8x4", "2x1x1x2", CYCLIC, 2),
)


@pytest.mark.sampled(15, rest="long")
@pytest.mark.parametrize("exchange", ["alltoall", "pairwise"])
@pytest.mark.parametrize(("shape", "grid", "ends", "tiles"), CASES)
def test_transforms_in_tiles_compute_the_equation_and_cost_what_they_did(
    shape, grid, ends, tiles, exchange, monkeypatch
):
    small_tiles(monkeypatch)
    program = resolve(request(shape, grid, ends, exchange=exchange))
    made = fused(program)
    assert sum(isinstance(step, Tiled) for step in made.steps) == tiles
    assert isinstance(check(made), Checked)
    assert (count(made), relations(made)) == (count(program), relations(program))


@pytest.mark.parametrize(("shape", "grid", "ends", "tiles"), CASES)
def test_the_transforms_of_tiles_are_those_of_all_elements(shape, grid, ends, tiles, monkeypatch):
    small_tiles(monkeypatch)
    for step in fused(resolve(request(shape, grid, ends))).steps:
        if isinstance(step, Tiled):
            M, found = step.before.size, step.of_tile
            assert all(each.copies * each.d * each.c == step.size for each in found)
            assert M % step.size == 0
            assert [each.d for each in found] == [each.d for each in step.transforms]


def test_a_tile_without_its_permutations_is_refuted(monkeypatch):
    small_tiles(monkeypatch)
    program = fused(resolve(request("16x16x8", "2x2x1", PENCILS)))
    wrong = 0
    for i, step in enumerate(program.steps):
        for name in ("before", "after"):
            if isinstance(step, Tiled) and getattr(step, name).order != (0,):
                left = replace(step, **{name: DigitPermutation((step.before.size,), (0,))})
                steps = (*program.steps[:i], left, *program.steps[i + 1 :])
                assert isinstance(check(replace(program, steps=steps)), Refuted)
                wrong += 1
    assert wrong >= 2


def test_what_fits_a_tile_and_what_has_twiddles_stay_whole(monkeypatch):
    asked = request("16x8x8", "2x1x1", CYCLIC)
    assert not any(isinstance(step, Tiled) for step in fused(resolve(asked)).steps)
    small_tiles(monkeypatch)
    last = fused(resolve(asked)).steps[-1]
    assert isinstance(last, Transform) and last.diagonal is not None


def test_digits_that_choose_a_tile_are_cut_where_messages_cut_them(monkeypatch):
    small_tiles(monkeypatch)
    steps = fused(resolve(request("16x16x32", "2x2x1", PENCILS))).steps
    assert [step.source.count for step in steps if isinstance(step, Tiled)] == [
        (16,),
        (8, 2),
        (8, 2),
    ]


def test_transforms_in_any_order_of_their_strides_are_those_of_all(monkeypatch):
    small_tiles(monkeypatch)
    program = resolve(request("16x8x8", "2x1x1", CYCLIC))
    high, low, *rest = program.steps[2], program.steps[0], program.steps[1], *program.steps[3:]
    made = tiled((high, low, *rest), program.M, has_kernel)
    assert sum(isinstance(step, Tiled) for step in made) == 2
    assert isinstance(check(replace(program, steps=made)), Checked)


@pytest.mark.parametrize(
    ("size", "ranks", "batch"), [("64", "2", 16), ("48", "2", 16), ("64", "4", 16)]
)
def test_batches_are_dealt_to_their_messages_in_tiles(size, ranks, batch, monkeypatch):
    small_tiles(monkeypatch)
    program = resolve(request(size, ranks, CYCLIC, batch))
    made = fused(program)
    tiles = [step for step in made.steps if isinstance(step, Tiled)]
    assert [step.transforms[0].parts for step in tiles] == [int(ranks), 1]
    assert tiles[1].transforms[0].diagonal  # the same for all of the batch
    assert isinstance(check(made), Checked)
    assert (count(made), relations(made)) == (count(program), relations(program))


@pytest.mark.parametrize(
    ("size", "ranks", "parts"), [("1000", "2", 2), ("576", "4", 4), ("3^6", "3", 1)]
)
def test_one_axis_is_dealt_by_its_kernel_if_parts_are_a_power_of_two(size, ranks, parts):
    made = fused(resolve(request(size, ranks, CYCLIC)))
    first, trade, *_ = made.steps
    assert first.parts == parts and (trade.pack.order[1:] == ()) == (parts > 1)
    assert isinstance(check(made), Checked)
    if parts > 1:
        left = (replace(first, parts=1), *made.steps[1:])
        assert isinstance(check(replace(made, steps=left)), Refuted)


@pytest.mark.parametrize(("size", "batch"), [("88", None), ("704", None), ("44", 4), ("52", None)])
def test_lengths_without_kernels_are_numpys_and_deal_nothing(size, batch):
    asked = request(size, "2", CYCLIC, batch)
    made = fused(resolve(asked))
    assert {step.parts for step in made.steps if isinstance(step, Transform)} == {1}
    assert isinstance(check(made), Checked)
    assert "np.fft.fft(" in emit(resolve(asked))


def test_twiddles_come_again_after_each_of_a_batch_and_differ_between_ranks():
    steps = resolve(request("64", "2", CYCLIC, 4)).steps
    step = next(each for each in steps if getattr(each, "diagonal", None))
    M = step.copies * step.d * step.c
    assert step.diagonal.period(M) == step.d * step.c == M // 4
    exponents = step.diagonal.exponents(np.arange(2 * M).reshape(2, 4, -1))
    assert (exponents == exponents[:, :1]).all() and (exponents[0] != exponents[1]).any()


@pytest.mark.parametrize("ends", [CYCLIC, SLABS, PENCILS])
def test_large_arrays_have_their_rows_put_where_they_go(ends, monkeypatch):
    small_tiles(monkeypatch)
    grid = "2x2x1" if ends is PENCILS else "2x1x1"
    asked = resolve(request("16x16x32", grid, ends))
    assert not any(getattr(step, "puts", False) for step in fused(asked).steps)
    monkeypatch.setattr(fusion, "STREAMED", 2**9)
    made = fused(asked)
    assert isinstance(check(made), Checked)
    tiles = [step for step in made.steps if getattr(step, "puts", False)]
    assert tiles
    for step in tiles:
        *_, last = step.of_tile
        radices, places = fourier_kernels.radices(last.d), step.after(np.arange(step.before.size))
        rows = places.reshape(step.radices).transpose(*step.loops, *_others(step))
        rows = rows.reshape(-1, last.d, last.c)[0, :, 0]
        assert (_stored(radices, last.put) == rows - rows[0]).all()


def _others(step):
    return [axis for axis in range(len(step.radices)) if axis not in step.loops]


def _stored(radices, put):
    """Return where a kernel stores its rows, as its text says."""
    row, found = np.arange(np.prod(radices)), 0
    for radix, parts in zip(radices, parts_of_rows(radices, put), strict=True):
        found += sum(
            eval(part.format("digit"), {"digit": row % radix}) * far for part, far in parts
        )
        row //= radix
    return found
