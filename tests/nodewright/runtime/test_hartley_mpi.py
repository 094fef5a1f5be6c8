"""Emitted Hartley programs on real MPI ranks: from file to file against the definition, timed, as a
library, and when something is wrong.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from nodewright.runtime import launch
from tests.support.paths import ROOT
from tests.support.ranks import PATIENCE, run

pytestmark = pytest.mark.sampled(12)

DOCUMENT = ROOT / "docs" / "hartley.md"


def write_program(folder, N, P, before="block", after="", *, name="program.py", **options):
    """Write a program and return its path."""
    path = folder / name
    path.write_text(
        emit(resolve(make_request("fht", N, P, before, after, **options))), encoding="utf-8"
    )
    return path


def definition(x):
    """Return the Hartley transform by its definition."""
    N = len(x)
    a = 2 * np.pi / N * (np.outer(np.arange(N), np.arange(N)) % N)
    return (np.cos(a) + np.sin(a)) @ x.astype(float)


CASES = {
    "two numbers, one rank": (2, 1, {}),
    "one rank": (256, 1, {"after": "bit-reversed"}),
    "two ranks": (256, 2, {}),
    "two ranks, cyclic": (256, 2, {"before": "cyclic", "after": "cyclic"}),
    "four ranks": (1024, 4, {}),
    "four ranks, redistributed": (
        1024,
        4,
        {"before": "bit-reversed", "after": "block", "exchange": "nonblocking"},
    ),
    "four ranks, single precision": (1024, 4, {"dtype": "float32", "exchange": "pairwise"}),
    "as many ranks as it takes": (16, 8, {"after": "block"}),
    "more than one piece": (2**16, 2, {"before": "hartley-input"}),
    "backward": (512, 4, {"direction": "backward", "after": "cyclic"}),
    "back from pairs": (512, 4, {"direction": "backward", "before": "hartley", "after": "block"}),
    "orthonormal": (512, 4, {"norm": "ortho", "before": "hartley"}),
    "one exchange": (512, 4, {"algorithm": "group-cyclic", "before": "cyclic"}),
    "one exchange, redistributed": (
        512,
        2,
        {"algorithm": "group-cyclic", "after": "block", "exchange": "replace"},
    ),
}
SCALES = {
    "backward": lambda N: 1 / N,
    "orthonormal": lambda N: N**-0.5,
    "back from pairs": lambda N: 1 / N,
}


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", CASES)
def test_a_file_is_transformed_as_the_definition_says(tmp_path, name):
    N, P, choices = CASES[name]
    program = write_program(tmp_path, N, P, **choices)
    x = np.random.default_rng(N).standard_normal(N).astype(choices.get("dtype", "float64"))
    np.save(tmp_path / "IN.npy", x)
    given = (tmp_path / "IN.npy").read_bytes()
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    y = np.load(tmp_path / "OUT.npy")
    spectrum = np.fft.fft(x.astype(float))
    want = definition(x) if N <= 1024 else spectrum.real - spectrum.imag
    want = want * SCALES.get(name, lambda N: 1)(N)
    assert (y.dtype, y.shape) == (x.dtype, (N,))
    assert np.linalg.norm(y - want) <= 3 * np.log2(N) * np.finfo(x.dtype).eps * np.linalg.norm(want)
    assert (tmp_path / "IN.npy").read_bytes() == given
    assert sorted(path.name for path in tmp_path.iterdir()) == ["IN.npy", "OUT.npy", "program.py"]


@pytest.mark.parametrize("P", [1, 2, 4])
@pytest.mark.parametrize("algorithm", ["hypercube", "group-cyclic"])
def test_spectrum_and_power_come_in_natural_order(tmp_path, P, algorithm):
    x = np.random.default_rng(P).standard_normal(256)
    np.save(tmp_path / "IN.npy", x)
    for result in ("dft", "power"):
        done = run(
            write_program(tmp_path, 256, P, result=result, algorithm=algorithm),
            tmp_path / "IN.npy",
            tmp_path / f"{result}.npy",
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    half, y = np.fft.rfft(x), np.load(tmp_path / "dft.npy")
    assert np.allclose(y.view(complex)[1:], half[1:-1], rtol=0, atol=1e-12)
    assert np.allclose(y[:2], half[[0, -1]].real, rtol=0, atol=1e-12)
    assert np.allclose(
        np.load(tmp_path / "power.npy"), np.abs(np.fft.fft(x)) ** 2, rtol=1e-12, atol=1e-10
    )


CONVOLVING = """
import numpy as np
from mpi4py import MPI
import program

