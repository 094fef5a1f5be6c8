"""Permutations on real ranks: emitted programs of every form of exchange and dtype, and the library
calls.
"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import numpy as np
import pytest

from codegen.elements import fixed_size
from codegen.emit.text import emit
from codegen.kernels.permute import numpy_plan, permutation_tiles
from codegen.program.meaning import check
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.affine_layouts import named as layout_named
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from derive.gf2.bmmc import gray_code, named
from derive.verdict import Checked
from nodewright.runtime import launch, permutation, planned
from tests.support.programs import build

pytestmark = pytest.mark.sampled(16)

LIBRARY = """
import numpy as np
from mpi4py import MPI
from nodewright import bmmc_permute, factor_bmmc, perform_bmmc
from derive.gf2.bmmc import bit_reversal, gray_code

comm = MPI.COMM_WORLD
A, c, n = gray_code(10), 5, 10
M = (1 << n) // comm.size
mine = slice(comm.rank * M, (comm.rank + 1) * M)
for dtype in map(np.dtype, ("f8", "i4,f8", "S5", [("a", "i4"), ("b", "f8", (2,))], "?", "M8[ns]")):
    high = 2 if dtype.kind == "b" else 256
    x = np.random.default_rng(0).integers(0, high, (1 << n) * dtype.itemsize, np.uint8).view(dtype)
    wanted = np.empty_like(x)
    wanted[A(np.arange(1 << n)) ^ c] = x
    given = x[mine].copy()
    y = bmmc_permute(A.matrix, c, comm, given)
    assert y.dtype == dtype and y.tobytes() == wanted[mine].tobytes(), dtype
    assert given.tobytes() == x[mine].tobytes()
    plan = factor_bmmc(A, c, comm, dtype)
    out = np.empty_like(given)
    for _ in range(3):
        out.view(np.uint8)[:] = 0
        assert perform_bmmc(plan, given, out) is out and out.tobytes() == wanted[mine].tobytes(), dtype
    assert out.tobytes() == wanted[mine].tobytes()
    plan.free()
for exchange in ("alltoall", "pairwise", "replace", "nonblocking"):
    x = np.random.default_rng(1).standard_normal(1 << n)
    octets = np.zeros(8 * M + 1, np.uint8)
    octets[1:] = x[mine].copy().view(np.uint8)
    mail, plan = np.zeros(1), factor_bmmc(A, c, comm, "f8", exchange=exchange)
    request = comm.Irecv(mail, MPI.ANY_SOURCE, MPI.ANY_TAG)
    out = np.zeros(8 * M + 1, np.uint8)[1:].view("f8")
    assert perform_bmmc(plan, octets[1:].view("f8"), out) is out
    wanted = np.empty_like(x)
    wanted[A(np.arange(1 << n)) ^ c] = x
    assert not octets[1:].view("f8").flags.aligned and (out == wanted[mine]).all(), exchange
    comm.Send(np.array([comm.rank + 1.0]), (comm.rank + 1) % comm.size)
    request.Wait()
    assert mail[0] == (comm.rank - 1) % comm.size + 1.0, "a message of the plan came to the caller"
    plan.free()
