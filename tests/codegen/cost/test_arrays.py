"""The least that a transform of an array sends, and what other libraries document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from itertools import product

import numpy as np
import pytest
import scipy.fft

from codegen.cost import array_bounds
from codegen.cost.array_bounds import kept_by_cosines, kept_by_hartley, least_words
from codegen.cost.bounds import bound
from codegen.cost.counted import count
from codegen.cost.documented import documented
from codegen.cost.matrix_ranks import least_rank_of_cosines, rank_of_cosines
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import layouts, stated
from derive.digits.digit_layouts import ArrayLayout

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


def by_rank(source: ArrayLayout, target: ArrayLayout, hartley: bool = False) -> int:
    """Return the largest rank of F[not O, I], or of H[not O, I], of all ranks."""
    parts = [np.fft.fft(np.eye(n)) for n in source.shape]
    if hartley:
        parts = [part.real - part.imag for part in parts]
    parts[: source.batched] = [np.eye(n) for n in source.shape[: source.batched]]
    matrix, every = reduce(np.kron, parts), np.arange(source.N)
    holder, owner = source.place(every)[0], target.place(every)[0]
    return max(
        int(np.linalg.matrix_rank(matrix[np.ix_(owner != rank, holder == rank)], tol=1e-9))
        for rank in range(source.P)
    )


def between(
    shape: tuple[int, ...], grid: tuple[int, ...], other: tuple[int, ...], batched: bool
) -> Iterator[tuple[ArrayLayout, ArrayLayout]]:
    """Yield pairs of layouts of an array."""
    for given in ("block", "cyclic", "group-cyclic:2"):
        for wanted in ("block", "cyclic"):
            with suppress(ValueError):
                source = ArrayLayout(given, shape, grid, batched)
                yield source, ArrayLayout(wanted, shape, other, batched)


def test_pairs_that_stay_together_are_kept_where_the_other_end_has_equal_steps() -> None:
    source = ArrayLayout("cyclic-pairs,whole", (8, 6), (2, 1))
    target = ArrayLayout("whole,block", (8, 6), (1, 2))
    assert least_words(source, target) == by_rank(source, target) == 12


@pytest.mark.parametrize(("shape", "grid", "other", "batched"), SHAPES)
def test_the_least_words_are_the_rank_of_a_part_of_the_matrix(
    shape: tuple[int, ...], grid: tuple[int, ...], other: tuple[int, ...], batched: bool
) -> None:
    for source, target in between(shape, grid, other, batched):
        assert least_words(source, target) == by_rank(source, target)


@pytest.mark.parametrize(("shape", "grid", "other", "batched"), SHAPES)
def test_of_hartley_transforms_they_are_the_rank_of_theirs_and_of_long_axes_no_more(
    monkeypatch: pytest.MonkeyPatch,
    shape: tuple[int, ...],
    grid: tuple[int, ...],
    other: tuple[int, ...],
    batched: bool,
) -> None:
    for source, target in between(shape, grid, other, batched):
        rank = by_rank(source, target, hartley=True)
        assert least_words(source, target, kept_by_hartley) == rank
        with monkeypatch.context() as changed:
            changed.setattr(array_bounds, "EXACTLY_UP_TO", 0)
            long = least_words(source, target, kept_by_hartley)
        assert long is not None and long <= rank


@pytest.mark.parametrize(
    ("P", "given", "wanted", "words"),
    [
        (8, "cyclic", "cyclic", 448),
        (8, "block", "cyclic", 512),
        (8, "block", "block", 512),
        (2, "cyclic", "cyclic", 1024),
    ],
)
def test_of_long_axes_the_least_is_mostly_that_of_the_fourier_transform(
    P: int, given: str, wanted: str, words: int
) -> None:
    source, target = (ArrayLayout(name, (4096,), (P,)) for name in (given, wanted))
    found = [least_words(source, target, kept_of) for kept_of in (None, kept_by_hartley)]
    assert found == [words, words]


HARTLEY = [("12", 2, 2), ("12", 2, 3), ("16", 4, 4), ("36", 6, 5), ("8x6", 2, None)]
HARTLEY += [("24x16", 4, None), ("16x9", "4x3", 3), ("4x4x4", "2x2x1", None), ("48", 4, 1)]
NAMES = ("block", "cyclic", "group-cyclic:2", "block,whole", "whole,cyclic")


@pytest.mark.sampled(2)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("size", "ranks", "B"), HARTLEY)
def test_no_hartley_transform_sends_less(size: str, ranks: int | str, B: int | None) -> None:
    compared = 0
    for given in NAMES:
        for wanted in NAMES:
            try:
                asked = make_request("fht", **stated(size, ranks, B), input=given, output=wanted)
                program = resolve(asked)
            except ValueError:
                continue
            least = least_words(program.input, program.output, kept_by_hartley)  # type: ignore[arg-type]
            assert least is not None and 0 < least <= count(program).words
            compared += 1
    assert compared >= 4


@pytest.mark.parametrize(
    ("size", "ranks", "B", "ends"),
    [
        ("540", "6", 12, ("block", "cyclic-pairs")),
        ("1024", "4", 8, ("block", "cyclic-pairs")),
        ("752x8", "4x1", None, ("cyclic-pairs,whole", "group-cyclic:4,whole")),
    ],
)
def test_of_long_axes_nothing_negative_is_kept(
    size: str, ranks: str, B: int | None, ends: tuple[str, str]
) -> None:
    asked = make_request("fht", **stated(size, ranks, B), input=ends[0], output=ends[1])
    least = least_words(*layouts(asked), kept_by_hartley)
    assert least is not None and least <= min(asked.M, count(resolve(asked)).words)


def test_arrays_alone_send_twice_the_least_from_cyclic_to_cyclic_on_two_ranks() -> None:
    program = resolve(make_request("fht", **stated(1000, 2, 6), input="cyclic", output="cyclic"))
    least = least_words(program.input, program.output, kept_by_hartley)  # type: ignore[arg-type]
    assert (least, count(program).words) == (1500, 3000)


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
    program = resolve(make_request("fft", **stated(size, 2), input=layout, output=layout))
    least = least_words(program.input, program.output)  # type: ignore[arg-type]
    assert least is not None and count(program).words >= least
    assert layout == "block" or count(program).words == least


def test_other_libraries_send_for_each_axis_that_is_cut() -> None:
    found = documented(make_request("fft", **stated("16x16x16", "2x4x1")))
    assert [(each.name, each.exchanges, each.words) for each in found] == [
        ("FFTW-MPI", 2, 896),
        ("FFTW-MPI", 1, 448),
        ("mpi4py-fft", 2, 256 + 384),
    ]
    assert documented(make_request("fft", 1000, 2)) == ()
    assert [each.name for each in documented(make_request("fft", **stated("16x16", "2x2")))] == [
        "FFTW-MPI",
        "FFTW-MPI",
    ]


@pytest.mark.parametrize(("kind", "name"), [*product((2, 3), ("dct", "dst"))])
def test_what_cosines_keep_is_the_rank_of_a_part_of_the_matrix(kind, name):
    matrix = getattr(scipy.fft, name)(np.eye(8), kind, axis=0)
    kept = kept_by_cosines(kind == 3, name == "dst")
    for a, b, c, d in product((0, 2), (4, 6), (0, 3), (4, 7)):
        given, wanted = np.arange(a, b), np.arange(c, d)
        others = matrix[np.ix_(np.delete(np.arange(8), wanted), given)]
        assert kept(8, given, wanted) == b - a - np.linalg.matrix_rank(others)


def test_the_least_rank_of_cosines_is_no_more_than_their_rank_and_equal_at_either_end():
    random = np.random.default_rng(0)
    for n in range(2, 12):
        for _ in range(20):
            rows, columns = (np.flatnonzero(random.integers(0, 2, n)) for _ in range(2))
            assert least_rank_of_cosines(n, rows, columns) <= rank_of_cosines(n, rows, columns)
            for ends in (np.arange(len(rows)), np.arange(n - len(rows), n)):
                rank = rank_of_cosines(n, ends, columns)
                assert least_rank_of_cosines(n, ends, columns) == rank


def test_long_cosine_transforms_have_a_bound():
    for kind, ends in product(("2", "3"), (("block", "block"), ("balanced", "block"))):
        assert bound(resolve(make_request("dct", 4096, 4, *ends, type=kind))).words == 1024
