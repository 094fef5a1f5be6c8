"""Square roots of sizes, which the kernel does not have: sqrt(a) A = sqrt(b) B, with a/b = s^2, is
s A = B. A number is the root of its square. Terms that both sides have cancel. What stands beside
roots that are no multiples of each other is compared for each of them. Not trusted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from math import prod
from typing import Any

from derive.text.definitions import plain
from derive.text.expressions import Number, Size
from derive.text.syntax import (
    Added,
    Applied,
    Defined,
    DirectSum,
    Kron,
    Leaf,
    Ordered,
    Power,
    Product,
    Scaled,
    Sides,
    Text,
    leaf,
)
from proofs.kernel.numbers import ONE, Dim, Nat, power_of
from proofs.kernel.terms import free
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.translator import Translator
from proofs.prove.translation.written import written

UNIT = leaf("I", Number(1))
MOST_FACTORS, MOST_TERMS = 4, 64
"""So many factors a power has at most that is multiplied out, and so many terms a product."""


def has_roots(text: Text) -> bool:
    """Return whether a square root stands in a text, or in a definition without steps in it."""
    if isinstance(text, Defined):
        return has_roots(text.by.body)
    return (isinstance(text, Leaf) and text.name == "sqrt") or any(map(has_roots, text.parts))


def without_roots(sides: Sides, letters: Mapping[str, Any]) -> Sides:
    """Return an equation without square roots from which this one follows; `letters` has what its
    symbols are.

    Raises Inexpressible where its sides do not have the same roots.

    >>> from derive.text.parse import parse
    >>> from proofs.kernel.numbers import size
    >>> found = parse("1/sqrt(2*n) * A(2,2) = sqrt(n/2) * I(2)")
    >>> print(without_roots(found, {"n": size("n")}))
    A(2, 2) = n * I(2)
    >>> found = parse("A, B : 2 x 2; (A + sqrt(n)*B)^2 = A*A + n*B*B + sqrt(n)*(A*B + B*A)")
    >>> print(without_roots(found, {"n": size("n")}))
    A : 2 x 2, B : 2 x 2; (A * A + n * B * B) (+) (A * B + B * A) = (A * A + n * B * B) (+) (A * B + B * A)
    """  # noqa: E501
    if not has_roots(sides.left) and not has_roots(sides.right):
        return sides
    roots = _Roots(Translator(dict(letters)))
    try:
        return roots.shared(sides)
    except Inexpressible:
        for way in (roots.cancelled, roots.apart):
            with suppress(Inexpressible):
                if found := way(sides):
                    return found
        raise


def _terms(text: Text) -> tuple[Text, ...]:
    return text.terms if isinstance(text, Added) else (text,)


def _zero(like: Text) -> Text:
    return Scaled(Number(0), False, like)


def _sum(terms: Sequence[Text]) -> Text:
    return terms[0] if len(terms) == 1 else Added(tuple(terms))


@dataclass(frozen=True)
class _Roots:
    """Takes square roots out of texts."""

    read: Translator

    def shared(self, sides: Sides) -> Sides:
        """Return the sides without the root that all terms share."""
        (left, a), (right, b) = self.parted(sides.left), self.parted(sides.right)
        if any(isinstance(side, Scaled) and side.by == Number(0) for side in (left, right)):
            return Sides(left, right)
        if (a / b).whole:
            return Sides(self.times(a / b, left), right)
        return Sides(left, self.times(b / a, right))

    def cancelled(self, sides: Sides) -> Sides | None:
        """Return the sides with 0 A for every term sqrt(a) A that both have, None without any."""
        left, right = (Counter(_terms(side)) for side in (sides.left, sides.right))
        if not (both := left & right):
            return None
        zeros = [_zero(self.parted(term)[0]) for term in both.elements()]
        rests = [[*(side - both).elements()] for side in (left, right)]
        if all(rests):
            rest = self.shared(Sides(_sum(rests[0]), _sum(rests[1])))
            return Sides(_sum([rest.left, *zeros]), _sum([rest.right, *zeros]))
        sums = ([self.parted(_sum(rest))[0], *zeros] if rest else zeros for rest in rests)
        return Sides(*map(_sum, sums))

    def apart(self, sides: Sides) -> Sides | None:
        """Return the direct sum of A and B for sqrt(a) A + sqrt(b) B on both sides: it is enough
        that these are equal. What stands beside a root of one side alone is 0; None where it is no
        sum, whose terms may cancel.
        """
        left, right = (self.by_roots(side) for side in (sides.left, sides.right))
        both = left | right
        if not all(isinstance(both[d], Added) for d in left.keys() ^ right.keys()):
            return None
        sums = [
            tuple(side.get(d, _zero(part)) for d, part in both.items()) for side in (left, right)
        ]
        return Sides(*(one[0] if len(one) == 1 else DirectSum(one) for one in sums))

    def by_roots(self, text: Text) -> dict[Dim, Text]:
        """Return what stands beside each root of a text that is the sum of sqrt(d) A over d."""
        found: dict[Dim, list[Text]] = {}
        for d, part in self.multiplied_out(text):
            odd = Dim(
                frozenset(
                    (base, Nat(frozenset((names, 1) for names, c in exponent.terms if c % 2)))
                    for base, exponent in d.powers
                    if any(c % 2 for _, c in exponent.terms)
                )
            )
            found.setdefault(odd, []).append(self.times(d / odd, part))
        return {d: _sum(parts) for d, parts in found.items()}

    def multiplied_out(self, text: Text) -> Iterator[tuple[Dim, Text]]:
        """Yield d and A of terms sqrt(d) A whose sum is a text."""
        match text:
            case _ if not has_roots(text):
                yield ONE, text
            case Added(terms):
                for term in terms:
                    yield from self.multiplied_out(term)
            case Product(parts) | Kron(parts):
                rows = [list(self.by_roots(part).items()) for part in parts]
                if prod(map(len, rows)) > MOST_TERMS:
                    raise Inexpressible(f"column {text.column}: {text} has too many square roots")
                for row in product(*rows):
                    kept = tuple(part for _, part in row if part != UNIT) or (UNIT,)
                    whole = reduce(Dim.__mul__, (d for d, _ in row))
                    yield whole, kept[0] if len(kept) == 1 else type(text)(kept)
            case DirectSum(parts):
                yield from self.side_by_side([self.by_roots(part) for part in parts])
            case Applied("inv", DirectSum(parts)):
                inverses = tuple(replace(text, of=part) for part in parts)
                yield from self.multiplied_out(DirectSum(inverses, column=text.column))
            case Power(of, Number(e)) if 2 <= e <= MOST_FACTORS:
                yield from self.multiplied_out(Product((of,) * e, column=text.column))
            case Scaled(_, _, of) | Applied("transpose" | "conj", of):
                for d, part in self.multiplied_out(of):
                    yield d, replace(text, of=part)
            case _:
                part, d = self.parted(text)
                yield d, part

    def side_by_side(self, terms: Sequence[dict[Dim, Text]]) -> Iterator[tuple[Dim, Text]]:
        """Yield what stands beside each root of a direct sum: 0 for a term without this root."""
        for d in dict.fromkeys(d for term in terms for d in term):
            parts = (term.get(d) or _zero(next(iter(term.values()))) for term in terms)
            yield d, DirectSum(tuple(parts))

    def times(self, square: Dim, text: Text) -> Text:
        """Return a text times the root of a square; raise Inexpressible where it is none."""
        if square == ONE:
            return text
        halves = []
        for base, exponent in square.powers:
            if any(c % 2 for _, c in exponent.terms):
                raise Inexpressible(
                    f"the square roots of both sides, and of the terms of a sum, differ by"
                    f" sqrt({written(square)}), which is not a product of sizes"
                )
            halves.append((base, Nat(frozenset((names, c // 2) for names, c in exponent.terms))))
        return Scaled(written(Dim(frozenset(halves))), False, text)

    def parted(self, text: Text) -> tuple[Text, Dim]:
        """Return A and d of a text that is sqrt(d) A."""
        match text:
            case Leaf("sqrt", (a,)):
                return UNIT, self.read.dim(a)
            case Defined(definition, _) if not definition.bases:
                return self.parted(plain(text))
            case Product(parts) | Kron(parts):
                found = [self.parted(part) for part in parts]
                kept = [part for part, d in found if part != UNIT or d == ONE]
                row = tuple(kept) or (UNIT,)
                whole = reduce(Dim.__mul__, (d for _, d in found))
                return (row[0] if len(row) == 1 else type(text)(row)), whole
            case Added(parts) | DirectSum(parts):
                terms = [self.parted(part) for part in parts]
                first = terms[0][1]
                return type(text)(tuple(self.times(d / first, part) for part, d in terms)), first
            case Scaled(by, False, of) if (number := self.positive(by)) is not None:
                inner, d = self.parted(of)
                return inner, d * number * number
            case Scaled(_, _, of) | Applied(_, of) | Power(of, _):
                inner, d = self.parted(of)
                return replace(text, of=inner), self.outside(text, d)
            case Ordered(index, first_, last, body):
                inner, d = self.parted(body)
                if index in free(d):
                    raise Inexpressible(f"column {text.column}: a square root depends on {index}")
                once = text.name == "sum" or d == ONE
                count = Nat.of(1) if once else self.factors(first_, last)
                return replace(text, body=inner), power_of(d, count)
        return text, ONE

    def factors(self, first: Size, last: Size) -> Nat:
        """Return how many factors a product has, none where it would be a number below 0."""
        count = self.read.nat(last) - self.read.nat(first) + 1
        return count if free(count) or count.natural else Nat.of(0)

    def positive(self, number: Size) -> Dim | None:
        """Return a number that is a product of powers, None for any other."""
        try:
            return self.read.dim(number)
        except Inexpressible:
            return None

    def outside(self, text: Scaled | Applied | Power, d: Dim) -> Dim:
        """Return what a root of d becomes outside of a node."""
        if isinstance(text, Power) and d != ONE:
            return power_of(d, self.read.nat(text.exponent))
        return ONE / d if isinstance(text, Applied) and text.name == "inv" else d
