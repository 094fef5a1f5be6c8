"""An equation of matrices with one entry in each column (monomials.py), compared at single columns:
perm(j < 2^n, j+2^40) is told from I(2^n), at n = 41.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from derive.formula.grammar import Formula
from derive.text.elaborate import at_values
from derive.text.expressions import FormulaError, Size, value
from derive.text.syntax import Sides
from derive.verdict import Refuted
from proofs.prove.budget import look
from proofs.prove.conditions import Condition, fulfilled
from proofs.prove.sizes.monomials import NoSingleEntry, is_monomial, place, spelled
from proofs.prove.sizes.random_values import At, Drawing

MOST_NATURAL, NATURAL_STEP, MOST_BITS = 60, 3, 40
"""Exponents up to it are tried, each so many apart, and sizes of so many bits."""
RANDOM_COLUMNS = 2


def refuted_by_entries(
    sides: Sides, conditions: list[Condition], whole: list[Size]
) -> tuple[At, Refuted] | None:
    """Return values at which two sides differ in a column, the smallest that were found, and how.

    >>> from derive.text.parse import parse
    >>> refuted_by_entries(parse("perm(j < 2^n, j+2^12) = I(2^n)"), [], [])[1].counterexample
    'entry (4096, 0) is 1 on the left and 0 on the right'
    """
    if not sides.symbols or not all(map(is_monomial, (sides.left, sides.right))):
        return None
    search = _Search(sides, conditions, whole, Drawing.of(sides, conditions), Random(f"{sides}"))
    try:
        return next(map(search.smaller, search.refutations()), None)
    except NoSingleEntry:
        return None


@dataclass(frozen=True)
class _Search:
    sides: Sides
    conditions: list[Condition]
    whole: list[Size]
    drawing: Drawing
    random: Random

    def refutations(self) -> Iterator[tuple[At, Refuted]]:
        """Yield large values at which the sides differ."""
        for name in self.drawing.names:
            for number in self._numbers(name):
                look()
                at = self.drawing.with_value(name, number)
                if (wrong := self.wrong(at)) is not None:
                    yield at, wrong

    def _numbers(self, name: str) -> Iterator[Fraction]:
        """Yield values of a symbol that are not small."""
        first = self.drawing.first.get(name, 0)
        if name in self.drawing.naturals:
            near = {n + step for n in self.drawing.numbers for step in (0, 1) if n < MOST_NATURAL}
            every = range(first, first + MOST_NATURAL, NATURAL_STEP)
            yield from map(Fraction, sorted({*near, *every}))
        elif name not in self.drawing.alphas:
            for bits in range(first.bit_length() + 2, max(first.bit_length(), MOST_BITS)):
                yield Fraction(self.random.getrandbits(bits) | 1 << bits)
                yield Fraction(1 << bits)

    def smaller(self, found: tuple[At, Refuted]) -> tuple[At, Refuted]:
        """Return smaller values at which the sides differ, symbol by symbol the least."""
        at, wrong = found
        for name in self.drawing.names:
            for less in self.drawing.below([name], at):
                look()
                if (there := self.wrong({**at, **less})) is not None:
                    at, wrong = {**at, **less}, there
                    break
        return at, wrong

    def wrong(self, at: At) -> Refuted | None:
        """Return how the sides differ in the first, the last or a random column."""
        with suppress(FormulaError):  # sizes that are not whole
            fits = fulfilled(self.conditions, at)
            if not fits or any(value(size, at).denominator != 1 for size in self.whole):
                return None
            left, right = (at_values(side, at) for side in (self.sides.left, self.sides.right))
            size = left.size
            if size != right.size:
                return None
            columns = [
                0,
                1,
                size - 1,
                *(self.random.randrange(size) for _ in range(RANDOM_COLUMNS)),
            ]
            for j in dict.fromkeys(columns):
                if j < size and (found := _differs(left, right, j)):
                    return Refuted(f"{self.sides}", found)
        return None


def _differs(left: Formula, right: Formula, j: int) -> str:
    """Return how the sides differ in a column, in words, "" for not at all."""
    (i, a), (k, b) = (place(side, j) for side in (left, right))
    row = i if a[0] else k
    shown = [spelled(x) if at == row else "0" for at, x in ((i, a), (k, b))]
    if shown[0] == shown[1]:
        return ""
    return f"entry ({row}, {j}) is {shown[0]} on the left and {shown[1]} on the right"
