"""Batches of Hartley transforms: what their supersteps compute, and their programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import nodewright as nw
from codegen.cost.counted import count
from codegen.cost.flow import flow
from codegen.emit.text import emit
from codegen.program.meaning import check
from codegen.program.reals.reflect import Reflect
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.shapes import stated
from codegen.systems.record import Request
from tests.support.arrays import hartley, transformed

CASES = [
    (48, 4, 4, "cyclic", "cyclic", 2),
    (27, 3, 2, "cyclic", "block", 3),
    (16, 4, 2, "block", "block", 4),
    (12, 2, 6, "block", "cyclic", 2),
    (15, 1, 4, "block", "block", 0),
    (1, 1, 2, "block", "block", 0),
    (48, 4, 3, "cyclic", "cyclic", 2),
    (27, 3, 5, "cyclic", "block", 3),
    (12, 2, 8, "block", "block", 2),
    (16, 4, 1, "block", "block", 4),
    (12, 2, 7, "block", "cyclic", 2),
    (15, 1, 1, "block", "block", 0),
    (48, 4, None, "cyclic", "cyclic", 2),
    (27, 3, None, "block", "cyclic", 3),
    (15, 1, None, "block", "block", 0),
    (64, 4, 2, "group-cyclic:1", "group-cyclic:1", 2),
    (64, 4, 2, "block", "group-cyclic:1", 3),
]


def spec_of(n: int, P: int, B: int | None, *ends: str, **options: str) -> Request:
    """Return the request for Hartley transforms, of a batch or not, between two layouts."""
    names = dict(zip(("input", "output"), ends, strict=False))
    return make_request("fht", **stated(n, P, B), **names, **options)


@pytest.mark.parametrize(("n", "P", "B", "given", "wanted", "exchanges"), CASES)
def test_supersteps_and_program_make_the_hartley_transforms(
    n: int, P: int, B: int | None, given: str, wanted: str, exchanges: int
) -> None:
    asked = spec_of(n, P, B, given, wanted)
    program = resolve(asked)
    assert check(program).holds and count(program).exchanges == exchanges
    x = np.random.default_rng(5).standard_normal(asked.whole)
    X = np.fft.fft(x)
    assert np.allclose(transformed(asked, x), X.real - X.imag)


OF_AXES = [
    ("8x6", "2", None, "block", "block", 2),
    ("12x10x8", "2", None, "block,whole,whole", "whole,block,whole", 1),
    ("16x9", "4x3", 3, "cyclic", "cyclic", 3),
    ("9x4", "3x1", 2, "cyclic,whole", "cyclic,whole", 2),
    ("9x9", "3x3", None, "cyclic", "cyclic", 3),
    ("16x5", "4x1", None, "cyclic", "block", 3),
    ("4x1x3", "1", 1, "block", "block", 0),
    ("2x2", "2", None, "cyclic", "block", 2),
    ("18x12", "4", None, "block", "block", 4),
    ("12x10x8", "2x2x1", None, "block,block,whole", "whole,block,block", 2),
    ("12x10x8", "1x2x2", None, "whole,block,block", "block,block,whole", 2),
    ("16x6", "4x1", None, "cyclic", "cyclic", 2),
    ("8x8", "4", None, "whole,block", "block,whole", 1),
    ("9x12", "3", None, "cyclic,whole", "whole,block", 1),
    ("4x2", "1", None, "block", "block", 0),
    ("10x36", "4", None, "block,block", "block", 4),
    ("4x20", "2x2", 1, "block,cyclic", "block,cyclic", 2),
    ("24x36", "1x9", 1, "block", "block,cyclic", 4),
    ("16x16", "1x4", None, "whole,group-cyclic:4", "group-cyclic:4,whole", 1),
    ("4x8", "2x4", None, "cyclic,block", "cyclic,group-cyclic:1", 3),
    ("4x10", "4", None, "block", "block", 4),
    ("30x6", "3", None, "block", "cyclic-pairs", 2),
    ("8x4", "1x2", None, "whole,cyclic-pairs", "block,whole", 1),
    ("9x12", "3x1", None, "block,cyclic-pairs", "cyclic,block", 2),
]


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("size", "ranks", "B", "given", "wanted", "exchanges"), OF_AXES)
def test_transforms_along_axes_are_the_product_of_those_of_each(
    size: str, ranks: str, B: int | None, given: str, wanted: str, exchanges: int
) -> None:
    asked = make_request("fht", **stated(size, ranks, B), input=given, output=wanted)
    program = resolve(asked)
    assert check(program).holds and count(program).exchanges == exchanges
    x = np.random.default_rng(5).standard_normal(asked.whole)
    assert np.allclose(transformed(asked, x), hartley(x, range(B is not None, x.ndim)))


IN_PART = [
    ("8x9", "4", None, "block", "block"),
    ("20x6", "4", None, "cyclic", "cyclic"),
    ("12x9", "6x1", None, "block", "block,cyclic"),
    ("8x9", "4", 5, "block", "block"),
]


@pytest.mark.parametrize(("size", "ranks", "B", "given", "wanted"), IN_PART)
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_messages_to_a_part_of_the_ranks_have_all_that_goes(
    size: str, ranks: str, B: int | None, given: str, wanted: str, direction: str
) -> None:
    ends = {"input": given, "output": wanted, "direction": direction, "norm": "ortho"}
    asked = make_request("fht", **stated(size, ranks, B), **ends)
    assert "Alltoallv" in emit(resolve(asked))
    x = np.random.default_rng(5).standard_normal(asked.whole)
    found = hartley(x, range(B is not None, x.ndim), norm="ortho")
    assert np.allclose(transformed(asked, x), found)


def test_kernels_norms_and_the_way_back_are_those_of_one_axis() -> None:
    words = {"kernels": "numba", "direction": "backward", "norm": "ortho", "dtype": "float32"}
    asked = make_request("fht", **stated("9x8", "3x1", 2), input="cyclic", **words)
    x = np.random.default_rng(5).standard_normal((2, 9, 8)).astype("float32")
    assert np.allclose(transformed(asked, x), hartley(x, (1, 2), norm="ortho"), atol=1e-5)


@pytest.mark.parametrize(("norm", "power"), [("ortho", 0.5), ("backward", 1), ("forward", 0)])
def test_backward_has_numpys_norms_and_the_type_of_its_elements(norm: str, power: float) -> None:
    asked = spec_of(18, 3, 2, "cyclic", direction="backward", norm=norm, dtype="float32")
    x = np.random.default_rng(5).standard_normal((2, 18)).astype("float32")
    found, X = transformed(asked, x), np.fft.fft(x.astype(float)) / 18**power
    assert found.dtype == np.float32
    assert np.allclose(found, X.real - X.imag, atol=1e-5)


@dataclass(frozen=True)
class Straight(Reflect):
    """A stage that takes the element itself for its opposite."""

    @property
    def opposite(self) -> Any:
        return np.arange(self.P * self.M // 2)


@pytest.mark.parametrize("ends", [("cyclic", "block"), ("block", "cyclic")])
def test_a_wrong_opposite_is_refuted(ends: tuple[str, str]) -> None:
    program = resolve(spec_of(27, 3, 2, *ends))
    wrong = tuple(
        Straight(**vars(step)) if isinstance(step, Reflect) else step for step in program.steps
    )
    assert wrong != program.steps
    assert check(replace(program, steps=wrong)).kind == "refuted"


def test_all_arrays_go_in_one_exchange() -> None:
    program = resolve(spec_of(1000, 10, 6, "cyclic", "cyclic"))
    sends = [part for part in flow(program) if hasattr(part, "pairs")]
    assert [(each.elements, len(each.pairs)) for each in sends] == [(120, 90), (1200, 8)]
    assert (count(program).messages, count(program).words) == (10, 2280)


WRONG = [
    (
        "8x8",
        4,
        None,
        {"algorithm": "hypercube"},
        "algorithm hypercube is not available for sizes other than powers of two, several axes",
    ),
    (
        64,
        4,
        2,
        {"algorithm": "hypercube"},
        "algorithm hypercube is not available for sizes other than powers of two, several axes",
    ),
    (
        64,
        4,
        2,
        {"result": "dft"},
        "result dft is not available for sizes other than powers of two, several axes or a batch",
    ),
    ("8x6", 2, None, {"output": "hartley"}, "unknown layout 'hartley' of an axis"),
    ("8x6", "2x2x1", None, {}, "the grid must have as many axes as size 8x6"),
    ("7x5", 2, None, {}, "ranks divides the axes"),
    (64, 4, 2, {"input": "hartley"}, "unknown layout 'hartley'"),
    (1000, 4, 2, {}, "1, 2, 5 or 10 ranks, or 992 or 1008 elements"),
]


@pytest.mark.parametrize(("size", "P", "B", "options", "words"), WRONG)
def test_wrong_requests_say_what_would_do(
    size: int | str, P: int | str, B: int | None, options: dict[str, str], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        resolve(make_request("fht", **stated(size, P, B), **options))


def test_the_command_makes_the_same_program() -> None:
    asked = spec_of(12, 2, 4, "cyclic", dtype="float32")
    assert command(asked) == (
        "nodewright generate fht --size 12 --ranks 2 --batch 4 --input cyclic --dtype float32"
    )
    assert nw.fht(12, 2, batch=4, input="cyclic", dtype="float32").text == emit(resolve(asked))
