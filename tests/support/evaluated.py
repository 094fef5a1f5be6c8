"""Programs evaluated on simulated ranks, and executed on the same, to compare the two."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from operator import attrgetter
from types import ModuleType

import numpy as np
import pyfftw

from codegen.mpi.calls.operators import OPERATORS
from codegen.mpi.calls.requests import Prequest, Request
from codegen.mpi.calls.windows import Win
from codegen.mpi.simulate import MPI, NAMES, Comm, run
from proofs.certify.language.library import EMPTY, Library
from proofs.certify.language.limits import Limits
from proofs.certify.language.operations import Member, Operation, Refuted, Undecided
from proofs.certify.language.program import Program, call_of
from proofs.certify.language.rules.access import attribute_of
from proofs.certify.language.values.functions import Raised


def operation(name):
    """Return a method of a simulated communicator, with any keywords."""
    keywords = frozenset(
        [
            "sendbuf",
            "recvbuf",
            "dest",
            "source",
            "sendtag",
            "recvtag",
            "root",
            "op",
            "comm",
            "key",
            "tag",
            "color",
        ]
    )
    return Operation(
        name, lambda value, *given, **named: getattr(value, name)(*given, **named), keywords
    )


def members(kind):
    """Return what a simulated object has, for the evaluator."""
    public = [name for name in dir(kind) if not name.startswith("_")]
    return {
        name: Member(name, attrgetter(name))
        if isinstance(getattr(kind, name), property)
        else operation(name)
        for name in public
    }


def _static(kind, name):
    return Operation(name, getattr(kind, name), frozenset({"comm"}))


NAMED = {
    **{name: value for name, value in NAMES.items() if not callable(value)},
    **OPERATORS,
    "Win": {"Allocate_shared": _static(Win, "Allocate_shared")},
    "Request": {"Waitall": _static(Request, "Waitall")},
    "Prequest": {"Startall": _static(Prequest, "Startall"), "Waitall": _static(Request, "Waitall")},
}


def as_python(function):
    """Return a function that numba compiles elsewhere."""
    return function


FFTW = {
    "empty_aligned": Operation("empty_aligned", pyfftw.empty_aligned, frozenset({"dtype"})),
    "FFTW": Operation("FFTW", pyfftw.FFTW, frozenset({"direction", "axes"})),
}
MADE_OF = frozenset({"shape", "dtype", "buffer", "offset"})
LIBRARY = Library(
    members={kind: members(kind) for kind in (Comm, Win, Request, Prequest, pyfftw.FFTW)},
    modules={
        "mpi4py": {"MPI": NAMED},
        "numba": {"njit": Operation("njit", as_python)},
        "pyfftw": FFTW,
    },
    constructors={np.ndarray: Operation("ndarray", np.ndarray, MADE_OF)},
)


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
    """Have programs find the simulated communicator as mpi4py; their kernels are run as Python."""
    module, compiler = ModuleType("mpi4py"), ModuleType("numba")
    module.MPI, compiler.njit = MPI(), as_python
    monkeypatch.setitem(sys.modules, "mpi4py", module)
    monkeypatch.setitem(sys.modules, "numba", compiler)


def attribute(program, value, name):
    """Return an attribute of a value of either."""
    if isinstance(program, Evaluated):
        return attribute_of(program.state, value, name, 0)
    return getattr(value, name)


def on_ranks(make, size, body):
    """Return the results of body(program, comm) on ranks, each of which loads the program."""
    return run(size, lambda comm: body(make(), comm), ("proofs.", "tests.")).results


def both(source, size, body, monkeypatch):
    """Return what body(program, comm) returns on ranks, or the error, evaluated and executed."""
    with_mpi(monkeypatch)
    program = Program(source, LIBRARY)
    return (
        outcome(lambda: Evaluated(program), size, body),
        outcome(lambda: executed(source), size, body),
    )


def outcome(make, size, body):
    """Return the results of ranks, or the kind and the words of an error."""
    try:
        return on_ranks(make, size, body)
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
            state.printed.append(f"ended by {type(raised.value).__name__}: {raised.value}\n")
    return "".join(state.printed)
