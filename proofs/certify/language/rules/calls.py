"""Calls of functions, classes and methods."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from proofs.certify.language.limits import few
from proofs.certify.language.rules.access import attribute_of
from proofs.certify.language.rules.closures import EXPRESSIONS, Expression, expression, rule_of
from proofs.certify.language.rules.expression_rules import items
from proofs.certify.language.scopes import FIRST, STATE, Frame, Scope
from proofs.certify.language.table_entries import DATA, Ended, Operation, Undecided
from proofs.certify.language.tables.kinds import Numeric, Plain, WithState
from proofs.certify.language.tables.value_members import MEMBERS
from proofs.certify.language.values.classes import Class, Object, Parent
from proofs.certify.language.values.function_values import (
    Bound,
    ContextMaker,
    Function,
    Method,
    Native,
    Raised,
    State,
    accepting,
)
from proofs.certify.language.values.iteration import LAZY, listed
from proofs.certify.language.values.nested_sizes import go_through_lists
from proofs.certify.language.values.operators import ERRORS, counted, error_of

CONSTRUCTORS: dict[Any, Plain | WithState | Numeric] = {}
"""What a call of a type of Python's or numpy's does."""
ARRAY_DOT = MEMBERS[np.ndarray]["dot"]
"""The one method of ordinary arrays that takes exact ones."""
KEEPING = (list, dict)
"""Types of values whose methods take any argument."""
OF_PROGRAM = frozenset({Function, Method, Class, ContextMaker, Object})
"""Kinds of values of which the calls are the program's own."""


def call(state: State, function: Any, given: Any, named: dict[str, Any], line: int) -> Any:
    """Return what a call of any value returns."""
    kind = type(function)
    if kind in OF_PROGRAM:
        return function(*given, **named)
    try:
        if kind is Numeric or kind is Plain or kind is WithState:
            state.line = line
            if named:
                accepting(function, named)
            return function.on(state, given, named)
        if kind is Native:
            return function(*given, **named)
        if kind is Operation:
            state.line = line
            accepting(function, named)
            return counted(state, function.call(*given, **named))
        if kind is Bound:
            state.line = line
            return method_of(state, function.operation, function.owner, given, named)
        if isinstance(function, type):
            return constructed(state, function, given, named, line)
        if function is None or isinstance(function, int | float | str | tuple | list | dict):
            raise Raised(TypeError(f"{kind.__name__!r} object is not callable"))
        if callable(function) and type(function) in state.library.members:
            return function(*given, **named)
    except (*ERRORS, OSError, RuntimeError, AssertionError, Ended) as error:
        raise failed(error, line, given, named) from None
    raise Undecided(f"a call of {kind.__name__}", line)


def failed(error: Exception, line: int, given: Any, named: dict[str, Any]) -> BaseException:
    """Return how a program ends, or what it handles, when a call raises an error."""
    if isinstance(error, RecursionError):
        return Undecided("the program calls itself too deeply", line)
    if isinstance(error, NotImplementedError) and not isinstance(error, Undecided):
        return Undecided(f"{type(error).__name__}: {error}", line)
    return error_of(error, line, *given, *named.values())


def constructed(state: State, kind: type, given: Any, named: dict[str, Any], line: int) -> Any:
    """Return a value of a type of Python's or numpy's, or an exception."""
    if issubclass(kind, BaseException):
        return kind(*given, **named)
    if kind in state.library.constructors:
        state.line = line
        operation = accepting(state.library.constructors[kind], named)
        return counted(state, operation.call(*given, **named))
    if kind not in CONSTRUCTORS:
        if hasattr(kind, "_fields"):
            return kind(*given, **named)
        raise Undecided(f"a call of {kind.__name__}")
    state.line = line
    accepting(CONSTRUCTORS[kind], named)
    return CONSTRUCTORS[kind].on(state, given, named)


