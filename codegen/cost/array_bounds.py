"""What a transform of an array must send, whatever the program.

Let a rank hold the inputs I and be to have the outputs O, each a product of sets I_a and O_a of the
axes. It sends at least rank F[not O, I] words (codegen/cost/bounds.py). What F[not O, I] takes to 0
is what lies in I and has its transform in O: a tensor product over the axes. So

    rank F[not O, I] = M - k_1 k_2 ..,   k_a = |I_a| - rank F_n[not O_a, I_a]

and k = |I| = |O| on the axis of a batch. On an axis where I_a = {a + u j} the columns are Vandermonde's
with nodes w^(u k), so the rank is the number of different k mod n/u among not O_a, but at most |I_a|.
Of H the same holds with real numbers for words, and with ranks of H_n, which are computed up to n = 512;
so it does of the cosine and sine matrices, and above that with a lower bound of the ranks.

Of real elements and half spectra words are real numbers, too. Let x be real with all its elements in
I and its half spectrum in O: its whole spectrum is in O and -O. These x are as many over the real
numbers as complex x are over the complex ones, k. Forward a rank sends at least |I| - k words; from a
half spectrum in I to real numbers in O it sends |I and -I| - k words, where k is of O and I.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from codegen.cost.matrix_ranks import (
    EXACTLY_UP_TO,
    least_rank_of_cosines,
    rank_of_cosines,
    rank_of_part,
)
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.grid_layouts import GridLayout
from derive.digits.part_layouts import PartLayout

Kept = Callable[[int, NDArray[np.int64], NDArray[np.int64]], int | None]
RANKS_COUNTED, LONGEST = 64, 2**22
"""So many ranks are looked at, and axes up to this length: the most of some ranks bounds the most
of all.
"""


def least_words(
    source: GridLayout,
    target: GridLayout,
    kept_of: Kept | None = None,
    axes: Collection[int] | None = None,
) -> int | None:
    """Return the least that the rank which sends most sends to others, in a transform of these axes
    or of all but that of a batch; `kept_of` is the dimension that an axis keeps, if not that of F.
    None where an axis is long, or the indices of a rank on it are no steps.

    >>> one, other = (ArrayLayout(name, (12, 10), (2, 1)) for name in ("cyclic", "block"))
    >>> least_words(one, one), least_words(one, other), least_words(other, other)
    (30, 60, 60)
    >>> slabs = PartLayout("block,whole", (5, 4), (2, 1)), PartLayout("whole,block", (5, 4), (1, 2))
    >>> least_words(*slabs), least_words(*slabs[:1] * 2, axes=(1,))
    (6, 0)
    """
    if isinstance(source, ArrayLayout) and max(source.shape) > LONGEST:
        return None
    transformed = range(source.batched, len(source.shape)) if axes is None else axes

    @cache
    def kept(axis: int, given: int, wanted: int) -> tuple[int, int | None]:
        held, other = _held(source, axis, given), _held(target, axis, wanted)
        if axis not in transformed:
            return len(held), len(np.intersect1d(held, other))
        return len(held), (kept_of or _kept)(source.shape[axis], held, other)

    most = 0
    for rank in range(min(source.P, RANKS_COUNTED)):
        places = (np.unravel_index(rank, layout.grid) for layout in (source, target))
        axes_of_rank = enumerate(zip(*places, strict=True))
        found = [kept(axis, int(given), int(wanted)) for axis, (given, wanted) in axes_of_rank]
        known = [factor for _, factor in found if factor is not None]
        if len(known) < len(found):
            return None
        most = max(most, prod(size for size, _ in found) - prod(known))
    return most


def least_words_of_reals(
    source: PartLayout, target: PartLayout, axes: Sequence[int], forward: bool
) -> int | None:
    """Return the same in real numbers, of a transform from real elements to a half spectrum along
    the last of these axes, or back; of unequal parts.

    >>> slabs = PartLayout("block,whole", (6, 4), (2, 1)), PartLayout("whole,block", (6, 3), (1, 2))
    >>> least_words_of_reals(*slabs, (0, 1), True), least_words_of_reals(*slabs, (1,), True)
    (9, 9)
    """
    real, half = (source, target) if forward else (target, source)
    most = 0
    for rank in range(min(source.P, RANKS_COUNTED)):
        given, wanted = (
            [np.arange(part.start, part.stop) for part in layout.slices(rank)]
            for layout in (real, half)
        )
        kept = _kept_of_reals(real.shape, axes, given, wanted)
        if kept is None:
            return None
        held = prod(map(len, given)) if forward else _numbers(real.shape, axes, wanted)
        most = max(most, held - kept)
    return most


def _kept_of_reals(
    shape: Sequence[int],
    axes: Sequence[int],
    given: Sequence[NDArray[np.int64]],
    wanted: Sequence[NDArray[np.int64]],
) -> int | None:
    """Return a number which the dimension of the real arrays in `given` whose half spectra lie in
    `wanted` is at most. If the last of the axes is whole, a frequency k of it that is not -k has
    the others in `wanted`, else in this and its mirror image.
    """
    plain, closed, last = list[int | None](), list[int | None](), axes[-1]
    for axis, (n, held, other) in enumerate(zip(shape, given, wanted, strict=True)):
        if axis in axes:
            plain.append(_kept(n, held, other))
            closed.append(_kept(n, held, np.union1d(other, -other % n)))
        else:
            plain.append(len(np.intersect1d(held, other)))
            closed.append(plain[-1])
    known = [[each for each in several if each is not None] for several in (plain, closed)]
    if len(known[0]) + len(known[1]) < 2 * len(shape):
        return None
    most = prod(known[1])
    if len(given[last]) == shape[last]:
        own, pairs = _frequencies(shape[last], wanted[last])
        others = [prod(each[:last]) * prod(each[last + 1 :]) for each in known]
        most = min(most, 2 * pairs * others[0] + own * others[1])
    return most


def _frequencies(n: int, half: NDArray[np.int64]) -> tuple[int, int]:
    """Return how many frequencies k are -k, and how many are not."""
    own = int((2 * half % n == 0).sum())
    return own, len(half) - own


def _numbers(shape: Sequence[int], axes: Sequence[int], held: Sequence[NDArray[np.int64]]) -> int:
    """Return how many real numbers a part of a half spectrum has that depend on no others."""
    own, pairs = _frequencies(shape[axes[-1]], held[axes[-1]])
    sizes, mirrored = list[int](), list[int]()
    for axis, (n, part) in enumerate(zip(shape, held, strict=True)):
        if axis != axes[-1]:
            sizes.append(len(part))
            mirrored.append(len(np.intersect1d(part, -part % n) if axis in axes else part))
    whole = prod(sizes)
    return 2 * pairs * whole + own * (2 * whole - prod(mirrored))


def _held(layout: GridLayout, axis: int, place: int) -> NDArray[np.int64]:
    """Return the indices of an axis that lie on the ranks at this place of the grid."""
    if isinstance(layout, PartLayout):
        part = layout.axes[axis].part(place)
        return np.arange(part.start, part.stop)
    if layout.batched and axis == 0:
        return np.arange(layout.shape[axis])
    name = layout.names[axis - layout.batched]
    one = ArrayLayout(name, layout.shape[axis : axis + 1], layout.grid[axis : axis + 1])
    return np.sort(one.index(place, np.arange(one.M)))


def _kept(n: int, given: NDArray[np.int64], wanted: NDArray[np.int64]) -> int | None:
    """Return the dimension of the vectors in `given` whose transforms lie in `wanted`; None where
    neither is indices in equal steps.

    As dim ker F[not O, I] = dim ker F[not I, O], either may be.
    """
    for held, other in ((given, wanted), (wanted, given)):
        steps = np.unique(np.diff(held))
        if len(steps) <= 1:
            u = int(steps[0]) if len(steps) else 1
            if n % u == 0:
                beyond = np.ones(n, bool)
                beyond[other] = False
                nodes = int(beyond.reshape(u, n // u).any(axis=0).sum())
                return len(held) - min(len(held), nodes)
    return None


def kept_by_hartley(n: int, given: NDArray[np.int64], wanted: NDArray[np.int64]) -> int | None:
    """Return the same for H_n; for a long axis, of which no rank has the whole, a number that it is
    at most.

    If O = -O, H_n x lies in O where F_n x does, so that more is kept in O and -O. As H_n is its
    inverse, but for a factor, as much is kept of what is in O and has its transform in I.
    """
    if n in (len(given), len(wanted)):
        return min(len(given), len(wanted))
    if n <= EXACTLY_UP_TO:
        return len(given) - rank_of_part(n, np.delete(np.arange(n), wanted), given, hartley=True)
    sides = ((given, wanted), (wanted, given))
    found = (_kept(n, one, np.union1d(other, -other % n)) for one, other in sides)
    return min((kept for kept in found if kept is not None), default=None)


def kept_by_cosines(third: bool, sine: bool) -> Kept:
    """Return the same for cosine or sine matrices of type II or III: C3[k, j] is C2[j, k] but for a
    factor on a column, S2[k, j] and S3[j, k] are ± C2[n-1-k, j].

    >>> kept_by_cosines(False, False)(4, np.arange(2), np.arange(2))
    0
    """

    def kept(n: int, given: NDArray[np.int64], wanted: NDArray[np.int64]) -> int | None:
        if n in (len(given), len(wanted)):
            return min(len(given), len(wanted))
        rows, columns = np.delete(np.arange(n), wanted), given
        if third:
            rows, columns = columns, rows
        rank = rank_of_cosines if n <= EXACTLY_UP_TO else least_rank_of_cosines
        return len(given) - rank(n, n - 1 - rows if sine else rows, columns)

    return kept
