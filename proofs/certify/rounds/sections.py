"""Programs with a known section of operations on lines or vectors: an import in its place."""

from __future__ import annotations

from proofs.certify.language.operations import Undecided
from proofs.certify.rounds.known_sections import (
    DOORS,
    OPERATIONS,
    SECTIONS,
    refuse_names,
    section_of,
)


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
        raise Undecided(f"this is no Python: {error.msg}", error.lineno) from None
    except ValueError as error:
        raise Undecided(str(error)) from None
    section = SECTIONS[name]
    first = f"from {DOORS[name]} import {', '.join(OPERATIONS[name])}"
    return source.replace(section, first + "\n" * section.count("\n"))
