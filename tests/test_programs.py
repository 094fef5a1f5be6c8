"""Emitted programs on real MPI ranks: from file to file, timed, as a library, and when something is
wrong.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from nodewright.runtime import launch
from tests.support.changes import changed
from tests.support.ranks import drive, run, started

pytestmark = pytest.mark.sampled(16)


def write_program(
    folder,
    N,
    P,
    before="block",
    after="block",
    *,
    name="program.py",
    exchange="alltoall",
    permutation="",
    **options,
):
    """Write a program and return its path."""
    moved = Bmmc(bmmc.named(permutation, N.bit_length() - 1), permutation) if permutation else None
    system = "permute" if permutation else "fft"
    path = folder / name
    asked = make_request(system, N, P, before, after, exchange, moved, **options)
    path.write_text(emit(resolve(asked)), encoding="utf-8")
    return path


def random_vector(N, dtype="complex128"):
    random = np.random.default_rng(N)
    return (random.standard_normal(N) + 1j * random.standard_normal(N)).astype(dtype)


CASES = {
    "two points, one rank": (2, 1, {}),
    "one rank": (64, 1, {"before": "bit-reversed", "after": "block"}),
    "as many ranks as fit": (16, 8, {}),
    "as many ranks as fit, cyclic": (
        16,
        8,
        {"before": "cyclic", "after": "cyclic", "direction": "backward"},
    ),
    "blocks": (1024, 4, {}),
    "group-cyclic": (
        256,
        4,
        {"before": "group-cyclic:2", "after": "f:2", "exchange": "nonblocking", "norm": "forward"},
    ),
    "pairwise": (
        64,
        4,
        {
            "before": "cyclic",
            "after": "bit-reversed",
            "exchange": "pairwise",
            "direction": "backward",
            "norm": "ortho",
        },
    ),
    "in place": (64, 8, {"after": "cyclic", "exchange": "replace", "norm": "ortho"}),
    "single precision": (
        2048,
        2,
        {"dtype": "complex64", "direction": "backward", "norm": "forward"},
    ),
    "two steps in cache": (2**15, 2, {"before": "cyclic", "after": "cyclic"}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_transformed_as_numpy_does(tmp_path, name):
    N, P, choices = CASES[name]
    program = write_program(tmp_path, N, P, **choices)
    x = random_vector(N, choices.get("dtype", "complex128"))
    np.save(tmp_path / "IN.npy", x)
    given = (tmp_path / "IN.npy").read_bytes()
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    y = np.load(tmp_path / "OUT.npy")
    want = {"forward": np.fft.fft, "backward": np.fft.ifft}[choices.get("direction", "forward")](
        x.astype(complex), norm=choices.get("norm")
    )
    assert (y.dtype, y.shape) == (x.dtype, (N,))
    assert np.linalg.norm(y - want) <= 8 * np.log2(N) * np.finfo(x.dtype).eps * np.linalg.norm(want)
    assert (tmp_path / "IN.npy").read_bytes() == given
    assert sorted(path.name for path in tmp_path.iterdir()) == ["IN.npy", "OUT.npy", "program.py"]


@pytest.mark.parametrize(
    ("permutation", "P", "dtype", "choices"),
    [
        ("transpose:2", 4, "float32", {}),
        ("vector-reversal", 2, "i4,f8", {"exchange": "pairwise", "before": "cyclic"}),
        ("bit-reversal", 8, "S5", {"exchange": "replace", "after": "bit-reversed"}),
        ("identity", 2, "complex128", {}),
    ],
)
def test_a_file_is_permuted(tmp_path, permutation, P, dtype, choices):
    program = write_program(tmp_path, 64, P, permutation=permutation, dtype=dtype, **choices)
    x = np.empty(64, dtype)
    x.view(np.uint8)[:] = np.random.default_rng(0).integers(1, 120, x.nbytes)
    np.save(tmp_path / "IN.npy", x)
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    y = np.load(tmp_path / "OUT.npy")
    assert y[bmmc.named(permutation, 6)(np.arange(64))].tobytes() == x.tobytes()


@pytest.mark.long
@pytest.mark.parametrize("permutation", ["bit-reversal", "vector-reversal", "gray-code"])
def test_a_rank_may_hold_one_element_only(tmp_path, permutation):
    program = write_program(tmp_path, 4, 4, permutation=permutation, dtype="int32")
    np.save(tmp_path / "IN.npy", np.arange(4, dtype="int32"))
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    places = bmmc.named(permutation, 2)(np.arange(4))
    assert np.load(tmp_path / "OUT.npy")[places].tolist() == [0, 1, 2, 3]
    done = run(program, "--bench", 1)
    assert (done.returncode, done.stderr) == (0, "") and json.loads(done.stdout)["error"] == 0


BENCHED = [(1024, 4, {}), (64, 1, {"dtype": "complex64"}), (64, 2, {"kernels": "numba"})]


@pytest.mark.long
@pytest.mark.parametrize(("N", "P", "options"), BENCHED)
def test_a_bench_prints_its_figures_as_json(tmp_path, N, P, options):
    done = run(write_program(tmp_path, N, P, "cyclic", "cyclic", **options), "--bench", 3)
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
    assert 0 < found["seconds_min"] <= found["seconds_median"]
    assert found["plan_seconds"] > 0
    assert 0 < found["error"] <= 8 * np.log2(N) * np.finfo(options.get("dtype", "complex128")).eps


def text_file(path):
    path.write_text("1\n2\n3\n", encoding="utf-8")


def archive(path):
    with path.open("wb") as file:
        np.savez(file, x=random_vector(16))


def pickled(path):
    np.save(path, np.array([{}] * 16), allow_pickle=True)


WANTED = "IN.npy: the input must be a .npy file of complex128 with shape (16,): "
INPUTS = {
    "too short": (
        lambda path: np.save(path, random_vector(8)),
        WANTED + "this is complex128 with shape (8,)",
    ),
    "two dimensions": (
        lambda path: np.save(path, random_vector(16).reshape(4, 4)),
        WANTED + "this is complex128 with shape (4, 4)",
    ),
    "another type": (
        lambda path: np.save(path, np.zeros(16)),
        WANTED + "this is float64 with shape (16,): np.save('",
    ),
    "another type and shape": (
        lambda path: np.save(path, np.zeros(8)),
        WANTED + "this is float64 with shape (8,)\n",
    ),
    "a type that does not become it": (
        lambda path: np.save(path, np.zeros(16, "S3")),
        WANTED + "this is |S3 with shape (16,)\n",
    ),
    "single precision": (
        lambda path: np.save(path, random_vector(16, "complex64")),
        WANTED + "this is complex64 with shape (16,)",
    ),
    "no file": (lambda path: None, WANTED),
    "a text file": (text_file, WANTED + "this is not a .npy file: write it with np.save\n"),
    "an archive": (archive, WANTED + "this is not a .npy file: write it with np.save\n"),
    "an empty file": (
        lambda path: path.write_bytes(b""),
        WANTED + "this is not a .npy file: write it with np.save\n",
    ),
    "half a file": (
        lambda path: path.write_bytes(
            b"\x93NUMPY\x01\x00v\x00{'descr': '<c16', 'fortran_order': False, 'sha"
        ),
        WANTED,
    ),
    "objects": (pickled, "IN.npy: "),
    "a folder": (lambda path: path.mkdir(), WANTED + "this is not a regular file"),
    "a pipe": (os.mkfifo, WANTED + "this is not a regular file"),
}


def assert_refused(done, words, folder, before):
    """One line on standard error, a status other than zero, and no file that was not there."""
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("program.py: ")
    assert words in done.stderr
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("name", INPUTS)
def test_an_input_that_does_not_fit_is_refused_in_one_line_and_the_old_output_stays(tmp_path, name):
    make, words = INPUTS[name]
    program = write_program(tmp_path, 16, 2)
    make(tmp_path / "IN.npy")
    (tmp_path / "OUT.npy").write_bytes(b"old")
    before = sorted(tmp_path.rglob("*"))
    assert_refused(run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy"), words, tmp_path, before)
    assert (tmp_path / "OUT.npy").read_bytes() == b"old"


@pytest.mark.long
def test_the_line_that_refuses_a_type_converts_the_file(tmp_path):
    program, source = write_program(tmp_path, 16, 2), tmp_path / "IN.npy"
    np.save(source, np.arange(16.0))
    refusal = run(program, source, tmp_path / "OUT.npy").stderr
    exec(re.search(r"np\.save\(.*\)(?= converts it)", refusal)[0], {"np": np})
    assert np.load(source).dtype == complex
    assert run(program, source, tmp_path / "OUT.npy").returncode == 0
    assert np.allclose(np.load(tmp_path / "OUT.npy"), np.fft.fft(np.arange(16)))


@pytest.mark.parametrize("output", ["none/OUT.npy", "folder", "IN.npy/OUT.npy"])
def test_an_output_that_cannot_be_written_is_refused_in_one_line(tmp_path, output):
    program = write_program(tmp_path, 16, 2)
    np.save(tmp_path / "IN.npy", random_vector(16))
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert_refused(
        run(program, tmp_path / "IN.npy", tmp_path / output),
        f"{output}: cannot be written: ",
        tmp_path,
        before,
    )


@pytest.mark.long
def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path):
    program = write_program(tmp_path, 16, 2)
    np.save(tmp_path / "IN.npy", random_vector(16))
    (tmp_path / "folder").mkdir()
    (tmp_path / "OUT.npy").symlink_to("folder/Y.npy")
    assert run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy").returncode == 0
    assert (tmp_path / "OUT.npy").is_symlink()
    assert len(np.load(tmp_path / "folder" / "Y.npy")) == 16
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["Y.npy"]


def test_a_pipe_is_not_replaced(tmp_path):
    program = write_program(tmp_path, 16, 2)
    np.save(tmp_path / "IN.npy", random_vector(16))
    os.mkfifo(tmp_path / "OUT.npy")
    before = sorted(tmp_path.rglob("*"))
    assert_refused(
        run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy"),
        "OUT.npy: cannot be written: it exists and is not a regular file",
        tmp_path,
        before,
    )
    assert (tmp_path / "OUT.npy").is_fifo()


@pytest.mark.long
def test_kernels_are_compiled_where_none_can_be_kept(tmp_path, monkeypatch):
    program = write_program(
        tmp_path, 64, 1, permutation="bit-reversal", kernels="gray", dtype="int64"
    )
    (tmp_path / "__pycache__").write_text("no folder")
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "/dev/null")
    np.save(tmp_path / "IN.npy", np.arange(64))
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert (done.returncode, done.stderr) == (0, "")
    assert np.load(tmp_path / "OUT.npy")[:3].tolist() == [0, 32, 16]


@pytest.mark.long
@pytest.mark.parametrize("lame", [0, 1])
@pytest.mark.parametrize("library", ["numba", "pyfftw"])
def test_a_rank_that_alone_lacks_a_library_ends_all_in_one_line(tmp_path, library, lame):
    program, without = write_program(tmp_path, 64, 2, kernels=library), tmp_path / "without"
    without.mkdir()
    (without / f"{library}.py").write_text(f"raise ImportError('No module\\n named {library}')")
    paths = [str(without) if rank == lame else "" for rank in (0, 1)]
    ranks = [
        ["-n", "1", "env", f"PYTHONPATH={path}", sys.executable, program, "IN.npy", "OUT.npy"]
        for path in paths
    ]
    done = started([launch.mpiexec(), *ranks[0], ":", *ranks[1]], tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"program.py: No module named {library}: this program's kernels are ")
    assert line.endswith(f": pip install {library}")


@pytest.mark.long
@pytest.mark.parametrize("name", ["fft", "permute"])
def test_kernels_that_may_not_be_compiled_end_in_one_line(tmp_path, monkeypatch, name):
    permutation = "bit-reversal" if name == "permute" else ""
    program = write_program(tmp_path, 64, 2, kernels="numba", permutation=permutation)
    np.save(tmp_path / "IN.npy", random_vector(64))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "program.py: NUMBA_DISABLE_JIT is set: this program's kernels are compiled by numba:"
        " unset it\n"
    )
    assert not (tmp_path / "OUT.npy").exists()


@pytest.mark.parametrize("kernels", ["numpy", "numba"])
@pytest.mark.parametrize(
    "error",
    ["ImportError('No module\\n named mpi4py')", "RuntimeError('cannot load MPI library')"],
    ids=["no mpi4py", "no MPI library"],
)
def test_a_program_without_mpi_ends_in_one_line(tmp_path, kernels, error):
    program = write_program(tmp_path, 64, 2, kernels=kernels)
    for library in ("mpi4py", "numba"):
        lines = f"raise {error}" if library == "mpi4py" else "raise ImportError('no numba')"
        (tmp_path / f"{library}.py").write_text(lines, encoding="utf-8")
    words = [sys.executable, str(program), "IN.npy", "OUT.npy"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    [line] = done.stderr.splitlines()
    assert done.returncode in (1, 2) and not done.stdout
    assert line.startswith("program.py: ") and line.endswith(
        "pip install numba" if kernels == "numba" else "for example from pip install mpi4py mpich"
    )


@pytest.mark.parametrize("ranks", [1, 3])
def test_another_number_of_ranks_is_refused_in_one_line(tmp_path, ranks):
    program = write_program(tmp_path, 16, 2)
    np.save(tmp_path / "IN.npy", random_vector(16))
    before = sorted(tmp_path.rglob("*"))
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy", ranks=ranks)
    assert_refused(
        done, f"made for 2 ranks, started on {ranks}: mpiexec -n 2 python ", tmp_path, before
    )


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["IN.npy"],
        ["a", "b", "c"],
        ["--bench"],
        ["--bench", "0"],
        ["--bench", "x"],
        ["--bench", "3", "IN.npy"],
        ["--fast", "a", "b"],
        ["IN.npy", "--bench"],
    ],
)
def test_other_arguments_are_refused_in_one_line(tmp_path, args):
    program = write_program(tmp_path, 16, 1)
    assert_refused(run(program, *args), "", tmp_path, [program])


LIBRARY = """
import numpy as np
from mpi4py import MPI
import fft, transposed

