"""Dataclasses and named tuples."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

from proofs.certify.language.rules.calls import call
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.values.classes import Class, Object, slots_of
from proofs.certify.language.values.function_values import (
    Native,
    Parameters,
    Raised,
    State,
    arguments,
)

NONE = object()
"""No default."""


@dataclass(frozen=True)
class Field:
    """A field of a dataclass: its default, or what makes it."""

    default: Any = NONE
    factory: Any = None
    shown: bool = True
    compared: bool = True
    given: bool = True

    @property
    def optional(self) -> bool:
        """Whether an object is made without it."""
        return self.default is not NONE or self.factory is not None


def field(
    state: State,
    *,
    default: Any = NONE,
    default_factory: Any = None,
    repr: bool = True,
    compare: bool = True,
    init: bool = True,
) -> Field:
    """Return dataclasses.field(..)."""
    return Field(default, default_factory, repr, compare, init)


def dataclass_of(state: State, kind: Any = None, **options: Any) -> Any:
    """Return a class as a dataclass, or a decorator that makes one."""
    if kind is None:
        return Native(lambda given: made_dataclass(state, given, **options))
    return made_dataclass(state, kind, **options)


def made_dataclass(
    state: State, kind: Any, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Class:
    """Return a class with the methods of a dataclass."""
    if not isinstance(kind, Class):
        raise Undecided("dataclass of what is no class")
    if kind.base is not None and kind.base.fields and kind.base.frozen != frozen:
        raise Undecided("a frozen dataclass derived from one that is not")
    for name in kind.annotated:
        value = kind.names.get(name, NONE)
        found = value if isinstance(value, Field) else Field(value)
        if type(found.default).__hash__ is None:
            words = f"mutable default {type(found.default)} for field {name} is not allowed"
            raise Raised(ValueError(f"{words}: use default_factory"))
        kind.fields[name] = found
        if isinstance(value, Field):
            kind.names.pop(name)
            if found.default is not NONE:
                kind.names[name] = found.default
    _in_order(kind)
    _methods(state, kind, eq, frozen)
    kind.frozen = frozen
    if slots:
        for name in kind.fields:
            kind.names.pop(name, None)
        kind.slots, kind.remade = slots_of(tuple(kind.fields), kind.base), True
    return kind


def _in_order(kind: Class) -> None:
    seen = False
    for name, each in kind.fields.items():
        if seen and each.given and not each.optional:
            raise Raised(TypeError(f"non-default argument {name!r} follows default argument"))
        seen = seen or (each.given and each.optional)


def _methods(state: State, kind: Class, eq: bool, frozen: bool) -> None:
    names = kind.names
    names.setdefault("__init__", Native(lambda *given, **named: start(state, kind, given, named)))
    names.setdefault("__repr__", Native(lambda this: shown(kind, this)))
    if eq and "__eq__" not in names:
        names["__eq__"] = Native(lambda this, other: same(kind, this, other))
        if frozen and "__hash__" not in names:
            names["__hash__"] = Native(lambda this: hash(_values(kind, this)))


def start(state: State, kind: Class, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Set the fields of a new object, then call `__post_init__`."""
    this = given[0]
    wanted = [name for name, each in kind.fields.items() if each.given]
    optional = sum(kind.fields[name].optional for name in wanted)
    known = Parameters(("self", *wanted))
    absent = tuple(NONE for _ in range(optional))
    values = arguments(f"{kind.path}.__init__", known, absent, {}, given, named)
    found = {
        name: value for name, value in zip(wanted, values[1:], strict=True) if value is not NONE
    }
    for name, each in kind.fields.items():
        if name in found:
            this.names[name] = found[name]
        elif each.factory is not None:
            this.names[name] = call(state, each.factory, (), {}, state.line)
        elif each.default is not NONE:
            this.names[name] = each.default
    if kind.has("__post_init__"):
        kind.find("__post_init__")(this)


def _values(kind: Class, this: Object) -> tuple[Any, ...]:
    return tuple(this.read(name) for name, each in kind.fields.items() if each.compared)


def same(kind: Class, this: Object, other: Any) -> Any:
    """Return whether two objects of a dataclass have equal fields."""
    if not isinstance(other, Object) or other.kind is not this.kind:
        return NotImplemented
    return _values(kind, this) == _values(kind, other)


def shown(kind: Class, this: Object) -> str:
    """Return the text of an object of a dataclass."""
    listed = [f"{name}={this.read(name)!r}" for name, each in kind.fields.items() if each.shown]
    return f"{this.kind.path}({', '.join(listed)})"


def replaced(state: State, this: Any, **changes: Any) -> Any:
    """Return dataclasses.replace(this, ..)."""
    if not isinstance(this, Object) or not this.kind.fields:
        raise Undecided("replace of what is no dataclass")
    kept = {name: this.read(name) for name, each in this.kind.fields.items() if each.given}
    return this.kind(**{**kept, **changes})


def named_tuple(state: State, name: str, fields: Any, *, defaults: Any = None) -> Any:
    """Return collections.namedtuple(name, fields)."""
    return namedtuple(name, fields, defaults=defaults)
