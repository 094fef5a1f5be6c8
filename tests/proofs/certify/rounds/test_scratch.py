"""Rounds that are evaluated at once have copies of a scratch buffer, and leave that of the last."""

from __future__ import annotations

import numpy as np
import pytest

from proofs.certify.language.limits import Limits
from proofs.certify.language.parsed_program import Program, call_of
from tests.support.evaluated import executed
from tests.support.rounds import doors, library

ROUNDS = 64
TEXT = """
import numpy as np
from __vectors__ import compiled, loads, memory_of, store_pairs, times_i

load, load_pairs, broadcast = loads(np.dtype(np.complex128), 4)


@compiled
def kernel(x, y, room, count):
    for at in range(0, count, 8):
{}

def f(x, y, room):
    kernel(memory_of(x), memory_of(y), memory_of(room), len(x))
"""
PUT = "        store_pairs(room, 0, 4, load_pairs(x, at, 4, 1))\n"
TAKE = "        store_pairs(y, at, 4, load_pairs(room, 0, 4, 1))\n"
INNER = """        for j in range(0, 8, 4):
            store_pairs(room, 4, 4, load_pairs(x, at + j, 4, 1))
            v = load_pairs(room, 0, 4, 2)
            store_pairs(y, at + j, 4, (v[0] + v[1],))
"""
AFTER = "    store_pairs(y, 4, 4, load_pairs(room, 0, 4, 2))\n"
EARLIER = "        store_pairs(y, at + 4, 4, load_pairs(room, 4, 4, 1))\n"
SUMMED = """        v = load_pairs(room, 0, 4, 1)[0] + load_pairs(x, at, 4, 1)[0]
        store_pairs(room, 0, 4, (v,))
"""
AT_ONCE = {
    "written and read": PUT + TAKE,
    "read after the loop": PUT + TAKE + AFTER,
    "of two loops": PUT + INNER + AFTER,
}
IN_ORDER = {
    "read before it is written": TAKE + PUT,
    "in part from before the loop": PUT + TAKE + EARLIER,
    "a sum over the rounds": SUMMED + TAKE,
}
PROGRAMS = AT_ONCE | IN_ORDER


def arrays():
    rng = np.random.default_rng(1)
    return [rng.normal(size=size) + 1j * rng.normal(size=size) for size in (8 * ROUNDS,) * 2 + (8,)]


def steps_of(body):
    """Return the arrays after a kernel is evaluated, and the steps that it takes."""
    given, limits = arrays(), Limits()
    state = Program(TEXT.format(body), library(None, 4), ("f",)).load(limits)
    before = limits.all_left
    call_of(state, "f", *given)
    return given, before - limits.all_left


@pytest.mark.parametrize("name", PROGRAMS)
def test_scratch_has_what_cpython_has_there(name, monkeypatch):
    body = PROGRAMS[name]
    found, _ = steps_of(body)
    doors(monkeypatch)
    wanted = arrays()
    executed(TEXT.format(body)).f(*wanted)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", PROGRAMS)
def test_rounds_that_write_scratch_before_they_read_it_are_evaluated_at_once(name):
    assert (steps_of(PROGRAMS[name])[1] < 4 * ROUNDS) == (name in AT_ONCE)
