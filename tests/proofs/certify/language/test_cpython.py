"""One program with each construct of the language prints what it prints under CPython."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.evaluated import printed_by_cpython, printed_by_the_evaluator

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.txt"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_evaluator_prints_what_cpython_prints(path):
    source = path.read_text(encoding="utf-8")
    wanted = printed_by_cpython(source)
    assert wanted.count("\n") >= 20
    assert printed_by_the_evaluator(source) == wanted
