"""What the symbols of an equation stand for, by where they occur: an exponent or a bound of a prod,
an alpha, or a size.

A symbol in an exponent or in the bounds of a prod is a natural number, 0, 1, 2, ...; one that
stands in alphas only is a rational number; any other is a size, 1, 2, 3, ... So it is in check,
prove and generate: values and conditions below that are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction

from derive.text.definitions import again_in
from derive.text.expressions import FormulaError, Name, Operation, Size, Values, size_symbols
from derive.text.syntax import (
    Defined,
    Definition,
    Leaf,
    Ordered,
    Power,
    Scaled,
    Sides,
    Text,
    Variable,
    parts_of,
    sizes_of,
)
from derive.text.tokens import MATRICES


def naturals_and_reals(sides: Sides) -> tuple[set[str], set[str]]:
    """Return the symbols that are exponents or bounds of a prod, and those that stand in an alpha
    only.

    >>> from derive.text.parse import parse
    >>> naturals_and_reals(parse("B(2^n, a) = I(r*s)"))
    ({'n'}, {'a'})
    """
    naturals: set[str] = set()
    alphas: set[str] = set()
    others: set[str] = set()
    sorts = {"alpha?": alphas, "s of LH": naturals}

    def of_size(part: Size, into: set[str]) -> None:
        _sorted(part, into, naturals)

    def of_text(part: Text) -> None:
        if isinstance(part, Ordered):
            naturals.add(part.index)
            for bound in sizes_of(part):
                of_size(bound, naturals)
        elif isinstance(part, Power):
            of_size(part.exponent, naturals)
        elif isinstance(part, Scaled | Variable):
            for one in sizes_of(part):
                of_size(one, others)
        elif isinstance(part, Leaf):
            for letter, one in zip(MATRICES[part.name], part.sizes, strict=False):
                key = letter if letter == "alpha?" else f"{letter} of {part.name}"
                of_size(one, sorts.get(key, others))
        elif isinstance(part, Defined):
            for one, into in zip(part.arguments, _sorts(part.definition), strict=True):
                of_size(one, {"natural": naturals, "real": alphas}.get(into, others))
        for inner in parts_of(part):
            of_text(inner)

    of_text(sides.left)
    of_text(sides.right)
    return naturals, alphas - naturals - others


def _sorts(definition: Definition) -> list[str]:
    """Return the sorts of the parameters of a definition: natural, real or size."""
    texts = definition.body, (definition.base or (0, definition.body))[1]
    naturals, reals = naturals_and_reals(Sides(*texts))
    steps = {
        name
        for call in again_in(definition.body)
        for size in call.arguments
        if isinstance(size, Operation) and size.sign == "-"
        for name in size_symbols(size)
    }
    sorts = dict.fromkeys(naturals | steps, "natural") | dict.fromkeys(reals, "real")
    return [sorts.get(name, "size") for name in definition.parameters]


def _sorted(part: Size, into: set[str], naturals: set[str]) -> None:
    """Add the symbols of a size to a sort, those of exponents to the naturals."""
    match part:
        case Name(name):
            into.add(name)
        case Operation(sign, left, right):
            _sorted(left, into, naturals)
            _sorted(right, naturals if sign == "^" else into, naturals)


def size_names(sides: Sides) -> set[str]:
    """Return all symbols of an equation, indices of products among them."""

    def of(text: Text) -> set[str]:
        inner = {name for part in parts_of(text) for name in of(part)}
        return {name for one in sizes_of(text) for name in size_symbols(one)} | inner

    return of(sides.left) | of(sides.right)


def naturals_behind(naturals: AbstractSet[str], defined: Mapping[str, Size]) -> set[str]:
    """Return naturals with the symbols that they are defined by, and those in exponents of what
    other symbols are defined by.

    >>> from derive.text.parse import parse_relations
    >>> sorted(naturals_behind({"n"}, {a.name: b for a, _, b in parse_relations("n = 2*m, N = r*2^k")}))
    ['k', 'm', 'n']
    """  # noqa: E501
    found = naturals | {x for size in defined.values() for x in _exponents(size)}
    for _ in defined:
        found = found | {
            x for name, size in defined.items() if name in found for x in size_symbols(size)
        }
    return {*found}


def _exponents(size: Size) -> set[str]:
    if not isinstance(size, Operation):
        return set()
    return _exponents(size.left) | (
        size_symbols(size.right) if size.sign == "^" else _exponents(size.right)
    )


def need_in_range(
    name: str,
    at_least: Fraction | int,
    naturals: AbstractSet[str],
    reals: AbstractSet[str],
    said: str,
) -> None:
    """Raise FormulaError where a symbol is said to be, or to go down to, what is no value of its
    sort.

    >>> need_in_range("n", -1, {"n"}, set(), "n >= -1")
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: n >= -1: n is an exponent or a bound of a prod, which is an integer, at least 0
    """  # noqa: E501
    least = 0 if name in naturals else 1
    if name not in reals and (Fraction(at_least).denominator != 1 or at_least < least):
        sort = "an exponent or a bound of a prod" if name in naturals else "a size"
        raise FormulaError(f"{said}: {name} is {sort}, which is an integer, at least {least}")


def need_symbols(
    stated: AbstractSet[str], names: AbstractSet[str], option: str = "--where"
) -> None:
    """Raise FormulaError where symbols that an option states are not among these.

    >>> need_symbols({"n", "zz"}, {"n"}, "--set")
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: --set speaks of zz: the symbols are n
    """
    if others := stated - names:
        raise FormulaError(
            f"{option} speaks of {', '.join(sorted(others))}: the symbols are"
            f" {', '.join(sorted(names)) or 'none'}"
        )


def need_values(sides: Sides, at: Values) -> None:
    """Raise FormulaError where a symbol of an equation has a value that is none of its sort."""
    naturals, reals = naturals_and_reals(sides)
    for name in sorted(sides.symbols & at.keys()):
        need_in_range(name, at[name], naturals, reals, f"{name} = {at[name]}")
