"""Code that runs when a generator is dropped, at a time that no run decides: what a `yield` is left
by when nobody asks for more.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

ERRORS = {
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception)
}
"""What a dropped generator does not raise."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def dropped(statement: ast.stmt, bound: set[str]) -> Iterator[tuple[int, str]]:
    r"""Yield where a generator does something when it is dropped; `bound` are names that the text
    binds, of which none is taken for Python's.

    >>> [*dropped(ast.parse("def f():\n    try:\n        yield\n    finally:\n        g()").body[0], set())]
    [(2, 'a yield that is left through a `finally`, a `with` or a handler of all errors: what is done there is done when the generator is dropped, whenever that is')]
    """  # noqa: E501
    for node in ast.walk(statement):
        if _runs(node, bound) and any(map(_yields, node.body)):  # type: ignore[attr-defined]
            yield (
                node.lineno,  # type: ignore[attr-defined]
                (
                    "a yield that is left through a `finally`, a `with` or a handler of all errors:"
                    " what is done there is done when the generator is dropped, whenever that is"
                ),
            )


def _runs(node: ast.AST, bound: set[str]) -> bool:
    """Return whether code of a statement runs when a generator is dropped within it."""
    match node:
        case ast.Try(finalbody=[]) | ast.TryStar(finalbody=[]):
            kinds = [handler.type for handler in node.handlers]
            return any(kind is None or not _are_errors(kind, bound) for kind in kinds)
        case ast.Try() | ast.TryStar() | ast.With() | ast.AsyncWith():
            return True
    return False


def _are_errors(kind: ast.expr, bound: set[str]) -> bool:
    if isinstance(kind, ast.Tuple):
        return all(_are_errors(each, bound) for each in kind.elts)
    return isinstance(kind, ast.Name) and kind.id in ERRORS - bound


def _yields(node: ast.AST) -> bool:
    """Return whether a generator may be left here, in the same function."""
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return True
    return not isinstance(node, FUNCTIONS) and any(map(_yields, ast.iter_child_nodes(node)))
