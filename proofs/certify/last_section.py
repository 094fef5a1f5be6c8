"""The last section of a node program, which reads arguments and files, takes times and reports
errors: the same bytes in every program of one kind.

No run of a checker covers it: what it does with files and processes is tested with the emitter, and
here it is known by its digest. What it takes from the program above it must be what other verdicts
cover, and no name of Python or of a library may mean something else there.
"""

from __future__ import annotations

import ast
import hashlib
import json
import symtable
from pathlib import Path

from derive.verdict import Checked, Undecided, Verdict
from proofs.certify.coverage import used_by

MARK = "# What follows is the same in every program of this kind"
KNOWN: dict[str, str] = json.loads(
    Path(__file__).with_name("last_sections.json").read_text(encoding="utf-8")
)
"""The kind of program by the SHA-256 of its last section."""
OF_PROGRAM = ("N", "P", "M", "PIECE", "DTYPE", "Plan", "transform", "input_index", "output_index")
GIVEN = frozenset((*OF_PROGRAM, "DIRECTION", "NORM", "A", "C"))
"""The names that the section takes from the program above it."""
IMPORTED = {name: name for name in ("contextlib", "json", "os", "sys", "time")} | {"np": "numpy"}
"""The modules that it uses, by the names under which a program imports them."""
STATEMENT = (
    "main reads and writes files, takes times and reports errors by the section that is the same in"
    " every program of this kind"
)


def section_of(text: str) -> str:
    """Return the last section of a program, from its mark on; "" where it has none."""
    return text[text.find(MARK) :] if MARK in text else ""


def digest_of(section: str) -> str:
    """Return the SHA-256 of a section."""
    return hashlib.sha256(section.encode()).hexdigest()


def main_of(text: str) -> Verdict:
    """Return whether main is covered: by a last section whose digest is known, and which finds in
    the program above it what it takes from there.
    """
    section = section_of(text)
    digest = digest_of(section)
    if digest not in KNOWN:
        found = f"SHA-256 {digest[:16]}" if section else "without its mark"
        return Undecided(STATEMENT, f"main not certified: its last section, {found}, is unknown")
    if others := _other_meanings(text.removesuffix(section), section):
        return Undecided(
            STATEMENT, f"main not certified: the program gives {', '.join(others)} another meaning"
        )
    return Checked(STATEMENT, f"that of {KNOWN[digest]}, SHA-256 {digest[:16]}")


def _other_meanings(above: str, section: str) -> list[str]:
    """Return the names that the section takes from Python or a library, and that mean something
    else in the program above it, and those that a function there sets in the module.
    """
    taken = {name for statement in ast.parse(section).body for name in used_by(statement)}
    scopes, bound = [symtable.symtable(above, "program", "exec")], set[str]()
    for symbol in scopes[0].get_symbols():
        if symbol.is_assigned() or (symbol.is_imported() and symbol.get_name() not in IMPORTED):
            bound.add(symbol.get_name())
    bound |= _renamed(ast.parse(above))
    set_later = set[str]()
    while scopes:
        inner = scopes.pop().get_children()
        scopes += inner
        set_later |= {
            symbol.get_name()
            for scope in inner
            for symbol in scope.get_symbols()
            if symbol.is_declared_global() and symbol.is_assigned()
        }
    return sorted(taken & (bound - GIVEN) | set_later)


def _renamed(tree: ast.Module) -> set[str]:
    """Return the names of IMPORTED under which something else is imported."""
    names = {
        (alias.asname or alias.name, alias.name if isinstance(node, ast.Import) else "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return {name for name, module in names if name in IMPORTED and IMPORTED[name] != module}
