"""Transforms as calls of an mpi4py program: on one rank without MPI, and on real ranks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nodewright as nw
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.gf2.bmmc import gray_code
from nodewright.runtime import launch, loading
from tests.support.documents import blocks
from tests.support.paths import ROOT

N = 64
RNG = np.random.default_rng(0)
X = RNG.standard_normal(N) + 1j * RNG.standard_normal(N)
ROUNDING = {"complex128": 1e-14, "complex64": 1e-5}


@pytest.fixture(autouse=True)
def texts_are_kept_in_a_folder_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    loading.loaded.cache_clear()


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("norm", "dtype", "kernels"),
    [
        ("backward", "complex128", "numpy"),
        ("ortho", "complex64", "numpy"),
        ("forward", "complex128", "pyfftw"),
        ("ortho", "complex128", "numba"),
    ],
)
def test_forward_is_numpys_transform_and_backward_undoes_it(norm, dtype, kernels):
    x = X.astype(dtype)
    with nw.FFT(None, N, norm=norm, dtype=dtype, kernels=kernels) as fft:
        y, out = fft.forward(x), np.empty_like(x)
        assert fft.backward(y, out=out) is out
    wanted = np.fft.fft(X, norm=norm)
    assert np.linalg.norm(y - wanted) <= ROUNDING[dtype] * np.linalg.norm(wanted)
    assert np.linalg.norm(out - x) <= ROUNDING[dtype] * np.linalg.norm(x)
    assert y.dtype == x.dtype


@pytest.mark.parametrize("output", ["", "block", "bit-reversed"])
def test_the_hartley_transform_goes_there_and_back(output):
    x, spectrum = X.real.copy(), np.fft.fft(X.real)
    with nw.FHT(None, N, output=output) as fht:
        y = fht.forward(x)
        places = fht.output_place(np.arange(N))[1]
        assert np.allclose(fht.backward(y), x)
    assert np.allclose(y[places], spectrum.real - spectrum.imag)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_real_input_goes_to_its_half_spectrum_and_back(norm):
    x = RNG.standard_normal(90)
    with nw.RFFT(None, 90, norm=norm) as rfft:
        y = rfft.forward(x)
        assert np.allclose(rfft.backward(y), x)
    half = np.fft.rfft(x, norm=norm)
    assert np.allclose(y.view(complex)[1:], half[1:-1]) and np.allclose(y[:2], half[[0, -1]].real)


def test_layouts_of_axes_are_a_tuple_or_a_text():
    named, listed = "block,whole", ("block", "whole")
    x = RNG.standard_normal((4, 6)) + 0j
    with (
        nw.FFT(None, (4, 6), named, named) as one,
        nw.FFT(None, (4, 6), listed, [*listed]) as other,
    ):
        assert one.request == other.request
        assert np.allclose(other.backward(other.forward(x)), x)
    with nw.FHT(None, 6, ("block",), batch=2) as one, nw.RFFT(None, 6, ["block"]) as other:
        assert (one.request.input, other.request.input) == ("block", "block")


def test_a_permutation_and_its_inverse_move_records():
    x = RNG.integers(0, 256, (N, 5), np.uint8).view("S5").reshape(N)
    A = gray_code(6)
    with nw.Permutation(None, A, 9, x.dtype, input="bit-reversed") as moved:
        places = [place(np.arange(N))[1] for place in (moved.input_place, moved.output_place)]
        y = moved.forward(x)
        assert y[places[1][A(np.arange(N)) ^ 9]].tobytes() == x[places[0]].tobytes()
        assert moved.backward(y).tobytes() == x.tobytes()


def test_what_runs_is_the_text_that_generate_writes():
    with nw.FFT(None, N, "cyclic", kernels="numba") as fft:
        assert fft.program.text == emit(
            resolve(make_request("fft", N, 1, "cyclic", kernels="numba"))
        )
        assert Path(fft.forth.module.__file__).read_text(encoding="utf-8") == fft.program.text
        assert fft.local_shape == (N,)


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(
    "made",
    [
        lambda: nw.FFT(None, N, kernels="numba"),
        lambda: nw.FHT(None, N, kernels="numba"),
        lambda: nw.Permutation(None, nw.permutation("shuffle", 4), kernels="gray"),
        lambda: nw.LocalPlan([[1]], 0, "f8"),
        lambda: nw.permute_local([[1, 1], [0, 1]], 0, np.arange(4)),
    ],
)
def test_kernels_of_numba_say_that_the_environment_forbids_them(monkeypatch, made):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(
        ValueError, match=r"needs numba's compiler, but NUMBA_DISABLE_JIT is set; unset it$"
    ):
        made()
    with nw.FFT(None, N) as fft:
        assert np.allclose(fft.forward(X), np.fft.fft(X))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    made()


def test_a_text_that_another_has_changed_is_not_run():
    text = emit(resolve(make_request("fft", N, 1)))
    path = Path(loading.loaded(text, "fft").__file__)
    path.write_text(text.replace("out=work", "out=out"), encoding="utf-8")
    loading.loaded.cache_clear()
    module = loading.loaded(text, "fft")
    assert path.read_text(encoding="utf-8") == text
    assert np.allclose(module.transform(X, module.plan(nw.FFT(None, N).comm)), np.fft.fft(X))


def test_a_program_runs_where_nothing_can_be_kept(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with nw.FFT(None, N, kernels="numba") as fft:
        assert np.allclose(fft.forward(X), np.fft.fft(X))


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (lambda: nw.FFT(None, 0), "must be at least 1; got 0"),
        (lambda: nw.FFT(None, N, "diagonal"), "diagonal"),
        (lambda: nw.FFT(None, N, "bmmc:/nowhere"), "No such file"),
        (lambda: nw.FFT(None, (4, 6), ("block", 2)), "input must be a string; got 2"),
        (lambda: nw.FFT(None, N, dtype="float64"), "float64"),
        (
            lambda: nw.FFT("world", N),
            "comm must be a communicator of mpi4py, or None for one rank; got str",
        ),
        (lambda: nw.FFT(None, 2**60), "do not fit the memory"),
        (lambda: nw.FHT(None, N, algorithm="radix-3"), "radix-3"),
        (lambda: nw.Permutation(None, [[1, 1], [1, 1]]), "rows 0, 1 add up to zero"),
        (lambda: nw.FFT(None, N).forward(X[1:]), "x must be an array of complex128 with shape"),
        (lambda: nw.FFT(None, N).forward(X, X), "share memory"),
    ],
)
def test_wrong_arguments_are_refused_with_values_and_rule(wrong, rule):
    with pytest.raises(ValueError, match=rule):
        wrong()


def test_a_transform_is_freed_once_for_all():
    with nw.FFT(None, N) as fft:
        fft.backward(X)
    fft.free()
    for way in (fft.forward, fft.backward):
        with pytest.raises(ValueError, match="freed"):
            way(X)


def test_one_rank_needs_no_mpi():
    code = (
        "import sys; sys.modules['mpi4py'] = None\nimport nodewright as nw, numpy as np\n"
        "assert np.allclose(nw.FFT(None, 8).forward(np.ones(8, complex)), [8] + [0] * 7)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


PROGRAM = """
import numpy as np
from mpi4py import MPI
import nodewright as nw

