"""Attributes and entries of values: how they are read, set and deleted."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from proofs.certify.language.limits import count, few
from proofs.certify.language.rules.closures import (
    EXPRESSIONS,
    TARGETS,
    Expression,
    Put,
    expression,
    rule_of,
)
from proofs.certify.language.scopes import STATE, Frame, Scope
from proofs.certify.language.table_entries import (
    INSTEAD,
    OTHER_ARRAY,
    Ended,
    Refuted,
    Undecided,
    kind_of,
    not_in_language,
)
from proofs.certify.language.tables.kinds import Numeric
from proofs.certify.language.values.classes import Class, Object, Parent
from proofs.certify.language.values.function_values import (
    Function,
    Namespace,
    Opaque,
    Raised,
    State,
)
from proofs.certify.language.values.iteration import listed
from proofs.certify.language.values.nested_sizes import PART, go_through_lists, hashed
from proofs.certify.language.values.operators import ERRORS, LISTED, counted, error_of


def attribute_of(state: State, value: Any, name: str, line: int) -> Any:
    """Return an attribute of any value that the language has."""
    kind = type(value)
    try:
        if kind is Object or kind is Class or kind is Parent:
            return value.read(name)
        if kind is Namespace:
            return value.names[name]
        if kind is Function and name == "__name__":
            return value.code.name
        found = state.library.attribute(value, name)
        if name in state.library.asks.get(kind, ()):
            state.asked[line, f".{name}"] = None
        return found if state.rounds is None else state.rounds.whole(found)
    except KeyError:
        raise unknown(value, name, line) from None
    except (*ERRORS, Ended) as error:
        raise error_of(error, line, value) from None


def unknown(value: Any, name: str, line: int) -> Ended:
    """Return how a program ends that reads an attribute which the language does not have."""
    if isinstance(value, Namespace):
        return Undecided(not_in_language(f"{value.name}.{name}"), line)
    if isinstance(value, Numeric):
        return Undecided(not_in_language(f"np.{value.name}.{name}"), line)
    ours = isinstance(value, BaseException)  # an error of the program, too, is one of Python's
    plain = ours or type(value).__module__ in ("builtins", "numpy")
    if plain and not name.startswith("_"):
        try:
            getattr(value, name)
        except AttributeError as error:
            return Raised(error, line)
    remedy = f"; {INSTEAD[name]}" if name in INSTEAD else ""
    return Undecided(f".{name} of {kind_of(value)} is not in the language{remedy}", line)


@rule_of(EXPRESSIONS, ast.Attribute)
def attribute(node: ast.Attribute, scope: Scope) -> Expression:
    """Return what reads an attribute."""
    value, name, line = expression(node.value, scope), node.attr, node.lineno

    def read(frame: Frame) -> Any:
        owner = value(frame)
        if type(owner) is Object:
            names = owner.names
            if name in names and name not in owner.kind.names:
                return names[name]
        return attribute_of(frame[STATE], owner, name, line)

    return read


@rule_of(TARGETS, ast.Attribute)
def set_attribute(node: ast.Attribute, scope: Scope) -> Put:
    """Return what sets an attribute."""
    value, name, line = expression(node.value, scope), node.attr, node.lineno

    def put(frame: Frame, new: Any) -> None:
        write_attribute(frame[STATE], value(frame), name, new, line)

    return put


def write_attribute(state: State, owner: Any, name: str, new: Any, line: int) -> None:
    """Set an attribute of a value."""
    try:
        if isinstance(owner, Object | Class):
            owner.write(name, new)
            return
        member = state.library.attributes(type(owner)).get(name)
        write = getattr(member, "write", None)
        if write is None:
            raise Undecided(f".{name} of {type(owner).__name__} is set")
        if type(new) in state.library.data and isinstance(owner, np.ndarray):
            raise Undecided(OTHER_ARRAY)
        write(owner, new)
    except (*ERRORS, Ended) as error:
        raise error_of(error, line, owner, new) from None


@rule_of(EXPRESSIONS, ast.Subscript)
def entry(node: ast.Subscript, scope: Scope) -> Expression:
    """Return what reads an entry, or a view of entries."""
    value, index, line = expression(node.value, scope), expression(node.slice, scope), node.lineno
    names = [each.id for each in ast.walk(node.slice) if isinstance(each, ast.Name)]
    varies = any(scope.place(name).depth is not None for name in names)

    def read(frame: Frame) -> Any:
        holder = value(frame)
        at = index(frame)
        if varies and type(holder) is tuple and (rounds := frame[STATE].rounds) is not None:
            rounds.alike(holder)
        return entry_of(frame[STATE], holder, at, line)

    return read


FLAGS = type(np.empty(0).flags)
SUBSCRIPTED = (
    list, tuple, dict, str, range, Object, np.generic, np.flatiter, int, float, complex,
    type(None), slice, Opaque,
)  # fmt: skip
"""Types of which `value[index]` is CPython's own, or its own error."""


