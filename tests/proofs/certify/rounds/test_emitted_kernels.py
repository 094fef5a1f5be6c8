"""Programs with compiled kernels, evaluated: exact data come out as declared, on all ranks, and
ordinary numbers have the bits that CPython computes with the same operations.
"""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import SHARED
from tests.support.evaluated import same_bits
from tests.support.paths import ROOT
from tests.support.programs import fft, fht, hypercube, permute
from tests.support.rounds import in_numbers, is_right

NUMBA = {"kernels": "numba"}
GENERATED = {
    path.stem: path.read_text("utf-8") for path in sorted((ROOT / "generated").glob("*numba*.py"))
}
REQUESTED = {
    "fft 4096 on 2": lambda: fft(4096, 2, **NUMBA),
    "fft 64 on 1": lambda: fft(64, 1, **NUMBA),
    "fft 256 on 16": lambda: fft(256, 16, **NUMBA),
    "fft 1000 on 2": lambda: fft(1000, 2, **NUMBA),
    "fft 2187 on 3": lambda: fft(2187, 3, **NUMBA),
    "fft shared": lambda: fft(1024, 4, exchange=SHARED, **NUMBA),
    "fft backward": lambda: fft(1024, 4, direction="backward", norm="ortho", **NUMBA),
    "fft of single precision": lambda: fft(1024, 4, dtype="complex64", **NUMBA),
    "fft by butterflies": lambda: fft(256, 2, local="butterflies", **NUMBA),
    "fft for caches": lambda: fft(4096, 2, local="cache-friendly", **NUMBA),
    "fft of a batch": lambda: fft(1536, 4, batch=6, **NUMBA),
    "fft of two axes": lambda: fft(3072, 8, shape=(64, 48), grid=(4, 2), **NUMBA),
    "rfft": lambda: emit(resolve(make_request("rfft", 1024, 4, **NUMBA))),
    "fht": lambda: fht(64, 4, **NUMBA),
    "fht group-cyclic": lambda: fht(1024, 4, algorithm="group-cyclic", **NUMBA),
    "fht with convolve": lambda: fht(64, 4, convolve=True, **NUMBA),
    "ntt": lambda: emit(resolve(make_request("ntt", 64, 4, modulus=2113929217, **NUMBA))),
    "hypercube": lambda: hypercube(64, 4, "3", **NUMBA),
    "bits reversed": lambda: permute("bit-reversal", 4096, 4, **NUMBA),
    "bytes": lambda: permute("bit-reversal", 4096, 4, dtype="uint8", **NUMBA),
    "complex elements": lambda: permute("bit-reversal", 1024, 2, dtype="complex128", **NUMBA),
    "few elements": lambda: permute("bit-reversal", 64, 4, dtype="float32", **NUMBA),
    "Gray's kernel": lambda: permute("gray-code", 256, 2, kernels="gray"),
}


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_program_is_right(name):
    assert is_right(GENERATED[name], times=2)


@pytest.mark.sampled(2)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("name", REQUESTED)
def test_a_requested_program_is_right(name):
    assert is_right(REQUESTED[name]())


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize("name", ["fft 4096 on 2", "fht", "fft 1000 on 2"])
def test_a_program_is_right_with_vectors_of_fewer_lanes(name, lanes):
    assert is_right(REQUESTED[name](), lanes=lanes)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", GENERATED)
def test_numbers_of_a_generated_program_have_the_bits_of_cpython(name, monkeypatch):
    assert same_bits(*in_numbers(GENERATED[name], monkeypatch))


@pytest.mark.sampled(4)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", REQUESTED)
def test_numbers_of_a_requested_program_have_the_bits_of_cpython(name, monkeypatch):
    assert same_bits(*in_numbers(REQUESTED[name](), monkeypatch))
