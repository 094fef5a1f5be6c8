"""What a text may not say, wherever it stands: names that reach behind the stand-ins of a simulated run, or tell that it is one.

A node program needs none of them. What can only be seen when it happens is refused there (proofs/sandbox.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import numpy as np

from codegen.kernels.plain import Line, Memory
from codegen.kernels.plain_vectors import Vector as Numbers
from codegen.mpi.buffers import Octets
from proofs.elements import Elements
from proofs.tokens import Tokens
from proofs.vectors import Data, Vector

OPEN = ("__init__", "__enter__", "__exit__", "__call__", "__name__", "__doc__", "__file__", "__future__")
"""Names with underscores that are no way behind anything."""
STAND_INS = {
    *dir(Elements),
    *dir(Tokens),
    *vars(Octets),
    *Memory.__slots__,
    *Line.__slots__,
    *Numbers.__slots__,
    *Vector.__slots__,
    *Data.__slots__,
}
OURS = {*STAND_INS, "parts", "root", "scalar", "recognizer", "elements"} - {*dir(np.ndarray), *dir(np)}
FRAMES = {"gi_frame", "gi_code", "f_back", "f_globals", "f_locals", "f_builtins", "f_code", "tb_frame", "tb_next", "cr_frame", "ag_frame"}
FILES = {"dump", "tofile"}
"""Methods of arrays that write files."""
BY_TEXT = {"attrgetter", "methodcaller", "format_map", "get_type_hints", "make_dataclass"}
"""Functions that take names of attributes, or code, as text."""
ATTRIBUTE_BY_TEXT = re.compile(r"\{\w*[.\[]\w*[^}]*\}")


def modules(tree: ast.AST) -> set[str]:
    """Return the modules that a text imports, by the first part of their names."""
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def vetted(tree: ast.Module) -> ast.Module:
    """Return the text as it is.

    Raises ValueError with the first line that says what no node program needs.
    """
    for line, words in sorted(_strange(tree)):
        raise ValueError(f"line {line}: {words}")
    return tree


def _strange(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            names = (node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == "__name__")
            yield from ((node.lineno, "a function asks for __name__: it does as a script what it does when imported") for node in names)
    for node in ast.walk(tree):
        match node:
            case ast.MatchClass():
                yield node.lineno, "a pattern of a class asks for the type of a value"
            case ast.Attribute(attr=name) if is_closed(name):
                yield node.lineno, f"the name .{name} reaches behind what a node program works with"
            case ast.ImportFrom(names=aliases):
                closed = [name for name in (*(node.module or "").split("."), *(alias.name for alias in aliases)) if is_closed(name)]
                yield from ((node.lineno, f"the name {name} reaches behind what a node program works with") for name in closed)
            case ast.Import(names=aliases) if any(is_closed(part) for alias in aliases for part in alias.name.split(".")):
                yield node.lineno, f"the import of {', '.join(alias.name for alias in aliases)} reaches behind what a node program works with"
            case ast.Constant(value=str(text)) if ATTRIBUTE_BY_TEXT.search(text):
                yield node.lineno, "a text that is formatted with an attribute of what is put into it"
            case ast.Name(id=name) if name.startswith("__") and name not in OPEN:
                yield node.lineno, f"the name {name} reaches behind what a node program works with"


def is_closed(name: str) -> bool:
    """Return whether an attribute or a part of a module's name is none of a node program's business."""
    return name in OURS | FRAMES | FILES | BY_TEXT or (name.startswith("_") and name not in OPEN)
