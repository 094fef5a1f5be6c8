"""A factorization of one's own by digits: its factors as supersteps, from the right to the left.

    layer = I_a ⊗ F_d ⊗ I_b | I_a ⊗ T ⊗ I_b | a permutation of whole digits

Storage addresses have the digits of the present coordinates in some order, those of the ranks
first. A permutation gives digits other names, and moves nothing. A diagonal waits for the next
transform. F_d is done where its digit lies in the offset: if a part of it lies on the ranks, ranks
trade it for digits that lie at home there, or for the highest or the lowest that they hold. The
ways with the fewest exchanges are kept, then those with the fewest words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from math import lcm, prod

import numpy as np

from codegen.program.digits.places import (
    Digit,
    digits_of,
    filled,
    gathered,
    number,
    permutation,
    refined,
    traded,
)
from codegen.program.digits.steps import Diagonal, Trade, Transform, Turn
from codegen.program.prepare import prepared
from derive.digits.layouts import ArrayLayout
from derive.digits.named import digits_of as permutation_of
from derive.digits.radices import DigitPermutation, common, weights
from derive.formula.grammar import DirectSum, Formula, I, Kron, factors_of
from derive.formula.permutations import is_permutation
from derive.formula.transforms import F, Omega, T
from derive.maps.expressions import Field, Number, joined

Step = Transform | Trade | Turn
Counted = tuple[Digit, int]
"""A digit, and what it counts in an exponent."""

MOST_WAYS = 24
"""So many ways are kept after each factor."""
RANKS_COUNTED = 2**10
"""Of so many ranks it is looked at what they send."""


@dataclass(frozen=True)
class Twiddles:
    """The diagonal w_order^(i j), i and j sums of digits."""

    order: int
    i: tuple[Counted, ...]
    j: tuple[Counted, ...]


@dataclass(frozen=True)
class Way:
    """Where the digits lie, the twiddles that wait, and the supersteps until then."""

    ranks: tuple[Digit, ...]
    offsets: tuple[Digit, ...]
    waiting: tuple[Twiddles, ...] = ()
    steps: tuple[Step, ...] = ()
    exchanges: int = 0
    words: int = 0

    @property
    def price(self) -> tuple[int, int, int]:
        """Exchanges, then words, then steps."""
        return self.exchanges, self.words, len(self.steps)

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return prod(digit.radix for digit in self.offsets)


def steps_of(formula: Formula, source: ArrayLayout, target: ArrayLayout) -> tuple[Step, ...]:
    """Return the supersteps of a factorization between two layouts; raise ValueError as `best`.

    >>> from derive.formula.grammar import kron
    >>> from derive.formula.permutation_matrices import L
    >>> layout = ArrayLayout("cyclic", (1000,), (2,))
    >>> made = kron(F(2), I(500)) @ T(1000, 500) @ kron(I(2), F(500)) @ L(1000, 2)
    >>> [type(step).__name__ for step in steps_of(made, layout, layout)]
    ['Transform', 'Trade', 'Transform']
    """
    return best(formula, source, target).steps


def best(formula: Formula, source: ArrayLayout, target: ArrayLayout) -> Way:
    """Return the best way of a factorization between two layouts.

    Raises ValueError naming the first factor that is no layer, or whose digits the ranks cannot
    trade.
    """
    layers = factors_of(prepared(formula, formula.size))[::-1]
    homes = _homes(layers, _flat(target)[0])
    ranks, offsets = _flat(source)
    ways = [Way(tuple(ranks), tuple(offsets))]
    for layer, home in zip(layers, homes, strict=True):
        try:
            found = [each for way in ways for each in _after(way, layer, home)]
        except ValueError as error:
            raise ValueError(f"{layer}: {error}") from error
        if not found:
            raise ValueError(_untraded(layer, ways[0]))
        ways = sorted(found, key=lambda way: way.price)[:MOST_WAYS]
    ended = [end for way in ways for end in _ended(way, target)]
    if not ended:
        raise ValueError(
            f"{formula}, to {target.name}: the ranks cannot exchange whole digits at the end"
        )
    return min(ended, key=lambda way: way.price)


def _untraded(layer: Formula, way: Way) -> str:
    """Return what is said of a transform whose digits the ranks cannot trade."""
    _, (_, d, _) = _apart(layer)
    P = prod(digit.radix for digit in way.ranks)
    if way.M % d:
        return (
            f"{layer} combines {d} elements, but a rank holds {way.M}; the number of ranks must"
            f" divide {way.M * P // d}"
        )
    return f"{layer}: the {P} ranks cannot exchange its digits for others that they hold"


def _flat(layout: ArrayLayout) -> tuple[list[Digit], list[Digit]]:
    """Return the digits of ranks and of offsets in an index that counts the last axis fastest."""
    unit = weights(layout.shape)
    ranks, offsets = (
        [Digit(0, False, each.weight * unit[each.axis], each.radix) for each in part]
        for part in digits_of(layout, True)
    )
    return ranks, offsets


def _apart(layer: Formula) -> tuple[Formula, tuple[int, int, int]]:
    """Return X and (a, its size, b) of I_a ⊗ X ⊗ I_b."""
    a = layer.left.size if isinstance(layer, Kron) and isinstance(layer.left, I) else 1
    inner = layer.right if isinstance(layer, Kron) and isinstance(layer.left, I) else layer
    b = inner.right.size if isinstance(inner, Kron) and isinstance(inner.right, I) else 1
    inner = inner.left if isinstance(inner, Kron) and isinstance(inner.right, I) else inner
    return inner, (a, inner.size, b)


def _homes(layers: Sequence[Formula], home: list[Digit]) -> list[list[Digit]]:
    """Return the digits that are on the ranks in the end, in the coordinates after each layer; none
    where those do not have them as digits.
    """
    found = [home]
    for layer in reversed(layers[1:]):
        if is_permutation(layer):
            try:
                back = permutation_of(layer).inverse()
                home = [new for digit in home for new, _ in _renamed(digit, back)]
            except ValueError:
                home = []
        found.append(home)
    return found[::-1]


def _after(way: Way, layer: Formula, home: list[Digit]) -> Iterator[Way]:
    """Yield what may be after a layer."""
    if is_permutation(layer):
        yield _permuted(way, permutation_of(layer))
        return
    inner, (_, size, b) = _apart(layer)
    match inner:
        case F(d):
            yield from _transformed(way, Digit(0, False, b, d), home)
        case T(_, s):
            yield _twisted(way, size, s, b)
        case DirectSum((I(h), Omega(_, 0))):
            yield _twisted(way, size, h, b)
        case _:
            raise ValueError("not a permutation, a diagonal T or I ⊗ F ⊗ I")


def _twisted(way: Way, order: int, s: int, b: int) -> Way:
    """Return a way with the diagonal T^order_s of elements b apart."""
    i, j = Digit(0, False, s * b, order // s), Digit(0, False, b, s)
    if i.radix == 1 or j.radix == 1:
        return way
    return replace(way, waiting=(*way.waiting, Twiddles(order, ((i, 1),), ((j, 1),))))


def _renamed(digit: Digit, by: DigitPermutation) -> list[Counted]:
    """Return a digit as those that a permutation takes it to, each with what it counts in it.

    >>> _renamed(Digit(0, False, 1, 6), DigitPermutation((2, 3), (1, 0)))
    [(Digit(axis=0, done=False, weight=1, radix=2), 3), (Digit(axis=0, done=False, weight=2, radix=3), 1)]
    """  # noqa: E501
    ends = (by.size // digit.end, digit.radix, digit.weight)
    split = by.split(common(by.radices, ends))
    old = weights(split.radices)
    new = dict(zip(split.order, weights([split.radices[i] for i in split.order]), strict=True))
    return [
        (Digit(0, False, new[i], radix), old[i] // digit.weight)
        for i, radix in enumerate(split.radices)
        if radix > 1 and digit.weight <= old[i] < digit.end
    ]


def _permuted(way: Way, by: DigitPermutation) -> Way:
    """Return a way whose digits have the names after a permutation."""

    def renamed(digits: Iterable[Digit]) -> tuple[Digit, ...]:
        return tuple(new for digit in digits for new, _ in _renamed(digit, by))

    def counted(parts: Iterable[Counted]) -> tuple[Counted, ...]:
        several = ((_renamed(digit, by), value) for digit, value in parts)
        return tuple((new, own * value) for found, value in several for new, own in found)

    waiting = tuple(Twiddles(each.order, counted(each.i), counted(each.j)) for each in way.waiting)
    return replace(way, ranks=renamed(way.ranks), offsets=renamed(way.offsets), waiting=waiting)


def _transformed(way: Way, run: Digit, home: list[Digit]) -> Iterator[Way]:
    """Yield the ways in which a digit may be transformed."""
    for ranks in _rank_digits(way, run, home):
        with suppress(ValueError):  # digits that would cut each other
            there = _moved(way, ranks, None, run)
            offsets = refined(there.offsets, [run])
            inside = [i for i, digit in enumerate(offsets) if digit.within(run)]
            first, stop = inside[0], inside[-1] + 1
            copies, c = (prod(d.radix for d in part) for part in (offsets[:first], offsets[stop:]))
            step = Transform(_diagonal(there), copies, run.radix, c)
            offsets[first:stop] = [run]
            yield replace(there, offsets=tuple(offsets), waiting=(), steps=(*there.steps, step))


def _rank_digits(way: Way, run: Digit, home: list[Digit]) -> Iterator[list[Digit]]:
    """Yield the digits that may lie on the ranks while a digit is transformed: those that do, if no
    part of it does; else others in the places of its parts, or anywhere.
    """
    ranks = _cut(way.ranks, [run])
    if ranks is None:
        return
    if not any(digit.within(run) for digit in ranks):
        yield ranks
        return
    holes = [list(part) for _, part in groupby(ranks, lambda digit: digit.within(run))]
    sizes = [prod(each.radix for each in part) for part in holes if part[0].within(run)]
    for pool in _pools(way.offsets, run, home):
        new = filled(sizes, pool)
        if [prod(each.radix for each in part) for part in new] == sizes:
            parts = iter(new)
            yield [
                each for part in holes for each in (next(parts) if part[0].within(run) else part)
            ]
    for pool in _pools([*way.ranks, *way.offsets], run, home):
        P = prod(digit.radix for digit in ranks)
        (every,) = filled([P], pool)
        if prod(each.radix for each in every) == P:
            yield every


def _pools(digits: Iterable[Digit], run: Digit, home: list[Digit]) -> Iterator[list[Digit]]:
    """Yield digits beside one that is transformed: those that lie at home on the ranks first, the
    highest first, the lowest first.
    """
    for cuts in ([run, *home], [run]):
        pool = _cut(digits, cuts)
        others = sorted((d for d in pool or () if not d.within(run)), key=lambda d: -d.weight)
        if cuts[1:]:
            yield sorted(others, key=lambda digit: not any(digit.within(each) for each in home))
    yield others
    yield others[::-1]


def _cut(digits: Iterable[Digit], others: Sequence[Digit]) -> list[Digit] | None:
    """Return digits cut wherever others begin or end, None where that cuts no digits."""
    try:
        return refined(digits, others)
    except ValueError:
        return None


def _moved(
    way: Way, ranks: Sequence[Digit], offsets: Sequence[Digit] | None, run: Digit | None = None
) -> Way:
    """Return a way after these digits come to the ranks; the offset has this order, or a run in one
    piece.
    """
    old = refined(way.ranks, ranks)
    new = refined(ranks, old)
    here = refined(way.offsets, [*new, *([run] if run else [])])
    leaving = [digit for digit in old if digit not in new]
    come = [*leaving, *(digit for digit in here if digit not in new)]
    order = list(offsets) if offsets is not None else gathered(refined(come, [run]), [run])  # type: ignore[list-item]
    there = replace(way, ranks=tuple(new), offsets=tuple(order))
    if old == new:
        turn = permutation(way.offsets, order)
        steps = (Turn(turn, prod(d.radix for d in old)),) * (turn.order not in ((), (0,)))
        return replace(there, steps=(*way.steps, *steps))
    step = traded(old, way.offsets, new, order)
    count = min(step.exchange.P, RANKS_COUNTED)
    words = int(step.sent(np.arange(count)).words.max())
    return replace(
        there, steps=(*way.steps, step), exchanges=way.exchanges + 1, words=way.words + words
    )


def _diagonal(way: Way) -> Diagonal | None:
    """Return the twiddles that wait as one diagonal at storage addresses."""
    storage = [*way.ranks, *way.offsets]
    order = lcm(*(each.order for each in way.waiting))
    terms = tuple(
        (_sum(each.i, storage), _sum(each.j, storage), order // each.order) for each in way.waiting
    )
    return Diagonal(order, terms) if terms else None


def _sum(parts: Iterable[Counted], storage: Sequence[Digit]) -> Number:
    """Return a sum of digits in terms of storage addresses."""
    fields = [
        Field(field.place, field.radix, field.value * value)
        for digit, value in parts
        for field in number(storage, digit, digit.weight).fields
    ]
    return Number(tuple(joined(sorted(fields, key=lambda field: -field.place))))


def _ended(way: Way, target: ArrayLayout) -> Iterator[Way]:
    """Yield the way to the last layout; twiddles that wait come before it."""
    with suppress(ValueError):
        if way.waiting:
            step = Transform(_diagonal(way), way.M, 1, 1)
            way = replace(way, waiting=(), steps=(*way.steps, step))
        ranks, offsets = _flat(target)
        yield _moved(way, ranks, refined(offsets, [*way.offsets, *way.ranks]))
