"""The small changes of a syntax tree: what stands in place of an expression or a statement, by
kind.

An edit is (kind, nodes, after): `after` stands where the text of the nodes stood, from the first to
the last.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Positioned = ast.expr | ast.stmt | ast.keyword


@dataclass(frozen=True)
class Edit:
    """A change of the text from the first to the last of these nodes, which are neighbours."""

    kind: str
    nodes: tuple[Positioned, ...]
    after: str

    @property
    def line(self) -> int:
        """The line where it begins."""
        return self.nodes[0].lineno


BODIES = ("body", "orelse", "finalbody")
"""Where statements hold other statements."""
OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mod, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitXor: (ast.BitOr, ast.BitAnd),
    ast.BitOr: (ast.BitXor, ast.BitAnd),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
NEAR = {
    "fft": "ifft",
    "ifft": "fft",
    "rfft": "fft",
    "add": "subtract",
    "subtract": "add",
    "multiply": "divide",
    "divide": "multiply",
    "sin": "cos",
    "cos": "sin",
    "min": "max",
    "max": "min",
    "sum": "max",
    "any": "all",
    "all": "any",
    "zeros": "empty",
    "empty": "zeros",
    "ascontiguousarray": "asarray",
    "asarray": "array",
    "copyto": "add",
    "take": "put",
    "conj": "positive",
    "conjugate": "positive",
    "append": "extend",
    "reshape": "resize",
    "flip": "copy",
    "concatenate": "stack",
    "stack": "concatenate",
    "real": "imag",
    "imag": "real",
    "Send": "Recv",
    "Recv": "Send",
    "Isend": "Irecv",
    "Irecv": "Isend",
    "Wait": "Free",
    "Alltoall": "Allgather",
    "Sendrecv": "Alltoall",
}
"""A name near by, of a function of numpy, of Python or of the communicator."""
COMMUNICATION = {
    "Send": 1,
    "Ssend": 1,
    "Isend": 1,
    "Recv": 1,
    "Irecv": 1,
    "Sendrecv": 1,
    "Sendrecv_replace": 1,
    "Bcast": 1,
    "bcast": 1,
    "Split": 0,
    "gather": 1,
    "reduce": 2,
    "Alltoallv": 2,
}
"""The calls of a communicator, and the number of their first argument that is no buffer: ranks,
tags, colours and keys.
"""
BUFFERS = ("buf", "sendbuf", "recvbuf", "sendobj", "obj")
RANKS = ("rank", "to", "come_from", "root", "partner", "peer", "dest", "position")
"""Names of ranks in programs."""


def edits_of(statement: ast.stmt) -> Iterator[Edit]:
    """Yield every edit of a statement, those of what is in it included, in the order of the
    text.
    """
    if isinstance(statement, ast.Assign):
        yield Edit("statement dropped", (statement,), "pass")
    for node in _walk(statement):
        for rule in RULES:
            yield from rule(node)
        for body in _bodies(node):
            yield from _statements(body, keeps_order=isinstance(node, ast.ClassDef))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, but nothing of docstrings and of formatted texts, which are for
    people.
    """
    if isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk(child)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in BODIES:
        if (
            isinstance(body := getattr(node, name, None), list)
            and body
            and isinstance(body[0], ast.stmt)
        ):
            yield body


def _statements(body: Sequence[ast.stmt], keeps_order: bool) -> Iterator[Edit]:
    working = [
        statement
        for statement in body
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]
    for statement in working:
        if not isinstance(statement, ast.Pass):
            yield Edit("statement dropped", (statement,), "pass")
    for one, other in pairwise(working):
        if not keeps_order:
            indent = "\n" + " " * one.col_offset
            after = indent.join(_indented(statement) for statement in (other, one))
            yield Edit("statements swapped", (one, other), after)


def _indented(statement: ast.stmt) -> str:
    """Return a statement as text whose further lines stand where it begins, or deeper."""
    return ast.unparse(statement).replace("\n", "\n" + " " * statement.col_offset)


def _expression(node: ast.AST) -> str:
    return f"({ast.unparse(node)})"


