"""Programs executed by CPython, with the simulated communicator as mpi4py."""

from __future__ import annotations

import builtins
import sys
from types import ModuleType, SimpleNamespace

from codegen.mpi.simulate import MPI

SIMULATED = {"mpi4py": SimpleNamespace(MPI=MPI())}


def _import(name, *rest):
    return SIMULATED[name] if name in SIMULATED else builtins.__import__(name, *rest)


def loaded(source):
    """Return the names of a program that is executed; its ranks are simulated."""
    module = ModuleType("program")
    sys.modules["program"] = module  # where dataclasses looks
    names = vars(module)
    names["__builtins__"] = {**vars(builtins), "__import__": _import}
    exec(compile(source, "prog.py", "exec"), names)
    return names
