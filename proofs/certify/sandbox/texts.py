"""The texts of things: what str(), format() and f-strings tell of a class, a function or an object
is the name of its module or an address, and both are others in a simulated run.
"""

from __future__ import annotations

import ast
import operator
from collections import defaultdict, deque
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

from proofs.certify.forbidden import Unmodelled
from proofs.certify.stand_ins import MODULE_NAME

MADE = "__text__"
"""What is asked before a thing becomes a text; no text can say this name itself (vetting.py)."""
NAMED = "__format_of__"
"""What is asked for a `format` that is named and not called."""
OWN: Any = object
PLAIN = (
    *(int, float, complex, str, bytes, bytearray, range, type(None), type(...), Fraction),
    *(np.generic, np.dtype),
)
"""What has the same text everywhere."""
OURS = ("codegen.", "proofs.")


def shown(thing: Any) -> Any:
    """Return a thing whose text is the same on real ranks; raise Unmodelled for another one."""
    if _tells(thing):
        raise Unmodelled(
            f"the text of one of type {type(thing).__name__}: it has an address or the name of a"
            " module, which are others in a simulated run"
        )
    return thing


def _tells(thing: Any) -> bool:
    kind = type(thing)
    if isinstance(thing, PLAIN) or kind.__module__.startswith(OURS):  # ours look for themselves
        return False
    if isinstance(thing, np.ndarray):
        return bool(thing.dtype.hasobject)
    if kind.__module__ == MODULE_NAME and not issubclass(kind, type):
        return kind.__repr__ is OWN.__repr__ or any(map(_tells, _fields(thing)))
    if isinstance(thing, dict):
        return isinstance(thing, defaultdict) or any(map(_tells, (*thing, *thing.values())))
    if isinstance(thing, list | tuple | set | frozenset | deque):
        return any(map(_tells, thing))
    return not isinstance(thing, BaseException) or any(map(_tells, thing.args))


def _fields(thing: Any) -> Iterator[Any]:
    """Yield what the text of a program's own object is made of by Python."""
    if isinstance(thing, BaseException):
        yield from thing.args
    if isinstance(thing, dict):
        yield from (*thing, *thing.values())
    elif isinstance(thing, tuple | list | set | frozenset):
        yield from thing
    if isinstance(thing, Enum):
        yield thing.value
    yield from (getattr(thing, name, None) for name in getattr(thing, "__dataclass_fields__", ()))


def format_of(thing: Any) -> Any:
    """Return `format` of what is no text; a text's makes texts of things that nobody looked at."""
    if issubclass(thing if isinstance(thing, type) else type(thing), str):
        raise Unmodelled(
            "the format of a text is named, and not called there: that is not modelled"
        )
    return thing.format


class Str(str):
    """str, which makes texts of things."""

    def __new__(cls, thing: Any = "", *more: Any) -> Any:
        """Return the text of a thing."""
        return str(shown(thing), *more)


def formatted(thing: Any, form: str = "") -> str:
    """format() of a thing."""
    return format(shown(thing), form)


LOOKING = {MADE: shown, NAMED: format_of}
"""What a text finds by these names."""
OPERATORS = {"mod": lambda a, b: operator.mod(a, shown(b)), "imod": lambda a, b: _imod(a, shown(b))}
"""What makes texts in the module operator."""


def _imod(a: Any, b: Any) -> Any:
    a %= b
    return a


def guarded(tree: ast.Module) -> ast.Module:
    """Return a text in which what f-strings, % and format make texts of is looked at before.

    >>> print(ast.unparse(guarded(ast.parse("print(f'{x}', a % y, n % 2, a.format)"))))
    print(f'{__text__(x)}', a % __text__(y), n % 2, __format_of__(a))
    """
    found: ast.Module = ast.fix_missing_locations(_Guard().visit(tree))
    return found


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes)


def _asked(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(MADE, ast.Load()), [node], []), node)


class _Guard(ast.NodeTransformer):
    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        node.value = _asked(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and not _is_number(node.right):
            node.right = _asked(node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and not _is_number(node.value):
            node.value = _asked(node.value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr != "format" or not isinstance(node.ctx, ast.Load):
            return node
        asked = ast.Call(ast.Name(NAMED, ast.Load()), [node.value], [])
        return ast.copy_location(asked, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = isinstance(node.func, ast.Attribute) and node.func.attr == "format"
        func = node.func
        if called and isinstance(func, ast.Attribute):
            func.value, node.func = self.visit(func.value), ast.Constant(None)
        self.generic_visit(node)
        if called:
            node.func = func
            node.args = [
                each if isinstance(each, ast.Starred) else _asked(each) for each in node.args
            ]
            for keyword in node.keywords:
                keyword.value = _asked(keyword.value)
        return node
