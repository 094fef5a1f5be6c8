"""The factors of supersteps by digits, of all N elements by storage address, and their product.

    Transform  I ⊗ F_d ⊗ I
    Trade      a permutation of digits: a product of I ⊗ L ⊗ I
    Turn       the same
    diagonal   I ⊗ T ⊗ I where the two digits that are multiplied lie side by side: within the trade before it

The transform is the product of them between the permutations from an index to its storage address
and back, for which nothing moves.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import Any

from codegen.program.digits.digit_supersteps import Diagonal, Transform
from codegen.program.digits.transformed import Numbers
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.digit_permutations import digits_of, strides
from derive.digits.radices import DigitPermutation, common, identity, weights
from derive.formula.grammar import Applied, Formula, I, factors_of, kron, product
from derive.formula.permutation_matrices import Gamma
from derive.formula.permutations import is_permutation
from derive.formula.transforms import F, T
from derive.maps.map_expressions import Number

Factors = tuple[Formula, ...]
Digits = tuple[int, ...]
"""Digits by their positions in a storage address in the end, or their radices."""


def with_factors(steps: Sequence[Any], N: int) -> tuple[Any, ...]:
    """Return supersteps on N elements with their factors, the last done first; a trade has the
    diagonal of the transform after it.

    >>> from codegen.program.digits.lower import lowered
    >>> layout = ArrayLayout("cyclic", (1000,), (5,))
    >>> for step in with_factors(lowered(layout, layout), 1000):
    ...     print(*step.factors)
    (I_5 ⊗ F_200)
    L^1000_5 T^1000_200
    (I_5 ⊗ F_5 ⊗ I_40)
    """
    found = list[Any]()
    for step in steps:
        own = step.factors
        if step.is_move:
            own = strides(step.address)
        elif isinstance(step, Transform):
            own = (kron(I(N // (step.d * step.c)), F(step.d), I(step.c)),) * (step.d > 1)
            if step.diagonal and found and found[-1].is_move and found[-1].exchanges:
                moved = around(found[-1].address, step.diagonal)
                found[-1] = replace(found[-1], factors=moved)
            elif step.diagonal:
                own += around(identity(N), step.diagonal)
        found.append(replace(step, factors=own) if own != step.factors else step)
    return tuple(found)


def of_vector(
    steps: Sequence[Any], right: Formula, numbers: Numbers
) -> tuple[Formula, tuple[Any, ...], Numbers]:
    """Return F_N in radices, decimated in time, and supersteps on a vector with its factors: its
    permutations belong to a first move, or to no step: the numbers have those. Where elements are
    cyclic in groups of ranks, I ⊗ F_d ⊗ I is Γ^-1 (I ⊗ F_d ⊗ I) Γ, with Γ and Γ^-1 in the moves
    beside it.

    >>> from codegen.program.digits.lower import lowered
    >>> from derive.papers.bsp_variants import in_time
    >>> from codegen.program.protocol import ELEMENT
    >>> layout = ArrayLayout("cyclic", (1024,), (4,))
    >>> ends = Numbers(ELEMENT, layout, layout)
    >>> right, done, numbers = of_vector(lowered(layout, layout), in_time((256, 4)).right, ends)
    >>> print(*numbers.first, *(step.factors for step in done))
    L^1024_4 ((I_4 ⊗ F_256),) (Γ_{4,4,1024}, T^1024_256) ((I_4 ⊗ F_4 ⊗ I_64),)
    """
    orders = tuple(factor for factor in factors_of(right) if is_permutation(factor))
    works = [factor for factor in factors_of(right) if not is_permutation(factor)]
    place, left, back, found = numbers.before.address, orders, Factors(), list[Any]()
    place = place @ digits_of(product(orders)).inverse() if orders else place
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        own = Factors()
        if step.is_move:
            place = step.address @ place
            own, back = (back if found else orders), ()
        elif isinstance(step, Transform):
            count = 1 + (step.diagonal is not None)
            own, works = tuple(works[-count:]), works[:-count]
            groups = _cyclic_in_groups(place, numbers.before.P) if _alone(found, after) else None
            if groups:
                moved, back = (groups, *own[1:]), (Applied("inv", groups),)
                own = (kron(I(place.size // (step.d * step.c)), F(step.d), I(step.c)),)
                found[-1] = replace(found[-1], factors=moved + found[-1].factors)
                left = back + own + moved + left
            else:
                left = own + left
        found.append(replace(step, factors=own))
    first = () if steps and steps[0].is_move else orders
    return product(left), tuple(found), replace(numbers, first=first, last=back)


def _alone(done: Sequence[Any], after: Any) -> bool:
    """Return whether a transform is the only one between two moves."""
    return bool(done and done[-1].is_move) and not isinstance(after, Transform)


def _cyclic_in_groups(place: DigitPermutation, P: int) -> Formula | None:
    """Return Γ_{k,P,N} if it is this permutation, for groups of k > 1 ranks."""
    sizes = (1 << bits for bits in range(1, P.bit_length()))
    groups = (Gamma(k, P, place.size) for k in sizes if place.size % (k * P) == 0)
    return next((named for named in groups if digits_of(named) == place), None)


def right_side(steps: Sequence[Any], before: ArrayLayout, after: ArrayLayout) -> Formula:
    """Return the product of all factors between two layouts.

    >>> from codegen.program.digits.lower import lowered
    >>> layout = ArrayLayout("cyclic", (12,), (2,))
    >>> right_side(with_factors(lowered(layout, layout), 12), layout, layout)
    L^12_6 (I_2 ⊗ F_2 ⊗ I_3) L^12_2 T^12_6 (I_2 ⊗ F_6) L^12_2
    """
    done = [each for step in reversed(steps) for each in getattr(step, "factors", ())]
    found = (*strides(after.back), *done, *strides(before.address))
    return product(found or (I(before.N),))


def around(moved: DigitPermutation, diagonal: Diagonal) -> Factors:
    """Return the factors of a permutation of storage addresses and of a diagonal after it: T stands
    where the two digits that it multiplies lie side by side, on the way there or on a detour.
    """
    radices = _radices(moved, diagonal)
    goal = tuple(range(len(radices)))
    at, found = moved.inverse().split(radices).order, Factors()

    def between(first: Digits, second: Digits) -> Factors:
        order = tuple(first.index(digit) for digit in second)
        return strides(DigitPermutation(_of(radices, first), order))

    for i, j, scale in diagonal.terms:
        runs = [_digits(part, radices) for part in (i, j)]
        ways = [way for others in (at, goal) for way in _side_by_side(others, *runs)]
        way = min(ways, key=lambda way: (len(between(at, way) + between(way, goal)), way != at))
        found = (_twiddles(diagonal.order // scale, way, runs, radices), *between(at, way), *found)
        at = way
    return between(at, goal) + found


def _radices(moved: DigitPermutation, diagonal: Diagonal) -> Digits:
    """Return the radices of the digits that a diagonal multiplies and a permutation moves, as they
    are in the end.
    """
    fields = [field for *pair, _ in diagonal.terms for number in pair for field in number.fields]
    ends = {end for each in fields for end in (each.place, each.place * each.radix)}
    places = sorted({*weights(moved.turned), moved.size, *ends})
    return common(moved.turned, [high // low for low, high in pairwise(places)][::-1])


def _digits(number: Number, radices: Digits) -> Digits:
    """Return the digits of a number in a storage address, the one that counts most first."""
    places = weights(radices)
    return tuple(
        digit
        for field in sorted(number.fields, key=lambda field: -field.value)
        for digit, place in enumerate(places)
        if field.place <= place < field.place * field.radix
    )


def _side_by_side(others: Digits, one: Digits, other: Digits) -> Iterator[Digits]:
    """Yield these digits in orders in which two numbers lie side by side."""
    rest = tuple(digit for digit in others if digit not in one + other)
    for run in (one + other, other + one):
        for at in range(len(rest) + 1):
            yield rest[:at] + run + rest[at:]


def _twiddles(order: int, way: Digits, runs: Sequence[Digits], radices: Digits) -> Formula:
    """Return I ⊗ T ⊗ I of two numbers that lie side by side."""
    first = min(way.index(digit) for run in runs for digit in run)
    last = max(way.index(digit) for run in runs for digit in run)
    low = next(run for run in runs if way[last] in run)
    before, after = (prod(_of(radices, part)) for part in (way[:first], way[last + 1 :]))
    return kron(I(before), T(order, prod(_of(radices, low))), I(after))


def _of(radices: Digits, digits: Digits) -> Digits:
    return tuple(radices[digit] for digit in digits)
