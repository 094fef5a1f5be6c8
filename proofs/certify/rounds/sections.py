"""The sections of operations in the texts of programs with compiled kernels, and what stands in
their place.

    section = lanes, the operations on lines (codegen/kernels/lines.py)
            | cached, those of them for arrays that the caches hold (codegen/kernels/lanes.py)
            | vectors (codegen/kernels/vectors.py)
            | compiling, the decorator alone
            | modular, arithmetic modulo a prime with it (codegen/kernels/montgomery.py)

An import stands in place of a section, and binds fewer names than it. So a program that binds one
of the others, or asks for it, is not evaluated; and the operations are those of the section only as
long as nothing is rebound that they use.
"""

from __future__ import annotations

import ast
import hashlib
import json
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codegen.kernels.permute.kernel_text import COMPILING, MODULAR, section
from proofs.certify.language.table_entries import Undecided

PAST_CACHES = ("begins_on_line", "stream", "fence", "prefetch")
"""The operations on lines for arrays that the caches do not hold."""
ON_LINES = ("load", "store", "stream", "prefetch", "permute", "exchange")
"""The operations on one line, or on two."""
LINES = (*("compiled", "aligned", "address", "memory_of", "begins_on_line", "fence"), *ON_LINES)
VECTORS = (
    *("compiled", "inline", "aligned", "blank", "address", "memory_of", "begins_on_line"),
    *("widest", "loads", "fence", "transpose", "store", "store_pairs", "store_blocks"),
    *("stream", "stream_pairs", "deal", "stream_dealt", "times_i", "times_minus_i"),
    *("muladd", "times", "lists", "store_lists", "mirrored", "bent"),
)
OPERATIONS = {
    MODULAR: ("compiled", "inline", "addmod", "submod", "mulmod"),
    "lanes": LINES,
    "cached": tuple(name for name in LINES if name not in PAST_CACHES),
    "vectors": VECTORS,
    COMPILING: ("compiled",),
}
"""The names that a program has of each section."""
KNOWN: dict[str, str] = json.loads(
    Path(__file__).with_name("sections.json").read_text(encoding="utf-8")
)
"""The sections that are known, by the SHA-256 of their texts: what the operations of another one do
is not what is assumed of these.
"""


SECTIONS = {
    name: text
    for name, text in zip(OPERATIONS, map(section, OPERATIONS), strict=True)
    if KNOWN.get(hashlib.sha256(text.encode()).hexdigest()) == name
}
"""The sections by their names, but those that are not known."""
DOORS = {name: f"__{name}__" for name in OPERATIONS}
"""What is imported in place of a section; no program can say these names itself."""
ALSO = "Any"
"""What is imported in place of every section, in addition to its operations."""
Imported = dict[str, set[tuple[str, str]]]


def section_of(program: str) -> str:
    """Return which section a text has, `lanes`, `modular` or another one; nothing where
    it has none, or has it twice or within something else.
    """
    return next((name for name in SECTIONS if _has(program, SECTIONS[name])), "")


def _has(program: str, section: str) -> bool:
    """Return whether the section's statements are the program's, not part of a text."""
    begin, found, end = program.partition(section)
    whole = found and begin.endswith("\n") and end.startswith("\n\n") and section not in end
    if not whole:
        return False
    first = begin.count("\n") + section.partition("import ")[0].count("\n") + 1
    return any(node.lineno == first for node in ast.parse(program).body)


def without(program: str) -> str:
    """Return a text without its section, lines keeping their numbers; the same if it has none."""
    section = SECTIONS.get(section_of(program), "")
    return program.replace(section, "\n" * section.count("\n")) if section else program


def refuse_names(program: str) -> None:
    """Raise ValueError where a text says names of its section, or rebinds those it uses."""
    if not (section := section_of(program)):
        return
    text, rest = SECTIONS[section], without(program)
    own, beside = _said(text), _said(rest)
    made, kernels_read = own.assigned | own.imported, {*OPERATIONS[section], ALSO}
    bound = (beside.assigned | beside.imported) & (made | own.read)
    alike = _imported_alike(program, text) - beside.assigned
    if found := sorted((bound | beside.read & made - kernels_read) - alike):
        raise ValueError(
            f"the program uses the name {', '.join(found)} outside its section of operations, which"
            " has these names for itself: that is not modelled"
        )


@dataclass(frozen=True)
class Said:
    """The names of its module that a text assigns or declares global, imports, and reads."""

    assigned: set[str]
    imported: set[str]
    read: set[str]


def _said(text: str) -> Said:
    said = Said(set(), set(), set())
    for scope in _scopes(symtable.symtable(text, "program", "exec")):
        in_module, in_class = (scope.get_type() == kind for kind in ("module", "class"))
        for symbol in scope.get_symbols():
            name = symbol.get_name()
            if symbol.is_declared_global() or (in_module and symbol.is_assigned()):
                said.assigned.add(name)
            if in_module and symbol.is_imported():
                said.imported.add(name)
            if symbol.is_global() or ((in_module or in_class) and symbol.is_referenced()):
                said.read.add(name)
    return said


def _scopes(scope: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield scope
    for inner in scope.get_children():
        yield from _scopes(inner)


def _imported_alike(program: str, section: str) -> set[str]:
    """Return the names that a text imports above its section, as the section imports or needs
    them, and nowhere otherwise.
    """
    wanted = {"sys": {("", "sys")}, "np": {("", "numpy")}} | _imports(ast.walk(ast.parse(section)))
    above = _imports(ast.parse(program.partition(section)[0]).body)
    everywhere = _imports(ast.walk(ast.parse(without(program))))
    return {name for name, how in everywhere.items() if how == wanted.get(name) == above.get(name)}


def _imports(nodes: Iterable[ast.AST]) -> Imported:
    """Return from where statements import names."""
    found: Imported = {}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                found.setdefault(bound, set()).add((module, alias.name))
    return found


def prepared(source: str) -> str:
    """Return a program with an import in place of its section of operations, if it has one; lines
    keep their numbers.

    Raises:
        Undecided: if the rest of the program has names of the section.
    """
    for door in DOORS.values():
        if door in source:
            raise Undecided(f"{door} is not in the language")
    try:
        name = section_of(source)
        if not name:
            return source
        refuse_names(source)
    except SyntaxError as error:
        raise Undecided(f"this is not valid Python: {error.msg}", error.lineno) from None
    except ValueError as error:
        raise Undecided(str(error)) from None
    section = SECTIONS[name]
    first = f"from {DOORS[name]} import {', '.join(OPERATIONS[name])}"
    return source.replace(section, first + "\n" * section.count("\n"))