world, N = MPI.COMM_WORLD, 256
rng = np.random.default_rng(0)
x = rng.standard_normal(N) + 1j * rng.standard_normal(N)
X = np.fft.fft(x)
for comm in (world, world.Split(world.rank % 2, -world.rank)):
    mine, every = slice(comm.rank * N // comm.size, (comm.rank + 1) * N // comm.size), np.arange(N)
    for exchange in ("alltoall", "shared", "overlapped"):
        first, second = (nw.FFT(comm, N, exchange=exchange) for _ in range(2))
        cyclic = nw.FFT(comm, N, "cyclic", "cyclic", dtype="complex64")
        y = first.forward(x[mine])
        assert np.allclose(y, X[mine])
        assert np.allclose(second.backward(y), x[mine]) and np.allclose(first.backward(y), x[mine])
        rank, offset = cyclic.input_place(every)
        part = np.empty(N // comm.size, "complex64")
        part[offset[rank == comm.rank]] = x[every[rank == comm.rank]]
        assert np.allclose(cyclic.backward(cyclic.forward(part)), part, atol=1e-5)
        assert np.allclose(first.forward(x[mine]), X[mine])
        for each in (second, cyclic, first):
            each.free()
    with nw.FHT(comm, N) as fht:
        assert np.allclose(fht.backward(fht.forward(x.real[mine].copy())), x.real[mine])
    with nw.RFFT(comm, 6 * comm.size**2, "cyclic-pairs") as rfft:
        real = np.arange(6.0 * comm.size)
        assert np.allclose(rfft.backward(rfft.forward(real)), real)
    with nw.Permutation(comm, np.eye(8, dtype=int)[::-1], 3, complex) as moved:
        assert (moved.backward(moved.forward(x[mine])) == x[mine]).all()
for wrong, rule in (
    (lambda: nw.FHT(world, 101), "101"),
    (lambda: nw.FFT(world, N if world.rank else 2 * N), "all ranks must request the same"),
    (lambda: nw.FFT(world, N, "block" if world.rank != 1 else "cyclic"), "ranks must request"),
    (lambda: nw.FFT(world, N, "bmmc:/nowhere"), "No such file"),
    (lambda: nw.FFT(world, N, dtype="float64"), "float64"),
    (lambda: nw.FFT(world, float(N) if world.rank else N), "N must be an integer; got 256.0"),
    (lambda: nw.FFT(world, (N, 8.0)), "axis 1 of N must be an integer; got 8.0"),
    (lambda: nw.FFT(world, (16, 16), grid=(world.size,)), "as many axes as size"),
    (lambda: nw.FFT(world, (16, 16), grid=0), "grid"),
    (lambda: nw.FFT(world, N, **({"colour": 1} if world.rank == 1 else {})), "option colour"),
    (lambda: nw.FHT(world, N, 3 if world.rank else "block"), "input must be a string; got 3"),
    (lambda: nw.Permutation(world, [1, 2], c="a" if world.rank else 0), "c must be an integer"),
):
    try:
        wrong()
    except ValueError as error:
        assert rule in str(error), error
    else:
        raise AssertionError(rule)
print("fine", end="")
"""


@pytest.mark.long
@pytest.mark.parametrize("P", [pytest.param(2, marks=pytest.mark.slow), 4])
def test_transforms_run_on_real_ranks_and_on_parts_of_them(tmp_path, P):
    (tmp_path / "p.py").write_text(PROGRAM, encoding="utf-8")
    done = launch.run(tmp_path / "p.py", [], P, capture=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "fine" * P), done.stderr


NO_TEXT = """
from mpi4py import MPI
import nodewright as nw
from nodewright.runtime import planned

def of_no_spec(asked):
    raise StopIteration("no text")

planned._text = of_no_spec
try:
    nw.FFT(MPI.COMM_WORLD, 64)
except StopIteration as error:
    print(error, end="")
"""


@pytest.mark.long
def test_all_ranks_raise_what_the_one_that_writes_the_text_meets(tmp_path):
    (tmp_path / "p.py").write_text(NO_TEXT, encoding="utf-8")
    done = launch.run(tmp_path / "p.py", [], 2, capture=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "no text" * 2), done.stderr


def test_the_example_of_the_readme_runs_on_two_ranks(tmp_path):
    [example] = blocks(ROOT / "README.md", "python")
    (tmp_path / "example.py").write_text(example, encoding="utf-8")
    done = launch.run(tmp_path / "example.py", [], 2, capture=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.sampled(4)
@pytest.mark.long
@pytest.mark.parametrize("name", ["poisson", "split-step", "mpi-fft", "exact-convolution"])
def test_the_program_of_a_how_to_prints_what_its_page_shows(tmp_path, name):
    page = ROOT / "docs" / "how-to" / f"{name}.md"
    program, [shown] = blocks(page, "python")[0], blocks(page, "text")
    [(P, file)] = re.findall(r"^mpiexec -n (\d+) python (\w+\.py)$", page.read_text("utf-8"), re.M)
    (tmp_path / file).write_text(program, encoding="utf-8")
    done = launch.run(tmp_path / file, [], int(P), capture=True, timeout=120)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", shown)


@pytest.mark.long
def test_the_example_of_unequal_parts_is_numpys():
    example = ROOT / "docs" / "examples" / "navier_stokes.py"
    for P in (3, 7):
        done = launch.run(example, [], P, capture=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("as numpy: True\n")


@pytest.mark.long
def test_the_example_of_a_spectrum_runs():
    done = launch.run(ROOT / "docs" / "examples" / "spectrum.py", [], 4, capture=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("loudest at 440 Hz")
