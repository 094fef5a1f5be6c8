"""Changes of a program, found in its syntax tree: indents, line breaks and comments do not matter.

A change is a pair of texts. The old one is an expression, statements that follow each other, or the
head of a compound statement (`def f(x):`, `if a:`); the new one stands in its place. `...` in the
old one is any expression, which stands where the new one has `...`.
"""

import ast
from itertools import accumulate
from operator import itemgetter
from textwrap import dedent, indent


def only_longer(tree):
    """Return the constants of a tree that say how long the second of two tables of ranks is, of
    which as much is read as the first has.
    """
    pairs = [node.elts for node in ast.walk(tree) if isinstance(node, ast.List)]
    seconds = [each[1] for each in pairs if [*map(type, each)] == [ast.Call] * 2]
    return [k.value for second in seconds for k in second.keywords if k.arg == "stop"]


def changed(program, *changes):
    """Return a program with these changes, each at every place where the old text is found."""
    return _changed(program, changes, None)


def changed_once(program, *changes):
    """Return a program with these changes, each at the first place where the old text is found."""
    return _changed(program, changes, 1)


def _changed(program, changes, most):
    for old, new in changes:
        source = program.encode()
        places = sorted(_places(source, old), key=itemgetter(0))[:most]
        assert places, f"the program has no {old!r} to change"
        for start, stop, held in reversed(places):
            column = start - source.rfind(b"\n", 0, start) - 1
            after = indent(dedent(new).strip("\n"), " " * column).lstrip(" ")
            for node in held:
                after = after.replace("...", ast.unparse(node), 1)
            source = source[:start] + after.encode() + source[stop:]
        program = source.decode()
    return program


def _places(source, old):
    """Yield where the program reads as the old text does: its first byte, the one behind it, and
    what stands for `...`.
    """
    wanted, is_head = _read(dedent(old))
    left_out = ("ctx", "body", "orelse") if is_head else ("ctx",)
    lines = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    for nodes in _neighbours(ast.parse(source), wanted):
        held = []
        if all(_same(*pair, left_out, held) for pair in zip(nodes, wanted, strict=True)):
            start = lines[nodes[0].lineno - 1] + nodes[0].col_offset
            if is_head:
                behind = lines[nodes[0].body[0].lineno - 1] + nodes[0].body[0].col_offset
            else:
                behind = lines[nodes[-1].end_lineno - 1] + nodes[-1].end_col_offset
            yield start, start + len(source[start:behind].rstrip()), held


def _read(text):
    """Return the expression or the statements of a text, and whether they have their heads only."""
    try:
        body, is_head = ast.parse(text).body, False
    except SyntaxError:
        body, is_head = ast.parse(text.rstrip() + " pass").body, True
    return [body[0].value] if len(body) == 1 and isinstance(body[0], ast.Expr) else body, is_head


def _neighbours(tree, wanted):
    """Yield all expressions of a tree, or all runs of as many statements as are wanted."""
    for node in ast.walk(tree):
        if isinstance(wanted[0], ast.expr):
            if isinstance(node, ast.expr):
                yield [node]
        else:
            for _, part in ast.iter_fields(node):
                if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                    for i in range(len(part) - len(wanted) + 1):
                        yield part[i : i + len(wanted)]


def _same(one, other, left_out, held):
    """Return whether two parts of trees read alike, but for the fields that are left out; hold what
    `...` in the other one is here.
    """
    if isinstance(other, ast.Constant) and other.value is ...:
        held.append(one)
        return True
    if isinstance(one, ast.AST) and type(one) is type(other):
        fields = [name for name in one._fields if name not in left_out]
        return all(
            _same(*(getattr(node, name) for node in (one, other)), ("ctx",), held)
            for name in fields
        )
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return all(_same(*pair, ("ctx",), held) for pair in zip(one, other, strict=True))
    return one == other
