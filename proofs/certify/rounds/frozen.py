"""What a kernel has besides its arguments: names of the module, which numba reads when it compiles.

    frozen = constant | tuple of such | array | function, with what it reads itself

A kernel whose names have other values later is undecided. Its rounds may be evaluated at once if
nothing in it is made that a round could leave changed for the next.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from proofs.certify.language.scopes import bound_names, parameters, walk
from proofs.certify.language.table_entries import Operation, Undecided
from proofs.certify.language.values.function_values import (
    Function,
    Namespace,
    Native,
    Opaque,
    State,
)

MUTABLE = (
    *(ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.Lambda),
    *(ast.FunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Yield, ast.With, ast.Try),
)
"""What is not in a kernel of which rounds are evaluated at once."""
CONSTANT = (int, float, complex, str, type(None), np.generic, np.dtype, type)
OTHER = (Operation, Namespace, Native, Opaque)


@lru_cache(1024)
def is_plain(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Return whether a function makes nothing that a round could change for the next."""
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    return not any(isinstance(each, MUTABLE) for part in body for each in ast.walk(part))


@lru_cache(1024)
def raises(node: ast.FunctionDef | ast.Lambda) -> frozenset[int]:
    """Return the lines in which a function raises exceptions of its own."""
    return frozenset(
        each.lineno for each in ast.walk(node) if isinstance(each, ast.Raise | ast.Assert)
    )


@lru_cache(1024)
def handles(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Return whether a function has a try statement."""
    return any(isinstance(each, ast.Try) for each in ast.walk(node))


TEXTS = (ast.Expr, ast.Call, ast.keyword, ast.Compare, ast.Subscript)
"""What may have a string in it: a docstring, a name of a type, a test of an option, a field."""


@lru_cache(1024)
def line_of_string(node: ast.FunctionDef | ast.Lambda) -> int | None:
    """Return the line of a string that a function computes with, outside of its errors."""
    todo: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
    while todo:
        each = todo.pop()
        if isinstance(each, ast.Raise | ast.Assert):
            continue
        for inner in ast.iter_child_nodes(each):
            value = inner.value if isinstance(inner, ast.Constant) else None
            is_string = isinstance(value, str) or isinstance(inner, ast.JoinedStr)
            if is_string and isinstance(inner, ast.expr) and not isinstance(each, TEXTS):
                return inner.lineno
            todo.append(inner)
    return None


@lru_cache(1024)
def names_of(node: ast.FunctionDef | ast.Lambda) -> tuple[str, ...]:
    """Return the names that a function reads and does not bind."""
    body: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
    own = {*parameters(node.args), *bound_names(body)}
    read = (each.id for part in walk(body) for each in ast.walk(part) if isinstance(each, ast.Name))
    return tuple(dict.fromkeys(name for name in read if name not in own))


class Frozen:
    """The names that a kernel reads, with their values when it was first called."""

    def __init__(self, state: State, function: Function) -> None:
        self.state, self.function = state, function
        self.first: dict[str, Any] | None = None
        self.plain, self.handles = True, False
        self.raises = frozenset[int]()

    def check(self) -> None:
        """Raise Undecided where a name has another value than at the first call."""
        found = dict(self._values(self.function, set()))
        if self.first is None:
            self.first = found
        for name, value in found.items():
            if name not in self.first or self.first[name] != value:
                raise Undecided(f"{name} has changed after a kernel that uses it was compiled")

    def _values(self, function: Function, seen: set[int]) -> Iterator[tuple[str, Any]]:
        node = function.code.node
        if id(node) in seen:
            return
        seen.add(id(node))
        self.plain = self.plain and is_plain(node)
        self.raises |= raises(node)
        self.handles = self.handles or handles(node)
        if "<locals>" in function.code.path:
            raise Undecided(f"{function.code.name} is compiled, and defined within a function")
        if line := line_of_string(node):
            raise Undecided("a string in a kernel: numba compiles few of them", line)
        for name in names_of(node):
            value = self.state.get(name)
            yield name, _frozen(name, value)
            inner = getattr(value.function, "compiled", None) if type(value) is Native else value
            if isinstance(inner, Function):
                yield from self._values(inner, seen)


def _frozen(name: str, value: Any) -> Any:
    """Return what tells a value from any other that a kernel would read instead."""
    if isinstance(value, tuple):
        return tuple(_frozen(name, each) for each in value)
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, CONSTANT):
        return type(value), str(value)
    if isinstance(value, (*OTHER, Function)):
        return id(value)
    raise Undecided(f"{name} in a kernel, {type(value).__name__} of the module")