for wrong, rule in (
    (lambda: factor_bmmc([[1, 1], [1, 1]], 0, comm, "f8"), "rows 0, 1 add up to zero"),
    (lambda: factor_bmmc(A, 0, comm, object), "dtype must have a fixed size"),
    (lambda: factor_bmmc(A, 5000, comm, "f8"), "does not fit 10 bits"),
    (lambda: factor_bmmc([[1]], 0, comm, "f8"), "every rank needs at least one element"),
    (lambda: factor_bmmc(A, comm.rank % 2, comm, "f8"), "all ranks must request the same"),
    (lambda: factor_bmmc(A, 0, comm, ("f8", "i8")[comm.rank % 2]), "all ranks must request the same"),
    (lambda: factor_bmmc(A if comm.rank != 1 else np.zeros((n, n), int), 0, comm, "f8"), "add up to zero"),
    (lambda: bmmc_permute(A, 0, comm, np.zeros(M) if comm.rank != 1 else [0.0] * M), "data must be a contiguous array on every rank; got list"),
    (lambda: factor_bmmc(A, 0, "world", "f8"), "communicator of mpi4py"),
    (lambda: factor_bmmc(A, 0, MPI.COMM_NULL, "f8"), "MPI.COMM_NULL or freed"),
    (lambda: factor_bmmc(A, 0, comm, "f8", layout=None), "input must be a string; got None"),
    (lambda: factor_bmmc(A, 0, comm, "f8", layout="bmmc:nofile"), "layout bmmc:nofile: nofile: No such file or directory"),
    (lambda: perform_bmmc(factor_bmmc(A, 0, comm, "f8"), np.zeros(5)), "256 elements of float64"),
    (lambda: perform_bmmc(factor_bmmc(A, 0, comm, "f8"), np.zeros(2 * M)[::2]), "contiguous"),
    (lambda: perform_bmmc(factor_bmmc(A, 0, comm, "f8"), np.zeros(M, "f4")), "256 elements of float64"),
    (lambda: bmmc_permute(A, 0, comm, np.zeros(M if comm.rank != 1 else 5)), "data: float64 of shape (5,)"),
    (lambda: bmmc_permute(A, 0, comm, np.zeros(5)), "a rank holds a contiguous array of 256 elements of float64"),
    (lambda: perform_bmmc(None, np.zeros(M)), "plan: NoneType: a permutation is performed by what factor_bmmc returns"),
    (lambda: factor_bmmc(A, 0, comm, None), "dtype is missing; give one such as 'float64'"),
    (lambda: factor_bmmc([[1, 0], [1]], 0, comm, "f8"), "rows of 1 and 2 entries: a bit matrix is a rectangle"),
    (lambda: factor_bmmc(bit_reversal(62), 0, comm, "f8"), "elements of float64 in one process: 2^63 bytes do not fit the memory"),
    (lambda: factor_bmmc(bit_reversal(70), 0, comm, "i1"), "in one process: 2^68 bytes do not fit the memory"),
    (lambda: factor_bmmc([[1, 0], [0, 1], [0, 0]], 0, comm, "f8"), "A must be square; got a 3 x 2 matrix"),
    (lambda: factor_bmmc(A, 1.5, comm, "f8"), "c must be an integer; got 1.5"),
    (lambda: factor_bmmc(A, 0, comm, "O,i4"), "dtype must have a fixed size"),
    (lambda: bmmc_permute(A, 0, comm, [0] * M), "data must be a contiguous array on every rank; got list"),
):
    try:
        wrong()
    except ValueError as error:
        assert rule in str(error), error
    else:
        raise AssertionError(rule)
comm.Barrier()
print("fine" if comm.rank == 0 else "", end="")
"""  # noqa: E501


def permuted(x: np.ndarray, address: Affine) -> np.ndarray:
    y = np.empty_like(x)
    y[address(np.arange(len(x)))] = x
    return y


@pytest.mark.parametrize(
    ("N", "P", "name", "layouts", "exchange", "dtype"),
    [
        (1024, 4, "bit-reversal", ("block", "block"), "alltoall", "float64"),
        (1024, 4, "gray-code", ("cyclic", "bit-reversed"), "alltoall", "i4,f8"),
        (1024, 4, "transpose:3", ("f:2", "block"), "pairwise", "complex64"),
        (1024, 4, "shuffle", ("block", "cyclic"), "replace", "S5"),
        (1024, 4, "unshuffle", ("block", "block"), "nonblocking", "complex128"),
        (256, 1, "bit-reversal", ("block", "block"), "alltoall", "int16"),
        (8, 8, "vector-reversal", ("block", "block"), "alltoall", "float32"),
        (16, 8, "transpose:1", ("block", "block"), "alltoall", "uint8"),
    ],
)
def test_a_permute_program_puts_every_element_in_its_place(
    tmp_path: Path, N: int, P: int, name: str, layouts: tuple[str, str], exchange: str, dtype: str
) -> None:
    address = named(name, N.bit_length() - 1)
    asked = make_request("permute", N, P, *layouts, exchange, Bmmc(address, name), dtype=dtype)
    assert isinstance(check(resolve(asked)), Checked)
    path = tmp_path / "program.py"
    path.write_text(emit(resolve(asked)))
    x = (
        np.random.default_rng(1)
        .integers(0, 256, N * np.dtype(dtype).itemsize, np.uint8)
        .view(dtype)
    )
    np.save(tmp_path / "in.npy", x)
    done = launch.run(path, [tmp_path / "in.npy", tmp_path / "out.npy"], capture=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "out.npy").tobytes() == permuted(x, address).tobytes()


@pytest.mark.long
def test_the_library_calls_move_any_dtype_and_refuse_what_does_not_fit(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(LIBRARY)
    done = launch.run(script, [], ranks=4, capture=True, timeout=90)
    assert (done.returncode, done.stdout) == (0, "fine"), done.stderr


DYING = """
import sys
import numpy as np
from mpi4py import MPI
from nodewright import bmmc_permute, factor_bmmc, perform_bmmc
from derive.gf2.bmmc import gray_code

