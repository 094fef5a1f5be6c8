"""The second reading of a formula's text: what its matrices do to columns of numbers, at values of
its symbols.

A product is applied factor by factor, a power as often as it says, a direct sum block by block,
prod and sum index by index. Transposed matrices are written out and transposed, inverse ones are
written out and inverted by elimination. A definition is entered with the values of its parameters.
`named_values.py` has the matrices with a name.

It shares the tree of a text (derive.text.syntax and expressions) and the number of sizes of each
matrix (derive.formula.named_matrices) with the translation, and nothing else but definitions of
matrices that named_values.py does not have: no size is simplified, no symbol
replaced, no definition closed. It imports nothing of the kernel and of proofs/prove.

A text is read as its complex conjugate, w^x = exp(2πi x) and i = exp(-2πi/4), as the kernel's
statement is the conjugate of the equation. One holds if and only if the other does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import gcd, prod
from typing import Any

import numpy as np

from derive.formula.named_matrices import parameters
from derive.text import syntax
from derive.text.expressions import Name, Number, Size
from derive.text.text_matrices import meant
from proofs.meaning.named_values import (
    Matrix,
    Named,
    direct_sum,
    identity,
    kron,
    permutation,
    product,
)
from proofs.meaning.random_field import Array, NoValue, RandomField, need, within

MOST_PLACES = 4096
MOST_WRITTEN, MOST_INVERTED = 2**15, 2**12
"""So many entries of a matrix are written out to be transposed, and to be inverted."""
Values = Mapping[str, Any]
"""Integers and fractions; arrays of integers for the digits of a place."""


def ratio(size: Size, at: Values) -> tuple[Any, int]:
    """Return a size as a numerator, an integer or an array of them, and a denominator above 0."""
    match size:
        case Number(number):
            return number, 1
        case Name(name):
            x = at[name]
            return (x.numerator, x.denominator) if isinstance(x, Fraction) else (x, 1)
    (a, b), (c, d) = ratio(size.left, at), ratio(size.right, at)
    match size.sign:
        case "+":
            above, below = a * d + c * b, b * d
        case "-":
            above, below = a * d - c * b, b * d
        case "*":
            above, below = a * c, b * d
        case "/":
            within(isinstance(c, int), f"{size} divides by a digit")
            need(c != 0, f"{size} divides by 0")
            above, below = (a * d, b * c) if c > 0 else (-a * d, b * -c)
        case _:
            need(d == 1 and isinstance(c, int) and abs(c) <= 256, f"the exponent of {size}")
            need(c >= 0 or (isinstance(a, int) and a > 0), f"{size} divides by 0")
            above, below = (a**c, b**c) if c >= 0 else (b**-c, a**-c)
    common = gcd(above, below) if isinstance(above, int) else 1
    return above // common, below // common


def fraction(size: Size, at: Values) -> Fraction:
    """Return a size without digits."""
    return Fraction(*ratio(size, at))


def integer(size: Size, at: Values, least: int | None = 1) -> int:
    """Return a size that is an integer, at least 1 or as stated; NoValue: it is not."""
    found = fraction(size, at)
    if found.denominator != 1 or (least is not None and found < least):
        raise NoValue(f"{size} = {found}")
    return int(found)


@dataclass(frozen=True)
class TextReading:
    """Reads texts at numbers; `sign` is -1 in conj(..), `own` the definition that is entered."""

    gf: RandomField
    sign: int = 1
    own: syntax.Definition | None = None

    def read(self, text: syntax.Text, at: Values) -> Matrix:
        """Return a text as a matrix; NoValue: it is none at these values."""
        match text:
            case syntax.Product() | syntax.Kron() | syntax.DirectSum() | syntax.Added():
                parts = [self.read(part, at) for part in text.parts]
                match text:
                    case syntax.Product():
                        return product(parts)
                    case syntax.Kron():
                        return reduce(kron, parts)
                    case syntax.DirectSum():
                        return direct_sum(parts)
                return self.sum(parts)
            case syntax.Ordered():
                return self.ordered(text, at)
            case syntax.Scaled(by, imaginary, of):
                return self.scaled(fraction(by, at), imaginary, self.read(of, at))
            case syntax.Power(of, exponent):
                return self.power(self.read(of, at), integer(exponent, at, None))
            case syntax.Applied("transpose", of):
                return self.transposed(self.read(of, at))
            case syntax.Applied("conj", of):
                return replace(self, sign=-self.sign).read(of, at)
            case syntax.Applied("inv", of):
                return self.inverse(self.read(of, at))
        return self.with_name(text, at)

    def with_name(self, text: syntax.Text, at: Values) -> Matrix:
        """Return a matrix with a name, a letter, or what is defined."""
        match text:
            case syntax.Leaf(name, sizes):
                kinds = parameters(name, len(sizes))
                read = (fraction if kind.sort == "real" else integer for kind in kinds)
                numbers = [f(one, at) for f, one in zip(read, sizes, strict=False)]
                found = Named(self.gf, self.sign).made(name, *numbers)
                return found or self.read(meant(text), at)  # type: ignore[arg-type]
            case syntax.Ranged():
                return self.ranged(text, at)
            case syntax.Variable(name, rows, columns):
                key = name + "_c" * (self.sign < 0), integer(rows, at), integer(columns, at)
                return Matrix(*key[1:], lambda x: self.gf.product(self.gf.matrix(*key), x))
            case syntax.Defined(definition, arguments):
                return self.entered(definition, arguments, at)
            case syntax.Again(_, arguments) if self.own:
                return self.entered(self.own, arguments, at)
        raise TypeError(f"{text!r} is not a text")

    def entered(
        self, definition: syntax.Definition, arguments: Sequence[Size], at: Values
    ) -> Matrix:
        numbers = [fraction(one, at) for one in arguments]
        body = definition.body
        if definition.bases:
            bases, now = dict(definition.bases), numbers[definition.at]
            within(
                now.denominator == 1 and min(bases) <= now <= min(bases) + 64,
                "a definition has no last case",
            )
            body = bases.get(int(now), body)
        inner = dict(zip(definition.parameters, numbers, strict=True))
        return replace(self, own=definition).read(body, inner)

    def ordered(self, text: syntax.Ordered, at: Values) -> Matrix:
        """Return A(a) A(a + 1) .. A(b), or their sum; a product without factors is the identity."""
        first, last = integer(text.first, at, None), integer(text.last, at, None)
        self.gf.need_factors(max(last - first + 1, 0))
        parts = [self.read(text.body, {**at, text.index: i}) for i in range(first, last + 1)]
        if text.name == "sum":
            need(bool(parts), "a sum without terms")
            return self.sum(parts)
        if parts:
            return product(parts)
        one = self.read(text.body, {**at, text.index: first})
        need(one.rows == one.columns, "a product without factors of matrices that are not square")
        return identity(one.rows)

    def sum(self, parts: Sequence[Matrix]) -> Matrix:
        need(len({part[:2] for part in parts}) == 1, "the sizes of two terms differ")

        def times(x: Array) -> Array:
            return np.asarray(sum(part.times(x) for part in parts) % self.gf.q)

        return parts[0]._replace(times=times)

    def scaled(self, by: Fraction, imaginary: bool, of: Matrix) -> Matrix:
        """Return a matrix times a number, and times i, which is conjugated as everything is."""

        def times(x: Array) -> Array:
            i = int(self.gf.turned(-self.sign, 4)) if imaginary else 1
            return of.times(x) * (self.gf.number(by) * i % self.gf.q) % self.gf.q

        return of._replace(times=times)

    def power(self, of: Matrix, exponent: int) -> Matrix:
        """Return a power, of the inverse where the exponent is below 0."""
        need(of.rows == of.columns, "a power of no square matrix")
        self.gf.need_factors(abs(exponent))
        one = self.inverse(of) if exponent < 0 else of
        return product([one] * abs(exponent)) if exponent else identity(of.rows)

    def transposed(self, of: Matrix) -> Matrix:
        """Return a matrix transposed: it is written out."""
        within(
            of.rows * of.columns <= MOST_WRITTEN,
            f"{of.rows * of.columns} entries, and at most {MOST_WRITTEN} are transposed",
        )

        def times(x: Array) -> Array:
            return self.gf.product(of.times(np.eye(of.columns)).T, x)

        return Matrix(of.columns, of.rows, times)

    def inverse(self, of: Matrix) -> Matrix:
        """Return the inverse of a matrix: it is written out."""
        need(of.rows == of.columns, "the inverse of no square matrix")
        within(
            of.rows**2 <= MOST_INVERTED,
            f"{of.rows**2} entries, and at most {MOST_INVERTED} are inverted",
        )
        return of._replace(times=lambda x: self.gf.solve(of.times(np.eye(of.rows)), x))

    def ranged(self, text: syntax.Ranged, at: Values) -> Matrix:
        """Return a diagonal or a permutation by its digits."""
        radices = [integer(radix, at) for _, radix in text.indices]
        count = prod(radices)
        within(count <= MOST_PLACES, f"{count} places, and at most {MOST_PLACES} are read")
        places = np.indices(radices).reshape(len(radices), -1).astype(object)
        digits = dict(zip((name for name, _ in text.indices), places, strict=True))
        above, below = ratio(text.of, {**at, **digits})
        above = np.zeros(count, object) + above
        if text.name == "diag":
            return Named(self.gf, self.sign).phases(above, below)
        need(not np.any(above % below), "a place is not an integer")
        return permutation((above // below % count).astype(np.int64))
