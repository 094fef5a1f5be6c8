"""Functions of the last section of every program."""

from __future__ import annotations

import contextlib

import numpy as np

from codegen.emit.verbatim.given import PIECE, M, N


class Unusable(RuntimeError):
    """What is given cannot be used: raised on all ranks, which main ends with one line and exit status 2."""


def checked(j):
    """Return an index, or an array of them, as numpy's; raise ValueError where one is of no element."""
    j = np.asarray(j)
    for wrong in j[(j < 0) | (j >= N)] if j.dtype.kind in "iu" else j.flat:
        raise ValueError(f"index {wrong}: elements have the integers from 0 to {N - 1}")
    return j.astype(np.int64)[()]


def tabulate(entries, dtype=int, first=0, stop=M, new=np.arange):
    """Return the table of entries(o) for these offsets, made a piece at a time: nothing else of its size is needed."""
    table = new(stop - first, dtype=dtype)
    for start in range(first, stop, PIECE):
        table[start - first :][:PIECE] = entries(np.arange(start, min(start + PIECE, stop)))
    return table


@contextlib.contextmanager
def together(comm, words, undo=lambda: None):
    """Raise Unusable on all ranks where a step fails on one, so that none waits for one that is gone; collective."""
    problem = None
    try:
        yield
    except Exception as error:
        problem = f"{words}: {getattr(error, 'strerror', None) or ' '.join(str(error).split()) or repr(error)}"
    for first in filter(None, comm.allgather(problem)):
        undo()
        raise Unusable(first)
