"""Transforms of any size, of several axes and of batches on real ranks: calls, files, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nodewright as nw
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from tests.support.ranks import drive, run

CALLS = """
import numpy as np
import nodewright as nw
from mpi4py import MPI

world = MPI.COMM_WORLD
slabs = {"input": "block,whole,whole", "output": "whole,whole,block"}
for N, more in (
    (1000, {}),
    ((12, 10, 8), {"input": "cyclic", "output": "block"}),
    ((12, 10, 8), {**slabs, "batch": 3}),
    ("16x8", {"input": "cyclic", "output": "cyclic", "dtype": "complex64", "grid": "1x2"}),
    (64, {"batch": 5, "norm": "ortho"}),
):
    with nw.FFT(world, N, **more) as fft:
        whole = np.arange(2.0 * np.prod(fft.request.whole)).reshape(*fft.request.whole, 2)
        whole = (whole @ [1, 1j]).astype(fft.request.dtype)
        places, k = fft.input_place(np.arange(whole.size)), np.arange(whole.size)
        x = np.empty(fft.local_shape, fft.request.dtype)
        mine = places[0] == world.rank
        x.reshape(-1)[places[1][mine]] = whole.reshape(-1)[mine]
        y = fft.forward(x)
        axes = range(fft.request.batch > 0, whole.ndim)
        wanted = np.fft.fftn(whole, axes=axes, norm=fft.request.norm).reshape(-1)
        ranks, offsets = fft.output_place(k)
        assert y.shape == fft.output_shape
        found = y.reshape(-1)[offsets[ranks == world.rank]]
        assert np.allclose(found, wanted[ranks == world.rank], atol=1e-6 * abs(wanted).max())
        assert np.allclose(fft.backward(y), x, atol=1e-6 * abs(whole).max())
for B, more in (4, {}), (3, {"kernels": "numba", "norm": "ortho"}), (1, {}), (None, {}):
    with nw.FHT(world, 12, batch=B, output="cyclic", **more) as fht:
        every = np.arange(fht.request.N)
        place = lambda of: (of[0] == world.rank, of[1][of[0] == world.rank])
        whole, x = np.sin(every**2.0).reshape(fht.request.whole), np.empty(fht.local_shape)
        mine, at = place(fht.input_place(every))
        x.reshape(-1)[at] = whole.reshape(-1)[mine]
        y, X = fht.forward(x), np.fft.fft(whole, norm=fht.request.norm)
        mine, at = place(fht.output_place(every))
        assert np.allclose(y.reshape(-1)[at], (X.real - X.imag).reshape(-1)[mine])
        assert np.allclose(fht.backward(y), x)
CYCLIC = {"input": ("cyclic", "whole"), "output": ("cyclic", "whole"), "grid": (2, 1)}
for N, more in ((6, 4), {}), ((4, 9), {"batch": 2, **CYCLIC}):
    with nw.FHT(world, N, **more) as fht:
        every, whole = np.arange(fht.request.N), np.sin(np.arange(fht.request.N) ** 2.0)
        (ranks, offsets), x = fht.input_place(every), np.empty(fht.local_shape)
        x.reshape(-1)[offsets[ranks == world.rank]] = whole[ranks == world.rank]
        y, wanted = fht.forward(x), whole.reshape(fht.request.whole)
        for axis in (-2, -1):
            X = np.fft.fft(wanted, axis=axis)
            wanted = X.real - X.imag
        (ranks, offsets), wanted = fht.output_place(every), wanted.reshape(-1)
        found = y.reshape(-1)[offsets[ranks == world.rank]]
        assert np.allclose(found, wanted[ranks == world.rank])
        assert np.allclose(fht.backward(y), x)
try:
    nw.FHT(world, 1001)
except ValueError as error:
    assert "must divide 1001 elements" in str(error)
else:
    raise AssertionError("must divide 1001 elements")
"""


@pytest.mark.long
def test_calls_transform_arrays_there_and_back(tmp_path: Path) -> None:
    done = drive(tmp_path, CALLS, 2)
    assert done.returncode == 0, done.stderr


def program(folder: Path, *size: Any, **more: Any) -> Path:
    path = folder / "program.py"
    path.write_text(emit(resolve(make_request("fft", **stated(*size), **more))), encoding="utf-8")
    return path


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_is_an_array_in_any_order(tmp_path: Path, order: Any) -> None:
    path = program(tmp_path, "6x10x4", 2, 3, input="cyclic")
    x = np.random.default_rng(5).standard_normal(2 * 720).view(complex).reshape(3, 6, 10, 4)
    np.save(tmp_path / "in.npy", np.array(x, order=order))
    assert run(path, tmp_path / "in.npy", tmp_path / "out.npy").returncode == 0
    assert np.allclose(np.load(tmp_path / "out.npy"), np.fft.fftn(x, axes=(1, 2, 3)))


def test_a_file_of_another_shape_is_refused_in_one_line(tmp_path: Path) -> None:
    path = program(tmp_path, "6x10", 2)
    np.save(tmp_path / "in.npy", np.zeros((10, 6), complex))
    done = run(path, tmp_path / "in.npy", tmp_path / "out.npy")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    wanted = "with shape (6, 10): this is complex128 with shape (10, 6)"
    assert wanted in done.stderr
    assert not (tmp_path / "out.npy").exists()


def test_a_program_of_arrays_runs_from_python() -> None:
    x = np.random.default_rng(5).standard_normal((6, 10))
    made = nw.fft((6, 10), 2)
    assert np.allclose(made.run(x), np.fft.fftn(x))
    with pytest.raises(ValueError, match=r"the program takes shape \(6, 10\)"):
        made.run(x.T)
