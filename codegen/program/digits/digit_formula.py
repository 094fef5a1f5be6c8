"""A product of factors by digits: its factors as supersteps, from the right to the left.

    layer = I_a ⊗ F_d ⊗ I_b | I_a ⊗ conj(F_d) ⊗ I_b | I_a ⊗ D ⊗ I_b | a permutation
          | I_a ⊗ (I ⊕ layer ⊕ I) ⊗ I_b
    D     = T | I ⊕ Ω | diag(..) | the conjugate of one of these

Storage addresses have the digits of the present coordinates in some order, those of the ranks
first. Permutations and diagonals wait for the next transform (ways.py). F_d is done where its
digit lies in the offset: if a part of it lies on the ranks, ranks trade it for digits that lie at
home there, or for the highest or the lowest that they hold. The ways with the fewest exchanges are
kept, then those with the fewest words, one for each order of the digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, islice
from math import prod

from codegen.program.digits.digit_places import Digit, digits_of, filled, refined
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.ways import Way, renamed
from codegen.program.factors import apart, map_of, twiddles_of
from codegen.program.prepare import prepared
from codegen.program.stages.direct_sums import Part
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import DigitPermutation, weights
from derive.formula.grammar import Applied, DirectSum, Formula, factors_of
from derive.formula.transforms import F
from derive.gf2.bits import Affine

Layer = tuple[Formula, DigitPermutation | Affine | None]
"""A factor, and where it takes each index if it is a permutation."""

MOST_WAYS = 8
"""So many ways are kept after each factor."""


def best(
    formula: Formula, source: ArrayLayout, target: ArrayLayout, exchange: str = "alltoall"
) -> Way:
    """Return the best way of a factorization between two layouts, its steps with its factors.

    Raises ValueError naming the first factor that is no layer, or whose digits the ranks cannot
    trade.

    >>> from derive.formula.grammar import I, kron
    >>> from derive.formula.permutation_matrices import L
    >>> from derive.formula.transforms import T
    >>> layout = ArrayLayout("cyclic", (1000,), (2,))
    >>> made = kron(F(2), I(500)) @ T(1000, 500) @ kron(I(2), F(500)) @ L(1000, 2)
    >>> for step in best(made, layout, layout).steps:
    ...     print(type(step).__name__, *step.factors)
    Transform (I_2 ⊗ F_500)
    Trade
    Transform (F_2 ⊗ I_500) T^1000_500
    """
    layers = [(factor, map_of(factor)) for factor in factors_of(prepared(formula))[::-1]]
    homes = _homes(layers, _flat(target)[0])
    ranks, offsets = _flat(source)
    ways = [Way(tuple(ranks), tuple(offsets), exchange)]
    for layer, home in zip(layers, homes, strict=True):
        try:
            found = [each for way in ways for each in _after(way, layer, home)]
        except ValueError as error:
            raise ValueError(f"{layer[0]}: {error}") from error
        if not found:
            raise ValueError(_untraded(layer[0], ways[0]))
        ways = _fewest(found)
    ended = [end for way in ways for end in _ended(way, target)]
    if not ended:
        raise ValueError(
            f"{formula}, to {target.name}: the ranks cannot exchange whole digits at the end"
        )
    return min(ended, key=lambda way: way.price)


def _fewest(found: Sequence[Way]) -> list[Way]:
    """Return the cheapest ways; of those with the same digits on the ranks and in the offset the
    first.
    """
    several = dict[tuple[tuple[Digit, ...], ...], Way]()
    for way in sorted(found, key=lambda way: way.price):
        several.setdefault((way.ranks, way.offsets), way)
    return list(islice(several.values(), MOST_WAYS))


def _untraded(layer: Formula, way: Way) -> str:
    """Return what is said of a transform whose digits the ranks cannot trade."""
    return f"{layer}: the {way.P} ranks cannot exchange its digits for others that they hold"


def _flat(layout: ArrayLayout) -> tuple[list[Digit], list[Digit]]:
    """Return the digits of ranks and of offsets in an index that counts the last axis fastest."""
    unit = weights(layout.shape)
    ranks, offsets = (
        [Digit(0, False, each.weight * unit[each.axis], each.radix) for each in part]
        for part in digits_of(layout, True)
    )
    return ranks, offsets


def _homes(layers: Sequence[Layer], home: list[Digit]) -> list[list[Digit]]:
    """Return the digits that are on the ranks in the end, in the coordinates after each layer; none
    where those do not have them as digits.
    """
    found = [home]
    for _, by in reversed(layers[1:]):
        if isinstance(by, DigitPermutation):
            try:
                back = by.inverse()
                home = [new for digit in home for new, _ in renamed(digit, back)]
            except ValueError:
                home = []
        elif by is not None:
            home = []
        found.append(home)
    return found[::-1]


def _after(way: Way, layer: Layer, home: list[Digit]) -> Iterator[Way]:
    """Yield what may be after a layer."""
    factor, by = layer
    if by is not None:
        yield way.permuted(by, factor)
    elif (twiddles := twiddles_of(factor)) is not None:
        yield way.twisted([each for each in twiddles if not each.are_ones], factor)
    else:
        inner, _, b = apart(factor)
        run = Digit(0, False, b, inner.size)
        match inner:
            case F(d) | Applied("conj", F(d)):
                back = isinstance(inner, Applied) and d > 2
                own = Transform(None, 1, d, 1, factors=(factor,), is_conjugate=back)
                yield from _transformed(way.settled(), run, own, home)
            case DirectSum():
                part = Part(1, inner, 1, factors=(factor,))
                yield from _transformed(way.multiplied(), run, part, home)
            case _:
                raise ValueError("not a permutation, a diagonal T or I ⊗ F ⊗ I")


def _transformed(way: Way, run: Digit, own: Transform | Part, home: list[Digit]) -> Iterator[Way]:
    """Yield the ways in which a step may be done on a digit: with the offset as it is but for this
    digit, or in the order of the coordinates.
    """
    for ranks in _rank_digits(way, run, home):
        for in_order in (False, True):
            with suppress(ValueError):  # digits that would cut each other
                yield _transform(_gone(way, ranks, run, in_order), run, own)


def _gone(way: Way, ranks: Sequence[Digit], run: Digit, in_order: bool) -> Way:
    """Return a way with these digits on the ranks, and a digit in one piece in the offset."""
    there = way.moved(ranks, None, run)
    if not in_order or len(there.steps) == len(way.steps):
        return there
    order = sorted(there.offsets, key=lambda digit: -digit.weight)
    return way.moved(ranks, refined(order, [*way.offsets, *way.ranks, run]))


def _transform(way: Way, run: Digit, own: Transform | Part) -> Way:
    """Return a way after a step on a digit that lies in one piece in the offset."""
    offsets = refined(way.offsets, [run])
    inside = [i for i, digit in enumerate(offsets) if digit.within(run)]
    first, stop = inside[0], inside[-1] + 1
    copies, c = (prod(d.radix for d in part) for part in (offsets[:first], offsets[stop:]))
    own = replace(own, copies=copies, c=c)
    if isinstance(own, Transform):
        own = replace(own, diagonal=way.diagonal)
    offsets[first:stop] = [run]
    return replace(way.done(own), offsets=tuple(offsets))


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


def _ended(way: Way, target: ArrayLayout) -> Iterator[Way]:
    """Yield the way to the last layout; twiddles that wait come before it."""
    with suppress(ValueError):
        way = way.multiplied()
        if way.map:
            yield way.permuted(target.address).in_blocks()
            return
        ranks, offsets = _flat(target)
        yield way.moved(ranks, refined(offsets, [*way.offsets, *way.ranks]))
