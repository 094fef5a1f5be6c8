"""Certification of what multiplies data by data: power spectra and convolutions."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive import verdict as kind
from derive.fields import RootField
from proofs.certify.checks.suite import tried
from proofs.certify.exact.constants import Recognizer
from proofs.certify.failures import NotModelled
from proofs.certify.fields.hartley_maps import Squares
from proofs.certify.fields.hartley_sums import convolved
from proofs.certify.ordinary.stimuli import stimuli
from proofs.certify.program import certificate_path, certify, verify
from tests.support.changes import changed
from tests.support.judged import refuted


@cache
def text(N=32, P=4, input="block", **options):
    return emit(resolve(make_request("fht", N, P, input, "", **{"result": "power"} | options)))


@pytest.mark.long
def test_a_power_spectrum_is_certified_as_what_it_is(tmp_path):
    path = tmp_path / "power.py"
    path.write_text(text(), encoding="utf-8")
    certificate = certify(path, ran=0)
    function = certificate.verdicts["function"]
    assert certificate.holds and isinstance(function, kind.Checked) and 0 < function.error <= 1e-6
    assert "y_k = |sum_j exp(-2πi jk/32) x_j|^2 for every x" in function.statement
    assert "products of data are followed, degree 4 at most" in function.evidence
    assert "any linear algorithm" not in certificate.verdicts["cost"].evidence
    _, again = verify(path)
    assert all(map(kind.holds, again.values()))
    written = certificate_path(path)
    other = written.read_text(encoding="utf-8").replace("Schwartz and Zippel", "all e_j")
    written.write_text(other, encoding="utf-8")
    with pytest.raises(ValueError, match="function"):
        verify(path)


SQUARES = "first[piece] = second[piece] = 0.5 * (a[piece] ** 2 + b[piece] ** 2)"


def squares(new):
    return SQUARES, SQUARES.replace("0.5 * (a[piece] ** 2 + b[piece] ** 2)", new)


def test_a_degree_that_is_not_followed_is_not_modelled():
    """That of the data is 1 after all exchanges and transforms."""
    fifth = changed(text(), squares("(a[piece] ** 2) ** 2 * b[piece]"))
    with pytest.raises(NotModelled, match="in which 5 factors may depend on x"):
        tried("prog.py", fifth, 0, short=True)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("a[piece] ** 3", r"other than x\*\*2"),
        ("abs(a[piece])", "np.abs of an array that depends on x; the certifier follows"),
    ],
)
def test_a_function_that_is_not_followed_is_not_modelled(new, words):
    with pytest.raises(NotModelled, match=words):
        tried("prog.py", changed(text(), squares(new)), 0, short=True)


def test_what_unit_vectors_do_not_show_is_refused():
    """x_i x_j + x_j x_k - 2 x_i x_k is 0 at every unit vector, and at every vector of equal
    numbers.
    """
    start = "    power(work, out, plan.own.rank)\n"
    terms = "x[1] * x[2] + x[2] * x[3] - 2 * x[1] * x[3]"
    more = f"    if plan.own.rank == 1:\n        out[0] += {terms}\n"
    assert "the output y_" in refuted(changed(text(), (start, start + more)))["function"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kernels": "numba"}, "certify follows products of data only with the kernels numpy"),
        ({"N": 2**21, "P": 2}, "N = 2097152 with RESULT = 'power' is above 1048576"),
    ],
)
def test_a_power_spectrum_that_is_not_followed_is_one_line(options, words):
    with pytest.raises(ValueError, match=r".") as caught:
        tried("prog.py", text(**options), 0)
    assert words in str(caught.value)


def declared(N, norm="backward"):
    names = ("fht", N, 2, "block", "hartley", "numpy", "alltoall", np.dtype("float64"))
    return Squares(*names, "forward", norm, "hypercube", "power")


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_wanted_power_spectra_are_those_of_the_definition(norm):
    N, rng = 16, np.random.default_rng(3)
    d = declared(N, norm)
    recognizer = Recognizer(RootField.draw(d.order, rng))
    q, w = recognizer.field.q, recognizer.field.powers[:: d.order // N]
    found = stimuli(d, recognizer, rng, units=False)
    factor = {"backward": 1, "ortho": pow(N, -1, q), "forward": pow(N, -2, q)}[norm]
    for x, y in zip(found.given[:, 0].T.tolist(), found.wanted[:, 0].T.tolist(), strict=True):
        for k in range(N):
            X, back = (sum(x[j] * int(w[s * j * k % N]) for j in range(N)) for s in (1, -1))
            assert y[k] == factor * X * back % q


# Convolutions


@cache
def convolving(N=32, P=4, input="block", **options):
    return emit(resolve(make_request("fht", N, P, input, "", **{"convolve": True} | options)))


@pytest.mark.long
def test_a_convolution_is_certified_beside_the_transform(tmp_path):
    path = tmp_path / "convolving.py"
    path.write_text(convolving(), encoding="utf-8")
    certificate = certify(path, ran=0)
    found = certificate.verdicts["convolution"]
    assert certificate.holds and isinstance(found, kind.Checked) and 0 < found.error <= 1e-6
    assert list(certificate.verdicts)[-3:] == ["convolution", "main", "ran"]
    assert "by Schwartz and Zippel" in found.evidence
    assert found.evidence.endswith("accurate on random vectors within 5.0 u sqrt(lg N), u = 2^-53")
    _, again = verify(path)
    assert all(map(kind.holds, again.values())) and "convolution" in again


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", ["left out", "another error", "other figures"])
def test_a_certificate_that_says_something_else_of_a_convolution_is_refused(tmp_path, change):
    path = tmp_path / "convolving.py"
    path.write_text(convolving(), encoding="utf-8")
    certify(path, ran=0)
    whole = json.loads(certificate_path(path).read_text(encoding="utf-8"))
    said = whole["predicate"]
    verdict = said["verdicts"]["convolution"]
    if change == "left out":
        del said["verdicts"]["convolution"], said["figures"]["convolution"]
    elif change == "another error":
        verdict["error"] /= 2
    else:
        said["figures"]["convolution"]["fields"] += 1
    certificate_path(path).write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(ValueError, match=r"convolution|fields"):
        verify(path)


@pytest.mark.long
def test_of_compiled_kernels_nothing_is_said_of_convolutions():
    assert (
        "convolution" not in tried("prog.py", convolving(kernels="numba"), 0, short=True).verdicts
    )


BACK = "np.subtract(low, high, out=work[G:])"


@pytest.mark.long
def test_products_of_one_vector_alone_are_no_convolution():
    """What is added is 0 for every pair of vectors of powers of one number each."""
    more = "if plan.own.rank == 1:\n    work[0] += x[1] * x[4] - x[2] * x[3]"
    found = refuted(changed(convolving(), (BACK, f"{BACK}\n{more}")))
    assert "the output y_" in found["convolution"]


def test_wanted_convolutions_are_those_of_the_definition():
    N, d = 16, declared(16)
    recognizer = Recognizer(RootField.draw(16, np.random.default_rng(5)))
    q = recognizer.field.q
    rng = np.random.default_rng(6)
    (x, xy), (y, _), (_, xx) = convolved(d.N, d.followed, recognizer, rng, 2)
    assert x.shape == xy.shape == (N, 1, 2) and x.all()
    for one, other, wanted in ((x, y, xy), (x, x, xx)):
        a, b = one[:, 0].astype(object), other[:, 0].astype(object)
        for k in range(N):
            assert np.array_equal(wanted[k, 0], sum(a[j] * b[k - j] for j in range(N)) % q)


POWER = "    power(work, out, plan.own.rank)\n"
NAN = "    if np.isnan({}).any():\n        out[:] = 0\n"


def test_a_power_spectrum_that_hides_a_nan_is_refused():
    more = changed(text(N=16, P=2), (POWER, f"{POWER}{NAN.format('x')}"))
    assert "finite" in refuted(more)["rounding"]
    right = f"{POWER}{NAN.format('x').replace('= 0', '= np.nan')}"
    assert not refuted(changed(text(N=16, P=2), (POWER, right)))


EDGES = {
    "an intermediate value that overflows": (
        f"    work *= 2.0**6\n{POWER}    out *= 0.5**12\n",
        "",
    ),
    "a result that overflows": (f"{POWER}    out *= 2.0**6\n    out /= 2.0**6\n", "in range"),
    "two NaN": (f"    if np.isnan(x).sum() == 2:\n        work[:] = 0\n{POWER}", "is hidden"),
    "large numbers": (f"    if np.isinf(x * 2.0**530).any():\n        work *= 2\n{POWER}", ""),
}


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("lines", "words"), EDGES.values(), ids=EDGES)
def test_a_power_spectrum_that_is_wrong_at_an_edge_is_refuted(lines, words):
    found = refuted(changed(text(N=16, P=2), (POWER, lines)))
    assert words in found["rounding"]


BEGINS = "    out, b, work = transform(x, plan, out), transform(y, plan), plan.work\n"
PRODUCT = "    product(out, b, out, plan.own.rank)\n"
ZERO = "    if {}:\n        x, y = (np.where(np.isnan(a), 0, a) for a in (x, y))\n"
LARGE = "np.isinf(x * 2.0**{}).any() and not np.isinf(x * 2.0**{}).any()"
CONVOLVED = {
    "impulses that overflow": (PRODUCT, f"    out *= 256\n{PRODUCT}    out /= 256\n", "in range"),
    "two NaN of y": (BEGINS, ZERO.format("np.isnan(y).sum() == 2") + BEGINS, "is hidden"),
    "a NaN of each": (
        BEGINS, ZERO.format("np.isnan(x).any() and np.isnan(y).any()") + BEGINS, "is finite"
    ),
    "one size": (
        BEGINS,
        f"    if {LARGE.format(1000, 900)}:\n        x = -x\n{BEGINS}",
        "for numbers of about",
    ),
}  # fmt: skip


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize("name", CONVOLVED)
def test_a_convolution_that_is_wrong_at_an_edge_is_refuted(name):
    old, new, words = CONVOLVED[name]
    assert words in refuted(changed(convolving(N=16, P=2), (old, new)))["convolution"]


@pytest.mark.long
def test_a_convolution_that_raises_for_a_nan_holds():
    guard = "    if np.isnan(x).any() or np.isnan(y).any():\n        raise ValueError('NaN')\n"
    assert not refuted(changed(convolving(N=16, P=2), (BEGINS, guard + BEGINS)))


@pytest.mark.long
def test_a_convolution_that_hides_a_nan_of_its_second_vector_is_refused():
    last = "    plan.own.Alltoall(work, out)\n"
    more = changed(convolving(N=16, P=2), (last, f"{last}{NAN.format('y')}"))
    assert "finite" in refuted(more)["convolution"]
