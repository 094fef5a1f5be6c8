"""The numbers that bound how likely a wrong program passes runs over random fields."""

from __future__ import annotations

from itertools import permutations
from math import log2, prod

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.fields import RootField, progression
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.evaluation import Evaluation, declaration_of
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import to_pair
from proofs.certify.fields.chance import Chance, difference
from proofs.certify.ordinary.stimuli import missed_by_one, stimuli, vectors_of
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts

ABOVE_UNITS = 2048
"""Up to half of this N unit vectors and zero are inputs, too."""

BEGIN = "x, out = arrays(x, plan, out)"
CALLS = {"fft": "np.fft.fft(x, out=out)", "fht": "hartley(x, out)"}


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("system", CALLS)
def test_a_constant_in_place_of_a_number_is_refuted_without_the_zero_vector(system):
    """A vector of powers that begins with t^0 has x_0 = 1."""
    text = emit(resolve(make_request(system, ABOVE_UNITS, 1)))
    found = refuted(changed(text, (BEGIN, f"{BEGIN}\nx = np.array(x)\nx[0] = 1")))
    assert "the output y_" in found["function"]


def test_a_part_of_a_number_that_is_lost_is_refuted_without_unit_vectors():
    """A vector of powers that begins with t^0 has x_0 = 1, without an imaginary part."""
    text = emit(resolve(make_request("fft", ABOVE_UNITS, 1)))
    found = refuted(changed(text, (BEGIN, f"{BEGIN}\nx = np.array(x)\nx.imag[0] = 0")))
    assert "the output y_" in found["function"]


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("system", CALLS)
def test_a_constant_more_is_refuted_without_the_zero_vector(system):
    text, call = emit(resolve(make_request(system, ABOVE_UNITS, 1))), CALLS[system]
    assert "the output y_3 is" in refuted(changed(text, (call, f"{call}\nout[3] += 1")))["function"]


REQUESTS = [
    make_request("fft", 16, 2),
    make_request("fft", 24, 2, shape=(4, 6), direction="backward", norm="ortho"),
    make_request("fht", 16, 2),
    make_request("rfft", 16, 2),
    make_request("rfft", 16, 2, direction="backward"),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=range(len(REQUESTS)))
def test_vectors_of_powers_begin_with_any_number_and_go_where_the_matrix_takes_them(request_):
    d, _ = declaration_of(Evaluation(Text.read("prog.py", emit(resolve(request_)))))
    recognizer = Recognizer(RootField.draw(d.order, np.random.default_rng(2)))
    found, q = stimuli(d, recognizer, np.random.default_rng(3), units=True), recognizer.field.q
    units = found.powers + 1 + np.arange(d.N * d.parts)
    assert [found.unit(int(column)) for column in units[:2]] == [(0, 0), (0, 1)]
    assert (
        found.name(found.powers) == "the zero vector" and not found.given[..., found.powers].any()
    )
    for column in range(found.powers):
        x = found.given[..., column]
        components = to_pair(x[..., None], recognizer.iota, q)[..., 0].T if d.parts == 2 else x.T
        for one in components.astype(object):
            assert one[0] > 1 and not (one[1:-1] ** 2 - one[:-2] * one[2:])[0] % q
        weights = x.T.reshape(-1).astype(object)
        matrix = found.wanted[..., units].astype(object)
        assert np.array_equal((matrix * weights).sum(axis=-1) % q, found.wanted[..., column])


def test_one_vector_is_run_where_it_misses_little():
    for order in (2**12, 2**20):
        assert vectors_of(order, order) == 1
        assert missed_by_one(order) <= 1 / len(progression(order)) / 5
    assert vectors_of(2**20, 2**10) == 2


def test_fields_without_replacement_hide_no_more_than_their_product():
    rng = np.random.default_rng(1)
    for _ in range(50):
        h, c = rng.random(6) ** 3, rng.random(3) / 4
        drawn = permutations(range(6), 3)
        exact = np.mean([prod(h[i] + more for i, more in zip(of, c, strict=True)) for of in drawn])
        assert exact <= prod(h.mean() + more for more in c) + 1e-12


def test_no_more_pairs_hide_a_difference_than_are_counted():
    """A product of w - r, with a root r of unity in each of several fields."""
    order, rng = 16, np.random.default_rng(4)
    roots, phi = np.exp(2j * np.pi / order * np.arange(1, order, 2)), order // 2
    fields = [RootField.draw(order, rng, progression(order)[k : k + 1]) for k in range(5)]
    difference_ = np.ones(phi)
    for field in fields:
        difference_ = difference_ * abs(roots - field.w)
    run = Chance.of(order, order, log2(difference_.max()), False)
    hidden = sum(
        prod(pow(field.w, k, field.q) - other.w for other in fields) % field.q == 0
        for field in fields
        for k in range(1, order, 2)
    )
    assert len(fields) <= hidden <= run.hiding


def test_a_difference_is_hardly_larger_than_what_is_much_the_larger():
    for found, wanted in ((3.0, 3.0), (21.4, 0.0), (-4.0, 2.5)):
        assert 2 ** difference(found, wanted) == pytest.approx(2**found + 2**wanted)
    assert difference(21.4, 0.0) == difference(0.0, 21.4) < 21.4001


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("kernels", "is_certain"), [("numpy", True), ("numba", False)])
def test_the_evidence_and_the_error_say_alike_whether_chance_is_left(kernels, is_certain):
    """Narrower vectors of compiled kernels are run without unit vectors."""
    found = verdicts(emit(resolve(make_request("fft", 16, 2, kernels=kernels))))["function"]
    assert (found.error == 0) == is_certain
    assert found.evidence.count("nothing is left to chance") == 1
    assert ("except with narrower vectors" in found.evidence) != is_certain
