"""Node programs run by CPython on the evaluator's ranks and exact arrays: what its tables have is
tried before, and without, the evaluator.
"""

from __future__ import annotations

import builtins
import operator
from types import SimpleNamespace

import numpy as np

from proofs.certify.exact.data import Data
from proofs.certify.exact.data_functions import FUNCTIONS, MEMBERS, OPERATORS, Flags
from proofs.certify.exact.entry_moves import fresh
from proofs.certify.language.table_entries import Operation
from proofs.certify.world.mpi_members import MPI, NUMPY
from proofs.certify.world.windows import Memory
from tests.support.worlds import as_module

SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@"}


def give_operators(monkeypatch):
    """Let data have the operators and attributes of the tables, as Python finds them."""

    def both(sign):
        return (
            lambda one, other: OPERATORS[sign](one, other),
            lambda one, other: OPERATORS[sign](other, one),
        )

    for name, sign in SIGNS.items():
        left, right = both(sign)
        monkeypatch.setattr(Data, f"__{name}__", left, raising=False)
        monkeypatch.setattr(Data, f"__r{name}__", right, raising=False)
        if f"{sign}=" in OPERATORS:
            within = operator.itemgetter(f"{sign}=")(OPERATORS)
            monkeypatch.setattr(Data, f"__i{name}__", within, raising=False)
    monkeypatch.setattr(Data, "__neg__", OPERATORS["neg"], raising=False)
    monkeypatch.setattr(Data, "flags", property(Flags), raising=False)
    for name in ("conj", "sum", "take", "dot", "repeat"):
        call = MEMBERS[Data][name].read(None).call
        monkeypatch.setattr(Data, name, call, raising=False)


class OfArrays(type):
    """The type of what stands for np.ndarray."""

    def __instancecheck__(cls, value):
        return isinstance(value, np.ndarray | Data)


class Array(metaclass=OfArrays):
    """np.ndarray, for isinstance alone."""


def has_data(values):
    return any(
        isinstance(value, Data) or (isinstance(value, list | tuple) and has_data(value))
        for value in values
    )


class Numpy:
    """numpy, or its part fft, whose functions know data."""

    def __init__(self, own, space, prefix=""):
        self.own, self.space, self.prefix = own, space, prefix
        self.ndarray = Array

    def __getattr__(self, name):
        found = getattr(self.own, name)
        if name == "fft" and not self.prefix:
            return Numpy(found, self.space, "fft.")
        if name in ("empty", "zeros", "ones", "full") and self.space is not None:
            return self.new(name, found)
        if isinstance(found, type) or not callable(found):
            return found
        rule = FUNCTIONS.get(self.prefix + name)

        def call(*given, **named):
            if has_data([*given, *named.values()]):
                return rule(*given, **named)
            if name == "frombuffer" and isinstance(given[0], Memory):
                assert isinstance(NUMPY[name], Operation)
                return NUMPY[name].call(*given, **named)
            return found(*given, **named)

        return call

    def new(self, name, found):
        make = fresh(name, self.space)
        at = 2 if name == "full" else 1

        def call(*given, **named):
            dtype = named.get("dtype", given[at] if len(given) > at else None)
            return (make if self.space.holds(dtype) else found)(*given, **named)

        return call


def loaded(source, space):
    """Return the names of a program, which finds these in place of numpy and mpi4py."""
    modules = {
        "numpy": Numpy(np, space),
        "mpi4py": SimpleNamespace(MPI=as_module({**MPI, "COMM_WORLD": None})),
    }

    def imported(name, names=None, scope=None, wanted=(), level=0):
        return modules.get(name) or builtins.__import__(name, names, scope, wanted, level)

    names = {"__name__": "program", "__builtins__": {**vars(builtins), "__import__": imported}}
    exec(compile(source, "program", "exec"), names)
    return names
