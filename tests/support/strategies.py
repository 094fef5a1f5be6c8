"""Hypothesis strategies: bit matrices, affine maps and layouts. Invertible matrices are products of
elementary ones, so that they shrink.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import settings
from hypothesis import strategies as st

from derive.formula import affine_layouts
from derive.formula.affine_layouts import Layout
from derive.gf2.bits import Affine

FEWER = settings(max_examples=10)
"""The number of examples of tests whose examples take long; others have 25."""


def multiply(columns: tuple[int, ...], x: int) -> int:
    """Return the sum over GF(2) of the columns that the bits of x choose, one by one: the reference
    for everything that maps an index.
    """
    y = 0
    for j, column in enumerate(columns):
        if x >> j & 1:
            y ^= column
    return y


def columns(count: int, rows: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Any bit matrix, packed; a quarter of the columns repeats or is zero, so that matrices of
    every rank are met.
    """
    full = st.integers(0, (1 << rows) - 1)
    few = st.lists(full, min_size=1, max_size=2).flatmap(lambda some: st.sampled_from([0, *some]))
    return st.lists(st.one_of(full, full, full, few), min_size=count, max_size=count).map(tuple)


@st.composite
def invertible(draw: Callable[..., int], n: int) -> tuple[int, ...]:
    """An invertible n x n bit matrix, packed: exchanges and additions of columns done to the
    identity, none of them in the simplest case.
    """
    place = st.integers(0, n - 1)
    made = [1 << j for j in range(n)]
    for i, j, adds in (
        draw(st.lists(st.tuples(place, place, st.booleans()), max_size=4 * n)) if n > 1 else []
    ):
        if i != j and adds:
            made[j] ^= made[i]
        elif i != j:
            made[i], made[j] = made[j], made[i]
    return tuple(made)


@st.composite
def permutations(draw: Callable[..., int], n: int) -> Affine:
    """A BMMC permutation of 2^n elements, complement included."""
    return Affine(draw(invertible(n)), n, draw(st.integers(0, (1 << n) - 1)))


@st.composite
def permutations_over_ranks(draw: Callable[..., int], most: int) -> tuple[Affine, int]:
    """A BMMC permutation of at most 2^most elements with a number of processor bits."""
    n = draw(st.integers(1, most))
    return draw(permutations(n)), draw(st.integers(0, n))


def layout_names(n: int, p: int) -> list[str]:
    """Return the names of all layouts of 2^n elements over 2^p ranks that have one."""
    named = ["block", "cyclic", "bit-reversed", *(["scrambled"] if p < n or n == 0 else [])]
    return (
        named
        + [f"group-cyclic:{1 << g}" for g in range(p + 1)]
        + [f"f:{f}" for f in range(n - p + 1)]
    )


def layouts(n: int, p: int) -> st.SearchStrategy[Layout]:
    """A layout of 2^n elements over 2^p ranks: one with a name, or any affine one."""
    named = st.sampled_from(layout_names(n, p)).map(
        lambda name: affine_layouts.named(name, 1 << n, 1 << p)
    )
    return named | permutations(n).map(lambda address: affine_layouts.bmmc(1 << n, 1 << p, address))
