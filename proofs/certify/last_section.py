"""The last section of a node program, which reads arguments and files, takes times and reports
errors: the same bytes in every program of one kind.

No run of a checker covers it: what it does with files and processes is tested with the emitter, and
here it is known by its digest. What it takes from the program above it must be there, and be what
other verdicts cover: places and indices are `layout`'s, PIECE and DTYPE are looked at here. No name
of Python or of a library may mean something else there.
"""

from __future__ import annotations

import ast
import hashlib
import json
import symtable
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from derive.verdict import Checked, Undecided, Verdict
from proofs.certify.declaration import CONVOLVE, INDICES, LAYOUTS, OF_SIDES, SHAPES, SLICES
from proofs.certify.evaluation.evaluated_source import KEPT, Text
from proofs.certify.rounds.sections import OPERATIONS
from proofs.certify.rows import system_of
from proofs.certify.scripts.usage import TRANSFORM

MARK = "# What follows is the same in every program of this kind"
KNOWN: dict[str, str] = json.loads(
    Path(__file__).with_name("last_sections.json").read_text(encoding="utf-8")
)
"""The kind of program by the SHA-256 of its last section."""
GUARDS = frozenset(
    (
        "6ff61b589698d24454acfce5c45cbed72da88bb7c25892d43d24089064b986ab",
        "234fea02a30ce921fba659e272ff96b34ab6d5bc8e2cd8f960c7a946a36d3f38",
    )
)
"""The SHA-256 of what programs do where a library is missing: no run meets it."""
GIVEN = frozenset(
    ("N", "P", "M", "PIECE", "DTYPE", "Plan", "transform", *INDICES, "DIRECTION", "NORM", "A", "C")
    + ("MODULUS", "ROOT")
    + ("SHAPE", "BATCH", "LOCAL_INPUT", "LOCAL_OUTPUT", "input_place", "output_place")
    + ("TRANSFORM", "TYPE", "AXES", *OF_SIDES, *SHAPES.values(), SLICES, *LAYOUTS.values())
)
"""The names that the section takes from the program above it."""
IMPORTED = {name: name for name in ("contextlib", "json", "math", "os", "sys", "time", "timeit")}
IMPORTED |= {"np": "numpy"}
"""The modules that it uses, by the names under which a program imports them."""
IMPORTS, TRIES = (ast.Import, ast.ImportFrom), (ast.Try, ast.TryStar)
FIRST = "arrays(x, plan, out)"
ON_LINES, ALIGNED = "arrays(x, plan, out, aligned)", "aligned"
"""The same where a new result is 64-byte aligned, and the operation that makes it."""
SECOND, TRANSFORMED = "y, out = arrays(y, plan, out)", "transform(x, plan, out)"
"""What the two arguments of `convolve` are given to first."""
OWN_MAIN, NO_MAIN = "main is the program's own code", "the program has no main"
STATEMENT = (
    "main reads and writes files, measures times and reports errors with the code that all programs"
    " of this kind share"
)


def section_of(text: str) -> str:
    """Return the last section of a program, from its mark on; "" where it has none."""
    return text[text.find(MARK) :] if MARK in text else ""


def digest_of(section: str) -> str:
    """Return the SHA-256 of a section."""
    return hashlib.sha256(section.encode()).hexdigest()


def main_of(text: str, loaded: dict[str, Any]) -> Verdict:
    """Return whether main is covered: by a last section whose digest is known, and which finds in
    the program above it what it takes from there, also when that is loaded: `loaded` has its
    constants and functions.
    """
    section = section_of(text)
    digest = digest_of(section)
    if digest not in KNOWN:
        own = OWN_MAIN if "def main(" in text or "__main__" in text else NO_MAIN
        reason = f"its last section (SHA-256 {digest[:16]}) is unknown" if section else own
    elif KNOWN[digest] != (kind := kind_of(loaded["constants"])):
        reason = f"its last section is that of {KNOWN[digest]}, and the program is of kind {kind}"
    else:
        reason = next(_reasons(text.removesuffix(section), section, loaded), "")
    if reason:
        return Undecided(STATEMENT, f"main not certified: {reason}")
    return Checked(STATEMENT, f"the code of kind {KNOWN[digest]}, SHA-256 {digest[:16]}")


