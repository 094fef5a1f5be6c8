"""The last section is one text in all programs of a kind, and the certifier knows it."""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.shapes import stated
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from proofs.certify.last_section import KNOWN, digest_of, section_of

REVERSAL = Bmmc(bmmc.named("bit-reversal", 8), "bit-reversal")
OF_KIND = {
    "fft": [
        Spec("fft", 1024, 4),
        Spec("fft", 64, 1, "cyclic", direction="backward", norm="ortho", dtype="complex64"),
        Spec("fft", 1000, 2),
        Spec("fft", 1024, 4, exchange="shared"),
        Spec("fft", 1024, 4, exchange="overlapped"),
        Spec("fft", 1024, 4, local="butterflies"),
        Spec("fft", 1024, 4, kernels="numba"),
        Spec("fft", 1024, 4, kernels="pyfftw"),
        Spec("hypercube-fft", 1024, 8, "bit-reversed", "scrambled", scheme="5r"),
    ],
    "fft of arrays": [
        Spec("fft", **stated("12x10", 2)),
        Spec("fft", **stated(16, 4, 3), input="cyclic", direction="backward", dtype="complex64"),
        Spec("fft", **stated("8x8x8", "4x2x1", 5), norm="ortho"),
    ],
    "fht": [
        Spec("fht", 1024, 4),
        Spec("fht", 1024, 4, algorithm="group-cyclic", direction="backward", norm="ortho"),
        Spec("fht", 2**16, 2, convolve=True, dtype="float32"),
        Spec("fht", 64, 1),
    ],
    "fht with result dft": [
        Spec("fht", 1024, 4, result="dft"),
        Spec("fht", 2**16, 2, algorithm="group-cyclic", result="dft", dtype="float32"),
    ],
    "fht with result power": [
        Spec("fht", 1024, 4, result="power"),
        Spec("fht", 2**16, 2, algorithm="group-cyclic", result="power", dtype="float32"),
    ],
    "fht of arrays": [
        Spec("fht", **stated(16, 4, 2)),
        Spec("fht", **stated(27, 3, 4), input="cyclic", direction="backward", dtype="float32"),
        Spec("fht", **stated(5, 1, 2), norm="ortho"),
    ],
    "fht of axes": [
        Spec("fht", **stated("8x6", 2)),
        Spec("fht", **stated("9x16", "3x4", 2), input="cyclic", direction="backward"),
        Spec("fht", **stated("4x4x3", 1, 3), norm="ortho", dtype="float32"),
    ],
    "rfft": [
        Spec("rfft", 1000, 2),
        Spec("rfft", 1000, 5, "cyclic-pairs", direction="backward", norm="ortho", dtype="float32"),
        Spec("rfft", 16, 4),
    ],
    "permute": [
        Spec("permute", 256, 4, permutation=REVERSAL),
        Spec("permute", 256, 4, permutation=REVERSAL, dtype="S3", exchange="pairwise"),
        Spec("permute", 256, 4, permutation=REVERSAL, exchange="shared"),
        Spec("permute", 256, 4, permutation=REVERSAL, kernels="numba"),
        Spec("permute", 256, 4, permutation=REVERSAL, kernels="gray"),
    ],
}
"""Requests of each kind, among them all that could make a difference."""


@pytest.mark.parametrize("kind", OF_KIND)
def test_a_kind_has_one_last_section_which_the_certifier_knows(kind: str) -> None:
    digests = {digest_of(section_of(emit(spec))) for spec in OF_KIND[kind]}
    assert {digest: KNOWN.get(digest) for digest in digests} == dict.fromkeys(digests, kind)
    assert len(digests) == 1


def test_the_certifier_knows_no_other_section() -> None:
    assert sorted(KNOWN.values()) == sorted(OF_KIND)
