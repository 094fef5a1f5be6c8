"""Attributes of a text's own classes that are called as something of ours is, or begin with an
underscore: they get names of their own.

So a text may say `self._work` or `self.root`, and reaches nothing behind the stand-ins by saying
it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

OF_TUPLES = ("_replace", "_asdict", "_fields", "_make", "_field_defaults")
"""What named tuples have."""
Renamed = Mapping[str, str]


def renamed(tree: ast.Module, is_closed: Callable[[str], bool]) -> Renamed:
    r"""Return the closed names that a text gives to attributes of its own, with their new names.

    >>> renamed(ast.parse("class A:\n    def f(self):\n        self._x = self._y"), lambda name: name[0] == "_")
    {'_x': 'own__x'}
    """  # noqa: E501
    nodes = [*ast.walk(tree)]
    bound = {name for name in _bound(nodes) if is_closed(name)} - _fields_said(nodes)
    taken = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
    }
    free = next(
        prefix
        for prefix in ("own_" + "_" * k for k in range(len(taken) + 1))
        if not {prefix + name for name in bound} & taken
    )
    return {name: free + name for name in sorted(bound)}


def _fields_said(nodes: list[ast.AST]) -> set[str]:
    """Return annotated names of classes, data classes' fields too, that are arguments by name."""
    classes = [
        statement for node in nodes if isinstance(node, ast.ClassDef) for statement in node.body
    ]
    fields = {
        ast.unparse(statement.target)
        for statement in classes
        if isinstance(statement, ast.AnnAssign)
    }
    return fields & {str(node.arg) for node in nodes if isinstance(node, ast.keyword)}


def _bound(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names of attributes that a text sets, and of what stands in its classes."""
    for node in nodes:
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.ClassDef(body=body):
                for statement in body:
                    yield from _in_class(statement)


def _in_class(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        yield from (
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__slots__":
            yield from (
                node.value
                for node in ast.walk(statement.value)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: Renamed) -> None:
        self.names, self.inside = names, False

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self.names.get(node.attr, node.attr)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._within(node, True)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self.inside:
            node.name = self.names.get(node.name, node.name)
            node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        return self._within(node, False)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._within(node, False)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id) if self.inside else node.id
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if self.inside and ast.unparse(node.targets[0]) == "__slots__":
            for each in ast.walk(node.value):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    each.value = self.names.get(each.value, each.value)
        return node

    def _within(self, node: ast.AST, inside: bool) -> ast.AST:
        before, self.inside = self.inside, inside
        self.generic_visit(node)
        self.inside = before
        return node


def given(tree: ast.Module, names: Renamed) -> ast.Module:
    r"""Return a text with these new names.

    >>> print(ast.unparse(given(ast.parse("class A:\n    _x = 1\n    def _f(self, _x):\n        return self._x + _x"), {"_x": "x", "_f": "f"})))
    class A:
        x = 1
    <BLANKLINE>
        def f(self, _x):
            return self.x + _x
    """  # noqa: E501
    if not names:
        return tree
    done: ast.Module = _Renaming(names).visit(tree)
    return done
