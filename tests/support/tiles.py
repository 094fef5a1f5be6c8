"""Programs by digits whose compiled kernels work in small tiles."""

from __future__ import annotations

import pytest

from codegen.program.digits import tiling
from codegen.requests import make_request
from codegen.shapes import stated
from codegen.systems.record import Request

SLABS = ("block,whole,whole", "whole,block,whole")
PENCILS = ("block,block,whole", "whole,block,block")
CYCLIC, BLOCK = ("cyclic",) * 2, ("block",) * 2


def request(
    shape: str, grid: str, ends: tuple[str, str], batch: int | None = None, **more: str
) -> Request:
    """Return the request for a transform, or for a batch, by compiled kernels."""
    sizes = stated(shape, grid, batch)
    return make_request("fft", **sizes, input=ends[0], output=ends[1], kernels="numba", **more)


def small_tiles(monkeypatch: pytest.MonkeyPatch, size: int = 128) -> None:
    """Have tiles of at most so many elements, and runs of at least 8."""
    for name, value in (("TILE", size), ("LARGEST", size), ("RUN", 8)):
        monkeypatch.setattr(tiling, name, value)
