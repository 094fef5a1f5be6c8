"""Transforms of any size and of several axes, lowered by digits: what they compute and send."""

from __future__ import annotations

import tracemalloc
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from codegen.cost.counted import count
from codegen.program.digits.digit_exchanges import DigitExchange
from codegen.program.digits.digit_supersteps import Trade, Transform
from codegen.program.digits.lower import lowered
from codegen.program.digits.routes.route_search import routes
from codegen.program.meaning import check
from codegen.program.moves import plan
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import identity, stride
from derive.exact.complexes import Complexes
from derive.gf2.bits import Affine


def transformed(
    source: ArrayLayout, target: ArrayLayout, x: NDArray[np.complex128]
) -> NDArray[np.complex128]:
    ring, every = Complexes(source.N), np.arange(source.N)
    y = np.empty_like(x)[:, None]
    y[source.address(every)] = x[:, None]
    for step in lowered(source, target):
        y = step.interpret(y, ring)
    return np.asarray(y[target.address(every), 0])


PHASES = [
    ((1000,), (2,), "50,10,2", "cyclic", 1, 3),
    ((1000,), (2,), "2,50,10", "cyclic", 1, 3),
    ((243,), (9,), "3,3,27", "block", 3, 3),
    ((12, 36), (2, 2), "6,2x18,2", "cyclic", 1, 4),
]


@pytest.mark.parametrize(("shape", "grid", "phases", "layout", "exchanges", "count"), PHASES)
def test_phases_have_the_sizes_that_are_stated(
    shape: tuple[int, ...],
    grid: tuple[int, ...],
    phases: str,
    layout: str,
    exchanges: int,
    count: int,
) -> None:
    N, P = prod(shape), prod(grid)
    program = resolve(
        make_request("fft", N, P, layout, layout, phases=phases, shape=shape, grid=grid)
    )
    sizes = [step.d for step in program.steps if isinstance(step, Transform)]
    stated = [int(size) for axis in phases.split("x") for size in axis.split(",")]
    assert sorted(sizes) == sorted(stated) and len(sizes) == count
    assert sum(isinstance(step, Trade) for step in program.steps) == exchanges
    assert check(program).holds


WRONG_PHASES = [
    ({"phases": "8,125"}, "exchange whole digits between the phases; try 500,2 or 2,500"),
    ({"phases": "1000"}, "try 500,2 or 2,500"),
    ({"phases": "10,10"}, "the phases of each axis must have the product of its size"),
    ({"phases": "0,10"}, "the phases of each axis must have the product of its size"),
    ({"phases": "leftmost"}, "give sizes, such as 500,2"),
    ({"phases": "reproducible"}, "give sizes, such as 500,2"),
    ({"phases": "a,b"}, "phases must be a positive integer"),
    ({"phases": "10,10,10", "P": 1}, "try 1000"),
]


