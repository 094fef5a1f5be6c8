"""Wrong programs made from a right one: every small change of its text in what a certificate covers.

    mutant = (kind, line, context, before, after, place, text)

The list is whole and in the order of the text: no change is drawn at random. A change that leaves the syntax tree as it was is none.
What a certificate covers is what the functions of the contract reach by the names that they use; `main` and what only it uses are not.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from proofs.declaration import FUNCTIONS, SYSTEMS
from proofs.edits import Positioned, edits_of

TABLES = ("INPUT_INDEX", "OUTPUT_INDEX", "indices")
"""What main reads and writes by; the verdict `layout` covers it."""


@dataclass(frozen=True)
class Mutant:
    """A changed text: the kind of change, the number and the text of its line, what stands there before and after, and from which byte to which."""

    kind: str
    line: int
    context: str
    before: str
    after: str
    place: tuple[int, int]
    text: str

    def __str__(self) -> str:
        before, after = (" ".join(part.split()) for part in (self.before, self.after))
        return f"line {self.line}, {self.kind}: {before}  ->  {after}  in  {self.context}"


def mutants(text: str) -> list[Mutant]:
    r"""Return all mutants of a program's text.

    >>> program = "N = 2\ndef plan(comm):\n    return N\ndef main():\n    return 3\n"
    >>> [mutant.after for mutant in mutants(program) if mutant.kind == "number"]
    ['3', '1', '0', '(-2)']
    """
    source, found, seen = text.encode(), list[Mutant](), {text.encode()}
    starts, lines = _line_starts(source), source.splitlines()
    for definition in covered(ast.parse(text)):
        whole, known = _place(starts, definition, definition), {ast.dump(ast.Module([definition], []))}
        for edit in edits_of(definition):
            place = _place(starts, edit.nodes[0], edit.nodes[-1])
            after = edit.after.encode()
            try:
                meaning = ast.dump(ast.parse(source[whole.start : place.start] + after + source[place.stop : whole.stop]))
            except SyntaxError:
                continue
            changed = source[: place.start] + after + source[place.stop :]
            if meaning not in known and changed not in seen:
                known.add(meaning)
                seen.add(changed)
                before, context = source[place].decode(), lines[edit.line - 1].decode().strip()
                found.append(Mutant(edit.kind, edit.line, context, before, edit.after, (place.start, place.stop), changed.decode()))
    return found


def covered(tree: ast.Module) -> list[ast.stmt]:
    r"""Return the statements of a module that the functions and constants of the contract reach, by the names that they use.

    >>> tree = ast.parse("a = 1\nb = a\nc = 2\ndef plan(comm):\n    return b\n")
    >>> [ast.unparse(statement).splitlines()[0] for statement in covered(tree)]
    ['a = 1', 'b = a', 'def plan(comm):']
    """
    makers = [(statement, _bound(statement)) for statement in tree.body if not isinstance(statement, ast.Import | ast.ImportFrom)]
    wanted, reached = [*FUNCTIONS, *_constants(), *TABLES], set[str]()
    while wanted:
        name = wanted.pop()
        if name not in reached:
            reached.add(name)
            wanted += [used for statement, names in makers if name in names for used in _used(statement)]
    return [statement for statement, names in makers if names & reached]


def _constants() -> set[str]:
    """Return the names of the constants in which programs of all systems state their contract."""
    return {name.upper() for system in SYSTEMS.values() for name in system.__dataclass_fields__} | {"M"}


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _used(statement: ast.stmt) -> set[str]:
    """Return the names that a statement takes from its module; a variable of a function is another, though it may be called the same."""
    scopes = [symtable.symtable(ast.unparse(statement), "statement", "exec")]
    found = {symbol.get_name() for symbol in scopes[0].get_symbols() if symbol.is_referenced()}
    while scopes:
        inner = scopes.pop().get_children()
        scopes += inner
        found |= {symbol.get_name() for scope in inner for symbol in scope.get_symbols() if symbol.is_global()}
    return found


def _line_starts(source: bytes) -> Sequence[int]:
    return [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]


def _place(starts: Sequence[int], first: Positioned, last: Positioned) -> slice:
    """Return the bytes from the first to the last of these nodes, given the first byte of each line."""
    assert last.end_lineno is not None and last.end_col_offset is not None  # so in every parsed text
    return slice(starts[first.lineno - 1] + first.col_offset, starts[last.end_lineno - 1] + last.end_col_offset)
