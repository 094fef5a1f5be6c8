"""Programs with compiled kernels: evaluated on exact data and on ordinary numbers, and executed by
CPython with tests/support/plain*.py in place of their operations.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from types import ModuleType, SimpleNamespace

import numpy as np

from codegen.kernels import montgomery
from derive.fields import RootField
from proofs.certify.declaration import Permutation
from proofs.certify.declared_constants import declared
from proofs.certify.evaluation.data_libraries import library_of
from proofs.certify.exact.arithmetic import inputs, tokens
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.space import Space
from proofs.certify.language.limits import Limits
from proofs.certify.language.parsed_program import Program, call_of, within
from proofs.certify.language.rules.access import attribute_of
from proofs.certify.language.rules.calls import call
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.values.function_values import State
from proofs.certify.modular.number_theoretic import NumberTheoretic
from proofs.certify.modular.residue_space import ResidueSpace, residue_inputs
from proofs.certify.ordinary.stimuli import stimuli
from proofs.certify.rounds.kernels import with_kernels
from proofs.certify.rounds.sections import DOORS, OPERATIONS, prepared
from proofs.certify.scripts.evaluation_jobs import natural, scattered
from tests.support import plain, plain_vectors
from tests.support.evaluated import executed, with_mpi
from tests.support.worlds import run, world


@lru_cache(8)
def compiled(source):
    """Return a program, compiled to closures."""
    space = Space(complex)
    return Program(prepared(source), with_kernels(library_of(space), space))


def loaded(source, library):
    """Return the names of a program on a rank."""
    program = compiled(source)
    state = State(BUILTINS, library, Limits(1 << 31, 1 << 35))
    program.start(state)
    return state


def library(space, lanes=8):
    return with_kernels(library_of(space), space, lanes)


def given(d, rng):
    """Return the space, what each rank is given, and what comes out; of a permutation tokens."""
    if isinstance(d, Permutation):
        space = Space(d.dtype)
        wanted = np.empty(d.N, np.int64)
        wanted[d.address(np.arange(d.N))] = np.arange(d.N)
        return (
            space,
            [tokens(part, d.dtype, space) for part in d.indices("input")],
            wanted[:, None, None],
        )
    if isinstance(d, NumberTheoretic):
        space, x = ResidueSpace(d.dtype, 3, d.modulus), d.drawn(rng, 3)
        parts = [residue_inputs(part, space) for part in scattered(d, x)]
        return space, parts, d.reference(x)[:, None]
    recognizer = Recognizer(RootField.draw(d.order, rng), d.followed, d.points)
    chosen = stimuli(d, recognizer, rng, units=False)
    space = Space(d.dtype, chosen.number, recognizer)
    return (
        space,
        [inputs(part, d.dtype, space) for part in scattered(d, chosen.given)],
        chosen.wanted,
    )


def followed(source, lanes=8, times=1):
    """Return what a program computes from exact data on all ranks, and what it declares."""
    d = declared(loaded(source, library(None)))
    space, parts, wanted = given(d, np.random.default_rng(1))
    names = library(space, lanes)

    def of_rank(comm):
        state = loaded(source, names)
        plan = call_of(state, "plan", comm)
        x = parts[comm.rank].reshape(d.part("input", comm.rank))
        x.items.flags.writeable = False
        for _ in range(times):
            y = call_of(state, "transform", x, plan)
        free(state, plan)
        assert y.shape == d.part("output", comm.rank)
        assert not np.shares_memory(x.items, y.items)
        return y.reshape(-1)

    with np.errstate(all="ignore"):
        results = world(d.P, space=space).run(of_rank)
    return natural(d, [y.numbers[..., : space.stimuli] for y in results]), wanted


def is_right(source, **how):
    """Return whether a program computes what it declares."""
    found, wanted = followed(source, **how)
    return bool((found == wanted).all())


def free(state, plan):
    """Free a plan."""
    within(call, state, within(attribute_of, state, plan, "free", 0), (), {}, 0)


def random_parts(d, rng):
    """Return random numbers of a program's type for each rank."""
    if isinstance(d, NumberTheoretic):
        return scattered(d, d.drawn(rng)[:, 0])
    return [random_part(d.part("input", rank), d.dtype_of("input"), rng) for rank in range(d.P)]


def random_part(shape, dtype, rng):
    """Return random numbers of this shape and type."""
    if dtype.kind not in "fc":
        octets = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
        return octets.view(dtype)[..., 0]
    x = rng.standard_normal(shape)
    if dtype.kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def in_numbers(source, monkeypatch, seen=lambda results: results()):
    """Return what is seen of a program's results for random numbers: evaluated, and executed by
    CPython.
    """
    d = declared(loaded(source, library(None)))
    parts = random_parts(d, np.random.default_rng(2))

    def evaluated_on(comm):
        state = loaded(source, library(None))
        plan = call_of(state, "plan", comm)
        found = call_of(state, "transform", parts[comm.rank].copy(), plan)
        free(state, plan)
        return found

    with_mpi(monkeypatch)
    doors(monkeypatch)
    text = prepared(source)

    def executed_on(comm):
        module = executed(text)
        plan = module.plan(comm)
        found = module.transform(parts[comm.rank].copy(), plan)
        plan.free()
        return found

    with np.errstate(all="ignore"):
        return (
            seen(lambda: list(world(d.P).run(evaluated_on))),
            seen(lambda: list(run(d.P, executed_on).results)),
        )


def on_integers(name):
    """Return an operation modulo a prime on integers of Python, which do not overflow."""
    function = getattr(montgomery, name).py_func
    return lambda *given: function(*map(int, given))


PLAIN = {
    "vectors": plain_vectors,
    "modular": SimpleNamespace(
        compiled=plain.compiled,
        inline=lambda function: function,
        **{name: on_integers(name) for name in ("addmod", "submod", "mulmod")},
    ),
}
"""The operations of sections that are others than those on lines."""


def doors(monkeypatch):
    """Let CPython find the plain operations where `prepared` imports them, and a numba that
    compiles nothing.
    """
    for section, names in OPERATIONS.items():
        source = PLAIN.get(section, plain)
        module = ModuleType(DOORS[section])
        vars(module).update({name: getattr(source, name) for name in names})
        monkeypatch.setitem(sys.modules, DOORS[section], module)
    numba = ModuleType("numba")
    numba.config, numba.prange = SimpleNamespace(DISABLE_JIT=False), range
    numba.njit = numba.jit = lambda *given, **options: (
        given[0] if given else lambda function: function
    )
    monkeypatch.setitem(sys.modules, "numba", numba)
