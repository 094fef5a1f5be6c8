"""The sorts of the symbols of an equation, by where they occur: an exponent or a bound of a prod,
an alpha, or a size.

A symbol in an exponent or in the bounds of a prod is a natural number, 0, 1, 2, ...; one that
stands in alphas only is a rational number; any other is a size, 1, 2, 3, ... So it is in check,
prove and generate: values and conditions below that are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

from derive.call_arguments import named, perhaps
from derive.formula.named_matrices import parameters
from derive.text.definitions import again_in
from derive.text.expressions import (
    FormulaError,
    Name,
    Operation,
    Size,
    Values,
    need_products,
    size_symbols,
)
from derive.text.syntax import (
    Defined,
    Definition,
    DirectSum,
    Leaf,
    Ordered,
    Power,
    Ranged,
    Scaled,
    Sides,
    Text,
    Variable,
    sizes_of,
)


def naturals_and_reals(sides: Sides) -> tuple[set[str], set[str]]:
    """Return the symbols that are exponents or bounds of a prod, and those that stand in an alpha
    only.

    >>> from derive.text.parse import parse
    >>> naturals_and_reals(parse("B(2^n, a) = I(r*s)"))
    ({'n'}, {'a'})
    """
    found = _by_sort(sides.left)
    for sort, names in _by_sort(sides.right).items():
        found[sort] |= names
    return found["natural"], found["real"] - found["natural"] - found["size"]


def sizes_and_naturals(sides: Sides) -> set[str]:
    """Return the symbols of an equation that are integers: all but those in alphas only."""
    return sides.symbols - naturals_and_reals(sides)[1]


def _by_sort(text: Text) -> dict[str, set[str]]:
    """Return the symbols that stand as naturals, in alphas, and as sizes, those of indices left
    out.
    """
    found: dict[str, set[str]] = {"natural": set(), "real": set(), "size": set()}
    for size, sort in _sizes_with_sorts(text):
        _sorted(size, sort, found)
    bound = {text.index} if isinstance(text, Ordered) else set()
    for part in text.parts:
        for sort, names in _by_sort(part).items():
            found[sort] |= names - bound
    return found


def _sizes_with_sorts(part: Text) -> Iterator[tuple[Size, str]]:
    """Yield the sizes in a node itself with what their symbols are there."""
    match part:
        case Ordered(name="sum"):
            yield part.count, "size"
        case Ordered(_, first, last, _):
            yield from ((one, "natural") for one in (first, last))
        case Power(_, exponent):
            yield exponent, "natural"
        case Scaled() | Variable():
            yield from ((one, "size") for one in sizes_of(part))
        case Leaf(name, sizes):
            kinds = parameters(name, len(sizes))
            yield from ((one, kind.sort) for kind, one in zip(kinds, sizes, strict=False))
        case Ranged(name, indices, of):
            yield from ((radix, "size") for _, radix in indices)
            yield from _of_phase(of, part.bound, "real" if name == "diag" else "size")
        case Defined(definition, arguments):
            yield from zip(arguments, _sorts(definition), strict=True)


def _sorts(definition: Definition) -> list[str]:
    """Return the sorts of the parameters of a definition: natural, real or size."""
    texts = definition.body, *(base for _, base in definition.bases)
    naturals, reals = naturals_and_reals(Sides(DirectSum(texts), definition.body))
    steps = {
        name
        for call in again_in(definition.body)
        for size in call.arguments
        if isinstance(size, Operation) and size.sign == "-"
        for name in size_symbols(size)
    }
    sorts = dict.fromkeys(naturals | steps, "natural") | dict.fromkeys(reals, "real")
    return [sorts.get(name, "size") for name in definition.parameters]


def _of_phase(size: Size, digits: set[str], sort: str) -> Iterator[tuple[Size, str]]:
    """Yield the symbols of a phase, or of a target, that are no digits; what divides is a size."""
    match size:
        case Name(name) if name not in digits:
            yield size, "size" if size.declared else sort
        case Operation(sign, left, right):
            yield from _of_phase(left, digits, sort)
            yield from _of_phase(right, digits, {"^": "natural", "/": "size"}.get(sign, sort))


def _sorted(part: Size, sort: str, found: dict[str, set[str]]) -> None:
    """Add the symbols of a size to a sort, those of exponents to the naturals, and those that are
    declared to the sizes in place of the reals.
    """
    match part:
        case Name(name):
            found["size" if part.declared and sort == "real" else sort].add(name)
        case Operation(sign, left, right):
            _sorted(left, sort, found)
            _sorted(right, "natural" if sign == "^" else sort, found)


def size_names(sides: Sides) -> set[str]:
    """Return all symbols of an equation, indices of products among them."""

    def of(text: Text) -> set[str]:
        inner = {name for part in text.parts for name in of(part)}
        return {name for one in sizes_of(text) for name in size_symbols(one)} | inner

    return of(sides.left) | of(sides.right)


def indices_of_products(sides: Sides) -> set[str]:
    """Return the indices of products, which are naturals, but for those with the name of a symbol.

    >>> from derive.text.parse import parse
    >>> sorted(indices_of_products(parse("prod(k, 1, n, prod(l, 1, k, I(2))) = prod(n, 1, 2, I(2))")))
    ['k', 'l']
    """  # noqa: E501

    def of(text: Text) -> set[str]:
        inner = {name for part in text.parts for name in of(part)}
        if isinstance(text, Ordered) and text.name == "prod":
            inner.add(text.index)
        return inner

    return (of(sides.left) | of(sides.right)) - sides.symbols


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


def rationals(sides: Sides, conditions: Sequence[tuple[Size, str, Size]]) -> set[str]:
    """Return the symbols that are rational numbers: those in alphas only, and those that only
    conditions have and that define such a symbol, step by step. Divisors and
    exponents are integers.

    >>> from derive.text.parse import parse, parse_relations
    >>> sides = parse("diag(j < n, t*j) = I(n)")
    >>> sorted(rationals(sides, parse_relations("t = u, u = s/m, n = 2*q")))
    ['s', 't', 'u']
    """
    found = naturals_and_reals(sides)[1]
    equal = [pair for a, sign, b in conditions if sign == "=" for pair in of_single_symbols(a, b)]
    others = sides.symbols.union(*(_whole(size) for _, size in equal))
    for _ in equal:
        behind = {x for name, size in equal if name in found for x in size_symbols(size)}
        found = found | (behind - others)
    return found


def of_single_symbols(left: Size, right: Size) -> Iterator[tuple[str, Size]]:
    """Yield what an equation says of one symbol, N = r*s of r*s = N and of N/r = s."""
    both = (left, right), (right, left)
    yield from ((one.name, other) for one, other in both if isinstance(one, Name))
    for one, other in both:
        if isinstance(one, Operation) and one.sign == "/" and isinstance(one.left, Name):
            yield one.left.name, Operation("*", other, one.right, column=one.column)


def _whole(size: Size) -> set[str]:
    """Return the symbols that divide in a size, and those of exponents."""
    if not isinstance(size, Operation):
        return set()
    inner = _whole(size.left) | _whole(size.right)
    return inner | (size_symbols(size.right) if size.sign in "/^" else set())


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


def need_symbols(stated: AbstractSet[str], names: AbstractSet[str], option: str = "where") -> None:
    """Raise FormulaError where symbols that an option states are not among these.

    >>> need_symbols({"n", "zz"}, {"n"})
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: where: unknown symbol zz; the symbols of the equation are n
    """  # noqa: E501
    if others := stated - names:
        need_products(names, stated)
        near = perhaps(min(others), names)
        raise FormulaError(
            f"{named(option)}: unknown symbol{'s' * (len(others) > 1)}"
            f" {', '.join(sorted(others))}{near}; the symbols of the equation are"
            f" {', '.join(sorted(names)) or 'none'}"
        )


def need_values(sides: Sides, at: Values) -> None:
    """Raise FormulaError where a symbol of an equation has a value that is none of its sort."""
    naturals, reals = naturals_and_reals(sides)
    for name in sorted(sides.symbols & at.keys()):
        need_in_range(name, at[name], naturals, reals, f"{name} = {at[name]}")
