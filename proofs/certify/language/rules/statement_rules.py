"""Statements: assignments, choices, loops."""

from __future__ import annotations

import ast
from typing import Any

from proofs.certify.language.limits import PIECE
from proofs.certify.language.rules.access import (
    attribute_of,
    entry_of,
    write_attribute,
    write_entry,
)
from proofs.certify.language.rules.closures import (
    STATEMENTS,
    Leave,
    Statement,
    block,
    expression,
    rule_of,
    target,
)
from proofs.certify.language.rules.names import forget
from proofs.certify.language.rules.rounds import loop_of
from proofs.certify.language.scopes import RESULT, STATE, Frame, Scope
from proofs.certify.language.table_entries import Ended, Undecided
from proofs.certify.language.values.iteration import iterated
from proofs.certify.language.values.nested_sizes import hashed
from proofs.certify.language.values.operators import BINARY, ERRORS, error_of, operate, truth

BREAK, CONTINUE, RETURN = Leave.BREAK, Leave.CONTINUE, Leave.RETURN


@rule_of(STATEMENTS, ast.Expr)
def alone(node: ast.Expr, scope: Scope) -> Statement:
    """Return what evaluates an expression."""
    value = expression(node.value, scope)

    def run(frame: Frame) -> None:
        value(frame)

    return run


@rule_of(STATEMENTS, ast.Pass, ast.Global, ast.Nonlocal)
def passing(node: ast.stmt, scope: Scope) -> Statement:
    """Return what does nothing."""
    return lambda frame: None


@rule_of(STATEMENTS, ast.Break, ast.Continue)
def leaving(node: ast.Break | ast.Continue, scope: Scope) -> Statement:
    """Return what leaves a round of a loop."""
    how = BREAK if isinstance(node, ast.Break) else CONTINUE
    return lambda frame: how


@rule_of(STATEMENTS, ast.Return)
def returning(node: ast.Return, scope: Scope) -> Statement:
    """Return what leaves a function."""
    if node.value is None:
        return lambda frame: RETURN
    value = expression(node.value, scope)

    def run(frame: Frame) -> Leave:
        frame[RESULT] = value(frame)
        return RETURN

    return run


@rule_of(STATEMENTS, ast.Assign)
def assignment(node: ast.Assign, scope: Scope) -> Statement:
    """Return what puts a value into one or more targets."""
    value = expression(node.value, scope)
    puts = [target(each, scope) for each in node.targets]
    if len(puts) == 1:
        [put] = puts

        def once(frame: Frame) -> None:
            put(frame, value(frame))

        return once

    def run(frame: Frame) -> None:
        found = value(frame)
        for put in puts:
            put(frame, found)

    return run


@rule_of(STATEMENTS, ast.AnnAssign)
def annotated(node: ast.AnnAssign, scope: Scope) -> Statement:
    """Return what puts a value into a target with a type; in a class it notes the name."""
    value = expression(node.value, scope) if node.value else None
    put = target(node.target, scope)
    is_field = (
        scope.kind == "class"
        and isinstance(node.target, ast.Name)
        and not ast.unparse(node.annotation).startswith(("ClassVar", "typing.ClassVar"))
    )
    name = node.target.id if isinstance(node.target, ast.Name) else ""

    def run(frame: Frame) -> None:
        if value is not None:
            put(frame, value(frame))
        if is_field:
            frame[RESULT].append(name)

    return run


