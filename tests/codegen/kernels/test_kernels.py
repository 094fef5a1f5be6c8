"""Local permutations: every kernel against y[index] = x, its text against elements that only move,
and what is refused.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import nodewright
from bench import common
from bench import permute as bench
from codegen.kernels.lines import aligned
from codegen.kernels.permute import kernel_text
from codegen.kernels.permute.permutation_tiles import LOW_BITS, Records, Tiles, fresh, plan, tables
from derive.gf2.bits import Affine, span, spans
from derive.gf2.bmmc import bit_reversal, gray_code, identity, rotation, transpose, vector_reversal
from nodewright import LocalPlan, permute_local
from nodewright.runtime import launch, local_permutation
from nodewright.runtime.local_permutation import KERNELS
from tests.support import plain
from tests.support.documents import blocks
from tests.support.house import MODULES, libraries
from tests.support.matrices import nonsingular
from tests.support.paths import ROOT

PERMUTATIONS = ROOT / "docs" / "permutations.md"
BITS = range(13)
SIZES = (1, 2, 4, 8, 16, 32, 3, 12, 48)
ALWAYS, NEVER = 0, 1 << 60
"""From how many bytes on an array is streamed."""
RECORD = np.dtype([("a", "i4"), ("b", "f8", (2,)), ("name", "S3")])


class Opaque:
    """An element that can do nothing but move."""

    __slots__ = ()


def random(n: int, seed: int) -> Affine:
    """Return the permutation of this number."""
    return nonsingular(n, (n, seed))


def mixed(n: int, seed: int) -> Affine:
    """Return a block triangular map, of which half the bits never see the other half."""
    a, d = random(n // 2, seed), random(n - n // 2, seed + 1)
    mixing = np.random.default_rng(seed).integers(0, 1 << a.bits, d.bits)
    return Affine(
        a.columns
        + tuple(
            column << a.bits | int(more) for column, more in zip(d.columns, mixing, strict=True)
        ),
        n,
        a.c,
    )


@cache
def maps(n: int) -> tuple[Affine, ...]:
    """Return permutations of 2^n elements, named, triangular and random ones."""
    named = [vector_reversal(n), bit_reversal(n), *(random(n, seed) for seed in range(3))]
    if n:
        named += [
            rotation(n, 3),
            transpose(n, n // 2),
            gray_code(n),
            gray_code(n).inverse(),
            mixed(n, 0),
            mixed(n, 1).inverse(),
        ]
    return tuple(named)


def elements(n: int, dtype: np.dtype) -> NDArray:
    """Return 2^n elements of random bytes."""
    return np.random.default_rng(n).integers(0, 256, dtype.itemsize << n, np.uint8).view(dtype)


def moved(A: Affine, x: NDArray) -> NDArray:
    """Return y[A i + c] = x[i], as numpy does it."""
    y = np.empty_like(x)
    y[span(A.columns) ^ A.c] = x
    return y


@pytest.mark.sampled(8)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", BITS)
def test_tiles_are_the_permutation_for_every_size(n: int, size: int) -> None:
    x = elements(n, np.dtype(f"V{size}"))
    for A in maps(n):
        for stream_from in (ALWAYS, NEVER):
            y = LocalPlan(A, 0, x.dtype, stream_from=stream_from).perform(x)
            assert y.tobytes() == moved(A, x).tobytes(), (A, stream_from)


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("size", [64, 128])
def test_elements_of_a_line_and_more_are_moved_in_lines(size: int) -> None:
    for n in range(8):
        x = elements(n, np.dtype(f"V{size}"))
        for A in maps(n):
            for stream_from in (ALWAYS, NEVER):
                assert (
                    LocalPlan(A, 0, x.dtype, stream_from=stream_from).perform(x).tobytes()
                    == moved(A, x).tobytes()
                ), (A, stream_from)


@pytest.mark.sampled(2)
@pytest.mark.sampled(8, rest="long")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "dtype", ["f8", "c16", "i4,f8", RECORD, "S5", "M8[ns]", "?", ">i2"], ids=str
)
def test_every_type_of_fixed_size_is_moved(dtype: str, kernel: str) -> None:
    dtype = np.dtype(dtype)
    x = np.zeros(1024, np.uint8).view("?") if dtype.kind == "b" else elements(10, dtype)
    x.flags.writeable = False
    y = permute_local(random(10, 5), 3, x, kernel=kernel)
    assert y.dtype == dtype and y.ctypes.data % 64 == 0
    A = random(10, 5)
    assert y.tobytes() == moved(Affine(A.columns, 10, A.c ^ 3), x).tobytes()


@pytest.mark.parametrize("size", [8, 16, 12])
@pytest.mark.parametrize("n", BITS)
def test_gray_code_order_is_the_permutation(n: int, size: int) -> None:
    x = elements(n, np.dtype(f"V{size}"))
    for A in maps(n):
        assert LocalPlan(A, 0, x.dtype, "gray").perform(x).tobytes() == moved(A, x).tobytes(), A


def test_arrays_that_begin_anywhere_are_moved() -> None:
    A = random(12, 7)
    for size in (2, 8, 16):
        x, out = (
            aligned((size << 12) + 64, np.uint8)[place : place + (size << 12)].view(f"V{size}")
            for place in (1, 16)
        )
        x.view(np.uint8)[:] = elements(12, np.dtype(f"V{size}")).view(np.uint8)
        assert LocalPlan(A, 0, x.dtype, stream_from=ALWAYS).perform(x, out) is out
        assert out.tobytes() == moved(A, x).tobytes()


def unaligned(count: int, dtype: str) -> NDArray:
    """Return an array that begins 16 bytes after a line, as most of numpy's do."""
    return (
        aligned(count + 64, dtype)
        .view(np.uint8)[16 : 16 + count * np.dtype(dtype).itemsize]
        .view(dtype)
    )


