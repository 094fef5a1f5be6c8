"""Programs in many styles, right and wrong ones, compute what they compute under CPython, or are
undecided.
"""

from __future__ import annotations

import numpy as np
import pytest

from proofs.certify.language.table_entries import Undecided
from tests.support.evaluated import attribute, both, names_of, same_bits
from tests.support.styles import PAIRS, written

PROGRAMS = {
    f"{name}, {kind}": pair[i]
    for name, pair in PAIRS.items()
    for i, kind in ((0, "right"), (1, "wrong"))
}
OUTSIDE = {
    "MPI's timer", "objects that are sent", "arrays of objects",
    "an enumeration", "an abstract class", "a namespace", "fractions", "a generator", "getattr",
    "a sorted set", "numbers in a set", "a stack of ways out", "names of its own",
}  # fmt: skip
"""Styles with a construct that is not in the language, in at least one of the two."""


def transformed(program, comm):
    """Return two transforms of a plan, and a place; or the error that a rank raises."""
    names = names_of(program)
    random = np.random.default_rng(comm.rank)
    x = (random.standard_normal(names["M"]) + 0.5j).astype(names["DTYPE"])
    plan = program.plan(comm)
    results = program.transform(x, plan), program.transform(x, plan), program.input_place(3)
    attribute(program, plan, "free")()
    return results


@pytest.mark.sampled(4)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_in_a_style_computes_what_cpython_does(name, monkeypatch):
    try:
        evaluated, executed = both(written(**PROGRAMS[name]), 2, transformed, monkeypatch)
    except Undecided:
        assert name.rpartition(",")[0] in OUTSIDE
        return
    assert same_bits(evaluated, executed)
