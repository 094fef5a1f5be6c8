"""Programs of the Walsh-Hadamard transform, against a direct Hadamard matrix."""

from itertools import product

import numpy as np
import pytest

import nodewright as nw
from codegen.cost.bounds import bound
from codegen.cost.counted import count
from codegen.cost.matrix_ranks import rank_mod
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request

LAYOUTS = ("block", "cyclic", "bit-reversed", "scrambled", "f:1", "group-cyclic:2")
SIZES = ((4, 2), (5, 3), (6, 3))
Q = 2**31 - 19


def hadamard(n: int) -> np.ndarray:
    """Return the entries (-1)^(bits that two indices have in common)."""
    j = np.arange(1 << n)
    common = j[:, None] & j
    return np.array([[(-1) ** int(entry).bit_count() for entry in row] for row in common])


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("ends", product(LAYOUTS, LAYOUTS), ids="-".join)
def test_supersteps_between_all_layouts_are_the_transform(ends: tuple[str, str]) -> None:
    for n, p in SIZES:
        program = nw.wht(1 << n, 1 << p, input=ends[0], output=ends[1])
        assert program.check().holds


@pytest.mark.parametrize("ends", product(LAYOUTS, LAYOUTS), ids="-".join)
def test_the_bound_is_the_rank_of_the_matrix_and_is_kept(ends: tuple[str, str]) -> None:
    for n, p in SIZES:
        program, j = resolve(make_request("wht", 1 << n, 1 << p, *ends)), np.arange(1 << n)
        holder, owner = program.input.place(j)[0], program.output.place(j)[0]
        matrix = hadamard(n) % Q
        ranks = (
            rank_mod(matrix[np.ix_(owner != s, holder == s)].astype(np.int64), Q)
            for s in range(1 << p)
        )
        assert bound(program).words == max(ranks) <= count(program).words


@pytest.mark.long
@pytest.mark.parametrize("kernels", ["numpy", pytest.param("numba", marks=pytest.mark.long)])
def test_a_program_on_real_ranks_is_the_matrix(kernels: str) -> None:
    x = np.random.default_rng(0).standard_normal(64)
    for direction, wanted in (("forward", hadamard(6) @ x), ("backward", hadamard(6) @ x / 64)):
        program = nw.wht(64, 2, output="scrambled", direction=direction, kernels=kernels)
        assert np.allclose(program.run(x), wanted)


def test_each_pair_of_real_numbers_is_added_and_subtracted_once() -> None:
    assert nw.wht(64, 4).cost().flops == 6 * 16
    assert nw.wht(64, 4, dtype="complex128").cost().flops == 2 * 6 * 16


def test_a_large_program_has_as_many_lines_as_a_small_one() -> None:
    small, large = (
        emit(resolve(make_request("wht", N, P))) for N, P in ((2**10, 4), (2**40, 2**20))
    )
    assert large.count("\n") - small.count("\n") in range(6)


@pytest.mark.long
def test_a_wrong_neighbour_is_refuted(tmp_path) -> None:
    text = nw.wht(64, 4).text
    for old, new in (
        ("np.subtract(given[:, ::2], given[:, 1::2]", "np.subtract(given[:, 1::2], given[:, ::2]"),
        ("hadamard(out.reshape(1, 4, 4)", "hadamard(out.reshape(4, 4, 1)"),
        ('"wht", "forward"', '"wht", "backward"'),
        ('"block", "block"', '"block", "cyclic"'),
    ):
        assert old in text
        file = tmp_path / "wrong.py"
        file.write_text(text.replace(old, new), encoding="utf-8")
        assert not nw.certify(file).holds


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_a_wrong_stage_of_a_compiled_function_is_refuted(tmp_path, dtype: str) -> None:
    text = nw.wht(64, 4, kernels="numba", dtype=dtype).text
    for old, new in (
        ("load_lists_1(x, k + c, x, k, 2 * c, 2)", "load_lists_1(x, k, x, k + c, 2 * c, 2)"),
        ("two = 4 * c <= stop", "two = False"),
    ):
        assert text.count(old) == 1
        file = tmp_path / "other.py"
        file.write_text(text.replace(old, new), encoding="utf-8")
        assert nw.certify(file).holds == (new == "two = False"), "one stage at a time is right"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 64, "ranks": 64}, "at least two elements"),
        ({"size": 48, "ranks": 2}, "powers of two"),
        ({"size": 64, "ranks": 4, "exchange": "replace"}, "unknown exchange 'replace'"),
        ({"size": 64, "ranks": 4, "kernels": "pyfftw"}, "numpy, numba"),
    ],
)
def test_other_requests_are_refused(options, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        nw.wht(**options)
