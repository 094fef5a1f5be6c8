"""What the simulated run of a program does not take."""

from __future__ import annotations

from codegen.mpi.faults import Final, NotModelled

BENEATH = ("proofs.",)
"""Where the names of modules begin that a program stands on while it is certified."""


class Forbidden(Final, BaseException):
    """The program does with its data what it must not; its `except Exception` does not hold it."""


class Unmodelled(Forbidden, NotModelled):
    """The program does with its data what elements cannot do here: nothing can be said about it."""
