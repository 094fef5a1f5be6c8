"""Overlapped Hartley transforms: what the ranks compute, what it costs, their
certified texts, and damaged ones, which are refused.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.hartley_program import Hartley
from codegen.program.hartley_steps import ListStage
from codegen.program.meaning import check
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import OVERLAPPED
from derive.verdict import Checked, holds
from nodewright.runtime import launch
from proofs.certify.checks.suite import tried
from tests.support.programs import build

pytestmark = pytest.mark.sampled(12)

SIZES = [(4, 2), (16, 8), (64, 1), (64, 8), (128, 2), (256, 16)]
WAYS = [("hartley-input", ""), ("block", "cyclic"), ("hartley", ""), ("hartley", "block")]


@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize("way", WAYS)
def test_an_overlapped_program_is_the_hartley_matrix_at_the_same_cost(N, P, way):
    program = build("fht", N, P, *way, OVERLAPPED)
    assert isinstance(check(program), Checked)
    assert count(program) == count(build("fht", N, P, *way))
    stages = [step for step in program.steps if isinstance(step, ListStage)]
    assert bool(stages) == (P > 1)
    assert all(step.ahead for step in stages)


def test_a_rank_overlaps_the_exchanges_of_single_lists_and_backwards_what_it_has_to_compute():
    assert [Hartley(64, 8, ahead=True).overlapped(rank) for rank in range(8)] == [
        (2, 3, 4),
        (2,),
        (2, 3),
        (2,),
        (2, 3, 4),
        (2,),
        (2, 3),
        (2,),
    ]
    assert [Hartley(64, 8, back=True, ahead=True).overlapped(rank) for rank in (0, 4)] == [
        (3, 2),
        (4, 3, 2),
    ]
    assert Hartley(64, 8).overlapped(0) == ()


def test_one_all_to_all_is_not_overlapped():
    with pytest.raises(
        ValueError, match="overlapped with algorithm group-cyclic: what it sends is there at once"
    ):
        build("fht", 128, 4, "cyclic", "", OVERLAPPED, algorithm="group-cyclic")


@cache
def text(N, P, before="hartley-input", after="", **options):
    return emit(resolve(make_request("fht", N, P, before, after, OVERLAPPED, **options)))


def refuted(program):
    return {
        name: str(verdict)
        for name, verdict in tried("prog.py", program, 0).verdicts.items()
        if not holds(verdict)
    }


@pytest.mark.parametrize("kernels", ["numpy", "numba"])
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((4, 2, "block", "cyclic"), {"dtype": "float32"}),
        ((64, 8), {}),
        ((64, 1), {"result": "dft"}),
        ((128, 4, "hartley", "block"), {"direction": "backward"}),
        ((64, 4, "block"), {"convolve": True}),
    ],
)
def test_an_overlapped_transform_is_certified(arguments, options, kernels):
    program = text(*arguments, kernels=kernels, **options)
    assert ("Isend" in program) == (arguments[1] > 1)
    assert refuted(program) == {}


@pytest.mark.long
@pytest.mark.parametrize(("kernels", "P"), [("numpy", 4), ("numba", 2)])
def test_an_overlapped_transform_runs_on_real_ranks(tmp_path, kernels, P):
    x = np.random.default_rng(1).standard_normal(1024)
    np.save(tmp_path / "X.npy", x)
    (tmp_path / "p.py").write_text(text(1024, P, "block", kernels=kernels), encoding="utf-8")
    done = launch.run(
        tmp_path / "p.py",
        [str(tmp_path / "X.npy"), str(tmp_path / "Y.npy")],
        capture=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    wanted = np.fft.fft(x).real - np.fft.fft(x).imag
    assert np.linalg.norm(np.load(tmp_path / "Y.npy") - wanted) <= 30 * np.finfo(
        float
    ).eps * np.linalg.norm(wanted)
