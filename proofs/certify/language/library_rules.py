"""What a program is evaluated with beyond Python and numpy: exact arrays, and communicators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from proofs.certify.language.table_entries import (
    DATA,
    FOLLOWED,
    Member,
    Members,
    Module,
    Operation,
    not_followed,
)
from proofs.certify.language.tables.value_members import MEMBERS, methods
from proofs.certify.language.values.function_values import Bound
from proofs.certify.language.values.operators import LISTS, Operator


@dataclass(frozen=True)
class Library:
    """Rules for values that are not Python's and numpy's own.

    Attributes:
        data: the types of exact arrays.
        operators: what `a + b` is where either is exact, by sign; "neg" and "pos" have one
            argument.
        functions: numpy's functions where an argument is exact, by numpy's names.
        members: the attributes of values by type.
        modules: modules that programs import, by name.
        builtins: names that programs have without an import, instead of Python's own.
        constructors: what a call of a type does, such as `np.ndarray` of a window's memory.
        asks: attributes of exact values, by type, and functions of numpy, by their names under
            None, by which a program tells one array of the declared dtype from another.
        creates: whether `np.empty`, `np.zeros` and the like make an exact array of a type, which is
            given as the program has it: then `functions` has them.
        followed: what messages call exact arrays, and what may be done with them.
    """

    data: frozenset[type] = frozenset()
    operators: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    members: Members = field(default_factory=dict)
    modules: Mapping[str, Module] = field(default_factory=dict)
    builtins: Mapping[str, Any] = field(default_factory=dict)
    constructors: Mapping[type, Operation] = field(default_factory=dict)
    asks: Mapping[type | None, frozenset[str]] = field(default_factory=lambda: {None: frozenset()})
    creates: Callable[[Any], bool] = lambda dtype: False
    followed: str = f"{DATA}; {FOLLOWED}"
    known: dict[type, dict[str, Member | Operation]] = field(default_factory=dict, init=False)
    loaded: dict[str, Any] = field(default_factory=dict, init=False)

    def attributes(self, kind: type) -> dict[str, Member | Operation]:
        """Return the attributes of values of a type, with those of the types it is derived from."""
        found = self.known.get(kind)
        if found is None:
            found = {}
            for each in kind.__mro__[::-1]:
                found.update(MEMBERS.get(each, {}))
                found.update(self.members.get(each, {}))
            for name in getattr(kind, "_fields", ()):
                found[name] = Member(name, attrgetter(name))
            if issubclass(kind, tuple) and hasattr(kind, "_fields"):
                found |= methods(kind, "_replace(*) _asdict")
            self.known[kind] = found
        return found

    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute of a value; a method as a call.

        Raises:
            KeyError: if the language has no such attribute.
        """
        found = self.attributes(type(value))[name]
        read = found if isinstance(found, Operation) else found.read(value)
        return Bound(read, value) if isinstance(read, Operation) else read

    def holds_data(self, value: Any) -> bool:
        """Return whether a value is exact, or a list or tuple that has an exact entry."""
        if not self.data:
            return False
        if isinstance(value, LISTS):
            kinds = set(map(type, value))
            if any(issubclass(kind, LISTS) for kind in kinds):
                return any(map(self.holds_data, value))
            return not kinds.isdisjoint(self.data)
        return type(value) in self.data

    def operate(self, how: Operator, a: Any, b: Any, in_place: bool) -> Any:
        """Return a `how` b of which one is exact."""
        if in_place and f"{how.sign}=" in self.operators:
            return self.operators[f"{how.sign}="](a, b)
        if in_place:
            return self.function(how.function)(a, b, out=a)
        if how.sign not in self.operators:
            raise not_followed(how.sign, self.followed)
        return self.operators[how.sign](a, b)

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function of numpy for exact arrays."""
        if name not in self.functions:
            raise not_followed(f"np.{name}", self.followed)
        return self.functions[name]


EMPTY = Library()
"""Python and numpy alone."""
