"""Comparisons of values, and whether a value is among others."""

from __future__ import annotations

import ast
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any

import numpy as np

from proofs.certify.language.limits import PIECE, few, length
from proofs.certify.language.rules.closures import EXPRESSIONS, Expression, expression, rule_of
from proofs.certify.language.scopes import STATE, Frame, Scope
from proofs.certify.language.table_entries import DATA, Ended, Undecided
from proofs.certify.language.values.function_values import Opaque, State
from proofs.certify.language.values.iteration import listed
from proofs.certify.language.values.nested_sizes import (
    NESTED,
    PART,
    go_through,
    hashed,
    short_text,
    values_compared,
    values_in,
)
from proofs.certify.language.values.operators import (
    COMPARISONS,
    ERRORS,
    NUMPY,
    counted,
    error_of,
    truth,
)


@rule_of(EXPRESSIONS, ast.Compare)
def comparison(node: ast.Compare, scope: Scope) -> Expression:
    """Return what compares operands, each with the next."""
    left = expression(node.left, scope)
    parts = [
        (*COMPARISONS[type(how)], expression(right, scope))
        for how, right in zip(node.ops, node.comparators, strict=True)
    ]
    line, (*first, (sign, apply, right)) = node.lineno, parts
    if not first:
        return lambda frame: compare(frame[STATE], sign, apply, left(frame), right(frame), line)

    def value(frame: Frame) -> Any:
        a = left(frame)
        for earlier, applied, operand in first:
            b = operand(frame)
            found = compare(frame[STATE], earlier, applied, a, b, line)
            if not truth(frame[STATE], found, line):
                return found
            a = b
        return compare(frame[STATE], sign, apply, a, right(frame), line)

    return value


def compare(state: State, sign: str, apply: Any, a: Any, b: Any, line: int) -> Any:
    """Return what a comparison gives."""
    if sign in ("is", "is not"):
        _are_told(a, b, line)
        return apply(a, b)
    if (state.library.holds_data(a) or state.library.holds_data(b)) and not (
        a is None or b is None
    ):
        if sign not in state.library.operators:
            raise Undecided(f"{sign} of {DATA}: what it gives is not known", line)
        try:
            return state.library.operators[sign](a, b)
        except Ended as ended:
            ended.line = ended.line or line
            raise
    try:
        if sign in ("in", "not in"):
            _count_search(state, sign, a, b, line)
        elif isinstance(a, NESTED) and isinstance(b, NESTED):
            go_through(state.limits, sign, min(a, b, key=values_in))
        elif isinstance(a, NUMPY) or isinstance(b, NUMPY):
            go_through(state.limits, sign, *(each for each in (a, b) if isinstance(each, NESTED)))
        if (rounds := state.rounds) is not None:
            a, b = rounds.operand(a, True), rounds.operand(b, True)
        return counted(state, apply(a, b))
    except (*ERRORS, Ended) as error:
        raise error_of(error, line, a, b) from None


def _count_search(state: State, sign: str, a: Any, b: Any, line: int) -> None:
    """Count a search for one value among others."""
    match b:
        case range():
            if type(a) not in (int, bool):  # of other types Python tries all
                state.limits.spend(few(length(b), f"values that {sign} goes through") // PART)
        case dict() | KeysView():
            hashed(a)
        case list() | tuple() | ValuesView() | ItemsView():
            values = b if isinstance(b, list | tuple) else listed(state, b, line)
            what = f"values that {sign} goes through"
            state.limits.spend(few(values_compared(values, a), what) // PART)
        case str():
            state.limits.spend(len(b) // PIECE)
        case np.ndarray():
            state.limits.spend(b.nbytes // PIECE)
        case Iterator():
            raise Undecided(f"{sign} of an iterator; make it a list")


BY_VALUE = frozenset((int, float, complex, str, bytes, range, tuple))
"""Types of which equal values may be one object or two."""


def _are_told(a: Any, b: Any, line: int) -> None:
    """Raise Undecided where it is not known whether two values are one object."""
    for each, other in ((a, b), (b, a)):
        if isinstance(each, Opaque) and (each.kind is None or other is not None):
            raise Undecided(each.words, line)
    if type(a) is type(b) and type(a) in BY_VALUE and _alike(a, b):
        raise Undecided(f"is between equal values of {type(a).__name__}; write ==", line)


def _alike(a: Any, b: Any) -> bool:
    """Return whether two values of one type are written alike, or are too long to tell."""
    if type(a) is int:
        return bool(a == b)
    try:
        return repr(short_text(a)) == repr(short_text(b))
    except (ValueError, Undecided):  # ValueError: an integer of too many digits
        return True
