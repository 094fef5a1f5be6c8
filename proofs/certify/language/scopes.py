"""Which value a name means: the scopes of a program, resolved before it runs.

A frame is a list: [frame of the enclosing scope, state of the rank, result, slot, slot, ..].
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Frame = list[Any]
OUTER, STATE, RESULT, FIRST = range(4)
"""Entries of a frame; slots of names begin at FIRST."""

COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)


class Place(NamedTuple):
    """Where a name is found: in a slot of the frame `depth` frames up, or a global name."""

    depth: int | None
    slot: int = 0


GLOBAL = Place(None)


@dataclass
class Scope:
    """Names of a module, a function, a class or a comprehension.

    `kind` is "module", "function", "comprehension", "class", or "cell", which surrounds a class and
    has the name `__class__`. `path` begins the qualified names of what is defined in it.
    """

    kind: str
    outer: Scope | None = None
    slots: dict[str, int] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    path: str = ""

    @property
    def blank(self) -> int:
        """The number of slots."""
        return len(self.slots)

    def inner(
        self, kind: str, names: Iterable[str], path: str, body: Sequence[ast.stmt] = ()
    ) -> Scope:
        """Return a scope within this one that binds the names.

        `body` are the statements in which names may be declared global or nonlocal; the first names
        are those of parameters.
        """
        outer = self.outer if self.kind == "class" else self
        nodes = [node for node in walk(body) if isinstance(node, ast.Global | ast.Nonlocal)]
        declared = {name for node in nodes for name in node.names}
        of_module = frozenset(
            name for node in nodes if isinstance(node, ast.Global) for name in node.names
        )
        own = [name for name in dict.fromkeys(names) if name not in declared]
        slots = {name: FIRST + i for i, name in enumerate(own)}
        return Scope(kind, outer, slots, of_module, path=self.path + path)

    def place(self, name: str) -> Place:
        """Return where a name is."""
        scope, depth = self, 0
        while scope.kind != "module":
            if name in scope.elsewhere:
                return GLOBAL
            if name in scope.slots and (scope.kind != "class" or scope is self):
                return Place(depth, scope.slots[name])
            assert scope.outer is not None
            scope, depth = scope.outer, depth + 1
        return GLOBAL

    def place_of_walrus(self, name: str) -> Place:
        """Return where `name := value` puts the value: comprehensions have no such names."""
        scope, depth = self, 0
        while scope.kind == "comprehension":
            assert scope.outer is not None
            scope, depth = scope.outer, depth + 1
        found = scope.place(name)
        return found if found.depth is None else Place(found.depth + depth, found.slot)


def walk(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of the scopes in it; of these the node itself.

    A comprehension in it is gone through for `name := value` alone.
    """
    todo = list(nodes)[::-1]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, COMPREHENSIONS):
            todo += [inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)]
        elif isinstance(node, ast.NamedExpr):
            todo += [node.target, node.value]
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            todo += list(ast.iter_child_nodes(node))[::-1]


def bound_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that the statements of a scope bind."""
    for node in walk(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ExceptHandler):
            yield from [node.name] if node.name else []
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def bindings(tree: ast.AST) -> Iterator[Any]:
    """Yield the names that are bound anywhere, each as often as it is, and None."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif not isinstance(node, ast.Name):
            yield getattr(node, "name", None) or getattr(node, "arg", None)
        elif not isinstance(node.ctx, ast.Load):
            yield node.id


def parameters(arguments: ast.arguments) -> list[str]:
    """Return the names of parameters, in the order of their slots."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [each for each in (arguments.vararg, arguments.kwarg) if each]
    return [each.arg for each in (*named, *rest)]


def deleted(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that a scope deletes, also at the end of an except clause."""
    found = set()
    for node in walk(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return frozenset(found)


def scope_of_function(node: ast.FunctionDef | ast.Lambda, outer: Scope) -> Scope:
    """Return the scope of a function."""
    body: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
    statements = node.body if isinstance(node, ast.FunctionDef) else []
    own = parameters(node.args)
    path = f"{getattr(node, 'name', '<lambda>')}.<locals>."
    scope = outer.inner("function", [*own, *bound_names(body)], path, statements)
    scope.fixed = frozenset(own) - deleted(body)
    return scope


def scope_of_comprehension(generators: list[ast.comprehension], outer: Scope) -> Scope:
    """Return the scope of the targets of a comprehension."""
    targets = [generator.target for generator in generators]
    names = [
        node.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return outer.inner("comprehension", names, "<comprehension>.<locals>.")
