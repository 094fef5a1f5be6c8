"""Programs with `--phases reproducible`: certified, and refused where they give other bits."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive import verdict as kind
from proofs.certify.ordinary.reproducible_bits import butterflies, fused
from proofs.certify.program import certificate_path, certify, verify
from proofs.certify.rows import BITS, all_hold
from tests.support.changes import changed
from tests.support.judged import verdicts


def fft(N=32, P=4, layout="cyclic", phases="reproducible", **more):
    return emit(resolve(make_request("fft", N, P, layout, layout, phases=phases, **more)))


@pytest.mark.parametrize("N", [1, 2, 8, 64])
@pytest.mark.parametrize("sign", [-1, 1])
def test_butterflies_are_the_transform(N, sign):
    x = np.random.default_rng(0).standard_normal(N) + 1j
    wanted = np.fft.fft(x) if sign < 0 else np.fft.ifft(x, norm="forward")
    assert np.allclose(butterflies(x, sign), wanted)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_product_and_a_sum_are_rounded_once(kind):
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 2000)).astype(kind)
    c *= 2.0 ** rng.integers(-60, 60, 2000).astype(kind)
    c[::3] = -(a * b)[::3]
    a[:9], b[:9] = np.repeat([-0.0, 0, 1], 3), 1
    c[:9] = [-0.0, 0, -1] * 3
    assert (np.signbit(fused(a, b, c)) == np.signbit(a * b + c))[:9].all()
    for found, *numbers in zip(fused(a, b, c), a, b, c, strict=True):
        x, y, z = (Fraction(float(number)) for number in numbers)
        near = kind(float(x * y + z))
        error = abs(Fraction(float(found)) - (x * y + z))
        for other in (near, np.nextafter(near, -kind(np.inf)), np.nextafter(near, kind(np.inf))):
            assert error <= abs(Fraction(float(other)) - (x * y + z))


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"P": 1, "layout": "block"},
        {"dtype": "complex64", "direction": "backward", "norm": "ortho", "N": 64, "P": 8},
        {"layout": "block", "exchange": "auto", "N": 64},
        {"kernels": "numba", "N": 128, "P": 2},
    ],
)
def test_programs_with_the_same_bits_are_certified(options):
    found = verdicts(fft(**options))
    measured = kind.Undecided if options.get("kernels") == "numba" else kind.Tested
    assert all_hold(found) and isinstance(found[BITS], measured)


COMPILED = {"N": 64, "P": 2, "kernels": "numba"}
WRONG = {
    "another order of a sum": (
        {},
        "    y[:, 0] = a + c\n",
        "    y[:, 0] = (y0 + yw1) + (yw2 + yw3)\n",
    ),
    "other angles": ({}, "np.cos(angle)", "np.sin(np.pi / 2 - angle)"),
    "other phases": (
        {"N": 128, "phases": "8,16", "local": "butterflies"},
        '"8,16"',
        '"reproducible"',
    ),
    "another sign of a zero": ({}, "    y[:, 0] = a + c\n", "    y[:, 0] = a + c + 0\n"),
    "another order of a compiled sum": (
        COMPILED,
        "    return a + c, b + d, a - c, b - d\n",
        "    return (y0 + yw1) + (yw2 + yw3), b + d, a - c, b - d\n",
    ),
    "another sign of a compiled zero": (COMPILED, "times_minus_i(yw1 - yw3)", "times_i(yw3 - yw1)"),
}


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("name", WRONG)
def test_what_is_accurate_and_has_other_bits_is_refused(name):
    options, old, new = WRONG[name]
    program = fft(**options)
    most = options.get("P") if options.get("kernels") == "numba" else None
    assert all_hold(verdicts(program, on_real=most))
    assert program.count(old) == 1
    found = verdicts(changed(program, (old, new)), on_real=most)
    assert not kind.holds(found[BITS]) and " differ" in found[BITS].evidence


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """Return the text of a program with such kernels and its certificate, which is made once."""

    @cache
    def made(kernels):
        path = tmp_path_factory.mktemp(kernels) / "p.py"
        path.write_text(fft(32, 2, kernels=kernels), encoding="utf-8")
        assert certify(path, ran=0).holds
        return path.read_text(encoding="utf-8"), certificate_path(path).read_text(encoding="utf-8")

    return made


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("change", ["nothing", "left out", "another number"])
@pytest.mark.parametrize("kernels", ["numpy", "numba"])
def test_a_certificate_is_compared(certified, tmp_path, change, kernels):
    path = tmp_path / "p.py"
    text, certificate = certified(kernels)
    path.write_text(text, encoding="utf-8")
    certificate_path(path).write_text(certificate, encoding="utf-8")
    whole = json.loads(certificate)
    said = whole["predicate"]["verdicts"]
    if change == "nothing":
        assert BITS in verify(path)[1]
        return
    if change == "left out":
        del said[BITS]
    elif kernels == "numpy":
        said[BITS]["formula"] = said[BITS]["formula"].replace("64", "16")
    else:
        said[BITS]["reason"] += ", or for another reason"
    certificate_path(path).write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(ValueError, match=r"bits|verdicts"):
        verify(path)
