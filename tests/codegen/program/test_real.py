"""Real input of any even size: the half spectrum, what its supersteps compute, and its programs."""

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
from codegen.program.reals.untangle import Untangle
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.record import Request
from tests.support.programs import module_of
from tests.support.worlds import run

PAIRS = "cyclic-pairs"
CASES = [
    (2, 1, "block", "block", 0),
    (1000, 2, "block", PAIRS, 2),
    (1000, 5, PAIRS, PAIRS, 2),
    (486, 9, "block", "block", 4),
    (16, 4, PAIRS, "block", 4),
    (64, 4, "block", "block", 4),
]


def half(x: Any, asked: Request) -> Any:
    """Return the half spectrum of real numbers, or the numbers that have it, as numpy has it."""
    if asked.direction == "forward":
        found = np.fft.rfft(x, norm=asked.norm)
        return np.append(found[0].real + 1j * found[-1].real, found[1:-1]).view(float)
    X = x.view(complex)
    return np.fft.irfft(np.concatenate([X[:1].real, X[1:], X[:1].imag]), norm=asked.norm)


def transformed(asked: Request, x: Any) -> Any:
    """Return what the program of a request makes of real numbers on ranks in one process."""
    program = module_of(emit(resolve(asked)))
    found = np.empty_like(x)

    def body(comm: Any) -> None:
        plan, every = program.plan(comm), np.arange(asked.M)
        y = program.transform(x[program.input_index(comm.rank, every)], plan)
        found[program.output_index(comm.rank, every)] = y
        plan.free()

    run(asked.P, body)
    return found


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(("N", "P", "given", "wanted", "exchanges"), CASES)
def test_supersteps_and_program_make_the_half_spectrum(
    N: int, P: int, given: str, wanted: str, exchanges: int, direction: str
) -> None:
    ends = (given, wanted) if direction == "forward" else (wanted, given)
    asked = make_request("rfft", N, P, *ends, direction=direction)
    program = resolve(asked)
    assert check(program).holds and count(program).exchanges == exchanges
    x = np.random.default_rng(5).standard_normal(N)
    assert np.allclose(transformed(asked, x), half(x, asked))


@pytest.mark.parametrize("norm", ["ortho", "forward"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_half_spectrum_has_numpys_norms_and_types(norm: str, direction: str) -> None:
    asked = make_request("rfft", 108, 3, direction=direction, norm=norm, dtype="float32")
    x = np.random.default_rng(5).standard_normal(108).astype("float32")
    found = transformed(asked, x)
    assert found.dtype == np.float32
    assert np.allclose(found, half(x.astype(float), asked), atol=1e-4)


@dataclass(frozen=True)
class Straight(Untangle):
    """A stage that takes the pair itself for its opposite."""

    @property
    def opposite(self) -> Any:
        return np.arange(self.P * self.M // 2)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_wrong_partner_is_refuted(direction: str) -> None:
    program = resolve(make_request("rfft", 108, 3, direction=direction))
    wrong = tuple(
        Straight(step.M, step.P, step.arrays, step.back) if isinstance(step, Untangle) else step
        for step in program.steps
    )
    assert check(replace(program, steps=wrong)).kind == "refuted"


def test_what_is_sent_is_listed_and_counted() -> None:
    program = resolve(make_request("rfft", 1000, 5, PAIRS, PAIRS))
    sends = [part for part in flow(program) if hasattr(part, "pairs")]
    assert [(each.elements, len(each.pairs)) for each in sends] == [(40, 20), (200, 4)]
    assert (count(program).messages, count(program).words) == (5, 360)


SPECTRUM = "or result spectrum with layouts block or balanced"
WRONG = [
    (1001, 2, {}, "rfft needs an even N; got 1001; try 1000 or 1002"),
    (999, 3, {}, "rfft needs an even N; got 999; try 998 or 1000"),
    (1000, 4, {}, f"1, 2, 5 or 10 ranks, or 992 or 1024 elements, {SPECTRUM}"),
    (978, 3, {}, f"try 1 rank, or 972 or 990 elements, {SPECTRUM}"),
    (10, 3, {"input": PAIRS, "output": PAIRS}, f"try 1 rank, or 18 elements, {SPECTRUM}"),
    (8, 2, {"input": "balanced"}, f"got balanced; take one of these, {SPECTRUM}"),
    (
        1000,
        2,
        {"input": "cyclic"},
        "rfft of one axis supports the layouts block and cyclic-pairs; got cyclic",
    ),
    (1000, 2, {"kernels": "pyfftw"}, "pyfftw.*numpy"),
    (
        1000,
        2,
        {"exchange": "replace"},
        "exchange replace is not available for real input; use alltoall, pairwise",
    ),
    (1000, 2, {"result": "hartley"}, "unknown result 'hartley': choose from spectrum"),
    (24, 2, {"result": "hartley", "batch": 3}, "unknown result 'hartley': choose from spectrum"),
    (0, 1, {}, "size must be at least 1; got 0"),
    (10, 20, {}, "20 ranks must divide the 5 pairs of 10 real elements"),
    (100, 3, {}, "the 50 pairs of 100 real elements; try 1 or 5 ranks, or 90 or 108 elements"),
]


@pytest.mark.parametrize(("N", "P", "options", "words"), WRONG)
def test_wrong_requests_say_what_would_do(
    N: int, P: int, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        resolve(make_request("rfft", N, P, **options))
    if SPECTRUM in words:
        for layout in ("block", "balanced"):
            asked = make_request("rfft", N, P, layout, result="spectrum")
            assert resolve(asked).request.unequal


def test_the_command_makes_the_same_program() -> None:
    asked = make_request("rfft", 1000, 2, output=PAIRS, dtype="float32")
    assert command(asked) == (
        "nodewright generate rfft --size 1000 --ranks 2 --output cyclic-pairs --dtype float32"
    )
    assert nw.rfft(1000, 2, output=PAIRS, dtype="float32").text == emit(resolve(asked))
