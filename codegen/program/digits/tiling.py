"""Transforms by digits that compiled kernels do in tiles that fit a cache: a pass over supersteps
that joins transforms which follow each other, and the permutations before and after them.

The rows of F_d ⊗ I_c lie c elements apart: where that is a power of two they meet in a cache, so
that a tile of many columns, a run of each row, is copied and transformed there. It was measured on
a processor with 512 KiB of second cache a core (`python -m bench.sizes --cases 9 10 12`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd

from codegen.program.digits.digit_supersteps import Trade, Transform
from codegen.program.digits.transform_tiles import Tiled
from codegen.program.protocol import Step
from derive.digits.radices import DigitPermutation, common, divisors, groups, identity

TILE = 2**14
"""A tile has so many elements: in complex128 half of a second cache of 512 KiB."""
RUN, LARGEST = 2**5, 2**16
"""A tile has a run of so many elements of every row, if it has no more elements than the largest.
"""
LANES = 8
"""A run has whole vectors of so many elements, or of as many as the columns allow."""
NARROW, ROWS = 4, 8
"""Up to so many columns are no run that is worth a copy; up to so many rows lie in a cache at once,
wherever they are.
"""


def tiled(steps: tuple[Step, ...], M: int, has_kernel: Callable[[int], bool]) -> tuple[Step, ...]:
    """Return supersteps by digits whose transforms are done in tiles where that pays, of lengths
    that have kernels.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.shapes import stated
    >>> from codegen.requests import make_request
    >>> sizes = stated("64x64x16", "2x1x1", None)
    >>> request = make_request("fft", **sizes, input="cyclic", output="cyclic")
    >>> [type(step).__name__ for step in tiled(resolve(request).steps, request.M, bool)]
    ['Tiled', 'Tiled', 'Trade', 'Transform']
    """
    if M <= TILE:
        return steps
    found, left, still = list[Step](), list(steps), identity(M)
    while left:
        group = list[Transform]()
        while left and isinstance(first := left[0], Transform) and has_kernel(first.d):
            if first.diagonal and (group or not _alike(first, first.diagonal.period(M))):
                break
            group.append(first)
            left.pop(0)
        parts = _parts(group)
        for part in parts:
            before = found[-1] if found and part is parts[0] else None
            after = left[0] if left and part is parts[-1] else None
            unpack = before.unpack if isinstance(before, Trade) else still
            pack = after.pack if isinstance(after, Trade) else still
            if (step := _in_tiles(part, unpack, pack)) is None:
                found += part
                continue
            if isinstance(before, Trade):
                found[-1] = replace(before, unpack=still)
            if isinstance(after, Trade):
                left[0] = replace(after, pack=still)
            found.append(step)
        found += [left.pop(0)] if left else []
    return tuple(found)


def _alike(step: Transform, period: int) -> bool:
    """Return whether all copies of a transform lie within a tile and have the same twiddles."""
    span = step.d * step.c
    return span <= TILE and step.copies > 1 and span % period == 0


def _parts(group: Sequence[Transform]) -> list[tuple[Transform, ...]]:
    """Return the transforms whose elements lie within a tile as one part, the others alone."""
    within = tuple(each for each in group if each.d * each.c <= TILE)
    others = [(each,) for each in group if each not in within]
    return [within, *others] if within else [*others]


def _in_tiles(
    transforms: tuple[Transform, ...], before: DigitPermutation, after: DigitPermutation
) -> Tiled | None:
    """Return transforms in tiles; None where no tiles are found, or they do not pay."""
    last, M, moves = transforms[-1], before.size, any(p.order[1:] for p in (before, after))
    span = max(each.d * each.c for each in transforms)
    digits: tuple[int, ...]
    loops: tuple[int, ...]
    if span <= TILE:
        size = span * max(n for n in divisors(M // span) if n * span <= TILE)
        digits, loops, pays = (M // size, size), (0,), moves or len(transforms) > 1
    else:
        most = max(TILE, min(RUN * last.d, LARGEST))
        runs = (n for n in divisors(last.c) if n % gcd(LANES, last.c) == 0)
        columns = max((n for n in runs if n * last.d <= most), default=1)
        digits, loops = (last.copies, last.d, last.c // columns, columns), (0, 2)
        pays = columns > NARROW and (moves or last.d > ROWS)
    try:
        cut = _cut(digits, loops, common(common(digits, before.turned), after.radices))
    except ValueError:  # permutations and tiles have no digits in common
        return None
    choose = tuple(i for i, (_, loop) in enumerate(cut) if loop)
    step = Tiled(before, transforms, after, tuple(radix for radix, _ in cut), choose)
    return step if pays and choose else None


def _cut(
    digits: Sequence[int], loops: Sequence[int], finer: Sequence[int]
) -> list[tuple[int, bool]]:
    """Return digits, and whether they choose a tile; those that do are cut to the finer ones.

    >>> _cut((1, 6, 20, 4), (0, 2), (2, 3, 5, 4, 4))
    [(6, False), (5, True), (4, True), (4, False)]
    """
    parts = groups(digits, finer)
    chosen = [(part, True) if i in loops else ((digits[i],), False) for i, part in enumerate(parts)]
    return [(radix, loop) for part, loop in chosen for radix in part if radix > 1]
