"""Objects of exact types, of which equal ones are one object. Trusted; standard library only.

@sealed makes of a class with annotated fields a frozen dataclass:

- every field has exactly the type of its annotation, and so has what tuples and sets in it hold:
  True is no number, and a list is no tuple;
- there are no two objects with the same fields: equal is the same object, as caches want it.

`__post_init__` checks more than types; `renamed` returns fields that are put in place of those
given. No object is protected from other Python code in the same process: if you do not trust such
code, replay a certificate in a process of its own (check.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

Made = TypeVar("Made")
_families: dict[type, tuple[type, ...]] = {}


class Refused(ValueError):
    """Something is not well formed, or does not follow. A refusal refutes nothing."""


def need(condition: bool, why: str, *things: object) -> None:
    """Raise Refused unless the condition holds; {} in the reason stands for the things."""
    if not condition:
        raise Refused(why.format(*things) if things else why)


def family(base: type, *kinds: type) -> None:
    """State which classes an annotation with their base stands for."""
    _families[base] = kinds


@cache
def _test(hint: Any) -> Callable[[Any], bool]:
    """Return the test whether a value has exactly a type."""
    origin, inner = get_origin(hint), [_test(part) for part in get_args(hint) if part is not ...]
    if hint is Any:
        return lambda x: True
    if origin in (Union, UnionType):
        return lambda x: any(test(x) for test in inner)
    if origin is tuple and get_args(hint)[1:] != (...,):
        return lambda x: (
            type(x) is tuple
            and len(x) == len(inner)
            and all(test(one) for test, one in zip(inner, x, strict=True))
        )
    if origin in (tuple, frozenset):
        return lambda x: type(x) is origin and all(map(inner[0], x))
    kinds = _families.get(hint, (hint,))
    return lambda x: type(x) in kinds


class _Form:
    """What the objects of a class are made by."""

    def __init__(self, kind: Any, key: object) -> None:
        self.kind, self.key = kind, key
        self.names = [field.name for field in fields(kind)]
        self.defaults = {
            field.name: field.default for field in fields(kind) if field.default is not MISSING
        }
        self.put = {name: vars(kind)[name].__set__ for name in self.names}
        self.tests: list[Callable[[Any], bool]] = []
        self.pool: dict[tuple[Any, ...], Any] = {}
        self.checked, self.renamed = hasattr(kind, "__post_init__"), hasattr(kind, "renamed")

    def values(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return the values of all fields, each of its exact type."""
        if named or len(given) != len(self.names):
            found = {**self.defaults, **dict(zip(self.names, given, strict=False)), **named}
            if (
                len(given) > len(self.names)
                or named.keys() & {*self.names[: len(given)]}
                or found.keys() != {*self.names}
            ):
                raise TypeError(f"{self.kind.__name__} takes {', '.join(self.names)}")
            given = tuple(found[name] for name in self.names)
        if not self.tests:
            hints = get_type_hints(self.kind)
            self.tests = [_test(hints[name]) for name in self.names]
        for name, value, test in zip(self.names, given, self.tests, strict=True):
            if not test(value):
                raise Refused(
                    f"{type(value).__name__} is not a {self.kind.__annotations__[name]}, the {name}"
                    f" of {self.kind.__name__}"
                )
        return given

    def make(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the object with these fields when all is checked."""
        if self.key is not None:
            if not given or given[0] is not self.key:
                raise Refused(f"a {self.kind.__name__} is made by a rule")
            given = given[1:]
        values = self.values(given, named)
        if values in self.pool:
            return self.pool[values]
        made = object.__new__(self.kind)
        for name, value in zip(self.names, values, strict=True):
            self.put[name](made, value)
        if self.checked:
            made.__post_init__()
        for name, value in made.renamed().items() if self.renamed else ():
            self.put[name](made, value)
        if self.key is None:
            made = self.pool[values] = self.pool.setdefault(
                tuple(getattr(made, name) for name in self.names), made
            )
        return made


@dataclass_transform(frozen_default=True)
def sealed(cls: type[Made], key: object = None) -> type[Made]:
    """Return the class of such objects; with a key, only its owner makes them, each anew."""
    made: Any = dataclass(frozen=True, eq=False, init=False, slots=True)(cls)
    form = _Form(made, key)
    made.__new__ = lambda kind, /, *given, **named: form.make(given, named)
    return made
