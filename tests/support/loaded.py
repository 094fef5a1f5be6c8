"""Programs executed by CPython, which find the evaluator's MPI as mpi4py."""

from __future__ import annotations

import sys
from types import ModuleType

from tests.support.worlds import mpi4py


def loaded(source):
    """Return the names of a program that is executed."""
    module = ModuleType("program")
    sys.modules["program"] = module  # where dataclasses looks
    with mpi4py():
        exec(compile(source, "prog.py", "exec"), vars(module))
    return vars(module)