comm = MPI.COMM_WORLD
x, y = np.random.default_rng(0).integers(-9, 10, (2, program.N)).astype(float)
j = np.arange(program.N)
rank, offset = program.input_place(j)
mine = j[rank == comm.rank][np.argsort(offset[rank == comm.rank])]
plan = program.plan(comm)
z = program.convolve(x[mine], y[mine], plan)
plan.free()
wanted = np.round(np.fft.ifft(np.fft.fft(x) * np.fft.fft(y)).real)
assert np.abs(z - wanted[mine]).max() < 1e-9
if comm.rank == 0:
    print("convolved")
"""


@pytest.mark.parametrize(
    ("P", "before"), [(1, "block"), (2, "cyclic"), (4, "block"), (4, "hartley-input")]
)
def test_a_program_convolves_as_a_library(tmp_path, P, before):
    write_program(tmp_path, 256, P, before, convolve=True)
    (tmp_path / "convolving.py").write_text(CONVOLVING)
    done = subprocess.run(
        [launch.mpiexec(), "-n", str(P), sys.executable, "convolving.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "convolved\n", "")


def test_the_convolution_of_the_documentation_runs(tmp_path):
    [example] = re.findall(
        r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    write_program(tmp_path, 64, 2, convolve=True, name="fht_64.py")
    (tmp_path / "smoothing.py").write_text(example + "\nprint(comm.size)\n")
    done = subprocess.run(
        [launch.mpiexec(), "-n", "2", sys.executable, "smoothing.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    # two ranks write at once
    assert (done.returncode, sorted(done.stdout), done.stderr) == (0, sorted("2\n2\n"), "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("N", "P", "choices"),
    [
        (1024, 4, {}),
        (64, 1, {"dtype": "float32"}),
        (256, 2, {"result": "dft"}),
        (256, 2, {"result": "power", "norm": "ortho"}),
    ],
)
def test_a_bench_prints_its_figures_as_json(tmp_path, N, P, choices):
    done = run(write_program(tmp_path, N, P, **choices), "--bench", 3)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found) == [
        "N",
        "P",
        "repeats",
        "plan_seconds",
        "seconds_min",
        "seconds_median",
        "error",
    ]
    assert (found["N"], found["P"], found["repeats"]) == (N, P, 3)
    assert 0 < found["error"] <= 3 * np.log2(N) * np.finfo(choices.get("dtype", "float64")).eps


WANTED = "IN.npy: the input must be a .npy file of float64 with shape (16,): "
INPUTS = {
    "too short": (np.zeros(8), WANTED + "this is float64 with shape (8,)"),
    "complex": (np.zeros(16, complex), WANTED + "this is complex128 with shape (16,)"),
    "single precision": (np.zeros(16, "float32"), WANTED + "this is float32 with shape (16,)"),
    "no file": (None, WANTED),
}


@pytest.mark.parametrize("name", INPUTS)
def test_an_input_that_does_not_fit_is_refused_in_one_line(tmp_path, name):
    vector, words = INPUTS[name]
    program = write_program(tmp_path, 16, 2)
    if vector is not None:
        np.save(tmp_path / "IN.npy", vector)
    before = sorted(tmp_path.iterdir())
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.long
def test_another_number_of_ranks_is_refused_in_one_line(tmp_path):
    done = run(write_program(tmp_path, 16, 2), "IN.npy", "OUT.npy", ranks=4)
    assert done.returncode == 2
    assert "made for 2 ranks, started on 4" in done.stderr
    assert len(done.stderr.splitlines()) == 1
