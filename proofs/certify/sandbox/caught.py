"""Errors that a program catches, of whose words and types it could tell that it is watched.

What stands for numpy, MPI and parts of Python raises errors where these do, but in other words. So
wherever an error may be caught, its passing is noted: where a `try` or a `with` is left by it, and
every function. That calls are too deep is noted without a call.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import opcode
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from codegen.mpi.faults import Final
from proofs.certify.stand_ins import MODULE_NAME

MADE = "__noted__"
"""What is called while an error passes; no text can say this name itself (vetting.py)."""
TOO_DEEP, DEEP = "__too_deep__", "__deep__"
"""Caught where calls are too deep, and where that is noted without a call."""
DEPTH: dict[str, bool] = {}
OURS = ("codegen.", "proofs.")
RAISES = opcode.opmap["RAISE_VARARGS"]


def noted() -> None:
    """Note the error that is being handled where it comes from what is not the program's own."""
    error, kept = sys.exc_info()[1], Final.kept
    if kept is None or not isinstance(error, Exception) or isinstance(error, Final):
        return
    if all(error is not known for known in kept) and _is_foreign(error):
        kept.append(error)


NOTING = {MADE: noted, TOO_DEEP: RecursionError, DEEP: DEPTH}
"""What a text that has errors noted finds by these names."""


def _is_foreign(error: Exception) -> bool:
    """Return whether a stand-in raises an error, or Python where it tells the type of something,
    and no statement of the program.
    """
    ours, raised = False, False
    for trace in _traces(error):
        module = str(trace.tb_frame.f_globals.get("__name__"))
        own = module == MODULE_NAME
        ours = not own and (ours or module.startswith(OURS))
        raised = own and trace.tb_frame.f_code.co_code[trace.tb_lasti] == RAISES
    return ours or (not raised and _tells_types(error))


def _traces(error: Exception) -> Iterator[TracebackType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _tells_types(error: Exception) -> bool:
    """Return whether an error of Python's own tells what a stand-in is, or which names there are,
    or how deep it is called, or how large memory is.
    """
    if isinstance(error, AttributeError):
        return type(error.obj).__module__.startswith(OURS) or (
            error.obj is None and "'NoneType'" not in str(error)
        )
    return isinstance(error, TypeError | NameError | ImportError | RecursionError | MemoryError)


class Stack(contextlib.ExitStack):
    """contextlib.ExitStack, which notes an error between one way out and the next."""

    __module__ = "contextlib"  # what it holds is a program's (proofs/certify/state/holding.py)

    def _push_exit_callback(self, callback: Callable[..., Any], is_sync: bool = True) -> None:
        def way_out(*arguments: Any) -> Any:
            try:
                return callback(*arguments)
            except BaseException:
                noted()
                raise

        super()._push_exit_callback(way_out, is_sync)  # type: ignore[misc]


class _Noting(ast.NodeTransformer):
    def visit_Try(self, node: ast.Try | ast.TryStar) -> ast.AST:
        self.generic_visit(node)
        node.body = _noting(node.body)
        if node.finalbody:
            node.orelse = _noting(node.orelse)
            for handler in node.handlers:
                handler.body = _noting(handler.body)
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.AST:
        self.generic_visit(node)
        node.body = _noting(node.body)
        for item in node.items[:0:-1]:
            node.body = _noting([ast.copy_location(type(node)([item], node.body), node)])
        node.items = node.items[:1]
        return node

    visit_AsyncWith = visit_With

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        first = int(ast.get_docstring(node) is not None)
        node.body[first:] = _noting(node.body[first:])
        return node

    visit_AsyncFunctionDef = visit_FunctionDef


NOTED = ast.parse(
    f"""
try:
    try:
        pass
    except:
        {MADE}()
        raise
except {TOO_DEEP}:
    {DEEP}["too deep"] = True
    raise
"""
)


def _noting(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements that do the same, and note an error that leaves them."""
    if not body:
        return []
    noting: Any = copy.deepcopy(NOTED.body[0])
    for node in ast.walk(noting):
        ast.copy_location(node, body[0])
    noting.body[0].body = body
    return [noting]


def watched(tree: ast.Module) -> ast.Module:
    r"""Return a text that has every error noted that it may catch.

    >>> print(ast.unparse(watched(ast.parse("with a as b:\n    pass"))))
    with a as b:
        try:
            try:
                pass
            except:
                __noted__()
                raise
        except __too_deep__:
            __deep__['too deep'] = True
            raise
    """
    done: ast.Module = _Noting().visit(tree)
    return done
