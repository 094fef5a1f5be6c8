"""Programs evaluated, and executed by CPython on the same ranks, to compare the two."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from types import ModuleType

import numpy as np

from proofs.certify.evaluation.data_libraries import library_of
from proofs.certify.language.library_rules import EMPTY
from proofs.certify.language.limits import Limits
from proofs.certify.language.parsed_program import Program, call_of
from proofs.certify.language.rules.access import attribute_of
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.language.values.function_values import Raised
from tests.support.worlds import mpi_module, run, world


def as_python(function):
    """Return a function that numba compiles elsewhere."""
    return function


class Evaluated:
    """A program evaluated, with the names of a module."""

    def __init__(self, program):
        self.state = program.load()

    def __getattr__(self, name):
        def called(*given, **named):
            try:
                return call_of(self.state, name, *given, **named)
            except Refuted as refuted:
                raise getattr(refuted, "value", refuted) from None

        return called


def executed(source):
    """Return a program as a module."""
    module = ModuleType("program")
    sys.modules["program"] = module  # where dataclasses looks
    exec(compile(source, "program.py", "exec"), module.__dict__)
    return module


def with_mpi(monkeypatch):
    """Have programs find the evaluator's MPI as mpi4py; their kernels are run as Python."""
    compiler = ModuleType("numba")
    compiler.njit = as_python
    monkeypatch.setitem(sys.modules, "numba", compiler)
    monkeypatch.setitem(sys.modules, "mpi4py", mpi_module())


def attribute(program, value, name):
    """Return an attribute of a value of either."""
    if isinstance(program, Evaluated):
        return attribute_of(program.state, value, name, 0)
    return getattr(value, name)


def both(source, size, body, monkeypatch):
    """Return what body(program, comm) returns on ranks, or the error, evaluated and executed."""
    with_mpi(monkeypatch)
    program = Program(source, library_of(None))
    return (
        outcome(lambda: world(size).run(lambda comm: body(Evaluated(program), comm))),
        outcome(lambda: run(size, lambda comm: body(executed(source), comm)).results),
    )


def outcome(results):
    """Return the results of ranks, or the kind and the words of an error."""
    try:
        return results()
    except Undecided:
        raise
    except Exception as error:
        return type(error).__name__, str(error)


def same_bits(one, other):
    """Return whether two results are equal bit for bit."""
    if isinstance(one, np.ndarray | np.generic):
        return (
            type(one) is type(other)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    if isinstance(one, list | tuple):
        return (
            type(one) is type(other) and len(one) == len(other) and all(map(same_bits, one, other))
        )
    if isinstance(one, float | complex):
        return type(one) is type(other) and repr(one) == repr(other)
    return type(one) is type(other) and one == other


def names_of(program):
    """Return the global names of a program of either."""
    return program.state if isinstance(program, Evaluated) else vars(program)


def printed_by_cpython(source):
    """Return what a program prints, and the exception that ends it, executed by CPython."""
    out, module = io.StringIO(), ModuleType("program")
    sys.modules["program"] = module  # where dataclasses looks
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "program.py", "exec"), vars(module))
        except Exception as error:
            print(f"ended by {type(error).__name__}: {error}")
    return out.getvalue()


def printed_by_the_evaluator(source, library=EMPTY, limits=None):
    """Return the same, evaluated."""
    program = Program(source, library)
    state = program.blank(limits or Limits())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program.start(state)
        except Raised as raised:
            state.printed.append((0, f"ended by {type(raised.value).__name__}: {raised.value}\n"))
    return "".join(words for _, words in state.printed)
