"""Attributes that a program sets: on what is its rank's own, and on nothing that ranks share in a
simulated run; and names that it asks for.

On real ranks every process has its own modules, classes and functions. Here ranks share those of
libraries, so an attribute that one sets on them, the others would see. What stands for a library's
function has another `__name__` than that one.
"""

from __future__ import annotations

import ast
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


def own(thing: Any) -> Any:
    """Return what a program sets an attribute of.

    Raises Unmodelled where it is a library's.
    """
    if isinstance(thing, FunctionType):
        is_own = thing.__globals__.get("__name__") == MODULE_NAME
    elif isinstance(thing, type):
        is_own = thing.__module__ == MODULE_NAME
    elif isinstance(thing, ModuleType | Storage | Flags | np.ndarray | BaseException | Sealed):
        is_own = True  # stand-ins look for themselves
    else:
        is_own = type(thing).__module__ == MODULE_NAME or hasattr(thing, "__wrapped__")
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


class _Guard(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            return _call(NAMED, node) if node.attr == "__name__" else node
        return ast.copy_location(ast.Attribute(_call(MADE, node), node.attr, node.ctx), node)


def _call(name: str, node: ast.Attribute) -> ast.Call:
    """Return a call of what goes by this name, with what an attribute is of."""
    return ast.fix_missing_locations(
        ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [node.value], []), node)
    )


def guarded(tree: ast.Module) -> ast.Module:
    """Return a text that asks before it sets or deletes an attribute, or reads a name.

    >>> print(ast.unparse(guarded(ast.parse("a.b = c.d + e.__name__"))))
    __own__(a).b = c.d + __named__(e)
    """
    done: ast.Module = _Guard().visit(tree)
    return done
