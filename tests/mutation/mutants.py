"""Wrong programs made from a right one: every small change of its text in what a certificate
covers.

    mutant = (kind, line, context, before, after, place, text)

The list is whole and in the order of the text: no change is drawn at random. A change that leaves
the syntax tree as it was is none. What a certificate covers is what the functions of the contract
reach by the names that they use; `main` and what only it uses are not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from proofs.certify.declaration import FUNCTIONS, INDICES
from proofs.certify.declared_constants import CONSTANTS
from proofs.certify.last_section import used_by
from tests.mutation.edits import Positioned, edits_of


@dataclass(frozen=True)
class Mutant:
    """A changed text: the kind of change, the number and the text of its line, what stands there
    before and after, and from which byte to which.
    """

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
    for definition in reached_by_contract(ast.parse(text)):
        whole, known = (
            _place(starts, definition, definition),
            {ast.dump(ast.Module([definition], []))},
        )
        for edit in edits_of(definition):
            place = _place(starts, edit.nodes[0], edit.nodes[-1])
            after = edit.after.encode()
            try:
                meaning = ast.dump(
                    ast.parse(
                        source[whole.start : place.start] + after + source[place.stop : whole.stop]
                    )
                )
            except SyntaxError:
                continue
            changed = source[: place.start] + after + source[place.stop :]
            if meaning not in known and changed not in seen:
                known.add(meaning)
                seen.add(changed)
                before, context = source[place].decode(), lines[edit.line - 1].decode().strip()
                found.append(
                    Mutant(
                        edit.kind,
                        edit.line,
                        context,
                        before,
                        edit.after,
                        (place.start, place.stop),
                        changed.decode(),
                    )
                )
    return found


def _line_starts(source: bytes) -> Sequence[int]:
    return [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]


def _place(starts: Sequence[int], first: Positioned, last: Positioned) -> slice:
    """Return the bytes from the first to the last of these nodes, given the first byte of each
    line.
    """
    # so in every parsed text
    assert last.end_lineno is not None and last.end_col_offset is not None
    return slice(
        starts[first.lineno - 1] + first.col_offset,
        starts[last.end_lineno - 1] + last.end_col_offset,
    )


def reached_by_contract(tree: ast.Module) -> list[ast.stmt]:
    r"""Return the statements of a module that the functions and constants of the contract reach, by
    the names that they use.

    >>> tree = ast.parse("a = 1\nb = a\nc = 2\ndef plan(comm):\n    return b\n")
    >>> [ast.unparse(statement).splitlines()[0] for statement in reached_by_contract(tree)]
    ['a = 1', 'b = a', 'def plan(comm):']
    """
    makers: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        for name in _bound(statement):
            makers.setdefault(name, []).append(statement)
    wanted, reached, taken = [*FUNCTIONS, *CONSTANTS, *INDICES], set[str](), set[ast.stmt]()
    while wanted:
        name = wanted.pop()
        if name not in reached:
            reached.add(name)
            fresh = [statement for statement in makers.get(name, []) if statement not in taken]
            taken.update(fresh)
            wanted += [used for statement in fresh for used in used_by(statement)]
    return [statement for statement in tree.body if statement in taken]


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
