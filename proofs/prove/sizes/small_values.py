"""The small values of the symbols of an equation that are tried, by their sorts and bounds."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import islice, product
from math import gcd

from derive.text.expressions import size_symbols
from derive.text.sorts import naturals_and_reals, sizes_and_naturals
from derive.text.syntax import Sides
from proofs.prove.conditions import Condition, at_bounds, least, lower, upper

NATURALS, SIZES, ALPHAS = (
    tuple(range(9)),
    (*range(1, 10), 12, 16),
    tuple(map(Fraction, ("0", "1/2", "1/3", "1", "2"))),
)
"""The values that are tried for exponents, sizes and alphas."""
FRACTIONS = tuple(Fraction(a, b) for b in range(1, 8) for a in range(-1, 9) if gcd(a, b) == 1)
"""The values that are tried for alphas of which a size is made, as n is 3 for n = 2*t at 3/2, and
for those that conditions compare with other symbols, as t >= n.
"""
GAPLESS = 9
"""All sizes up to it are tried."""
FEW_NATURALS = 7
"""So many values of an exponent are tried where there are more than two symbols."""
MOST_LOOKED_AT = 20000
MOST_BOUNDED = 16
"""All values of a symbol up to a bound of its conditions are tried where that is no more."""

Values = tuple[Fraction | int, ...]
Ranges = list[tuple[int, ...] | tuple[Fraction, ...]]


def ranges_of(
    sides: Sides, conditions: list[Condition], names: list[str], rational: AbstractSet[str]
) -> tuple[Ranges, bool]:
    """Return the values that are tried for each symbol, and whether conditions bound them all."""
    naturals, alphas = naturals_and_reals(sides)
    fractions = rational & sizes_and_naturals(sides)
    naturals, alphas = naturals - fractions, alphas | fractions
    fractions = fractions | {
        x
        for both in (size_symbols(a) | size_symbols(b) for a, _, b in conditions)
        if len(both) > 1
        for x in both & alphas
    }
    from_where, numbers = least(conditions), lower(conditions)
    exponents = NATURALS if len(names) <= 2 else NATURALS[:FEW_NATURALS]
    bounded = {
        name: tuple(range(max(numbers.get(name, 0), name not in naturals), bound + 1))
        for name, bound in upper(conditions).items()
        if name not in alphas and bound <= MOST_BOUNDED
    }
    ranges: Ranges = [
        tuple(
            dict.fromkeys(
                (*(FRACTIONS if name in fractions else ALPHAS), *at_bounds(name, conditions))
            )
        )
        if name in alphas
        else bounded.get(name)
        or _from(exponents if name in naturals else SIZES, from_where.get(name, 0))
        for name in names
    ]
    return ranges, bounded.keys() == {*names}


def _from(values: tuple[int, ...], first: int) -> tuple[int, ...]:
    """Return the values that are tried from a bound on, or the first few where the bound is beyond
    most of them.
    """
    kept = tuple(v for v in values if v >= first)
    return kept if len(kept) >= len(values) // 2 else tuple(range(first, first + FEW_NATURALS))


def diagonally(ranges: Ranges) -> Iterator[Values]:
    """Yield choices of values, MOST_LOOKED_AT at most, those of small positions first."""
    positions = sorted(
        islice(product(*(range(len(r)) for r in ranges)), MOST_LOOKED_AT),
        key=lambda at: (sum(at), at),
    )
    for position in positions:
        yield tuple(r[i] for r, i in zip(ranges, position, strict=True))