@pytest.mark.parametrize(
    ("A", "dtype", "stream_from", "copied"),
    [
        (bit_reversal(16), "f8", ALWAYS, True),
        (random(16, 1), "c16", ALWAYS, True),
        (transpose(16, 3), "f8", ALWAYS, False),
        (gray_code(16), "f8", ALWAYS, False),
        (bit_reversal(16), "f8", 2**16, True),
        (bit_reversal(16), "f8", 2**17, False),
        (bit_reversal(16), "V12", ALWAYS, False),
    ],
)
def test_scattered_pages_reach_an_output_that_begins_on_no_line_by_an_array_that_does(
    A: Affine, dtype: str, stream_from: int, copied: bool
) -> None:
    x, plan = elements(16, np.dtype(dtype)), LocalPlan(A, 0, dtype, stream_from=stream_from)
    plan.perform(x, aligned(1 << 16, dtype))
    assert "_spare" not in vars(plan)
    kept = []
    for _ in range(2):
        out = unaligned(1 << 16, dtype)
        assert plan.perform(x, out) is out and out.tobytes() == moved(A, x).tobytes()
        kept.append(vars(plan).get("_spare"))
    assert kept[0] is kept[1] and (kept[0] is not None) == copied


def test_the_plans_of_permute_local_keep_no_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_permutation, "_kept", lambda address, dtype, kernel: plan)
    x, out, plan = (
        elements(16, np.dtype("f8")),
        unaligned(1 << 16, "f8"),
        LocalPlan(bit_reversal(16), 0, "f8", stream_from=ALWAYS),
    )
    assert (
        permute_local(bit_reversal(16), 0, x, out) is out
        and out.tobytes() == moved(bit_reversal(16), x).tobytes()
    )
    assert "_spare" not in vars(plan)


def test_an_array_of_the_library_begins_on_a_line() -> None:
    for count in (1, 1000):
        y = nodewright.aligned(count, "i4,f8")
        assert y.shape == (count,) and y.dtype == np.dtype("i4,f8") and y.ctypes.data % 64 == 0


