"""Transforms by digits send no more words than in any phases that are stated, at as many exchanges:
all ways to cut each axis into as many sizes as there are phases are tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from math import prod

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.program.digits.digit_places import Digit, placed
from codegen.program.digits.digit_supersteps import Trade
from codegen.program.digits.lower import lowered
from codegen.program.digits.routes import route_search
from codegen.program.digits.routes.axis_cuts import Phases, fit
from codegen.program.digits.routes.fillings import Fillings, Progress
from codegen.program.digits.routes.route_search import Route, routes
from codegen.program.meaning import check
from codegen.program.protocol import Step
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import divisors

Request = tuple[tuple[int, ...], tuple[int, ...], str, str]
"""The shape, the grid, and the layouts of input and output."""
CASES: list[Request] = [
    ((36, 24), (3, 4), "cyclic", "cyclic"),
    ((4, 24, 6), (1, 6, 2), "cyclic,cyclic,block", "cyclic"),
    ((16, 2), (4, 1), "block,cyclic", "block"),
    ((48, 2), (4, 2), "cyclic", "block,cyclic"),
    ((4, 24), (4, 2), "cyclic", "block"),
    ((8, 4), (2, 4), "cyclic,block", "block"),
    ((32,), (8,), "block", "cyclic"),
    ((144,), (6,), "group-cyclic:3", "group-cyclic:3"),
    ((392,), (28,), "block", "cyclic"),
]
SIZES = (4, 6, 8, 9, 12, 16, 18, 24, 30, 36, 48, 60, 72, 96)


def drawn(count: int, most: int) -> list[Request]:
    """Return so many requests of one to three axes, of so many elements at most."""
    draw, found = random.Random(5), list[Request]()
    while len(found) < count:
        shape = tuple(draw.choice(SIZES) for _ in range(draw.choice((1, 2, 2, 3))))
        grid = tuple(draw.choice(divisors(n)) for n in shape)
        ends = (",".join(draw.choice(("block", "cyclic")) for _ in shape) for _ in range(2))
        if prod(shape) <= most and 1 < prod(grid) ** 2 <= 4 * prod(shape):
            found.append((shape, grid, *ends))
    return found


def layouts(request: Request) -> tuple[ArrayLayout, ArrayLayout]:
    shape, grid, given, wanted = request
    return ArrayLayout(given, shape, grid), ArrayLayout(wanted, shape, grid)


def sent(steps: tuple[Step, ...], P: int) -> tuple[int, int, int]:
    """Return the exchanges, and the words and messages of the rank that sends most."""
    trades = [step.sent(np.arange(P)) for step in steps if isinstance(step, Trade)]
    words, messages = (int(sum(each[i] for each in trades).max()) for i in (1, 0))
    return len(trades), words, messages


def factorizations(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ordered factorizations of a number into so many factors at most.

    >>> list(factorizations(4, 2))
    [(4,), (2, 2)]
    """
    yield (n,)
    for first in divisors(n)[1:-1] if most > 1 else ():
        yield from ((first, *rest) for rest in factorizations(n // first, most - 1))


def better(request: Request) -> tuple[Phases, tuple[int, int]] | None:
    """Return phases that send less than the default, with the exchanges and words they take."""
    source, target = layouts(request)
    try:
        least = sent(lowered(source, target), source.P)[:2]
    except ValueError:  # there is no way
        return None
    for phases in product(*(factorizations(n, least[0] + 1) for n in source.shape)):
        if fit(source, target, phases):
            try:
                found = sent(lowered(source, target, phases), source.P)[:2]
            except ValueError:  # in these phases
                continue
            if found < least:
                return phases, found
    return None


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("request_", CASES, ids=str)
def test_no_phases_send_less(request_: Request) -> None:
    assert better(request_) is None


@pytest.mark.sampled(8)
@pytest.mark.long
@pytest.mark.parametrize("request_", drawn(300, 400), ids=str)
def test_no_phases_of_any_request_send_less(request_: Request) -> None:
    assert better(request_) is None


MIRRORED = [
    (64, 16, "scrambled", "block", (4, 11, 10)),
    (64, 16, "f:1", "block", (4, 11, 10)),
    (256, 16, "f:1", "group-cyclic:4", (3, 31, 17)),
    (32, 8, "cyclic", "group-cyclic:4", (3, 8, 6)),
]
"""Vectors whose best route is found from the output to the input, and what it sends."""


@pytest.mark.parametrize(("N", "P", "before", "after", "least"), MIRRORED)
def test_a_route_sends_no_more_than_the_one_in_the_other_direction(
    N: int, P: int, before: str, after: str, least: tuple[int, int, int]
) -> None:
    program = resolve(make_request("fft", N, P, before, after))
    cost = count(program)
    assert (cost.exchanges, cost.words, cost.messages) == least
    assert check(program).holds
    assert count(resolve(make_request("fft", N, P, after, before))).words == cost.words


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("request_", drawn(60, 400), ids=str)
def test_no_price_is_above_that_of_the_other_direction(request_: Request) -> None:
    source, target = layouts(request_)
    there, back = routes(source, target)[:1], routes(target, source)[:1]
    assert [route.price for route in there] == [route.price for route in back]


def forget() -> None:
    for known in (lowered, routes):
        known.cache_clear()


@pytest.fixture(autouse=True)
def is_forgotten() -> Iterator[None]:
    yield
    forget()


def test_where_axes_are_cut_as_layouts_are_alone_phases_send_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(route_search, "FEW", (0, 0))
    forget()
    assert better(((16, 2), (4, 1), "block,cyclic", "block")) is not None


def price_and_sent(route: Route, source: ArrayLayout) -> tuple[int, int, int]:
    """Return what the price of a route says that its program sends."""
    exchanges, words, messages = route.price
    return exchanges, words * source.M // source.P, messages


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("request_", [*CASES, *drawn(40, 2000)], ids=str)
def test_the_price_of_a_route_is_what_its_program_sends(request_: Request) -> None:
    source, target = layouts(request_)
    if found := routes(source, target):
        steps = lowered(source, target)
        assert price_and_sent(found[0], source) == sent(steps, source.P)


def test_digits_come_where_they_are_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = layouts(((576,), (8,), "group-cyclic:2", "group-cyclic:2"))
    least = routes(source, target)[0].price
    assert least == (3, 15, 9)

    def elsewhere(
        ranks: tuple[Digit, ...], content: tuple[Digit, ...], home: tuple[Digit, ...]
    ) -> tuple[Digit, ...]:
        return placed(ranks, content, ranks)

    monkeypatch.setattr(route_search, "_placed", elsewhere)
    forget()
    assert routes(source, target)[0].price > least


def prices(requests: list[Request]) -> list[tuple[int, ...] | None]:
    """Return the prices of the best routes, None where there is none."""
    forget()
    several = (routes(*layouts(request)) for request in requests)
    return [found[0].price if found else None for found in several]


def test_what_is_dropped_early_leads_to_nothing_better(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [*CASES, *drawn(20, 300)]
    expected, may_end = prices(requests), Fillings.may_end

    def may_always(self: Fillings, progress: Progress, exchanges: int) -> bool:
        return may_end(self, progress, 1) if exchanges == 1 else exchanges > 0

    monkeypatch.setattr(Fillings, "may_end", may_always)
    assert prices(requests) == expected


def test_dropping_too_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, may_end = prices(CASES), Fillings.may_end

    def seldom(self: Fillings, progress: Progress, exchanges: int) -> bool:
        return may_end(self, progress, exchanges - (1 < exchanges < 3))

    monkeypatch.setattr(Fillings, "may_end", seldom)
    assert prices(CASES) != expected