def _with(node: Any, **fields: Any) -> Any:
    """Return a node with some of its parts replaced."""
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _constants(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Constant(value=bool(value)):
            yield Edit("number", (node,), str(not value))
        case ast.Constant(value=int() | float() | complex() as value):
            for other in dict.fromkeys((value + 1, value - 1, 0, -value)):
                if other != value:
                    yield Edit(
                        "number",
                        (node,),
                        f"({other!r})" if repr(other).startswith("-") else repr(other),
                    )
        case ast.Constant(value=str(value)) if value:
            yield Edit("text", (node,), '""')
        case ast.Tuple(elts=[_, _, *_] as entries, ctx=ast.Load()):
            for i in range(len(entries) - 1):
                yield Edit(
                    "entries",
                    (node,),
                    _expression(
                        _with(
                            node, elts=[*entries[:i], entries[i + 1], entries[i], *entries[i + 2 :]]
                        )
                    ),
                )
            for i in range(len(entries)):
                yield Edit(
                    "entries",
                    (node,),
                    _expression(_with(node, elts=[*entries[:i], *entries[i + 1 :]])),
                )


def _operators(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.BinOp(op=op):
            for other in OPERATORS.get(type(op), ()):
                yield Edit("operator", (node,), _expression(_with(node, op=other())))
            yield Edit("operator", (node,), _expression(node.left))
            yield Edit("operator", (node,), _expression(node.right))
            if isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv):
                yield Edit("sign", (node,), f"(-{_expression(node)})")
        case ast.Compare(ops=[op]):
            for other in OPERATORS.get(type(op), ()):
                yield Edit("operator", (node,), _expression(_with(node, ops=[other()])))
        case ast.BoolOp(op=op):
            for other in OPERATORS[type(op)]:
                yield Edit("operator", (node,), _expression(_with(node, op=other())))
            for value in node.values:
                yield Edit("operator", (node,), _expression(value))
        case ast.UnaryOp(operand=operand):
            yield Edit("sign", (node,), _expression(operand))
        case ast.AugAssign(op=op):
            for other in OPERATORS.get(type(op), ()):
                yield Edit("operator", (node,), ast.unparse(_with(node, op=other())))
            yield Edit(
                "assignment", (node,), f"{ast.unparse(node.target)} = {ast.unparse(node.value)}"
            )


def _slices(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Slice():
            for name in ("lower", "upper", "step"):
                bound = getattr(node, name)
                if bound is not None:
                    yield Edit("slice", (bound,), f"{ast.unparse(bound)} + 1")
                    yield Edit("slice", (bound,), f"{ast.unparse(bound)} - 1")
                    yield Edit("slice", (bound,), "")
        case ast.Call(
            func=ast.Name(id="slice" | "range") | ast.Attribute(attr="arange"), args=arguments
        ):
            for bound in arguments:
                yield Edit("slice", (bound,), f"{ast.unparse(bound)} + 1")
                yield Edit("slice", (bound,), f"{ast.unparse(bound)} - 1")


def _ranks(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=arguments, keywords=keywords) if (
            name in COMMUNICATION
        ):
            given = [
                (i == 2 and name in ("Send", "Isend", "Recv", "Irecv"), value)
                for i, value in enumerate(arguments)
                if i >= COMMUNICATION[name]
            ]
            given += [
                ("tag" in str(keyword.arg), keyword.value)
                for keyword in keywords
                if keyword.arg not in BUFFERS
            ]
            for is_tag, value in given:
                changes = ("+ 1", "* 0") if is_tag else ("^ 1", "+ 1", "* 0")
                yield from (
                    Edit("tag" if is_tag else "rank", (value,), f"({_expression(value)} {change})")
                    for change in changes
                )
            if not any(is_tag for is_tag, _ in given) and name not in (
                "Split",
                "Bcast",
                "bcast",
                "gather",
                "reduce",
                "Alltoallv",
            ):
                tag = "sendtag" if name.startswith("Sendrecv") else "tag"
                yield Edit(
                    "tag",
                    (node,),
                    ast.unparse(
                        _with(node, keywords=[*keywords, ast.keyword(tag, ast.Constant(1))])
                    ),
                )
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()) if (
            name in RANKS
        ):
            yield from (
                Edit("rank", (node,), f"({ast.unparse(node)} {change})")
                for change in ("^ 1", "+ 1", "* 0")
            )


def _branches(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            for other in (f"not {_expression(test)}", "True", "False"):
                yield Edit("branch", (test,), f"({other})")
        case ast.comprehension(ifs=conditions):
            for test in conditions:
                yield from (
                    Edit("branch", (test,), f"({other})")
                    for other in (f"not {_expression(test)}", "True")
                )


def _loops(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.For(iter=rounds) | ast.comprehension(iter=rounds):
            yield from (
                Edit("loop", (rounds,), f"list({ast.unparse(rounds)}){part}")
                for part in ("[1:]", "[:-1]", "[::-1]")
            )
        case ast.Break():
            yield Edit("loop", (node,), "continue")
        case ast.Continue():
            yield Edit("loop", (node,), "break")
        case ast.Return(value=ast.expr() as value):
            yield Edit("result", (value,), "None")


def _calls(node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call):
        return
    arguments, keywords = node.args, node.keywords
    for i in range(len(arguments)):
        yield Edit(
            "argument",
            (node,),
            ast.unparse(_with(node, args=[*arguments[:i], *arguments[i + 1 :]])),
        )
    for i in range(len(keywords)):
        yield Edit(
            "argument",
            (node,),
            ast.unparse(_with(node, keywords=[*keywords[:i], *keywords[i + 1 :]])),
        )
    for i in range(len(arguments) - 1):
        yield Edit(
            "argument",
            (node,),
            ast.unparse(
                _with(
                    node, args=[*arguments[:i], arguments[i + 1], arguments[i], *arguments[i + 2 :]]
                )
            ),
        )
    match node.func:
        case ast.Name(id=name) if name in NEAR:
            yield Edit("function", (node,), ast.unparse(_with(node, func=ast.Name(NEAR[name]))))
        case ast.Attribute(attr=name) if name in NEAR:
            yield Edit(
                "function",
                (node,),
                ast.unparse(_with(node, func=_with(node.func, attr=NEAR[name]))),
            )


RULES: tuple[Callable[[ast.AST], Iterable[Edit]], ...] = (
    _constants,
    _operators,
    _slices,
    _ranks,
    _branches,
    _loops,
    _calls,
)
KINDS = (
    *("number", "text", "entries", "operator", "sign", "assignment", "slice", "rank", "tag"),
    *(
        "statement dropped",
        "statements swapped",
        "branch",
        "loop",
        "result",
        "argument",
        "function",
    ),
)
"""The kinds of edits."""
