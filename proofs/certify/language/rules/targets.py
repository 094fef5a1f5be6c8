"""Assignment to several names, and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from proofs.certify.language.rules.closures import (
    EXPRESSIONS,
    TARGETS,
    Expression,
    Put,
    expression,
    rule_of,
    target,
)
from proofs.certify.language.scopes import OUTER, STATE, Frame, Scope, scope_of_comprehension
from proofs.certify.language.table_entries import Ended
from proofs.certify.language.values.function_values import UNBOUND, Raised
from proofs.certify.language.values.iteration import iterated, listed
from proofs.certify.language.values.nested_sizes import hashed
from proofs.certify.language.values.operators import ERRORS, error_of, truth


@rule_of(TARGETS, ast.Tuple, ast.List)
def unpacking(node: ast.Tuple | ast.List, scope: Scope) -> Put:
    """Return what puts the values of a value where the parts of the target say."""
    starred = [isinstance(each, ast.Starred) for each in node.elts]
    parts = [
        target(each.value if isinstance(each, ast.Starred) else each, scope) for each in node.elts
    ]
    count, line = len(parts), node.lineno
    if any(starred):
        return _starred(parts, starred.index(True), line)

    def put(frame: Frame, value: Any) -> None:
        found = value
        if type(value) is not tuple and type(value) is not list:
            given = iterated(frame[STATE], value, line, NOT_UNPACKED)
            found = list(islice(given, count + 1))
        if len(found) != count:
            raise Raised(ValueError(_wrong(len(found), count)), line)
        for part, each in zip(parts, found, strict=True):
            part(frame, each)

    return put


NOT_UNPACKED = "cannot unpack non-iterable {} object"


def _wrong(given: int, count: int) -> str:
    if given > count:
        return f"too many values to unpack (expected {count})"
    return f"not enough values to unpack (expected {count}, got {given})"


def _starred(parts: list[Put], at: int, line: int) -> Put:
    after = len(parts) - at - 1

    def put(frame: Frame, value: Any) -> None:
        found = listed(frame[STATE], value, line, NOT_UNPACKED)
        if len(found) < at + after:
            words = (
                f"not enough values to unpack (expected at least {at + after}, got {len(found)})"
            )
            raise Raised(ValueError(words), line)
        end = len(found) - after
        values = [*found[:at], found[at:end], *found[end:]]
        for part, each in zip(parts, values, strict=True):
            part(frame, each)

    return put


Generate = Callable[[Frame], Iterator[Frame]]


def rounds(generators: list[ast.comprehension], inner: Scope, outer: Scope) -> Generate:
    """Return what goes through the rounds of a comprehension in its frame."""
    levels = []
    for i, each in enumerate(generators):
        values = expression(each.iter, inner if i else outer)
        tests = [(expression(test, inner), test.lineno) for test in each.ifs]
        levels.append((values, target(each.target, inner), tests, each.iter.lineno))

    def go(frame: Frame, level: int, first: Any) -> Iterator[Frame]:
        values, put, tests, line = levels[level]
        state = frame[STATE]
        limits = state.limits
        given = first if level == 0 else values(frame)
        for value in iterated(state, given, line):
            limits.left -= 1
            if limits.left < 0:
                limits.refill(line)
            put(frame, value)
            if tests and not all(truth(state, test(frame), at) for test, at in tests):
                continue
            if level + 1 < len(levels):
                yield from go(frame, level + 1, None)
            else:
                yield frame

    start, blank, in_class = levels[0][0], [UNBOUND] * inner.blank, outer.kind == "class"

    def run(frame: Frame) -> Iterator[Frame]:
        given = start(frame)
        own = [frame[OUTER] if in_class else frame, frame[STATE], None, *blank]
        return go(own, 0, given)

    return run


@rule_of(EXPRESSIONS, ast.ListComp)
def list_comprehension(node: ast.ListComp, scope: Scope) -> Expression:
    """Return what makes the list of a comprehension."""
    inner = scope_of_comprehension(node.generators, scope)
    each, run = expression(node.elt, inner), rounds(node.generators, inner, scope)
    return lambda frame: [each(own) for own in run(frame)]


@rule_of(EXPRESSIONS, ast.GeneratorExp)
def generator(node: ast.GeneratorExp, scope: Scope) -> Expression:
    """Return what makes the generator of an expression, which gives one value after the other."""
    inner = scope_of_comprehension(node.generators, scope)
    each, run = expression(node.elt, inner), rounds(node.generators, inner, scope)

    def made(frame: Frame) -> Iterator[Any]:
        frames = run(frame)
        return (each(own) for own in frames)

    return made


@rule_of(EXPRESSIONS, ast.DictComp)
def dict_comprehension(node: ast.DictComp, scope: Scope) -> Expression:
    """Return what makes the dict of a comprehension."""
    inner = scope_of_comprehension(node.generators, scope)
    key, value = expression(node.key, inner), expression(node.value, inner)
    run, line = rounds(node.generators, inner, scope), node.lineno

    def made(frame: Frame) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for own in run(frame):
            at = key(own)
            new = value(own)
            try:
                found[hashed(at)] = new
            except (*ERRORS, Ended) as error:
                raise error_of(error, line, at) from None
        return found

    return made
