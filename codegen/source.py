"""Texts of the functions and classes that are the same in every program: these stand in Python, the
others in templates.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def functions_of(module: str) -> dict[str, str]:
    """Return the texts of the functions and classes of a module of codegen by their names, each
    with its decorators and the end of its last line.

    >>> print(functions_of("emit/verbatim/by_numba")["fft2"], end="")
    def fft2(v):
        \"\"\"Return F_2 of two vectors.\"\"\"
        a, b = v
        return a + b, a - b
    """
    text = (HERE / f"{module}.py").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    return {
        node.name: "".join(lines[_first(node) - 1 : node.end_lineno])
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def _first(node: ast.FunctionDef | ast.ClassDef) -> int:
    """Return the line of the first decorator, or of the definition."""
    return min(part.lineno for part in (node, *node.decorator_list))
