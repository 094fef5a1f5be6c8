"""The modules of the packages, and what they import."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.support.paths import ROOT

MAY_IMPORT = {
    "derive": {"derive"},
    "codegen": {"derive", "codegen"},
    "proofs": {"derive", "codegen", "proofs"},
    "nodewright": {"derive", "codegen", "proofs", "nodewright"},
}
"""The packages, and which of them each one knows."""

TRUSTED = tuple(
    sorted(
        path.relative_to(ROOT).as_posix()
        for folder in ("kernel", "blocks")
        for path in (ROOT / "proofs" / folder).glob("*.py")
    )
)
"""What every proof rests on: these know the standard library and each other."""

MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for package in MAY_IMPORT
    for path in (ROOT / package).rglob("*.py")
)


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_bytes(), module)


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the full names of the modules that a tree imports, at its top or anywhere below."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module if node.level == 0 and node.module else "." * node.level


def names_in_strings(tree: ast.AST) -> Iterator[str]:
    """Yield the strings that are names of modules of the packages, or beginnings of such."""
    name = re.compile(rf"({'|'.join(MAY_IMPORT)})\.[\w.]*")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and name.fullmatch(str(node.value)):
            yield str(node.value)


def imported_modules(module: str) -> set[str]:
    """Return the modules of the packages that a module imports, by name; of a package that it
    imports modules from, these alone.
    """
    found = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            within = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= within & NAMES.keys() or {str(node.module)}
            found |= {str(node.module)} if within - NAMES.keys() else set()
    return found & NAMES.keys() - {named(module)}


def named(module: str) -> str:
    """Return the name of the module in a file."""
    return module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


NAMES = {named(module): module for module in MODULES}


@cache
def libraries(module: str) -> set[str]:
    return {name.partition(".")[0] for name in imports(tree_of(module))}
