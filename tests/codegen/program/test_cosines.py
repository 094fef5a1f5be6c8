"""Cosine and sine transforms: their supersteps, programs and requests."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest
import scipy.fft

import nodewright as nw
from bench.dct import by_scipy
from codegen.cost.counted import relations
from codegen.program.meaning import check
from codegen.program.ragged.cosine_steps import Quarters
from codegen.program.ragged.cosine_trades import CosineTrade, order
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.options import DIRECTIONS, NORMS
from derive.exact.exact_check import check as check_equation
from derive.gf2.bits import Affine
from nodewright.runtime import launch
from tests.support.paths import ROOT
from tests.support.unequal import on_ranks

SYSTEMS, TYPES = ("dct", "dst"), ("2", "3")
ENDS = [*product(("block", "balanced"), repeat=2)]


def requested(system, shape, P, **options):
    N = prod(shape) * max(options.get("batch", 0), 1)
    return resolve(make_request(system, N, P, shape=shape, **options)).request


@pytest.mark.parametrize(("system", "kind"), [*product(SYSTEMS, TYPES)])
def test_supersteps_and_their_equations_are_exact(system, kind):
    for N, P in ((1, 1), (2, 2), (7, 2), (12, 3), (15, 4)):
        program = resolve(make_request(system, N, P, type=kind))
        assert check(program).holds, command(program.request)
        assert check_equation(program.equation).holds
    for shape, P, axes, batch in (((4, 2, 3), 2, "0,2", 0), ((8,), 2, "", 3)):
        program = resolve(requested(system, shape, P, axes=axes, batch=batch, type=kind))
        assert check(program).holds, command(program.request)
        assert check_equation(program.equation).holds


@pytest.mark.parametrize("kind", TYPES)
def test_a_program_without_a_step_is_refuted(kind):
    for shape in ((30,), (4, 6)):
        program = resolve(requested("dct", shape, 2, type=kind))
        for step in program.steps:
            if isinstance(step, Quarters):
                wrong = tuple(each for each in program.steps if each is not step)
                assert check(replace(program, steps=wrong)).kind == "refuted"


def test_elements_of_an_exchange_are_counted_as_they_are_sent_and_received():
    sizes = (30, 2), (36, 5), (35, 3), (64, 4)
    for system, kind, ends, (N, P) in product(SYSTEMS, TYPES, ENDS, sizes):
        program = resolve(make_request(system, N, P, *ends, type=kind))
        traded = [step for step in program.steps if step.exchanges]
        for step, most in zip(traded, relations(program), strict=True):
            if isinstance(step, CosineTrade):
                k = np.arange(step.after.N)
                j, _ = step.source(k)
                there, wanted = j < step.before.N, np.zeros((P, P), int)
                places = step.before.place(j[there])[0], step.after.place(k[there])[0]
                np.add.at(wanted, places, 1)
                assert (np.stack([step.row(rank) for rank in range(P)]) == wanted).all()
                np.fill_diagonal(wanted, 0)
                assert most == max(wanted.sum(axis=0).max(), wanted.sum(axis=1).max())


@pytest.mark.parametrize(("system", "kind", "norm"), [*product(SYSTEMS, TYPES, NORMS)])
def test_programs_are_scipys_in_both_directions(system, kind, norm):
    random = np.random.default_rng(0)
    for (shape, P, batch), direction in product(
        (((30,), 3, 0), ((7,), 2, 0), ((1,), 2, 0), ((4, 5), 2, 2)), DIRECTIONS
    ):
        options = {"type": kind, "norm": norm, "direction": direction, "batch": batch}
        request = requested(system, shape, P, **options)
        x = random.standard_normal(request.whole)
        name = f"{'i' * (direction != DIRECTIONS[0])}{system}n"
        axes = range(len(request.whole) - len(shape), len(request.whole))
        wanted = getattr(scipy.fft, name)(x, int(kind), axes=axes, norm=norm)
        assert np.allclose(on_ranks(request, x), wanted), command(request)


def test_single_precision_is_that_of_the_type():
    x = np.random.default_rng(0).standard_normal(60).astype("float32")
    for system, kind in product(SYSTEMS, TYPES):
        found = on_ranks(requested(system, (60,), 3, type=kind, dtype="float32"), x)
        wanted = by_scipy(system, x, {"batch": None, "axes": (0,), "type": int(kind), "norm": None})
        assert found.dtype == np.float32
        assert np.linalg.norm(found - wanted) < 1e-6 * np.linalg.norm(wanted)


def test_makhouls_order_is_a_bmmc_permutation_of_a_power_of_two():
    for n in range(1, 7):
        found = nw.recognize(np.argsort(order(2**n)))
        assert isinstance(found, Affine) and found.c == 0


def test_an_unknown_type_or_layout_is_refused_in_one_line():
    with pytest.raises(ValueError, match="unknown type '4': choose from 2, 3"):
        nw.dct(16, 2, type=4)
    with pytest.raises(ValueError, match=r"unknown layout 'cyclic'.*block, balanced, whole"):
        nw.dst(16, 2, input="cyclic")
    with pytest.raises(ValueError, match="fft has no option type; only dct and dst have it"):
        nw.fft(16, 2, type=3)
    with pytest.raises(ValueError, match="unknown exchange 'pairwise': choose from auto, alltoall"):
        nw.dct(16, 2, exchange="pairwise")


def _random(count, ranks, *more):
    done = launch.run(
        ROOT / "bench" / "dct.py", [str(count), *more], ranks, capture=True, timeout=280
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["wrong"] == []


def test_random_transforms_on_real_ranks_are_scipys():
    _random(4, 3)


@pytest.mark.long
@pytest.mark.parametrize("ranks", [2, 4, 5])
def test_many_random_transforms_on_real_ranks_are_scipys(ranks):
    _random(60, ranks, str(ranks))


@pytest.mark.long
def test_random_transforms_with_compiled_kernels_are_scipys():
    _random(12, 2, "7", "numba")
