"""Certificates of cosine and sine transforms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from derive.fields import RootField
from derive.verdict import Checked
from proofs.certify.declared_constants import declared
from proofs.certify.exact.constants import Recognizer
from tests.support.certified import HOLDS, fate_of
from tests.support.evaluated import executed
from tests.support.judged import verdicts

BACK = {"direction": "backward"}
PROGRAMS = {
    "cosines": ("dct", 12, 2, {}),
    "cosines back": ("dct", 15, 2, BACK),
    "orthonormal sines": ("dst", 12, 3, {"norm": "ortho"}),
    "orthonormal sines of type III": ("dst", 12, 2, {"norm": "ortho", "type": "3"}),
    "sines of type III back": ("dst", 30, 2, {"type": "3", "norm": "forward", **BACK}),
    "a prime vector": ("dct", 7, 2, {"type": "3", "norm": "ortho"}),
    "axes": ("dst", "4x5x3", 2, {"axes": "0,2", "dtype": "float32"}),
    "a batch": ("dct", "4x5", 2, {"type": "3"}),
    "one rank": ("dct", 10, 1, {}),
    "compiled": ("dct", "8x34", 2, {"kernels": "numba"}),
}


def emitted(system, size, ranks, words):
    return emit(resolve(make_request(system, **stated(size, ranks), **words)))


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_generated_program_holds_at_the_cost_of_its_supersteps(name, tmp_path):
    source = emitted(*PROGRAMS[name])
    whole = fate_of(source, tmp_path)
    assert whole.fate == HOLDS
    found = verdicts(source, short=True)
    assert isinstance(found["main"], Checked)
    assert "counted from the factorization" in found["cost"].statement


def test_a_program_of_one_axis_needs_no_shape(tmp_path):
    lines = emitted("dct", 12, 2, {}).splitlines(keepends=True)
    source = "".join(line for line in lines if not line.startswith(("SHAPE", "BATCH", "AXES")))
    assert "GRID =" not in source
    assert fate_of(source, tmp_path).fate == HOLDS


def test_coefficients_of_several_axes_do_not_overflow_at_the_edges_of_a_type(tmp_path):
    for shape in ("2x3x2", "1x1x2x1"):
        assert fate_of(emitted("dct", shape, 1, {}), tmp_path).fate == HOLDS


WRONG = {
    "another order": ("2 * k, 2 * (12 - k) - 1", "2 * k, 2 * (12 - k) - 2", "function"),
    "an angle of half a step": ("root_of_unity(36 + (k", "root_of_unity(35 + (k", "function"),
    "half of it": (" // 4 + k % 4 * 3), 48) * 2)", " // 4 + k % 4 * 3), 48))", "function"),
    "parts exchanged": ("+ k // 3 * 2 + 1, ", "+ k // 3 * 2, ", "function"),
    "another type": ('"forward", "backward", "2"', '"forward", "backward", "3"', "function"),
    "a sine transform": ('TYPE = "dct"', 'TYPE = "dst"', "function"),
    "another norm": ('"forward", "backward", "2"', '"forward", "ortho", "2"', "function"),
    "other words": ("2 cos(pi k (2 j + 1) / 2 n)", "2 cos(pi k (2 j + 1) / n)", ""),
}  # fmt: skip
"""What may be otherwise in a cosine transform of 12 elements on 2 ranks, and what refutes it."""


@pytest.mark.parametrize("name", WRONG)
def test_a_program_with_an_error_does_not_hold(name, tmp_path):
    old, new, verdict = WRONG[name]
    source = emitted("dct", 12, 2, {})
    assert source.count(old) == 1
    found = fate_of(source.replace(old, new), tmp_path)
    assert found.fate != HOLDS
    if verdict:
        assert verdict in found.verdicts


@pytest.mark.parametrize(
    "name", ["orthonormal sines", "a prime vector", "axes", "sines of type III back"]
)
def test_powers_and_extended_precision_are_transformed_by_the_same_matrix(name):
    d = declared(vars(executed(emitted(*PROGRAMS[name]))))
    random = np.random.default_rng(0)
    recognizer = Recognizer(RootField.draw(d.order, random))
    _, columns = d.units(recognizer)
    x, y = d.powers(recognizer, random)
    wanted = sum(columns[:, 0, j] * int(x[j, 0, 0]) % recognizer.field.q for j in range(d.N))
    assert (wanted % recognizer.field.q == y[:, 0, 0]).all()
    given = random.standard_normal(d.whole)
    function = getattr(scipy.fft, f"{'i' * (d.sign > 0)}{d.transform}n")
    by_scipy = function(given, int(d.type), axes=d.along, norm=d.norm)
    assert np.allclose(d.reference(given.reshape(-1)), by_scipy.reshape(-1), rtol=1e-12)
