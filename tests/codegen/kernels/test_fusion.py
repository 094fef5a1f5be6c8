"""Rearrangements that compiled kernels do with their loads and stores: the supersteps still mean
what they did, and cost what they did.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from codegen.cost.counted import count, relations
from codegen.emit import digit_steps
from codegen.emit.steps import channels
from codegen.kernels.fusion import fused
from codegen.program.meaning import check
from codegen.systems.exchanges import EXCHANGES, OVERLAPPED, SHARED
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import named
from derive.papers.hypercube import SCHEMES
from derive.verdict import Checked, Refuted
from tests.support.programs import build

SIZES = ((64, 1), (64, 2), (64, 4), (256, 8))
BLOCKS, CYCLIC = ("block", "block"), ("cyclic", "cyclic")
FORMS = {
    "fft": [(ends, {}) for ends in (BLOCKS, CYCLIC)],
    "fft of butterflies": [
        (ends, {"local": local})
        for ends in (BLOCKS, CYCLIC, ("bit-reversed", "cyclic"))
        for local in ("butterflies", "cache-friendly:4")
    ],
    "hypercube-fft": [
        (ends, {"scheme": scheme})
        for ends in (BLOCKS, ("bit-reversed", "scrambled"))
        for scheme in SCHEMES
    ],
    "fht": [(BLOCKS, {}), (CYCLIC, {})],
    "fht by one exchange": [(BLOCKS, {"algorithm": "group-cyclic"})],
    "permute": [(BLOCKS, {"permutation": name}) for name in ("bit-reversal", "gray-code")],
}
OTHERS = {"fft": [SHARED], "fft of butterflies": [SHARED], "fht": [OVERLAPPED], "permute": [SHARED]}
EVERY = [(form, way) for form in FORMS for way in (*EXCHANGES, *OTHERS.get(form, ()))]
KINDS = {*digit_steps.STAGES, *channels.MACROS}
"""The kinds of supersteps that have lines."""
DROPPED = {"reverses": False, "parts": 1}


def programs(form, exchange):
    """Yield programs of this form with compiled kernels."""
    for (N, P), (ends, options) in product(SIZES, FORMS[form]):
        if name := options.get("permutation"):
            options = {"permutation": Bmmc(named(name, N.bit_length() - 1), name)}
        yield build(form.split()[0], N, P, *ends, exchange, kernels="numba", **options)


@pytest.mark.sampled(2)
@pytest.mark.sampled(8, rest="long")
@pytest.mark.parametrize(("form", "exchange"), EVERY)
def test_fused_steps_are_of_the_grammar_compute_the_equation_and_cost_what_they_did(form, exchange):
    for program in programs(form, exchange):
        made = fused(program)
        assert {type(step) for step in made.steps} <= KINDS, made.request
        assert isinstance(check(made), Checked), made.request
        assert (count(made), relations(made)) == (count(program), relations(program))


def parts_dropped(program):
    """Yield the program without one thing that a step does with its loads or stores."""
    for i, step in enumerate(program.steps):
        for name, nothing in DROPPED.items():
            if vars(step).get(name, nothing) != nothing:
                left = replace(step, **{name: nothing})
                yield replace(program, steps=(*program.steps[:i], left, *program.steps[i + 1 :]))


@pytest.mark.parametrize("form", ["fft", "fft of butterflies", "hypercube-fft"])
def test_steps_that_leave_out_what_is_fused_are_refuted(form):
    made = map(fused, programs(form, "alltoall"))
    found = [check(without) for program in made for without in parts_dropped(program)]
    assert found and all(isinstance(verdict, Refuted) for verdict in found)
