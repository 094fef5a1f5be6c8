"""Which N and P each factorization takes, and in which words others are refused."""

from __future__ import annotations

import re

import pytest

from derive.gf2 import bmmc
from derive.papers import bsp_phases, hartley, hartley_group, hypercube
from derive.sizes import Sizes

TAKES = {
    "permute": bmmc.SIZES,
    "fft": bsp_phases.SIZES,
    "fht": hartley.SIZES,
    "fht, one all-to-all": hartley_group.GROUP_SIZES,
    **{f"hypercube-fft {scheme}": sizes for scheme, sizes in hypercube.SIZES.items()},
}
MOST = {
    "permute": 64,
    "fft": 32,
    "fht": 32,
    "fht, one all-to-all": 4,
    "hypercube-fft 1": 1,
    "hypercube-fft 2": 64,
}
"""The largest number of ranks for 64 elements; 32 for the others."""


@pytest.mark.parametrize("name", TAKES)
def test_exponents_are_those_of_powers_of_two_up_to_a_largest_number_of_ranks(name: str) -> None:
    sizes, most = TAKES[name], MOST.get(name, 32)
    for p in range(8):
        if 1 << p <= most:
            assert sizes.exponents(64, 1 << p) == (6, p)
            continue
        with pytest.raises(ValueError, match=f"; got N = 64 and P = {1 << p}"):
            sizes.exponents(64, 1 << p)


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize(
    ("N", "P", "wrong"), [(12, 1, "N = 12"), (64, 3, "P = 3"), (64, 12, "P = 12")]
)
def test_other_numbers_are_no_powers_of_two(name: str, N: int, P: int, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"needs N and P that are powers of two; got {wrong}"):
        TAKES[name].exponents(N, P)


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize(("N", "P", "wrong"), [(0, 1, "size"), (64, 0, "ranks"), (64, -2, "ranks")])
def test_sizes_and_ranks_are_at_least_1(name: str, N: int, P: int, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"^{wrong} must be at least 1; got {min(N, P)}$"):
        TAKES[name].exponents(N, P)


@pytest.mark.parametrize(
    ("sizes", "N", "P", "words"),
    [
        (bmmc.SIZES, 8, 16, "every rank needs at least one element; got N = 8 and P = 16"),
        (
            bsp_phases.SIZES,
            1024,
            24,
            "fft with phases needs N and P that are powers of two; got P = 24",
        ),
        (hartley.SIZES, 8, 8, "the Hartley transform on ranks needs P <= N/2; got N = 8 and P = 8"),
        (
            hartley_group.GROUP_SIZES,
            16,
            4,
            "the Hartley transform with one all-to-all needs 2 P^2 <= N; got N = 16 and P = 4",
        ),
    ],
)
def test_the_rule_is_named(sizes: Sizes, N: int, P: int, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        sizes.exponents(N, P)
