"""Conditions on the symbols of an equation, as --where states them: what is put in, what bounds a symbol, what values fulfil them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from math import ceil, floor

from derive.syntax import (
    FormulaError,
    Name,
    NotWhole,
    Number,
    Operation,
    Sides,
    Size,
    Values,
    replaced,
    size_replaced,
    size_symbols,
    symbols,
    value,
)

Condition = tuple[Size, str, Size]
TURNED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}


def in_words(conditions: list[Condition]) -> str:
    """Return conditions as they stand behind an equation."""
    return f", where {', '.join(f'{a} {relation} {b}' for a, relation, b in conditions)}" if conditions else ""


def put_in(sides: Sides, conditions: list[Condition]) -> tuple[Sides, list[Condition], dict[str, Size]]:
    """Return an equation with N = r*s put in for N where that is a condition, the other conditions, and what was put in.

    A size that is put in has no symbol that is itself put in. Raises FormulaError where it is no number, as 1/0, and where N does not occur.
    """
    defined: dict[str, Size] = {}
    others: list[Condition] = []
    used: set[str] = set()
    for left, relation, right in conditions:
        inner = size_symbols(right)
        if isinstance(left, Name) and relation == "=" and left.name not in used | inner | defined.keys() and not inner & defined.keys():
            _number(right)
            defined[left.name] = right
            used |= inner
        else:
            others.append((left, relation, right))
    need_symbols(defined.keys(), symbols(sides.left) | symbols(sides.right))
    others = [tuple(x if isinstance(x, str) else size_replaced(x, defined) for x in condition) for condition in others]  # type: ignore[misc]
    return Sides(replaced(sides.left, defined), replaced(sides.right, defined)), others, defined


def need_symbols(spoken_of: AbstractSet[str], names: AbstractSet[str]) -> None:
    """Raise FormulaError where conditions speak of symbols that an equation does not have."""
    if spoken_of - names:
        raise FormulaError(f"--where speaks of {', '.join(sorted(spoken_of - names))}: the symbols are {', '.join(sorted(names)) or 'none'}")


def _number(size: Size) -> None:
    """Raise FormulaError where a size without symbols has no value."""
    if not size_symbols(size):
        try:
            value(size, {})
        except NotWhole as error:
            raise FormulaError(f"--where, {error}") from error


def lower(conditions: list[Condition]) -> dict[str, int]:
    """Return the bounds from below that conditions put on single symbols; the others only restrict what is tried.

    >>> from derive.parse import parse_relations
    >>> lower(parse_relations("n >= 1, 3 < m, m >= n"))
    {'n': 1, 'm': 4}
    """
    found: dict[str, int] = {}
    for a, sign, b in _both_ways(conditions):
        if isinstance(a, Name) and sign in (">=", ">") and not size_symbols(b):
            bound = value(b, {})
            found[a.name] = max(found.get(a.name, 0), ceil(bound) if sign == ">=" else floor(bound) + 1)
    return found


def upper(conditions: list[Condition]) -> dict[str, int]:
    """Return the bounds from above that conditions put on single symbols.

    >>> from derive.parse import parse_relations
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
    """Return the symbols that conditions bound from below by others, n >= m or n >= m + 1, those first that bound others."""
    found: dict[str, Size] = {}
    for a, sign, b in _both_ways(conditions):
        if isinstance(a, Name) and sign in (">=", ">") and size_symbols(b):
            found.setdefault(a.name, b if sign == ">=" else Operation("+", b, Number(1)))
    ordered: dict[str, Size] = {}
    while found:
        name = next((name for name, bound in found.items() if not size_symbols(bound) & found.keys()), None)
        if name is None:
            return ordered
        ordered[name] = found.pop(name)
    return ordered


def least(conditions: list[Condition]) -> dict[str, int]:
    """Return from where on values of symbols are tried: n from 8 on where n >= m and m >= 8.

    >>> from derive.parse import parse_relations
    >>> least(parse_relations("n > m, m >= 8"))
    {'m': 8, 'n': 9}
    """
    found = lower(conditions)
    for name, bound in above(conditions).items():
        try:
            found[name] = max(found.get(name, 0), ceil(value(bound, {one: found.get(one, 0) for one in size_symbols(bound)})))
        except NotWhole:
            continue
    return found


def fulfilled(conditions: list[Condition], at: Values) -> bool:
    """Return whether values fulfil conditions; raise NotWhole where a condition has no value there."""
    for left, relation, right in conditions:
        a, b = value(left, at), value(right, at)
        if not {"=": a == b, ">=": a >= b, ">": a > b, "<=": a <= b, "<": a < b}[relation]:
            return False
    return True


def _both_ways(conditions: list[Condition]) -> list[Condition]:
    return [one for a, sign, b in conditions for one in ((a, sign, b), (b, TURNED.get(sign, ""), a))]
