"""The arrays of a batch are transformed apart: huge numbers, infinities and NaNs in one change no
bit of the results of the others, in each system with batches, kernels, direction and exchange.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.shapes import stated
from codegen.system_table import ALL
from codegen.systems.options import NORMS
from codegen.systems.record import Request
from codegen.systems.rfft import RFFT
from tests.support.arrays import hartley, transformed

SIZES = {
    1: (["12", "27", "48", "50", "64"], [1, 2, 3, 4]),
    2: (["8x6", "9x4", "12x10", "16x16"], [1, 2, 3, 4]),
    3: (["4x6x8", "8x9x4"], [1, 2, 4]),
}
"""Sizes of so many axes, and numbers of ranks."""
BATCHES = [2, 3, 4, 6]
LAYOUTS = ["block", "cyclic", "cyclic-pairs"]
TYPES = {"fft": ["complex128", "complex64"], "fht": ["float64", "float32"]}


def drawn(system: str, kernels: str, seed: int) -> Request:
    """Return a request for a batch that has a program, the same one every time."""
    rng = Random(f"{system} {kernels} {seed}")
    while True:
        sizes, ranks = SIZES[rng.choice([1, 1, 2, 2, 3])]
        words = {
            "input": rng.choice(LAYOUTS),
            "output": rng.choice(LAYOUTS),
            "direction": rng.choice(["forward", "backward"]),
            "norm": rng.choice(NORMS),
            "dtype": rng.choice(TYPES[system]),
            "exchange": rng.choice(RFFT.arrays.exchanges),
            "kernels": kernels,
        }
        size, P, B = rng.choice(sizes), rng.choice(ranks), rng.choice(BATCHES)
        try:
            request = resolve(make_request(system, **stated(size, P, B), **words)).request
        except ValueError:
            continue  # layouts, ranks or norms that there are not
        if not request.unequal:
            return request


SEEDS = {"numpy": 8, "numba": 1, "pyfftw": 2}
"""How many requests are drawn for each system with these kernels."""
DRAWN = [
    pytest.param(record.name, kernels, seed, marks=[pytest.mark.long] * (kernels == "numba"))
    for record in ALL
    if record.name in TYPES
    for kernels in record.kernels
    for seed in range(SEEDS[kernels])
]
CHOSEN = [
    make_request("fht", **stated(48, 4, 6), input="cyclic", output="cyclic"),
    make_request("fht", **stated(12, 2, 6), output="cyclic", direction="backward"),
    make_request("fht", **stated(12, 2, 4), input="cyclic", direction="backward", norm="ortho"),
    make_request("fht", **stated(27, 3, 5), input="cyclic", kernels="numba"),
    make_request("fht", **stated("9x4", "3x1", 4), input="cyclic", output="cyclic"),
]


def made(asked: Request, x: Any) -> Any:
    """Return what numpy makes of the arrays of a batch."""
    axes, back = range(1, x.ndim), asked.direction == "backward"
    if asked.system == "fft":
        return (np.fft.ifftn if back else np.fft.fftn)(x, axes=axes, norm=asked.norm)
    turned = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
    return hartley(x, axes, norm=turned[asked.norm] if back else asked.norm)


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("asked", CHOSEN, ids=command)
def test_what_one_array_holds_changes_no_other(asked: Request) -> None:
    assert_apart(asked)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("system", "kernels", "seed"), DRAWN)
def test_what_one_array_of_a_request_drawn_at_random_holds_changes_no_other(
    system: str, kernels: str, seed: int
) -> None:
    assert_apart(drawn(system, kernels, seed))


def assert_apart(asked: Request) -> None:
    """AssertionError where one array changes the result of another, or a result is not numpy's."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal(asked.whole)
    if asked.system == "fft":
        x = x + 1j * rng.standard_normal(asked.whole)
    x = x.astype(asked.dtype)
    wanted = transformed(asked, x)[1:]
    reference = made(asked, x)[1:]
    assert np.linalg.norm(wanted - reference) < 1e-5 * np.linalg.norm(reference), command(asked)
    for other in (1e20 * x[0], 0 * x[0], np.full_like(x[0], np.nan), np.full_like(x[0], np.inf)):
        x[0] = other
        with np.errstate(all="ignore"):
            assert np.array_equal(transformed(asked, x)[1:], wanted), command(asked)