def kind_of(constants: dict[str, Any]) -> str:
    """Return the kind of program that constants state.

    >>> kind_of({"TRANSFORM": "fft", "SHAPE": (4, 6)})
    'fft of arrays'
    >>> kind_of({"TRANSFORM": "hypercube-fft"}), kind_of({"TRANSFORM": "fht", "RESULT": "dft"})
    ('fft', 'fht with result dft')
    >>> kind_of({"TRANSFORM": "fht", "SHAPE": (4, 6)})
    'fht of axes'
    >>> kind_of({"TRANSFORM": "rfft", "SHAPE": (4, 6), "AXES": (-2, -1)})
    'unequal parts'
    """
    name = str(constants.get("TRANSFORM"))
    system = system_of({"transform": name})
    if "AXES" in constants:
        return system.section or "unequal parts"
    kind = system.section or name
    match constants.get("SHAPE"):
        case (_, _, *_) if system.of_arrays:
            kind += " of axes"
        case stated:
            kind += " of arrays" * (stated is not None)
    result = constants.get("RESULT", "hartley")
    return kind if result == "hartley" else f"{kind} with result {result}"


@lru_cache(KEPT)
def begins_with_arrays(source: Text) -> bool:
    """Return whether the one function `transform` begins with arrays(x, plan, out), or with that of
    64-byte aligned results where the program has this operation, which nothing rebinds.
    """
    arguments, body = _function(source, TRANSFORM)
    firsts = (FIRST, ON_LINES) if ALIGNED in OPERATIONS.get(source.section, ()) else (FIRST,)
    return arguments == "x, plan, out=None" and _assigned(body[0]) in firsts


def _function(source: Text, name: str) -> tuple[str, list[ast.stmt]]:
    """Return the arguments and the statements of the one function of this name, which nothing
    rebinds; none where there is no such function.
    """
    tree = ast.parse(source.text)
    nodes = [*ast.walk(tree)]
    found = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name]
    match found:
        case [ast.FunctionDef(args=args, body=body, decorator_list=[])] if found[0] in tree.body:
            if name not in map(_rebound, nodes):
                first = ast.get_docstring(found[0]) is not None
                return ast.unparse(args), [*body[first:], ast.Pass(), ast.Pass()]
    return "", []


