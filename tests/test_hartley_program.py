"""The Hartley transform as a program between layouts: exact, refuted when changed, and counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from codegen import hartley
from codegen.hartley import build, check, count
from derive.hartley_ranks import words
from derive.verdict import Checked, Refuted

SIZES = [(1 << n, 1 << p) for n in range(1, 8) for p in range(n)]


@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize(
    ("before", "after"), [("block", "hartley"), ("cyclic", "block"), ("hartley-input", "cyclic"), ("bit-reversed", "bit-reversed")]
)
def test_the_program_computes_the_transform_between_any_layouts(N, P, before, after):
    verdict = check(build(N, P, before, after))
    assert isinstance(verdict, Checked)
    assert verdict.error == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda program: replace(program, before=replace(program.before, steps=())),
        lambda program: replace(program, before=build(64, 8, "cyclic").before),
        lambda program: replace(program, after=None),
        lambda program: replace(program, after=build(64, 8, "block", "cyclic").after),
    ],
)
def test_a_wrong_move_is_refuted(damage):
    program = build(64, 8, "block", "bit-reversed")
    damaged = damage(program)
    if damaged.after is None:
        assert damaged.output.name == "hartley"
        assert isinstance(check(damaged), Checked)
        damaged = replace(damaged, after=replace(program.after, steps=()))
    if damaged.before.input.name == "cyclic":
        damaged = replace(damaged, before=replace(damaged.before, input=program.input))
    if damaged.after.output.name == "cyclic":
        damaged = replace(damaged, after=replace(damaged.after, output=program.output))
    assert isinstance(check(damaged), Refuted)


def test_a_wrong_partner_on_the_way_to_cyclic_is_refuted(monkeypatch):
    assert isinstance(check(build(64, 8, "block", "cyclic")), Checked)
    monkeypatch.setattr(hartley, "cyclic_partner", lambda rank, P: rank ^ 1)
    assert isinstance(check(build(64, 8, "block", "cyclic")), Refuted)


def test_costs_are_those_of_the_paper_in_its_own_layouts():
    for N, P in SIZES:
        p = P.bit_length() - 1
        cost = count(build(N, P, "hartley-input"))
        assert (cost.exchanges, cost.messages) == (p, p)
        assert cost.words == max(words(rank, N, P) for rank in range(P))
        turned = count(build(N, P, "hartley-input", "cyclic"))
        assert turned.exchanges == p + (P > 2)
        assert turned.words - cost.words == (N // (2 * P) if P > 2 else 0)


def test_the_cost_of_other_layouts_is_added_rank_by_rank():
    block, own = count(build(1024, 8)), count(build(1024, 8, "hartley-input"))
    assert (block.exchanges, block.messages, block.words) == (own.exchanges + 1, own.messages + 2, own.words + 128)
    assert block.flops == own.flops


def test_wrong_layouts_and_sizes_are_refused():
    with pytest.raises(ValueError, match="unknown layout 'hartley'"):
        build(16, 4, "hartley")
    with pytest.raises(ValueError, match="P <= N/2"):
        build(16, 16)


def test_counting_needs_no_data():
    cost = count(build(2**40, 2**20))
    assert cost.exchanges == 21
    assert np.isfinite(cost.flops)
