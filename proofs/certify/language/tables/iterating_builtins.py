"""The builtins of Python that go through values: sum, min, sorted, zip, map and others."""

from __future__ import annotations

import ast
import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from proofs.certify.language.rules.calls import call
from proofs.certify.language.table_entries import Undecided, not_followed
from proofs.certify.language.values.function_values import Raised, State
from proofs.certify.language.values.iteration import iterated, listed
from proofs.certify.language.values.nested_sizes import go_through
from proofs.certify.language.values.operators import BINARY, SCALARS, counted, operate, truth


def caller(state: State, function: Any) -> Callable[..., Any]:
    """Return a function of Python's that calls a value of the program."""
    return lambda *given, **named: call(state, function, given, named, state.line)


def total(state: State, values: Any, start: Any = 0) -> Any:
    """Return sum(values, start)."""
    found = listed(state, values, state.line)
    if any(type(each) in ROUNDED for each in found):
        first = [*itertools.takewhile(lambda each: type(each) in SCALARS, (start, *found))]
        if first and not _same_bits(functools.reduce(operator.add, first), compensated(first)):
            raise Undecided(OTHER_SUM)
    if isinstance(start, str) or ADDED.issuperset(map(type, (start, *found))):
        return counted(state, sum(found, start))
    for each in found:
        start = operate(state, BINARY[ast.Add], start, each, state.line)
    return start


ROUNDED = (float, complex)
OTHER_SUM = (
    "a sum of floats that Python 3.12 and later ones round in another way; use math.fsum, or add"
    " in a loop"
)


def compensated(numbers: Sequence[complex]) -> complex:
    """Return the sum of numbers as Python 3.12 has it of floats, and 3.14 of complex numbers: with
    the rounding errors of the additions of floats, which Neumaier's algorithm adds at the end.

    >>> compensated([0, *[0.1] * 10]), compensated([1, 2])
    (1.0, 3)
    """
    total, parts = numbers[0], [0.0, 0.0]
    for each in numbers[1:]:
        if type(total) in ROUNDED and type(each) in ROUNDED:
            for i, (a, b) in enumerate(((total.real, each.real), (total.imag, each.imag))):
                more, less = (a, b) if abs(a) >= abs(b) else (b, a)
                parts[i] += (more - (a + b)) + less
        total = total + each
    kept = [part if math.isfinite(part) else 0.0 for part in parts]
    if type(total) is complex:
        return complex(total.real + kept[0], total.imag + kept[1])
    return total + kept[0] if type(total) is float else total


def _same_bits(one: complex, other: complex) -> bool:
    """Return whether two numbers are equal, with their signs; any NaN is as good as another."""
    return repr(one) == repr(other)


ADDED = SCALARS | {np.float64, np.complex128, np.int64}
"""Types of numbers that are added at once."""


def extreme(which: Callable[..., Any]) -> Callable[..., Any]:
    """Return `min` or `max` of the values of one argument, or of several arguments."""

    def found(state: State, *given: Any, key: Any = None, **named: Any) -> Any:
        values = listed(state, given[0], state.line) if len(given) == 1 else list(given)
        if state.library.holds_data(values) and key is None:
            raise not_followed(which.__name__)
        named["key"] = _compared(state, which.__name__, values, key, 1)
        return which(values, **named) if len(given) == 1 else which(*values, **named)

    return found


def in_order(state: State, values: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """Return sorted(values, key=.., reverse=..)."""
    found = listed(state, values, state.line)
    if state.library.holds_data(found) and key is None:
        raise not_followed("sorted")
    often = len(found).bit_length()
    return sorted(found, key=_compared(state, "sorted", found, key, often), reverse=reverse)


def _compared(state: State, name: str, values: list[Any], key: Any, often: int) -> Any:
    """Return a key for comparisons, each of its values so often at most, that counts them."""
    if key is None:
        go_through(state.limits, name, *[values] * often)
        return None
    function = caller(state, key)

    def counted_key(value: Any) -> Any:
        found = function(value)
        state.limits.spend(1)
        go_through(state.limits, name, *[found] * often)
        return found

    return counted_key


def quantified(which: Callable[..., bool]) -> Callable[..., bool]:
    """Return `any` or `all`."""
    return lambda state, values: which(
        truth(state, each, state.line) for each in _each(state, values)
    )


def _each(state: State, values: Any) -> Any:
    limits = state.limits
    for each in iterated(state, values, state.line):
        limits.spend(1)
        yield each


def zipped(state: State, *given: Any, strict: Any = False) -> Any:
    """Return zip(..) of values that a program may iterate."""
    return zip(*[iterated(state, each, state.line) for each in given], strict=strict)


def enumerated(state: State, iterable: Any, start: Any = 0) -> Any:
    """Return enumerate(..) of values that a program may iterate."""
    return enumerate(iterated(state, iterable, state.line), start)


def in_reverse(_: State, values: Any) -> Any:
    """Return reversed(..)."""
    if isinstance(values, list | tuple | range | str | dict | np.ndarray):
        return reversed(values)
    raise Undecided(f"reversed of {type(values).__name__}")


def mapped(state: State, function: Any, *values: Any) -> Any:
    """Return map(function, ..)."""
    run, limits = caller(state, function), state.limits

    def found(*given: Any) -> Any:
        limits.spend(1)
        return run(*given)

    return map(found, *[iterated(state, each, state.line) for each in values])


def filtered(state: State, function: Any, values: Any) -> Any:
    """Return filter(function, values)."""
    given = iterated(state, values, state.line)
    test = None if function is None else caller(state, function)

    def decides(each: Any) -> bool:
        state.limits.spend(1)
        found = each if test is None else test(each)
        return found if found is True or found is False else truth(state, found, state.line)

    return filter(decides, given)


def following(state: State, values: Any, *default: Any) -> Any:
    """Return next(values)."""
    if not hasattr(values, "__next__"):
        raise Raised(TypeError(f"{type(values).__name__!r} object is not an iterator"))
    try:
        return next(values, *default)
    except StopIteration:
        raise Raised(StopIteration()) from None
