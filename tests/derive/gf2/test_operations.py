"""V W at every small matrix, and the counts of word operations against programs that count as they
go.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from derive.gf2.bits import Affine, rank, unpack
from derive.gf2.bmmc import bit_reversal, factor, gray_code, named, shuffle
from derive.gf2.properties import check
from derive.gf2.word_operations import appendix_a, interprocessor, intraprocessor, operations
from derive.verdict import Checked


@pytest.mark.long
@pytest.mark.parametrize("n", [1, 2, 3])
def test_there_are_factors_of_every_nonsingular_matrix_and_of_no_other(n: int) -> None:
    refused = 0
    for columns in product(range(1 << n), repeat=n):
        if rank(unpack(columns, n)) == n:
            for c, p in product((0, (1 << n) - 1), range(n + 1)):
                assert isinstance(check(factor(Affine(columns, n, c), p)), Checked)
        else:
            with pytest.raises(ValueError, match="singular"):
                factor(Affine(columns, n), 0)
            refused += 1
    assert refused == {1: 1, 2: 10, 3: 344}[n]


def additions(columns: list[int], x: int) -> int:
    return sum(1 for j in range(len(columns)) if x >> j & 1)


@pytest.mark.parametrize("A", [bit_reversal(6), gray_code(6), shuffle(6), named("transpose:2", 6)])
def test_counts_are_those_of_the_programs(A: Affine) -> None:
    f = factor(A, 2)
    W, m = list(f.W.columns), f.m
    for k in range(4):
        first, second, gray = (count.operations for count in intraprocessor(f, k))
        assert first == sum(additions(W, k << m | x) for x in range(1 << m))
        assert second == additions(W[m:], k) + sum(additions(W[:m], x) for x in range(1 << m))
        steps = sum((x ^ x >> 1) != (x - 1 ^ x - 1 >> 1) for x in range(1, 1 << m))
        assert gray == additions(W[m:], k) + steps
        in_turn, rounds = (count.operations for count in interprocessor(f, k))
        assert rounds <= in_turn
        assert all(
            count.operations <= count.bound
            for count in operations(f, k)
            if "b = 0, 1" not in count.place
        )


@pytest.mark.parametrize("columns", [(1, 2, 4), (3, 2, 1), (7, 7, 7), (0, 0, 0), (6, 5, 3)])
def test_the_operations_of_appendix_a_are_those_of_its_lines(columns: tuple[int, ...]) -> None:
    A, steps = np.array([[c >> i & 1 for c in columns] for i in range(3)]), 0
    for j in (2, 1, 0):
        steps += 1  # line 5
        if A[:, j].any():
            i = int(A[:, j].argmax())
            steps += i + 1  # line 7
            for k in range(j):
                steps += 1 + 2 * int(A[i, k])  # lines 9 to 11
                A[:, k] ^= A[i, k] * A[:, j]
    assert appendix_a(columns).operations == steps <= appendix_a(columns).bound