comm = MPI.COMM_WORLD
random = np.random.default_rng(5)
xs = random.standard_normal((3, fft.N)) + 1j * random.standard_normal((3, fft.N))


def place(place, x, module):
    s, o = place(np.arange(module.N))
    local = np.empty((module.P, module.M), module.DTYPE)
    local[s, o] = x
    return local[comm.rank]


first, second = fft.plan(comm), transposed.plan(comm)
assert first.comm is comm
for x in xs:
    mine = place(fft.input_place, x, fft)
    given = mine.copy()
    y = fft.transform(mine, first)
    z = transposed.transform(mine, second)
    assert np.array_equal(mine, given), "the input has changed"
    wanted = place(fft.output_place, np.fft.fft(x), fft)
    assert np.abs(y - wanted).max() <= 8 * np.log2(fft.N) * np.finfo(float).eps * np.linalg.norm(x)
    out = np.full_like(mine, np.nan)
    assert fft.transform(mine, first, out=out) is out
    assert np.array_equal(out, y), "out= is another result"
    moved = np.empty_like(x)
    moved[:] = x.reshape(4, -1).T.reshape(-1)
    assert np.array_equal(z, place(transposed.output_place, moved, transposed))
    # Not contiguous, and read-only.
    strided = np.repeat(mine, 2)[::2]
    strided.flags.writeable = False
    assert np.array_equal(fft.transform(strided, first), y)