comm, A = MPI.COMM_WORLD, gray_code(6)
x = np.arange(64 // comm.size)
own = comm.Dup()
{before}
if comm.rank == 1:
    {fault}
comm.Barrier()
print("survived")
"""


@pytest.mark.long
def test_nothing_ends_other_ranks(tmp_path: Path) -> None:
    before = (
        "plan, hook = factor_bmmc(A, 0, own, x.dtype), sys.excepthook\nassert hook is"
        " sys.__excepthook__\nbmmc_permute(A, 0, comm, x)"
    )
    fault = "print(sys.excepthook is hook)\nplan.free()"
    (tmp_path / "own.py").write_text(
        DYING.format(before=before, fault=fault) + "comm.rank or plan.free()\n"
    )
    done = launch.run(tmp_path / "own.py", [], ranks=2, capture=True, timeout=60)
    assert (done.returncode, sorted(done.stdout.replace("\n", "")), done.stderr) == (
        0,
        sorted("True" + 2 * "survived"),
        "",
    )


LEAKING = """
import numpy as np
from mpi4py import MPI
from nodewright import bmmc_permute, factor_bmmc
from derive.gf2.bmmc import named


class Counted(MPI.Intracomm):
    made = []

    def Dup(self, info=None):
        self.made.append(super().Dup())
        return self.made[-1]

    def Split_type(self, *_):
        return MPI.COMM_SELF.Dup()


comm, A, x = Counted(MPI.COMM_WORLD), named("bit-reversal", 6), np.arange(64 // MPI.COMM_WORLD.size)
for wrong, rule, dups in (
    (lambda: bmmc_permute(A, 0, comm, x[:5]), "data: int64 of shape (5,)", 0),
    (lambda: bmmc_permute(A, 0, comm, x[: 5 if comm.rank else None]), "data: int64 of shape (5,)", 0),
    (lambda: factor_bmmc(A, 0, comm, x.dtype, exchange="shared"), "1 of 2 ranks share the memory", 1),
):
    Counted.made.clear()
    try:
        wrong()
    except ValueError as error:
        assert rule in str(error), error
    else:
        raise AssertionError(rule)
    assert len(Counted.made) == dups and not any(Counted.made), rule
bmmc_permute(A, 0, comm, x)
assert len(Counted.made) == 2 and not any(Counted.made), "the call that is all right frees its own"
print("fine" if comm.rank == 0 else "", end="")
"""  # noqa: E501


@pytest.mark.long
def test_what_is_refused_leaves_no_communicator(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(LEAKING)
    done = launch.run(tmp_path / "own.py", [], ranks=2, capture=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "fine"), done.stderr


def test_a_program_is_emitted_once_for_the_same_permutation_on_as_many_ranks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emitted = []
    monkeypatch.setattr(
        planned,
        "emit",
        lambda program: emitted.append((program.P, program.request.dtype)) or emit(program),
    )
    planned._kept.cache_clear()
    for _ in range(2):
        for dtype in ("f4", "i4,f8", "V12"):
            permutation.factor_bmmc(gray_code(6), 1, None, dtype).free()
    assert emitted == [(1, "<f4"), (1, "|V12")]


def test_a_layout_is_read_from_its_file_every_time(tmp_path: Path) -> None:
    found, file = [], tmp_path / "layout.npy"
    for matrix in (np.eye(2, dtype=int), np.eye(2, dtype=int)[::-1]):
        np.save(file, matrix)
        with permutation.Permutation(None, np.eye(2, dtype=int), 0, "f8", f"bmmc:{file}") as moves:
            found.append(moves.forward([0.0, 1.0, 2.0, 3.0]).tolist())
    assert found == [[0, 1, 2, 3], [0, 2, 1, 3]]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kernels", "dtype"), [("gray", "float64"), ("gray", "i4,f8"), ("numba", "S5")]
)
def test_a_kernel_that_goes_element_by_element_brings_no_operations_on_lines(
    kernels: str, dtype: str
) -> None:
    text = emit(
        resolve(
            make_request(
                "permute",
                256,
                2,
                permutation=Bmmc(gray_code(8), "gray-code"),
                kernels=kernels,
                dtype=dtype,
            )
        )
    )
    tree = ast.parse(text)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert (
        not {"permute", "exchange", "stream", "load", "aligned", "address", "features", "Line"}
        & defined
    )
    for name in ("compiled", "move", "njit"):
        assert sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree)) > 0, (
            name
        )
    assert "llvmlite" not in text


@pytest.mark.parametrize("complement", [0, 77])
def test_the_complement_reaches_the_program(complement: int) -> None:
    address = Affine(gray_code(8).columns, 8, complement)
    asked = make_request("permute", 256, 4, "cyclic", permutation=Bmmc(address, "gray-code"))
    assert isinstance(check(resolve(asked)), Checked)
    assert f"A, C = {gray_code(8).columns}, {complement} " in emit(resolve(asked))


def test_a_layout_changes_what_is_factored_as_section_6_says() -> None:
    f_layout, gray = layout_named("f:1", 256, 4).address, gray_code(8)
    program = build("permute", 256, 4, "f:1", "f:1", permutation=Bmmc(gray, "gray-code"))
    (move,) = program.steps
    assert move.address == f_layout @ gray @ f_layout.inverse()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("dtype", "rule"),
    [
        ("O", "dtype must have a fixed size"),
        ("nonsense", "unknown dtype"),
        ("V0", "dtype must have a fixed size"),
    ],
)
def test_an_element_without_a_fixed_size_is_refused(dtype: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        resolve(
            make_request("permute", 16, 2, permutation=Bmmc(gray_code(4), "gray-code"), dtype=dtype)
        )


def test_sixty_two_index_bits_are_factored_and_emitted() -> None:
    moved = Bmmc(named("bit-reversal", 62), "bit-reversal")
    text = emit(
        resolve(make_request("permute", 1 << 62, 1 << 31, permutation=moved, dtype="float64"))
    )
    assert len(text.splitlines()) < 500


def write_for_two(
    folder: Path, name: str, dtype: str, kernels: str, n: int = 12
) -> tuple[Affine, np.ndarray]:
    """Write the program of a permutation on two ranks, and a file for it; return the permutation
    and what the file holds.
    """
    address = Affine(named(name, n).columns, n, 1234 % (1 << n))
    moved = Bmmc(address, name)
    asked = make_request("permute", 1 << n, 2, permutation=moved, kernels=kernels, dtype=dtype)
    (folder / "program.py").write_text(emit(resolve(asked)))
    octets = np.random.default_rng(1).integers(0, 256, np.dtype(dtype).itemsize << n, np.uint8)
    np.save(folder / "in.npy", octets.view(dtype))
    return address, octets.view(dtype)


def run_from_file_to_file(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program."""
    files = [folder / "in.npy", folder / "out.npy"]
    return launch.run(folder / "program.py", files, capture=True, timeout=120)


def run_on_two(tmp_path: Path, name: str, dtype: str, kernels: str) -> None:
    """Run such a program from file to file, and compare it with the definition, byte for byte."""
    address, x = write_for_two(tmp_path, name, dtype, kernels)
    done = run_from_file_to_file(tmp_path)
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "out.npy").tobytes() == permuted(x, address).tobytes()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "dtype", "kernels"),
    [
        ("bit-reversal", "float64", "gray"),
        ("bit-reversal", "float64", "numba"),
        ("gray-code", "uint8", "numba"),
        ("transpose:5", "i4,f8", "numba"),
        ("bit-reversal", ">c16", "numba"),
        ("shuffle", "S5", "gray"),
    ],
)
def test_compiled_kernels_put_every_element_in_its_place(
    tmp_path: Path, name: str, dtype: str, kernels: str
) -> None:
    run_on_two(tmp_path, name, dtype, kernels)


