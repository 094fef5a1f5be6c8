"""The texts of things: what str(), format() and f-strings tell of a class, a function or an object
is the name of its module or an address, and both are others in a simulated run.
"""

from __future__ import annotations

import ast
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from proofs.certify.forbidden import Unmodelled

MADE = "__text__"
"""What is asked before a thing becomes a text; no text can say this name itself (vetting.py)."""
OWN: Any = object
TELLING = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType, GeneratorType)


def shown(thing: Any) -> Any:
    """Return a thing whose text is the same on real ranks; raise Unmodelled for another one."""
    if _tells(thing):
        raise Unmodelled(
            f"the text of one of type {type(thing).__name__}: it has an address or the name of a"
            " module, which are others in a simulated run"
        )
    return thing


def _tells(thing: Any) -> bool:
    if isinstance(thing, dict):
        return any(map(_tells, (*thing, *thing.values())))
    if isinstance(thing, list | tuple | set | frozenset):
        return any(map(_tells, thing))
    if isinstance(thing, BaseException):
        return any(map(_tells, thing.args))
    if isinstance(thing, np.ndarray):
        return bool(thing.dtype.hasobject)
    return isinstance(thing, TELLING) or (
        type(thing).__str__ is OWN.__str__ and type(thing).__repr__ is OWN.__repr__
    )


class Str(str):
    """str, which makes texts of things."""

    def __new__(cls, thing: Any = "", *more: Any) -> Any:
        """Return the text of a thing."""
        return str(shown(thing), *more)


def formatted(thing: Any, form: str = "") -> str:
    """format() of a thing."""
    return format(shown(thing), form)


def guarded(tree: ast.Module) -> ast.Module:
    """Return a text in which what f-strings, % and format make texts of is looked at before.

    >>> print(ast.unparse(guarded(ast.parse("print(f'{x}', 'a %s' % y)"))))
    print(f'{__text__(x)}', 'a %s' % __text__(y))
    """
    found: ast.Module = ast.fix_missing_locations(_Guard().visit(tree))
    return found


def _asked(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(MADE, ast.Load()), [node], []), node)


class _Guard(ast.NodeTransformer):
    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        node.value = _asked(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        text = isinstance(node.left, ast.JoinedStr) or (
            isinstance(node.left, ast.Constant) and isinstance(node.left.value, str | bytes)
        )
        if text and isinstance(node.op, ast.Mod):
            node.right = _asked(node.right)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            node.args = [
                each if isinstance(each, ast.Starred) else _asked(each) for each in node.args
            ]
            for keyword in node.keywords:
                keyword.value = _asked(keyword.value)
        return node
