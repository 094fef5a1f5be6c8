"""What a program asks of the arrays that it is given, by its syntax: a certificate is for those of
which the answer is known.

Exact elements have no other dtype, byte order or alignment than the declared one, and no NaN; a
program that asks for one of these is told so, and what it does otherwise is not evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from proofs.certify.language.grammar import reached
from proofs.certify.language.program import Program

PLAIN = (
    "x and out are plain numpy arrays of the declared dtype, aligned and in native byte order;"
    " others are not tried"
)
FINITE = (
    "x has no NaN and no infinity where the program asks for it; a rank that raises an exception"
    " alone leaves the others waiting"
)
FLAGS = ("aligned", "behaved", "carray", "str")
"""Attributes that other arrays of the declared dtype have otherwise."""
TESTS = ("isfinite", "isinf", "isnan")
KINDS = ("isinstance", "type", "hasattr")
"""Functions that tell an array from a list, or from one of a derived class."""


def conditions(program: Program, takes_all: bool = False) -> tuple[str, ...]:
    """Return what a certificate takes for granted of the arguments of a program, and of modules
    that it imports and does not use, with lines.

    Args:
        program: the program.
        takes_all: whether it begins with nodewright's own treatment of arguments, which is tested.

    >>> conditions(Program("def transform(x): return x.flags.aligned"))[0][-38:]
    'the program asks for .aligned (line 1)'
    """
    parts = [node for part in reached(program.tree, program.roots) for node in ast.walk(part)]
    found = [] if takes_all else [_with(PLAIN, _kinds(parts))]
    if tests := list(_tests(parts)):
        found.append(_with(FINITE, tests))
    found += [
        f"the import of {name} (line {line}) ends without an error and changes nothing that the"
        " program uses"
        for name, line in program.unused.items()
    ]
    return tuple(found)


def _with(words: str, asked: Iterable[tuple[int, str]]) -> str:
    """Return what is taken for granted, and where the program asks for it."""
    listed = ", ".join(f"{name} (line {line})" for line, name in sorted({*asked}))
    return f"{words}; the program asks for {listed}" if listed else words


def _kinds(parts: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    for node in parts:
        match node:
            case ast.Attribute(attr=name, lineno=line, ctx=ast.Load()) if name in FLAGS:
                yield line, f".{name}"
            case ast.Call(func=ast.Name(name), lineno=line) if name in KINDS:
                yield line, name
            case ast.Compare(lineno=line) if _compares_dtypes(node):
                yield line, ".dtype"


def _compares_dtypes(node: ast.Compare) -> bool:
    sides = (node.left, *node.comparators)
    return any(isinstance(each, ast.Attribute) and each.attr == "dtype" for each in sides)


def _tests(parts: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    for node in parts:
        match node:
            case ast.Attribute(attr=name) | ast.Name(name) if name in TESTS:
                yield node.lineno, name
