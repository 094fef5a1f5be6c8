"""Transforms of the largest numbers overflow no earlier than numpy's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.shapes import stated
from codegen.systems.record import Request
from tests.support import worlds
from tests.support.arrays import hartley, transformed
from tests.support.programs import module_of

LARGEST = 0.99 * np.finfo(float).max
BACK = {"direction": "backward"}
HARTLEY = [
    make_request("fht", **stated(36, 3), output="cyclic", **BACK),
    make_request("fht", **stated(36, 3), output="cyclic", kernels="numba", **BACK),
    make_request("fht", **stated(36, 3), input="cyclic", norm="ortho", **BACK),
    make_request("fht", **stated(48, 4, 2), input="cyclic", output="cyclic", **BACK),
    make_request("fht", **stated(12, 2, 4), **BACK),
]


@pytest.mark.sampled(8, rest="long")
@pytest.mark.parametrize("asked", HARTLEY, ids=command)
@pytest.mark.parametrize("at", [0, 1, -1])
def test_hartley_transforms_do_not_overflow(asked: Request, at: int) -> None:
    x = np.zeros(asked.whole)
    x[..., at] = LARGEST
    norm = {"backward": "forward"}.get(asked.norm, asked.norm)
    assert np.allclose(transformed(asked, x) / LARGEST, hartley(x / LARGEST, (-1,), norm=norm))


def half_spectrum(x: Any) -> Any:
    """Return the half spectrum of x as a program makes it: X[0] beside X[N/2]."""
    X = np.fft.rfft(x)
    X[0] = X[0].real + 1j * X[-1].real
    return X[:-1].view(float)


@pytest.mark.parametrize("N", [24, 72])
@pytest.mark.parametrize("at", [0, 1, -1])
def test_half_spectra_do_not_overflow(N: int, at: int) -> None:
    x = np.zeros(N)
    x[at] = LARGEST
    found = run(make_request("rfft", N, 2), x)
    assert np.allclose(found / LARGEST, half_spectrum(x / LARGEST))


def test_elements_of_the_largest_half_spectra_do_not_overflow() -> None:
    X = np.zeros(24)
    X[:2] = LARGEST  # of X[0] and X[12], which are real
    spectrum = np.append(X.view(complex), LARGEST)
    spectrum[0] = LARGEST
    wanted = np.fft.irfft(spectrum / LARGEST)
    found = run(make_request("rfft", 24, 2, direction="backward"), X)
    assert np.allclose(found / LARGEST, wanted)


def run(asked: Request, x: Any) -> Any:
    """Return what the program for real input makes of a vector on ranks in one process."""
    program, found = module_of(emit(resolve(asked))), np.empty_like(x)

    def body(comm: Any) -> None:
        plan, every = program.plan(comm), np.arange(asked.M)
        y = program.transform(x[program.input_index(comm.rank, every)], plan)
        found[program.output_index(comm.rank, every)] = y
        plan.free()

    worlds.run(asked.P, body)
    return found
