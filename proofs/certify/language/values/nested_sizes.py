"""How much one operation of Python goes through: the values in lists, tuples and dicts, each as
often as it is met, the characters of strings and the words of integers.

A list of two lists that are one list takes as long to compare, to hash or to write as any other, so
parts that are shared count each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from proofs.certify.language.limits import DEEPEST, ELEMENTS, Limits, few
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.values.classes import Object

PART = 64
"""Values that an operation goes through, which count as one step."""
WORD = 64
"""Bits of an integer that count as a value."""
NESTED = (list, tuple, dict, Object)
SMALL = frozenset({float, complex, bool, type(None)})
WHOLE = 1000
"""Elements up to which numpy writes an array whole; of a larger one it writes the ends."""
ENDS = 6
WRITTEN = 1 << 12
"""Elements of an array that a text may have."""


def go_through(limits: Limits, what: str, *values: Any) -> None:
    """Count an operation that goes through these values.

    Raises:
        Undecided: if they are too many, or no steps are left.
    """
    limits.spend(few(sum(map(values_in, values)), f"values that {what} goes through") // PART)


def go_through_lists(limits: Limits, what: str, given: Iterable[Any]) -> None:
    """Count those of these values that are lists or tuples, which numpy makes arrays of."""
    for each in given:
        if isinstance(each, list | tuple):
            go_through(limits, what, each)


def values_in(value: Any, of_array: Callable[[Any], int] = np.size) -> int:
    """Return how many values, characters and words a value has.

    >>> twice = [1, 2]
    >>> values_in(7), values_in("abc"), values_in([twice, twice]), values_in((1 << 6400,))
    (1, 4, 7, 102)
    """
    return _values_in(value, of_array, {}, 0)


def values_compared(values: Sequence[Any], wanted: Any) -> int:
    """Return how many values a search for one value goes through at most.

    >>> values_compared([(1, 2), (3, 4)], 5), values_compared([(1, 2), (3, 4)], (1, 3))
    (2, 6)
    """
    most = len(values) * values_in(wanted)
    return most if most <= ELEMENTS else min(most, values_in(values))


def _values_in(value: Any, of_array: Callable[[Any], int], known: dict[int, int], deep: int) -> int:
    kind = type(value)
    if kind is int:
        return 1 + value.bit_length() // WORD
    if kind is str:
        return 1 + len(value)
    if kind is np.ndarray:
        return of_array(value)
    if not isinstance(value, NESTED):
        return 1
    key = id(value)
    if key not in known:
        if deep > DEEPEST:
            raise Undecided(f"lists, tuples or dicts that are nested more than {DEEPEST} deep")
        known[key] = ELEMENTS + 1  # of a list that has itself
        known[key] = 1 + _of_parts(_parts(value), of_array, known, deep)
    return known[key]


def _parts(value: Any) -> list[Any] | tuple[Any, ...]:
    """Return what a value has: of objects only the fields of a dataclass, which Python compares."""
    if isinstance(value, Object):
        return [value.names.get(name) for name in value.kind.fields]
    return [*value.keys(), *value.values()] if isinstance(value, dict) else value


def _of_parts(
    parts: list[Any] | tuple[Any, ...],
    of_array: Callable[[Any], int],
    known: dict[int, int],
    deep: int,
) -> int:
    kinds = set(map(type, parts)) - SMALL
    if not kinds:
        return len(parts)
    if kinds == {int} and len(parts) > PART:
        longest = max(abs(int(max(parts))), abs(int(min(parts)))).bit_length()
        if longest < WORD or len(parts) * (longest // WORD) < ELEMENTS:
            return len(parts) * (1 + longest // WORD)
    return sum([_values_in(each, of_array, known, deep + 1) for each in parts])


def hashed(key: Any) -> Any:
    """Return a key of a dict, of which the hash does not take long: of a tuple it goes through all
    values, each time.
    """
    if isinstance(key, tuple) and any(isinstance(each, NESTED) for each in key):
        few(values_in(key), "values that a hash goes through")
    return key


def text_size(array: np.ndarray[Any, Any]) -> int:
    """Return how many elements numpy writes of an array."""
    if array.size <= WHOLE:
        return array.size
    shown = 1
    for n in array.shape:
        shown *= min(n, ENDS + 1)
    if shown > WRITTEN:
        raise Undecided(f"the text of an array of shape {array.shape}")
    return shown


def short_text(value: Any) -> Any:
    """Return a value whose text is not too long.

    Raises:
        Undecided: if the text goes through too many values.
    """
    if isinstance(value, (*NESTED, np.ndarray)):
        few(values_in(value, text_size), "values in a text")
    return value