@pytest.mark.long
def test_large_arrays_are_streamed_to_arrays_that_begin_on_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation_tiles, "STREAM_FROM", 0)
    run_on_two(tmp_path, "bit-reversal", "float64", "numba")


@pytest.mark.parametrize("dtype", ["float64", "i4,f8"])
def test_numpy_alone_goes_in_tiles_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    for constant, value in (
        ("FROM", dict.fromkeys(numpy_plan.FROM, 0)),
        ("SCATTERED", 0),
        ("TILE_BITS", 6),
    ):
        monkeypatch.setattr(numpy_plan, constant, value)
    run_on_two(tmp_path, "bit-reversal", dtype, "numpy")
    assert "Tiles(8, " in (tmp_path / "program.py").read_text()


OWN = """
import sys
import numpy as np
from mpi4py import MPI
import program

comm = MPI.COMM_WORLD
x = np.arange(program.M, dtype="f8") + program.M * comm.rank
x.flags.writeable = False
plan = program.plan(comm)
results = [program.transform(x, plan), program.transform(x, plan, out=np.empty(program.M + 1)[1:])]
whole = np.concatenate(comm.allgather(results[0]))
wanted = np.empty_like(whole)
wanted[program.affine(program.A, np.arange(program.N), program.C)] = np.arange(program.N)
assert np.array_equal(whole, wanted) and np.array_equal(*results)
plan.free()
stats = program.move.stats
told = comm.gather(f"{comm.rank}: {sum(stats.cache_hits.values())} loaded, {sum(stats.cache_misses.values())} compiled")
print(*told or (), sep="\\n", end="", flush=True)
"""  # noqa: E501


