"""What the lines of a program itself read and write, against what its pending operations have.

A buffer that is being received into is nobody's until Wait, and one that is being sent may be read
and not written (MPI 4.1, 3.7.2). Arrays of exact elements say so at every access; of ordinary numpy
arrays only what is left of it at Wait is seen.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.holds import use_of
from codegen.mpi.ranks import call_of, running

OWN = "codegen.mpi."
"""Where the communicator is, which may use what it has."""


def touched(parts: Any, writes: bool, axes: int, index: Any = None) -> None:
    """Note that the running rank reads or writes the entries at an index, or all, of an array with
    so many axes of entries.

    Raises CommunicationError where an operation of this rank has them that is not complete.
    """
    one = running()
    holds = one.world.holds[one.rank] if one is not None else None
    if one is None or not holds or not parts.size:
        return
    begin, end = np.lib.array_utils.byte_bounds(parts)
    if not holds.near(int(begin), int(end), writes) or _is_own(one.world.beneath):
        return
    if isinstance(index, tuple) and any(entry is Ellipsis for entry in index):
        index = index[: axes - parts.ndim]  # of an index of the parts, what is one of the entries
    other = holds.against(use_of(parts, writes, None, axes, index))
    if other is not None:
        call = call_of(one.rank, "a line that writes" if writes else "a line that reads")
        raise CommunicationError(
            Fault.LOCAL_CONCURRENCY,
            f"{call}: it is the buffer of {other.call}, which is not complete",
        )


def _is_own(beneath: tuple[str, ...]) -> bool:
    """Return whether it is the communicator that uses the memory, above the arithmetic of elements,
    which is beneath the program.
    """
    frame, elements = sys._getframe(2), ("numpy.", *beneath)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(
        elements
    ):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).startswith(OWN)
