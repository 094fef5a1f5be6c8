"""Of small Hartley programs some rank runs every statement, and no slice is empty on all ranks."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.hartley_program import ALGORITHMS, RESULTS
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import EXCHANGES, OVERLAPPED
from codegen.systems.record import Request
from tests.support.worlds import run

LAST = "\n# What follows is the same in every program"
LEFT_OUT = {"input_place", "output_place", "input_index", "output_index", "affine", "opposites"}
"""The functions that are called beside a transform, what these call, and one whose views have
nothing on rank 0 where it has no pairs.
"""
WAYS = (EXCHANGES[0], OVERLAPPED)


class Watched(ast.NodeTransformer):
    """Has functions note each statement, and the sizes of slices, as `note(text, value)`."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                notes = [[ast.Expr(self._note(each, ast.Constant(1))), each] for each in block]
                setattr(node, name, [each for pair in notes for each in pair])
        return super().generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        is_slice = isinstance(node.slice, ast.Slice | ast.Tuple)
        return self._note(node, node) if is_slice and isinstance(node.ctx, ast.Load) else node

    def _note(self, node: ast.AST, value: ast.expr) -> ast.expr:
        text = ast.unparse(node).partition("\n")[0]
        if not text.startswith("note("):
            self.texts.append(text)
        return ast.Call(ast.Name("note", ast.Load()), [ast.Constant(text), value], [])


def idle(text: str) -> list[str]:
    """Return what a program does on no rank: statements, and slices of which all are empty."""
    sizes, watched, tree = Counter[str](), Watched(), ast.parse(text)
    own = len(ast.parse(text.partition(LAST)[0]).body)
    for node in tree.body[:own]:
        if isinstance(node, ast.FunctionDef) and node.name not in LEFT_OUT:
            watched.visit(node)

    def note(words: str, value: Any) -> Any:
        sizes[words] += np.size(value)
        return value

    space: dict[str, Any] = {"__name__": "program", "note": note}
    exec(compile(ast.fix_missing_locations(tree), "program", "exec"), space)
    run(space["P"], lambda comm: _transformed(space, comm))
    return [words for words in watched.texts if not (sizes[words] or words.startswith("raise"))]


def _transformed(space: dict[str, Any], comm: Any) -> None:
    plan, x = space["plan"](comm), np.ones(space["M"], space["DTYPE"])
    space["transform"](x, plan)
    if "convolve" in space:
        space["convolve"](x, x, plan)
    plan.free()


def requests() -> Iterator[Request]:
    """Yield the Hartley transforms of up to 64 elements that there are."""
    ends = product(("block", "hartley-input", "hartley"), ("", "cyclic"))
    of = product(ALGORITHMS, RESULTS, (False, True))
    every = product((4, 16, 64), (1, 2, 4, 8), ends, of, WAYS)
    for N, P, (before, after), (algorithm, result, convolve), way in every:
        choices = {"algorithm": algorithm, "result": result, "convolve": convolve}
        try:
            yield make_request("fht", N, P, before, after, way, **choices)  # type: ignore[arg-type]
        except ValueError:
            continue


@pytest.mark.long
def test_small_hartley_programs_do_nothing_idle() -> None:
    found = {asked: idle(emit(resolve(asked))) for asked in requests()}
    assert {asked: texts for asked, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    return out\n", "    np.copyto(out[M:], out[:0])\n    return out\n"),
        ("    return out\n", "    if plan.own.rank == P:\n        out[:] = 0\n    return out\n"),
    ],
)
def test_what_is_idle_is_found(before: str, after: str) -> None:
    text = emit(resolve(make_request("fht", 16, 2)))
    assert text.count(before) == 1
    assert idle(text.replace(before, after)) != []
