"""Programs of any size: what their texts compute on ranks in one process, and how they read."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nodewright as nw
from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.kernels.fourier_kernels import Kernel, two_passes
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.shapes import stated
from codegen.systems.record import Request
from tests.support.programs import module_of
from tests.support.worlds import run


def transformed(asked: Request, x: np.ndarray) -> np.ndarray:
    """Return what a program makes of an array of all elements, in natural order."""
    program = module_of(emit(resolve(asked)))
    places = [program.input_index(s, np.arange(asked.M)) for s in range(asked.P)]

    def body(comm: Any) -> Any:
        plan = program.plan(comm)
        shape = getattr(program, "LOCAL_INPUT", (asked.M,))
        y = program.transform(x.reshape(-1)[places[comm.rank]].reshape(shape), plan)
        plan.free()
        return y

    found = np.empty(asked.N, asked.dtype)
    for s, part in enumerate(run(asked.P, body).results):
        found[program.output_index(s, np.arange(asked.M))] = part.reshape(-1)
    return found.reshape(x.shape)


def vector(asked: Request) -> np.ndarray:
    drawn = np.random.default_rng(3).standard_normal(2 * asked.N).view(complex)
    whole = (asked.batch,) * (asked.batch > 0) + (asked.shape or (asked.N,))
    return drawn.reshape(whole).astype(asked.dtype)


ONE_AXIS = [
    (1000, 2, "cyclic", "cyclic"),
    (1000, 2, "block", "block"),
    (1000, 4, "block", "cyclic"),
    (900, 5, "group-cyclic:5", "block"),
    (243, 27, "cyclic", "cyclic"),
    (49, 7, "block", "block"),
    (30, 1, "block", "block"),
]


@pytest.mark.parametrize(("N", "P", "given", "wanted"), ONE_AXIS)
def test_a_program_of_any_size_is_numpys_transform(N: int, P: int, given: str, wanted: str) -> None:
    asked = make_request("fft", N, P, given, wanted)
    x = vector(asked)
    assert np.allclose(transformed(asked, x), np.fft.fft(x))


ARRAYS = [
    (("16x9x5", "4x3x1"), "cyclic", "cyclic"),
    (("12x10x8", "4x1x1"), "block", "block"),
    (("12x10x8", "4x1x1"), "block,whole,whole", "whole,whole,block"),
    (("8x8x8", "4x2x1"), "block,block,whole", "whole,block,block"),
    (("36x6", "6x1"), "cyclic,block", "block,cyclic"),
    (("36", 6, 5), "cyclic", "cyclic"),
    (("12x10", 2, 3), "block", "block"),
    (("16", 4, 2), "block", "cyclic"),
    (("1x1", 1), "block", "block"),
    (("1", 1, 3), "block", "cyclic"),
]


@pytest.mark.parametrize(("size", "given", "wanted"), ARRAYS)
def test_a_program_of_arrays_is_numpys_transform(size: Any, given: str, wanted: str) -> None:
    asked = make_request("fft", **stated(*size), input=given, output=wanted)
    x = vector(asked)
    expected = np.fft.fftn(x, axes=range(asked.batch > 0, x.ndim))
    assert np.allclose(transformed(asked, x), expected)


def test_the_part_of_a_rank_has_the_axes_of_the_array() -> None:
    ends = {"input": "block,whole,whole", "output": "whole,whole,block"}
    program = module_of(emit(resolve(make_request("fft", **stated("12x10x8", 4, 5), **ends))))
    assert (program.LOCAL_INPUT, program.LOCAL_OUTPUT) == ((5, 3, 10, 8), (5, 12, 10, 2))


def test_an_element_has_one_index_or_one_for_each_axis() -> None:
    program = module_of(
        emit(resolve(make_request("fft", **stated("12x10x8", "4x2x1"), input="cyclic")))
    )
    j = np.arange(960)
    whole, parts = program.input_place(j), program.input_place(*np.unravel_index(j, (12, 10, 8)))
    assert np.array_equal(whole, parts)
    assert program.input_place(1, 2, 3) == program.input_place(99)
    for wrong in ((1, 2), (12, 0, 0), (0, 0, -1), (960,), (0.5,)):
        with pytest.raises(ValueError, match=r"ind"):
            program.input_place(*wrong)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_directions_norms_and_types_are_numpys(direction: str, norm: str, dtype: str) -> None:
    asked = make_request(
        "fft", 90, 3, "cyclic", "cyclic", direction=direction, norm=norm, dtype=dtype
    )
    x = vector(asked)
    wanted = {"forward": np.fft.fft, "backward": np.fft.ifft}[direction](x, norm=norm)
    close = 1e-12 if dtype == "complex128" else 1e-5
    assert np.linalg.norm(transformed(asked, x) - wanted) < close * np.linalg.norm(wanted)


@pytest.mark.parametrize("norm", ["backward", "forward"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_kernels_of_fftw_have_numpys_norms(direction: str, norm: str) -> None:
    pytest.importorskip("pyfftw")
    ends = {"input": "cyclic", "output": "cyclic", "kernels": "pyfftw"}
    asked = make_request("fft", **stated("18x10", 3, 2), direction=direction, norm=norm, **ends)
    x = vector(asked)
    back = {"forward": np.fft.fftn, "backward": np.fft.ifftn}[direction]
    assert np.allclose(transformed(asked, x), back(x, axes=(1, 2), norm=norm))


def of_kernels(size: Any, P: int, batch: int | None = None, **more: str) -> Request:
    """Return the request for a program with compiled kernels, from cyclic to cyclic."""
    ends = {"input": "cyclic", "output": "cyclic", "kernels": "numba"}
    return make_request("fft", **stated(size, P, batch), **ends, **more)


KERNELS = [
    pytest.param(of_kernels("12x10", 2, 3, direction="backward", norm="ortho"), id="axes"),
    pytest.param(of_kernels(2 * 3 * 5 * 7 * 2, 2), id="radices", marks=pytest.mark.slow),
    pytest.param(of_kernels(5**3 * 2**10, 2), id="long", marks=pytest.mark.slow),
    pytest.param(of_kernels(3**9, 3), id="odd and long", marks=pytest.mark.slow),
    pytest.param(of_kernels(11 * 4, 2), id="a factor of numpy's", marks=pytest.mark.slow),
    pytest.param(of_kernels(1000, 2, dtype="complex64"), id="single", marks=pytest.mark.slow),
]


@pytest.mark.long
@pytest.mark.parametrize("asked", KERNELS)
def test_compiled_kernels_make_numpys_transform(asked: Request) -> None:
    pytest.importorskip("numba")
    x, axes = vector(asked), range(-max(1, len(asked.shape)), 0)
    several = {"forward": np.fft.fftn, "backward": np.fft.ifftn}[asked.direction]
    wanted = several(x, axes=axes, norm=asked.norm)
    close = 1e-12 if asked.dtype == "complex128" else 1e-5
    assert np.linalg.norm(transformed(asked, x) - wanted) < close * np.linalg.norm(wanted)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_codelets_are_transforms_of_odd_primes(direction: str) -> None:
    text = emit(resolve(of_kernels("3x5x7", 1, direction=direction)))
    functions = [part for part in text.split("\n\n\n") if part.startswith("def fft")]
    named = {
        "muladd": lambda c, v, w: c * v + w,
        "times_minus_i": lambda v: -1j * v,
        "times_i": lambda v: 1j * v,
    }
    exec("\n".join(functions), named)
    for p in (3, 5, 7):
        x = np.random.default_rng(p).standard_normal(2 * p).view(complex)
        wanted = np.fft.fft(x) if direction == "forward" else p * np.fft.ifft(x)
        assert np.allclose(named[f"fft{p}"](x), wanted, rtol=1e-14)


def test_kernels_take_whole_vectors() -> None:
    for d, lanes in ((500, 2), (1536, 8), (343, 1), (5 * 2**12, 8), (3**11, 1), (48, 4), (2, 1)):
        kernel = Kernel(d, 1, "", False)
        assert kernel.lanes == lanes
        if not kernel.in_columns:
            r, rest, rows = two_passes(d)
            assert r * prod(rest) * prod(rows) == d
            assert r % lanes == prod(rows) % lanes == 0


def test_a_text_reads_as_its_supersteps() -> None:
    text = emit(resolve(make_request("fft", 1000, 2, "cyclic", "cyclic")))
    body = text[text.index("    work = plan.work\n") : text.index("    return out\n")]
    assert (
        body
        == """    work = plan.work

    # L^1000_2: nothing moves, as x is cyclic
    # (I_2 ⊗ F_500)
    np.fft.fft(x, out=work)

    # L^1000_2 T^1000_500
    np.copyto(out.reshape(2, 250), work.reshape(250, 2).T)
    plan.own.Alltoall(out, work)
    np.multiply(work, plan.twiddle, out=work)

    # (I_2 ⊗ F_2 ⊗ I_250)
    np.add(work[:250], work[250:], out=out[:250])
    np.subtract(work[:250], work[250:], out=out[250:])
    # L^1000_500: nothing moves, as y is cyclic
