"""What a text may not say, wherever it stands: names that reach behind the stand-ins of a simulated
run, or tell that it is one.

A node program needs none of them. What can only be seen when it happens is refused there
(loading.py).
"""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator

import numpy as np

from codegen.kernels.plain import Line, Memory
from codegen.kernels.plain_vectors import Vector as Numbers
from codegen.mpi.memory.buffers import Octets
from proofs.certify.arrays.elements import Elements
from proofs.certify.arrays.tokens import Tokens
from proofs.certify.coverage import reached_by_contract
from proofs.certify.kernels.memory import Data
from proofs.certify.kernels.vectors import Vector
from proofs.certify.sandbox.attributes import OF_TUPLES
from proofs.certify.sandbox.dropped import dropped

OPEN = (
    *("__init__", "__enter__", "__exit__", "__call__", "__name__", "__doc__", "__file__"),
    *("__future__", "__post_init__", "__slots__", "__all__", "__version__", "__author__"),
    "__qualname__",
)
"""Names with underscores that are no way behind anything."""
TELLING = ("__doc__", "__qualname__")
"""Attributes that are none of a program's business: stand-ins of functions have others."""
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
OURS = {*STAND_INS, "parts", "root", "scalar", "recognizer", "elements"} - {
    *dir(np.ndarray),
    *dir(np),
}
ABOUT_TYPES = {
    *("__class__", "__dict__", "__module__", "__getattribute__", "__weakref__", "__mro_entries__"),
    *("__instancecheck__", "__subclasscheck__", "__prepare__", "__del__", "__builtins__"),
    "__name__",
}
"""What a text may not give itself or its classes: the checker knows kinds by these."""
FRAMES = {
    *("gi_frame", "gi_code", "f_back", "f_globals", "f_locals", "f_builtins", "f_code"),
    *("tb_frame", "tb_next", "cr_frame", "ag_frame"),
}
FILES = {"dump", "tobytes", "tofile"}
"""Methods of arrays that write their bytes."""
BY_TEXT = {"attrgetter", "methodcaller", "format_map", "get_type_hints", "make_dataclass"}
"""Functions that take names of attributes, or code, as text."""
COUNTING = {"cache_info", "cache_parameters", "register"}
"""What a cached function says of its calls, and by what a class is known to Python as another's."""
MACHINE = {"alignment", "byteorder", "ctypes", "descr", "isnative"}
"""Attributes of arrays and types that tell where memory is, or in which order its bytes are."""
CLOSED = OURS | FRAMES | FILES | BY_TEXT | COUNTING | MACHINE | {*TELLING}
ATTRIBUTE_BY_TEXT = re.compile(r"\{\w*[.\[]\w*[^}]*\}")
COOKIE = re.compile(r"\ufeff?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""What tells Python in which encoding a file is, in one of its first two lines."""
OF_MAIN = ("main", "exit", "SystemExit")
"""What a script may call by itself."""
OF_FILE = ("__file__", "__doc__")
"""What is another thing elsewhere, or None with python -OO."""


def modules(tree: ast.AST) -> set[str]:
    """Return the modules that a text imports, by the first part of their names."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def readable(text: str) -> str:
    r"""Return a text that Python reads as it stands here.

    Raises ValueError where a cookie has it read in another encoding.

    >>> readable("# -*- coding: raw_unicode_escape -*-\n")
    Traceback (most recent call last):
    ValueError: line 1: the cookie coding: raw_unicode_escape gives Python another program: a text is in UTF-8
    """  # noqa: E501
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text)[:2], 1):
        cookie = COOKIE.match(line)
        if cookie and not _is_utf_8(cookie[1]):
            raise ValueError(
                f"line {number}: the cookie coding: {cookie[1]} gives Python another program: a"
                " text is in UTF-8"
            )
    return text


def _is_utf_8(name: str) -> bool:
    try:
        return codecs.lookup(name).name == "utf-8"
    except LookupError:
        return False


def vetted(tree: ast.Module) -> ast.Module:
    """Return the text as it is.

    Raises ValueError with the first line that says what no node program needs.
    """
    for line, words in sorted(_strange(tree)):
        raise ValueError(f"line {line}: {words}")
    return tree


def _strange(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what no node program needs to say, with its line."""
    nodes = [*ast.walk(tree)]
    yield from [*_as_script(tree, nodes)] or _of_place(tree)
    bound = {name for node in nodes for name in _binds(node)}
    for statement in reached_by_contract(tree):
        yield from dropped(statement, bound)
    for node in nodes:
        if isinstance(node, ast.stmt | ast.expr | ast.pattern):
            for words in (*_behind(node), *_undetermined(node)):
                yield node.lineno, words


def _behind(node: ast.AST) -> Iterator[str]:
    """Yield what reaches behind the things that a node program works with."""
    names = list[str]()
    match node:
        case ast.Attribute(attr=name) if is_closed(name):
            names = [f"name .{name}"]
        case ast.Name(id=name) if name.startswith("__") and name not in OPEN:
            names = [f"name {name}"]
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            yield "an import of all names of a module: it has others elsewhere"
        case ast.ImportFrom(names=aliases):
            parts = [*(node.module or "").split("."), *(alias.name for alias in aliases)]
            names = [f"name {part}" for part in parts if is_closed(part)]
        case ast.Import(names=aliases) if any(
            is_closed(part) for alias in aliases for part in alias.name.split(".")
        ):
            names = [f"import of {', '.join(alias.name for alias in aliases)}"]
        case ast.Constant(value=str(text)) if ATTRIBUTE_BY_TEXT.search(text):
            yield "a text that is formatted with an attribute of what is put into it"
        case ast.MatchClass():
            yield "a pattern of a class asks for the type of a value"
        case ast.Assert():
            yield "an assert: python -O leaves it out, and what it calls"
        case ast.FunctionDef(name="__del__"):
            yield "a __del__: it runs when the process ends, where nobody looks"
        case ast.AsyncFunctionDef():
            yield "an asynchronous function is not modelled"
        case ast.GeneratorExp(generators=parts) if any(part.is_async for part in parts):
            yield "an asynchronous generator is not modelled"
        case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()) if name.startswith("__"):
            yield f"{name} is set: what Python does by itself would be another thing from then on"
    names += [f"name {name}" for name in _binds(node) if name in ABOUT_TYPES]
    yield from (f"the {name} reaches behind what a node program works with" for name in names)