def _rebound(node: ast.AST) -> str:
    """Return the name that a node gives a value, other than by `def`; "" where it gives none."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.ClassDef(name=name):
            return name
        case ast.alias(name=name, asname=other):
            return other or name
    return ""


def takes_all(source: Text) -> bool:
    """Return whether `transform` begins with the treatment of arguments that is tested with the
    emitter.
    """
    return digest_of(section_of(source.text)) in KNOWN and begins_with_arrays(source)


@lru_cache(KEPT)
def convolve_takes_all(source: Text) -> bool:
    """Return whether `convolve` leaves its arguments to the same treatment: it begins with y, out =
    arrays(y, plan, out), and x is that of transform(x, plan, out), which comes next, alone.
    """
    arguments, body = _function(source, CONVOLVE)
    if arguments != "x, y, plan, out=None" or not takes_all(source):
        return False
    begins = ast.unparse(body[0]) == SECOND and _calls_first(body[1]) == TRANSFORMED
    nodes = (node for statement in body for node in ast.walk(statement))
    return begins and [isinstance(node, ast.Name) and node.id for node in nodes].count("x") == 1


def _calls_first(statement: ast.stmt) -> str:
    """Return the first part of what a statement assigns; "" where it is another statement."""
    match statement:
        case ast.Assign(value=ast.Tuple(elts=[value, *_]) | value):
            return ast.unparse(value)
    return ""


def _assigned(first: ast.stmt) -> str:
    """Return what a statement assigns to x and another name; "" where it is another statement."""
    match first:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name("x"), ast.Name()])], value=value):
            return ast.unparse(value)
    return ""


def _reasons(above: str, section: str, loaded: dict[str, Any]) -> Iterator[str]:
    """Yield what keeps a known section from doing below this text what it does below others."""
    try:
        tree, scope = ast.parse(above), symtable.symtable(above, "program", "exec")
    except SyntaxError as error:
        yield f"the part above its last section is not valid Python: {error.msg}"
        return
    if any(isinstance(node, ast.If) and "__name__" in used_by(node) for node in tree.body):
        yield "the program calls main, or ends, before its last section"
    if any("mpi4py" in ast.unparse(node) for node in _loaded(tree) if isinstance(node, IMPORTS)):
        yield "the program imports mpi4py when it is loaded, which starts MPI; import it in main"
    if loaded["printed"]:
        yield f"line {min(loaded['printed'])}: the program prints among what main prints"
    if any(digest_of(guard) not in GUARDS for guard in _guards(tree, above)):
        yield "the program treats a missing library in an unknown way"
    taken = {name for statement in ast.parse(section).body for name in used_by(statement)}
    if others := sorted(taken & (_bound(scope) - GIVEN | _renamed(tree)) | _set_later(scope)):
        yield f"the program gives {', '.join(others)} another meaning"
    if missing := sorted(taken & (GIVEN | IMPORTED.keys()) - _defined(tree, scope, loaded)):
        yield f"the program does not define {', '.join(missing)} where it is loaded"
    piece, dtype = (_stated(tree, name) for name in ("PIECE", "DTYPE"))
    found = loaded["constants"]
    is_piece = piece.isdecimal() and int(piece) > 0 and repr(found.get("PIECE")) == piece
    if "PIECE" in taken and not is_piece:
        yield f"PIECE = {piece}: it must be an integer, at least 1"
    if not (dtype.startswith("np.dtype(") and isinstance(found["DTYPE"], np.dtype)):
        yield f"DTYPE = {dtype}: it must be np.dtype(..)"
    if others := sorted(taken.intersection(loaded["others"])):
        yield f"{', '.join(others)} must be np.dtype(..), a text, or integers of Python's type int"
    if "AXES" in taken and found.get("BATCH") and any(axis >= 0 for axis in found["AXES"]):
        yield f"AXES = {found['AXES']}: with a batch, axes are counted from the last one, -1"


def _guards(tree: ast.Module, text: str) -> Iterator[str]:
    """Yield the outermost try statements of a module, outside functions and classes."""
    for node in _loaded(tree):
        if isinstance(node, TRIES):
            yield ast.get_source_segment(text, node) or ""


def _loaded(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module outside functions, classes and try statements, and these."""
    nodes: list[ast.AST] = [*tree.body]
    while nodes:
        node = nodes.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda, *TRIES)):
            nodes += ast.iter_child_nodes(node)


def _bound(scope: symtable.SymbolTable) -> set[str]:
    """Return the names that a module binds, but imports of the modules of IMPORTED."""
    return {
        symbol.get_name()
        for symbol in scope.get_symbols()
        if symbol.is_assigned() or (symbol.is_imported() and symbol.get_name() not in IMPORTED)
    }


def _set_later(scope: symtable.SymbolTable) -> set[str]:
    """Return the names of a module that functions and classes in it bind."""
    found, scopes = set[str](), scope.get_children()
    while scopes:
        inner = scopes.pop()
        scopes += inner.get_children()
        found |= {
            symbol.get_name()
            for symbol in inner.get_symbols()
            if symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported())
        }
    return found


def _renamed(tree: ast.Module) -> set[str]:
    """Return the names of IMPORTED under which something else is imported."""
    names = {
        (alias.asname or alias.name, alias.name if isinstance(node, ast.Import) else "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return {name for name, module in names if IMPORTED.get(name, module) != module}


def _defined(tree: ast.Module, scope: symtable.SymbolTable, loaded: dict[str, Any]) -> set[str]:
    """Return the names that a program has in any case: what it imports first of all, what it binds
    and, of functions of indices, what it has when it is loaded.
    """
    imported = {
        alias.asname or alias.name
        for statement in tree.body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    }
    return imported | _bound(scope) - {*INDICES} | {*loaded["functions"]}


def _stated(tree: ast.Module, name: str) -> str:
    """Return the value that a program gives a name last; "" where it is part of something else."""
    values = [
        ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == [name]
    ]
    return values[-1] if values else ""


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
