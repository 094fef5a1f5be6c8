"""The last section is one text in all programs of a kind, and the certifier knows it."""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from derive.formula.adjoints import inverted
from derive.formula.grammar import I, kron
from derive.formula.permutation_matrices import Bmmc, L
from derive.formula.transforms import F
from derive.gf2 import bmmc
from proofs.certify.last_section import KNOWN, digest_of, section_of

REVERSAL = Bmmc(bmmc.named("bit-reversal", 8), "bit-reversal")
OF_KIND = {
    "fft": [
        make_request("fft", 1024, 4),
        make_request("fft", 64, 1, "cyclic", direction="backward", norm="ortho", dtype="complex64"),
        make_request("fft", 1000, 2),
        make_request("fft", 1024, 4, exchange="shared"),
        make_request("fft", 1024, 4, exchange="overlapped"),
        make_request("fft", 1024, 4, local="butterflies"),
        make_request("fft", 1024, 4, kernels="numba"),
        make_request("fft", 1024, 4, kernels="pyfftw"),
        make_request("hypercube-fft", 1024, 8, "bit-reversed", "scrambled", scheme="5r"),
    ],
    "fft of arrays": [
        make_request("fft", **stated("12x10", 2)),
        make_request(
            "fft", **stated(16, 4, 3), input="cyclic", direction="backward", dtype="complex64"
        ),
        make_request("fft", **stated("8x8x8", "4x2x1", 5), norm="ortho"),
    ],
    "fht": [
        make_request("fht", 1024, 4),
        make_request("fht", 1024, 4, algorithm="group-cyclic", direction="backward", norm="ortho"),
        make_request("fht", 2**16, 2, convolve=True, dtype="float32"),
        make_request("fht", 64, 1),
    ],
    "fht with result dft": [
        make_request("fht", 1024, 4, result="dft"),
        make_request("fht", 2**16, 2, algorithm="group-cyclic", result="dft", dtype="float32"),
    ],
    "fht with result power": [
        make_request("fht", 1024, 4, result="power"),
        make_request("fht", 2**16, 2, algorithm="group-cyclic", result="power", dtype="float32"),
    ],
    "fht of arrays": [
        make_request("fht", **stated(16, 4, 2)),
        make_request(
            "fht", **stated(27, 3, 4), input="cyclic", direction="backward", dtype="float32"
        ),
        make_request("fht", **stated(5, 1, 2), norm="ortho"),
    ],
    "fht of axes": [
        make_request("fht", **stated("8x6", 2)),
        make_request("fht", **stated("9x16", "3x4", 2), input="cyclic", direction="backward"),
        make_request("fht", **stated("4x4x3", 1, 3), norm="ortho", dtype="float32"),
    ],
    "rfft": [
        make_request("rfft", 1000, 2),
        make_request(
            "rfft", 1000, 5, "cyclic-pairs", direction="backward", norm="ortho", dtype="float32"
        ),
        make_request("rfft", 16, 4),
    ],
    "unequal parts": [
        make_request("fft", **stated("10x7", 3)),
        make_request("fft", **stated("3x4x5", 7, 2), direction="backward", dtype="complex64"),
        make_request("fft", **stated("11x5", 4), input="balanced", output="balanced", axes="1"),
        make_request("rfft", **stated("6x5", 3)),
        make_request("rfft", **stated("6x5x7", "2x2x1"), direction="backward", norm="ortho"),
    ],
    "cosine": [
        make_request("dct", **stated("10x7", 3)),
        make_request("dst", **stated("3x4x5", 7, 2), direction="backward", dtype="float32"),
        make_request("dct", **stated(1000, 3), type="3", norm="ortho"),
        make_request("dst", **stated(7, 1)),
    ],
    "wht": [
        make_request("wht", 1024, 4),
        make_request("wht", 64, 1, "cyclic", direction="backward", norm="ortho", dtype="complex64"),
        make_request("wht", 1024, 4, exchange="shared", kernels="numba"),
    ],
    "ntt": [
        make_request("ntt", 1024, 4, modulus=12289),
        make_request("ntt", 64, 1, "cyclic", direction="backward", modulus=193),
        make_request("ntt", 1024, 4, exchange="shared", modulus=12289),
    ],
    "formula": [
        make_request("formula", 64, 4, formula=inverted(F(64)) @ L(64, 8)),
        make_request("formula", 12, 2, "cyclic", formula=kron(F(6), F(2)), dtype="complex64"),
        make_request("formula", 64, 4, formula=kron(F(8), I(8)), kernels="numba"),
    ],
    "permute": [
        make_request("permute", 256, 4, permutation=REVERSAL),
        make_request("permute", 256, 4, permutation=REVERSAL, dtype="S3", exchange="pairwise"),
        make_request("permute", 256, 4, permutation=REVERSAL, exchange="shared"),
        make_request("permute", 256, 4, permutation=REVERSAL, kernels="numba"),
        make_request("permute", 256, 4, permutation=REVERSAL, kernels="gray"),
    ],
}
"""Requests of each kind, among them all that could make a difference."""


@pytest.mark.parametrize("kind", OF_KIND)
def test_a_kind_has_one_last_section_which_the_certifier_knows(kind: str) -> None:
    digests = {digest_of(section_of(emit(resolve(asked)))) for asked in OF_KIND[kind]}
    assert {digest: KNOWN.get(digest) for digest in digests} == dict.fromkeys(digests, kind)
    assert len(digests) == 1


def test_the_certifier_knows_no_other_section() -> None:
    assert sorted(KNOWN.values()) == sorted(OF_KIND)
