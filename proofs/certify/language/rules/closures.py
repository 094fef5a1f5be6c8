"""Statements and expressions as closures: which rule makes one of a node of the syntax tree.

A program is compiled once; its closures are shared by all ranks, which differ in their frames.
An expression's closure returns its value. A statement's returns None, or how it leaves the block.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, TypeVar

from proofs.certify.language.scopes import Frame, Scope
from proofs.certify.language.table_entries import Undecided


class Leave(Enum):
    """How a statement leaves its block: the value of `return` is in the frame."""

    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


Expression = Callable[[Frame], Any]
Statement = Callable[[Frame], Leave | None]
Put = Callable[[Frame, Any], None]

EXPRESSIONS: dict[type[ast.expr], Callable[[Any, Scope], Expression]] = {}
STATEMENTS: dict[type[ast.stmt], Callable[[Any, Scope], Statement]] = {}
TARGETS: dict[type[ast.expr], Callable[[Any, Scope], Put]] = {}

Rule = TypeVar("Rule", bound=Callable[..., Any])


def rule_of(table: dict[Any, Any], *kinds: type[ast.AST]) -> Callable[[Rule], Rule]:
    """Return a decorator that enters a rule for kinds of nodes in a table."""

    def enter(rule: Rule) -> Rule:
        table.update(dict.fromkeys(kinds, rule))
        return rule

    return enter


def expression(node: ast.expr, scope: Scope) -> Expression:
    """Return the closure of an expression."""
    return _rule(EXPRESSIONS, node)(node, scope)


def statement(node: ast.stmt, scope: Scope) -> Statement:
    """Return the closure of a statement."""
    return _rule(STATEMENTS, node)(node, scope)


def target(node: ast.expr, scope: Scope) -> Put:
    """Return what puts a value where an assignment says."""
    return _rule(TARGETS, node)(node, scope)


def _rule(table: Any, node: ast.expr | ast.stmt) -> Any:
    if type(node) not in table:
        raise Undecided(f"{type(node).__name__} is not in the language", node.lineno)
    return table[type(node)]


def block(nodes: Sequence[ast.stmt], scope: Scope) -> Statement:
    """Return the closure of statements, one after the other."""
    parts = tuple(statement(node, scope) for node in nodes)
    if not parts:
        return lambda frame: None
    if len(parts) == 1:
        return parts[0]

    def run(frame: Frame) -> Leave | None:
        for part in parts:
            left = part(frame)
            if left is not None:
                return left
        return None

    return run
