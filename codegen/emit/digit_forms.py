"""Sums of digits as expressions of Python: where elements live, and the tables of a program by
digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import mul
from typing import Any

from codegen.emit.closed_form import Expression
from codegen.program.digits.steps import Diagonal, Field, Number, Trade
from codegen.program.reals.untangle import Opposites, Untangle
from codegen.spec import EXCHANGES
from derive.digits.layouts import ArrayLayout
from derive.digits.radices import DigitPermutation, weights

Variables = Sequence[tuple[str, int]]
"""The names of variables and how many values each has, those that count most first."""


def written(number: Number, variables: Variables) -> Expression:
    """Return a sum of digits in variables that together are a storage address.

    >>> print(written(Number((Field(6, 4, 1), Field(1, 2, 10))), [("rank", 4), ("o", 6)]))
    rank + o % 2 * 10
    """
    parts = [part for each in number.fields for part in _terms(each, variables)]
    text = " + ".join(text for _, text in parts) or "0"
    return Expression(text, names=frozenset(name for name, _ in parts))


def _terms(field: Field, variables: Variables) -> Iterator[tuple[str, str]]:
    """Yield name and text of the part of a digit that each variable has."""
    starts = [*accumulate((count for _, count in reversed(variables)), mul, initial=1)]
    for (name, count), start in zip(variables, reversed(starts[:-1]), strict=True):
        low, high = max(field.place, start), min(field.place * field.radix, start * count)
        if low < high:
            own, value = low // start, field.value * (low // field.place)
            text = f"{name} // {own}" if own > 1 else name
            text += f" % {high // low}" if high < start * count else ""
            yield name, text + (f" * {value}" if value > 1 else "")


def numbers_of(address: DigitPermutation, at: int) -> tuple[Number, Number]:
    """Return where a permutation of digits takes an index, div and mod a product of its digits.

    >>> high, low = numbers_of(DigitPermutation((5, 4), (1, 0)), 5)
    >>> high(13), low(13)
    (1, 3)
    """
    high, low = list[Field](), list[Field]()
    places, goals = weights(address.radices), weights(address.turned)
    for i, goal in sorted(zip(address.order, goals, strict=True), key=lambda each: each[0]):
        place, radix = places[i], address.radices[i]
        if goal >= at:
            high.append(Field(place, radix, goal // at))
        elif goal * radix <= at:
            low.append(Field(place, radix, goal))
        else:
            inside = at // goal
            high.append(Field(place * inside, radix // inside, 1))
            low.append(Field(place, inside, goal))
    return Number(tuple(high)), Number(tuple(low))


def view(
    how: Diagonal | Number | Trade | Opposites, P: int, M: int, exchange: str = EXCHANGES[0]
) -> tuple[dict[str, Any], list[Expression]]:
    """Return what the template prints of a table, and the expressions in it."""
    match how:
        case Diagonal():
            return _twiddle(how, P, M)
        case Opposites():
            each, order = M // how.arrays, P * how.M // how.arrays
            m = Number((Field(each, P, 1), Field(1, each, P)))
            power = written(m, [("rank", P), ("o", each)])
            found = {"power": power, "order": order, "first": 0, "needs": ("root_of_unity",)}
            found |= {"entries": each} if how.arrays > 1 else {}
            return found | ({"words": "weights"} if isinstance(how, Untangle) else {}), [power]
        case Number():
            color = written(how, [("rank", P)])
            return {"color": color}, [color]
        case Trade():
            variables = [("rank", P), ("b", how.messages)]
            to, come_from = (_each_b(written(n, variables)) for n in (how.target, how.sender))
            by_counts = P <= how.pack.size and exchange == EXCHANGES[0]
            needs = {"needs": ("parts",) if by_counts else (), "come_from": come_from}
            found = {"rounds": how.messages, "by_counts": by_counts, "to": to, **needs}
            if exchange != "pairwise":
                return found, [to, come_from]
            ends = [written(n, [("rank", P)]) for n in (how.position, how.arrival)]
            return found | {"first": ends[0], "last": ends[1]}, [to, come_from, *ends]


def _each_b(found: Expression) -> Expression:
    return found if found.uses("b") else Expression(f"b * 0 + {found}", names=found.names)


def _twiddle(how: Diagonal, P: int, M: int) -> tuple[dict[str, Any], list[Expression]]:
    """Return the power of a root of unity at an offset."""
    texts, expressions, largest = list[str](), list[Expression](), 0
    for i, j, scale in how.terms:
        parts = [written(part, [("rank", P), ("o", M)]) for part in (i, j)]
        texts.append(" * ".join([each.factor for each in parts] + [f"{scale}"] * (scale > 1)))
        expressions += parts
        largest += i.largest * j.largest * scale
    text = " + ".join(texts)
    whole = f"({text})" if len(texts) > 1 else text
    power = text if largest < how.order else f"{whole} % {how.order}"
    return {
        "needs": ("root_of_unity",),
        "power": power if any(each.uses("o") for each in expressions) else f"o * 0 + {power}",
        "order": how.order,
        "first": 0,
    }, expressions


def places(layout: ArrayLayout, j: str) -> tuple[Expression, Expression, Expression]:
    """Return the rank and the offset of element j, and which element lies at rank and offset."""
    rank, offset = numbers_of(layout.address, layout.M)
    index = numbers_of(layout.back, 1)[0]
    return (
        written(rank, [(j, layout.N)]),
        written(offset, [(j, layout.N)]),
        written(index, [("rank", layout.P), ("o", layout.M)]),
    )
