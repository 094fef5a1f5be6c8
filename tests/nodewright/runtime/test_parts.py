"""Parts of global arrays: their indices and slices, their dtypes, scatter and gather."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import nodewright as nw
from nodewright.runtime import loading, local_parts
from tests.support.ranks import drive

N = 64
RNG = np.random.default_rng(0)
X = RNG.standard_normal(N) + 1j * RNG.standard_normal(N)


@pytest.fixture(autouse=True)
def texts_are_kept_in_a_folder_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    loading.loaded.cache_clear()


LOSSLESS = {
    "float64": X.real,
    "float32": X.real.astype("float32"),
    "complex64": X.astype("complex64"),
    "int64": np.arange(N),
    "uint8": np.arange(N, dtype="uint8"),
    "bool": np.arange(N) % 3 == 0,
    "other byte order": X.astype(X.dtype.newbyteorder()),
    "int16 of other byte order": np.arange(N).astype(np.dtype("int16").newbyteorder()),
    "list": [*range(N)],
    "list of complex numbers": X.tolist(),
    "with gaps": np.repeat(X, 2)[::2],
    "backwards": X[::-1],
    "real with gaps": np.repeat(X.real, 3)[::3],
    "read-only": np.broadcast_to(np.float64(3), N),
    "unaligned": np.frombuffer(b"?" + X.tobytes(), complex, offset=1),
}


@pytest.mark.parametrize("kind", LOSSLESS)
def test_arrays_are_converted_as_numpy_does_and_left_unchanged(kind):
    given, out = LOSSLESS[kind], np.empty(N, complex)
    before = np.array(given)
    with nw.FFT(None, N) as fft:
        assert np.allclose(fft.forward(given), np.fft.fft(before))
        assert np.allclose(fft.backward(given, out), np.fft.ifft(before))
        assert (np.asarray(given) == before).all()
        assert (fft.gather(given) == before).all() and (fft.scatter(given) == before).all()


@pytest.mark.parametrize(
    ("dtype", "x", "got"),
    [
        ("complex64", X, 'complex128 (64,); astype("complex64") rounds it to this dtype'),
        ("complex64", X.real, 'float64 (64,); astype("complex64") rounds it to this dtype'),
        ("complex64", [1] * N, 'int64 (64,); astype("complex64") rounds it to this dtype'),
        (
            "complex128",
            X.astype(np.clongdouble),
            'complex256 (64,); astype("complex128") rounds it to this dtype',
        ),
        (
            "complex128",
            np.ma.masked_array(X.real, X.real > 0),
            "float64 (64,); filled(0) gives an array without a mask",
        ),
        ("complex128", X[1:].real, "float64 (63,)"),
        ("complex128", X[1:].real.tolist(), "float64 (63,)"),
        ("complex128", X.reshape(8, 8), "complex128 (8, 8)"),
        ("complex128", ["a"] * N, "<U1 (64,)"),
        ("complex128", [[1], [1, 2]], "lists of unequal lengths"),
        ("complex128", None, "object ()"),
    ],
)
def test_what_would_lose_something_is_refused_in_one_line(dtype, x, got):
    line = f"x must be an array of {dtype} with shape (64,); got {got}"
    with nw.FFT(None, N, dtype=dtype) as fft:
        for call in (fft.forward, fft.backward, fft.scatter):
            with pytest.raises(ValueError, match=f"^{re.escape(line)}$"):
                call(x)
        with pytest.raises(ValueError, match=f"^{re.escape('y' + line[1:])}$"):
            fft.gather(x)


def test_a_real_transform_says_that_complex_input_has_a_real_part():
    with nw.FHT(None, N) as fht, pytest.raises(ValueError, match=r"; its \.real has this dtype$"):
        fht.forward(X)


def test_out_is_not_converted():
    with nw.FFT(None, N) as fft:
        for x in (X, X.real, X.real.tolist()):
            for out in (np.empty(N), np.empty(N, "complex64"), np.empty(2 * N, complex)[::2], [0]):
                with pytest.raises(ValueError, match=r"^out must be"):
                    fft.forward(x, out)


def test_a_permutation_converts_elements_and_perform_does_not():
    A = nw.permutation("bit-reversal", 4)
    with nw.Permutation(None, A) as moved:
        wanted = moved.perform(np.arange(16.0))
        for given in (range(16), np.arange(16, dtype="i2"), np.repeat(np.arange(16.0), 2)[::2]):
            assert (moved.forward(given) == wanted).all()
            with pytest.raises(ValueError, match=r"a contiguous array|bytes apart"):
                moved.perform(given)
        with pytest.raises(ValueError, match=r'astype\("float64"\) rounds|its \.real'):
            moved.forward(np.arange(16) * 1j)
    with nw.Permutation(None, A, dtype="S8") as moved:
        assert moved.dtype == "S8" and moved.shape == (16,)
        assert moved.gather(moved.scatter([b"ab"] * 16)).tolist() == [b"ab"] * 16
        with pytest.raises(ValueError, match="got int16"):  # a number is no text
            moved.scatter(np.arange(16, dtype="i2"))


ON_ONE_RANK = (
    (nw.FFT, 11, {}),
    (nw.FFT, (3, 5), {"axes": (0,)}),
    (nw.RFFT, 10, {}),
    (nw.RFFT, 10, {"result": "spectrum"}),
    (nw.RFFT, 9, {"result": "spectrum"}),
    (nw.RFFT, (4, 5), {}),
    (nw.FHT, 12, {}),
    (nw.DCT, 15, {}),
    (nw.DST, (4, 5), {}),
    (nw.WHT, 16, {}),
)


@pytest.mark.parametrize(("transform", "size", "more"), ON_ONE_RANK)
def test_one_rank_needs_no_mpi(transform: type, size: object, more: dict[str, object]) -> None:
    with transform(None, size, **more) as plan:
        x = np.random.default_rng(0).random(plan.local_shape).astype(plan.dtype)
        y = plan.forward(x)
        assert np.allclose(plan.backward(y), x)
        if more.get("result"):
            assert np.allclose(y, np.fft.rfft(x))


def test_shape_grid_dtype_are_those_of_global_arrays():
    with nw.FFT(None, (4, 6), batch=3, dtype="complex64") as fft:
        assert (fft.shape, fft.grid, fft.dtype) == ((3, 4, 6), (1, 1, 1), np.dtype("complex64"))
        assert fft.input_slices == (slice(0, 3), slice(0, 4), slice(0, 6))
    with nw.RFFT(None, 10) as rfft:
        assert (rfft.shape, rfft.grid, rfft.dtype) == ((10,), (1,), np.dtype("float64"))


def test_a_slice_has_the_indices_in_their_order_or_there_is_none():
    x = np.arange(20)
    for found in ([3], [3, 4, 5], [1, 8, 15], [19, 18], [9, 6, 3, 0], [4, 2]):
        assert x[local_parts._slice(np.array(found), 20)].tolist() == found
    for found in ([0, 1, 4], [0, 3, 2, 1, 4], [1, 0, 3, 2], [0, 2, 1, 3]):
        assert local_parts._slice(np.array(found), 20) is None


@pytest.mark.parametrize(
    ("offset", "rule"),
    [
        ((24,), "offset must be an integer from 0 to 23; got 24"),
        ((-1,), "offset must be an integer from 0 to 23; got -1"),
        ((1.5,), "offset"),
        ((0, 6), "offset along axis 1 must be an integer from 0 to 5; got 6"),
        ((0, 0, 0), "3 offsets for a part with shape (4, 6): give a flat offset or one for each"),
    ],
)
def test_an_offset_that_is_none_is_refused(offset: tuple[Any, ...], rule: str) -> None:
    with nw.FFT(None, (4, 6)) as fft:
        for index in (fft.input_index, fft.output_index):
            with pytest.raises(ValueError, match=re.escape(rule)):
                index(*offset)


def test_a_freed_transform_neither_scatters_nor_gathers():
    fft = nw.FFT(None, N)
    fft.free()
    for call in (fft.scatter, fft.gather):
        with pytest.raises(ValueError, match=r"^this FFT is freed; create"):
            call(X)


CALLS = """
import numpy as np
import nodewright as nw
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, P = world.rank, world.size
NONE, rng = {"bit-reversed", "cyclic-pairs", "hartley", "f:1"}, np.random.default_rng(0)
A = nw.permutation("gray-code", 6)
for make, axes in (
    (lambda: nw.FFT(world, 64, "block", "cyclic"), 1),
    (lambda: nw.FFT(world, 64, "cyclic", "block", exchange="shared"), 1),
    (lambda: nw.FFT(world, 64, "bit-reversed", "group-cyclic:2", dtype="complex64"), 1),
    (lambda: nw.FFT(world, 48, "cyclic", "group-cyclic:2"), 1),
    (lambda: nw.FFT(world, (16, 8), "cyclic", "block", grid=(1, P)), 2),
    (lambda: nw.FFT(world, (8, 12, 4), "block,whole,whole", "whole,block,whole"), 3),
    (lambda: nw.FFT(world, (16, 6), ("group-cyclic:2", "whole"), ("cyclic", "whole"), batch=3), 3),
    (lambda: nw.FHT(world, 64), 1),
    (lambda: nw.FHT(world, (16, 16), "cyclic", "cyclic", batch=2), 3),
    (lambda: nw.RFFT(world, 96, "cyclic-pairs", "block"), 1),
    (lambda: nw.Permutation(world, A, 5, "i4,f8", "cyclic", "f:1"), 1),
):
    with make() as fft:
        octets = rng.integers(0, 100, (*fft.shape, fft.dtype.itemsize), np.uint8)
        if fft.dtype.names:
            x = octets.view(fft.dtype)[..., 0]
        else:
            x = octets[..., 0].astype(fft.dtype)
        mine = fft.scatter(x if rank == 0 else None)
        assert mine.shape == fft.local_shape and mine.dtype == fft.dtype and mine.flags.carray
        assert np.array_equal(mine, x[fft.input_index()])
        assert len(fft.shape) == len(fft.grid) == axes
        assert all(n == p * m for n, p, m in zip(fft.shape, fft.grid, fft.local_shape))
        for slices, index, name, place in (
            (fft.input_slices, fft.input_index, fft.request.input, fft.input_place),
            (fft.output_slices, fft.output_index, fft.request.output, fft.output_place),
        ):
            assert (slices is None) == (name in NONE and (name, rank) != ("hartley", 0)), name
            if slices is not None:
                assert len(slices) == axes and np.array_equal(x[slices], x[index()]), name
            flat = index(np.arange(mine.size))
            assert np.array_equal(x.reshape(-1)[flat], x[index()].reshape(-1)), name
            assert [tuple(map(int, place(j))) for j in flat.tolist()] == [
                (rank, o) for o in range(mine.size)
            ], name
            if axes > 1:
                last = [n - 1 for n in x[index()].shape]
                assert np.ravel_multi_index(index(*last), x.shape) == flat[-1]
        y = x[fft.output_index()]
        found = fft.gather(y)
        assert (found is None) == (rank > 0)
        assert rank or (np.array_equal(found, x) and found.dtype == fft.dtype)
        if isinstance(fft, nw.FFT):
            y = fft.gather(fft.forward(fft.scatter(x)))
            axes = range(fft.request.batch > 0, x.ndim)
            assert rank or np.allclose(y, np.fft.fftn(x, axes=axes), rtol=1e-4, atol=1e-2)

