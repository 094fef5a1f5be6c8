"""Which bits of the index the ranks hold while an FFT is done.

    F_N = L .. L (I ⊗ F_d) .. T (I ⊗ F_d ⊗ I) T (F_d ⊗ I)

takes the bits of the index from the highest to the lowest, a window of them in each transform. A
transform is local where no rank bit depends on its window. So data moves only to bring the next
window into the offset. Input and output say what the rank bits are at the beginning and at the end.
Of the ways between them with the fewest exchanges, `best` takes one that sends few words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import itemgetter

from codegen.cost.bounds import leaving
from codegen.program import moves
from derive.formula.layout import Layout
from derive.formula.permutations import lg
from derive.gf2.bits import Affine, column_echelon, transposed
from derive.papers.bsp_phases import virtual_processors

Rows = tuple[int, ...]
"""Bits of an address, the lowest first: each a sum of bits of the index in the formula, packed."""


@dataclass(frozen=True)
class Place:
    """Where elements are while a window of bits is transformed: an address map with the window in
    the offset, from bit `low` on, in its order.
    """

    address: Affine
    low: int

    def ranks(self, m: int) -> Rows:
        """Return the rank bits, for m bits of an offset."""
        return _rows(self.address)[m:]


@dataclass(frozen=True)
class Way:
    """The windows of an FFT, as numbers of bits from the highest, the rank bits during each, and
    the words and messages that a rank sends, at most.
    """

    windows: tuple[int, ...]
    ranks: tuple[Rows, ...]
    sent: tuple[int, int]


def best(input: Layout, output: Layout) -> Way:
    """Return a way with the least number of exchanges; of those that are tried, one that sends
    fewest words, then fewest messages.

    >>> from derive.formula.layout import block, cyclic
    >>> best(cyclic(1024, 512), cyclic(1024, 512)).sent, best(block(64, 4), block(64, 4)).windows
    ((10, 10), (4, 2))
    """
    return min(
        _ways(input, output),
        key=lambda way: (way.sent, len(way.windows), [-size for size in way.windows]),
    )


def split(way: Way) -> Way:
    """Return a way with windows that leave the cache in two.

    >>> from derive.formula.layout import cyclic
    >>> split(best(cyclic(2**30, 2), cyclic(2**30, 2))).windows
    (7, 8, 7, 8)
    """
    parts = [
        (part, ranks)
        for size, ranks in zip(way.windows, way.ranks, strict=True)
        for v in [lg(virtual_processors(1 << size))]
        for part in ([size - v, v] if v else [size])
    ]
    windows, ranks = zip(*parts, strict=True)
    return replace(way, windows=windows, ranks=ranks)


def _ranks(layout: Layout) -> Rows:
    return _rows(layout.address)[layout.m :]


def _rows(address: Affine) -> Rows:
    return transposed(address.columns, address.bits)


def _free(rows: Rows, n: int) -> int:
    """Return how many of the highest bits these rows do not depend on."""
    return n - max(map(int.bit_length, rows), default=0)


def _ways(input: Layout, output: Layout) -> Iterator[Way]:
    n, m, first, last = input.n, input.m, _ranks(input), _ranks(output)
    for windows in sorted({*_windows(n, m, _free(first, n), _free(last, n))}):
        target = in_places(last, windows)
        for late in (False, True):
            held = [first, *_between(first, target, windows, late), target]
            sent = [_sent(before, after, n) for before, after in pairwise(held)]
            kept = [i for i, size in enumerate(windows) if size]
            yield Way(
                tuple(windows[i] for i in kept),
                tuple(held[i] for i in kept),
                (sum(words for words, _ in sent), sum(messages for _, messages in sent)),
            )


def _windows(n: int, m: int, first: int, last: int) -> Iterator[tuple[int, ...]]:
    """Yield sizes of windows: the first and the last at most as the layouts allow, those between as
    few as there can be and at most m. The first and the last may be 0.
    """
    between = n - first - last
    if between <= 0:
        half = min(max(n // 2, n - last), first)
        yield half, n - half
        return
    count = -(-between // m)
    for at in range(count + 2):
        sizes, left = [first, *[m] * count, last], count * m - between
        for i in (at, *range(1, count + 1)):
            taken = min(left, sizes[i] - (0 < i <= count))
            sizes[i], left = sizes[i] - taken, left - taken
        yield tuple(sizes)


def in_places(rows: Rows, windows: Sequence[int]) -> Rows:
    """Return sums of bits of a frequency as sums of bits of the place where the transforms leave
    it: the lowest bits of a frequency are where the highest of the index were.

    >>> in_places((1, 2, 4), (2, 1))
    (2, 4, 1)
    """
    sizes = zip(_ends(windows), windows, strict=True)
    bits = [end + i for end, size in sizes for i in range(size)]
    return tuple(sum(1 << bit for k, bit in enumerate(bits) if row >> k & 1) for row in rows)


def _between(first: Rows, last: Rows, windows: Sequence[int], late: bool) -> Iterator[Rows]:
    """Yield the rank bits in each window but the first and the last: those that depend on the
    window are replaced by bits from the offset.

    Best are bits that stay on the rank to the end, above all those that belong to just this one of
    its bits. Next are those that are transformed last, or, if `late`, those that have been.
    """
    rows = list(first)
    for done, end in pairwise(_ends(windows)[:-1]):
        window = (1 << done) - (1 << end)
        replaced = [q for q, row in enumerate(rows) if row & window]
        for q in sorted(replaced, key=lambda q: not _settles(last[q], done)):
            others = rows[:q] + rows[q + 1 :]
            spanned, _ = column_echelon(others)  # of which the bits in their span are columns
            free = (1 << b for b in range(sum(windows)) if not window >> b & 1)

            def worth(bit: int, q: int = q, done: int = done) -> tuple[int, int]:
                if bit >> done and bit in last:
                    return int(bit != last[q]), bit
                return 2 + (bool(bit >> done) == late), bit

            rows[q] = min((bit for bit in free if bit not in spanned), key=worth)
        yield tuple(rows)


def _settles(row: int, done: int) -> bool:
    return row.bit_count() == 1 and bool(row >> done)


def _sent(before: Rows, after: Rows, n: int) -> tuple[int, int]:
    """Return the words and messages that a rank sends, at most, for these rank bits to change."""
    there, here = (address(rows, n, range(0), 0) for rows in (after, before))
    return leaving(there @ here.inverse(), len(before))


def arranged(way: Way, input: Layout, output: Affine) -> tuple[Place, ...]:
    """Return the place of each window: as that part of the offset, the highest or the lowest, with
    which packing and unpacking cost least. In an end's layout it may also stay where it is.

    `output` is the address map of the result from its places in the formula.
    """
    found: dict[Affine, tuple[int, tuple[Place, ...]]] = {input.address: (0, ())}

    def cheapest(after: Affine) -> tuple[int, tuple[Place, ...]]:
        return min(
            (
                (cost + _cost(before, after, input.p), places)
                for before, (cost, places) in found.items()
            ),
            key=itemgetter(0),
        )

    for end, size, ranks in zip(_ends(way.windows), way.windows, way.ranks, strict=True):
        window = range(end, end + size)
        options = [
            Place(address(ranks, input.n, window, low), low) for low in (input.m - size, 0)
        ] + [
            Place(known, low)
            for known in (*found, output)
            if _rows(known)[input.m :] == ranks and (low := _low(known, window)) is not None
        ]
        reached = [(option, *cheapest(option.address)) for option in options]
        found = {option.address: (cost, (*places, option)) for option, cost, places in reached}
    return cheapest(output)[1]


def _low(address: Affine, window: range) -> int | None:
    """Return the bit of an address from which on it has the bits of the window in their order, and
    not complemented.
    """
    low = address.columns[window.start].bit_length() - 1
    there = tuple(1 << low + i for i in range(len(window)))
    plain = address.columns[window.start : window.stop] == there and not address.c
    return low if plain else None


def _cost(before: Affine, after: Affine, p: int) -> int:
    """Return what a move costs to pack and to unpack."""
    move, m = moves.plan(after @ before.inverse(), p), after.bits - p
    return moves.arranging_cost(move.pack, m) + moves.arranging_cost(move.unpack, m)


def _ends(windows: Sequence[int]) -> list[int]:
    """Return the lowest bit of each window."""
    return [sum(windows) - done for done in accumulate(windows)]


def address(ranks: Rows, n: int, window: range, low: int) -> Affine:
    """Return an address map with these rank bits, and with the bits of the window, on which the
    rank bits do not depend, from bit `low` of the offset on; other bits of the index fill it up.

    >>> address((1, 4), 4, range(3, 4), 0).columns
    (4, 2, 8, 1)
    """
    inside = [1 << b for b in window]
    echelon, _ = column_echelon((*ranks, *inside))
    leading = {column.bit_length() - 1 for column in echelon}
    others = [1 << bit for bit in range(n) if bit not in leading]
    rows = (*others[:low], *inside, *others[low:], *ranks)
    return Affine(transposed(rows, n), n)
