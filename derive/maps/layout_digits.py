"""The layouts of a vector and of an axis of an array, by name: which digits of an index say the rank."""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from derive.digits.radices import DigitPermutation, weights
from derive.formula.permutations import lg
from derive.gf2.bits import Affine

WHOLE = "whole"
"""The layout of an axis that lies on no ranks."""
PAIRS = "cyclic-pairs"
"""The layout of an axis in which elements 2m and 2m + 1 lie side by side, and pairs cyclic."""


@dataclass(frozen=True)
class Cut:
    """An index as digits in these radices, the first on top: those at `ranks` say the rank, those at
    `offsets` the offset.
    """  # noqa: E501

    radices: tuple[int, ...]
    ranks: tuple[int, ...]
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, radices: tuple[int, ...], *ranks: int) -> Cut:
        """Return the cut in which all other digits say the offset, in their order."""
        offsets = tuple(i for i in range(len(radices)) if i not in ranks)
        return cls(radices, ranks, offsets)

    @property
    def address(self) -> DigitPermutation:
        """The permutation from an index to its storage address.

        >>> Cut.of((3, 4), 1).address(6)
        7
        """
        return DigitPermutation(self.radices, (*self.ranks, *self.offsets))

    def words(self, j: str) -> tuple[str, str]:
        """Return the rank and the offset of an index j in words.

        >>> cut("group-cyclic", 24, 4, 2).words("j")
        ('2 (j div 12) + j mod 2', 'j div 2 mod 6')
        """
        rank, offset = (self._number(positions, j) for positions in (self.ranks, self.offsets))
        return rank, offset

    def _number(self, positions: tuple[int, ...], j: str) -> str:
        """Return the number that has the digits at these positions, in words."""
        places, goals = weights(self.radices), weights([self.radices[i] for i in positions])
        terms, N = list[str](), prod(self.radices)
        for i, goal in zip(positions, goals, strict=True):
            place, radix = places[i], self.radices[i]
            term = j + f" div {place}" * (place > 1) + f" mod {radix}" * (place * radix < N)
            terms += [f"{goal} ({term})" if goal > 1 else term] * (radix > 1)
        return " + ".join(terms) or "0"


def _reversed(n: int, p: int, _: int) -> Cut:
    bits = tuple(range(lg(n)))[::-1]
    return Cut((2,) * lg(n), bits[: lg(p)], bits[lg(p) :])


CUTS: Mapping[str, Callable[[int, int, int], Cut]] = {
    "block": lambda n, p, _: Cut.of((p, n // p), 0),
    "cyclic": lambda n, p, _: Cut.of((n // p, p), 1),
    "group-cyclic": lambda n, p, groups: Cut.of((groups, n // p, p // groups), 0, 2),
    "f": lambda n, p, K: Cut.of((n // (p << K), p, 1 << K), 1),
    "bit-reversed": _reversed,
    "scrambled": lambda n, p, _: Cut.of((min(n, 2), p, n // (min(n, 2) * p)), 1),
    PAIRS: lambda n, p, _: Cut.of((n // (2 * p), p, 2), 1),
    WHOLE: lambda n, p, _: Cut.of((p, n), 0),
}
"""The cut of n elements over p ranks of each layout, some with a number."""
NUMBERS = {"group-cyclic": "R", "f": "K"}
"""The letter of the number of those that have one."""
OF_VECTORS = ("block", "cyclic", "group-cyclic", "f", "bit-reversed", "scrambled")
"""The layouts of vectors of 2^n elements on 2^p ranks."""
OF_AXES = ("block", "cyclic", PAIRS, "group-cyclic", WHOLE)
"""The layouts of axes of any size."""


def cut(stem: str, n: int, p: int, number: int = 0) -> Cut:
    """Return how the layout of this name cuts n elements over p ranks.

    >>> cut("cyclic", 12, 4).radices, cut("f", 32, 4, 1).address.affine().columns
    ((3, 4), (1, 8, 16, 2, 4))
    """
    return CUTS[stem](n, p, number)


def of_bits(address: Affine, p: int) -> Cut:
    """Return the cut of a vector over 2^p ranks for an address that permutes the bits of an index;
    raise ValueError for any other.

    >>> of_bits(Affine((4, 1, 2), 3), 1).ranks
    (2,)
    """
    n, targets = address.bits, {column: j for j, column in enumerate(address.columns)}
    if address.c or targets.keys() != {1 << bit for bit in range(n)}:
        raise ValueError("the address permutes no bits")
    order = tuple(n - 1 - targets[1 << bit] for bit in reversed(range(n)))
    return Cut((2,) * n, order[:p], order[p:])


def spelled(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of layouts, those that have a number with its letter.

    >>> spelled(("block", "f"))
    ('block', 'f:K')
    """
    return tuple(f"{stem}:{NUMBERS[stem]}" if stem in NUMBERS else stem for stem in stems)
