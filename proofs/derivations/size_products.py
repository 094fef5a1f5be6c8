"""Sizes of formulas as products of powers, and back as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from derive.text.expressions import Number, Operation, Size, rebuilt, value
from derive.text.sorts import indices_of_products, naturals_and_reals, size_names
from derive.text.syntax import DirectSum, Leaf, Ordered, Power, Ranged, Sides, Text
from proofs.kernel.numbers import Dim, Nat, Poly, Real, nat, size
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.translator import Translator
from proofs.prove.translation.written import written

Letters = Mapping[str, Any]
"""What symbols stand for: a Dim for a size, a Nat for an exponent, a Poly for an alpha."""


def letters_of(*texts: Text, mark: str = "") -> dict[str, Any]:
    """Return what the symbols of formulas stand for: themselves, with a mark behind their names.

    >>> from derive.text.parse import parse_formula
    >>> {name: str(value) for name, value in letters_of(parse_formula("F(2^n) (x) I(r)")).items()}
    {'n': 'n', 'r': 'r'}
    """
    every = Sides(texts[0], DirectSum(texts))
    naturals, reals = naturals_and_reals(every)
    naturals |= indices_of_products(every)
    made = {True: nat, False: size}
    return {
        name: Poly.of(Real(name + mark)) if name in reals else made[name in naturals](name + mark)
        for name in sorted(size_names(every))
    }


def monomial(text: Size, letters: Letters) -> Dim:
    """Return a size as a product of powers; raise Inexpressible where it is none."""
    return Translator(dict(letters)).dim(text)


def natural(text: Size, letters: Letters) -> Nat:
    """Return a number of factors as a polynomial; raise Inexpressible where it is none."""
    return Translator(dict(letters)).nat(text)


def order_of(text: Text, letters: Letters) -> Dim:
    """Return the number of rows of a formula; raise Inexpressible where it is no product of powers.

    >>> from derive.text.parse import parse_formula
    >>> found = parse_formula("F(2) (x) T(2^n, 2) * R(2^(n+1))")
    >>> print(order_of(found, letters_of(found)))
    2^(n+1)
    """
    rows, columns = (monomial(size, letters) for size in text.shape)
    if rows != columns:
        raise Inexpressible(f"{text} is {text.size} x {text.columns}: not square")
    return rows


def in_lowest_terms(text: Text, letters: Letters) -> Text:
    """Return a formula with its sizes as products of powers, where they are.

    >>> from derive.text.parse import parse_formula
    >>> found = parse_formula("T(r*(2*s), (2*s)*1) * I(r*s/r*2*r)")
    >>> print(in_lowest_terms(found, letters_of(found)))
    T(2*r*s, 2*s) * I(2*r*s)
    """

    def size_of(one: Size) -> Size:
        try:
            return written(monomial(one, letters))
        except (Inexpressible, KeyError):
            return one

    def bound(one: Size) -> Size:
        try:
            return written(natural(one, letters))
        except (Inexpressible, KeyError):
            return one

    match text:
        case Leaf():
            return rebuilt(text, size_of, lambda part: part)
        case Ordered(index, first, last, body):
            inner = {**letters, index: nat(index)}
            of = in_lowest_terms(body, inner)
            if text.name == "sum":
                count = Operation("-", size_of(text.count), Number(1))
                return replace(text, last=count, body=of)
            return replace(text, first=bound(first), last=bound(last), body=of)
        case Power(of, exponent):
            return Power(in_lowest_terms(of, letters), bound(exponent))
    return rebuilt(text, lambda size: size, lambda part: in_lowest_terms(part, letters))


def with_numbers(text: Text) -> Text:
    """Return a formula with sums and differences of numbers worked out.

    >>> from derive.text.parse import parse_formula
    >>> print(with_numbers(parse_formula("sum(k < 5-1, diag(j < 5-1, j*k/(5-1) + 2^k/5))")))
    sum(k < 4, diag(j < 4, j*k/4+2^k/5))
    """

    def of(one: Size) -> Size:
        if not isinstance(one, Operation):
            return one
        new = replace(one, left=of(one.left), right=of(one.right))
        match new:
            case Operation("+" | "-", Number(), Number()) if (found := value(new, {})) >= 0:
                return Number(int(found))
        return new

    if isinstance(text, Ordered) and text.name == "sum":
        count = Operation("-", of(text.count), Number(1))
        return replace(text, last=count, body=with_numbers(text.body))
    if isinstance(text, Ranged):
        indices = tuple((name, of(radix)) for name, radix in text.indices)
        return replace(text, indices=indices, of=of(text.of))
    return rebuilt(text, of, with_numbers)