# what does not fit raises on every rank alike, and the transform goes on
with nw.FFT(world, 64, "cyclic", "cyclic") as fft:
    for call, rule in (
        (lambda: fft.scatter(np.ones(63) if rank == 0 else np.ones(64)), "got float64 (63,)"),
        (lambda: fft.scatter(None), "got object ()"),
        (lambda: fft.scatter(np.ones(64, np.clongdouble)), "rounds it"),
        (lambda: fft.gather(np.ones(64 // P + (rank == P - 1))), f"got float64 ({64 // P + 1},)"),
    ):
        try:
            call()
        except ValueError as error:
            assert rule in str(error) and "\\n" not in str(error), error
        else:
            raise AssertionError(rule)
    # ranks convert what they have, each by itself
    x = np.arange(64.0)
    mine = x[fft.input_slices]
    y = fft.forward([*mine] if rank else mine.astype("i4"))
    assert np.allclose(y, np.fft.fft(x)[fft.output_slices])
print("fine", flush=True)
"""


@pytest.mark.long
@pytest.mark.parametrize("P", [2, pytest.param(4, marks=pytest.mark.long)])
def test_parts_are_scattered_and_gathered_on_real_ranks(tmp_path, P):
    done = drive(tmp_path, CALLS, P)
    assert (done.returncode, done.stdout.count("fine")) == (0, P), done.stderr


def test_messages_are_pieces_that_mpi_can_count(monkeypatch):
    monkeypatch.setattr(local_parts, "MESSAGE", 24)
    pieces = local_parts._messages(np.arange(10.0))
    assert [len(piece) for piece in pieces] == [24, 24, 24, 8]
    assert np.array_equal(np.concatenate(pieces).view(float), np.arange(10.0))
