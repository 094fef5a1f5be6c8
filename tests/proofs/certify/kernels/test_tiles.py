"""Programs by digits whose kernels work in tiles: certified, and wrong ones are refuted by name."""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from derive.verdict import holds
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.kernels.digits import CYCLIC, PENCILS, SLABS, request, small_tiles

CASES = (
    ("8x4x4", "2x1x1", CYCLIC, 32),
    ("16x8x8", "2x1x1", CYCLIC, 128),
    ("16x16x8", "2x1x1", SLABS, 128),
    ("16x16x8", "2x2x1", PENCILS, 128),
    ("16x16x32", "2x2x1", PENCILS, 128),
)


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(("shape", "grid", "ends", "tile"), CASES)
def test_transforms_in_tiles_are_certified(shape, grid, ends, tile, monkeypatch):
    small_tiles(monkeypatch, tile)
    text = emit(request(shape, grid, ends))
    assert "in tiles that fit a cache" in text and "np.copyto(plan.tile" in text
    assert all(map(holds, verdicts(text).values()))


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "ranks", "batch", "tile"),
    [("16", "2", 8, 32), ("64", "2", 16, 128), ("48", "4", 32, 128)],
)
def test_batches_in_tiles_are_certified(size, ranks, batch, tile, monkeypatch):
    small_tiles(monkeypatch, tile)
    text = emit(request(size, ranks, CYCLIC, batch))
    assert text.count("in tiles that fit a cache") == 2
    assert all(map(holds, verdicts(text).values()))
    assert refuted(changed(text, ("load(twiddle, j, ..., ...)", "load(twiddle, j + W, ..., ...)")))


WRONG = {
    "a tile is left out": ("np.ndindex(4)", "np.ndindex(3)"),
    "a tile is gathered that is not the one that is put back": (
        "np.copyto(plan.tile.reshape(8, 16), given[i])",
        "np.copyto(plan.tile.reshape(8, 16), given[i[0] ^ 1])",
    ),
    "a tile is put elsewhere": ("made[i]", "made[i[0] ^ 1]"),
    "a tile is put back as it was gathered": (
        "local_2(memory_of(plan.tile), memory_of(plan.tile), 1)",
        "pass",
    ),
    "rows go to the wrong message": (
        "work.reshape(2, 4, 4, 16).transpose(2, 1, 0, 3)",
        "work.reshape(4, 2, 4, 16).transpose(2, 0, 1, 3)",
    ),
    "one axis is transformed twice": (
        "np.copyto(plan.tile, given[i])",
        "np.copyto(plan.tile, made[i])",
    ),
    "twiddles of another row": ("(at + j) // 64", "(at + j) // 64 + 1"),
    "twiddles of a longer run": ("(at + j) // 64", "(at + j) // 128"),
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(8, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_tile_is_refuted(name, monkeypatch):
    small_tiles(monkeypatch)
    assert refuted(changed(emit(request("16x8x8", "2x1x1", CYCLIC)), WRONG[name]))
