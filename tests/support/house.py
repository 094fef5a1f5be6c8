"""The modules of the packages, and what they import."""

from __future__ import annotations

import ast
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


def libraries(module: str) -> set[str]:
    return {name.partition(".")[0] for name in imports(tree_of(module))}
