"""What a program raises, handles and asserts, and its contexts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from proofs.certify.language.rules.closures import (
    EXPRESSIONS,
    STATEMENTS,
    Expression,
    Leave,
    Statement,
    block,
    expression,
    rule_of,
    target,
)
from proofs.certify.language.rules.names import forget, put_at
from proofs.certify.language.scopes import RESULT, STATE, Frame, Scope
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.values.classes import Object
from proofs.certify.language.values.function_values import Context, Null, Raised, State, Suppress
from proofs.certify.language.values.operators import truth


@rule_of(STATEMENTS, ast.Raise)
def raising(node: ast.Raise, scope: Scope) -> Statement:
    """Return what raises an exception, or again the one that is handled."""
    line = node.lineno
    value = expression(node.exc, scope) if node.exc else None
    cause = expression(node.cause, scope) if node.cause else None

    def run(frame: Frame) -> None:
        state = frame[STATE]
        if value is None:
            if not state.handling:
                raise Raised(RuntimeError("No active exception to reraise"), line)
            raise state.handling[-1]
        found = value(frame)
        if cause is not None:
            cause(frame)
        if isinstance(found, type) and issubclass(found, BaseException):
            found = found()
        if not isinstance(found, BaseException):
            raise Raised(TypeError("exceptions must derive from BaseException"), line)
        raise Raised(found, line)

    return run


@rule_of(STATEMENTS, ast.Assert)
def asserting(node: ast.Assert, scope: Scope) -> Statement:
    """Return what raises AssertionError unless a test holds, and notes that there is a test, as
    python -O leaves it out.
    """
    test, line = expression(node.test, scope), node.lineno
    words = expression(node.msg, scope) if node.msg else None

    def run(frame: Frame) -> None:
        frame[STATE].asked[line, "assert"] = None
        if not truth(frame[STATE], test(frame), line):
            raise Raised(AssertionError(*[words(frame)] if words else []), line)

    return run


Handler = tuple[Expression | None, Callable[[Frame, Raised], Leave | None]]


@rule_of(STATEMENTS, ast.Try)
def trying(node: ast.Try, scope: Scope) -> Statement:
    """Return what runs a block, handles what it raises, and ends with a last block."""
    guarded, rest = _handling(node, scope), block(node.finalbody, scope)
    if not node.finalbody:
        return guarded

    def run(frame: Frame) -> Leave | None:
        try:
            left = guarded(frame)
        except Raised as raised:
            frame[STATE].handling.append(raised)
            try:
                last = rest(frame)
            finally:
                frame[STATE].handling.pop()
            if last is None:
                raise
            return last
        result = frame[RESULT]
        last = rest(frame)
        if last is None:
            frame[RESULT] = result
        return left if last is None else last

    return run


def _handling(node: ast.Try, scope: Scope) -> Statement:
    body, otherwise = block(node.body, scope), block(node.orelse, scope)
    handlers = [_handler(each, scope) for each in node.handlers]
    if not handlers:
        return body

    def run(frame: Frame) -> Leave | None:
        try:
            left = body(frame)
        except Raised as raised:
            for kinds, handle in handlers:
                if kinds is None or handles(kinds(frame), raised, node.lineno):
                    return handle(frame, raised)
            raise
        return otherwise(frame) if left is None else left

    return run


def _handler(node: ast.ExceptHandler, scope: Scope) -> Handler:
    kinds = expression(node.type, scope) if node.type else None
    put = put_at(scope.place(node.name), node.name) if node.name else None
    forget_it = forget(node.name, scope, node.lineno) if node.name else None
    run = block(node.body, scope)

    def handle(frame: Frame, raised: Raised) -> Leave | None:
        handling = frame[STATE].handling
        handling.append(raised)
        if put:
            put(frame, raised.value)
        try:
            return run(frame)
        finally:
            handling.pop()
            if put and forget_it:
                put(frame, None)
                forget_it(frame)

    return kinds, handle


def handles(kinds: Any, raised: Raised, line: int) -> bool:
    """Return whether an except clause for these kinds handles what is raised."""
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise Undecided("except with a value that is not an exception class", line)
    return isinstance(raised.value, kinds)


@rule_of(EXPRESSIONS, ast.Yield)
def yielding(node: ast.Yield, scope: Scope) -> Expression:
    """Return what runs the block of `with`, in a function that is a context."""
    value, line = expression(node.value, scope) if node.value else None, node.lineno

    def run(frame: Frame) -> None:
        body, frame[RESULT] = frame[RESULT], None
        if body is None:
            raise Undecided("a context that yields twice", line)
        body(value(frame) if value else None)

    return run


@rule_of(STATEMENTS, ast.With)
def with_block(node: ast.With, scope: Scope) -> Statement:
    """Return what runs a block within contexts."""
    run = block(node.body, scope)
    for item in reversed(node.items):
        run = _within(item, run, scope)
    return run


def _within(item: ast.withitem, body: Statement, scope: Scope) -> Statement:
    manager, line = expression(item.context_expr, scope), item.context_expr.lineno
    put = target(item.optional_vars, scope) if item.optional_vars else None

    def enter(frame: Frame, value: Any) -> Leave | None:
        if put:
            put(frame, value)
        return body(frame)

    def run(frame: Frame) -> Leave | None:
        found = manager(frame)
        match found:
            case Context():
                return _in_context(found, lambda value: enter(frame, value), line)
            case Null(value):
                return enter(frame, value)
            case Suppress(kinds):
                try:
                    return enter(frame, None)
                except Raised as raised:
                    if not isinstance(raised.value, kinds):
                        raise
                return None
            case Object(kind=kind) if kind.has("__enter__") and kind.has("__exit__"):
                return _in_object(frame[STATE], found, lambda value: enter(frame, value), line)
        raise Undecided(f"with of {type(found).__name__}", line)

    return run


def _in_context(context: Context, enter: Callable[[Any], Leave | None], line: int) -> Leave | None:
    """Run a block where the function of a context yields."""
    left: list[Leave | None] = []
    done = False

    def body(value: Any) -> None:
        nonlocal done
        done = True
        left.append(enter(value))

    context.frame[RESULT] = body
    context.function.code.ran(context.frame)
    if not done:
        raise Undecided("a context that does not yield", line)
    return left[0] if left else None


def _in_object(
    state: State, found: Object, enter: Callable[[Any], Leave | None], line: int
) -> Leave | None:
    """Run a block between `__enter__` and `__exit__` of an object."""
    leave = found.read("__exit__")
    value = found.read("__enter__")()
    try:
        left = enter(value)
    except Raised as raised:
        state.handling.append(raised)
        try:
            handled = leave(type(raised.value), raised.value, None)
        finally:
            state.handling.pop()
        if not truth(state, handled, line):
            raise
        return None
    leave(None, None, None)
    return left