def test_elements_that_are_not_moved_in_lines_have_neighbours_on_both_sides() -> None:
    for size in (3, 12, 24, 48, 96):
        lines, _, _ = tables(plan(bit_reversal(20), size, False))
        near = {1 << k for k in range(4)}
        assert all(near <= set(side.tolist()) for side in lines)
        assert lines[1, :16].tolist() == list(range(16)), (
            "what is stored one after the other are neighbours"
        )


def test_a_plan_is_kept_and_a_matrix_may_be_written_as_rows() -> None:
    x = np.arange(1 << 10)
    rows = np.asarray(gray_code(10).matrix).tolist()
    assert np.array_equal(permute_local(rows, 5, x), moved(Affine(gray_code(10).columns, 10, 5), x))
    out = np.empty_like(x)
    assert permute_local(gray_code(10), 5, x, out) is out and np.array_equal(
        out, permute_local(rows, 5, x, kernel="gray")
    )


def interpreted(
    source: str, found: Tiles | Records, A: Affine, x: list, size: int, streamed: int = 1
) -> list:
    """Return what the text of a kernel makes of a list; places that it never writes hold None."""
    y: list = [None] * len(x)
    move = plain.program(source)
    lines, low, high = tables(found)
    if isinstance(found, Records):
        move(x, y, A.c, lines, low, high)
        return y
    memory = [
        plain.Memory(np.array(elements, dtype=object), size)
        for elements in (x, y, [None] * (4096 // size))
    ]
    turn = plain.address(found.words(size))
    move(
        *memory[:2],
        found.complement(A.c),
        found.stages,
        streamed,
        lines,
        turn,
        low,
        high,
        *memory[2:][: size < 4],
    )
    return memory[1].parts.tolist()


def text_of(found: Tiles | Records, size: int) -> str:
    """Return the text of the module with the kernel for a plan."""
    return (
        kernel_text.module_of(size)
        if isinstance(found, Tiles)
        else (kernel_text.HERE / "records.py").read_text()
    )


def is_moved(A: Affine, x: list, y: list) -> bool:
    return len(y) == len(x) and all(y[j] is x[i] for i, j in enumerate(span(A.columns) ^ A.c))


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64, 24])
def test_the_text_without_a_compiler_is_the_permutation_of_opaque_elements(
    size: int, streaming: bool
) -> None:
    for n in (0, 3, 6, 9, 10, 11):
        x = [Opaque() for _ in range(1 << n)]
        for A in (bit_reversal(n), identity(n), random(n, 2)):
            found = plan(A, size, streaming)
            assert is_moved(
                A, x, interpreted(text_of(found, size), found, A, x, size, int(streaming))
            ), A


DAMAGES = [
    ("(source, s, lines[0], 8)", "(source, s, lines[1], 8)"),
    ("(source, s, lines[0], 8)", "(source, s, lines[0][:7], 8)"),
    ("stream(target, t >> 3, lines[1], v)", "stream(target, t >> 3, lines[0], v)"),
    ("exchange(v, 1)", "exchange(v[::-1], 1)"),
    ("stages & 2", "stages & 1"),
    ("exchange(v, 4)", "exchange(v, 2)"),
    ("load(turn, 8, order, 8)", "load(turn, 0, order, 8)"),
    ("t & 7", "0"),
    ("3, 4, 5, 6, 7)", "3, 4, 6, 5, 7)"),
    ("^ c", "^ 0"),
    ("range(low.shape[1])", "range(1)"),
    ("    stream(target, t >> 3, lines[1], v)", "    prefetch(target, t >> 3, lines[1])"),
    ("range(high.shape[1])", "range(1, high.shape[1])"),
    ("t >> 3, lines[1]", "t >> 2, lines[1]"),
    ("s, lines[0], 8", "s, lines[0], 4"),
    ("    stream(target, t >> 3", "    stream(source, t >> 3"),
]


