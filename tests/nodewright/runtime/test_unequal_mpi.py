"""Transforms in unequal parts on real ranks: random ones, and what their attributes say."""

from __future__ import annotations

import json

import pytest

from nodewright.runtime import launch
from tests.support.paths import ROOT
from tests.support.ranks import drive

pytestmark = pytest.mark.long

PARTS = """
import numpy as np
from mpi4py import MPI

import nodewright as nw

comm, shape = MPI.COMM_WORLD, (5, 4, 3)
x = np.random.default_rng(0).standard_normal(shape)
for output in ("block,whole,whole", "whole,balanced,whole"):
    with nw.RFFT(comm, shape, input="block,whole,whole", output=output) as rfft:
        part = rfft.scatter(x if comm.rank == 0 else None)
        assert (part == x[rfft.input_slices]).all() and part.shape == rfft.local_shape
        y = rfft.forward(part)
        assert (y.shape, y.dtype) == (rfft.output_shape, rfft.output_dtype)
        assert np.allclose(y, np.fft.rfftn(x)[rfft.output_slices])
        whole = rfft.gather(y)
        assert comm.rank or np.allclose(whole, np.fft.rfftn(x))
        assert np.allclose(rfft.backward(y, out=np.empty_like(part)), part)
        mesh = rfft.output_index()
        assert np.broadcast_shapes(*(along.shape for along in mesh)) == y.shape
        for o, k in enumerate(zip(*(index.ravel() for index in np.broadcast_arrays(*mesh)))):
            assert tuple(map(int, rfft.output_place(*k))) == (comm.rank, o)
        try:
            rfft.forward(part + 1j)
        except ValueError as error:
            assert "its .real has this dtype" in str(error)
"""


def test_random_transforms_are_numpys_forward_and_backward() -> None:
    done = launch.run(ROOT / "bench" / "unequal.py", ["12", "5"], 3, capture=True, timeout=200)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["wrong"] == []


def test_parts_that_some_ranks_do_not_have_are_scattered_and_gathered(tmp_path) -> None:
    for P in (2, 7):
        done = drive(tmp_path, PARTS, P)
        assert (done.returncode, done.stderr) == (0, "")