def _binds(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case (
            ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name))
        ):
            yield name
        case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (each.asname or each.name for each in aliases)


def _undetermined(node: ast.AST) -> Iterator[str]:
    """Yield what may have another value on every rank."""
    match node:
        case ast.BinOp(
            op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub(), left=left, right=right
        ) if _is_view(left) or _is_view(right):
            yield (
                "a set made of the keys of a dictionary: its order is another one on every rank,"
                " where keys are texts"
            )
        case ast.Call(keywords=keywords) if "where" in [each.arg for each in keywords]:
            yield "where= leaves entries that nobody writes: np.where chooses"
        case ast.Constant(value="now" | "today"):
            yield "a text that numpy reads as the time at which it runs"


def _as_script(tree: ast.Module, nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield where __name__ is asked for, but for one thing: whether main is to be called."""
    allowed = set[ast.AST]()
    for node in tree.body:
        match node:
            case ast.Try(body=body, handlers=handlers) if all(map(_needs_library, body)):
                allowed.update(part for handler in handlers for part in ast.walk(handler))
                if not all(map(_gives_up, handlers)):
                    yield (
                        node.lineno,
                        "without a library the text is another program: it is to end there",
                    )
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id="__name__") as name,
                    ops=[ast.Eq()],
                    comparators=[ast.Constant()],
                ),
                orelse=[],
            ):
                allowed.add(name)
                if not all(map(_calls_main, node.body)):
                    yield (
                        node.lineno,
                        (
                            "as a script the text does more than to call main: it does as a script"
                            " what it does when imported"
                        ),
                    )
    for part in nodes:
        if isinstance(part, ast.Name) and part.id == "__name__" and part not in allowed:
            yield (
                part.lineno,
                (
                    "a function asks for __name__, or a constant does: it does as a script what it"
                    " does when imported"
                ),
            )


def _needs_library(statement: ast.stmt) -> bool:
    """Return whether a statement imports something, or does nothing unless it raises."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.If(body=[ast.Raise()], orelse=[]):
            return True
    return False


def _gives_up(handler: ast.ExceptHandler) -> bool:
    match handler.body[-1]:
        case (
            ast.Raise()
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="sys"), attr="exit")))
        ):
            return True
    return False


def _calls_main(statement: ast.stmt) -> bool:
    calls = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
    names = {
        function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        for function in calls
    }
    bound = any(isinstance(node, ast.NamedExpr | ast.Lambda) for node in ast.walk(statement))
    return (
        isinstance(statement, ast.Expr | ast.Raise)
        and "main" in names
        and names <= set(OF_MAIN)
        and not bound
    )


def _of_place(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield where what the functions of the contract reach asks for the file that it is in."""
    for statement in reached_by_contract(tree):
        names = (
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and node.id in OF_FILE
        )
        yield from (
            (
                node.lineno,
                (
                    f"plan and transform, or what they use, ask for {node.id}: they do the same"
                    " wherever the file is, and however Python is started"
                ),
            )
            for node in names
        )


def _is_view(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("keys", "items")
    )


def is_ours(name: str) -> bool:
    """Return whether an attribute of a text's own may be called so, by another name: what reaches
    behind Python itself stays closed.

    >>> is_ours("_work"), is_ours("root"), is_ours("gi_frame"), is_ours("__class__")
    (True, True, False, False)
    """
    return (
        is_closed(name)
        and not name.startswith("__")
        and name not in FRAMES | FILES | BY_TEXT | COUNTING | {"numbers"}
    )


def is_closed(name: str) -> bool:
    """Return whether an attribute, or part of a module's name, is none of a program's business."""
    return name in CLOSED or (name.startswith("_") and name not in (*OPEN, *OF_TUPLES))