@pytest.mark.parametrize(("right", "wrong"), DAMAGES, ids=[right for right, _ in DAMAGES])
def test_a_damaged_text_is_refused(right: str, wrong: str) -> None:
    source = kernel_text.module_of(8)
    assert right in source
    x = [Opaque() for _ in range(1 << 9)]
    refused = False
    for A in (random(9, 2), transpose(9, 2)):  # all stages, and two of three
        found = plan(A, 8, True)
        assert is_moved(A, x, interpreted(source, found, A, x, 8))
        try:
            refused |= not is_moved(
                A, x, interpreted(source.replace(right, wrong, 1), found, A, x, 8)
            )
        except (NameError, TypeError, IndexError, ValueError):
            refused = True
    assert refused


DOORS = {"numba": ["codegen/kernels/host.py"], "llvmlite": ["codegen/kernels/host.py"]}
"""The certifier compiles nothing."""


@pytest.mark.parametrize("library", DOORS)
def test_the_doors_to_the_compiler_are_these(library: str) -> None:
    assert [module for module in MODULES if library in libraries(module)] == DOORS[library]


def test_a_kernel_imports_the_lanes_only() -> None:
    for source in (
        *map(kernel_text.module_of, kernel_text.SIZES),
        *((kernel_text.HERE / f"{name}.py").read_text() for name in ("records", "gray")),
    ):
        imported = [
            node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)
        ]
        assert imported == ["__future__", "typing", plain.DOORS[0]]


