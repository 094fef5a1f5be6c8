"""Names that a text may not say beside its section of operations.

Where data are exact, an import stands in place of the section (kernels/compiled.py), and binds
fewer names than it. So a text that binds one of the others, or asks for it, could tell that it is
watched; and the operations are those of the section only as long as nothing is rebound that they
use.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from proofs.certify.kernels import compiled

ALSO = "Any"
"""What is imported in place of every section beside its operations."""
Imported = dict[str, set[tuple[str, str]]]


def refuse_names(program: str) -> None:
    """Raise ValueError where a text says names of its section beside it, or rebinds what the
    section uses.
    """
    if not (section := compiled.section_of(program)):
        return
    text, rest = compiled.SECTIONS[section], compiled.without(program)
    own, beside = _said(text), _said(rest)
    made, kernels_read = own.assigned | own.imported, {*compiled.OPERATIONS[section], ALSO}
    bound = (beside.assigned | beside.imported) & (made | own.read)
    alike = _imported_alike(program, text) - beside.assigned
    if found := sorted((bound | beside.read & made - kernels_read) - alike):
        raise ValueError(
            f"the text says {', '.join(found)} beside its section of operations, which has these"
            " names for itself: that is not modelled"
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
    wanted = {"sys": {("", "sys")}} | _imports(ast.walk(ast.parse(section)))
    above = _imports(ast.parse(program.partition(section)[0]).body)
    everywhere = _imports(ast.walk(ast.parse(compiled.without(program))))
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