def entry_of(state: State, holder: Any, at: Any, line: int) -> Any:
    """Return holder[at]."""
    try:
        if isinstance(holder, np.ndarray):
            _chosen(holder, at)
            go_through_lists(state.limits, "an index", at if type(at) is tuple else (at,))
            return counted(state, holder[at])
        kind = type(holder)
        if kind in state.library.data:
            go_through_lists(state.limits, "an index", at if type(at) is tuple else (at,))
        if issubclass(kind, SUBSCRIPTED) or kind in state.library.data:
            if type(at) is tuple and kind is dict:
                hashed(at)
            return counted(state, holder[at]) if type(at) is slice else holder[at]
        if kind is FLAGS and isinstance(at, str):
            return holder[at]
    except (*ERRORS, Ended) as error:
        raise _ended(state, error, line, holder, at) from None
    raise Undecided(f"an entry of {type(holder).__name__}", line)


def _chosen(holder: np.ndarray[Any, Any], at: Any) -> None:
    """Raise Undecided where an index chooses too many elements."""
    for each in at if isinstance(at, tuple) else (at,):
        if isinstance(each, np.ndarray) and each.dtype != bool and (size := each.size) > 1:
            few(size * holder.size // max(1, holder.shape[0] if holder.ndim else 1))


@rule_of(TARGETS, ast.Subscript)
def set_entry(node: ast.Subscript, scope: Scope) -> Put:
    """Return what sets an entry, or a view of entries."""
    value, index, line = expression(node.value, scope), expression(node.slice, scope), node.lineno

    def put(frame: Frame, new: Any) -> None:
        holder = value(frame)
        write_entry(frame[STATE], holder, index(frame), new, line)

    return put


def write_entry(state: State, holder: Any, at: Any, new: Any, line: int) -> None:
    """Do holder[at] = new."""
    try:
        if not isinstance(holder, list | dict | Object):
            go_through_lists(state.limits, "an assignment", (at, new))
        if isinstance(holder, np.ndarray | np.flatiter):
            if state.library.holds_data(new):
                raise Undecided(OTHER_ARRAY)
            holder[at] = new
            state.limits.spend(1 + getattr(new, "size", 1) // 32)
        elif isinstance(holder, list | dict | Object) or type(holder) in state.library.data:
            if isinstance(holder, list) and isinstance(at, slice):
                new = new if isinstance(new, LISTED) else listed(state, new, line)
                state.limits.spend(few(len(holder) + count(new)) // PART)
            holder[hashed(at) if isinstance(holder, dict) else at] = new
        elif isinstance(holder, tuple | str | range | int | float | complex | np.generic):
            kind = type(holder).__name__
            raise TypeError(f"{kind!r} object does not support item assignment")
        else:
            raise Undecided(f"an entry of {type(holder).__name__} is set")
    except (*ERRORS, Ended) as error:
        raise _ended(state, error, line, holder, at, new) from None


def _ended(state: State, error: Exception, line: int, holder: Any, *others: Any) -> Ended:
    """Return how a program ends that uses no entry of an array: a compiled kernel raises nothing
    there, which a program could handle, but uses other memory.
    """
    found = error.value if isinstance(error, Raised) else error
    is_array = isinstance(holder, np.ndarray) or type(holder) in state.library.data
    if state.rounds is not None and is_array and type(found) is IndexError:
        return Refuted("function", f"IndexError: {found}, in a kernel", line)
    return error_of(error, line, holder, *others)


@rule_of(EXPRESSIONS, ast.Slice)
def piece(node: ast.Slice, scope: Scope) -> Expression:
    """Return what makes a slice."""
    parts = (node.lower, node.upper, node.step)
    lower, upper, step = (expression(part or ast.Constant(None), scope) for part in parts)
    if all(part is None or isinstance(part, ast.Constant) for part in parts):
        fixed = slice(lower([]), upper([]), step([]))
        return lambda frame: fixed
    return lambda frame: slice(lower(frame), upper(frame), step(frame))
