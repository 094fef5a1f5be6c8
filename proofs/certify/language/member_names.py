"""Attributes that no value of a program has, and arguments by name that no function accepts: they
are found before the program runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from logging import Logger
from types import FunctionType, GeneratorType
from typing import Any

import numpy as np

from proofs.certify.language.library_rules import Library
from proofs.certify.language.rules.imports import known
from proofs.certify.language.scopes import bound_names
from proofs.certify.language.table_entries import Operation, not_in_language
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.tables.standard import ENOUGH, LOGGER, STANDARD
from proofs.certify.language.tables.value_members import MEMBERS
from proofs.certify.language.values.classes import SPECIAL

WORDS = re.compile(r"[\w\s,]+")
"""Strings that may name fields: `"x y"` of a named tuple."""
ALWAYS = {"_replace", "_asdict", "__class__", "__slots__", "__doc__", *LOGGER, *ENOUGH.names}
"""Attributes of values that have no table of their own."""
OTHERS = (
    "send isend bsend ibsend ssend issend recv irecv sendrecv probe iprobe mprobe improbe scan"
    " exscan neighbor_allgather neighbor_alltoall test testall testany testsome waitall waitany"
    " waitsome cancel py2f handle group itemset ptp newbyteorder"
)
"""Attributes of mpi4py's values, and of arrays of numpy 1."""
KINDS = (*MEMBERS, set, bytes, np.ufunc, Logger, FunctionType, GeneratorType)
ELSEWHERE = {*OTHERS.split(), *(name for kind in KINDS for name in dir(kind))}
"""Attributes that values of Python, numpy and mpi4py have, with all that begin with a capital. An
attribute of another name is an error of the program, or of the program's own values.
"""


def module_names(tree: ast.Module, library: Library) -> dict[str, Any]:
    """Return what a program imports at its top and binds nowhere else, by the names that it gives:
    modules with their names, and functions of modules.
    """
    found: dict[str, Any] = {}
    for node in tree.body:
        match node:
            case ast.Import(names):
                for alias in names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    found[alias.asname or name] = known(library, name)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                owner = known(library, module) or {}
                found |= {each.asname or each.name: owner.get(each.name) for each in names}
    for each in ast.walk(tree):
        match each:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                found.pop(name, None)
            case ast.FunctionDef(name) | ast.ClassDef(name):
                found.pop(name, None)
    return found


def resolved(node: ast.AST, modules: Mapping[str, Any]) -> Any:
    """Return what `np` or `np.fft.fft` is of the modules; None where that is not known."""
    match node:
        case ast.Name(name):
            return modules.get(name)
        case ast.Attribute(value, name):
            owner = resolved(value, modules)
            return owner.get(name) if isinstance(owner, Mapping) else None
    return None


def attribute_names(
    tree: ast.Module, parts: Iterable[ast.AST], modules: Mapping[str, Any], library: Library
) -> set[str]:
    """Return all names that an attribute of a value may have: those of the tables, and those that
    the program gives; those of modules where the parts have a module as a value.
    """
    tables = (SPECIAL, *MEMBERS.values(), *library.members.values())
    found = ALWAYS | {name for table in tables for name in table} | {*_given(tree)}
    if any(_has_module(part, modules, part in tree.body) for part in parts):
        found |= {*_of_modules({**STANDARD, **library.modules})}
    return found


def _given(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a program gives to attributes, members, fields and arguments."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.ClassDef(body=body):
                yield from bound_names(body)
            case ast.arg(arg=str(name)) | ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(str(text)) if WORDS.fullmatch(text):
                yield from text.replace(",", " ").split()


def _has_module(part: ast.AST, modules: Mapping[str, Any], top: bool) -> bool:
    """Return whether a part of a program imports a module within something else, or uses one in
    another way than for its names.
    """
    owners = {id(node.value) for node in ast.walk(part) if isinstance(node, ast.Attribute)}
    for node in ast.walk(part):
        if isinstance(node, ast.Import | ast.ImportFrom) and not (top and node is part):
            return True
        if id(node) not in owners and isinstance(resolved(node, modules), Mapping):
            return True
    return False


def _of_modules(table: Mapping[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        yield name
        if isinstance(value, Mapping):
            yield from _of_modules(value)


def unknown_member(
    node: ast.AST, modules: Mapping[str, Any], bound: set[Any], names: set[str]
) -> str | None:
    """Return why an attribute, or an argument by name of a function of a module or of a builtin
    one, is not in the language; None if it may be.
    """
    match node:
        case ast.Attribute(owner, name):
            found = resolved(owner, modules)
            if isinstance(found, Mapping | Operation):
                is_known = isinstance(found, Mapping) and name in found
                return None if is_known else not_in_language(ast.unparse(node))
            elsewhere = name in ELSEWHERE or name[0].isupper()
            return not_in_language(f".{name}") if elsewhere and name not in names else None
        case ast.Call(func, keywords=keywords):
            found = resolved(func, modules)
            if isinstance(func, ast.Name) and func.id not in bound:
                found = BUILTINS.get(func.id)
            if isinstance(found, Operation):
                words = (found.refused(each.arg) for each in keywords if each.arg)
                return next(filter(None, words), None)
    return None
