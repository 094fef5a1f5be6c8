"""Where index j lives: the layouts against their definitions, written with div and mod."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.formula import affine_layouts
from derive.gf2.bits import Affine
from derive.gf2.bmmc import gray_code
from tests.support.strategies import layout_names, layouts

SIZES = [(n, p) for n in range(1, 9) for p in range(n)]

FIGURE_1 = {
    3: (
        """
         P0 P1 P2 P3
offset 0  0  8 16 24
offset 1  1  9 17 25
offset 2  2 10 18 26
offset 3  3 11 19 27
offset 4  4 12 20 28
offset 5  5 13 21 29
offset 6  6 14 22 30
offset 7  7 15 23 31"""
    ),
    2: (
        """
         P0 P1 P2 P3
offset 0  0  4  8 12
offset 1  1  5  9 13
offset 2  2  6 10 14
offset 3  3  7 11 15
offset 4 16 20 24 28
offset 5 17 21 25 29
offset 6 18 22 26 30
offset 7 19 23 27 31"""
    ),
    1: (
        """
         P0 P1 P2 P3
offset 0  0  2  4  6
offset 1  1  3  5  7
offset 2  8 10 12 14
offset 3  9 11 13 15
offset 4 16 18 20 22
offset 5 17 19 21 23
offset 6 24 26 28 30
offset 7 25 27 29 31"""
    ),
    0: (
        """
         P0 P1 P2 P3
