"""Permutations of whole digits: an algebra, and that of bits for powers of two."""

from __future__ import annotations

import re
from functools import reduce
from math import prod
from operator import matmul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.digits.digit_layouts import ArrayLayout
from derive.digits.digit_permutations import digits_of, strides
from derive.digits.radices import (
    DigitPermutation,
    common,
    divisors,
    groups,
    identity,
    prime_factors,
    reversal,
    stride,
)
from derive.formula import affine_layouts
from derive.formula.grammar import Applied, I, kron
from derive.formula.permutation_matrices import Gamma, J, L, R, S
from derive.formula.permutations import affine, target


@st.composite
def permutations(draw: st.DrawFn) -> DigitPermutation:
    radices = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    return DigitPermutation(tuple(radices), tuple(draw(st.permutations(range(len(radices))))))


@given(permutations())
def test_a_permutation_is_reshape_and_transpose(found: DigitPermutation) -> None:
    moved = np.arange(found.size).reshape(found.radices or (1,)).transpose(found.order or (0,))
    y = np.empty(found.size, int)
    y[found(np.arange(found.size))] = np.arange(found.size)
    assert np.array_equal(y, moved.reshape(-1))


@given(permutations())
def test_the_inverse_undoes(found: DigitPermutation) -> None:
    assert found.inverse() @ found == identity(found.size) == found @ found.inverse()


@given(permutations(), st.data())
def test_a_product_is_one_after_the_other(first: DigitPermutation, data: st.DataObject) -> None:
    radices = first.turned
    cut = data.draw(st.integers(0, len(radices)))
    order = tuple(data.draw(st.permutations(range(len(radices)))))
    second = DigitPermutation(radices, order)
    both, j = second @ first, np.arange(first.size)
    assert np.array_equal(both(j), second(first(j)))
    assert groups(radices, common(radices, radices)) == [(radix,) for radix in radices]
    assert np.prod(radices[:cut], dtype=int) * np.prod(radices[cut:], dtype=int) == first.size


FORMULAS = [
    *(L(64, 1 << k) for k in range(1, 6)),
    *(S(1 << k, 64) for k in range(1, 6)),
    *(Gamma(1 << i, 1 << k, 64) for k in range(1, 6) for i in range(k + 1)),
    R(64),
    Applied("inv", Gamma(2, 8, 64)),
    kron(I(4), L(16, 2)) @ kron(R(8), I(8)) @ L(64, 8),
]


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_for_powers_of_two_digits_are_the_affine_map(formula: object) -> None:
    assert digits_of(formula).affine() == affine(formula)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "formula",
    [L(60, 6), S(3, 60), Gamma(2, 6, 60), Applied("inv", L(60, 15)), kron(L(6, 2), L(10, 5))],
    ids=str,
)
def test_digits_are_what_a_formula_does(formula: object) -> None:
    found = digits_of(formula)(np.arange(60))  # type: ignore[arg-type]
    assert np.array_equal(found, target(formula))  # type: ignore[arg-type]


def test_what_takes_no_whole_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a permutation of whole digits"):
        digits_of(J(6))
    with pytest.raises(ValueError, match="neither divides the other"):
        stride(6, 2) @ stride(6, 2)
    with pytest.raises(ValueError, match="9 is not a power of two"):
        reversal((3, 3)).affine()


@pytest.mark.parametrize("name", ["block", "cyclic", "group-cyclic:2", "group-cyclic:4"])
@pytest.mark.parametrize("P", [4, 8])
def test_layouts_of_one_axis_are_the_affine_ones(name: str, P: int) -> None:
    ours, theirs = ArrayLayout(name, (64,), (P,)), affine_layouts.named(name, 64, P)
    assert ours.address.affine() == theirs.address


@pytest.mark.parametrize(
    ("name", "shape", "grid"),
    [
        ("cyclic", (1000,), (10,)),
        ("block,cyclic,group-cyclic:3", (4, 10, 18), (2, 5, 6)),
        ("cyclic", (12, 9), (6, 3)),
    ],
)
def test_every_layout_is_a_bijection(
    name: str, shape: tuple[int, ...], grid: tuple[int, ...]
) -> None:
    found = ArrayLayout(name, shape, grid)
    s, o = found.place(np.arange(found.N))
    assert len({*zip(s.tolist(), o.tolist(), strict=True)}) == found.N
    assert np.array_equal(found.index(s, o), np.arange(found.N))
    assert s.max() == found.P - 1
    assert o.max() == found.M - 1


