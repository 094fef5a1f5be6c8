"""Permutations of digits and affine maps over GF(2) are written as expressions with their values,
and layouts of one name are the same by both.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from math import prod
from operator import xor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import DigitPermutation
from derive.formula.affine_layouts import named
from derive.gf2.bits import Affine
from derive.maps.index_map import IndexMap
from derive.maps.layout_digits import OF_AXES, OF_VECTORS
from derive.maps.map_expressions import Expression, Field, Number, Variables
from tests.support.strategies import FEWER, permutations_over_ranks


def affine(columns: tuple[int, ...], x: int, c: int = 0) -> int:
    """Return the sum over GF(2) that expressions call."""
    return reduce(xor, (column for bit, column in enumerate(columns) if x >> bit & 1), c)


def values(found: Expression, variables: Variables) -> list[int]:
    """Return the values of an expression for all indices, one after the other."""
    names = [name for name, _ in variables]
    every = product(*(range(count) for _, count in variables))
    code = compile(found.text, "expression", "eval")
    scopes = ({"affine": affine, **dict(zip(names, each, strict=True))} for each in every)
    return [eval(code, scope) for scope in scopes]


def assert_written(map: IndexMap, parts: int, size: int) -> None:
    """Assert that a map and its parts, divided so, are written as what they are."""
    variables = [("rank", parts), ("o", size // parts)]
    x = np.arange(size)
    high, low = map.divided(size // parts)
    for each in (map, map.inverse(), high, low):
        found = each.written(variables)
        assert values(found, variables) == each(x).tolist()
        assert found.by_matrix == ("affine(" in found.text)
        assert all(found.uses(name) == (name in found.text) for name, _ in variables)
    assert np.array_equal(high(x) * (size // parts) + low(x), map(x))
    assert np.array_equal(map.inverse()(map(x)), x)
    assert np.array_equal((map @ map.inverse())(x), x)


@FEWER
@given(permutations_over_ranks(7))
def test_affine_maps_are_written_as_they_are(case: tuple[Affine, int]) -> None:
    address, p = case
    assert_written(address, 1 << p, 1 << address.bits)


@st.composite
def digit_permutations(draw: st.DrawFn) -> DigitPermutation:
    radices = draw(st.lists(st.integers(2, 5), min_size=1, max_size=4))
    return DigitPermutation(tuple(radices), tuple(draw(st.permutations(range(len(radices))))))


@FEWER
@given(digit_permutations(), st.data())
def test_permutations_of_digits_are_written_as_they_are(
    map: DigitPermutation, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(map.radices)))
    size, by = map.size, prod(map.turned[at:])
    variables = [("rank", size // by), ("o", by)]
    x = np.arange(size)
    assert values(map.written([("j", size)]), [("j", size)]) == map(x).tolist()
    high, low = map.divided(by)
    assert np.array_equal(high(x) * by + low(x), map(x))
    back = map.inverse()
    assert np.array_equal(back(map(x)), x) and np.array_equal((map @ back)(x), x)
    split = common_places(back.radices, by)
    assert not split or values(back.written(variables), variables) == back(x).tolist()


def common_places(radices: tuple[int, ...], by: int) -> bool:
    """Return whether these variables are whole digits of an index."""
    return any(prod(radices[at:]) == by for at in range(len(radices) + 1))


NAMES = [name for name in OF_VECTORS if name in OF_AXES and name != "group-cyclic"]
NAMES += ["group-cyclic:1", "group-cyclic:2", "group-cyclic:4"]


@pytest.mark.parametrize("name", NAMES)
def test_layouts_of_vectors_and_of_axes_of_one_name_are_the_same(name: str) -> None:
    for n, p in [(4, 2), (5, 3), (6, 2), (7, 7)]:
        axis = ArrayLayout(name, (1 << n,), (1 << p,))
        vector = named(name, 1 << n, 1 << p)
        assert (axis.address.affine(), axis.back.affine()) == (vector.address, vector.back)
        assert vector.address.written([("j", 1 << n)]).by_matrix is False


def test_many_bits_are_written_as_a_matrix() -> None:
    reversal = DigitPermutation((2,) * 7, tuple(reversed(range(7))))
    assert_written(reversal, 8, 128)
    assert reversal.written([("rank", 8), ("o", 16)]).by_matrix


@pytest.mark.parametrize("value", [1, 3])
def test_digits_that_count_the_same_bits_are_added(value: int) -> None:
    number = Number(tuple(Field(1 << bit, 2, value) for bit in range(5)))
    found = number.written([("o", 32)])
    assert not found.by_matrix
    assert values(found, [("o", 32)]) == [value * o.bit_count() for o in range(32)]
