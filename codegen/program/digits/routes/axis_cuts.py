"""Where the axes of an array may be cut into runs, which are transformed one after the other.

A run begins at a place of the input index: that is what its lowest digit counts. It may begin where
the digits of both layouts can be cut: the place and the ends of the digits divide each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise, product
from operator import mul

from codegen.program.digits.digit_places import digits_of
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import dividing, divisors, weights

FEW_RUNS = 4
"""Axes are cut into fewer runs than this, or at all places that a layout suggests."""
FEW_PLACES = 16
"""Of so many places all are cuts where no layout suggests them."""
Phases = tuple[tuple[int, ...], ...]
"""The sizes in which each axis is transformed, one after the other; none if they are not stated."""


def fit(source: ArrayLayout, target: ArrayLayout, phases: Phases) -> bool:
    """Return whether both layouts cut whole digits where these phases begin and end.

    >>> layout = ArrayLayout("cyclic", (12,), (2,))
    >>> fit(layout, layout, ((6, 2),)), fit(layout, layout, ((4, 3),))
    (True, False)
    """
    known = places(source, target)
    return all(
        {weight for weight, _ in parts(n, runs, False)} <= {1, *known[axis]}
        for axis, (n, runs) in enumerate(zip(source.shape, phases, strict=True))
    )


def parts(n: int, runs: Sequence[int], done: bool) -> list[tuple[int, int]]:
    """Return weight and radix of each run in the input index, or in the output index.

    >>> parts(12, (6, 2), False), parts(12, (6, 2), True)
    ([(2, 6), (1, 2)], [(1, 6), (6, 2)])
    """
    ends = list(accumulate(runs, mul))
    return [(end // r if done else n // end, r) for end, r in zip(ends, runs, strict=True)]


def places(source: ArrayLayout, target: ArrayLayout) -> list[list[int]]:
    """Return the places of each axis at which runs may begin, in order, 1 among them.

    >>> layout = ArrayLayout("cyclic", (12,), (2,))
    >>> places(layout, layout)
    [[1, 2, 6, 12]]
    """
    given, wanted = (
        [(digit.axis, digit.weight) for part in digits_of(layout, done) for digit in part]
        for layout, done in ((source, False), (target, True))
    )
    return [
        [
            place
            for place in divisors(n)
            if all(_divide(place, weight) for at, weight in given if at == axis)
            and all(_divide(n // place, weight) for at, weight in wanted if at == axis)
        ]
        for axis, n in enumerate(source.shape)
    ]


def _divide(a: int, b: int) -> bool:
    """Return whether one of two numbers divides the other."""
    return a % b == 0 or b % a == 0


def ways(
    source: ArrayLayout, target: ArrayLayout, every: bool, most: int
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield runs of all axes, those of few runs first: cut where layouts cut them, or `every`where,
    each axis in so many ways at most.

    >>> layout = ArrayLayout("cyclic", (4, 9), (2, 3))
    >>> list(ways(layout, layout, True, 10))
    [((4,), (3, 3)), ((2, 2), (3, 3))]
    """
    several = list[dict[int, list[tuple[int, ...]]]]()
    for axis, known in enumerate(places(source, target)):
        several.append({})
        for runs in islice(_runs(source, target, axis, known[1:-1], every), most):
            several[-1].setdefault(len(runs), []).append(runs)
    for counts in sorted(product(*several), key=sum):
        yield from product(*(of[count] for of, count in zip(several, counts, strict=True)))


def _runs(
    source: ArrayLayout, target: ArrayLayout, axis: int, known: Sequence[int], every: bool
) -> Iterator[tuple[int, ...]]:
    """Yield runs of an axis for which a rank has room, those of few runs first, then those that
    begin at all places that are so many points of a rank from an end of a layout's digits.
    """
    n = source.shape[axis]
    if axis in source.still:
        return iter([()])
    if source.grid[axis] == target.grid[axis] == 1:
        return iter([(n,)])
    given, wanted = (weights(layout.cuts[axis].radices) for layout in (source, target))
    ends, M = {*given, *(n // weight for weight in wanted)}, n // source.grid[axis]
    powers = [M**k for k in range(n.bit_length() if M > 1 else 1)]
    full = {end: _in_steps(end, powers) for end in (1, n, *sorted(ends))}
    near = ends.union(*full.values())
    inner = [place for place in known if every or place in near]
    enough = [count for count in range(FEW_RUNS) if source.M ** (count + 1) >= n]
    chains = chain.from_iterable(
        (
            *(dividing(inner, count) for count in enough),
            *(_whole(known, ends | full[end]) for end in full),
            *[_whole(known, known)] * (every and len(known) <= FEW_PLACES),
        )
    )
    return _fitting(n, source.M, chains)


def _fitting(n: int, M: int, chains: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield the runs that begin at these places if a rank has room for each, every way once."""
    seen = set[tuple[int, ...]]()
    for each in chains:
        runs = tuple(high // low for high, low in pairwise((n, *reversed(each), 1)))
        if max(runs) <= M and runs not in seen:
            seen.add(runs)
            yield runs


def _in_steps(end: int, powers: Sequence[int]) -> set[int]:
    """Return the places from an end on, so many points of a rank after each other."""
    return {end * power for power in powers} | {end // each for each in powers if end % each == 0}


def _whole(known: Sequence[int], those: Collection[int]) -> Iterator[tuple[int, ...]]:
    """Yield the chain of all those of the known places, if each divides the next."""
    found = [place for place in known if place in those]
    yield from dividing(found, len(found))
