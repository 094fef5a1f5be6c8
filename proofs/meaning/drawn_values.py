"""Values of the symbols of a claim: images of random letters of the kernel, and values at and next
to each bound, of which the letters are found again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from derive.text.expressions import Name, Operation, Size, size_symbols
from derive.text.sorts import naturals_and_reals, rationals
from proofs.kernel.kernel_rules import Thm
from proofs.kernel.terms import free
from proofs.meaning.claims import Claim
from proofs.meaning.random_field import NoValue
from proofs.meaning.size_targets import solved, targets
from proofs.meaning.text_values import fraction

NATURALS = (0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6)
FEW_NATURALS, FEW_SIZES = (0, 0, 1, 1, 2, 3), (1, 1, 1, 2, 2, 3, 4, 5, 6)
SIZES = (1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17)
DENOMINATORS = (2, 3, 5, 7, 11, 13)
"""Those of rational numbers that are drawn."""
LARGEST = 2**20
"""No letter is larger."""
MOST_TRIES = 40
Values = dict[str, Any]
HOLDS = {
    "=": lambda a, b: a == b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
}


@dataclass(frozen=True)
class Drawn:
    """Values of the symbols, and of the letters; None where no letters have these values."""

    symbols: Values
    letters: Values | None

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in sorted(self.symbols.items()))


@dataclass(frozen=True)
class Draws:
    """Draws values of the symbols of a claim for a theorem."""

    claim: Claim
    theorem: Thm
    random: Random

    @cached_property
    def names(self) -> list[str]:
        """The symbols of the equation, and those of its conditions."""
        conditions = (side for a, _, b in self.claim.conditions for side in (a, b))
        return sorted(self.claim.sides.symbols.union(*map(size_symbols, conditions)))

    @cached_property
    def least(self) -> dict[str, int | None]:
        """The least value of each symbol and letter: 0, 1, or None for a rational number."""
        naturals, _ = naturals_and_reals(self.claim.sides)
        reals = rationals(self.claim.sides, self.claim.conditions)
        kinds = {"natural": 0, "size": 1}
        of_letters = free(self.theorem.left, self.theorem.right)
        found = {name: kinds.get(sort) for name, sort in of_letters.items() if type(sort) is str}
        stated = self.claim.sides.symbols
        found |= {x: 0 if x in naturals else 1 for x in stated}
        exponents = {x for size in self.claim.substitution.values() for x in _exponents(size)}
        found |= dict.fromkeys(reals)
        return dict.fromkeys(exponents, 0) | {x: 1 for x in self.names if x not in found} | found

    @cached_property
    def letters(self) -> dict[str, int | None]:
        """The least value of each letter of the kernel."""
        sorts = free(self.theorem.left, self.theorem.right)
        kinds = {"natural": 0, "size": 1}
        there = {
            x: kinds[sort]
            for x, sort in sorted(sorts.items(), key=str)
            if sort in ("natural", "size")
        }
        used = {x for name in self.names for x in size_symbols(self._letters_of(name))}
        return {x: self.least.get(x, 1) for x in sorted(used)} | there

    def _letters_of(self, name: str) -> Size:
        return self.claim.substitution.get(name, Name(name))

    def fulfilled(self, symbols: Values) -> bool:
        """Return whether values are of the symbols' sorts, and fulfil the conditions."""
        for name in self.names:
            least, value = self.least[name], symbols[name]
            if least is not None and (value.denominator != 1 or not least <= value <= LARGEST):
                return False
        try:
            return all(
                HOLDS[sign](fraction(a, symbols), fraction(b, symbols))
                for a, sign, b in self.claim.conditions
            )
        except NoValue:
            return False

    def image(self) -> Drawn | None:
        """Return random values that letters have, None where they do not fulfil the conditions."""
        letters = {name: self._random(least) for name, least in self.letters.items()}
        try:
            symbols = {
                name: _plain(fraction(self._letters_of(name), letters)) for name in self.names
            }
            drawn = {**symbols}
            self._bound(symbols)
        except NoValue:
            return None
        if not self.fulfilled(symbols):
            return None
        return Drawn(symbols, letters if drawn == symbols else self.found_letters(symbols))

    def images(self, tries: int) -> Iterator[Drawn]:
        """Yield values that letters have, of so many draws, each once."""
        drawn = (found for _ in range(tries) if (found := self.image()))
        yield from {str((x.symbols, x.letters)): x for x in drawn}.values()

    def _random(
        self, least: int | None, ranges: tuple[Sequence[int], ...] = (NATURALS, SIZES)
    ) -> Any:
        if least is None:
            below = self.random.choice((1, *DENOMINATORS))
            return Fraction(self.random.randint(-7, 7), below)
        return self.random.choice(ranges[least])

    def at_bounds(self, seen: list[Drawn]) -> Iterator[Iterator[Drawn]]:
        """Yield choices of values for each number that a size shall be, at and next to its bound:
        one symbol is changed in values that were seen, or that were drawn anew.
        """
        for size, number in dict.fromkeys(self._wishes()):
            if size_symbols(size):
                yield self._where(size, Fraction(number), seen)

    def _where(self, size: Size, number: Fraction, seen: list[Drawn]) -> Iterator[Drawn]:
        """Yield values at which a size is a number. Most are drawn without the letters, so that
        values are reached that no letters have.
        """
        names = sorted(size_symbols(size))
        for i in range(MOST_TRIES):
            name = names[i % len(names)]
            try:
                symbols = {**self.random.choice(seen).symbols} if seen and i % 3 else self._few()
                symbols[name] = _plain(solved(size, name, number, symbols))
                self._equate(symbols, name)
            except NoValue:
                continue
            if self.fulfilled(symbols):
                yield Drawn(symbols, self.found_letters(symbols))

    def _few(self) -> Values:
        """Return small values of the symbols."""
        symbols = {x: self._random(self.least[x], (FEW_NATURALS, FEW_SIZES)) for x in self.names}
        self._bound(symbols)
        return symbols

    def _wishes(self) -> Iterator[tuple[Size, Fraction | int]]:
        """Yield what sizes should be: symbols, sides of conditions and sizes of the text at their
        bounds and next to them, and each symbol some multiple, or a fraction.
        """
        yield from self._fractions()
        for a, _, b in self.claim.conditions:
            yield from ((Operation("-", a, b), number) for number in (0, 1, -1))
        for name in self.names:
            if (least := self.least[name]) is not None:
                yield from ((Name(name), number) for number in (least, least + 1))
                more: Size = Name(name)
                others = [x for x in self.names if x != name and self.least[x]]
                for by in self.random.sample(others, min(2, len(others))):
                    more = Operation("/", more, Name(by))
                yield more, self._random(least)
        whole = {x for x in self.names if self.least[x] is not None}
        for side in (self.claim.sides.left, self.claim.sides.right):
            for size, number in targets(side):
                if size_symbols(size) and size_symbols(size) <= whole:
                    yield size, number

    def _fractions(self) -> Iterator[tuple[Size, Fraction]]:
        """Yield fractions that rational symbols should be which are integers in the theorem."""
        sorts = free(self.theorem.left, self.theorem.right)
        for name in (x for x in self.names if self.least[x] is None):
            if any(type(sorts.get(x)) is str for x in size_symbols(self._letters_of(name))):
                bounds = [(a, b) for a, _, b in self.claim.conditions if Name(name) in (a, b)]
                ends = (side for pair in bounds for side in pair if not size_symbols(side))
                for least in {Fraction(0): 0, **{fraction(end, {}): 0 for end in ends}}:
                    for below in DENOMINATORS:
                        yield Name(name), least + Fraction(1, below)
                        yield Name(name), least + 2 - Fraction(1, below)

    def _bound(self, symbols: Values) -> None:
        """Give symbols values near to the bounds that they do not fulfil."""
        for a, sign, b in [*self.claim.conditions] * 2:
            for one, other, way in ((a, b, 1), (b, a, -1)):
                left, right = fraction(a, symbols), fraction(b, symbols)
                if isinstance(one, Name) and not HOLDS[sign](left, right):
                    up = way * {"=": 0, ">": 1, "<": -1}[sign[0]]
                    more = up * (("=" not in sign) + self.random.randint(0, 3))
                    symbols[one.name] = _plain(fraction(other, symbols) + more)

    def _equate(self, symbols: Values, kept: str) -> None:
        """Give symbols the values that conditions N = r*s state; one is kept where another, that
        is rational, can be changed.
        """
        equal = [(a, b) for a, sign, b in self.claim.conditions if sign == "="]
        for a, b in equal * len(equal):
            both = size_symbols(a) | size_symbols(b)
            put = [one.name for one in (a, b) if isinstance(one, Name)]
            put += sorted(both & self.claim.substitution.keys())
            put += sorted(x for x in both if self.least[x] is None)
            if put:
                name = next((x for x in put if x != kept), put[0])
                symbols[name] = _plain(solved(Operation("-", a, b), name, Fraction(0), symbols))

    def found_letters(self, symbols: Values) -> Values | None:
        """Return letters with which the symbols have these values, None where there are none."""
        try:
            return self._found_letters(symbols)
        except NoValue:
            return None

    def _found_letters(self, symbols: Values) -> Values | None:
        """Return the same. A size with one unknown letter grows with it, so bisection finds it;
        in r^n and m - m + 1 there may be none to be found, so single letters come first.
        """
        letters: Values = {}
        waiting = {name: self._letters_of(name) for name in self.names}
        while waiting:
            unknown = {x: size_symbols(size) - letters.keys() for x, size in waiting.items()}
            name = min(unknown, key=lambda x: self._order(waiting[x], unknown[x]))
            size, value = waiting.pop(name), symbols[name]
            if len(unknown[name]) > 1:
                return None
            letters |= {x: self._solved(size, x, letters, value) for x in unknown[name]}
            if None in letters.values() or fraction(size, letters) != value:
                return None
        for x, least in self.letters.items():
            letters.setdefault(x, self._random(least))
        return letters

    @staticmethod
    def _order(size: Size, unknown: set[str]) -> tuple[int, bool, bool]:
        """Return what is small for a size of which an unknown letter should be found early."""
        return len(unknown), not isinstance(size, Name), bool(unknown & _exponents(size))

    def _solved(self, size: Size, letter: str, letters: Mapping[str, Any], value: Any) -> Any:
        if isinstance(size, Name):
            least = self.letters[letter]
            whole = least is None or (value.denominator == 1 and value >= least)
            return value if whole else None
        low, high = self.letters[letter] or 0, LARGEST
        if letter in _exponents(size):
            high = min(64, value + 64)
        while low < high:
            middle = (low + high) // 2
            if fraction(size, {**letters, letter: middle}) < value:
                low = middle + 1
            else:
                high = middle
        return low


def _plain(value: Fraction) -> Any:
    return int(value) if value.denominator == 1 else value


def _exponents(size: Size) -> set[str]:
    match size:
        case Operation("^", left, right):
            return _exponents(left) | size_symbols(right)
        case Operation(_, left, right):
            return _exponents(left) | _exponents(right)
    return set()
