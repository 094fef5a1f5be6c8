"""Expressions: operators, literals, comparisons, f-strings."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from proofs.certify.language.limits import BITS, PIECE, few
from proofs.certify.language.rules.closures import EXPRESSIONS, Expression, expression, rule_of
from proofs.certify.language.scopes import STATE, Frame, Scope
from proofs.certify.language.table_entries import Ended, Undecided, kind_of, not_followed
from proofs.certify.language.tables.value_members import format_is_short
from proofs.certify.language.values.function_values import Opaque, Raised
from proofs.certify.language.values.iteration import listed
from proofs.certify.language.values.nested_sizes import hashed, short_text
from proofs.certify.language.values.operators import (
    BINARY,
    ERRORS,
    IS_ORDINARY,
    SCALARS,
    TOO_MANY_BITS,
    UNARY,
    counted,
    error_of,
    operate,
    truth,
)


@rule_of(EXPRESSIONS, ast.Constant)
def constant(node: ast.Constant, scope: Scope) -> Expression:
    """Return what gives a constant."""
    value = node.value
    return lambda frame: value


@rule_of(EXPRESSIONS, ast.BinOp)
def binary(node: ast.BinOp, scope: Scope) -> Expression:
    """Return what applies an operator."""
    left, right = expression(node.left, scope), expression(node.right, scope)
    how, line = BINARY[type(node.op)], node.lineno
    apply = how.of_numbers

    def value(frame: Frame) -> Any:
        a = left(frame)
        b = right(frame)
        if type(a) in SCALARS and type(b) in SCALARS and frame[STATE].rounds is None:
            try:
                found = apply(a, b)
            except (*ERRORS, Ended) as error:
                raise error_of(error, line) from None
            if type(found) is int and found.bit_length() > BITS:
                raise Undecided(TOO_MANY_BITS, line)
            return found
        return operate(frame[STATE], how, a, b, line)

    return value


@rule_of(EXPRESSIONS, ast.UnaryOp)
def unary(node: ast.UnaryOp, scope: Scope) -> Expression:
    """Return what applies an operator of one operand."""
    operand, line = expression(node.operand, scope), node.lineno
    if isinstance(node.op, ast.Not):
        return lambda frame: not truth(frame[STATE], operand(frame), line)
    sign, apply = UNARY[type(node.op)]

    def value(frame: Frame) -> Any:
        a = operand(frame)
        state = frame[STATE]
        try:
            if type(a) in state.library.data:
                if sign not in state.library.operators:
                    raise not_followed(sign)
                return counted(state, state.library.operators[sign](a))
            return counted(state, apply(a if state.rounds is None else state.rounds.operand(a)))
        except (*ERRORS, Ended) as error:
            raise error_of(error, line, a) from None

    return value


@rule_of(EXPRESSIONS, ast.BoolOp)
def boolean(node: ast.BoolOp, scope: Scope) -> Expression:
    """Return what gives the first operand that decides."""
    parts = [expression(value, scope) for value in node.values]
    decides, line = isinstance(node.op, ast.Or), node.lineno
    first, last = parts[:-1], parts[-1]

    def value(frame: Frame) -> Any:
        for part in first:
            found = part(frame)
            if truth(frame[STATE], found, line) == decides:
                return found
        return last(frame)

    return value


@rule_of(EXPRESSIONS, ast.IfExp)
def choice(node: ast.IfExp, scope: Scope) -> Expression:
    """Return what gives one of two values."""
    test, line = expression(node.test, scope), node.lineno
    one, other = expression(node.body, scope), expression(node.orelse, scope)
    return lambda frame: (one if truth(frame[STATE], test(frame), line) else other)(frame)


NOT_SPREAD = "Value after * must be an iterable, not {}"
"""CPython's words of a value that `[*value]` does not accept."""


