"""Classes of programs, and their objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.values.function_values import (
    ContextMaker,
    Function,
    Method,
    Native,
    Property,
    Raised,
    State,
    Static,
)

METHODS = (
    "init post_init call len getitem setitem iter contains enter exit repr str bool eq hash neg"
)
OPERATORS = "lt le gt ge add radd sub rsub mul rmul truediv rtruediv matmul rmatmul"
SPECIAL = frozenset(f"__{name}__" for name in f"{METHODS} {OPERATORS}".split())
"""The special methods that a class may define."""


OF_PROGRAMS = "__main__"
"""The module of classes of exceptions and of named tuples that programs make."""


def is_made(kind: Any) -> bool:
    """Return whether something is a class of Python that a program has made: each time that the
    program is loaded it makes another one.
    """
    return isinstance(kind, type) and kind.__module__ == OF_PROGRAMS


class Class:
    """A class of the program: a function that makes objects.

    `slots` are the names that objects may have, None where they may have any; `path` is the
    qualified name. `remade`: a dataclass with slots, which is another class than its methods know.
    """

    __slots__ = (
        *("annotated", "base", "fields", "frozen", "name", "names", "path", "remade", "slots"),
        "state",
    )

    def __init__(self, name: str, base: Class | None, names: dict[str, Any], state: State) -> None:
        self.name, self.base, self.names, self.state = name, base, names, state
        self.fields: dict[str, Any] = dict(base.fields) if base else {}
        self.annotated: list[str] = []
        self.path, self.remade = name, False
        self.frozen: bool = base is not None and base.frozen
        self.slots: frozenset[str] | None = slots_of(names.get("__slots__"), base)

    def find(self, name: str) -> Any:
        """Return what the class or its base has by a name; None where neither has it."""
        kind: Class | None = self
        while kind is not None:
            if name in kind.names:
                return kind.names[name]
            kind = kind.base
        return None

    def has(self, name: str) -> bool:
        """Return whether the class or its base has a name."""
        return name in self.names or (self.base is not None and self.base.has(name))

    def is_a(self, other: Any) -> bool:
        """Return whether this is a class or derived from it."""
        return self is other or other is object or (self.base is not None and self.base.is_a(other))

    def __call__(self, *given: Any, **named: Any) -> Object:
        """Return a new object."""
        made = Object(self)
        start = self.find("__init__")
        if start is not None:
            if start(made, *given, **named) is not None:
                raise Raised(TypeError("__init__() should return None"))
        elif given or named:
            raise Raised(TypeError(f"{self.name}() takes no arguments"))
        else:
            self.state.limits.spend(1)
        return made

    def read(self, name: str) -> Any:
        """Return an attribute of the class itself."""
        if name == "__name__":
            return self.name
        if not self.has(name):
            raise Raised(AttributeError(f"type object {self.name!r} has no attribute {name!r}"))
        return bound(self.find(name), None, self)

    def write(self, name: str, value: Any) -> None:
        """Set an attribute of the class itself."""
        if name.startswith("__"):
            raise Undecided(f"{self.name}.{name} is set after the class is made")
        self.names[name] = value

    def __repr__(self) -> str:
        raise Undecided(f"the text of class {self.name}; write {self.name}.__name__")


def slots_of(given: Any, base: Class | None) -> frozenset[str] | None:
    """Return the names of a class with `__slots__`, with those of its base."""
    if given is None or (base is not None and base.slots is None):
        return None
    own = (given,) if isinstance(given, str) else tuple(given)
    return frozenset(own) | (base.slots or frozenset() if base is not None else frozenset())


def bound(found: Any, owner: Any, kind: Class) -> Any:
    """Return what is read where a class has `found`: a method of the object, if there is one."""
    match found:
        case Function() | Native() | ContextMaker() if owner is not None:
            return Method(found, owner)
        case Property() if owner is not None:
            return found.read(owner)
        case Static(function, of_class):
            return Method(function, kind) if of_class else function
    return found


class Object:
    """An object of a class of the program."""

    __slots__ = ("__weakref__", "kind", "names")

    def __init__(self, kind: Class) -> None:
        self.kind, self.names = kind, dict[str, Any]()

    def read(self, name: str) -> Any:
        """Return an attribute."""
        kind = self.kind
        found = kind.find(name)
        if name in self.names and not isinstance(found, Property):
            return self.names[name]
        if found is None and not kind.has(name):
            if name == "__class__":
                return kind
            raise Raised(AttributeError(f"{kind.name!r} object has no attribute {name!r}"))
        return bound(found, self, kind)

    def write(self, name: str, value: Any) -> None:
        """Set an attribute."""
        kind = self.kind
        if kind.frozen:
            raise Raised(FrozenInstanceError(f"cannot assign to field {name!r}"))
        if isinstance(kind.find(name), Property):
            words = f"property {name!r} of {kind.name!r} object has no setter"
            raise Raised(AttributeError(words))
        if name.startswith("__"):
            raise Undecided(f".{name} of an object is set")
        if kind.slots is not None and name not in kind.slots:
            raise Raised(AttributeError(f"{kind.name!r} object has no attribute {name!r}"))
        self.names[name] = value

    def delete(self, name: str) -> None:
        """Delete an attribute."""
        if self.kind.frozen or name not in self.names:
            raise Undecided(f"del of attribute {name}")
        del self.names[name]

    def special(self, name: str, *given: Any) -> Any:
        """Return what a special method of the program returns."""
        return self.kind.find(name)(self, *given)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return what `__call__` of the program returns."""
        if not self.kind.has("__call__"):
            raise Raised(TypeError(f"{self.kind.name!r} object is not callable"))
        return self.kind.find("__call__")(self, *given, **named)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise Undecided(f"an array of {self.kind.name} objects")

    def __bool__(self) -> bool:
        if self.kind.has("__bool__"):
            return self.special("__bool__")
        return self.special("__len__") > 0 if self.kind.has("__len__") else True

    def __hash__(self) -> int:
        if self.kind.has("__hash__"):
            return self.special("__hash__")
        if self.kind.has("__eq__"):
            raise Raised(TypeError(f"unhashable type: {self.kind.name!r}"))
        return id(self) >> 4

    def __repr__(self) -> str:
        if not self.kind.has("__repr__"):
            raise Undecided(f"the text of an object of {self.kind.name}, which has its address")
        return self.special("__repr__")

    def __str__(self) -> str:
        return self.special("__str__") if self.kind.has("__str__") else repr(self)

    def __eq__(self, other: object) -> Any:
        return self.special("__eq__", other) if self.kind.has("__eq__") else self is other

    def __contains__(self, item: object) -> Any:
        if self.kind.has("__contains__"):
            return self.special("__contains__", item)
        if self.kind.has("__iter__"):
            return any(item is each or item == each for each in self.special("__iter__"))
        raise Raised(TypeError(f"argument of type {self.kind.name!r} is not iterable"))