"""
    )


def test_a_text_does_not_grow_with_the_size() -> None:
    small, large = (
        emit(resolve(make_request("fft", 10**k, 10, "cyclic", "cyclic"))).count("\n")
        for k in (3, 15)
    )
    assert small == large


@pytest.mark.parametrize(
    ("size", "ranks", "batch", "words"),
    [
        (1000, 2, None, "--size 1000 --ranks 2"),
        ("64x48", "4x2", None, "--size 64x48 --ranks 4x2"),
        ((64, 48), 4, 10, "--size 64x48 --ranks 4x1 --batch 10"),
        (1024, 4, None, "--size 1024 --ranks 4"),
        ("1024", 4, 3, "--size 1024 --ranks 4 --batch 3"),
    ],
)
def test_the_command_of_a_request_makes_it_again(
    size: Any, ranks: Any, batch: int | None, words: str
) -> None:
    ends = {"input": "cyclic", "output": "cyclic"}
    asked = resolve(make_request("fft", **stated(size, ranks, batch), **ends)).request
    assert command(asked) == f"nodewright generate fft {words} --input cyclic --output cyclic"
    assert prod(asked.shape or (asked.N,)) * max(asked.batch, 1) == asked.N


WRONG = {
    "ranks that do not divide": (
        {"N": 1000, "P": 3, "input": "cyclic"},
        "1, 2, 5 or 10 ranks, or 999 or 1008",
    ),
    "ranks without digits": (
        {"N": 1000, "P": 8, "input": "cyclic"},
        "1, 2, 5 or 10 ranks, or 960 or 1024",
    ),
    "more ranks than elements": (
        {"N": 10, "P": 20, "input": "cyclic"},
        "20 ranks must divide 10 elements; try 1 rank",
    ),
    "no elements": ({"N": 0, "P": 2}, "must be at least 1; got"),
    "no ranks": ({"N": 10, "P": 0}, "must be at least 1; got"),
    "an axis": (
        {"N": 64 * 9, "P": 8, "shape": (64, 9), "grid": (4, 2), "input": "cyclic"},
        "2 ranks must divide the 9 elements of axis 1",
    ),
    "a grid": ({"N": 64 * 9, "P": 4, "shape": (64, 9), "grid": (4,)}, "as many axes as size"),
    "a shape": ({"N": 64, "P": 4, "shape": (64, 9)}, "have other elements"),
    "names": (
        {"N": 100, "P": 2, "input": "cyclic,block"},
        "one name for all 1 axes, or one name for each",
    ),
    "a layout of bits": ({"N": 100, "P": 2, "input": "f:1"}, "unknown layout 'f:1' of an axis"),
    "a norm of FFTW's kernels": (
        {"N": 100, "P": 2, "input": "cyclic", "kernels": "pyfftw", "norm": "ortho"},
        "kernels pyfftw do not support norm ortho for sizes",
    ),
    "an exchange": (
        {"N": 100, "P": 2, "exchange": "node-aware"},
        "exchange node-aware is not available for sizes",
    ),
    "an exchange where parts may be unequal": (
        {"N": 978, "P": 3, "exchange": "replace"},
        "a batch; use alltoall, or for equal parts pairwise, nonblocking, shared",
    ),
    "a form of butterflies": (
        {"N": 100, "P": 2, "local": "butterflies"},
        "local butterflies is not available for sizes",
    ),
    "a batch of another system": (
        {"system": "hypercube-fft", "N": 64, "P": 2, "batch": 4},
        "does not support several axes or batches; use fft or fht",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_requests_that_no_program_answers_are_refused(name: str) -> None:
    words, reason = WRONG[name]
    with pytest.raises(ValueError, match=reason.replace("(", r"\(")) as error:
        resolve(make_request(**{"system": "fft"} | words))  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("size", "ranks", "batch"),
    [("64x0", 2, None), ("2^40x2^30", 2, None), ("2^62", 2, 4), ("64y3", 2, None), (8, 2, 0)],
)
def test_sizes_that_are_none_are_refused(size: Any, ranks: Any, batch: int | None) -> None:
    with pytest.raises(ValueError, match=r"size|batch"):
        stated(size, ranks, batch)


def test_ranks_that_fit_no_grid_are_refused_with_some_that_do() -> None:
    with pytest.raises(ValueError, match="or 1024 elements on axis 0"):
        resolve(make_request("fht", **stated("4x4", 64)))


def test_predictions_are_of_powers_of_two() -> None:
    with pytest.raises(ValueError, match="size 1000: predict supports fft on powers of two"):
        nw.fft(1000, 2).cost(predict=True)


EXCHANGED: list[dict[str, Any]] = [
    {"N": 1000, "P": 10, "input": "block", "output": "cyclic"},
    {"N": 243, "P": 9, "input": "block"},
    {"N": 16 * 36, "P": 4, "shape": (16, 36), "grid": (2, 2), "input": "cyclic"},
]


@pytest.mark.parametrize("exchange", ["pairwise", "nonblocking"])
@pytest.mark.parametrize("stated", EXCHANGED)
def test_messages_of_trades_travel_in_other_ways(exchange: str, stated: dict[str, Any]) -> None:
    """All ways send as many messages and words, and the ranks compute the transform."""
    asked = make_request("fft", exchange=exchange, **stated)
    lines = emit(resolve(asked)).partition("same in every program")[0]
    assert "Alltoall" not in lines and "traded(plan.own" in lines
    assert count(resolve(asked)) == count(resolve(replace(asked, exchange="alltoall")))
    x = vector(asked)
    assert np.allclose(transformed(asked, x), np.fft.fftn(x))


@pytest.mark.long
@pytest.mark.parametrize("system", ["fht", "rfft"])
def test_pairs_of_real_elements_travel_in_other_ways(system: str, tmp_path: Path) -> None:
    sizes = {"N": 100, "P": 5} if system == "rfft" else {"N": 36, "P": 3, "batch": 2}
    file = tmp_path / "program.py"
    file.write_text(
        emit(resolve(make_request(system, exchange="pairwise", **sizes))), encoding="utf-8"
    )
    assert nw.certify(file).holds
