"""The grammar of node programs: the constructs of Python that they may have.

    module     = statement*
    statement  = x = value | x op= value | x: type = value | def | class | if | for | while | with
               | try | raise | return | assert | del | import | global | nonlocal | pass | break
               | continue | value
    value      = constant | name | value.name | value[index] | value(..) | op value | value op value
               | value if value else value | lambda | [..] | (..) | {key: value} | comprehension
               | f"..." | name := value | *value in [..], in (..) and among arguments

What the roots of a program can reach is checked before anything of it runs. The rest of a file,
such as `main`, is not looked at.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from proofs.certify.language.library_rules import Library
from proofs.certify.language.member_names import attribute_names, module_names, unknown_member
from proofs.certify.language.rules.imports import known
from proofs.certify.language.scopes import bindings, bound_names, walk
from proofs.certify.language.table_entries import Undecided, not_in_language
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.values.classes import SPECIAL

ROOTS = (
    "plan", "transform", "input_place", "output_place", "local_shape", "local_output_shape",
)  # fmt: skip
"""The functions of a program that others call."""

STATEMENTS = (
    "FunctionDef ClassDef Return Delete Assign AugAssign AnnAssign For While If With Raise Try"
    " Assert Import ImportFrom Global Nonlocal Expr Pass Break Continue"
)
EXPRESSIONS = (
    "BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict ListComp DictComp GeneratorExp Yield"
    " Compare Call FormattedValue JoinedStr Constant Attribute Subscript Starred Name List Tuple"
    " Slice"
)
PARTS = (
    "Module Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor"
    " BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn comprehension"
    " ExceptHandler arguments arg keyword alias withitem"
)
ALLOWED = frozenset(f"{STATEMENTS} {EXPRESSIONS} {PARTS}".split())

REMEDIES = {
    "Set": "write a list, a tuple or a dict",
    "SetComp": "write a list, or a dict of None",
    "Match": "write if and elif",
    "AsyncFunctionDef": "write a plain function",
    "AsyncFor": "write a plain loop",
    "AsyncWith": "write a plain with",
    "Await": "write a plain call",
    "YieldFrom": "return a list",
    "TryStar": "write except",
    "TypeAlias": "leave the type out",
}
"""What to write instead of constructs that the language does not have."""

WORDS = {
    **dict.fromkeys(("exec", "eval", "compile"), "write the code itself"),
    "open": "pass arrays to the functions",
    "set": "use a list or a dict", "frozenset": "use a tuple", "setattr": "write x.name = value",
    **dict.fromkeys(("globals", "locals", "vars"), "use the names, or a dict"),
    "input": "write the value itself", "id": "compare with `is`", "delattr": "write del x.name",
    "__import__": "write import", "bytes": "use an array of uint8", "hash": "use a dict",
    "memoryview": "use a slice of the array", "bytearray": "use an array of uint8",
    "__file__": "name files in main",
}  # fmt: skip
"""What to write instead of names that the language does not have."""

TYPES = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Tuple, ast.List, ast.BinOp),
    *(ast.expr_context, ast.operator, ast.Starred),
)
"""What an annotation is made of."""
DUNDERS = SPECIAL | {"__name__", "__doc__", "__slots__", "__class__", "__setattr__"}


def check(tree: ast.Module, library: Library, roots: Iterable[str]) -> None:
    """Raise Undecided for the first construct outside of the language that the roots reach."""
    found = sorted(faults(tree, library, roots))
    if found:
        (line, *_), words = found[0]
        raise Undecided(words, line or None)


def faults(
    tree: ast.Module, library: Library, roots: Iterable[str]
) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield what is not in the language, of what the roots reach, with its line and its end."""
    modules, bound, parts = module_names(tree, library), {*bindings(tree)}, [*reached(tree, roots)]
    names = attribute_names(tree, parts, modules, library)
    for part in parts:
        for inner in ast.walk(part):
            if isinstance(inner, ast.match_case | ast.pattern):
                continue  # the statement around it is named
            words = fault(inner, bound, library) or unknown_member(inner, modules, bound, names)
            if words:
                at = inner if hasattr(inner, "lineno") else part
                ends = ("lineno", "end_lineno", "end_col_offset")
                yield tuple(getattr(at, each, 0) for each in ends), words


