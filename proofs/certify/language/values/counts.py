"""Numbers that a program counts with: in attributes of plans and in names of the module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from proofs.certify.language.values.classes import Class, Object
from proofs.certify.language.values.opaque import Opaque

COUNT = "a count of transforms"
KEPT = 2**14
"""So many numbers are kept as they were made, which are compared more quickly."""
COUNTING = frozenset((int, float, Opaque))
NAMED = (Object, Class, dict)
"""Types of values that hold others by name."""
Slot = tuple[int, Any]
"""Where a number is: the id of a dictionary, and a key."""


@dataclass(frozen=True)
class Number:
    """A number in a dictionary, or what is opaque there, as forms have it."""

    kind: type
    text: str
    slot: Slot = field(compare=False)


def masked(form: tuple[Any, ...], opened: dict[Slot, str]) -> tuple[Any, ...]:
    """Return a form as it is when these numbers are opaque, with what is told of each."""
    return tuple(
        replace(entry, kind=Opaque, text=opened[entry.slot])
        if isinstance(entry, Number) and entry.slot in opened
        else entry
        for entry in form
    )


def in_slot(values: dict[Any, Any], key: Any, value: Any) -> Any:
    """Return a value of a dictionary, with where it is if it may become opaque."""
    if type(value) not in COUNTING or (type(value) is float and value != value):
        return value
    slot = id(values), key
    if isinstance(value, Opaque):
        return Number(Opaque, value.told, slot)
    return _number(value, hex(value) if type(value) is int else repr(value), slot)


@lru_cache(KEPT)
def _number(value: int | float, text: str, slot: Slot) -> Number:
    return Number(type(value), text, slot)


class Counts:
    """The numbers in attributes of plans and in names of the module.

    One that is another after each of several transforms counts them. From then on it is opaque: it
    may be counted further, and what depends on it is undecided.
    """

    def __init__(self) -> None:
        self.values: dict[Slot, list[Any]] = {}
        self.holders: dict[int, Any] = {}

    def opened(self, roots: list[Any]) -> dict[Slot, str]:
        """Note all numbers; return where those are that have become opaque, and what is told of
        each.
        """
        opened = dict[Slot, str]()
        for names, key, value in list(_numbers(roots)):
            self.holders[id(names)] = names
            before = self.values.setdefault((id(names), key), [])
            if value in before:
                continue
            if len(before) > 1:
                kinds = {type(each) for each in (*before, value)}
                names[key] = Opaque(COUNT, type(value) if len(kinds) == 1 else None)
                opened[id(names), key] = names[key].told
            before.append(value)
        return opened


def _numbers(roots: list[Any]) -> Iterator[tuple[dict[Any, Any], Any, Any]]:
    """Yield numbers in dictionaries and attributes, each with where it is."""
    left, met = list(roots), set[int]()
    while left:
        thing = left.pop()
        names = thing.names if isinstance(thing, Object | Class) else thing
        if id(names) in met or not isinstance(names, dict):
            continue
        met.add(id(names))
        for key, value in names.items():
            if type(value) in (int, float):
                yield names, key, value
        left += [value for value in names.values() if isinstance(value, NAMED)]
