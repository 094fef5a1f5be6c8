"""A program's source, compiled once, and its functions on a rank."""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from codegen.kernels.widths import NARROWER
from proofs.certify.declaration import CONVOLVE, INDICES
from proofs.certify.evaluation import fftw
from proofs.certify.evaluation.data_libraries import library_of
from proofs.certify.exact.space import Space
from proofs.certify.language.library_rules import Library
from proofs.certify.language.limits import Limits
from proofs.certify.language.parsed_program import Program, call_of, within
from proofs.certify.language.program_grammar import ROOTS
from proofs.certify.language.rules.access import attribute_of
from proofs.certify.language.rules.calls import call
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.values.function_values import State
from proofs.certify.language.values.opaque import Opaque
from proofs.certify.rounds.sections import prepared, section_of
from proofs.certify.scripts.declared_options import RAN

LARGEST_TEXT = 2**22
"""Programs have at most so many characters: the longest that are emitted have 10^5."""
COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""How a line says which encoding Python reads a program in (PEP 263)."""
KEPT = 8
"""So many programs are kept as they were compiled."""


@dataclass(frozen=True)
class Text:
    """A program's source with the modules that it imports.

    `section` is the name of its known section of operations, if it has one; `widths` are the
    numbers of lanes, other than the usual one, that vectors of its kernels have on some processors.
    """

    name: str
    text: str
    modules: frozenset[str]
    section: str = ""
    widths: tuple[int, ...] = ()

    @classmethod
    @lru_cache(KEPT)
    def read(cls, name: str, text: str) -> Text:
        """Return a program's source.

        Raises:
            ValueError: if it is too long, or no Python.
        """
        if len(text) > LARGEST_TEXT:
            raise ValueError(
                f"{name} has {len(text)} characters: a program has at most {LARGEST_TEXT}"
            )
        refuse_encoding(name, text)
        try:
            tree = ast.parse(text, name)
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"{name} is not a Python program: {error}") from error
        except (RecursionError, MemoryError) as error:
            raise ValueError(f"{name} has an expression that is nested too deeply") from error
        section = section_of(text)
        widths = NARROWER if section == "vectors" else ()
        return cls(name, text, frozenset(_modules(tree)), section, widths)

    @cached_property
    def program(self) -> Program:
        """The program, compiled to closures once; raises Undecided outside of the language."""
        return Program(
            prepared(self.text), library_of(Space(complex)), (*ROOTS, *INDICES, CONVOLVE)
        )

    @property
    def said(self) -> str:
        """What a verdict says of the kernels that were run on this machine; "" if it has none."""
        return self.said_by_any[0 if fftw.is_installed() else -1]

    @property
    def said_by_any(self) -> tuple[str, ...]:
        """What a verdict may say of them on one machine or another."""
        usual = "numba" * bool(self.section)
        return RAN.get(next((name for name in RAN if name in self.modules), usual), ("",))

    def load(self, library: Library | None = None, limits: Limits | None = None) -> State:
        """Return the global names of the program on one rank; with ordinary numbers by default."""
        state = State(BUILTINS, library or library_of(None), limits or Limits())
        state["__doc__"] = Opaque("its docstring, which python -OO leaves out")
        self.program.start(state)
        return state


def refuse_encoding(name: str, text: str) -> None:
    r"""Raise ValueError where Python reads another program, in another encoding than UTF-8.

    >>> refuse_encoding("p.py", "# -*- coding: utf-7 -*-\n")
    Traceback (most recent call last):
    ValueError: p.py, line 1: the encoding utf-7 changes the program that Python reads; a program must be in UTF-8
    """  # noqa: E501
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text)[:2], 1):
        cookie = COOKIE.match(line)
        if cookie and not _is_utf_8(cookie[1]):
            words = f"the encoding {cookie[1]} changes the program that Python reads"
            raise ValueError(f"{name}, line {number}: {words}; a program must be in UTF-8")


def _is_utf_8(name: str) -> bool:
    try:
        return codecs.lookup(name).name == "utf-8"
    except LookupError:
        return False


def _modules(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a program imports anywhere, without those in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


CHANGING = (
    *("append", "extend", "insert", "pop", "remove", "clear"),
    *("update", "setdefault", "sort", "reverse", "fill"),
)
"""Methods that change what they are called of."""


def line_of_change(source: str, path: Sequence[str], of_plan: bool) -> int | None:
    r"""Return the first line in a function where a global name, an attribute under it, or one of a
    plan, gets a value or an entry, or a method changes it; None where there is none.

    >>> line_of_change("A = {}\ndef plan(comm):\n    A[1] = 2", ["A"], False)
    3
    """
    name, of_others = path[-1], of_plan or len(path) > 1
    lines = list[int]()
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef) or (of_plan and function.name == "__init__"):
            continue
        nodes = list(ast.walk(function))
        is_global = any(isinstance(each, ast.Global) and name in each.names for each in nodes)
        for node in nodes:
            match node:
                case ast.Name(id=found, ctx=ast.Store()) if found == name:
                    changes = is_global and not of_others
                case ast.Attribute(attr=found, ctx=ast.Store()) if found == name:
                    changes = of_others
                case ast.Subscript(value=held, ctx=ast.Store() | ast.Del()):
                    changes = _is_under(held, name, of_others)
                case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in CHANGING:
                    changes = _is_under(held, name, of_others)
                case _:
                    continue
            lines += [node.lineno] * changes
    return min(lines, default=None)


def _is_under(value: ast.expr, name: str, of_others: bool) -> bool:
    """Return whether a value is that of a global name, of an attribute, or one in these."""
    while isinstance(value, ast.Subscript | ast.Attribute):
        if of_others and isinstance(value, ast.Attribute) and value.attr == name:
            return True
        value = value.value
    return isinstance(value, ast.Name) and value.id == name and not of_others


SIZES = frozenset(("size", "shape", "strides", "nbytes"))
FEW = range(4)
"""So many indices are tried in any case; a program may have one for each axis in a tuple."""
MADE_OF = frozenset(("zeros", "empty", "ones", "full", "reshape", "broadcast_to"))
"""What makes an array of a shape, of which more is not asked."""


def line_of_size(source: str, name: str) -> int | None:
    r"""Return the first line in a function, and in those that it names, that asks for the size of
    an array or takes a part of it by variable bounds, but to make another one of its shape; None
    where there is none. The number of arguments is no size.

    >>> line_of_size("def f(j):\n    return np.zeros(j.shape)\ndef g(*j):\n    return len(j)", "f")
    >>> line_of_size("def g(j):\n    return f(j)\ndef f(j):\n    return j + len(j)", "g")
    4
    """
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    functions, left, met = {node.name: node for node in nodes}, [name], set[str]()
    lines = list[int]()
    while left:
        if (name := left.pop()) in met or name not in functions:
            continue
        met.add(name)
        function = functions[name]
        passed = {id(part) for node in ast.walk(function) for part in _not_sizes(node, function)}
        for node in ast.walk(function):
            called = node.id if isinstance(node, ast.Name) else ""
            asks = isinstance(node, ast.Attribute) and node.attr in SIZES
            asks |= called in ("len", "enumerate") or _is_varying(node)
            lines += [getattr(node, "lineno", function.lineno)] * (asks and id(node) not in passed)
            left += [called] * (called in functions)
    return min(lines, default=None)


def _not_sizes(node: ast.AST, function: ast.FunctionDef) -> list[ast.AST]:
    """Return what in a node asks for the shape of what a call makes, for how many arguments a
    function has, or for no more than whether there are few, or any.
    """
    match node:
        case ast.Call(func=ast.Name(id="len") as asked, args=[ast.Name(id=name)]):
            return [asked] * (function.args.vararg is not None and name == function.args.vararg.arg)
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len") as asked), comparators=[ast.Constant(value=n)]
        ) if n in FEW:
            return [asked]
        case ast.If(test=ast.Attribute() as asked):  # whether there are any
            return [asked]
        case ast.Call(func=ast.Attribute(attr=made), args=args) if made in MADE_OF:
            return [each.func if isinstance(each, ast.Call) else each for each in args]
    return []


def _is_varying(node: ast.AST) -> bool:
    """Return whether a node is a slice with bounds that are no constants."""
    names = (isinstance(part, ast.Name) for part in ast.walk(node))
    return isinstance(node, ast.Slice) and any(names)


def called(state: State, name: str, *given: Any, **named: Any) -> Any:
    """Return what a function of the program returns."""
    return call_of(state, name, *given, **named)


def attribute(state: State, value: Any, name: str) -> Any:
    """Return an attribute of a value of the program."""
    return within(attribute_of, state, value, name, 0)


def method(state: State, value: Any, name: str, *given: Any) -> Any:
    """Return what a method of a value of the program returns."""
    return within(call, state, attribute(state, value, name), given, {}, 0)