def check_annotations(tree: ast.Module) -> None:
    """Raise Undecided for the first annotation of a function at the top that fails, or does
    something, when a program is loaded; the imports are still in it.
    """
    bound = {*bindings(tree)}
    later = any(
        isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body
    )
    for each in _annotations(tree):
        acts = any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(each))
        if (acts or not later) and (words := _unknown_type(each, bound)):
            raise Undecided(words, each.lineno)


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the annotations of the functions at the top, which are evaluated when it is loaded."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            arguments = [each for each in ast.walk(node.args) if isinstance(each, ast.arg)]
            yield from (each.annotation for each in arguments if each.annotation)
            yield from [node.returns] if node.returns else []


def reached(tree: ast.Module, roots: Iterable[str]) -> Iterator[ast.AST]:
    """Yield what runs when a program is loaded and its roots are called: parts of its tree."""
    defined: dict[str, list[ast.stmt]] = {}
    todo: list[ast.AST] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            defined.setdefault(node.name, []).append(node)
            todo += [*node.decorator_list, *node.args.defaults]
            todo += [each for each in node.args.kw_defaults if each]
        elif isinstance(node, ast.ClassDef):
            defined.setdefault(node.name, []).append(node)
            todo += [*node.decorator_list, *node.bases]
        elif not starts_main(node):
            todo.append(node)
    todo += [each for name in roots for each in defined.pop(name, [])]
    while todo:
        part = todo.pop()
        yield part
        for inner in ast.walk(part):
            if isinstance(inner, ast.Name):
                todo += defined.pop(inner.id, [])


def starts_main(node: ast.stmt) -> bool:
    """Return whether a statement is `if __name__ == "__main__": ..`."""
    match node:
        case ast.If(
            ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]), orelse=[]
        ):
            return True
    return False


def as_module(tree: ast.Module) -> ast.Module:
    """Leave out what is done only in a program that is started: `if __name__ == "__main__": ..`,
    and in a handler at the top what follows `if __name__ != "__main__": raise`. Raise Undecided
    where a program that is started gives a name of the module another value.
    """
    if "__name__" in bindings(tree):
        return tree
    guards = [node for node in tree.body if isinstance(node, ast.If) and starts_main(node)]
    tree.body = [node for node in tree.body if node not in guards]
    names = {*bound_names(tree.body)}
    for line in (each for guard in guards for each in guard.body):
        if not isinstance(line, ast.Import | ast.ImportFrom):
            for name in names.intersection(bound_names([line])):
                words = f"{name} has another value where the program is started; rename it there"
                raise Undecided(words, line.lineno)
    for node in tree.body:
        for handler in node.handlers if isinstance(node, ast.Try) else ():
            if _is_module(handler.body[0]):
                del handler.body[1:]
    return tree


def _is_module(node: ast.stmt) -> bool:
    """Return whether a statement is `if __name__ != "__main__": raise`."""
    match node:
        case ast.If(
            ast.Compare(ast.Name("__name__"), [ast.NotEq()], [ast.Constant("__main__")]),
            [ast.Raise()],
            [],
        ):
            return True
    return False