@pytest.mark.long
def test_rank_0_compiles_once_and_the_others_load_it(tmp_path: Path) -> None:
    # as __main__: that is kept under another name
    run_on_two(tmp_path, "bit-reversal", "float64", "numba")
    (tmp_path / "own.py").write_text(OWN)
    runs = [
        launch.run(tmp_path / "own.py", [], ranks=2, capture=True, timeout=120) for _ in range(2)
    ]
    assert [done.stdout.splitlines() for done in runs] == [
        ["0: 0 loaded, 1 compiled", "1: 1 loaded, 0 compiled"],
        ["0: 1 loaded, 0 compiled", "1: 1 loaded, 0 compiled"],
    ], runs[0].stderr


def test_without_numba_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_for_two(tmp_path, "bit-reversal", "float64", "gray", n=4)
    (tmp_path / "numba.py").write_text("raise ImportError('No module named numba')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = run_from_file_to_file(tmp_path)
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if "numba" in line] == [
        "program.py: No module named numba: this program's kernels are compiled by numba: pip"
        " install numba"
    ]
    assert not (tmp_path / "out.npy").exists()


def test_a_text_with_tiles_is_as_long_for_every_size() -> None:
    sizes = [(40, 20), (52, 26), (62, 31)]  # their supersteps differ in tables alone
    for kernels, dtype in (
        ("numba", "float64"),
        ("numba", "i4,f8"),
        ("gray", "uint8"),
        ("numpy", "float64"),
    ):
        texts = [
            emit(
                resolve(
                    make_request(
                        "permute",
                        1 << n,
                        1 << p,
                        permutation=Bmmc(named("bit-reversal", n), "r"),
                        kernels=kernels,
                        dtype=dtype,
                    )
                )
            )
            for n, p in sizes
        ]
        assert len({text.count("\n") for text in texts}) == 1


@pytest.mark.parametrize("name", ["./gm.txt", "d/.gm", "gm"])
def test_a_matrix_from_a_file_goes_by_the_name_of_the_file(name: str) -> None:
    text = emit(
        resolve(make_request("permute", 16, 2, permutation=Bmmc(named("shuffle", 4), name)))
    )
    assert "\n    Π_gm = " in text.replace("{gm}", "gm")
    assert f"--matrix {name}" in text


def test_an_element_has_no_shape() -> None:
    with pytest.raises(ValueError, match="no shape"):
        fixed_size("(2,3)f8")
