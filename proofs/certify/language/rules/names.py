"""Names: how their values are read, set and deleted."""

from __future__ import annotations

import ast
from collections.abc import Callable
from operator import itemgetter

from proofs.certify.language.rules.closures import EXPRESSIONS, TARGETS, Expression, Put, rule_of
from proofs.certify.language.scopes import OUTER, STATE, Frame, Place, Scope
from proofs.certify.language.values.function_values import UNBOUND, Raised


@rule_of(EXPRESSIONS, ast.Name)
def load(node: ast.Name, scope: Scope) -> Expression:
    """Return what reads a name."""
    name, line, place = node.id, node.lineno, scope.place(node.id)
    if place.depth is None or scope.kind == "class":
        return _of_module_or_class(name, line, place)
    if place.depth == 0:
        return itemgetter(place.slot) if name in scope.fixed else _local(name, line, place.slot)
    return _enclosing(name, line, place)


def _of_module_or_class(name: str, line: int, place: Place) -> Expression:
    def global_name(frame: Frame) -> object:
        try:
            return frame[STATE][name]
        except KeyError:
            raise Raised(NameError(f"name {name!r} is not defined"), line) from None

    if place.depth is None:
        return global_name

    def name_of_class(frame: Frame) -> object:
        value = _up(frame, place)[place.slot]
        return global_name(frame) if value is UNBOUND else value

    return name_of_class


def _local(name: str, line: int, slot: int) -> Expression:
    def read(frame: Frame) -> object:
        value = frame[slot]
        if value is UNBOUND:
            raise Raised(UnboundLocalError(_unbound(name)), line)
        return value

    return read


def _unbound(name: str) -> str:
    return f"cannot access local variable {name!r} where it is not associated with a value"


def _up(frame: Frame, place: Place) -> Frame:
    for _ in range(place.depth or 0):
        frame = frame[OUTER]
    return frame


def _enclosing(name: str, line: int, place: Place) -> Expression:
    slot = place.slot

    def read(frame: Frame) -> object:
        value = frame[OUTER][slot] if place.depth == 1 else _up(frame, place)[slot]
        if value is UNBOUND:
            words = f"cannot access free variable {name!r} where it is not associated with a value"
            raise Raised(NameError(f"{words} in enclosing scope"), line)
        return value

    return read


@rule_of(TARGETS, ast.Name)
def store(node: ast.Name, scope: Scope) -> Put:
    """Return what sets a name."""
    return put_at(scope.place(node.id), node.id)


def put_at(place: Place, name: str) -> Put:
    """Return what sets a name at a place."""
    slot = place.slot
    if place.depth is None:

        def put_global(frame: Frame, value: object) -> None:
            frame[STATE][name] = value

        return put_global
    if place.depth == 0:

        def put(frame: Frame, value: object) -> None:
            frame[slot] = value

        return put

    def put_enclosing(frame: Frame, value: object) -> None:
        _up(frame, place)[slot] = value

    return put_enclosing


def forget(name: str, scope: Scope, line: int) -> Callable[[Frame], None]:
    """Return what deletes a name."""
    place = scope.place(name)

    def forget_it(frame: Frame) -> None:
        if place.depth is None:
            if name not in frame[STATE]:
                raise Raised(NameError(f"name {name!r} is not defined"), line)
            del frame[STATE][name]
            return
        holder = _up(frame, place)
        if holder[place.slot] is UNBOUND:
            raise Raised(UnboundLocalError(_unbound(name)), line)
        holder[place.slot] = UNBOUND

    return forget_it


@rule_of(EXPRESSIONS, ast.NamedExpr)
def walrus(node: ast.NamedExpr, scope: Scope) -> Expression:
    """Return what sets a name within an expression."""
    value = EXPRESSIONS[type(node.value)](node.value, scope)
    put = put_at(scope.place_of_walrus(node.target.id), node.target.id)

    def named(frame: Frame) -> object:
        found = value(frame)
        put(frame, found)
        return found

    return named