def fault(node: ast.AST, bound: set[Any], library: Library) -> str | None:
    """Return what is not in the language of one node, without the nodes in it."""
    kind = type(node).__name__
    if kind not in ALLOWED:
        remedy = f"; {REMEDIES[kind]}" if kind in REMEDIES else ""
        return f"{kind} is not in the language{remedy}"
    match node:
        case ast.Constant(bytes()):
            return "bytes are not in the language; use an array of uint8"
        case ast.ClassDef(bases=bases, keywords=keywords) if len(bases) > 1 or keywords:
            return "a class with several bases or a metaclass is not in the language"
        case ast.Import(names):
            unknown = (alias.name for alias in names if known(library, alias.name) is None)
            return next((not_in_language(f"module {name}") for name in unknown), None)
        case ast.ImportFrom():
            return _unknown_names(node, library)
        case ast.ClassDef():
            return _unknown_methods(node)
        case ast.Lambda(body=body) if any(isinstance(each, ast.Yield) for each in walk([body])):
            return "a generator is not in the language; return a list"
        case ast.comprehension(is_async=1):
            return "an asynchronous comprehension is not in the language"
        case ast.FunctionDef():
            returns = _unknown_type(node.returns, bound) if node.returns else None
            return _function(node) or returns
        case ast.arg(annotation=ast.expr() as given) | ast.AnnAssign(annotation=given):
            return _unknown_type(given, bound)
        case ast.Name(name) if name not in bound and name not in BUILTINS:
            return _unknown_name(name)
        case ast.Attribute(attr=name) if name.startswith("__") and name not in DUNDERS:
            mangled = "" if name.endswith("__") else "; give the name one underscore"
            return f".{name} is not in the language{mangled}"
    return None


def _unknown_names(node: ast.ImportFrom, library: Library) -> str | None:
    if node.level:
        return "a relative import is not in the language"
    names = known(library, node.module or "")
    if names is None:
        return not_in_language(f"module {node.module}")
    for alias in node.names:
        if alias.name not in names:
            return not_in_language(f"{node.module}.{alias.name}")
    return None


def _unknown_methods(node: ast.ClassDef) -> str | None:
    for name in bound_names(node.body):
        if name.startswith("__") and name not in SPECIAL | {"__slots__", "__doc__"}:
            return f"{name} of a class is not in the language"
    for name in filter(None, (name for each in node.body for name in _names_in(each))):
        if name.startswith("__") and not name.endswith("__"):
            return f"{name} within a class is not in the language; give the name one underscore"
    return None


def _names_in(node: ast.AST) -> Iterator[str | None]:
    """Yield the names in a part of a class, to which Python puts that of the class before two
    underscores, but for attributes.
    """
    for each in ast.walk(node):
        yield from (getattr(each, of, None) for of in ("id", "arg", "asname"))
        if isinstance(each, ast.alias | ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            yield each.name
        yield from each.names if isinstance(each, ast.Global | ast.Nonlocal) else ()


def _unknown_name(name: str) -> str | None:
    if not hasattr(builtins, name) and not name.startswith("__"):
        return None
    remedy = f"; {WORDS[name]}" if name in WORDS else ""
    return f"{name} is not in the language{remedy}"


def _unknown_type(node: ast.expr, bound: set[Any]) -> str | None:
    for each in ast.walk(node):
        if not isinstance(each, TYPES) or _fails(each):
            return f"{ast.unparse(each)} in an annotation is not evaluated; write a type"
        if isinstance(each, ast.Name) and each.id not in bound and each.id not in BUILTINS:
            return f"type {each.id} of an annotation is not known"
    return None


def _fails(node: ast.AST) -> bool:
    """Return whether a part of an annotation is no type: `N[0]`, `np.no_name`, `"Path" | None`."""
    match node:
        case ast.Attribute(ast.Name("np" | "numpy"), name):
            return not hasattr(np, name)
        case ast.Subscript(ast.Name(name)):
            return name.isupper()
        case ast.BinOp(left, op, right):
            texts = [
                isinstance(s, ast.Constant) and isinstance(s.value, str) for s in (left, right)
            ]
            return not isinstance(op, ast.BitOr) or any(texts)
    return False


def _function(node: ast.FunctionDef) -> str | None:
    yields = [each for each in walk(node.body) if isinstance(each, ast.Yield)]
    alone = [each.value for each in walk(node.body) if isinstance(each, ast.Expr)]
    decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
    if yields and "contextmanager" not in decorators:
        return "a generator is not in the language; return a list"
    if any(each not in alone for each in yields):
        return "a value of yield is not in the language"
    named = [*node.decorator_list, *node.args.defaults]
    if any(isinstance(each, ast.NamedExpr) for part in named for each in ast.walk(part)):
        return "name := value in a default or a decorator is not in the language"
    return None
