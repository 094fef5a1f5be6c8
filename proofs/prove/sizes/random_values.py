"""Random values of the symbols of an equation: primes, values at bounds and next to numbers of the
text, multiples of other values, and large ones.

A fixed list of small values hides equations that hold there alone, such as those with a factor 5040
or (t-1)*..*(t-16). The statement is the seed, so that an answer is the same every time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

from derive.text.expressions import Number, Operation, Size
from derive.text.sorts import naturals_and_reals
from derive.text.syntax import Ordered, Power, Sides, Text, sizes_of
from proofs.prove.conditions import Condition, in_words, least, upper

At = dict[str, Fraction]
SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
KINDS = ("prime", "edge", "multiple", "far")
ATTEMPTS = 10
"""So many choices of values are made for each value that is wanted."""
NEXT, MOST_AT_BOUNDS = 3, 9
"""So many values from a bound on are combined, in so many ways."""
ALL_PRIME = 3
"""So many times all symbols are primes."""
LARGEST = 10**6
"""Multiples are at most that large."""
POWER = 16
"""So many factors of a power, which are one matrix, take the time of one that is made."""
NEAR = 32
"""So many values from a bound on are tried as smaller ones."""
NUMBERS_FROM = 5
"""Values next to numbers of the text from here on are drawn."""


@dataclass(frozen=True)
class Drawing:
    """Draws values of symbols by their sorts and bounds."""

    names: tuple[str, ...]
    naturals: set[str]
    alphas: set[str]
    first: dict[str, int]
    last: dict[str, int]
    numbers: tuple[int, ...]
    random: Random

    @staticmethod
    def of(sides: Sides, conditions: list[Condition]) -> Drawing:
        """Return what draws values for an equation and its conditions."""
        naturals, alphas = naturals_and_reals(sides)
        sizes = [size for side in (sides.left, sides.right) for size in _sizes(side)]
        bounds = [size for a, _, b in conditions for size in (a, b)]
        numbers = {n for size in (*sizes, *bounds) for n in _numbers(size) if n >= NUMBERS_FROM}
        return Drawing(
            tuple(sorted(sides.symbols)),
            naturals,
            alphas,
            least(conditions),
            upper(conditions),
            tuple(sorted(numbers)),
            Random(f"{sides}{in_words(conditions)}"),
        )

    def rounds(self) -> Iterator[Iterator[At]]:
        """Yield choices of values, a few for each one that is wanted."""
        for kind in KINDS:
            for name in self.names:
                yield (self._values({name: kind}) for _ in range(ATTEMPTS))
        for _ in range(ALL_PRIME):
            kinds = dict.fromkeys(self.names, "prime")
            yield (self._values(kinds) for _ in range(ATTEMPTS))
        for naturals in self.at_bounds():
            yield (self._values(self._primes(), naturals) for _ in range(ATTEMPTS))

    def at_bounds(self) -> list[At]:
        """Return choices of values of all naturals at their bounds and next to them, the smallest
        first; none where there are no sizes besides, as all of them are small sizes.
        """
        least = {x: self.first.get(x, 0) for x in self.names if x in self.naturals}
        if not least or len(least) == len(self.names):
            return []
        steps = sorted(product(range(NEXT), repeat=min(len(least), 4)), key=sum)[:MOST_AT_BOUNDS]
        added = (dict(zip(least, row, strict=False)) for row in steps)
        return [{x: Fraction(n + by.get(x, 0)) for x, n in least.items()} for by in added]

    def below(self, names: Sequence[str], at: At) -> Iterator[At]:
        """Yield smaller values of symbols, the smallest first, all of them by the same number."""
        number = min(at[name] for name in names)
        for less in self._below(names[0], number):
            yield {name: at[name] - number + less for name in names}

    def _below(self, name: str, number: Fraction) -> Iterator[Fraction]:
        """Yield values that are near to a bound of a symbol, or to numbers of the text and their
        multiples, and halves.
        """
        if name in self.alphas:
            small = {Fraction(a, b) for a in range(-3, 10) for b in range(1, 4)}
            yield from sorted(small, key=lambda x: (x.denominator, x < 0, abs(x)))
            return
        first = self.first.get(name, int(name not in self.naturals))
        near = {n * times + step for n in self.numbers for times in (1, 2) for step in (-1, 0, 1)}
        halves = {int(number) >> e for e in range(1, 20)}
        for n in sorted({*range(first, first + NEAR)} | near | halves):
            if first <= n < number:
                yield Fraction(n)

    def with_value(self, name: str, number: Fraction) -> At:
        """Return values of all symbols, that of one given, and the others mostly small."""
        return self._values({}, {name: number})

    def _primes(self) -> dict[str, str]:
        """Return that all symbols are primes, or that a random one of them is."""
        names = self.names if self.random.random() < 1 / 2 else self.random.sample(self.names, 1)
        return dict.fromkeys(names, "prime")

    def _values(self, kinds: dict[str, str], given: Mapping[str, Fraction] | None = None) -> At:
        """Return values of all symbols, some of them given; those without a kind are few, or
        multiples of others.
        """
        at: At = {**(given or {})}
        order = self.random.sample(self.names, len(self.names))
        left = [name for name in order if name not in at]
        for name in sorted(left, key=lambda name: kinds.get(name) in (None, "multiple")):
            kind = kinds.get(name) or self.random.choice(("few", "few", "multiple"))
            at[name] = self._value(name, kind, at)
        return at

    def _value(self, name: str, kind: str, at: At) -> Fraction:
        if name in self.alphas:
            below = 1 if kind == "few" else self.random.choice(PRIMES)
            return Fraction(self.random.randint(0, 2 * below), below)
        found = (self._natural if name in self.naturals else self._size)(name, kind, at)
        first, last = self.first.get(name, int(name not in self.naturals)), self.last.get(name)
        if found < first:
            found += first
        if last is not None and found > last >= first:
            found = self.random.randint(max(first, last - len(PRIMES)), last)
        return Fraction(found)

    def _natural(self, name: str, kind: str, at: At) -> int:
        match kind:
            case "prime":
                return self.random.randint(9, 13)
            case "edge":
                return self._edge(name)
            case "far":
                return self.random.randint(14, 60)
            case "multiple":
                others = [int(at[one]) for one in at if one in self.naturals]
                return self.random.choice(others or [1]) + self.random.randint(0, 2)
        return self.random.randint(0, 3)

    def _size(self, name: str, kind: str, at: At) -> int:
        match kind:
            case "prime":
                return self.random.choice(PRIMES)
            case "edge":
                return self._edge(name)
            case "far":
                drawn = self.random.sample(SMALL_PRIMES, 2)
                return drawn[0] * drawn[1] * self.random.choice((1, 1, 2, 3))
            case "multiple":
                return self._multiple(at)
        return self.random.randint(1, 4)

    def _edge(self, name: str) -> int:
        """Return a value at a bound, or next to a number of the text."""
        first, last = self.first.get(name, 0), self.last.get(name)
        bounds = [first, first + 1, first + 2, *([last - 1, last] if last else [])]
        near = [n + step for n in self.numbers for step in (-1, 0, 1)]
        return max(0, self.random.choice(self.random.choice([bounds, near]) or bounds))

    def _multiple(self, at: At) -> int:
        """Return a product of other values, numbers of the text and a small number, or a power."""
        if self.random.random() < 1 / 4:
            return int(self.random.choice((2, 2, 3)) ** self.random.randint(3, 9))
        found = self.random.choice((1, 1, 2, 3, 11, 13))
        others = [int(at[name]) for name in at if name not in self.alphas | self.naturals]
        for factor in [*others, *self.numbers]:
            times = factor ** self.random.choice((0, 1, 1, 2) if factor < 20 else (0, 1, 1))
            found *= times if found * times <= LARGEST else 1
        return found


def work(text: Text, values: At) -> int:
    """Return a bound on the matrices that a text is made of at these values, about; products and
    powers of unknown length count once.
    """
    inner = sum(work(part, values) for part in text.parts) or 1
    match text:
        case Ordered():
            return inner * _largest(text.last, values)
        case Power(_, exponent):
            return inner * -(-_largest(exponent, values) // POWER)
    return inner


def _largest(size: Size, values: At) -> int:
    """Return a bound on the absolute value of a size, indices counting as 1."""
    match size:
        case Number(value):
            return max(value, 1)
        case Operation("^", left, right):
            return int(_largest(left, values) ** min(_largest(right, values), 64))
        case Operation(sign, left, right):
            a, b = _largest(left, values), _largest(right, values)
            return a * b if sign == "*" else a if sign == "/" else a + b
    return max(1, abs(int(values.get(str(size), 1))))


def _sizes(text: Text) -> Iterator[Size]:
    """Yield all sizes in a text."""
    yield from sizes_of(text)
    for part in text.parts:
        yield from _sizes(part)


def _numbers(size: Size) -> Iterator[int]:
    """Yield the numbers in a size."""
    if isinstance(size, Number):
        yield size.value
    if isinstance(size, Operation):
        yield from _numbers(size.left)
        yield from _numbers(size.right)