offset 0  0  1  2  3
offset 1  4  5  6  7
offset 2  8  9 10 11
offset 3 12 13 14 15
offset 4 16 17 18 19
offset 5 20 21 22 23
offset 6 24 25 26 27
offset 7 28 29 30 31"""
    ),
}
"""Cormen 1997, Figure 1: N = 32, P = 4."""


@pytest.mark.parametrize("f", FIGURE_1)
def test_the_layouts_f_are_those_of_figure_1(f):
    assert affine_layouts.f_layout(32, 4, f).table() == FIGURE_1[f].removeprefix("\n")


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("n", "p"), SIZES)
def test_every_named_layout_is_a_bijection(n, p):
    for name in layout_names(n, p):
        found = affine_layouts.named(name, 1 << n, 1 << p)
        assert found.name == name
        places = [found.place(j) for j in range(2**n)]
        assert sorted(places) == [(s, o) for s in range(2**p) for o in range(2 ** (n - p))]
        assert [found.index(s, o) for s, o in places] == list(range(2**n))


@given(
    st.tuples(st.integers(1, 8), st.integers(0, 7))
    .filter(lambda size: size[1] < size[0])
    .flatmap(lambda size: layouts(*size))
)
def test_every_affine_layout_is_a_bijection_for_integers_and_for_arrays(found):
    j = np.arange(2**found.n)
    rank, offset = found.place(j)
    assert sorted(zip(rank.tolist(), offset.tolist(), strict=True)) == [
        (s, o) for s in range(2**found.p) for o in range(2**found.m)
    ]
    assert [found.place(int(i)) for i in j] == list(
        zip(rank.tolist(), offset.tolist(), strict=True)
    )
    assert [found.index(s, np.arange(2**found.m)).tolist() for s in range(2**found.p)] == [
        [found.index(s, o) for o in range(2**found.m)] for s in range(2**found.p)
    ]


@pytest.mark.parametrize(("n", "p"), SIZES)
def test_block_and_cyclic_layouts_are_quotients_and_remainders(n, p):
    P, M = 2**p, 2 ** (n - p)
    assert [affine_layouts.block(1 << n, 1 << p).place(j) for j in range(2**n)] == [
        (j // M, j % M) for j in range(2**n)
    ]
    assert [affine_layouts.cyclic(1 << n, 1 << p).place(j) for j in range(2**n)] == [
        (j % P, j // P) for j in range(2**n)
    ]


@pytest.mark.parametrize(("n", "p"), [(n, p) for n, p in SIZES if p])
def test_group_cyclic_layouts_are_those_of_definition_2_1(n, p):
    N, P = 2**n, 2**p
    for r in (2**g for g in range(p + 1)):
        M, u = N // r, P // r
        want = [(j // M * u + j % M % u, j % M // u) for j in range(N)]
        assert [affine_layouts.group_cyclic(N, P, r).place(j) for j in range(N)] == want


@pytest.mark.parametrize(("n", "p"), SIZES)
def test_the_group_cyclic_family_ends_in_the_cyclic_and_the_block_layout(n, p):
    assert (
        affine_layouts.group_cyclic(1 << n, 1 << p, 1).address
        == affine_layouts.cyclic(1 << n, 1 << p).address
        == affine_layouts.f_layout(1 << n, 1 << p, 0).address
    )
    assert (
        affine_layouts.group_cyclic(1 << n, 1 << p, 2**p).address
        == affine_layouts.block(1 << n, 1 << p).address
        == affine_layouts.f_layout(1 << n, 1 << p, n - p).address
    )


@pytest.mark.parametrize(("n", "p"), SIZES)
def test_layout_f_has_the_processor_bits_at_f(n, p):
    for f in range(n - p + 1):
        want = [(j >> f & 2**p - 1, j & 2**f - 1 | j >> f + p << f) for j in range(2**n)]
        assert [affine_layouts.f_layout(1 << n, 1 << p, f).place(j) for j in range(2**n)] == want


@pytest.mark.parametrize(("n", "p"), SIZES)
def test_the_bit_reversed_layout_is_the_block_layout_of_the_reversed_vector(n, p):
    reverse = [int(format(j, f"0{n}b")[::-1], 2) for j in range(2**n)]
    assert [affine_layouts.bit_reversed(1 << n, 1 << p).place(j) for j in range(2**n)] == [
        affine_layouts.block(1 << n, 1 << p).place(i) for i in reverse
    ]


def test_a_layout_of_a_file_has_its_matrix_as_address_map(tmp_path):
    path = tmp_path / "gray.txt"
    path.write_text("110\n011\n001\n", encoding="utf-8")
    found = affine_layouts.named(f"bmmc:{path}", 8, 2)
    assert found.address == gray_code(3)
    assert found.name == f"bmmc:{path}"
    assert [found.place(j) for j in range(8)] == [(z >> 2, z & 3) for z in (0, 1, 3, 2, 6, 7, 5, 4)]


def test_a_complement_moves_ranks():
    found = affine_layouts.bmmc(8, 2, Affine((1, 2, 4), 3, 5))
    assert [found.place(j) for j in range(4)] == [(1, 1), (1, 0), (1, 3), (1, 2)]
    assert found.table().splitlines()[1:] == [
        "offset 0  5  1",
        "offset 1  4  0",
        "offset 2  7  3",
        "offset 3  6  2",
    ]


def test_a_table_is_as_wide_as_its_numbers_need():
    head, *rows = affine_layouts.block(128, 2).table().splitlines()
    assert head == "           P0  P1"
    assert rows[0] == "offset 0    0  64"
    assert rows[-1] == "offset 63  63 127"


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        (
            "diagonal",
            (
                "unknown layout 'diagonal': the layouts are block, cyclic, group-cyclic:R, f:K,"
                " bit-reversed, scrambled, bmmc:FILE"
            ),
        ),
        ("group-cyclic", "unknown layout 'group-cyclic'"),
        ("group-cyclic:x", "unknown layout 'group-cyclic:x'"),
        ("f:-1", "unknown layout 'f:-1'"),
        ("bmmc:", "unknown layout 'bmmc:'"),
        ("block:1", "unknown layout 'block:1'"),
        (
            "group-cyclic:3",
            "group-cyclic:3: the number of groups must be a power of two from 1 to P = 8",
        ),
        ("group-cyclic:0", "group-cyclic:0: the number of groups"),
        ("group-cyclic:16", "group-cyclic:16: the number of groups"),
        ("f:3", "layout f:3 needs 0 <= K <= 2 for 32 elements on 8 ranks; got 3"),
    ],
)
def test_other_names_are_refused(name, complaint):
    with pytest.raises(ValueError, match=complaint):
        affine_layouts.named(name, 32, 8)


def test_files_that_hold_no_layout_are_refused(tmp_path):
    path = tmp_path / "a.txt"
    with pytest.raises(FileNotFoundError):
        affine_layouts.named(f"bmmc:{path}", 8, 2)
    path.write_text("10\n01\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"a\.txt maps 2 bits to 2: N = 2\^3 needs 3 to 3"):
        affine_layouts.named(f"bmmc:{path}", 8, 2)
    path.write_text("110\n011\n101\n", encoding="utf-8")
    with pytest.raises(ValueError, match="rows 0, 1, 2 add up to zero"):
        affine_layouts.named(f"bmmc:{path}", 8, 2)


def test_a_layout_takes_sizes_as_a_formula_does():
    with pytest.raises(
        ValueError, match="a layout needs N and P that are powers of two; got N = 5; try 4 or 8"
    ):
        affine_layouts.group_cyclic(5, 3, 2)
    with pytest.raises(ValueError, match="got N = 16 and P = 32"):
        affine_layouts.cyclic(16, 32)
