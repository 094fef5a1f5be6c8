"""Bodies of ranks on the ranks of the evaluator, as the simulated communicator runs them."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np

from derive.fields import RootField
from proofs.certify.exact.arithmetic import inputs
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.space import Space
from proofs.certify.language.operations import Operation
from proofs.certify.world.communicator import NullComm, World
from proofs.certify.world.members import MEMBERS, MPI
from proofs.certify.world.windows import Memory, from_buffer

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
    """Return the line of the innermost caller that is not of the product."""
    frame = sys._getframe(1)
    while str(frame.f_globals.get("__name__", "")).startswith(("proofs.", "tests.support.worlds")):
        frame = frame.f_back
    return frame.f_lineno


def world(size, nodes=None, space=None):
    return World(size, nodes, space, line_of_tests)


def run_with(monkeypatch, size, body, nodes=None):
    """Return the results and the trace of body(comm, MPI) with ordinary numbers."""
    own = np.frombuffer

    def of_buffer(buffer, dtype=float, count=-1, offset=0):
        if isinstance(buffer, Memory):
            return from_buffer(buffer, dtype, count, offset)
        return own(buffer, dtype, count, offset)

    monkeypatch.setattr(np, "frombuffer", of_buffer)
    monkeypatch.setattr(NullComm, "__getattr__", of_nobody, raising=False)
    one = world(size, nodes)
    return one.run(lambda comm: body(comm, as_module(MPI))), one.log.trace


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