@rule_of(STATEMENTS, ast.AugAssign)
def augmented(node: ast.AugAssign, scope: Scope) -> Statement:
    """Return what changes a target by an operator, arrays and lists in place."""
    how, line = BINARY[type(node.op)], node.lineno
    value = expression(node.value, scope)
    match node.target:
        case ast.Name(name):
            old, put = (
                expression(ast.Name(name, ast.Load(), lineno=line), scope),
                target(node.target, scope),
            )

            def run(frame: Frame) -> None:
                before = old(frame)
                put(frame, operate(frame[STATE], how, before, value(frame), line, True))

            return run
        case ast.Attribute(owner, name):
            holder = expression(owner, scope)

            def run_attribute(frame: Frame) -> None:
                state, held = frame[STATE], holder(frame)
                before = attribute_of(state, held, name, line)
                new = operate(state, how, before, value(frame), line, True)
                write_attribute(state, held, name, new, line)

            return run_attribute
        case ast.Subscript(owner, index):
            holder, at = expression(owner, scope), expression(index, scope)

            def run_entry(frame: Frame) -> None:
                state, held, place = frame[STATE], holder(frame), at(frame)
                before = entry_of(state, held, place, line)
                new = operate(state, how, before, value(frame), line, True)
                write_entry(state, held, place, new, line)

            return run_entry
    raise Undecided("an augmented assignment of another form", line)


@rule_of(STATEMENTS, ast.Delete)
def deleting(node: ast.Delete, scope: Scope) -> Statement:
    """Return what deletes names, entries and attributes."""
    parts = [_deleting(each, scope) for each in node.targets]

    def run(frame: Frame) -> None:
        for part in parts:
            part(frame)

    return run


def _deleting(node: ast.expr, scope: Scope) -> Any:
    line = node.lineno
    if isinstance(node, ast.Name):
        return forget(node.id, scope, line)
    if isinstance(node, ast.Tuple):
        parts = [_deleting(each, scope) for each in node.elts]
        return lambda frame: [part(frame) for part in parts]
    if not isinstance(node, ast.Subscript | ast.Attribute):
        raise Undecided("del of another form", line)
    holder = expression(node.value, scope)
    at = expression(node.slice, scope) if isinstance(node, ast.Subscript) else None

    def run(frame: Frame) -> None:
        held = holder(frame)
        try:
            if at is None and hasattr(held, "delete"):
                held.delete(node.attr)  # type: ignore[union-attr]
            elif at is not None and isinstance(held, list | dict):
                if isinstance(held, list):
                    frame[STATE].limits.spend(len(held) // PIECE)
                del held[hashed(at(frame))]
            else:
                raise Undecided(f"del of a part of {type(held).__name__}")
        except (*ERRORS, Ended) as error:
            raise error_of(error, line, held) from None

    return run


@rule_of(STATEMENTS, ast.If)
def condition(node: ast.If, scope: Scope) -> Statement:
    """Return what runs one of two blocks."""
    test, line = expression(node.test, scope), node.lineno
    one, other = block(node.body, scope), block(node.orelse, scope)

    def run(frame: Frame) -> Leave | None:
        found = test(frame)
        if found is not True and found is not False:
            found = truth(frame[STATE], found, line)
        return one(frame) if found else other(frame)

    return run


@rule_of(STATEMENTS, ast.While)
def while_loop(node: ast.While, scope: Scope) -> Statement:
    """Return what runs a block while a test holds."""
    test, line = expression(node.test, scope), node.lineno
    body, rest = block(node.body, scope), block(node.orelse, scope)

    def run(frame: Frame) -> Leave | None:
        state = frame[STATE]
        limits = state.limits
        while truth(state, test(frame), line):
            limits.left -= 1
            if limits.left < 0:
                limits.refill(line)
            left = body(frame)
            if left is not None and left is not CONTINUE:
                return None if left is BREAK else left
        return rest(frame)

    return run


@rule_of(STATEMENTS, ast.For)
def for_loop(node: ast.For, scope: Scope) -> Statement:
    """Return what runs a block for every value."""
    values, line = expression(node.iter, scope), node.iter.lineno
    put, body, rest = target(node.target, scope), block(node.body, scope), block(node.orelse, scope)
    loop = loop_of(node)

    def run(frame: Frame) -> Leave | None:
        state = frame[STATE]
        limits = state.limits
        given = values(frame)
        if state.rounds is not None:
            given = state.rounds.of_loop(loop, given, frame)
        for value in iterated(state, given, line):
            limits.left -= 1
            if limits.left < 0:
                limits.refill(line)
            put(frame, value)
            left = body(frame)
            if left is not None and left is not CONTINUE:
                return None if left is BREAK else left
        return rest(frame)

    return run
