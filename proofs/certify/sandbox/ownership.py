"""Attributes that a program sets: on what is its rank's own, and on nothing that ranks share in a
simulated run; and names that it asks for.

On real ranks every process has its own modules, classes and functions. Here ranks share those of
libraries, so an attribute that one sets on them, the others would see. What stands for a library's
function has another `__name__` than that one.
"""

from __future__ import annotations

import abc
import ast
import dataclasses
import functools
import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from codegen.mpi.sealed import Sealed
from proofs.certify.arrays.storage import Flags, Storage
from proofs.certify.forbidden import Unmodelled
from proofs.certify.stand_ins import MODULE_NAME

MADE = "__own__"
"""What is asked before an attribute is set; no text can say this name itself (vetting.py)."""
NAMED = "__named__"
"""What is asked for a `__name__`."""
HANDED = "__handed__"
"""What is asked about arguments by name that `**` hands on."""


def own(thing: Any) -> Any:
    """Return what a program sets an attribute of.

    Raises Unmodelled where it is a library's.
    """
    inner = inspect.unwrap(thing)  # of what has a cache
    if isinstance(inner, FunctionType):
        is_own = inner.__globals__.get("__name__") == MODULE_NAME
    elif isinstance(thing, type):
        is_own = thing.__module__ == MODULE_NAME
    elif isinstance(thing, ModuleType | Storage | Flags | np.ndarray | BaseException | Sealed):
        is_own = True  # stand-ins look for themselves
    else:
        is_own = type(thing).__module__ == MODULE_NAME
    if not is_own and not isinstance(thing, type(np.zeros(0).flags)):
        kind = getattr(thing, "__name__", None) or type(thing).__name__
        raise Unmodelled(
            f"an attribute of {kind} is set, which is a library's: ranks share it here, and not"
            " there"
        )
    return thing


def named(thing: Any) -> str:
    """Return the name of a function or a class of the program's own, or a class of Python or numpy.

    Raises Unmodelled where it is another's.
    """
    if isinstance(thing, FunctionType):
        is_own = thing.__globals__.get("__name__") == MODULE_NAME
    else:
        is_own = (thing if isinstance(thing, type) else type(thing)).__module__ in (
            MODULE_NAME,
            "builtins",
            "numpy",
        )
    if not is_own or isinstance(thing, BuiltinFunctionType | ModuleType):
        raise Unmodelled(
            "the __name__ of what is a library's: it is another one in a simulated run"
        )
    return str(thing.__name__)


def wraps(wrapped: Any) -> Callable[[Any], Any]:
    """functools.wraps with its default attributes, of the program's own functions."""
    named(inspect.unwrap(wrapped))
    return lambda wrapper: functools.wraps(wrapped)(own(wrapper))


def _on_own(decorator: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator, which sets attributes, for what is the program's own alone."""

    def decorated(*things: Any, **options: Any) -> Any:
        if not things:
            return lambda thing: decorated(thing, **options)
        return decorator(*map(own, things), **options)

    return decorated


DECORATING: dict[str, dict[str, Callable[..., Any]]] = {
    "abc": {"abstractmethod": _on_own(abc.abstractmethod)},
    "dataclasses": {"dataclass": _on_own(dataclasses.dataclass)},
    "functools": {"total_ordering": _on_own(functools.total_ordering), "wraps": wraps},
}
"""Decorators that set attributes of what they are given, by module."""


def keywords(given: Any) -> Any:
    """Return arguments by name, as `**` hands them on; raise Unmodelled for what vetting.py refuses
    where it is written out.
    """
    if "where" in given:
        raise Unmodelled("where= leaves entries that nobody writes: np.where chooses")
    return given


ASKED: dict[str, Callable[..., Any]] = {MADE: own, NAMED: named, HANDED: keywords}
"""What a text that is guarded finds by these names."""


class _Guard(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            return _call(NAMED, node.value) if node.attr == "__name__" else node
        return ast.copy_location(ast.Attribute(_call(MADE, node.value), node.attr, node.ctx), node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        node.value = node.value if node.arg else _call(HANDED, node.value)
        return node


def _call(name: str, asked: ast.expr) -> ast.Call:
    """Return a call of what goes by this name, with this argument."""
    return ast.fix_missing_locations(
        ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [asked], []), asked)
    )


def guarded(tree: ast.Module) -> ast.Module:
    """Return a text that asks before it sets or deletes an attribute, reads a name, or hands
    arguments on.

    >>> print(ast.unparse(guarded(ast.parse("a.b = c.d + f(e.__name__, **g)"))))
    __own__(a).b = c.d + f(__named__(e), **__handed__(g))
    """
    done: ast.Module = _Guard().visit(tree)
    return done
