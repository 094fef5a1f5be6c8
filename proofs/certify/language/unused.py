"""Imports of modules that a program does not use."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from proofs.certify.language.library_rules import Library
from proofs.certify.language.program_grammar import reached
from proofs.certify.language.rules.imports import known
from proofs.certify.language.scopes import bindings, bound_names


def without_unused_imports(
    tree: ast.Module, library: Library, roots: Iterable[str]
) -> dict[str, int]:
    """Leave out what a module imports that is not in the language and that the roots do not reach,
    and return the modules that it is imported from, each with its line. Paths that are
    defaults of functions such as `main` are left out as well.

    A name in capitals is taken to be a constant that the program declares, and one that begins with
    two underscores to be Python's own.
    """
    unused, found, roots = set[ast.alias](), dict[str, int](), tuple(roots)
    _leave_out_paths(tree, [*reached(tree, roots)])
    used = {*roots}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]  # which are evaluated
    for part in (*reached(tree, roots), *classes):
        if not _is_optional(part):
            used |= {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
    for node in [node for node in tree.body if _is_optional(node)]:
        if not any(_is_seen(name, used) for name in bound_names([node])):
            tree.body.remove(node)
            aliases = [each for each in ast.walk(node) if isinstance(each, ast.alias)]
            found |= {each.name: each.lineno for each in aliases}
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom) or getattr(node, "level", False):
            continue
        source = getattr(node, "module", None)
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            names = known(library, source or alias.name)
            is_known = names is not None and (source is None or alias.name in names)
            if not (is_known or _is_seen(name, used) or source == "__future__"):
                unused.add(alias)
                found.setdefault(f"{source}.{alias.name}" if source else alias.name, node.lineno)
        node.names = [alias for alias in node.names if alias not in unused]
    tree.body = [node for node in tree.body if getattr(node, "names", True)]
    return found


def leave_out_types(tree: ast.Module) -> None:
    """Leave out `if TYPE_CHECKING: import ..`, which is False where a program runs."""
    imports = [alias for node in tree.body for alias in _from(node, "typing")]
    names = [alias.asname or alias.name for alias in imports]
    if names.count("TYPE_CHECKING") == 1 and [*bindings(tree)].count("TYPE_CHECKING") == 1:
        first = next(i for i, node in enumerate(tree.body) if _from(node, "typing"))
        later = [node for node in tree.body[first:] if not _is_for_types(node)]
        tree.body = tree.body[:first] + later


def _from(node: ast.stmt, module: str) -> list[ast.alias]:
    """Return what a statement imports from a module."""
    if isinstance(node, ast.ImportFrom) and node.module == module and not node.level:
        return node.names
    return []


def _is_for_types(node: ast.stmt) -> bool:
    """Return whether a statement is `if TYPE_CHECKING: import ..`."""
    match node:
        case ast.If(ast.Name("TYPE_CHECKING"), body, []):
            return all(isinstance(each, ast.Import | ast.ImportFrom) for each in body)
    return False


def _leave_out_paths(tree: ast.Module, parts: list[ast.AST]) -> None:
    """Put None for paths that are defaults of functions which the roots do not reach."""
    paths = {alias.asname or alias.name for node in tree.body for alias in _from(node, "pathlib")}
    bound = [*bindings(tree)]
    paths = {name for name in paths if bound.count(name) == 1}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not any(node is part for part in parts):
            for defaults in (node.args.defaults, node.args.kw_defaults):
                defaults[:] = [_without_path(each, paths) for each in defaults]


def _without_path(default: ast.expr | None, paths: set[str]) -> Any:
    match default:
        case ast.Call(ast.Name(name), [ast.Constant(str())], []) if name in paths:
            return ast.copy_location(ast.Constant(None), default)
    return default


def _is_seen(name: str, used: set[str]) -> bool:
    return name in used or name.isupper() or name.startswith(("*", "__"))


def _is_optional(node: ast.AST) -> bool:
    """Return whether a statement imports modules if they are there: `try: import ..`."""
    match node:
        case ast.Try(body=body, handlers=handlers, orelse=[], finalbody=[]):
            imports = all(isinstance(each, ast.Import) for each in body)
            return imports and all(map(_only_names, handlers))
    return False


def _only_names(handler: ast.ExceptHandler) -> bool:
    """Return whether what is done where a module is missing gives names constants, and no more."""
    match handler.type:
        case None | ast.Name("ImportError" | "ModuleNotFoundError" | "Exception"):
            pass
        case _:
            return False
    for node in handler.body:
        match node:
            case ast.Pass():
                pass
            case ast.Assign(targets=targets, value=ast.Constant()):
                if not all(isinstance(target, ast.Name) for target in targets):
                    return False
            case _:
                return False
    return True
