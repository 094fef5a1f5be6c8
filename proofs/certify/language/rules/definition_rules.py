"""Definitions of functions and classes."""

from __future__ import annotations

import ast
from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import Any

from proofs.certify.language.rules.calls import call
from proofs.certify.language.rules.closures import (
    EXPRESSIONS,
    STATEMENTS,
    Expression,
    Statement,
    block,
    expression,
    rule_of,
    target,
)
from proofs.certify.language.scopes import (
    FIRST,
    OUTER,
    RESULT,
    STATE,
    Frame,
    Scope,
    bound_names,
    scope_of_function,
    walk,
)
from proofs.certify.language.table_entries import Member, Undecided
from proofs.certify.language.values.classes import OF_PROGRAMS, SPECIAL, Class
from proofs.certify.language.values.function_values import (
    UNBOUND,
    Code,
    Function,
    Method,
    Parameters,
    Property,
    State,
)


class NamedTuple:
    """The base of a class of named tuples."""


def documentation(body: list[ast.stmt]) -> str | None:
    """Return the docstring of a body."""
    match body:
        case [ast.Expr(ast.Constant(str(words))), *_]:
            return words
    return None


def code_of(node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Code:
    """Return the code of a function, compiled when it is first called."""
    given = node.args
    known = Parameters(
        tuple(each.arg for each in (*given.posonlyargs, *given.args)),
        len(given.posonlyargs),
        tuple(each.arg for each in given.kwonlyargs),
        given.vararg.arg if given.vararg else None,
        given.kwarg.arg if given.kwarg else None,
    )

    def made() -> tuple[Callable[[Frame], Any], int]:
        inner = scope_of_function(node, scope)
        count = len(known.positional) + len(known.keyword)
        count += (known.rest is not None) + (known.named_rest is not None)
        return _body(node, inner), inner.blank - count

    generator = isinstance(node, ast.FunctionDef) and any(
        isinstance(each, ast.Yield) for each in walk(node.body)
    )
    name = getattr(node, "name", "<lambda>")
    return Code(name, scope.path + name, known, made, node, generator)


def _body(node: ast.FunctionDef | ast.Lambda, inner: Scope) -> Callable[[Frame], Any]:
    if isinstance(node, ast.Lambda):
        return expression(node.body, inner)
    statements = node.body[documentation(node.body) is not None :]
    match statements:
        case [ast.Return(ast.expr() as value)]:
            return expression(value, inner)
    run = block(statements, inner)

    def body(frame: Frame) -> Any:
        run(frame)
        return frame[RESULT]

    return body


@rule_of(EXPRESSIONS, ast.Lambda)
def function_of(node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Expression:
    """Return what makes a function with its defaults."""
    code = code_of(node, scope)
    defaults = [expression(each, scope) for each in node.args.defaults]
    by_name = [
        (argument.arg, expression(each, scope))
        for argument, each in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if each
    ]
    in_class = scope.kind == "class"

    def made(frame: Frame) -> Function:
        outer = frame[OUTER] if in_class else frame
        values = tuple([each(frame) for each in defaults])
        named = {key: each(frame) for key, each in by_name}
        return Function(code, outer, frame[STATE], values, named)

    return made


def decorated(node: ast.FunctionDef | ast.ClassDef, made: Expression, scope: Scope) -> Statement:
    """Return what defines a function or a class, after its decorators."""
    decorators = [(expression(each, scope), each.lineno) for each in node.decorator_list]
    put = target(ast.Name(node.name, ast.Store(), lineno=node.lineno), scope)

    def define(frame: Frame) -> None:
        functions = [(each(frame), line) for each, line in decorators]
        value = made(frame)
        for function, line in reversed(functions):
            value = call(frame[STATE], function, (value,), {}, line)
        put(frame, value)

    return define


@rule_of(STATEMENTS, ast.FunctionDef)
def function_definition(node: ast.FunctionDef, scope: Scope) -> Statement:
    """Return what defines a function."""
    return decorated(node, function_of(node, scope), scope)


@rule_of(STATEMENTS, ast.ClassDef)
def class_definition(node: ast.ClassDef, scope: Scope) -> Statement:
    """Return what defines a class."""
    base = expression(node.bases[0], scope) if node.bases else None
    outer = scope.outer if scope.kind == "class" else scope
    cell = Scope("cell", outer, {"__class__": FIRST}, path=scope.path)
    inner = cell.inner("class", bound_names(node.body), f"{node.name}.", node.body)
    words, line, in_class = documentation(node.body), node.lineno, scope.kind == "class"
    body = block(node.body[words is not None :], inner)

    def made(frame: Frame) -> Any:
        state = frame[STATE]
        parent = base(frame) if base else None
        around = [frame[OUTER] if in_class else frame, state, None, UNBOUND]
        fields: list[str] = []
        own = [around, state, fields, *[UNBOUND] * inner.blank]
        body(own)
        names = {name: own[slot] for name, slot in inner.slots.items() if own[slot] is not UNBOUND}
        names = {"__doc__": words, **names}
        around[FIRST] = kind = class_of(node.name, parent, names, fields, state, line)
        if isinstance(kind, Class):
            kind.path = scope.path + node.name
        return kind

    return decorated(node, made, scope)


def class_of(
    name: str, base: Any, names: dict[str, Any], fields: list[str], state: State, line: int
) -> Any:
    """Return a class: of objects, of exceptions or of named tuples."""
    for each in names:
        if each.startswith("__") and each not in SPECIAL | {"__slots__", "__doc__"}:
            raise Undecided(f"{each} of a class is not in the language", line)
    if base is NamedTuple:
        return named_tuples(name, names, fields, state, line)
    if isinstance(base, type) and issubclass(base, BaseException):
        if names.keys() - {"__doc__"}:
            raise Undecided("a class of exceptions with more than a docstring", line)
        return type(name, (base,), {**names, "__module__": OF_PROGRAMS})
    if base is object:
        base = None
    if not (base is None or isinstance(base, Class)):
        raise Undecided(f"a class derived from {type(base).__name__}", line)
    made = Class(name, base, names, state)
    made.annotated = fields
    return made


def named_tuples(
    name: str, names: dict[str, Any], fields: list[str], state: State, line: int
) -> type:
    """Return a class of named tuples, whose methods and properties read the fields."""
    defaults = [names[each] for each in fields if each in names]
    make: Any = namedtuple
    made: type = make(name, fields, defaults=defaults, module=OF_PROGRAMS)
    more = {each: names[each] for each in names if each not in ("__doc__", *fields)}
    for each, value in more.items():
        if not isinstance(value, Function | Property) or hasattr(made, each):
            raise Undecided(f"{each} of a class of named tuples; it may have methods", line)
    known = state.library.attributes(made)
    known |= {each: Member(each, partial(_of_tuple, value)) for each, value in more.items()}
    return made


def _of_tuple(found: Function | Property, value: Any) -> Any:
    return found.read(value) if isinstance(found, Property) else Method(found, value)
