"""Overlaps: a transform and the trade after it, split by messages, compute the same; where the
split is not legal there is none; texts are certified.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.affine_steps import steps_of
from codegen.program.digits.digit_exchanges import Kept
from codegen.program.digits.digit_supersteps import Trade, Transform, Turn
from codegen.program.meaning import check, interpret
from codegen.program.resolve import resolve
from codegen.program.stages.butterflies import OfHalves
from codegen.program.stages.overlaps import Overlap, last_stages_apart, legal, overlapped
from codegen.requests import make_request
from codegen.systems.exchanges import OVERLAPPED
from derive.digits.radices import reversal
from derive.exact.rings import Monomials
from derive.formula.affine_layouts import named
from derive.formula.grammar import Equation, I, kron
from derive.formula.transforms import F
from derive.verdict import Checked, Refuted, holds
from nodewright.runtime import launch
from proofs.certify.checks.suite import tried
from tests.support.programs import build

pytestmark = pytest.mark.sampled(12)

SIZES = [(4, 2), (16, 2), (64, 4), (64, 8), (16, 8), (64, 1), (32, 16), (256, 8)]
LAYOUTS = [
    ("block", "block"),
    ("cyclic", "cyclic"),
    ("cyclic", "block"),
    ("block", "bit-reversed"),
    ("scrambled", "block"),
]


@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize("layouts", LAYOUTS)
def test_a_transform_overlapped_computes_the_fourier_matrix(N, P, layouts):
    assert isinstance(check(build("fft", N, P, *layouts, OVERLAPPED)), Checked)


@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize("layouts", LAYOUTS)
def test_an_overlap_costs_what_its_two_steps_do(N, P, layouts):
    program = build("fft", N, P, *layouts, OVERLAPPED)
    apart = [
        step
        for found in program.steps
        for step in ((found.transform, found.trade) if isinstance(found, Overlap) else (found,))
    ]
    assert count(program) == count(replace(program, steps=tuple(apart)))
    assert overlapped(tuple(apart)) == program.steps


def overlaps(program):
    return [step for step in program.steps if isinstance(step, Overlap)]


def test_the_first_phase_comes_in_blocks_and_the_last_in_halves():
    first, last = overlaps(build("fft", 256, 8, "cyclic", "block", OVERLAPPED))
    assert (first.transform.copies, first.parts) == (8, 8)
    assert (last.transform.copies, last.transform.d, last.parts) == (1, 2, 2)


def test_one_rank_and_more_ranks_than_fit_overlap_nothing():
    assert overlaps(build("fft", 64, 1, "block", "block", OVERLAPPED)) == []
    assert overlaps(build("fft", 64, 16, "block", "block", OVERLAPPED)) == []


PROGRAM = build("fft", 64, 4, "block", "block", OVERLAPPED)
BLOCKS, HALVES = overlaps(PROGRAM)


EXCHANGE = BLOCKS.trade.exchange
ILLEGAL = {
    "a trade that packs": (BLOCKS.transform, replace(BLOCKS.trade, pack=reversal((2,) * 4))),
    "outputs of F_4 that come all at once": (Transform(None, 1, 4, 4), BLOCKS.trade),
    "a move that stays": (BLOCKS.transform, Turn(reversal((2,) * 4), 4)),
    "ranks that send to other ones than they receive from": (
        BLOCKS.transform,
        replace(
            BLOCKS.trade,
            exchange=replace(EXCHANGE, stay=(Kept(1, 2, 2),), leave=((2, 2),), enter=((1, 2),)),
        ),
    ),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_where_the_split_is_not_legal_there_is_none(name):
    pair = ILLEGAL[name]
    assert overlapped(pair) == pair


def test_both_kinds_are_legal():
    for found in (BLOCKS, HALVES):
        assert legal(found.transform, found.trade)
        assert overlapped((found.transform, found.trade)) == (found,)


def in_place(program, old, new):
    return replace(program, steps=tuple(new if step is old else step for step in program.steps))


MUTANTS = {
    "blocks not exchanged": in_place(PROGRAM, BLOCKS, BLOCKS.transform),
    "blocks not computed": in_place(PROGRAM, BLOCKS, BLOCKS.trade),
    "other blocks": in_place(
        PROGRAM, BLOCKS, replace(BLOCKS, transform=replace(BLOCKS.transform, copies=2, d=8))
    ),
    "no twiddles in the blocks": in_place(
        PROGRAM, BLOCKS, replace(BLOCKS, transform=replace(BLOCKS.transform, diagonal=None))
    ),
    "twiddles after the halves": in_place(
        PROGRAM,
        HALVES,
        replace(HALVES, transform=OfHalves(HALVES.transform.diagonal, 1, 2, 8, after=True)),
    ),
    "halves exchanged with other ranks": in_place(
        PROGRAM,
        HALVES,
        replace(
            HALVES,
            trade=replace(
                HALVES.trade, exchange=replace(HALVES.trade.exchange, enter=((1, 2), (2, 2)))
            ),
        ),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_overlap_is_refuted(name):
    assert isinstance(check(PROGRAM), Checked)
    assert isinstance(check(MUTANTS[name]), Refuted)


@pytest.mark.parametrize(("P", "d", "c"), [(2, 4, 8), (1, 16, 1), (4, 8, 2)])
def test_last_stages_apart_is_the_same_transform(P, d, c):
    formula = kron(I(P), kron(F(d), I(c)))
    apart = last_stages_apart(formula, P)
    layout, ring = named("block", P * d * c, P), Monomials(4 * d)
    x = ring.units(formula.size, range(formula.size))
    program = build("fft", formula.size, P)
    ways = [
        replace(
            program, equation=Equation("", "", formula, way), steps=steps_of(way, layout, layout)
        )
        for way in (formula, apart)
    ]
    one, other = (interpret(replace(way, input=layout, output=layout), x, ring) for way in ways)
    assert np.array_equal(one, other)


def refuted(program):
    return {
        name: str(verdict)
        for name, verdict in tried("prog.py", program, 0).verdicts.items()
        if not holds(verdict)
    }


def text(N, P, *layouts, **options):
    return emit(resolve(make_request("fft", N, P, *layouts, OVERLAPPED, **options)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((64, 4, "block", "block"), {}),
        ((64, 2, "cyclic", "cyclic"), {"direction": "backward"}),
        ((4, 2, "block", "block"), {"dtype": "complex64"}),
        ((128, 8, "cyclic", "block"), {"norm": "ortho"}),
        ((32, 8, "block", "block"), {}),
        ((16, 1, "block", "block"), {}),
    ],
)
def test_an_overlapped_transform_is_certified(arguments, options):
    assert refuted(text(*arguments, **options)) == {}


@pytest.mark.sampled(12)
@pytest.mark.long
def test_an_overlapped_transform_runs_on_real_ranks(tmp_path):
    x = np.random.default_rng(1).standard_normal(1024) + 1j
    np.save(tmp_path / "X.npy", x)
    for P, layouts in ((2, ("block", "block")), (4, ("cyclic", "block"))):
        (tmp_path / "p.py").write_text(text(1024, P, *layouts), encoding="utf-8")
        done = launch.run(
            tmp_path / "p.py",
            [str(tmp_path / "X.npy"), str(tmp_path / "Y.npy")],
            capture=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        y = np.load(tmp_path / "Y.npy")
        assert np.linalg.norm(y - np.fft.fft(x)) <= 80 * np.finfo(float).eps * np.linalg.norm(y)


@pytest.mark.parametrize("kernels", ["numba", "pyfftw"])
def test_kernels_without_parts_are_refused_by_name(kernels):
    with pytest.raises(ValueError, match=f"exchange overlapped with {kernels} kernels"):
        emit(
            resolve(make_request("fft", 2**10, 2, "cyclic", "cyclic", OVERLAPPED, kernels=kernels))
        )


def test_moves_alone_do_not_overlap():
    assert not any(
        isinstance(step, Overlap)
        for step in overlapped(tuple(step for step in PROGRAM.steps if isinstance(step, Trade)))
    )