def method_of(
    state: State, operation: Operation, owner: Any, given: Any, named: dict[str, Any]
) -> Any:
    """Return what a method of a value returns."""
    if named:
        accepting(operation, named)
    library, kind = state.library, type(owner)
    keeps = kind in library.data or kind in library.members or isinstance(owner, KEEPING)
    if library.data and not keeps and any(map(library.holds_data, (*given, *named.values()))):
        if operation is ARRAY_DOT:
            return counted(state, library.function("dot")(owner, *given))
        raise Undecided(f"{operation.name} with {DATA}")
    if operation.lists and given and isinstance(given[0], (*LAZY, range)):
        given = (listed(state, given[0], state.line), *given[1:])
    if kind in library.data:
        go_through_lists(state.limits, operation.name, (*given, *named.values()))
    if operation.guard is not None:
        few(operation.guard(state.limits, owner, *given, **named) or 0)
    return counted(state, operation.call(owner, *given, **named))


@rule_of(EXPRESSIONS, ast.Call)
def called(node: ast.Call, scope: Scope) -> Expression:
    """Return what calls a value."""
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _base(node, scope)
    line = node.lineno
    arguments, named = _arguments(node, scope)
    if isinstance(node.func, ast.Attribute):
        return _of_member(node.func, arguments, named, line, scope)
    function = expression(node.func, scope)

    def value(frame: Frame) -> Any:
        f = function(frame)
        given = arguments(frame)
        keywords = named(frame) if named else {}
        if type(f) is Function and not f.code.generator:
            return f.code.ran(f.frame(given, keywords), 1)
        return call(frame[STATE], f, given, keywords, line)

    return _with_line(value, line)


def _with_line(value: Expression, line: int) -> Expression:
    """Return an expression; an end within it that has no line gets this one. What a kernel calls
    gives integers of the kernel.
    """

    def lined(frame: Frame) -> Any:
        try:
            found = value(frame)
            rounds = frame[STATE].rounds
            return found if rounds is None else rounds.whole(found)
        except Ended as error:
            if error.line is None:
                error.line = line
            raise

    return lined


def _of_member(
    node: ast.Attribute, arguments: Expression, named: Any, line: int, scope: Scope
) -> Expression:
    """Return what calls an attribute of a value."""
    owner, name = expression(node.value, scope), node.attr

    def value(frame: Frame) -> Any:
        holder = owner(frame)
        state = frame[STATE]
        if type(holder) is Object and name not in holder.names:
            found = holder.kind.find(name)
            if type(found) is Function:
                keywords = named(frame) if named else {}
                return found(holder, *arguments(frame), **keywords)
        f = attribute_of(state, holder, name, line)
        return call(state, f, arguments(frame), named(frame) if named else {}, line)

    return _with_line(value, line)


def _arguments(node: ast.Call, scope: Scope) -> tuple[Expression, Expression | None]:
    """Return what makes the tuple of arguments, and the dict of those with names, if any."""
    if not any(isinstance(each, ast.Starred) for each in node.args):
        parts = [expression(each, scope) for each in node.args]
        if len(parts) == 1:
            [only] = parts
            arguments: Expression = lambda frame: (only(frame),)  # noqa: E731
        else:
            arguments = lambda frame: tuple([part(frame) for part in parts])  # noqa: E731
    else:
        listed = items(node.args, scope, True)
        arguments = lambda frame: tuple(listed(frame))  # noqa: E731
    if not node.keywords:
        return arguments, None
    pairs = [(each.arg, expression(each.value, scope)) for each in node.keywords]

    def named(frame: Frame) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            new = {key: value(frame)} if key is not None else value(frame)
            if not isinstance(new, dict):
                raise Undecided("** of a value that is not a dict", node.lineno)
            if twice := found.keys() & new.keys():
                words = f"got multiple values for keyword argument {min(twice)!r}"
                raise Raised(TypeError(words), node.lineno)
            found.update(new)
        return found

    return arguments, named


def _base(node: ast.Call, scope: Scope) -> Expression:
    """Return what `super()` gives: the methods of the base class."""
    place = scope.place("__class__")
    if node.args or node.keywords or place.depth is None or scope.kind != "function":
        raise Undecided("super() with arguments, or outside of a method", node.lineno)
    line = node.lineno

    def value(frame: Frame) -> Any:
        holder = frame
        for _ in range(place.depth or 0):
            holder = holder[0]
        kind = holder[place.slot]
        if kind.remade:
            raise Undecided("super() in a dataclass with slots, which Python makes anew", line)
        return Parent(kind.base, frame[FIRST], line)

    return value
