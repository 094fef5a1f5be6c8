"""Bodies that CPython executes on the ranks of the evaluator, with exact data or numbers."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from derive.fields import RootField
from proofs.certify.exact.arithmetic import inputs
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.space import Space
from proofs.certify.language.table_entries import Operation
from proofs.certify.world import windows
from proofs.certify.world.communicator import NullComm, World
from proofs.certify.world.faults import Fault, fault
from proofs.certify.world.mpi_members import MEMBERS, MPI
from proofs.certify.world.trace import Trace

FIELD = RootField.draw(16, np.random.default_rng(3))


def space_of(stimuli=2, dtype=complex, degree=1):
    return Space(dtype, stimuli, Recognizer(FIELD, degree))


def as_module(names):
    """Return a module of the language as one of Python."""
    found = {
        name: as_module(value)
        if isinstance(value, dict)
        else value.call
        if isinstance(value, Operation)
        else value
        for name, value in names.items()
    }
    return SimpleNamespace(**found)


def line_of_tests(rank):
    """Return the line of the innermost caller that is neither of the product nor of this module."""
    own = ("proofs.", "tests.support.worlds")
    frame = sys._getframe(1)
    while frame and str(frame.f_globals.get("__name__", "")).startswith(own):
        frame = frame.f_back
    return frame.f_lineno if frame else 1  # a coroutine's first frame has no caller


def world(size, nodes=None, space=None):
    return World(size, nodes, space, line_of_tests)


@dataclass(frozen=True)
class Run:
    """What each rank returned, and what they sent to each other."""

    results: list[Any]
    trace: Trace


def run(size, body, nodes=None):
    """Return what body(comm) does on ranks with ordinary numbers, which find mpi4py among them.

    Raises Refuted where they break a rule of MPI, leave something open, or return a number from
    memory that was not yet received.

    >>> run(2, lambda comm: comm.allreduce(comm.rank)).results
    [1, 1]
    """
    one = world(size, nodes)
    with mpi4py(), on_numbers():
        results = one.run(body)
    for rank, result in enumerate(results):
        if unwritten_within(result):
            words = f"rank {rank} returns what it has read of a buffer that was not complete"
            raise fault(Fault.LOCAL_CONCURRENCY, words)
    return Run(results, one.log.trace)


def mpi_module():
    """Return what stands for mpi4py: the names of the evaluator's MPI."""
    module = ModuleType("mpi4py")
    module.MPI = as_module({**MPI, "COMM_WORLD": None})
    return module


@contextlib.contextmanager
def mpi4py():
    """Have programs find it."""
    before = sys.modules.get("mpi4py")
    sys.modules["mpi4py"] = mpi_module()
    try:
        yield
    finally:
        del sys.modules["mpi4py"]
        if before is not None:
            sys.modules["mpi4py"] = before


@contextlib.contextmanager
def on_numbers():
    """Have the memory of windows and COMM_NULL what mpi4py's have in CPython."""
    with (
        patch.object(windows, "Memory", lambda shared, rank: shared.segments[rank].octets.data),
        patch.object(NullComm, "__getattr__", of_nobody, create=True),
    ):
        yield


def unwritten_within(value):
    """Return whether a number with all bits set, as memory has before it is received, is in it."""
    if isinstance(value, list | tuple):
        return any(map(unwritten_within, value))
    if not isinstance(value, float | complex | np.ndarray | np.generic):
        return False
    array = np.atleast_1d(np.asarray(value))
    if array.dtype.kind not in "fc" or not array.size:
        return False
    parts = 2 if array.dtype.kind == "c" else 1
    octets = array.reshape(-1).view(np.uint8).reshape(array.size, parts, -1)
    return bool((octets == 0xFF).all(axis=-1).any())


def of_nobody(null, name):
    """Read a name of COMM_NULL as programs do."""
    if name in MEMBERS[NullComm]:
        return MEMBERS[NullComm][name].read(null)
    raise AttributeError(name)


def elements(space, values, dtype=complex):
    """Return integers as data that a program is given."""
    numbers = np.asarray(values, np.int64) % space.q
    parts = space.parts(dtype)
    residues = np.stack([numbers] + [0 * numbers] * (parts - 1), axis=-1)[..., None]
    return inputs(np.broadcast_to(residues, (*residues.shape[:-1], space.stimuli)), dtype, space)


def whole(array):
    """Return the first stimulus of real parts, as integers; -1 where nobody has written."""
    q = array.space.q
    found = array.numbers[..., 0, 0]
    return np.where(found > q // 2, found - q, found).tolist()
