"""The least that a transform of an array sends, and what other libraries document."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from codegen.cost.arrays import documented, least_words
from codegen.cost.counted import count
from codegen.program.lower import lower
from codegen.shapes import stated
from codegen.spec import Spec
from derive.digits.layouts import ArrayLayout

SHAPES = [
    ((12,), (2,), (2,), False),
    ((16,), (4,), (4,), False),
    ((36,), (6,), (6,), False),
    ((6, 4), (2, 1), (1, 2), False),
    ((6, 4), (3, 2), (3, 2), False),
    ((4, 4, 4), (2, 2, 1), (1, 2, 2), False),
    ((4, 4, 3), (2, 2, 1), (2, 2, 1), False),
    ((3, 4, 6), (1, 2, 1), (1, 1, 2), True),
]


def by_rank(source: ArrayLayout, target: ArrayLayout) -> int:
    """Return the largest rank of F[not O, I] of all ranks."""
    parts = [np.fft.fft(np.eye(n)) for n in source.shape]
    parts[: source.batched] = [np.eye(n) for n in source.shape[: source.batched]]
    F, every = reduce(np.kron, parts), np.arange(source.N)
    holder, owner = source.place(every)[0], target.place(every)[0]
    return max(
        int(np.linalg.matrix_rank(F[np.ix_(owner != rank, holder == rank)]))
        for rank in range(source.P)
    )


@pytest.mark.parametrize(("shape", "grid", "other", "batched"), SHAPES)
def test_the_least_words_are_the_rank_of_a_part_of_the_matrix(
    shape: tuple[int, ...], grid: tuple[int, ...], other: tuple[int, ...], batched: bool
) -> None:
    for given in ("block", "cyclic", "group-cyclic:2"):
        for wanted in ("block", "cyclic"):
            try:
                source = ArrayLayout(given, shape, grid, batched)
            except ValueError:
                continue
            target = ArrayLayout(wanted, shape, other, batched)
            assert least_words(source, target) == by_rank(source, target)


def test_no_bound_is_stated_where_none_is_known() -> None:
    pairs = ArrayLayout("cyclic-pairs", (48,), (4,))
    assert least_words(pairs, pairs) is None
    long = ArrayLayout("block", (2**24,), (2,))
    assert least_words(long, long) is None


@pytest.mark.parametrize("size", ["64x48x32", "16x16", "36"])
@pytest.mark.parametrize("layout", ["cyclic", "block"])
def test_a_program_sends_no_less_and_from_cyclic_to_cyclic_the_least(
    size: str, layout: str
) -> None:
    program = lower(Spec("fft", **stated(size, 2), input=layout, output=layout))
    least = least_words(program.input, program.output)  # type: ignore[arg-type]
    assert least is not None and count(program).words >= least
    assert layout == "block" or count(program).words == least


def test_other_libraries_send_for_each_axis_that_is_cut() -> None:
    found = documented(Spec("fft", **stated("16x16x16", "2x4x1")))
    assert [(each.name, each.exchanges, each.words) for each in found] == [
        ("FFTW-MPI", 2, 896),
        ("FFTW-MPI", 1, 448),
        ("mpi4py-fft", 2, 256 + 384),
    ]
    assert documented(Spec("fft", 1000, 2)) == ()
    assert [each.name for each in documented(Spec("fft", **stated("16x16", "2x2")))] == [
        "FFTW-MPI",
        "FFTW-MPI",
    ]
