"""Matrices with one entry in each column, read at a single column: so sizes are reached that no
vector fills.

    monomial = I | J | R | L | xor | diag | perm, affine in its digits | what these define
             | products, powers, (x), (+), prod, inv, transpose and conj of them, and multiples

A column j has its entry, a rational number times w^phase, in row i. `back` finds the column of a
row, which inverses and transposes need. A permutation is taken for one only where that is certain:
with one digit a j + b of N places if a and N have no common divisor; with several, if their weights
are those of a number in mixed radices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from math import gcd, prod

from derive.exact.claim import valued
from derive.text.definitions import unfolded
from derive.text.expressions import (
    FormulaError,
    Name,
    NotWhole,
    Operation,
    Size,
    TooLarge,
    positive_integer,
    size_symbols,
    value,
)
from derive.text.matrices import meant, quotients
from derive.text.syntax import (
    Applied,
    Beside,
    Defined,
    Leaf,
    Ordered,
    Power,
    Ranged,
    Scaled,
    Stacked,
    Text,
    Times,
    parts_of,
)
from proofs.prove.sizes.random_values import At

LEAVES = frozenset(("I", "J", "R", "L", "xor"))
MOST_STEPS = 2**10
"""So many matrices are entered for one entry."""
Entry = tuple[Fraction, Fraction]
"""A number and a phase, c w^x."""
ONE: Entry = (Fraction(1), Fraction(0))


class NoSingleEntry(ValueError):
    """A matrix has more than one entry in a column, or may have."""


def is_monomial(text: Text) -> bool:
    """Return whether every matrix of a text has one entry in each column, or may have."""
    match text:
        case Leaf(name):
            definition = meant(text)
            return name in LEAVES or (definition is not None and is_monomial(definition))
        case Defined() | Ranged():
            return True
        case Times() | Beside() | Stacked() | Power() | Scaled() | Applied():
            return all(map(is_monomial, parts_of(text)))
        case Ordered(name="prod"):
            return is_monomial(text.body)
    return False


def spelled(entry: Entry) -> str:
    """Return an entry in one way only: a number that is not negative and a phase from 0 to 1."""
    number, phase = entry
    if number < 0:
        number, phase = -number, phase + Fraction(1, 2)
    phase %= 1
    return valued([(phase.numerator, number)] if number else [], phase.denominator)


def _times(a: Entry, b: Entry) -> Entry:
    return a[0] * b[0], (a[1] + b[1]) % 1


@dataclass(frozen=True)
class Reading:
    """The entries of matrices at values of their symbols."""

    at: At
    steps: Iterator[int] = field(default_factory=count)

    def size(self, text: Text) -> int:
        """Return the number of rows and columns; FormulaError where these are no such numbers."""
        self._count()
        match text:
            case Times(parts):
                sizes = {self.size(part) for part in parts}
                if len(sizes) > 1:
                    raise FormulaError("the sizes of two factors differ")
                return sizes.pop()
            case Beside(parts):
                return prod(map(self.size, parts))
            case Stacked(parts):
                return sum(map(self.size, parts))
            case Scaled(_, _, of) | Power(of) | Applied(_, of):
                return self.size(of)
            case Defined():
                return self.size(unfolded(text, self.at))
            case Ordered():
                return self._at(text, value(text.first, self.at)).size(text.body)
            case Ranged(_, indices):
                return prod(self._whole(radix) for _, radix in indices)
            case Leaf():
                return self._whole(text.size)
        raise NoSingleEntry(f"{text}")

    def place(self, text: Text, j: int, back: bool = False) -> tuple[int, Entry]:
        """Return the row of a column's entry, or the column of a row's, and the entry."""
        self._count()
        match text:
            case Times(parts):
                return self._along([(self, part) for part in parts], j, back)
            case Power(of, exponent):
                times = self._integer(exponent)
                inner = Applied("inv", of) if times < 0 else of
                return self._along([(self, inner)] * self._few(abs(times)), j, back)
            case Ordered():
                first, last = self._integer(text.first), self._integer(text.last)
                numbers = range(first, first + self._few(max(0, last - first + 1)))
                along = [(self._at(text, Fraction(k)), text.body) for k in numbers]
                return self._along(along, j, back)
            case Beside(parts):
                at, entry, weight = 0, ONE, 1
                for part in reversed(parts):
                    j, digit = divmod(j, size := self.size(part))
                    digit, one = self.place(part, digit, back)
                    at, entry, weight = at + digit * weight, _times(entry, one), weight * size
                return at, entry
            case Stacked(parts):
                return self._stacked(parts, j, back)
            case Scaled(by, imaginary, of):
                i, entry = self.place(of, j, back)
                return i, _times(entry, (value(by, self.at), Fraction(3, 4) * imaginary))
            case Applied(name, of):
                return self._applied(name, of, j, back)
            case Defined():
                return self.place(unfolded(text, self.at), j, back)
            case Ranged():
                return self._ranged(text, j, back)
            case Leaf():
                return self._leaf(text, j, back)
        raise NoSingleEntry(f"{text}")

    def _stacked(self, parts: Sequence[Text], j: int, back: bool) -> tuple[int, Entry]:
        before = 0
        for part in parts:
            if j < before + (size := self.size(part)):
                i, entry = self.place(part, j - before, back)
                return before + i, entry
            before += size
        raise NoSingleEntry(f"no block has column {j}")

    def _along(self, parts: list[tuple[Reading, Text]], j: int, back: bool) -> tuple[int, Entry]:
        entry = ONE
        for reading, part in parts if back else reversed(parts):
            j, one = reading.place(part, j, back)
            entry = _times(entry, one)
        return j, entry

    def _applied(self, name: str, of: Text, j: int, back: bool) -> tuple[int, Entry]:
        i, (number, phase) = self.place(of, j, back if name == "conj" else not back)
        if name == "conj":
            return i, (number, -phase)
        if name == "inv":
            if not number:
                raise NotWhole("0 has no inverse")
            return i, (1 / number, -phase)
        return i, (number, phase)

    def _ranged(self, text: Ranged, j: int, back: bool) -> tuple[int, Entry]:
        radices = {name: self._whole(radix) for name, radix in text.indices}
        if text.name == "diag":
            digits, place = dict[str, Fraction](), j
            for name in reversed(radices):
                place, digit = divmod(place, radices[name])
                digits[name] = Fraction(digit)
            return j, (Fraction(1), value(text.of, {**self.at, **digits}) % 1)
        offset, weights = _affine(text.of, self.at, radices)
        return _numbered(radices, weights, offset, j, back), ONE

    def _leaf(self, text: Leaf, j: int, back: bool) -> tuple[int, Entry]:
        if (definition := meant(text)) is not None:
            for quotient in quotients(text):
                self._whole(quotient)
            return self.place(definition, j, back)
        n, *more = map(self._whole, text.sizes)
        match text.name:
            case "I":
                return j, ONE
            case "J":
                return n - 1 - j, ONE
            case "R":
                bits = _bits(n)
                return int(f"{j:0{bits}b}"[::-1], 2) if bits else 0, ONE
            case "xor":
                if _bits(n) < more[0].bit_length():
                    raise NotWhole("xor beyond the places")
                return j ^ more[0], ONE
            case "L":
                return _strided(n, more[0], j, back), ONE
        raise NoSingleEntry(f"{text}")

    def _at(self, text: Ordered, number: Fraction) -> Reading:
        return Reading({**self.at, text.index: number}, self.steps)

    def _whole(self, size: Size) -> int:
        return positive_integer(size, self.at, "a matrix")

    def _integer(self, size: Size) -> int:
        found = value(size, self.at)
        if found.denominator != 1:
            raise NotWhole(f"{size} = {found}")
        return int(found)

    def _few(self, factors: int) -> int:
        if factors > MOST_STEPS:
            raise TooLarge(f"{factors} factors")
        return factors

    def _count(self) -> None:
        if next(self.steps) > MOST_STEPS:
            raise TooLarge("too many matrices for one entry")


def _quotient(a: int, b: int) -> int:
    if a % b:
        raise NotWhole(f"{a}/{b}")
    return a // b


def _bits(n: int) -> int:
    if n & n - 1:
        raise NotWhole(f"{n} is not a power of two")
    return n.bit_length() - 1


def _strided(N: int, r: int, j: int, back: bool) -> int:
    """Return where L(N, r) puts an element, or which it puts there."""
    s = _quotient(N, r)
    return j % s * r + j // s if back else j % r * s + j // r


def _affine(size: Size, at: At, digits: Mapping[str, int]) -> tuple[Fraction, dict[str, Fraction]]:
    """Return a size as a number, and what each digit is multiplied by."""
    if not size_symbols(size) & digits.keys():
        return value(size, at), {}
    match size:
        case Name(name):
            return Fraction(0), {name: Fraction(1)}
        case Operation("+" | "-" as sign, left, right):
            (a, xs), (b, ys) = _affine(left, at, digits), _affine(right, at, digits)
            by = Fraction(1 if sign == "+" else -1)
            return a + by * b, {x: xs.get(x, Fraction(0)) + by * ys.get(x, 0) for x in {**xs, **ys}}
        case Operation("*" | "/" as sign, left, right) if not (size_symbols(right) & digits.keys()):
            (a, xs), number = _affine(left, at, digits), value(right, at)
            if not number and sign == "/":
                raise NotWhole("division by 0")
            by = number if sign == "*" else 1 / number
            return a * by, {x: weight * by for x, weight in xs.items()}
        case Operation("*", left, right) if not (size_symbols(left) & digits.keys()):
            return _affine(Operation("*", right, left), at, digits)
    raise NoSingleEntry(f"{size} is not affine in its digits")


def _numbered(
    radices: Mapping[str, int],
    weights: Mapping[str, Fraction],
    offset: Fraction,
    j: int,
    back: bool,
) -> int:
    """Return where a permutation by digits puts an element, or which it puts there; NotWhole where
    it may be no permutation.
    """
    N = prod(radices.values())
    spoken = {name: radix for name, radix in radices.items() if radix > 1}
    by = {name: weights.get(name, Fraction(0)) for name in spoken}
    if offset.denominator != 1 or any(weight.denominator != 1 for weight in by.values()):
        raise NotWhole("places are integers")
    if len(spoken) == 1:
        [weight] = map(int, by.values())
        if gcd(weight, N) > 1:
            raise NotWhole("two elements at one place")
        return (
            (j - int(offset)) * pow(weight, -1, N) % N if back else (j * weight + int(offset)) % N
        )
    before = 1
    for name in sorted(spoken, key=lambda name: by[name]):
        if by[name] != before:
            raise NotWhole("perhaps two elements at one place")
        before *= spoken[name]
    found, index_weight = 0, 1
    place = (j - int(offset)) % N if back else j
    for name in reversed(spoken):
        weights_of = (index_weight, int(by[name]))
        own, other = reversed(weights_of) if back else weights_of
        found += place // own % spoken[name] * other
        index_weight *= spoken[name]
    return found if back else (found + int(offset)) % N
