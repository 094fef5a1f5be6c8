"""Loops whose rounds may be evaluated at once: which ones hand no name from a round to the next.

    body = (name = value | name op= value | value | if | for)*

`State.rounds`, where there is one, decides what the variable of a loop is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Names = frozenset[str]


@dataclass(eq=False, slots=True)
class Loop:
    """A loop of a program: whether its rounds may be independent, and whether they were not.

    `scratch` has the memories of a kernel, by the order of their first use, of which each round may
    have a copy.
    """

    line: int
    independent: bool
    in_order: bool = False
    scratch: set[int] = field(default_factory=set)


def loop_of(node: ast.For) -> Loop:
    """Return what is known of a loop before it runs."""
    bound = _bound([node.target, *node.body])
    target = _bound([node.target])
    return Loop(node.lineno, _after(node.body, target, bound) is not None)


def _bound(nodes: Iterable[ast.AST]) -> Names:
    return frozenset(
        each.id
        for node in nodes
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    )


def _after(body: Sequence[ast.stmt], known: Names, bound: Names) -> Names | None:
    """Return the names that a round has set after statements, None if it may read one before.

    `bound` are all names that a round may set.
    """
    found: Names | None = known
    for node in body:
        found = _after_one(node, known, bound)
        if found is None:
            return None
        known = found
    return found


def _after_one(node: ast.stmt, known: Names, bound: Names) -> Names | None:
    match node:
        case ast.Assign(targets=targets, value=value):
            return known | _bound(targets) if _sure([value, *targets], known, bound) else None
        case ast.AugAssign(target=ast.Name(name), value=value):
            return known if name in known and _sure([value], known, bound) else None
        case ast.AugAssign() | ast.Expr():
            return known if _sure([node], known, bound) else None
        case ast.Pass():
            return known
        case ast.If(test=test, body=body, orelse=orelse) if _sure([test], known, bound):
            one, other = (_after(each, known, bound) for each in (body, orelse))
            return None if one is None or other is None else one & other
        case ast.For(target=target, iter=values, body=body, orelse=[]):
            within = known | _bound([target])
            if _sure([values], known, bound) and _after(body, within, bound) is not None:
                return known
    return None


def _sure(nodes: Sequence[ast.AST], known: Names, bound: Names) -> bool:
    """Return whether all names that are read are set before, or not in the loop."""
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.NamedExpr):
                return False
            read = isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
            if read and each.id in bound - known:  # type: ignore[attr-defined]
                return False
    return True
