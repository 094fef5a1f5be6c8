"""The search for plans of any size and of several axes: no program in other radices is cheaper."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from codegen.program.digits.lower import said
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.search.digits import DigitPlan, cheapest, sequences_of
from codegen.search.prices import Prices
from codegen.shapes import axes_of
from codegen.systems.record import Request
from derive.digits.radices import divisors

PRICES = [Prices(20000, 8), Prices(1, 1, 1, 1, 1), Prices(0, 50, 0, 0, 0), Prices(3, 0, 0, 1, 0)]
CASES: list[tuple[int, int, str, str, dict[str, Any]]] = [
    (36, 6, "cyclic", "cyclic", {}),
    (72, 6, "block", "cyclic", {}),
    (81, 27, "cyclic", "cyclic", {}),
    (96, 4, "cyclic", "cyclic", {"shape": (8, 12), "grid": (2, 2)}),
    (96, 4, "block", "block", {"shape": (12, 8)}),
    (60, 1, "block", "block", {}),
    (64, 4, "block", "block", {}),
    (64, 8, "cyclic", "cyclic", {"kernels": "numba"}),
    (32, 16, "bit-reversed", "scrambled", {}),
    (64, 8, "block", "scrambled", {}),
    (64, 2, "cyclic", "block", {"kernels": "numba"}),
]


def in_factors(n: int) -> list[tuple[int, ...]]:
    """Return the factorizations of n, in every order."""
    return [(first, *rest) for first in divisors(n)[1:] for rest in in_factors(n // first)] or [()]


def all_plans(asked: Request) -> Iterator[DigitPlan]:
    """Yield the plans in all radices in which there is a program."""
    found = {
        str(plan.key): plan for plan in [DigitPlan(resolve(asked))] * (asked.kernels == "numba")
    }
    for runs in product(*map(in_factors, axes_of(asked))):
        with suppress(ValueError):
            plan = DigitPlan(resolve(replace(asked, phases=said(runs, False))))
            found[str(plan.key)] = plan
    yield from found.values()


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("N", "P", "before", "after", "more"), CASES)
def test_no_program_in_any_radices_is_cheaper(N, P, before, after, more):
    asked = resolve(make_request("fft", N, P, before, after, **more)).request
    every = [plan.figures for plan in all_plans(asked)]
    for prices in PRICES:
        found = cheapest(asked, prices, 4)
        assert len({str(plan.key) for plan in found}) == len(found)
        wanted = sorted(prices.of(figures, asked.M) for figures in every)[:4]
        assert [prices.of(plan.figures, asked.M) for plan in found] == pytest.approx(wanted)


def test_prices_of_messages_lead_to_more_phases():
    asked = make_request("fft", 144, 12, "cyclic", "cyclic")
    one, more = (cheapest(asked, Prices(1, 1, messages), 1)[0] for messages in (0, 1000))
    assert more.figures.messages < one.figures.messages
    assert more.figures.exchanges > one.figures.exchanges


def test_a_long_transform_is_done_in_radices_that_fit_the_cache():
    (plan,) = cheapest(make_request("fft", 10**6, 10), Prices(20000, 8), 1)
    assert max(radix for phase in plan.phases for radices in phase for radix in radices) <= 2**13
    assert plan.figures.passes == 3


@pytest.mark.parametrize(("N", "M"), [(12, 6), (36, 6), (72, 12), (64, 8), (7, 7), (1, 1)])
def test_plans_of_any_size_are_counted(N, M):
    fits = [one for one in in_factors(N) if all(M % radix == 0 for radix in one)]
    assert sequences_of(N, M) == len(fits)
