"""An equation at small sizes: which values of its symbols are tried, and what a comparison finds
there.

Every entry is compared up to 32 rows, or at every size of an equation without symbols that `check`
takes so; what is larger is compared by its action on random vectors over random GF(q). At random
sizes (`sizes/random_values.py`) a single vector looks for a counterexample. Where nothing is
compared, it is said which limit is to blame, and what is found outside of the conditions.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from derive.text.elaborate import decided, equation, formula
from derive.text.expressions import FormulaError, NotWhole, Size, TooLarge, size_symbols, value
from derive.text.sorts import need_symbols, sizes_and_naturals
from derive.text.syntax import Sides, Text
from derive.verdict import Checked, Refuted, Undecided, Verdict, holds
from proofs.prove.budget import look
from proofs.prove.conditions import Condition, far, fulfilled
from proofs.prove.sizes.random_instances import refutations, smaller
from proofs.prove.sizes.random_values import At
from proofs.prove.sizes.single_entries import refuted_by_entries
from proofs.prove.sizes.small_values import GAPLESS, MOST_LOOKED_AT, Values, diagonally, ranges_of

EVERY_ENTRY = 32
"""Up to so many rows every entry is compared, and values of the symbols count as small."""
MOST_SMALL, MOST_LARGER = 160, 32
"""So many values of the symbols are tried, small and larger, the smallest matrices first."""
MOST_ROWS = 2**15
"""So many rows have the larger matrices together, but for the first."""
LARGEST = 2**16
"""Matrices of more rows are not tried."""
Fitting = tuple[int, Values, At]


@dataclass
class Candidates:
    """Values of the symbols that fulfil the conditions and make all sizes whole, with the rows they
    lead to; and what kept others out.
    """

    small: list[Fitting] = field(default_factory=list)
    """Those of at most EVERY_ENTRY rows, the smallest matrices first, at most MOST_SMALL."""
    larger: list[Fitting] = field(default_factory=list)
    """The others in this order, at most MOST_LARGER."""
    not_whole: NotWhole | None = None
    too_large: str = ""
    """Of the smallest matrices that are too large."""
    smallest: int = 0
    """Their rows, 0 where there are none."""
    bounded: bool = False
    """Whether no other values fulfil the conditions, but for those that are too large."""

    def wanted(self, rows: int, values: Values) -> bool:
        """Return whether values that lead to so many rows are among those that are kept."""
        if rows > LARGEST:
            return not self.smallest or rows < self.smallest
        kept, most = self._kept(rows)
        return len(kept) < most or (rows, values) < kept[-1][:2]

    def add(self, rows: int, values: Values, at: At) -> None:
        """Keep values that are wanted, in place of those of the largest matrices."""
        if rows > LARGEST:
            self.smallest = rows
            self.too_large = (
                f"the smallest matrices have {rows} rows, and at most {LARGEST} are compared"
            )
            return
        kept, most = self._kept(rows)
        insort(kept, (rows, values, at), key=lambda one: one[:2])
        self.bounded &= len(kept) <= most
        del kept[most:]

    def _kept(self, rows: int) -> tuple[list[Fitting], int]:
        return (self.small, MOST_SMALL) if rows <= EVERY_ENTRY else (self.larger, MOST_LARGER)

    def __len__(self) -> int:
        return len(self.small) + len(self.larger)

    def instances(self) -> Iterator[At]:
        """Yield values of the symbols, those of the smallest matrices first."""
        yield from (at for _, _, at in self.small)
        total = 0
        for rows, _, at in self.larger:
            if total and total + rows > MOST_ROWS:
                return
            total += rows
            yield at

    def why_none(self, sides: Sides, restricted: bool) -> str:
        """Return why nothing was compared; raise FormulaError where no sizes are whole, whatever
        the conditions say.
        """
        if self.too_large:
            return self.too_large
        if self.not_whole is None:
            return "no values that were tried fulfil the conditions"
        if not restricted:
            raise FormulaError(
                f"{sides}: no values of its symbols that were tried make all sizes whole:"
                f" {self.not_whole}"
            ) from self.not_whole
        return (
            "no values that were tried fulfil the conditions and make all"
            f" sizes whole: {self.not_whole}"
        )


@dataclass(frozen=True)
class Tried:
    """An equation at small sizes: how many were compared, where it fails, what was found where no
    others are left, why nothing was compared, the first size at which it says nothing.
    """

    count: int
    verdict: Refuted | None = None
    at: At | None = None
    alone: Checked | None = None
    why: str = ""
    not_whole: NotWhole | None = None


def compared(
    sides: Sides,
    conditions: list[Condition],
    defined: dict[str, Size],
    seen: list[At] | None = None,
    rational: AbstractSet[str] = frozenset(),
) -> Tried:
    """Compare an equation at small sizes. `defined` has the sizes that replace symbols, those in
    `rational` need not be whole, `seen` collects the values at which the sides are equal.

    >>> from derive.text.parse import parse
    >>> compared(parse("L(r*s,r) = L(r*s,s)"), [], {}).verdict.counterexample
    'at r = 2, s = 3: entry (1, 2) is 1 on the left and 0 on the right'
    """
    seen, alone = [] if seen is None else seen, not sides.symbols
    found, every = candidates(sides, conditions, rational), None
    whole = [size for name, size in defined.items() if name not in rational]
    first = _First(sides, whole, None if alone else EVERY_ENTRY)
    for at in found.instances():
        verdict = first.decided(at)
        if isinstance(verdict, Refuted):
            least = _least(sides, conditions, whole, at, verdict)
            return _fails(sides, *least, defined, len(seen))
        if alone and isinstance(verdict, Checked):
            return Tried(1, alone=verdict)
        seen += [at] * (verdict is not None and holds(verdict))
    if seen and found.bounded and not found.too_large and first.settled == len(found):
        every = _every_size(sides, len(seen), first.error)
    elif not (alone or found.bounded or rational & sizes_and_naturals(sides)) and (
        wrong := _at_random(sides, conditions, whole, not found.small, seen)
    ):
        return _fails(sides, *wrong, defined, len(seen))
    if seen:
        return Tried(len(seen), alone=every, not_whole=found.not_whole)
    why = first.unseen or found.why_none(sides, bool(conditions))
    why += _outside(sides, conditions, defined, rational)
    return Tried(0, why=f"nothing was compared: {why}")


def _at_random(
    sides: Sides, conditions: list[Condition], whole: list[Size], far: bool, seen: list[At]
) -> tuple[At, Refuted] | None:
    """Return values at which an equation is refuted, the smallest that were found; `seen` collects
    random ones at which its sides are equal.
    """
    for at, wrong in refutations(sides, conditions, whole, far):
        if wrong is not None:
            return smaller(sides, conditions, whole, at, wrong)
        seen.append(at)
    return refuted_by_entries(sides, conditions, whole)


def _least(
    sides: Sides, conditions: list[Condition], whole: list[Size], at: At, wrong: Refuted
) -> tuple[At, Refuted]:
    """Return smaller values at which an equation is refuted, where not all of these were tried."""
    if all(number <= GAPLESS for number in at.values()):
        return at, wrong
    return smaller(sides, conditions, whole, at, wrong)


@dataclass
class _First:
    """Decides an equation at its first sizes: how many are settled, with what probability of an
    error, and why one is undecided.
    """

    sides: Sides
    whole: list[Size]
    entries: int | None
    settled: int = 0
    error: float = 0.0
    unseen: str = ""

    def decided(self, at: At) -> Verdict | None:
        """Return the verdict, None where a size that replaces a symbol is not whole, as N = r/3 is
        at every third r only.
        """
        look()
        if any(value(size, at).denominator != 1 for size in self.whole):
            self.settled += 1
            return None
        verdict = decided(equation(self.sides, at), entries=self.entries)
        if isinstance(verdict, Checked):
            self.settled, self.error = self.settled + 1, self.error + verdict.error
        self.unseen = self.unseen or (verdict.reason if isinstance(verdict, Undecided) else "")
        return verdict


def _fails(sides: Sides, at: At, verdict: Refuted, defined: dict[str, Size], count: int) -> Tried:
    """Return that an equation fails at values of its symbols, those that were put in included."""
    at |= {name: value(size, at) for name, size in defined.items()}
    return Tried(count, _refuted(sides, verdict, at), at)


def _outside(
    sides: Sides, conditions: list[Condition], defined: dict[str, Size], rational: AbstractSet[str]
) -> str:
    """Return what is found at values that are smaller than the conditions allow, in words."""
    nearer = [one for one in conditions if not far(one)]
    if len(nearer) == len(conditions):
        return ""
    found = compared(sides, nearer, defined, None, rational)
    if found.verdict is not None:
        return f"; outside of the conditions it is false, {found.verdict.counterexample}"
    return f"; outside of the conditions it is true at {found.count} sizes" * bool(found.count)


def _refuted(sides: Sides, verdict: Refuted, at: At) -> Refuted:
    """Return that an equation fails, and where."""
    given = ", ".join(f"{name} = {at[name]}" for name in sorted(at))
    return Refuted(
        f"{sides}", f"at {given}: {verdict.counterexample}" if given else verdict.counterexample
    )


def _every_size(sides: Sides, count: int, error: float) -> Checked:
    """Return that an equation holds at all of its sizes, which are so many."""
    sizes = "the only size" if count == 1 else f"all {count} sizes"
    chance = f", false with probability at most {error:.1e}" if error else ""
    return Checked(f"{sides}", f"{sizes} that the conditions allow{chance}", error)


def candidates(
    sides: Sides, conditions: list[Condition], rational: AbstractSet[str] = frozenset()
) -> Candidates:
    """Return values of the symbols of an equation, fractions of those in `rational`.

    Raises NotWhole where it has no symbols and its sizes are not whole, FormulaError where sizes of
    factors differ at values that fulfil the conditions.

    >>> from derive.text.parse import parse, parse_relations
    >>> [int(at["n"]) for at in candidates(parse("I(2^n) = I(2^n)"), parse_relations("n >= 2")).instances()]
    [2, 3, 4, 5, 6, 7, 8]
    """  # noqa: E501
    names = sorted(sides.symbols)
    need_symbols(
        {name for a, _, b in conditions for name in size_symbols(a) | size_symbols(b)}, set(names)
    )
    ranges, bounded = ranges_of(sides, conditions, names, rational)
    found = Candidates(bounded=bounded and prod(map(len, ranges)) <= MOST_LOOKED_AT)
    shorter = min(sides.left, sides.right, key=lambda side: len(str(side)))
    for values in diagonally(ranges):
        at = {name: Fraction(v) for name, v in zip(names, values, strict=True)}
        try:
            if not fulfilled(conditions, at):
                continue
            if (rows := _rows(shorter, at)) and not found.wanted(rows, values):
                found.bounded = False
                continue
            rows = equation(sides, at).left.size
        except NotWhole as error:
            if not names:
                raise
            found.not_whole = found.not_whole or error
        except TooLarge as error:
            found.too_large = found.too_large or str(error)
        else:
            if found.wanted(rows, values):
                found.add(rows, values, at)
    return found


def _rows(text: Text, at: At) -> int:
    """Return the rows of a formula, 0 where its sizes are not whole."""
    with suppress(FormulaError):
        return formula(text, at).size
    return 0