def _absent(name: str, words: str) -> Callable[..., Any]:
    """Return a special method of objects whose classes may have it or not."""

    def method(self: Object, *given: Any) -> Any:
        if self.kind.has(name):
            return self.special(name, *given)
        if not words:
            return NotImplemented
        if name == "__iter__" and self.kind.has("__getitem__"):
            raise Undecided(f"{self.kind.name} is iterated by __getitem__; write __iter__")
        raise Raised(TypeError(words.format(self.kind.name)))

    return method


for _name, _words in {
    "__len__": "object of type {!r} has no len()",
    "__iter__": "{!r} object is not iterable",
    "__getitem__": "{!r} object is not subscriptable",
    "__setitem__": "{!r} object does not support item assignment",
    "__neg__": "bad operand type for unary -: {!r}",
    **{f"__{name}__": "" for name in OPERATORS.split()},
}.items():
    setattr(Object, _name, _absent(_name, _words))


class Parent:
    """An object seen as one of its base class."""

    def __init__(self, kind: Class | None, owner: Object, line: int) -> None:
        self.kind, self.owner, self.line = kind, owner, line

    def read(self, name: str) -> Any:
        """Return a method of the base class."""
        if self.kind is None or not self.kind.has(name):
            if name == "__init__":
                return Native(lambda: None)
            raise Raised(AttributeError(f"'super' object has no attribute {name!r}"), self.line)
        found = self.kind.find(name)
        if not isinstance(found, Function | Native):
            raise Undecided(f"super().{name}", self.line)
        return Method(found, self.owner)
