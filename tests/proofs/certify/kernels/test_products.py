"""Twiddles of a long transform that are products of entries of two tables."""

import pytest

from codegen.kernels import fourier
from derive.verdict import holds
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.kernels.vectors import text


@pytest.fixture
def program(monkeypatch):
    """Return a program that is written as those with long parts are."""
    monkeypatch.setattr(fourier, "OF_PRODUCTS", 1)
    return text(8, 2, "cyclic", "alltoall")


def test_long_transforms_of_several_rows_have_two_small_tables(program):
    assert "turns = broadcast(twiddle, 25 + i // 8 * 4, 1, 3)" in program


@pytest.mark.long
def test_products_of_twiddles_are_certified(program):
    assert all(map(holds, verdicts(program).values()))


WRONG = {
    "the same turn for all": ("25 + i // 8 * 4", "25"),
    "the ranks are left out": ("(o % 4) * (o // 4 * 32 + rank)", "(o % 4) * (o // 4 * 32)"),
    "one rotation": ("rotate(rotate(..., ...), turns)", "rotate(..., ...)"),
}


@pytest.mark.sampled(1)
@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_wrong_products_are_refused(program, name):
    assert "function" in refuted(changed(program, WRONG[name]))