@pytest.mark.parametrize(("options", "words"), WRONG_PHASES)
def test_phases_that_do_not_do_are_refused_by_others_that_do(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        resolve(
            make_request(
                **{"system": "fft", "N": 1000, "P": 2, "input": "cyclic", "output": "cyclic"}
                | options
            )
        )


def test_of_routes_whose_digits_do_not_cut_each_other_another_is_taken() -> None:
    assert check(resolve(make_request("fft", 144, 12, "cyclic", "block", phases="6,6,2,2"))).holds


CASES = [
    ("cyclic", "cyclic", (1000,), (2,), 1),
    ("block", "block", (1000,), (2,), 3),
    ("cyclic", "block", (1000,), (10,), 2),
    ("cyclic", "cyclic", (1000,), (4,), 2),
    ("cyclic", "cyclic", (243,), (27,), 2),
    ("block", "block", (243,), (81,), 6),
    ("cyclic", "cyclic", (49,), (7,), 1),
    ("group-cyclic:2", "block", (144,), (4,), 3),
    ("cyclic", "cyclic", (16, 9, 5), (4, 3, 1), 1),
    ("block", "block", (12, 10, 8), (4, 1, 1), 2),
    ("block", "block", (8, 8, 8), (4, 2, 1), 2),
    ("block,cyclic,block", "cyclic", (16, 18, 4), (4, 3, 2), 2),
    ("block", "block", (6,), (1,), 0),
]


@pytest.mark.parametrize(("given", "wanted", "shape", "grid", "exchanges"), CASES)
def test_supersteps_transform_every_axis(
    given: str, wanted: str, shape: tuple[int, ...], grid: tuple[int, ...], exchanges: int
) -> None:
    source, target = ArrayLayout(given, shape, grid), ArrayLayout(wanted, shape, grid)
    x = np.random.default_rng(1).standard_normal(2 * source.N).view(complex)
    expected = np.fft.fftn(x.reshape(shape)).reshape(-1)
    assert np.allclose(transformed(source, target, x), expected)
    assert sum(isinstance(step, Trade) for step in lowered(source, target)) == exchanges


@pytest.mark.parametrize(("shape", "target"), [((12, 10, 8), (1, 1, 4)), ((12, 8, 10), (1, 4, 1))])
def test_a_slab_goes_to_a_transposed_one_in_one_exchange(
    shape: tuple[int, ...], target: tuple[int, ...]
) -> None:
    one, other = ArrayLayout("block", shape, (4, 1, 1)), ArrayLayout("block", shape, target)
    x = np.random.default_rng(1).standard_normal(2 * one.N).view(complex)
    assert np.allclose(transformed(one, other, x), np.fft.fftn(x.reshape(shape)).reshape(-1))
    assert sum(isinstance(step, Trade) for step in lowered(one, other)) == 1


def test_a_batch_is_transformed_at_once() -> None:
    layout = ArrayLayout("cyclic", (7, 36, 5), (1, 6, 1), batched=True)
    x = np.random.default_rng(1).standard_normal(2 * layout.N).view(complex)
    expected = np.fft.fftn(x.reshape(layout.shape), axes=(1, 2)).reshape(-1)
    assert np.allclose(transformed(layout, layout, x), expected)
    assert sum(isinstance(step, Trade) for step in lowered(layout, layout)) == 1


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("P", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("ends", list(product(("block", "cyclic"), repeat=2)))
def test_powers_of_one_prime_take_any_number_of_ranks(P: int, ends: tuple[str, str]) -> None:
    for prime in (2, 3):
        N, ranks = prime**6, prime ** (P.bit_length() - 1)
        source, target = (ArrayLayout(name, (N,), (ranks,)) for name in ends)
        x = np.random.default_rng(1).standard_normal(2 * N).view(complex)
        assert np.allclose(transformed(source, target, x), np.fft.fft(x))


def test_the_sizes_of_runs_are_the_size_of_the_axis() -> None:
    layout = ArrayLayout("cyclic", (64, 36), (8, 6))
    for route in routes(layout, layout):
        assert tuple(map(prod, route.runs)) == layout.shape
    sizes = [[1], [1]]
    for step in lowered(layout, layout):
        if isinstance(step, Transform):
            sizes[step.axis].append(step.d)
    assert [prod(each) for each in sizes] == [64, 36]


def test_what_no_digits_do_is_refused_with_what_would() -> None:
    layout = ArrayLayout("cyclic", (1000,), (8,))
    with pytest.raises(ValueError, match="1, 2, 5 or 10 ranks, or 960 or 1024 elements"):
        lowered(layout, layout)


NAMES = ("block", "cyclic", "group-cyclic:2")


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("P", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("ends", list(product(NAMES, repeat=2)))
def test_powers_of_two_take_as_few_exchanges_as_bits_do(P: int, ends: tuple[str, str]) -> None:
    source, target = (ArrayLayout(name, (64,), (P,)) for name in ends)
    by_digits = [step for step in lowered(source, target) if isinstance(step, Trade)]
    assert len(by_digits) == count(resolve(make_request("fft", 64, P, *ends))).exchanges


@pytest.mark.parametrize("P", [2, 4, 8])
def test_a_trade_moves_what_the_affine_map_moves(P: int) -> None:
    source, target = ArrayLayout("block", (64,), (P,)), ArrayLayout("cyclic", (64,), (P,))
    trade = Trade(stride(64 // P, P), DigitExchange(P, (), ((1, P),), ((1, P),)), identity(64 // P))
    move = plan((target.address @ source.back).affine(), P.bit_length() - 1)
    z = np.arange(64)
    assert np.array_equal(trade.interpret(z), place_of(z, move.address))


def place_of(z: NDArray[np.int64], address: Affine) -> NDArray[np.int64]:
    y = np.empty_like(z)
    y[address(z)] = z
    return y


@pytest.mark.parametrize(
    ("shape", "grid", "ends"),
    [
        ((72,), (6,), ("block", "cyclic")),
        ((1000,), (10,), ("block", "block")),
        ((16, 36), (4, 6), ("cyclic", "cyclic")),
        ((12, 8, 6), (1, 8, 2), ("block", "block")),
        ((3**6,), (3**4,), ("cyclic", "block")),
    ],
)
def test_a_rank_sends_the_messages_that_go_to_others(
    shape: tuple[int, ...], grid: tuple[int, ...], ends: tuple[str, str]
) -> None:
    ranks = np.arange(prod(grid))
    trades = [
        step
        for step in lowered(*(ArrayLayout(name, shape, grid) for name in ends))
        if isinstance(step, Trade)
    ]
    assert trades
    for step in trades:
        to = step.exchange.to(ranks[:, None] * step.messages + np.arange(step.messages))
        away = (to != ranks[:, None]).sum(axis=1)
        messages, words = step.sent(ranks)
        assert messages.tolist() == away.tolist()
        assert words.tolist() == (away * step.pack.size // step.messages).tolist()


LARGE = [("rfft", 20, {}), ("fft", 20, {"batch": 2}), ("fht", 20, {"batch": 2})]
LARGE += [("fft", 10, {"shape": (2**20, 2**20)}), ("fft", 20, {"shape": (2**30, 2**10)})]


@pytest.mark.sampled(2)
@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(("system", "p", "more"), LARGE)
def test_of_a_million_ranks_no_table_of_their_messages_is_made(
    system: str, p: int, more: dict[str, Any]
) -> None:
    asked = make_request(system, 2**40, 2**p, **more)
    tracemalloc.start()
    cost = count(resolve(asked))
    assert cost.messages >= (asked.P - 1) and tracemalloc.get_traced_memory()[1] < 2**28
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("foo,whole", "unknown layout 'foo' of an axis of 12 elements"),
        ("block,whole,whole", "layout 'block,whole,whole' must be one name for all 2 axes"),
        ("whole,whole", "both must distribute the same number"),
    ],
)
def test_a_layout_that_there_is_not_is_named(given: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        resolve(make_request("fft", 120, 2, given, "cyclic", shape=(12, 10), grid=(2, 1)))
