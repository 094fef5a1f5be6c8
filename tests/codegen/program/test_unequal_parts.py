"""Transforms of any shape on any number of ranks, of some axes, and of real input."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import nodewright as nw
from bench.unequal import axes_of, by_numpy, drawn, given, stated
from codegen.emit.text import emit
from codegen.emit.unequal import part_kernels
from codegen.emit.unequal.part_lines import Lines
from codegen.program.meaning import check
from codegen.program.ragged.chirp_steps import Filter
from codegen.program.ragged.part_steps import PartTrade
from codegen.program.ragged.vector_steps import IndexTrade
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.record import Request
from derive.digits.part_layouts import PartLayout
from tests.support import plain_vectors
from tests.support.programs import module_of
from tests.support.rounds import doors
from tests.support.unequal import on_ranks

NAMES = ("block", "balanced", "block,whole", "whole,block")


def requested(system: str, shape: tuple[int, ...], P: int, **options: Any) -> Request:
    return stated(system, shape, P, **options)


@pytest.mark.parametrize("system", ["fft", "rfft"])
@pytest.mark.parametrize("shape", [(1, 3), (2, 3), (4, 5), (3, 2)])
def test_supersteps_are_exact_on_any_number_of_ranks(system: str, shape: tuple[int, ...]) -> None:
    for P, source, target in product((2, 3, 5), NAMES, NAMES):
        if ("whole" in source) == ("whole" in target):
            request = requested(system, shape, P, input=source, output=target)
            assert check(resolve(request)).holds, command(request)


@pytest.mark.parametrize("system", ["fft", "rfft"])
def test_supersteps_are_exact_on_grids(system: str) -> None:
    ends = ("block,block,whole", "whole,block,balanced")
    for P, source, target in product((4, 6), ends, ends):
        for direction in ("forward", "backward"):
            request = requested(
                system, (3, 2, 4), P, input=source, output=target, direction=direction
            )
            assert check(resolve(request)).holds, command(request)


def test_a_wrong_step_is_refuted() -> None:
    program = resolve(requested("fft", (3, 5), 2))
    for wrong in (program.steps[1:], program.steps[:-1] + program.steps[-1:] * 2):
        assert check(replace(program, steps=wrong)).kind == "refuted"


@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("seed", range(40))
def test_programs_are_numpys_transforms_on_ranks_in_cpython(seed: int) -> None:
    request = drawn(np.random.default_rng(seed))
    x = given(request, np.random.default_rng(seed))
    y, wanted = on_ranks(request, x), by_numpy(request, x)
    assert (y.shape, y.dtype) == (wanted.shape, np.dtype(request.types[1])), command(request)
    rounding = 1e-5 if request.dtype in ("complex64", "float32") else 1e-12
    assert np.abs(y - wanted).max() <= rounding * max(np.abs(wanted).max(), 1), command(request)


@pytest.mark.sampled(2)
@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("seed", range(24))
def test_compiled_kernels_compute_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    doors(monkeypatch)
    monkeypatch.setattr(plain_vectors, "LANES", 2 << seed % 3)
    request = drawn(np.random.default_rng(seed), kernels="numba")
    x = given(request, np.random.default_rng(seed))
    error = np.abs(on_ranks(request, x) - (wanted := by_numpy(request, x))).max()
    rounding = 1e-5 if request.dtype in ("complex64", "float32") else 1e-12
    assert error <= rounding * max(np.abs(wanted).max(), 1), command(request)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_lengths_without_kernels_are_numpys_with_the_same_norm(
    direction: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    doors(monkeypatch)
    for norm in ("backward", "ortho", "forward"):
        words = {"kernels": "numba", "direction": direction, "norm": norm, "dtype": dtype}
        request = stated("fft", (6, 11, 2), 3, **words)
        assert "np.fft." in (text := emit(resolve(request))) and "along_columns_6(" in text
        x = given(request, np.random.default_rng(0))
        wanted = by_numpy(request, x)
        error = np.abs(on_ranks(request, x) - wanted).max() / np.abs(wanted).max()
        assert error <= 50 * np.finfo(dtype).eps


def test_a_huge_number_stays_in_its_array_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    doors(monkeypatch)
    for system, words in (("fft", {}), ("rfft", {}), ("rfft", {"axes": "1"})):
        request = stated(system, (5, 7), 3, kernels="numba", batch=4, **words)
        x = given(request, np.random.default_rng(0))
        x[1, 2, 3] = 1e200
        y = on_ranks(request, x)
        x[1] = 0
        assert np.allclose(y[[0, 2, 3]], by_numpy(request, x)[[0, 2, 3]])


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("shape", [(34, 20), (7, 4, 37), (40, 35)])
def test_tiles_of_many_columns_end_with_the_last_one(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    doors(monkeypatch)
    monkeypatch.setattr(part_kernels, "TILES", {True: 2**8, False: 2**8})
    for system, direction in product(("fft", "rfft"), ("forward", "backward")):
        request = stated(system, shape, 3, kernels="numba", direction=direction)
        x = given(request, np.random.default_rng(0))
        wanted = by_numpy(request, x)
        assert np.abs(on_ranks(request, x) - wanted).max() <= 1e-13 * np.abs(wanted).max() + 1e-13


def test_planes_are_transformed_in_turn_and_the_last_axis_in_the_result() -> None:
    slabs = {"input": "block,whole,whole", "output": "whole,block,whole"}
    for system, first in (("fft", "rows"), ("rfft", "to_half")):
        text = emit(resolve(stated(system, (6, 5, 4), 3, kernels="numba", **slabs)))
        assert f"along_{first}_4(start, plane, plane, i, 0, count, *plan.fourier)" in text
        assert "along_columns_5(plane, stop, own, 0, i, count, *plan.fourier_2)" in text
        assert "along_columns_6(address(out), address(out), address(out)," in text


def test_a_part_that_stays_is_not_written_where_its_transform_reads() -> None:
    program = resolve(stated("fft", (6, 5, 4), 4, grid=(2, 2, 1), kernels="numba"))
    operations = Lines(program).operations
    before = ["x", *(each.room for each in operations)]
    direct = [i for i, each in enumerate(operations) if each.direct]
    assert direct
    assert all(operations[i + 1].room not in before[i : i + 1] for i in direct)


@pytest.mark.parametrize(
    "options", [{}, {"direction": "backward"}, {"norm": "forward"}, {"norm": "ortho"}]
)
@pytest.mark.parametrize(("shape", "P"), [((5, 4, 3), 4), ((2, 3), 5), ((30,), 4), ((257,), 2)])
def test_plans_of_fftw_compute_the_same(
    shape: tuple[int, ...], P: int, options: dict[str, str]
) -> None:
    for dtype in ("complex128", "complex64"):
        request = stated("fft", shape, P, kernels="pyfftw", dtype=dtype, **options)
        x = given(request, np.random.default_rng(P))
        wanted = by_numpy(request, x)
        error = np.abs(on_ranks(request, x) - wanted).max() / np.abs(wanted).max()
        assert error <= 50 * np.finfo(dtype).eps, command(request)


@pytest.mark.parametrize("size", ["5x4x3", "30", "101", "16x8"])
def test_plans_of_fftw_have_every_norm_in_blocks(size: str) -> None:
    program = nw.fft(size, 2, kernels="pyfftw", norm="ortho")
    assert program.request.unequal and program.check().holds


@pytest.mark.parametrize(
    ("size", "ranks", "options"),
    [
        ("100x100x100", 3, {}),
        ("100x100x100", 7, {}),
        ("5x5x2", 2, {}),
        ("14x23", 2, {}),
        ("10x100", 3, {}),
        ("2x3", 5, {}),
        ("7x5", 3, {"batch": 2}),
        ("1000", 3, {"batch": 2}),
        ("6x7x8", 4, {"axes": (1, 2)}),
    ],
)
def test_any_shape_has_a_program_on_any_number_of_ranks(
    size: str, ranks: int, options: dict[str, Any]
) -> None:
    program = nw.fft(size, ranks, **options)
    again = re.search(r"^Made by (.*)$", program.text, re.MULTILINE)
    assert program.request.unequal and again and again[1] == program.command
    assert nw.rfft(size, ranks, **options).request.unequal


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("N", [2, 3, 7, 12, 15])
def test_vectors_are_exact_on_any_number_of_ranks(N: int) -> None:
    for P, source, target in product((1, 2, 3, 5, 8), *[("block", "balanced")] * 2):
        ends = {"input": source, "output": target}
        assert check(resolve(stated("fft", (N,), P, **ends))).holds
        for direction in ("forward", "backward"):
            real = stated("rfft", (N,), P, result="spectrum", direction=direction, **ends)
            assert check(resolve(real)).holds, command(real)


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("N", [257, 1009])
def test_a_prime_is_transformed_by_a_convolution(N: int) -> None:
    request = stated("fft", (N,), 3, output="balanced")
    verdict = check(resolve(request))
    assert verdict.holds, verdict
    wrong = [step for step in resolve(request).steps if not isinstance(step, Filter)]
    assert check(replace(resolve(request), steps=tuple(wrong))).kind == "refuted"
    x = given(request, np.random.default_rng(N))
    assert np.allclose(on_ranks(request, x), by_numpy(request, x))


def test_every_element_that_comes_by_its_index_is_counted() -> None:
    for N, P, direction in product((12, 15, 30, 35), (2, 3, 8), ("forward", "backward")):
        for system, result in (("fft", {}), ("rfft", {"result": "spectrum"})):
            request = stated(system, (N,), P, direction=direction, input="balanced", **result)
            for step in resolve(request).steps:
                if isinstance(step, IndexTrade):
                    k = np.arange(step.after.N)
                    pairs = step.before.place(step.source(k)[0])[0] * P + step.after.place(k)[0]
                    wanted = np.bincount(pairs, minlength=P * P).reshape(P, P)
                    assert [step.row(rank).tolist() for rank in range(P)] == wanted.tolist()


@pytest.mark.parametrize(
    ("N", "ranks"), [(1000, 3), (3600, 7), (1009, 4), (6, 8), (8, 8), (1, 1), (4, 16)]
)
def test_vectors_of_any_size_have_programs_on_any_number_of_ranks(N: int, ranks: int) -> None:
    assert nw.fft(N, ranks).request.unequal
    spectrum = nw.rfft(N, ranks, result="spectrum")
    assert spectrum.request.files == ((N,), (N // 2 + 1,))


def test_real_vectors_send_half_of_the_words() -> None:
    words = [nw.fft(1000, 3).cost().words, nw.rfft(1000, 3, result="spectrum").cost().words]
    assert words[1] < 1.25 * words[0], "a complex number is two real ones"


def test_equal_parts_keep_their_programs() -> None:
    assert not nw.fft("12x10x8", 4).request.unequal
    assert nw.fft("12x10x8", 4).request == nw.fft("12x10x8", 4, axes=(0, 1, 2)).request


def test_slabs_have_one_exchange_of_all_but_the_own_part() -> None:
    ends = {"input": "block,whole,whole", "output": "whole,block,whole"}
    cost = nw.fft((100, 100, 100), 3, **ends).cost()
    assert (cost.exchanges, cost.messages, cost.words) == (1, 2, 34 * (100 - 34) * 100)
    real = nw.rfft((100, 100, 100), 3, **ends).cost()
    assert (real.exchanges, real.words) == (1, 2 * 34 * (100 - 34) * 51)


def test_an_axis_that_is_not_transformed_takes_all_ranks() -> None:
    assert nw.fft("10x9x8", 4, axes="1,2").cost().exchanges == 0


def test_grids_of_two_axes_are_taken_where_most_ranks_had_nothing_on_one() -> None:
    assert nw.fft("11x11x11", 10).request.grid == (10, 1, 1)
    assert nw.fft("11x11x11", 25).request.grid == (5, 5, 1)


def test_every_message_is_counted() -> None:
    program = resolve(requested("fft", (5, 3, 4), 6))
    for step in (each for each in program.steps if isinstance(each, PartTrade)):
        ranks = np.arange(6)
        to, words = step.targets(ranks[:, None])
        other = to != ranks[:, None]
        sent = step.sent(ranks)
        assert (np.where(other, words, 0).sum(axis=1) == sent.words).all()
        assert (other.sum(axis=1) == sent.messages).all()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"axes": "0,0"}, "axes 0,0: axis 0 is named twice; name every axis once"),
        ({"axes": (0, -2)}, "axes 0,-2: axis 0 is named twice; name every axis once"),
        ({"axes": 2}, "axes must be from -2 to 1 for 2 axes; got 2"),
        ({"axes": "a"}, "axes must be integers with commas between them, such as 0,1; got a"),
        ({"grid": (2, 2)}, "size 14x23 on the grid 2x2: no axis is whole"),
        (
            {"input": "whole", "output": "whole"},
            "no axis is distributed, so that only 1 rank works",
        ),
        ({"input": "balanced", "exchange": "pairwise"}, "exchange pairwise is not available"),
        ({"input": "balanced", "output": "block,whole"}, "input balanced distributes 2 axes and"),
    ],
)
def test_what_there_is_not_is_refused_in_one_line(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)) as error:
        requested("fft", (14, 23), 4, **options)
    assert "\n" not in str(error.value)


def test_axes_of_a_vector_are_refused_with_their_range() -> None:
    with pytest.raises(ValueError, match="axes must be from -1 to 0 for 1 axis; got 1"):
        requested("fft", (9,), 2, axes=1)


def test_only_transforms_of_axes_have_axes() -> None:
    with pytest.raises(
        ValueError, match="fht has no option axes; only fft, rfft, dct and dst have it"
    ):
        make_request("fht", 64, 4, axes="0")


def test_locations_of_a_program_are_those_of_its_layouts() -> None:
    request = stated("rfft", (5, 4), 3, output="balanced,whole", input="block,whole")
    module = nw.rfft((5, 4), 3, input="block,whole", output="balanced,whole")
    program = resolve(module.request)
    assert isinstance(program.input, PartLayout)
    assert axes_of(request) == (0, 1)
    assert [program.input.local_shape(rank) for rank in range(3)] == [(2, 4), (2, 4), (1, 4)]
    assert [program.output.local_shape(rank) for rank in range(3)] == [(2, 3), (2, 3), (1, 3)]


def test_a_program_has_shapes_for_its_own_ranks_only() -> None:
    program = module_of(emit(resolve(stated("fft", (5, 4), 3))))
    assert [program.local_shape(rank) for rank in range(3)] == [(2, 4), (2, 4), (1, 4)]
    for rank, of in product((-1, 3, 99), (program.local_shape, program.local_output_shape)):
        with pytest.raises(ValueError, match=f"rank {rank}: ranks are integers from 0 to 2"):
            of(rank)


def test_axes_are_all_where_they_are_none_and_at_least_one():
    assert make_request("fft", 30, 1, shape=(6, 5), axes=None).axes == ""
    with pytest.raises(ValueError, match="axes must name at least one axis"):
        make_request("fft", 30, 1, shape=(6, 5), axes=())


def test_that_a_transform_is_itself_is_no_statement_of_a_check():
    report = nw.fft(11, 4).check()
    assert [each.name for each in report.statements] == ["supersteps"]


@pytest.mark.parametrize("N", [9, 30, 257])
def test_a_vector_on_one_rank_is_transformed_without_exchanges_or_a_communicator(N: int) -> None:
    x = np.random.default_rng(N).standard_normal(N)
    with nw.RFFT(None, N, result="spectrum") as rfft, nw.FFT(None, N, input="balanced") as fft:
        for transform, wanted in (rfft, np.fft.rfft(x)), (fft, np.fft.fft(x)):
            assert np.allclose(transform.forward(x), wanted)
            assert np.allclose(transform.backward(wanted), x)
    assert nw.rfft(N, 1, result="spectrum").cost().exchanges == 0
