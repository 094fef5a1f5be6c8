"""The plan of a local permutation y[A i + c] = x[i]: its tiles, as tables of numbers for a kernel
that knows nothing but the size of an element.

A line is a coset of L = span(e_0, .., e_{b-1}), 64 bytes of an array. A tile is a coset of L + A^-1
L, and of some vectors more if that is small: whole lines of x that become whole lines of y. In a
tile

    source line i, position p = in_i(lane)          the lanes are permuted
    the bits `stages` of line and lane change places    a network of exchanges
    target line j, lane = out_j(position)           the lanes are permuted again

is the same for all tiles, but for an exclusive or with the target position. Bits are written least
significant first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.permute.kernel_text import LINE, LINES, SIZES, WIDE
from derive.gf2.bits import Affine, column_basis, span

STREAM_FROM = 2**23
"""Bytes of an array from which on it is streamed: from here on that wins even where y is read
next.
"""
LOW_BITS = 8
"""The inner loop has at most 2^LOW_BITS tiles, so that its tables stay in the first-level cache."""
RUN = 4
"""Tiles of elements that are not moved in lines have 2^RUN neighbours on either side: fewer leave
much of their lines to other tiles.
"""
HEAD_STREAMED, HEAD_STORED = 3, 1
"""So many bits of source runs come before target runs grow, too: what is loaded wants neighbours
more than what is streamed.
"""

Table = NDArray[np.int64]
Sides = tuple[tuple[int, ...], tuple[int, ...]]
"""Columns of a linear map for the source, and for the target."""


@dataclass(frozen=True)
class Tiles:
    """The tiles of y = A x with lines of 2^b elements, as linear maps, whose tables are the sums of
    columns.

    Places of lines are in lines, but those of targets in `steps` carry a lane in the low b bits.
    """

    b: int
    stages: int
    """The bits of the lane that are exchanged with those of the line."""
    lines: Sides
    """Where source line i and target line j of a tile are."""
    lanes: Sides
    """How the lanes of source line 0, and of target line 0, are permuted."""
    shifts: Sides
    """What is added to that, exclusive-or, for source line i and for target line j."""
    steps: Sides
    """Where tile k begins; those of targets before the complement is added."""

    @property
    def flips(self) -> Affine:
        """The low b bits of a target, as the exclusive or of a position that they mean."""
        return Affine(self.lanes[1], self.b)

    def complement(self, c: int) -> int:
        """Return c, or a column that is added to it, as the kernel wants it."""
        return c >> self.b << self.b | self.flips(c & (1 << self.b) - 1)

    @cached_property
    def turns(self) -> Table:
        """The permutations of the lanes: of the source lines, then of the target lines, of shape
        (2^bits + 2^bits, 2^b).
        """
        return np.concatenate(
            [
                span(shifts)[:, None] ^ span(lanes)
                for lanes, shifts in zip(self.lanes, self.shifts, strict=True)
            ]
        )

    def words(self, itemsize: int) -> NDArray[np.uint8]:
        """Return the permutations of the lanes as index vectors of words of at most 8 bytes, as the
        kernel loads them.
        """
        word, parts = min(itemsize, 8), max(itemsize // 8, 1)
        return (
            (self.turns[..., None] * parts + np.arange(parts))
            .astype(f"u{word}")
            .reshape(-1)
            .view(np.uint8)
        )


@dataclass(frozen=True)
class Records:
    """The tiles of y = A x, element by element: those of one tile, and the steps from tile to
    tile.
    """

    lines: Sides
    steps: Sides


def tables(plan: Tiles | Records) -> tuple[Table | tuple[tuple[int, ...], ...], Table, Table]:
    """Return the places of lines or elements in a tile, the tiles of the inner loop, and those of
    the outer one; of shape (2, ..) each. Those of lines that fit the registers are tuples.
    """
    parts = (
        plan.lines,
        [side[:LOW_BITS] for side in plan.steps],
        [side[LOW_BITS:] for side in plan.steps],
    )
    lines, low, high = (np.stack([span(side) for side in part]) for part in parts)
    if isinstance(plan, Tiles) and 1 << plan.b <= WIDE:
        return tuple(tuple(side) for side in lines.tolist()), low, high
    return lines, low, high


def plan(A: Affine, itemsize: int, streaming: bool) -> Tiles | Records:
    """Return the tiles of y = A x (without its complement) for elements of this size.

    Sizes that are no power of two, and arrays shorter than a tile, go element by element.

    Raises ValueError naming rows that add up to zero if A is singular.
    """
    size = min(itemsize, LINE)
    unit, b = lg(itemsize // size), lg(LINE // size)
    bits = max(b, lg(LINES))
    if itemsize != size << unit or size not in SIZES or unit + A.bits < b + bits:
        return records(A.linear, itemsize)
    words = Affine(
        tuple(1 << k for k in range(unit)) + tuple(column << unit for column in A.columns),
        unit + A.bits,
    )
    return tiles(words, b, bits, HEAD_STREAMED if streaming else HEAD_STORED)


def lg(k: int) -> int:
    """Return the place of the leading bit."""
    return k.bit_length() - 1


def fresh(taken: Sequence[int], candidates: Sequence[int]) -> list[int]:
    """Return the candidates that are no sum of taken vectors and of candidates before them; the
    taken ones are independent.

    >>> fresh([1], [3, 2, 4])
    [3, 4]
    """
    both = [*taken, *candidates]
    basis, _ = column_basis(both[::-1])
    return [both[-1 - j] for j in reversed(basis)][len(taken) :]


def tiles(A: Affine, b: int, bits: int, head: int) -> Tiles:
    """Return the tiles of y = A x, of 2^bits lines of 2^b elements each; A is linear, of b + bits
    bits at least, and bits >= b.
    """
    low, back = (1 << b) - 1, A.inverse().columns
    # Lane bit k stands for lane[k]: a vector that leads from target line to target line (stages),
    # or stays in one.
    stages, depends = column_basis([column >> b for column in A.columns[:b]])
    lane = [1 << k | depends[k] for k in range(b)]
    inside = [A(lane[k]) for k in range(b) if k not in stages]
    across = {
        k: back[lg(e)]
        for k, e in zip(stages, fresh(inside, [1 << e for e in range(b)]), strict=True)
    }
    # Line bit k stands for line[k]: to be exchanged (across), or a step to a neighbouring tile that
    # is done at once.
    steps = iter(_steps(A, back, b, tuple(across.values()), head))
    line = [across[k] if k in across else next(steps) for k in range(bits)]
    position = Affine(tuple(A(across[k] if k in across else lane[k]) for k in range(b)), b)
    flips = position.inverse() if b else position
    target = [A(lane[k] if k in across else line[k]) for k in range(bits)]
    rest = list(steps)
    images = [A(step) for step in rest]
    return Tiles(
        b,
        sum(1 << k for k in stages),
        (tuple(place >> b for place in line), tuple(place >> b for place in target)),
        (tuple(lane), flips.columns),
        (tuple(place & low for place in line), tuple(flips(place & low) for place in target)),
        (
            tuple(step >> b for step in rest),
            tuple(place >> b << b | flips(place & low) for place in images),
        ),
    )


def _steps(A: Affine, back: Sequence[int], b: int, across: Sequence[int], head: int) -> list[int]:
    """Return vectors from tile to tile, in an order that keeps both sides local: runs of source and
    of target grow in turn.

    Source runs grow by e_k, target runs by A^-1 e_k. Low bits are cleared, which stays in the same
    tile.
    """
    sources, targets = [1 << k for k in range(b, A.bits)], list(back[b:])
    turns = chain.from_iterable(zip(sources[head:], targets[: len(sources[head:])], strict=True))
    candidates = [*sources[:head], *turns, *targets]
    return [
        vector >> b << b for vector in fresh([*(1 << k for k in range(b)), *across], candidates)
    ]


def records(A: Affine, itemsize: int) -> Records:
    """Return the tiles of y = A x, A linear, for elements of any size: 2^RUN neighbours on either
    side, or a line if that is more.

    What is stored one after the other are neighbours in the target: the line that was stored to
    last is still at hand.
    """
    b = min(A.bits, max(RUN, lg(LINE // itemsize)))
    back = A.inverse().columns
    units = A.identity(A.bits).columns
    own = fresh((), [*back[:b], *units[:b]])
    rest = fresh(own, [*units[b:], *back[b:]])
    return Records((tuple(own), tuple(map(A, own))), (tuple(rest), tuple(map(A, rest))))
