"""What the simulated run of a program does not take."""

from __future__ import annotations

from codegen.mpi.buffers import Final


class Refused(Final, BaseException):
    """The program does with its data what it must not, or what is not modelled. No `except Exception` of the program holds it up."""
