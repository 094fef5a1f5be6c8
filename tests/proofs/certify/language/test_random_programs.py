"""Random small programs print what they print under CPython: names, numbers, arrays and errors."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.values.operators import BINARY
from tests.support.evaluated import printed_by_cpython, printed_by_the_evaluator
from tests.support.random_names import EPILOGUE, PROLOGUE
from tests.support.random_programs import DONE, PROGRAMS, RAISED, guarded

QUICKLY = settings(
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
    deadline=None,
    derandomize=True,
)
"""Random programs are short: a failing one is shown as it is."""


def compared(source):
    """Compare what a program prints, and count its statements by how they end; none is counted of
    a program that is undecided.
    """
    wanted = printed_by_cpython(source)
    try:
        found = printed_by_the_evaluator(source)
    except Undecided:
        return Counter(undecided=1)
    assert found == wanted, source[len(PROLOGUE) :]
    return Counter(decided=1, done=wanted.count(DONE), raised=wanted.count(RAISED))


def compared_programs(number):
    """Return the sum of the counts of this number of random programs."""
    counts = Counter()

    @settings(QUICKLY, max_examples=number)
    @given(PROGRAMS)
    def compare(source):
        counts.update(compared(source))

    compare()
    return counts


@pytest.mark.long
def test_random_programs_print_what_cpython_prints_and_most_statements_raise_nothing():
    counts = compared_programs(150)
    assert counts["done"] >= 0.7 * (counts["done"] + counts["raised"])
    assert counts["undecided"] <= 0.2 * (counts["undecided"] + counts["decided"])
    assert counts["done"] >= 500


def test_a_statement_that_raises_an_exception_is_counted():
    statements = [guarded("show(a @ e)"), guarded("show(i + 1)")]
    program = "\n".join([PROLOGUE, *statements, EPILOGUE])
    assert compared(program) == {"decided": 1, "done": 1, "raised": 1}


def test_an_operator_that_computes_something_else_is_found(monkeypatch):
    monkeypatch.setitem(BINARY, ast.Sub, BINARY[ast.Add])
    with pytest.raises(AssertionError, match="- "):
        compared_programs(10)
