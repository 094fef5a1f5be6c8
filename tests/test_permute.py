"""Permutations on real ranks: emitted programs of every form of exchange and dtype, and the library calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codegen.emit import Options, emit
from codegen.lower import build
from codegen.meaning import check
from derive.bits import Affine
from derive.bmmc import gray_code, named
from derive.formula import Bmmc
from derive.layout import named as layout_named
from derive.verdict import Checked
from nodewright import launch

LIBRARY = """
import numpy as np
from mpi4py import MPI
from nodewright import bmmc_permute, factor_bmmc, perform_bmmc
from derive.bmmc import gray_code

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
        assert perform_bmmc(plan, given, out).base is out or out.tobytes() == wanted[mine].tobytes()
    assert out.tobytes() == wanted[mine].tobytes()
    plan.free()
for wrong, rule in (
    (lambda: factor_bmmc([[1, 1], [1, 1]], 0, comm, "f8"), "rows 0, 1 add up to zero"),
    (lambda: factor_bmmc(A, 0, comm, object), "holds objects"),
    (lambda: factor_bmmc(A, 5000, comm, "f8"), "does not fit 10 bits"),
    (lambda: factor_bmmc([[1]], 0, comm, "f8"), "every rank holds at least one"),
    (lambda: perform_bmmc(factor_bmmc(A, 0, comm, "f8"), np.zeros(5)), "256 elements of float64"),
    (lambda: perform_bmmc(factor_bmmc(A, 0, comm, "f8"), np.zeros(2 * M)[::2]), "contiguous"),
    (lambda: perform_bmmc(factor_bmmc(A, 0, comm, "f8"), np.zeros(M, "f4")), "256 elements of float64"),
):
    try:
        wrong()
    except ValueError as error:
        assert rule in str(error), error
    else:
        raise AssertionError(rule)
comm.Barrier()
print("fine" if comm.rank == 0 else "", end="")
"""


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
    program = build("permute", N, P, *layouts, exchange, Bmmc(address, name))
    assert isinstance(check(program), Checked)
    path = tmp_path / "program.py"
    path.write_text(emit(program, Options(exchange=exchange, dtype=dtype)))
    x = np.random.default_rng(1).integers(0, 256, N * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    np.save(tmp_path / "in.npy", x)
    done = launch.run(path, [tmp_path / "in.npy", tmp_path / "out.npy"], capture=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "out.npy").tobytes() == permuted(x, address).tobytes()


def test_the_library_calls_move_any_dtype_and_refuse_what_does_not_fit(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(LIBRARY)
    done = launch.run(script, [], ranks=4, capture=True, timeout=90)
    assert (done.returncode, done.stdout) == (0, "fine"), done.stderr


@pytest.mark.parametrize("complement", [0, 77])
def test_the_complement_reaches_the_program(complement: int) -> None:
    address = Affine(gray_code(8).columns, 8, complement)
    program = build("permute", 256, 4, "cyclic", "block", permutation=Bmmc(address, "gray-code"))
    assert isinstance(check(program), Checked)
    assert f"A, C = ({gray_code(8).columns}, {complement})" in emit(program, Options(dtype="float64"))


def test_a_layout_changes_what_is_factored_as_section_6_says() -> None:
    f_layout, gray = layout_named("f:1", 8, 2).address, gray_code(8)
    program = build("permute", 256, 4, "f:1", "f:1", permutation=Bmmc(gray, "gray-code"))
    (move,) = program.steps
    assert move.address == f_layout @ gray @ f_layout.inverse()  # type: ignore[union-attr]


@pytest.mark.parametrize(("dtype", "rule"), [("O", "holds objects"), ("nonsense", "unknown dtype"), ("V0", "0 bytes")])
def test_an_element_without_a_fixed_size_is_refused(dtype: str, rule: str) -> None:
    program = build("permute", 16, 2, permutation=Bmmc(gray_code(4), "gray-code"))
    with pytest.raises(ValueError, match=rule):
        emit(program, Options(dtype=dtype))


def test_sixty_two_index_bits_are_factored_and_emitted() -> None:
    program = build("permute", 1 << 62, 1 << 31, permutation=Bmmc(named("bit-reversal", 62), "bit-reversal"))
    assert len(emit(program, Options(dtype="float64")).splitlines()) < 500
