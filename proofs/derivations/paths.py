"""Places in a formula: paths of numbers, counted from 1.

    place = "" the whole formula | number { "." number }      number = i | i-j, neighbours i to j of a product

In F(2) (x) I(4) * T(8, 4) the place 1 is the first factor, 1.2 the I(4) in it, 1-2 both factors. In
prod(k, 1, n, A), inv(A), transpose(A), conj(A), A^n and 2 * A the place 1 is A.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from derive.call_arguments import counted
from derive.text.expressions import rebuilt
from derive.text.syntax import Kron, Product, Text

Place = tuple[tuple[int, int], ...]
"""A path: at each node the first and the last part that are meant, from 0."""
WHOLE: Place = ()
_PLACE = re.compile(r"[1-9][0-9]*(-[1-9][0-9]*)?(\.[1-9][0-9]*(-[1-9][0-9]*)?)*")


def read_place(text: str) -> Place:
    """Return a place from its text; raise ValueError where it is none.

    >>> read_place("2-3.1")
    ((1, 2), (0, 0))
    """
    if not text:
        return WHOLE
    if not _PLACE.fullmatch(text):
        raise ValueError(f"place {text!r}: places are numbers from 1 with dots, as 2.1 or 1-2")
    ends = [[int(end) - 1 for end in number.split("-")] for number in text.split(".")]
    return tuple((found[0], found[-1]) for found in ends)


def spelled(place: Place) -> str:
    """Return a place as text.

    >>> spelled(((1, 2), (0, 0)))
    '2-3.1'
    """
    return ".".join(f"{i + 1}" if i == j else f"{i + 1}-{j + 1}" for i, j in place)


def part_at(text: Text, place: Place) -> Text:
    """Return the part of a formula at a place; raise ValueError where there is none.

    >>> from derive.text.parse import parse_formula
    >>> print(part_at(parse_formula("F(2) (x) I(4) * T(8, 4)"), read_place("1.2")))
    I(4)
    """
    for depth, (first, last) in enumerate(place):
        parts = text.parts
        fits = first <= last < len(parts) and (first == last or isinstance(text, Product | Kron))
        if not fits:
            raise ValueError(
                f"place {spelled(place)}: {text} at {spelled(place[:depth]) or 'the top'} has"
                f" {counted(len(parts), 'part')}"
            )
        text = _run(text, first, last)
    return text


def put_at(text: Text, place: Place, part: Text) -> Text:
    """Return a formula with another part at a place; products in a product are joined.

    >>> from derive.text.parse import parse_formula
    >>> print(put_at(parse_formula("I(2) * F(8)"), read_place("2"), parse_formula("R(8) * F(8)")))
    I(2) * R(8) * F(8)
    """
    if not place:
        return part
    (first, last), rest = place[0], place[1:]
    inner = put_at(part_at(text, place[:1]), rest, part)
    row = (*text.parts[:first], inner, *text.parts[last + 1 :])
    if isinstance(text, Product | Kron):
        return joined(type(text), row)
    new = iter(row)
    return rebuilt(text, lambda size: size, lambda _: next(new))


def joined(kind: type[Product | Kron], parts: tuple[Text, ...]) -> Text:
    """Return a product of parts, of which those that are such products are taken apart; the part
    itself where there is one.
    """
    found = tuple(
        one for part in parts for one in (part.parts if isinstance(part, kind) else (part,))
    )
    return found[0] if len(found) == 1 else kind(found)


def places_in(text: Text) -> Iterator[tuple[Place, Text]]:
    """Yield all places of a formula with the parts there, from the outside in; of products also
    their neighbouring factors.

    >>> from derive.text.parse import parse_formula
    >>> [spelled(place) for place, _ in places_in(parse_formula("F(2) (x) I(4) * T(8, 4) * R(8)"))]
    ['', '1', '1.1', '1.2', '2', '3', '1-2', '2-3']
    """
    yield WHOLE, text
    parts = text.parts
    for i, part in enumerate(parts):
        for place, inner in places_in(part):
            yield ((i, i), *place), inner
    if isinstance(text, Product | Kron):
        for length in range(2, len(parts)):
            for first in range(len(parts) - length + 1):
                last = first + length - 1
                yield ((first, last),), _run(text, first, last)


def _run(text: Text, first: int, last: int) -> Text:
    parts = text.parts[first : last + 1]
    return parts[0] if len(parts) == 1 else joined(type(text), parts)  # type: ignore[arg-type]
