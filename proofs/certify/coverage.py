"""What a certificate covers of a text: what the functions and constants of the contract reach by
the names that they use; `main` is not.
"""

from __future__ import annotations

import ast
import symtable

from proofs.certify.declaration import FUNCTIONS, INDICES
from proofs.certify.reading import CONSTANTS


def reached_by_contract(tree: ast.Module) -> list[ast.stmt]:
    r"""Return the statements of a module that the functions and constants of the contract reach, by
    the names that they use.

    >>> tree = ast.parse("a = 1\nb = a\nc = 2\ndef plan(comm):\n    return b\n")
    >>> [ast.unparse(statement).splitlines()[0] for statement in reached_by_contract(tree)]
    ['a = 1', 'b = a', 'def plan(comm):']
    """
    makers: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        for name in _bound(statement):
            makers.setdefault(name, []).append(statement)
    wanted, reached, taken = [*FUNCTIONS, *CONSTANTS, *INDICES], set[str](), set[ast.stmt]()
    while wanted:
        name = wanted.pop()
        if name not in reached:
            reached.add(name)
            fresh = [statement for statement in makers.get(name, []) if statement not in taken]
            taken.update(fresh)
            wanted += [used for statement in fresh for used in used_by(statement)]
    return [statement for statement in tree.body if statement in taken]


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def used_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement takes from its module; a variable of a function is another,
    though it may be called the same.
    """
    scopes = [symtable.symtable(ast.unparse(statement), "statement", "exec")]
    found = {symbol.get_name() for symbol in scopes[0].get_symbols() if symbol.is_referenced()}
    while scopes:
        inner = scopes.pop().get_children()
        scopes += inner
        found |= {
            symbol.get_name()
            for scope in inner
            for symbol in scope.get_symbols()
            if symbol.is_global()
        }
    return found