def items(nodes: Sequence[ast.expr], scope: Scope, of_call: bool = False) -> Expression:
    """Return what makes a list of the values of expressions, some of them starred.

    CPython's words of a wrong value in a call name the module of the function: undecided.
    """
    starred = [isinstance(node, ast.Starred) for node in nodes]
    plain = [
        expression(node.value if isinstance(node, ast.Starred) else node, scope) for node in nodes
    ]
    if not any(starred):
        return lambda frame: [part(frame) for part in plain]

    def value(frame: Frame) -> list[Any]:
        found: list[Any] = []
        for node, is_starred, part in zip(nodes, starred, plain, strict=True):
            if is_starred:
                line = node.lineno
                try:
                    found.extend(listed(frame[STATE], part(frame), line, NOT_SPREAD))
                except Raised as raised:
                    if of_call and isinstance(raised.value, TypeError):
                        raise Undecided("a call with * of what is not iterable", line) from None
                    raise
            else:
                found.append(part(frame))
        few(len(found))
        return found

    return value


@rule_of(EXPRESSIONS, ast.List)
def list_of(node: ast.List, scope: Scope) -> Expression:
    """Return what makes a list."""
    return items(node.elts, scope)


@rule_of(EXPRESSIONS, ast.Tuple)
def tuple_of(node: ast.Tuple, scope: Scope) -> Expression:
    """Return what makes a tuple."""
    if len(node.elts) == 2 and not any(isinstance(each, ast.Starred) for each in node.elts):
        one, other = (expression(each, scope) for each in node.elts)
        return lambda frame: (one(frame), other(frame))
    found = items(node.elts, scope)
    return lambda frame: tuple(found(frame))


@rule_of(EXPRESSIONS, ast.Dict)
def dict_of(node: ast.Dict, scope: Scope) -> Expression:
    """Return what makes a dict."""
    parts = [
        (expression(key, scope) if key else None, expression(value, scope))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    line = node.lineno

    def made(frame: Frame) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in parts:
            try:
                if key is None:
                    found.update(value(frame))
                else:
                    at = hashed(key(frame))
                    found[at] = value(frame)
            except (*ERRORS, Ended) as error:
                raise error_of(error, line) from None
        return found

    return made


@rule_of(EXPRESSIONS, ast.JoinedStr)
def joined(node: ast.JoinedStr, scope: Scope) -> Expression:
    """Return what makes the string of an f-string."""
    parts = [expression(value, scope) for value in node.values]

    def text(frame: Frame) -> Any:
        found = [part(frame) for part in parts]
        opaque = next((each for each in found if isinstance(each, Opaque)), None)
        if opaque is not None:
            return opaque.text()
        frame[STATE].limits.spend(few(sum(map(len, found)), "characters of a string") // PIECE)
        return "".join(found)

    return text


CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}


@rule_of(EXPRESSIONS, ast.FormattedValue)
def formatted(node: ast.FormattedValue, scope: Scope) -> Expression:
    """Return what makes the string of a value in an f-string."""
    value, line = expression(node.value, scope), node.lineno
    request = expression(node.format_spec, scope) if node.format_spec else None
    convert = CONVERSIONS.get(node.conversion)

    def text(frame: Frame) -> Any:
        found = value(frame)
        how = request(frame) if request else ""
        try:
            return text_of(found, how, convert)
        except (*ERRORS, Ended) as error:
            raise error_of(error, line, found) from None

    return text


def text_of(value: Any, spec: Any = "", convert: Callable[[Any], str] | None = None) -> Any:
    """Return the text of a value, as f-strings and format() have it."""
    if isinstance(spec, Opaque):
        raise Undecided(spec.words)
    if isinstance(value, Opaque):
        return (value.text() if convert else value).text(spec)
    format_is_short(spec)
    is_shown = IS_ORDINARY[type(value)] or isinstance(value, BaseException | type)
    if not (is_shown or hasattr(type(value), "special")):
        raise Undecided(f"the text of {kind_of(value)}")
    short_text(value)
    return format(convert(value) if convert else value, spec)
