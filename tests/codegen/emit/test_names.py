"""What a program defines above the sections that are the same in all programs, it reads."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from tests.support.programs import fft
from tests.support.requests import REQUESTS, SECTION

LAST = "# What follows is the same in every program"
AGAIN = re.compile(r"^(\w+) = (inline|compiled)\(\1\)$", re.M)
STATED = {
    *("TRANSFORM", "INPUT", "OUTPUT", "KERNELS", "EXCHANGE", "DIRECTION", "NORM", "SCHEME"),
    *("LOCAL", "PHASES", "ALGORITHM", "RESULT", "FACTORIZATION", "numba"),
}
"""What a program says of itself to those who read it; numba goes with the kernels that it names."""
OFFERED = {"input_place", "output_place", "convolve"}
"""What it has for its users, beside what `main` calls."""


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("kind", REQUESTS)
def test_every_name_that_is_defined_is_read(kind: str) -> None:
    assert [
        (found, asked) for asked in REQUESTS[kind] if (found := unread(emit(resolve(asked))))
    ] == []


def test_a_name_that_nothing_reads_is_found() -> None:
    text = emit(resolve(make_request("fft", 64, 4))).replace("SIGN = -1", "SIGN, SCALE = -1, 1")
    assert unread(text) == {"SCALE"}


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("kind", REQUESTS)
def test_no_variable_of_a_function_hides_another_function(kind: str) -> None:
    assert [
        (found, asked) for asked in REQUESTS[kind] if (found := hidden(emit(resolve(asked))))
    ] == []


def test_a_variable_that_hides_a_function_is_found() -> None:
    text = emit(resolve(make_request("fft", 64, 4))).replace("quarter", "root_of_unity")
    assert hidden(text) == {"root_of_unity"}


def test_ranks_that_are_sent_to_and_received_from_alike_are_tabulated_once() -> None:
    text = emit(resolve(make_request("fft", 1024, 8, "block", "bit-reversed", "replace")))
    tables = re.findall(r"self\.peers\w* = \[(.*?)\]( \* 2)?$", text, re.M | re.S)
    assert [again for _, again in tables] == [" * 2", ""]
    first, second = tables[-1][0].strip().splitlines()
    assert first.strip() != second.strip()


def test_a_permutation_of_one_message_a_rank_states_the_call_that_it_has() -> None:
    moved = {name: Bmmc(bmmc.named(name, 6), name) for name in ("vector-reversal", "bit-reversal")}
    alone, together = (
        emit(resolve(make_request("permute", 64, 4, permutation=each))) for each in moved.values()
    )
    assert 'EXCHANGE = "numpy", "alltoall"' in together
    assert 'EXCHANGE = "numpy", "pairwise"' in alone
    by_name = {"permutation": moved["vector-reversal"], "exchange": "pairwise"}
    assert alone == emit(resolve(make_request("permute", 64, 4, **by_name)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("N", "points"), [(4, {2}), (64, {4}), (128, {2, 4})])
def test_butterflies_are_of_as_many_points_as_the_stages_need(N: int, points: set[int]) -> None:
    text = fft(N, 2, local="butterflies")
    assert {4 for _ in re.findall("yw3 = x", text)} == points & {4}
    assert {2 for _ in re.findall("yw1 = x", text)} == points & {2}
    assert ("if len(w) == 1:" in text) == (points == {2, 4})


def hidden(text: str) -> set[str]:
    """Return the functions whose names are those of variables within other functions, but for the
    sections that are the same in all programs.
    """
    top = symtable.symtable(SECTION.sub("", text.partition(LAST)[0]), "program", "exec")
    scopes, variables = top.get_children(), set[str]()
    functions = {scope.get_name() for scope in scopes if scope.get_type() == "function"}
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        if scope.get_type() == "function":
            variables |= {name.get_name() for name in scope.get_symbols() if name.is_local()}
    return functions & variables


def unread(text: str) -> set[str]:
    """Return the names that a text defines, but for the sections that are the same in all programs,
    and does not read; of what is given names together, one is to be read.
    """
    own = SECTION.sub("", text.partition(LAST)[0])
    read = {name for node in ast.walk(ast.parse(AGAIN.sub("", text))) for name in _read(node)}
    defined = [names for node in ast.walk(ast.parse(own)) for names in _defined(node)]
    found = {name for names in defined if not read & names for name in names}
    return {name for name in found - STATED - OFFERED if not name.startswith("_")}


def _read(node: ast.AST) -> set[str]:
    """Return the names that an expression or an import reads."""
    match node:
        case ast.Name(name, ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
            return {name}
        case ast.ImportFrom(module):
            return {str(module).partition(".")[0]}
    return set()


def _defined(node: ast.AST) -> Iterator[set[str]]:
    """Yield the names that a statement or a parameter defines, those of one call together."""
    match node:
        case ast.alias(name, None):
            yield {name.partition(".")[0]}
        case ast.FunctionDef(name) | ast.ClassDef(name) | ast.arg(name) | ast.alias(asname=name):
            yield {name}
        case ast.Assign([ast.Tuple(names)], ast.Call()):
            yield {found for part in names for found in _stored(part)}
        case ast.Assign(targets):
            yield from ({found} for part in targets for found in _stored(part))
        case ast.For(part) | ast.comprehension(part):
            yield from ({found} for found in _stored(part))


def _stored(target: ast.AST) -> Iterator[str]:
    """Yield the names that a target of an assignment gives."""
    for node in ast.walk(target):
        match node:
            case ast.Name(name, ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
