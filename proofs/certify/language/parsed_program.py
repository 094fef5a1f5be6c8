"""A node program, parsed and compiled to closures; it is evaluated on each rank, never executed.

program = Program(source)
state = program.load(library)             its global names on a rank
state.call("transform", x, plan)
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable
from typing import Any

from proofs.certify.language.library_rules import EMPTY, Library
from proofs.certify.language.limits import Limits
from proofs.certify.language.program_grammar import ROOTS, as_module, check, check_annotations
from proofs.certify.language.rules import comparisons, exceptions, imports, statement_rules, targets
from proofs.certify.language.rules.calls import call
from proofs.certify.language.rules.closures import block
from proofs.certify.language.rules.definition_rules import documentation
from proofs.certify.language.scopes import Scope
from proofs.certify.language.table_entries import Ended, Undecided
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.unused import leave_out_types, without_unused_imports
from proofs.certify.language.values.function_values import State

RULES = (comparisons, exceptions, imports, statement_rules, targets)
"""Modules that enter the rules of statements and expressions."""
DEPTH = 20_000
"""Calls of Python functions at a time: some ten for each call of the program."""


class Program:
    """A program in the language.

    `unused` has the modules outside of the language that it imports, and that the roots do not
    reach, with the lines.

    Raises:
        Undecided: if the source is no Python, or has a construct outside of the language where the
            roots reach it: with its name, its line and, where there is one, a remedy.
    """

    def __init__(self, source: str, library: Library = EMPTY, roots: Iterable[str] = ROOTS) -> None:
        self.library, self.roots = library, tuple(roots)
        self.tree = as_module(parsed(source))
        leave_out_types(self.tree)
        check_annotations(self.tree)
        self.unused = without_unused_imports(self.tree, library, roots)
        check(self.tree, library, roots)
        self.words = documentation(self.tree.body)
        self.run = block(self.tree.body[self.words is not None :], Scope("module"))

    def load(self, limits: Limits | None = None) -> State:
        """Return the global names of the program on one rank."""
        state = self.blank(limits or Limits())
        self.start(state)
        return state

    def blank(self, limits: Limits) -> State:
        """Return the names that a rank has before the program is loaded."""
        state = State(BUILTINS, self.library, limits)
        state["__doc__"] = self.words
        return state

    def start(self, state: State) -> None:
        """Evaluate the module."""
        within(self.run, [None, state, None])


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a source, which is compiled by Python to find its errors alone."""
    try:
        tree = ast.parse(source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        raise Undecided(f"this is not valid Python: {getattr(error, 'msg', error)}", line) from None
    return tree


def call_of(state: State, name: str, *given: Any, **named: Any) -> Any:
    """Return what a function of the program returns.

    Raises:
        Refuted: if it raises an exception (`Raised`), or breaks a rule.
        Undecided: if it uses what the language does not have.
    """
    if name not in state:
        raise Undecided(f"the program has no {name}")
    return within(call, state, state[name], given, named, 0)


class _Deep:
    """As long as any rank runs closures, calls may be DEPTH deep; then as deep as before."""

    def __init__(self) -> None:
        self.running, self.before = 0, 0

    def __enter__(self) -> None:
        if not self.running:
            self.before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(DEPTH, self.before))
        self.running += 1

    def __exit__(self, *error: object) -> None:
        self.running -= 1
        if not self.running:
            sys.setrecursionlimit(self.before)


_deep = _Deep()


def within(run: Any, *given: Any) -> Any:
    """Run closures, which may call each other deeply; an error of ours decides nothing."""
    try:
        with _deep:
            return run(*given)
    except Ended as ended:
        ended.line = ended.line or None
        raise
    except RecursionError:
        raise Undecided("the program calls itself too deeply") from None
    except MemoryError:
        raise Undecided("no memory is left") from None
    except Exception as error:
        raise Undecided(f"the evaluator fails: {type(error).__name__}: {error}") from error
