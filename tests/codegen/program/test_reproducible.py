"""Phases `reproducible`: every number of ranks gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.record import Request
from proofs.certify.scripts.usage import ONCE
from tests.support.evaluations import evaluated


def bits_of(asked: Request) -> bytes:
    """Return the bits of the transforms of a random vector and of one whose numbers are zeros of
    both signs, in natural order.
    """
    evaluation, d = evaluated(emit(resolve(asked)))
    rng, bits = np.random.default_rng(asked.N), b""
    for parts in (
        rng.standard_normal(2 * asked.N),
        rng.choice([-0.0, 0.0], 2 * asked.N, p=[0.9, 0.1]),
    ):
        x = parts.view(complex).astype(d.dtype)
        [found] = evaluation.of_numbers(d, [x[d.indices("input")]], ONCE, "function")
        y = np.empty_like(x)
        y[d.indices("output")] = found
        bits += y.tobytes()
    return bits


CASES = {
    "cyclic": (128, {"input": "cyclic", "output": "cyclic"}),
    "block": (256, {"exchange": "auto"}),
    "backward, in single precision": (
        256,
        {"input": "cyclic", "dtype": "complex64", "direction": "backward", "norm": "ortho"},
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_every_number_of_ranks_gives_the_same_bits(name):
    N, more = CASES[name]
    P = [1 << p for p in range(N.bit_length() - 3)]
    found = {
        bits_of(make_request("fft", N, p, phases="reproducible", **more))
        for p in P
        if p == 1 or p * 8 <= N
    }
    assert len(found) == 1


@pytest.mark.long
def test_compiled_kernels_do_so_too():
    more = {"phases": "reproducible", "kernels": "numba", "dtype": "complex64"}
    assert len({bits_of(make_request("fft", 128, P, "cyclic", **more)) for P in (1, 8)}) == 1


def test_other_phases_do_not():
    found = {
        bits_of(make_request("fft", 128, P, "cyclic", "cyclic", local="butterflies"))
        for P in (1, 4)
    }
    assert len(found) == 2


def test_a_request_states_what_it_is():
    asked = make_request("fft", 128, 4, phases="reproducible")
    assert (asked.phases, asked.local) == ("reproducible", "butterflies")
    assert "--phases reproducible --local butterflies" in command(asked)


@pytest.mark.parametrize(
    ("P", "more", "words"),
    [
        (32, {}, "4 elements a rank: the same bits for every P need 8"),
        (16, {"kernels": "numba"}, "8 elements a rank: the same bits for every P need 16"),
        (
            2,
            {"kernels": "pyfftw"},
            "local butterflies needs the kernels numpy or numba; got pyfftw",
        ),
        (2, {"local": "cache-friendly"}, "local cache-friendly with phases reproducible"),
        (
            2,
            {"exchange": "overlapped"},
            "exchange overlapped cannot be combined with phases reproducible",
        ),
    ],
)
def test_what_has_other_bits_is_refused(P, more, words):
    with pytest.raises(ValueError, match=words):
        resolve(make_request("fft", 128, P, phases="reproducible", **more))
