"""Exchanges by bits and by digits: where a message goes, the target says that it comes from, and
numbers both ways agree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.program import moves
from codegen.program.bits.bit_exchanges import AllToAll
from codegen.program.digits.digit_exchanges import DigitExchange
from codegen.program.digits.digit_supersteps import Trade
from codegen.program.digits.lower import lowered
from codegen.program.protocol import Exchange
from codegen.systems.exchanges import ALL_TO_ALL, EXCHANGES, WAYS
from derive.digits.digit_layouts import ArrayLayout
from derive.gf2.bits import Affine
from tests.support.strategies import FEWER, permutations_over_ranks


def wrong(exchange: Exchange, P: int) -> str:
    """Return the first rule that an exchange between P ranks breaks."""
    messages = exchange.messages
    sent = np.arange(P * messages)
    s = sent // messages
    to, position = exchange.to(sent), exchange.position(sent)
    received = to * messages + position
    if sorted(received.tolist()) != sent.tolist():
        return "two messages come to one place"
    if (exchange.come_from(received) != s).any():
        return "a message comes from another rank"
    if (exchange.arrival(received) != sent % messages).any():
        return "a message has another number"
    away = (to != s).reshape(P, messages).sum(axis=1)
    if exchange.sent(np.arange(P)).tolist() != away.tolist():
        return "another number of messages is counted"
    targets = np.sort(exchange.targets(np.arange(P)[:, None]), axis=1)
    if (targets != np.sort(to.reshape(P, messages), axis=1)).any():
        return "other targets are listed"
    groups = exchange.colour(s) != exchange.colour(to)
    if exchange.by_groups(WAYS[ALL_TO_ALL]) and (groups.any() or (exchange.colour(s) >= P).any()):
        return "a message leaves its group"
    return "not all exchange" if exchange.is_whole and messages != P else ""


@FEWER
@given(permutations_over_ranks(7), st.sampled_from(EXCHANGES))
def test_both_ends_of_an_exchange_by_bits_agree(case: tuple[Affine, int], way: str) -> None:
    address, p = case
    exchange = moves.plan(address, p, way).exchange
    assert exchange is None or wrong(exchange, 1 << p) == ""


ENDS = [
    ((1000,), (10,), "cyclic", "block"),
    ((64,), (16,), "cyclic", "block"),
    ((12, 8, 6), (1, 8, 2), "block", "cyclic"),
    ((16, 36), (4, 6), "cyclic", "block"),
    ((48,), (4,), "group-cyclic:2", "block"),
]


def exchanges() -> list[DigitExchange]:
    return [
        step.exchange
        for shape, grid, *names in ENDS
        for step in lowered(*(ArrayLayout(name, shape, grid) for name in names))
        if isinstance(step, Trade)
    ]


@pytest.mark.parametrize("exchange", exchanges())
def test_both_ends_of_an_exchange_by_digits_agree(exchange: DigitExchange) -> None:
    assert wrong(exchange, exchange.P) == ""


def test_ends_that_do_not_agree_are_found() -> None:
    one = next(each for each in exchanges() if len(each.leave) == 1 and each.stay)
    (weight, radix), *_ = one.leave
    assert wrong(replace(one, leave=((weight * 2, radix),)), one.P)
    assert wrong(replace(one, stay=one.stay[1:]), one.P)
    assert wrong(AllToAll((1, 3), 2), 4)