def test_the_part_of_a_rank_is_an_array_of_its_axes() -> None:
    found = ArrayLayout("cyclic,block", (2, 4, 6), (1, 2, 3), batched=True)
    x = np.arange(48).reshape(2, 4, 6)
    assert np.array_equal(x[:, 1::2, 2:4].reshape(-1), found.index(4, np.arange(8)))


@pytest.mark.parametrize("name", ["block,cyclic", "diagonal", "group-cyclic:4"])
def test_layouts_that_there_are_not_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"layout|group"):
        ArrayLayout(name, (4, 6, 8), (2, 2, 2))


def test_an_index_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="index must be an integer from 0 to 23; got 24"):
        ArrayLayout("block", (4, 6), (2, 3)).place(24)


@given(permutations())
def test_a_permutation_is_a_product_of_stride_permutations(found: DigitPermutation) -> None:
    factors = strides(found)
    assert len(factors) < max(len(found.radices), 1)
    assert reduce(matmul, map(digits_of, factors), identity(found.size)) == found


LAYOUTS = [
    ArrayLayout("block", (12,), (3,)),
    ArrayLayout("cyclic", (12,), (1,)),
    ArrayLayout("group-cyclic:2", (24,), (4,)),
    ArrayLayout("cyclic-pairs", (24,), (4,)),
    ArrayLayout("cyclic,block,whole", (6, 8, 5), (3, 2, 1)),
    ArrayLayout("group-cyclic:3", (5, 36), (1, 9), batched=True),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_where_elements_live_is_the_same_in_words(layout: ArrayLayout) -> None:
    names, rank, offset = re.fullmatch(
        r"x\[(.*)\] lives on rank (.*?)(?: of the grid .*)?, offset (.*)", layout.words("x")
    ).groups()  # type: ignore[union-attr]
    index = np.unravel_index(np.arange(layout.N), layout.shape)
    known = dict(zip(names.split(", "), index, strict=True))
    s, o = (_number(words, known, layout.N) for words in (rank, offset))
    sides = zip((s, o), (layout.grid[layout.batched :], layout.local_shape), strict=True)
    found = [np.ravel_multi_index(n, sizes) if n[1:] else n[0] for n, sizes in sides]
    assert np.array_equal(found, layout.place(np.arange(layout.N)))


def _number(words: str, known: dict[str, np.ndarray], N: int) -> list[np.ndarray]:
    """Return the numbers that words say, of each element."""
    text = words.replace("div", "//").replace("mod", "%").replace(" (j", " * (j")
    found = eval(text, {}, known)
    return [np.broadcast_to(each, (N,)) for each in (found if words[0] == "(" else [found])]


@pytest.mark.long
def test_divisors_are_those_numbers_that_divide() -> None:
    for n in (*range(1, 300), 1024, 5040, 7919, 7919**2):
        assert divisors(n) == tuple(d for d in range(1, n + 1) if n % d == 0) or n > 10**4
    assert divisors(7919**2) == (1, 7919, 7919**2)
    assert divisors(0) == ()


@pytest.mark.parametrize(
    "n", [3**36, 3**39, 5**20, 6**20, 2**20 * 3**12, 2**60, 2**40 * 1009, 10**15]
)
def test_the_primes_of_a_size_are_found_by_few_divisions(n: int) -> None:
    """About as many as its largest prime but one, and not as its root: 3^39 has one of 2e9."""
    _Counted.divisions = 0
    found = [int(p) for p in prime_factors(_Counted(n))]
    assert prod(found) == n and found == sorted(found)
    assert _Counted.divisions <= max(found) + n.bit_length()


class _Counted(int):
    """A number that counts how often it, or what is left of it, is divided."""

    divisions = 0

    def __mod__(self, other: int) -> int:
        _Counted.divisions += 1
        return int(self) % other

    def __floordiv__(self, other: int) -> _Counted:
        return _Counted(int(self) // other)