second.free()
assert np.array_equal(fft.transform(mine, first), y), "one plan needs the other"
first.free()
again = fft.plan(comm)
assert np.array_equal(fft.transform(mine, again), y)
again.free()
if comm.rank == 0:
    print("all good")
"""


@pytest.mark.parametrize("P", [1, 4])
def test_a_plan_serves_many_transforms_beside_another_plan(tmp_path, P):
    write_program(tmp_path, 64, P, "cyclic", "f:1", name="fft.py")
    write_program(
        tmp_path,
        64,
        P,
        "cyclic",
        "block",
        name="transposed.py",
        permutation="transpose:2",
        dtype="complex128",
        exchange="pairwise",
    )
    done = drive(tmp_path, LIBRARY, P)
    assert (done.returncode, done.stdout, done.stderr) == (0, "all good\n", "")


PARTED = """
import numpy as np
from mpi4py import MPI
import program

comm = MPI.COMM_WORLD
plan = program.plan(comm)
x = np.ones(program.M, program.DTYPE)
y = program.transform(x, plan)
if comm.rank == 1:
    {fault}
program.transform(x, plan)
program.transform(x, plan)
comm.Barrier()
print("survived")
"""

FAULTS = {
    "another shape": (
        "program.transform(x[1:], plan)",
        "ValueError: x must be an array of complex128 with shape (4,); got complex128 (3,)",
    ),
    "another type": (
        "program.transform(x.real.copy(), plan)",
        "x must be an array of complex128 with shape (4,); got float64 (4,)",
    ),
    "an output of another type": (
        "program.transform(x, plan, out=np.empty(4))",
        "ValueError: out must be an array of complex128 with shape (4,); got float64 (4,)",
    ),
    "a fault of its own": ("1 / 0", "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_exception_on_one_rank_ends_all(tmp_path, name):
    fault, words = FAULTS[name]
    write_program(tmp_path, 16, 4)
    done = drive(tmp_path, PARTED.format(fault=fault), 4, "-m", "mpi4py")
    assert done.returncode != 0
    assert words in done.stderr
    assert "survived" not in done.stdout


def test_a_plan_for_another_number_of_ranks_is_refused_on_every_rank(tmp_path):
    write_program(tmp_path, 16, 4)
    script = (
        "from mpi4py import MPI\nimport program\ntry:\n    program.plan(MPI.COMM_WORLD)\nexcept"
        " ValueError as error:\n    print(error)\n"
    )
    done = drive(tmp_path, script, 2)
    assert done.returncode == 0
    assert done.stdout.count("made for 4 ranks; comm has 2") == 2


NO_COMMUNICATORS = """
from mpi4py import MPI
import program

