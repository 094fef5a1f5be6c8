"""Sizes of a text as sizes, naturals and real numbers of the kernel. Not trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from derive.text.expressions import Name, Number, Operation, Size
from proofs.kernel.numbers import Dim, Nat, Poly, power_of
from proofs.prove.translation.divisibility import Inexpressible, SumOfSizes, check_whole, counted

MOST_FACTORS = 16
"""So many factors has a product whose number of factors is no symbol."""
ALONE = Poly.of(1)


@dataclass
class Reader:
    """Reads sizes; `values` says what each symbol stands for, a Nat, a Dim or a Poly."""

    values: dict[str, Any]
    counts: list[tuple[Nat, Nat]] = field(default_factory=list)
    """Inside products: a number of factors that is no single symbol, and k + l + 1."""

    def nat(self, part: Size) -> Nat:
        """Return an exponent; it may be negative here."""
        match part:
            case Number(number):
                return Nat.of(number)
            case Name(name) if type(self.values[name]) is Nat:
                return self.values[name]
            case Operation("+", left, right):
                return self.nat(left) + self.nat(right)
            case Operation("-", left, right):
                return self.nat(left) - self.nat(right)
            case Operation("*", left, right):
                return self.nat(left) * self.nat(right)
            case Operation("/", left, Number(by)) if by > 0:
                terms = self.nat(left).terms
                if all(c % by == 0 for _, c in terms):
                    return Nat(frozenset((names, c // by) for names, c in terms))
        raise Inexpressible(f"column {part.column}: {part} is not a polynomial in natural symbols")

    def dim(self, part: Size) -> Dim:
        """Return a size; it may be a fraction here."""
        match part:
            case Number(number) if number >= 1:
                return Dim.of(number)
            case Number(n):
                raise Inexpressible(
                    f"column {part.column}: {n} is not a size: sizes are 1, 2, 3, .."
                )
            case Name(name) if type(self.values[name]) is Dim:
                return self.values[name]
            case Operation("*", left, right):
                return self.dim(left) * self.dim(right)
            case Operation("/", left, right):
                return self.dim(left) / self.dim(right)
            case Operation("^", left, right):
                return power_of(self.dim(left), self.nat(right))
            case Operation("+" | "-"):
                return self.one_summand(part)
            case Name(name) if type(self.values[name]) is Poly:
                return self.one_summand(part)
        raise Inexpressible(_no_product(part))

    def one_summand(self, part: Size) -> Dim:
        """Return a sum or difference that is a product of powers, as n + n is; raise SumOfSizes
        for others.
        """
        found = self.alpha(part)
        match [*found.terms]:
            case [((one, ()), c)] if c > 0:
                return one * c.numerator / c.denominator
        raise SumOfSizes(_no_product(part), found)

    def whole(self, part: Size | Dim) -> Dim:
        """Return a size that is whole for all values; Repair where other symbols make it so."""
        found = part if isinstance(part, Dim) else self.dim(part)
        for count, value in self.counts:
            powers = ((base, counted(before, count, value)) for base, before in found.powers)
            found = Dim(frozenset((base, e) for base, e in powers if e))
        check_whole(found)
        return found

    def alpha(self, part: Size) -> Poly:
        """Return a real number."""
        match part:
            case Number(number):
                return Poly.of(number)
            case Name(name):
                found = self.values[name]
                return found if type(found) is Poly else Poly.of(self.dim(part))
            case Operation("+", left, right):
                return self.alpha(left) + self.alpha(right)
            case Operation("-", left, right):
                return self.alpha(left) - self.alpha(right)
            case Operation("*", left, right):
                return self.alpha(left) * self.alpha(right)
            case Operation("/", left, right):
                return self.alpha(left) / self.dim(right)
            case Operation("^", left, Number(e)) if e <= MOST_FACTORS:
                return reduce(Poly.__mul__, [self.alpha(left)] * e, ALONE)
        return Poly.of(self.dim(part))


def _no_product(part: Size) -> str:
    return (
        f"column {part.column}: {part} is not a product of powers; the kernel does not support sums"
        " of sizes, or natural numbers as sizes"
    )
