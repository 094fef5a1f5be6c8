"""Imports: names of modules in the tables of the language."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from proofs.certify.language.library_rules import Library
from proofs.certify.language.rules.closures import STATEMENTS, Statement, rule_of
from proofs.certify.language.rules.names import put_at
from proofs.certify.language.scopes import STATE, Frame, Scope
from proofs.certify.language.table_entries import Undecided, not_in_language
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


def module(library: Library, name: str, line: int) -> Namespace:
    """Return a module."""
    names = known(library, name)
    if names is None:
        raise Undecided(f"module {name} is not in the language", line)
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
    wanted = [
        (alias.name if alias.asname else alias.name.partition(".")[0], alias.name)
        for alias in node.names
    ]
    puts = [
        put_at(scope.place(name), name)
        for name in (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    ]
    line = node.lineno

    def run(frame: Frame) -> None:
        library = frame[STATE].library
        for (name, full), put in zip(wanted, puts, strict=True):
            module(library, full, line)
            put(frame, module(library, name, line))

    return run


@rule_of(STATEMENTS, ast.ImportFrom)
def importing_from(node: ast.ImportFrom, scope: Scope) -> Statement:
    """Return what gives names of a module."""
    line, source = node.lineno, node.module or ""
    if node.level:
        raise Undecided("a relative import; a program is one file", line)
    wanted = [
        (alias.name, put_at(scope.place(alias.asname or alias.name), alias.asname or alias.name))
        for alias in node.names
    ]

    def run(frame: Frame) -> None:
        found = module(frame[STATE].library, source, line)
        for name, put in wanted:
            if name not in found.names:
                raise Undecided(not_in_language(f"{source}.{name}"), line)
            put(frame, found.names[name])

    return run
