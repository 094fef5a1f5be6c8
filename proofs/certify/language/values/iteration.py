"""What a program iterates: the values of a list, an array, a range, an object."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from types import GeneratorType
from typing import Any

import numpy as np

from proofs.certify.language.limits import count, few
from proofs.certify.language.table_entries import Ended, Undecided
from proofs.certify.language.values.classes import Object
from proofs.certify.language.values.function_values import Opaque, Raised, State
from proofs.certify.language.values.operators import ERRORS, error_of

SURE = frozenset({list, tuple, range, str})
"""Types that are iterated without an error."""
LAZY: tuple[type[Any], ...] = (
    zip, enumerate, map, filter, reversed, GeneratorType, type(iter([])), type(iter(())),
    type(iter(range(0))), type(reversed([])), type(iter({})), type(iter("")), type(iter("é")),
    type(iter(range(1 << 70))), type({}.items()), type({}.keys()), type({}.values()),
    type(iter({}.items())), type(iter({}.values())), np.flatiter, itertools.product,
    itertools.chain, itertools.accumulate, itertools.repeat, itertools.pairwise, itertools.islice,
    itertools.permutations, itertools.combinations, itertools.count, itertools.zip_longest,
)  # fmt: skip


def iterated(
    state: State, value: Any, line: int, words: str = "{!r} object is not iterable"
) -> Iterable[Any]:
    """Return the values that a value has, to be gone through once.

    `words` are CPython's of a value that has none.
    """
    kind = type(value)
    if kind in SURE:
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        return value
    if (
        isinstance(value, (*LAZY, dict, Object, Opaque, np.ndarray, *SURE))
        or kind in state.library.data
    ):
        return careful(value, line)
    if isinstance(value, int | float | complex | type(None) | np.generic | type):
        raise Raised(TypeError(words.format(type_name(kind))), line)
    raise Undecided(f"iteration over {kind.__name__}", line)


def type_name(kind: type) -> str:
    """Return the name of a type in the errors of CPython."""
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def careful(values: Iterable[Any], line: int) -> Iterator[Any]:
    """Return an iterator of values; errors of the iteration are those of the program."""
    try:
        found = iter(values)
    except (*ERRORS, Ended) as error:
        raise error_of(error, line, values) from None
    return _carefully(found, values, line)


def _carefully(found: Iterator[Any], values: Iterable[Any], line: int) -> Iterator[Any]:
    try:
        yield from found
    except (*ERRORS, Ended) as error:
        raise error_of(error, line, values) from None
    except RuntimeError as error:  # of a dict, or a part of one, that is changed meanwhile
        if " changed " not in str(error):
            raise
        raise Raised(RuntimeError(str(error)), line) from None


def listed(
    state: State, value: Any, line: int = 0, words: str = "{!r} object is not iterable"
) -> list[Any]:
    """Return the values that a value has as a list, counted; `words` are those of `iterated`."""
    try:
        few(count(value))
    except Undecided as many:
        many.line = line or None
        raise
    found: list[Any] = []
    limits = state.limits
    for each in iterated(state, value, line, words):
        limits.left -= 1
        if limits.left < 0:
            limits.refill(line)
        found.append(each)
    return found
