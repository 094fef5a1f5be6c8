"""Imports: names of modules in the tables of the language."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from proofs.certify.language.library_rules import Library
from proofs.certify.language.rules.closures import STATEMENTS, Put, Statement, rule_of
from proofs.certify.language.rules.names import put_at
from proofs.certify.language.scopes import STATE, Frame, Scope
from proofs.certify.language.tables.standard import STANDARD
from proofs.certify.language.values.function_values import Namespace


def known(library: Library, name: str) -> Mapping[str, Any] | None:
    """Return the names of a module; None if the language has no such module."""
    first, *rest = name.split(".")
    if name in library.modules or name in STANDARD:
        return library.modules.get(name, STANDARD.get(name))
    found: Any = library.modules.get(first, STANDARD.get(first))
    for each in rest:
        found = found.get(each) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def module(library: Library, name: str) -> Namespace:
    """Return a module, which the language has (program_grammar.py)."""
    names = known(library, name)
    assert names is not None, name
    return _namespace(library, name, names)


def _namespace(library: Library, name: str, names: Mapping[str, Any]) -> Namespace:
    if name not in library.loaded:
        inner = {
            key: _namespace(library, f"{name}.{key}", value) if isinstance(value, dict) else value
            for key, value in names.items()
        }
        library.loaded[name] = Namespace(name, inner)
    return library.loaded[name]


@rule_of(STATEMENTS, ast.Import)
def importing(node: ast.Import, scope: Scope) -> Statement:
    """Return what gives modules names."""
    wanted = list[tuple[str, Put]]()
    for alias in node.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        wanted.append((name, put_at(scope.place(alias.asname or name), alias.asname or name)))

    def run(frame: Frame) -> None:
        for name, put in wanted:
            put(frame, module(frame[STATE].library, name))

    return run


@rule_of(STATEMENTS, ast.ImportFrom)
def importing_from(node: ast.ImportFrom, scope: Scope) -> Statement:
    """Return what gives names of a module."""
    source = node.module or ""
    wanted = [
        (alias.name, put_at(scope.place(alias.asname or alias.name), alias.asname or alias.name))
        for alias in node.names
    ]

    def run(frame: Frame) -> None:
        found = module(frame[STATE].library, source)
        for name, put in wanted:
            put(frame, found.names[name])

    return run
