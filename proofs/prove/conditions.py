"""Conditions on the symbols of an equation, as they are stated: what is put in, what bounds a
symbol, what values fulfil them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from fractions import Fraction
from math import ceil, floor

from derive.call_arguments import named
from derive.text.expressions import (
    FormulaError,
    Name,
    NotWhole,
    Number,
    Operation,
    Size,
    Values,
    size_replaced,
    size_symbols,
    value,
)
from derive.text.sorts import (
    naturals_and_reals,
    naturals_behind,
    need_in_range,
    need_symbols,
    of_single_symbols,
    rationals,
)
from derive.text.syntax import Sides, replaced

Condition = tuple[Size, str, Size]
TURNED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}


def in_words(conditions: list[Condition], implied: Sequence[str] = ()) -> str:
    """Return conditions as they stand behind an equation, after them those that whole sizes imply.

    >>> in_words([], ["r divides N"])
    ', where r divides N'
    """
    found = [*(f"{a} {relation} {b}" for a, relation, b in conditions), *implied]
    return f", where {', '.join(found)}" if found else ""


def put_in(
    sides: Sides, conditions: list[Condition]
) -> tuple[Sides, list[Condition], dict[str, Size]]:
    """Return an equation with r*s put in for N where N = r*s is a condition, the other conditions,
    and what was put in.

    So it is with r*s = N and N/r = s. A size that is put in has no symbol that is itself put in;
    where an exponent is m - 1, m >= 1 is a condition, too, and where a size is an exponent n, n >=
    1. Raises FormulaError where it is no
    number, as 1/0, where N does not occur, and for a condition that goes below what a symbol may
    be.

    >>> from derive.text.parse import parse, parse_relations
    >>> print(put_in(parse("F(N) = F(N)"), parse_relations("r*s = N, r = 2*q"))[0])
    F(2*q*s) = F(2*q*s)
    """
    spoken_of = sides.symbols
    stated, defined, others = _definitions(conditions, spoken_of, naturals_and_reals(sides)[1])
    need_symbols(defined.keys(), spoken_of.union(*map(size_symbols, stated.values())))
    found = Sides(replaced(sides.left, defined), replaced(sides.right, defined))
    others = [
        (size_replaced(a, defined), relation, size_replaced(b, defined))
        for a, relation, b in others
    ]
    naturals, reals = (
        one | other
        for one, other in zip(naturals_and_reals(sides), naturals_and_reals(found), strict=True)
    )
    naturals = naturals_behind(naturals, stated)
    reals |= rationals(sides, conditions)
    _need_in_range([*conditions, *others], naturals, reals - naturals)
    sizes = spoken_of - naturals_and_reals(sides)[0] - reals
    low = naturals | reals
    least = [
        _at_least(size, 0 if name in naturals - sizes else 1, low, reals)
        for name, size in defined.items()
        if name not in reals
    ]
    least += [(Name(name), ">=", Number(1)) for name in sorted(sizes & naturals - defined.keys())]
    return found, [*others, *filter(None, least)], defined


def _definitions(
    conditions: list[Condition], spoken_of: AbstractSet[str], reals: AbstractSet[str]
) -> tuple[dict[str, Size], dict[str, Size], list[Condition]]:
    """Return what conditions define symbols by, as it is stated and with all definitions put in,
    and the conditions that define none.
    """
    stated: dict[str, Size] = {}
    defined: dict[str, Size] = {}
    others: list[Condition] = []
    for left, relation, right in conditions:
        alone = next(_alone(left, right, spoken_of, reals), None) if relation == "=" else None
        inner = size_replaced(alone[1], defined) if alone else left
        if alone is None or alone[0] in defined or alone[0] in size_symbols(inner):
            others.append((left, relation, right))
            continue
        _number(inner)
        spoken_of, stated[alone[0]] = spoken_of | size_symbols(alone[1]), alone[1]
        defined = {
            name: size_replaced(size, {alone[0]: inner}) for name, size in defined.items()
        } | {alone[0]: inner}
    return stated, defined, others


def _alone(
    left: Size, right: Size, names: AbstractSet[str], reals: AbstractSet[str]
) -> Iterator[tuple[str, Size]]:
    """Yield what an equation says of one symbol, N = r*s of r*s = N and of N/r = s, symbols of the
    formula before others, and those of phases alone first.
    """
    found = [*of_single_symbols(left, right)]
    yield from (pair for of in (reals, names) for pair in found if pair[0] in of)
    yield from found


def _has_difference(size: Size) -> bool:
    return isinstance(size, Operation) and (
        size.sign == "-" or _has_difference(size.left) or _has_difference(size.right)
    )


def _falls(size: Size) -> bool:
    """Return whether a symbol is taken away in a size, or divides it."""
    return isinstance(size, Operation) and (
        (size.sign in "-/" and bool(size_symbols(size.right)))
        or _falls(size.left)
        or _falls(size.right)
    )


def _positive(size: Size, low: AbstractSet[str]) -> bool:
    """Return whether a size without differences is above 0; symbols in `low` may be 0."""
    match size:
        case Operation("+", left, right):
            return _positive(left, low) or _positive(right, low)
        case Operation("^", left, _):
            return _positive(left, low)
        case Operation(_, left, right):
            return _positive(left, low) and _positive(right, low)
        case Name(name):
            return name not in low
    return size != Number(0)


def _at_least(
    size: Size, least: int, low: AbstractSet[str], reals: AbstractSet[str]
) -> Condition | None:
    """Return the condition that a size is at least 0 or 1, m - 1 >= 0 as m >= 1; None where it
    always is. Symbols in `low` may be 0, those in `reals` less.
    """
    above = not (_has_difference(size) or size_symbols(size) & reals)
    if above and (least == 0 or _positive(size, low)):
        return None
    return (
        (size.left, ">=", size.right)
        if least == 0 and isinstance(size, Operation) and size.sign == "-"
        else (size, ">=", Number(least))
    )


def _need_in_range(
    conditions: list[Condition], naturals: AbstractSet[str], reals: AbstractSet[str]
) -> None:
    """Raise FormulaError where a condition goes below what a symbol may be: n >= -1, r = 1/2."""
    for a, sign, b in _both_ways(conditions):
        if isinstance(a, Name) and sign in (">=", ">", "=") and not size_symbols(b):
            bound = value(b, {})
            at_least = bound if sign == "=" else ceil(bound) if sign == ">=" else floor(bound) + 1
            need_in_range(a.name, at_least, naturals, reals, f"{named('where')} {a} {sign} {b}")


def _number(size: Size) -> None:
    """Raise FormulaError where a size without symbols has no value."""
    if not size_symbols(size):
        try:
            value(size, {})
        except NotWhole as error:
            raise FormulaError(f"{named('where')}, {error}") from error


def lower(conditions: list[Condition]) -> dict[str, int]:
    """Return the bounds from below that conditions put on single symbols; the others only restrict
    what is tried.

    >>> from derive.text.parse import parse_relations
    >>> lower(parse_relations("n >= 1, 3 < m, m >= n"))
    {'n': 1, 'm': 4}
    """
    found: dict[str, int] = {}
    for a, sign, b in _both_ways(conditions):
        if isinstance(a, Name) and sign in (">=", ">") and not size_symbols(b):
            bound = value(b, {})
            found[a.name] = max(
                found.get(a.name, 0), ceil(bound) if sign == ">=" else floor(bound) + 1
            )
    return found


def upper(conditions: list[Condition]) -> dict[str, int]:
    """Return the bounds from above that conditions put on single symbols.

    >>> from derive.text.parse import parse_relations
    >>> upper(parse_relations("n <= 2, 3 > m, m >= n"))
    {'n': 2, 'm': 2}
    """
    found: dict[str, int] = {}
    for a, sign, b in _both_ways(conditions):
        if isinstance(a, Name) and sign in ("<=", "<") and not size_symbols(b):
            bound = value(b, {})
            last = floor(bound) if sign == "<=" else ceil(bound) - 1
            found[a.name] = min(found.get(a.name, last), last)
    return found


def above(conditions: list[Condition]) -> dict[str, Size]:
    """Return the symbols that conditions bound from below by others, n >= m or n >= m + 1, those
    first that bound others.
    """
    found: dict[str, Size] = {}
    for a, sign, b in _both_ways(conditions):
        if isinstance(a, Name) and sign in (">=", ">") and size_symbols(b):
            found.setdefault(a.name, b if sign == ">=" else Operation("+", b, Number(1)))
    ordered: dict[str, Size] = {}
    while found:
        name = next(
            (name for name, bound in found.items() if not size_symbols(bound) & found.keys()), None
        )
        if name is None:
            return ordered
        ordered[name] = found.pop(name)
    return ordered


def least(conditions: list[Condition]) -> dict[str, int]:
    """Return from where on values of symbols are tried: n from 8 on where n >= m and m >= 8. A
    bound that falls where a symbol grows, as 5 - m and 10/m, counts for nothing.

    >>> from derive.text.parse import parse_relations
    >>> least(parse_relations("n > m, m >= 8"))
    {'m': 8, 'n': 9}
    """
    found = lower(conditions)
    for name, bound in above(conditions).items():
        if _falls(bound):
            continue
        try:
            found[name] = max(
                found.get(name, 0),
                ceil(value(bound, {one: found.get(one, 0) for one in size_symbols(bound)})),
            )
        except NotWhole:
            continue
    return found


def at_bounds(name: str, conditions: list[Condition]) -> list[Fraction]:
    """Return the values at which the sides of a condition on one symbol alone are equal, and those
    next to them.

    >>> from derive.text.parse import parse_relations
    >>> [str(x) for x in at_bounds("a", parse_relations("2*a = 3"))]
    ['3/2', '1', '2', '5/4', '7/4']
    """
    found = list[Fraction]()
    for a, _, b in conditions:
        if size_symbols(a) | size_symbols(b) == {name}:
            with suppress(FormulaError):
                zero, one = (value(a, {name: x}) - value(b, {name: x}) for x in (0, 1))
                if zero != one:
                    at = zero / (zero - one)
                    steps = (Fraction(n, 4) for n in (0, -2, 2, -1, 1))
                    found += [at + step for step in steps]
    return found


def far(condition: Condition) -> bool:
    """Return whether a condition keeps sizes above a number that is larger than 1.

    >>> from derive.text.parse import parse_relations
    >>> [far(one) for one in parse_relations("n >= 40, n >= 1, n <= 50, n >= m, 6 < r*s")]
    [True, False, False, False, True]
    """
    return any(
        sign in (">=", ">") and size_symbols(a) and not size_symbols(b) and value(b, {}) > 1
        for a, sign, b in _both_ways([condition])
    )


def not_put_in(conditions: list[Condition]) -> str:
    """Return the equations among conditions that were not put in, in words: they restrict what is
    compared, and no proof uses them.
    """
    left_over = [f"{a} = {b}" for a, sign, b in conditions if sign == "="]
    return (
        f"; {', '.join(left_over)} restricts what is compared, and no proof uses it"
        if left_over
        else ""
    )


def fulfilled(conditions: list[Condition], at: Values) -> bool:
    """Return whether values fulfil conditions; raise NotWhole where a condition has no value
    there.
    """
    for left, relation, right in conditions:
        a, b = value(left, at), value(right, at)
        if not {"=": a == b, ">=": a >= b, ">": a > b, "<=": a <= b, "<": a < b}[relation]:
            return False
    return True


def _both_ways(conditions: list[Condition]) -> list[Condition]:
    return [
        one for a, sign, b in conditions for one in ((a, sign, b), (b, TURNED.get(sign, sign), a))
    ]
