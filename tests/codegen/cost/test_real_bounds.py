"""The lower bound on the real numbers that a rank sends, compared with ranks of matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest

from bench.unequal import axes_of, drawn
from codegen.cost.bounds import bound
from codegen.cost.counted import count
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.systems.record import Request

MOST = 64


def real_requests(seed: int, number: int) -> list[Request]:
    """Return random requests for transforms of a few real elements."""
    random, found = np.random.default_rng(seed), list[Request]()
    while len(found) < number:
        request = drawn(random, most=4, ranks=4)
        if request.record.real and prod(request.whole) <= MOST:
            found.append(request)
    return found


def rank_of(program: Program) -> int:
    """Return the largest rank over the real numbers of what the other ranks are to have, in terms
    of what a rank has. The way back is the transpose of the way there, but for positive factors.
    """
    forward = program.request.is_forward
    real: Any = program.input if forward else program.output
    half: Any = program.output if forward else program.input
    each = np.eye(prod(real.shape)).reshape(-1, *real.shape)
    axes = [axis + 1 for axis in axes_of(program.request)]
    matrix = np.fft.rfftn(each, axes=axes).reshape(len(each), -1).T
    found = 0
    for rank in range(program.P):
        (given, wanted) = (mask(layout, rank) for layout in (real, half))
        part = matrix[np.ix_(~wanted, given) if forward else np.ix_(wanted, ~given)]
        if part.size:
            both = np.concatenate([part.real, part.imag])
            found = max(found, int(np.linalg.matrix_rank(both, tol=1e-9)))
    return found


def mask(layout: Any, rank: int) -> Any:
    """Return which elements of an array a rank has."""
    found = np.zeros(layout.shape, bool)
    found[layout.slices(rank)] = True
    return found.reshape(-1)


@pytest.mark.parametrize("request_", real_requests(1, 12), ids=str)
def test_no_rank_of_a_matrix_is_below_the_bound_of_real_input(request_: Request) -> None:
    program = resolve(request_)
    least = bound(program).words
    assert least is not None
    assert least <= rank_of(program) <= count(program).words


def test_the_bound_of_real_input_is_the_rank_but_for_few_layouts() -> None:
    exact = [
        bound(program).words == rank_of(program) for program in map(resolve, real_requests(2, 8))
    ]
    assert sum(exact) >= 7