@pytest.mark.long
def test_what_is_compiled_is_kept_on_disk() -> None:
    look = """
import numpy as np
from codegen.kernels.permute.kernel_text import module_of
from derive.gf2.bmmc import bit_reversal
from nodewright import LocalPlan
from nodewright.runtime.loading import loaded
LocalPlan(bit_reversal(10), 0, "f8").perform(np.arange(1024.0))
print(sum(loaded(module_of(8), "move_8").move.stats.cache_hits.values()))
"""
    LocalPlan(bit_reversal(10), 0, "f8").perform(np.arange(1024.0))
    done = subprocess.run(
        [sys.executable, "-c", look],
        cwd=kernel_text.HERE.parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"


@pytest.mark.long
def test_the_example_of_the_page_on_permutations_runs_on_two_ranks(tmp_path: Path) -> None:
    example = next(block for block in blocks(PERMUTATIONS, "python") if "factor_bmmc" in block)
    path = tmp_path / "example.py"
    path.write_text(example, encoding="utf-8")
    done = launch.run(path, [], 2, capture=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_tiles_cover_source_and_target_once() -> None:
    for A in (random(13, 1), gray_code(13), bit_reversal(13)):
        found = plan(A, 8, True)
        lines, low, high = tables(found)
        assert isinstance(found, Tiles) and low.shape[1] <= 1 << LOW_BITS
        for side, shift in ((0, 0), (1, found.b)):
            starts = (high[side][:, None] ^ low[side]).reshape(-1) >> shift
            places = np.sort((starts[:, None] ^ lines[side]).reshape(-1))
            assert np.array_equal(places, np.arange(1 << 13 - found.b))


def test_fresh_vectors_are_no_sums_of_those_before() -> None:
    candidates = [3, 1, 2, 12, 15, 4]
    assert fresh([1], candidates) == [
        v for i, v in enumerate(candidates) if not spans((1, *candidates[:i]), v)
    ]


SIXTEEN = np.arange(16.0)


@pytest.mark.parametrize(
    ("A", "c", "x", "rule"),
    [
        ([[1, 1], [1, 1]], 0, SIXTEEN[:4], "rows 0, 1 add up to zero"),
        ([[1, 0, 0], [0, 1, 0]], 0, SIXTEEN[:4], "A must be square; got a 2 x 3 matrix"),
        ([[2]], 0, SIXTEEN[:2], "entry 2 in row 0, column 0"),
        (gray_code(4), 16, SIXTEEN, "complement 16 does not fit 4 bits; it must be from 0 to 15"),
        (gray_code(4), -1, SIXTEEN, "complement -1 does not fit 4 bits"),
        (
            gray_code(4),
            0,
            SIXTEEN[:8],
            "float64 of shape (8,): the permutation is of 2^4 = 16 elements of float64",
        ),
        (gray_code(4), 0, SIXTEEN.reshape(4, 4), "of shape (4, 4)"),
        (
            gray_code(3),
            0,
            SIXTEEN[::2],
            "elements 16 bytes apart: a contiguous array has them 8 bytes apart",
        ),
        (gray_code(4), 0, SIXTEEN.astype(object), "dtype must have a fixed size"),
        (gray_code(4), 0, np.zeros(16, "V0"), "dtype must have a fixed size and no shape"),
        (gray_code(4), 0, SIXTEEN.tolist(), "x must be a contiguous array of"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("kernel", KERNELS)
def test_what_cannot_be_permuted_is_refused_with_values_and_rule(
    A: object, c: int, x: NDArray, rule: str, kernel: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(rule)):
        permute_local(A, c, x, kernel=kernel)


def test_lengths_are_compared_before_tables_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_permutation, "_kept", lambda *_: pytest.fail("a plan is made"))
    with pytest.raises(
        ValueError,
        match=(
            r"int64 of shape \(16,\): the permutation is of 2\^44 = 17592186044416 elements of"
            r" int64"
        ),
    ):
        permute_local(np.eye(44, dtype=int), 0, np.arange(16))


@pytest.mark.parametrize(("n", "size"), [(62, "2^65"), (70, "2^73")])
def test_no_plan_is_made_for_more_than_the_memory_holds(n: int, size: str) -> None:
    with pytest.raises(
        ValueError,
        match=rf"elements of float64 in one process: {re.escape(size)} bytes do not fit the memory",
    ):
        LocalPlan(bit_reversal(n), 0, "f8")


@pytest.mark.parametrize(
    ("A", "dtype", "rule"),
    [([[1, 0], [1]], "f8", "rows of 1 and 2 entries"), ([[1]], None, "dtype is missing; give one")],
)
def test_no_rectangle_and_no_dtype_are_refused(A: object, dtype: object, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        LocalPlan(A, 0, dtype)


class Compiling:
    """A plan whose first call compiles: a clock is told what each call takes."""

    compiled: ClassVar[set[str]] = set()

    def __init__(self, A: Affine, c: int, dtype: np.dtype, kernel: str) -> None:
        self.plan, self.kernel = LocalPlan(A, c, dtype, kernel), kernel

    def perform(self, x: NDArray, out: NDArray) -> None:
        now[0] += 1 if self.kernel in self.compiled else 1000
        self.compiled.add(self.kernel)
        self.plan.perform(x, out)


now = [0.0]


def test_a_benchmark_of_permutations_times_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def clock() -> float:
        now[0] += 1e-3
        return now[0]

    monkeypatch.setattr(bench, "LocalPlan", Compiling)
    monkeypatch.setattr(bench, "perf_counter", clock)
    monkeypatch.setattr(common, "perf_counter", clock)
    x, y = np.arange(16.0), np.empty(16)
    tiles, unaligned, _, take, _, gray, least = bench.ratios(gray_code(4), x, y)
    assert tiles == unaligned == pytest.approx(1001, rel=1e-3) and gray == pytest.approx(
        1001, rel=1e-3
    )
    assert least == pytest.approx(take / tiles)


def test_an_output_that_cannot_be_written_is_refused() -> None:
    x, fixed = SIXTEEN.copy(), SIXTEEN.copy()
    fixed.flags.writeable = False
    for out, rule in (
        (x, "shares memory with x"),
        (fixed, "read-only"),
        (x[:8], "of shape"),
        (SIXTEEN.astype("f4"), "float32"),
        ([], "list"),
    ):
        with pytest.raises(ValueError, match=rule):
            permute_local(gray_code(4), 0, x, out)


def test_an_unknown_kernel_is_refused() -> None:
    for kernel in ("fast", ["tiles"], None):
        with pytest.raises(
            ValueError, match=re.escape(f"unknown kernel {kernel!r}: choose from tiles, gray")
        ):
            permute_local(gray_code(4), 0, SIXTEEN, kernel=kernel)
        with pytest.raises(
            ValueError, match=re.escape(f"unknown kernel {kernel!r}: choose from tiles, gray")
        ):
            LocalPlan(gray_code(4), 0, "f8", kernel)
