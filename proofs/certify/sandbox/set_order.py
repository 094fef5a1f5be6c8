"""Sets in a simulated run: an order that hangs on hashes is another one on every rank.

Each process of Python hashes texts by a seed of its own, and other objects by where they lie, so
two ranks go through equal sets in different orders, and so does one rank in two runs. Within a run
its order stays. Numbers, and tuples of them, are hashed alike everywhere: sets of these keep their
order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import wraps
from typing import Any

import numpy as np

from codegen.mpi.accidents import accident
from codegen.mpi.ranks import running

MADE = "__set__"
"""The name that makes the set of a display or comprehension; no text can say it (vetting.py)."""
BY_VALUE: tuple[Any, ...] = (int.__hash__, float.__hash__, complex.__hash__)
"""What hashes numbers: the same on every rank."""
MAKE_SETS = (
    *("copy", "union", "intersection", "difference", "symmetric_difference"),
    *("__and__", "__or__", "__sub__", "__xor__", "__rand__", "__ror__", "__rsub__", "__rxor__"),
)


def ordered(members: Iterable[Any]) -> list[Any]:
    """Return the members of a set in the order of the rank that runs, another one under every
    accident.

    >>> ordered(iter([3, 1]))
    [3, 1]
    """
    found, rank = list(members), running()
    if rank is None or all(map(_is_hashed_alike, found)):
        return found
    found.sort(
        key=lambda member: (type(member).__name__, repr(member)),
        reverse=bool((rank.rank + accident()) % 2),
    )
    first = (rank.rank // 2 + accident() // 2) % len(found)
    return found[first:] + found[:first]


def _is_hashed_alike(member: Any) -> bool:
    if type(member) is tuple:
        return all(map(_is_hashed_alike, member))
    return type(member).__hash__ in BY_VALUE or isinstance(member, np.number | np.bool_)


def _closed(kind: type) -> type:
    """Return the class with every operation on its sets giving one of its own again."""

    def of(name: str) -> Any:
        original = getattr(kind.__base__, name)

        @wraps(original)
        def made(*arguments: Any) -> Any:
            found = original(*arguments)
            return found if found is NotImplemented else kind(found)

        return made

    for name in MAKE_SETS:
        setattr(kind, name, of(name))
    return kind


@_closed
class Set(set[Any]):
    """A set of one rank."""

    def __iter__(self) -> Iterator[Any]:
        return iter(ordered(super().__iter__()))

    def pop(self) -> Any:
        for member in self:
            self.remove(member)
            return member
        raise KeyError("pop from an empty set")


@_closed
class Frozen(frozenset[Any]):
    """A frozen set of one rank."""

    def __iter__(self) -> Iterator[Any]:
        return iter(ordered(super().__iter__()))


class _Displays(ast.NodeTransformer):
    def visit_Set(self, node: ast.Set) -> ast.AST:
        return _made(node, ast.List([self.visit(member) for member in node.elts], ast.Load()))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return _made(node, ast.ListComp(node.elt, node.generators))


def _made(node: ast.expr, members: ast.expr) -> ast.AST:
    return ast.fix_missing_locations(
        ast.copy_location(
            ast.Call(ast.Name(MADE, ast.Load()), [ast.copy_location(members, node)], []), node
        )
    )


def by_rank(tree: ast.Module) -> ast.Module:
    """Return a text with the sets that it writes made here.

    >>> print(ast.unparse(by_rank(ast.parse("a = {1, *b}, {str(c) for c in a}"))))
    a = (__set__([1, *b]), __set__([str(c) for c in a]))
    """
    done: ast.Module = _Displays().visit(tree)
    return done