world = MPI.COMM_WORLD
half = world.Split(world.rank // 2)
between = half.Create_intercomm(0, world, 2 - world.rank // 2 * 2)
freed = half.Dup()
freed.Free()
for comm in (between, MPI.COMM_NULL, freed, None):
    try:
        program.plan(comm)
    except ValueError as error:
        world.gather(str(error))
        if world.rank == 0:
            print(error)
program.plan(half).free()
"""


@pytest.mark.long
def test_what_is_no_communicator_of_its_ranks_is_refused_on_every_rank(tmp_path):
    write_program(tmp_path, 16, 2)
    done = drive(tmp_path, NO_COMMUNICATORS, 4)
    assert (done.returncode, done.stderr) == (0, "")
    wanted = "comm must be a communicator of 2 ranks; got"
    none = f"{wanted} None, COMM_NULL or a freed one"
    between = f"{wanted} an intercommunicator: comm.Merge() makes one of both groups"
    assert done.stdout.splitlines() == [between, none, none, none]


@pytest.mark.long
def test_a_program_runs_on_a_part_of_the_ranks(tmp_path: Path):
    write_program(tmp_path, 16, 2, "cyclic", "cyclic")
    script = """
import numpy as np
from mpi4py import MPI
import program

half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2, MPI.COMM_WORLD.rank)
plan = program.plan(half)
x = np.arange(half.rank, 16, 2) * (1 + MPI.COMM_WORLD.rank % 2) + 0j
wanted = np.fft.fft(np.arange(16) * (1 + MPI.COMM_WORLD.rank % 2))[half.rank :: 2]
assert np.allclose(program.transform(x, plan), wanted)
plan.free()
half.Free()
"""
    done = drive(tmp_path, script, 4)
    assert (done.returncode, done.stderr) == (0, "")


FROM_FILE = """
import os
import resource
import sys

from mpi4py import MPI
import program

rank = MPI.COMM_WORLD.rank
{fault}
sys.exit(program.main(["IN.npy", "OUT.npy"]))
"""


SMALL_FILES = """
if rank == {rank}:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 15, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
"""  # noqa: E501


@pytest.mark.long
@pytest.mark.parametrize("rank", [0, 1])
def test_a_file_that_cannot_be_as_large_is_refused_in_one_line(tmp_path, rank):
    write_program(tmp_path, 2**12, 2)
    np.save(tmp_path / "IN.npy", random_vector(2**12))
    done = drive(tmp_path, FROM_FILE.format(fault=SMALL_FILES.format(rank=rank)), 2)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "program.py: OUT.npy: cannot be written: File too large\n",
    )
    assert list(tmp_path.glob("OUT*")) == []


ON_A_SMALL_DISK = (
    'mount -t tmpfs -o size=1m none small || exit 99; "$@"; status=$?; ls small; exit $status'
)


def test_a_full_disk_is_said_in_one_line(tmp_path):
    program = write_program(tmp_path, 2**17, 2, "cyclic", "cyclic")
    np.save(tmp_path / "IN.npy", random_vector(2**17))
    (tmp_path / "small").mkdir()
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here: a small disk cannot be mounted")
    call = [
        "unshare",
        "-rm",
        "sh",
        "-c",
        ON_A_SMALL_DISK,
        "sh",
        launch.mpiexec(),
        "-n",
        "2",
        sys.executable,
        program,
        "IN.npy",
        "small/OUT.npy",
    ]
    done = started(call, tmp_path)
    if done.returncode == 99 or done.stderr.startswith("unshare"):
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "program.py: small/OUT.npy: cannot be written: No space left on device\n"


LOOKING = """
import glob
import numpy as np

def plan(comm):
    [path] = glob.glob("OUT.npy.*.partial")
    found = os.stat(path)
    taken = found.st_blocks * 512 >= found.st_size > program.N * program.DTYPE.itemsize
    print("taken" if taken and not np.load(path).any() else "not taken")
    return planned(comm)

planned, program.plan = program.plan, plan
"""


@pytest.mark.long
def test_the_room_of_the_result_is_taken_before_it_is_written(tmp_path):
    write_program(tmp_path, 2**17, 2)
    np.save(tmp_path / "IN.npy", random_vector(2**17))
    done = drive(tmp_path, FROM_FILE.format(fault=LOOKING), 2)
    assert (done.returncode, done.stdout.replace("\n", ""), done.stderr) == (0, 2 * "taken", "")


ENDINGS = {
    "an exception on rank 0": "if rank == 0:\n    program.transform = None",
    "an exception on another rank": "if rank == 1:\n    program.transform = None",
    "an exception in the plan of another rank": "if rank == 3:\n    program.plan = None",
    "an exception on every rank": "program.arrays = None",
    "an exception before rank 1 knows the name": "if rank == 1:\n    os.path.realpath = None",
    "an exit": "if rank == 2:\n    program.transform = sys.exit",
}


@pytest.mark.sampled(16)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", ENDINGS)
def test_a_rank_that_fails_leaves_no_file(tmp_path, name):
    write_program(tmp_path, 16, 4)
    np.save(tmp_path / "IN.npy", random_vector(16))
    done = drive(tmp_path, FROM_FILE.format(fault=ENDINGS[name]), 4)
    assert done.returncode != 0
    assert list(tmp_path.glob("OUT*")) == []


@pytest.mark.long
def test_a_rank_that_is_killed_leaves_no_file_when_nodewright_runs_the_program(tmp_path):
    program = write_program(tmp_path, 16, 2)
    text, works = program.read_text(encoding="utf-8"), "        y = transform(x, handle)"
    program.write_text(
        changed(
            text,
            (works, "        comm.Barrier(), comm.rank or os.kill(os.getpid(), 9), comm.recv()"),
        ),
        encoding="utf-8",
    )
    np.save(tmp_path / "IN.npy", random_vector(16))
    done = run(program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    assert done.returncode != 0
    assert list(tmp_path.glob("OUT*")) == []


@pytest.mark.long
def test_help_is_the_head_whatever_the_ranks(tmp_path):
    program = write_program(tmp_path, 16, 2)
    done = run(program, "--help", ranks=3)
    assert (done.returncode, done.stderr) == (0, "")
    head = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8")), clean=False)
    assert done.stdout == head


@pytest.mark.long
def test_help_without_docstrings_is_the_usage(tmp_path):
    """Python with -OO has no docstrings; where the program's is left out it says how to call it."""
    program = write_program(tmp_path, 16, 1)
    words = [sys.executable, "-OO", str(program), "--help"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "mpiexec -n 1 python program.py IN.npy OUT.npy, or --bench K\n"
