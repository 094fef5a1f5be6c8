"""Lower bounds: permutations by counting, transforms by ranks of matrices, closed forms by both,
and no program below them.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.cost.bounds import Bound, bound, in_closed_form, permuting, transforming
from codegen.cost.counted import count
from codegen.cost.matrix_ranks import rank_mod
from codegen.program.moves import is_closed
from codegen.systems.exchanges import EXCHANGES
from derive.formula import affine_layouts
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc, echelon
from derive.gf2.bits import column_echelon
from tests.support.programs import build
from tests.support.strategies import layout_names, permutations_over_ranks

pytestmark = pytest.mark.sampled(6)

SIZES = [(n, p) for n in range(1, 6) for p in range(n + 1)]


def counted(address, p):
    """Return how many words and messages leave the rank which most leave, element by element."""
    m = address.bits - p
    z = np.arange(1 << address.bits)
    source, target = z >> m, address(z) >> m
    ranks = range(1 << p)
    words = [int(((source == k) & (target != k)).sum()) for k in ranks]
    return Bound(max(words), max(len(set(target[source == k].tolist()) - {k}) for k in ranks))


@pytest.mark.long
@given(permutations_over_ranks(8))
def test_a_permutation_moves_what_its_bits_say(moved):
    assert permuting(*moved) == counted(*moved)


@pytest.mark.parametrize(
    "question",
    [lambda A, f: permuting(A, f.p), lambda _, f: is_closed(f)],
    ids=["bound", "all-to-all"],
)
def test_columns_are_brought_to_echelon_form_once_for_all_vectors(monkeypatch, question):
    A, made = bmmc.named("gray-code", 12), []
    factors = bmmc.factor(A, 6)
    monkeypatch.setattr(
        echelon, "column_echelon", lambda columns: made.append(columns) or column_echelon(columns)
    )
    question(A, factors)
    assert len(made) == 1


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("bit-reversal", "block", "block"),
        ("gray-code", "cyclic", "f:1"),
        ("identity", "block", "block"),
    ],
)
def test_emitted_permutations_send_no_more_than_they_must(name, before, after, exchange):
    program = build("permute", 64, 8, before, after, exchange, Bmmc(bmmc.named(name, 6), name))
    cost, least = count(program), bound(program)
    assert (cost.words, cost.messages) == (least.words, least.messages)


@pytest.mark.parametrize(("n", "p"), SIZES)
def test_the_closed_form_is_the_rank_of_the_matrix(n, p):
    for before, after in product(layout_names(n, p), repeat=2):
        sides = (
            affine_layouts.named(before, 1 << n, 1 << p),
            affine_layouts.named(after, 1 << n, 1 << p),
        )
        closed = in_closed_form(*sides)
        assert closed in (None, transforming(*sides)), (before, after)
        if {before, after} & {"block", "cyclic"}:
            assert closed is not None


@pytest.mark.parametrize(("n", "p"), [(n, p) for n, p in SIZES if n <= 4])
def test_the_rank_is_that_of_complex_numbers_and_of_the_complementary_block(n, p):
    matrix, index = np.fft.fft(np.eye(1 << n)), np.arange(1 << n)
    for before, after in product(layout_names(n, p), repeat=2):
        sides = (
            affine_layouts.named(before, 1 << n, 1 << p),
            affine_layouts.named(after, 1 << n, 1 << p),
        )
        holder, owner = (side.place(index)[0] for side in sides)
        sent = (
            [np.linalg.matrix_rank(matrix[owner != k][:, holder == k]) for k in range(1 << p)]
            if p
            else [0]
        )
        received = (
            [np.linalg.matrix_rank(matrix[owner == k][:, holder != k]) for k in range(1 << p)]
            if p
            else [0]
        )
        assert sent == received
        assert transforming(*sides) == max(sent)


@pytest.mark.parametrize(
    ("N", "P", "before", "after", "words"),
    [
        (1024, 4, "cyclic", "cyclic", 192),
        (1024, 64, "cyclic", "cyclic", 16),
        (1024, 4, "block", "cyclic", 256),
        (2**40, 2**10, "cyclic", "cyclic", 2**30 - 2**20),
        (2**40, 2**20, "block", "f:20", 2**20),
        (1024, 4, "f:3", "f:3", None),
        (64, 1, "block", "block", 0),
    ],
)
def test_what_a_transform_must_send(N, P, before, after, words):
    assert bound(build("fft", N, P, before, after)) == Bound(words, None)


@pytest.mark.parametrize(("n", "p"), [(n, p) for n, p in SIZES if 0 < p < n < 5])
def test_no_program_sends_less_than_its_bound(n, p):
    for before, after in product(layout_names(n, p), repeat=2):
        program = build("fft", 1 << n, 1 << p, before, after)
        assert count(program).words >= bound(program).words


def test_cyclic_to_cyclic_sends_just_that():
    program = build("fft", 1024, 4, "cyclic", "cyclic")
    assert count(program).words == bound(program).words


@pytest.mark.long
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_the_rank_mod_q_of_a_product_is_at_most_its_inner_size_and_mostly_that(
    rows, columns, inner, seed
):
    q, rng = 2**30 + 3, np.random.default_rng(seed)
    left, right = (
        rng.integers(0, q, (rows, inner)).astype(object),
        rng.integers(0, q, (inner, columns)).astype(object),
    )
    matrix = np.asarray(left @ right % q if inner else np.zeros((rows, columns)), np.int64)
    assert rank_mod(matrix, q) == min(rows, inner, columns)
    assert rank_mod(np.vstack([matrix, 3 * matrix % q]), q) == min(rows, inner, columns)
