"""How a rank puts its own elements in another order: an arrangement, an entry of a program's table,
and what is printed of a compiled kernel.

arrangement = None                            nothing moves
            | Axes | Take | Tiles             numpy: a transpose, a gather, tiles of rows (codegen/kernels/permute/numpy_plan.py)
            | Lines | Records                 numba: tiles of lines (codegen/kernels/permute/permutation_tiles.py) or of elements
            | Gray                            gray: one element after the other

entry = None | ("axes", shape, axes)
      | ("take", offsets, ranks, c)                       by the map from new offsets to old ones
      | ("tiles", row, rows, inside, steps, ranks, c)
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

from codegen.kernels.permute import kernel_text, numpy_plan, permutation_tiles
from codegen.kernels.permute.kernel_text import LINE, LINES
from codegen.program.moves import inverse_offsets, is_transpose, runs
from derive.gf2.bits import Affine

Entry = tuple[Any, ...] | None


@dataclass(frozen=True)
class Axes:
    """A transpose of an array of this shape."""

    shape: tuple[int, ...]
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Take:
    """A gather: the map from (new offset, rank) to the old offset."""

    back: Affine


@dataclass(frozen=True)
class Tiles:
    """Tiles of rows, their place in the target moved by ranks s + c for rank s."""

    blocks: numpy_plan.Blocks
    ranks: tuple[int, ...]
    c: int


@dataclass(frozen=True)
class Lines:
    """Tiles of lines by a compiled kernel, their place in the target moved by ranks s + c."""

    tiles: permutation_tiles.Tiles
    ranks: tuple[int, ...]
    c: int


@dataclass(frozen=True)
class Records:
    """Tiles of elements of any size by a compiled kernel, their place in the target moved so."""

    tiles: permutation_tiles.Records
    ranks: tuple[int, ...]
    c: int


@dataclass(frozen=True)
class Gray:
    """One element after the other by a compiled kernel: to columns o + ranks s + c."""

    columns: tuple[int, ...]
    ranks: tuple[int, ...]
    c: int


Arrangement = Axes | Take | Tiles | Lines | Records | Gray | None


def arranged(offset: Affine, m: int, itemsize: int, kernels: str) -> Arrangement:
    """Return how the map from (offset, rank) to the new offset is carried out: nothing moves, or by
    numpy, or by a compiled kernel.
    """
    if kernels == "numpy" or (is_transpose(offset, m) and len(runs(offset, m)) <= 1):
        return arranged_by_numpy(offset, m, itemsize)
    inside, ranks = offset.columns[:m], offset.columns[m:]
    if kernels == "gray":
        return Gray(inside, ranks, offset.c)
    found = (
        permutation_tiles.plan(Affine(inside, m), itemsize, is_streamed(m, itemsize))
        if itemsize <= LINE
        else permutation_tiles.records(Affine(inside, m), itemsize)
    )
    if isinstance(found, permutation_tiles.Records):
        return Records(found, ranks, offset.c)
    return Lines(found, tuple(map(found.complement, ranks)), found.complement(offset.c))


def arranged_by_numpy(offset: Affine, m: int, itemsize: int) -> Axes | Take | Tiles | None:
    """Return how numpy alone carries out the map from (offset, rank) to the new offset: nothing,
    tiles, a gather or a transpose; a gather for pairs in an array that fits the caches, too.

    numpy transposes in loops over what lies together in the target. Where that are two elements
    only, a table of offsets takes 0.2 to 1.1 of the time (bench/permute.py).
    """
    inside, parts = (
        Affine(offset.columns[:m], m),
        runs(offset, m) if is_transpose(offset, m) else None,
    )
    if numpy_plan.pays(inside, itemsize, None if parts is None else len(parts)):
        return Tiles(numpy_plan.plan(inside, numpy_plan.TILE_BITS), offset.columns[m:], offset.c)
    if parts is None or (
        len(parts) > 1 and parts[0][2] == 1 and itemsize << m < numpy_plan.FROM["many axes"]
    ):
        return Take(inverse_offsets(offset, m))
    if len(parts) <= 1:
        return None
    by_source = sorted(parts, reverse=True)
    axes = tuple(by_source.index(run) for run in reversed(parts))
    return Axes(tuple(1 << bits for _, _, bits in by_source), axes)


def transpose_of(offset: Affine, m: int) -> tuple[int, int] | None:
    """Return (rows, columns) where a rearrangement transposes such an array, the same on all ranks,
    else None.

    >>> transpose_of(Affine((4, 1, 2), 3), 3), transpose_of(Affine((1, 2, 4), 3), 3)
    ((4, 2), None)
    """
    parts = runs(offset, m) if is_transpose(offset, m) else []
    return (1 << parts[0][2], 1 << parts[1][2]) if len(parts) == 2 else None


def of_messages(offset: Affine, m: int, messages: int, whole: Entry) -> Entry:
    """Return the entry for 2^messages equal messages that lie apart, in place of one for the whole
    of them.

    It is a transpose with whole messages in front, or the map from old offsets to new ones; tiles
    stay, and want the messages together.

    >>> of_messages(Affine((2, 4, 1), 3), 3, 1, ("axes", (2, 4), (1, 0)))
    ('parts', (2,), (4,), (1, 0))
    """
    kind = whole and whole[0]
    if kind == "take":
        return "put", offset.columns[:m], offset.columns[m:], offset.c
    if kind != "axes":
        return whole
    low = m - messages
    pieces = [piece for run in runs(offset, m) for piece in _cut(run, low)]
    by_source = sorted(pieces, reverse=True)
    count, shape = (
        tuple(1 << bits for at, _, bits in by_source if (at >= low) == above)
        for above in (True, False)
    )
    return "parts", count, shape, tuple(by_source.index(piece) for piece in reversed(pieces))


def _cut(run: tuple[int, int, int], low: int) -> list[tuple[int, int, int]]:
    """Return a run of bits (from, to, how many) in two where it reaches across bit `low` of the
    source.
    """
    at, to, bits = run
    below = low - at
    return [(at, to, below), (low, to + below, bits - below)] if 0 < below < bits else [run]


def is_streamed(m: int, itemsize: int) -> bool:
    """Return whether 2^m elements go past the caches."""
    return itemsize << m >= permutation_tiles.STREAM_FROM


def kernel(m: int, kernels: str, itemsize: int) -> dict[str, Any]:
    """Return what a program with a compiled kernel prints beside it: among others the operations on
    lines that it is made of.
    """
    kind = kernels if kernels == "gray" else "tiles" if _in_lines(m, itemsize) else "records"
    word, streamed = gcd(itemsize, 8), is_streamed(m, itemsize)
    operations = kernel_text.COMPILING if kind != "tiles" else "lanes" if streamed else "cached"
    return {
        "kind": kind,
        "array": "aligned" if kind == "tiles" else "np.empty",
        "operations": kernel_text.section(operations),
        "itemsize": itemsize,
        "streamed": int(streamed),
        "low_bits": permutation_tiles.LOW_BITS,
        "parts": max(itemsize // 8, 1),
        "index": f'"u{min(itemsize, 8)}"',
        "record": (
            f'"u{word}"' if word == itemsize else f'[("words", "u{word}", ({itemsize // word},))]'
        ),
        "count": max(LINE // itemsize, LINES),
        "wide": itemsize < 4,
    }


def _in_lines(m: int, itemsize: int) -> bool:
    return itemsize <= LINE and isinstance(
        permutation_tiles.plan(Affine.identity(m), itemsize, False), permutation_tiles.Tiles
    )
