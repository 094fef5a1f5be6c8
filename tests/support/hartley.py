"""Hartley programs on ranks in CPython, and the transform by its definition."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from tests.support.worlds import run


def module_of(asked):
    """Return the module of a program, imported but not run."""
    module = ModuleType("program")
    exec(compile(emit(resolve(asked)), "program.py", "exec"), module.__dict__)
    return module


def on_ranks(module, *vectors):
    """Return the vectors, each rank's part."""
    local = np.empty((len(vectors), module.P, module.M), module.DTYPE)
    local[:, *module.input_place(np.arange(module.N))] = vectors
    return local


def simulated(asked, x):
    """Return what a program's text makes of a vector on ranks in CPython, and the words that a rank
    sends, at most.
    """
    module = module_of(asked)
    [local] = on_ranks(module, x)

    def body(comm):
        plan, mine = module.plan(comm), local[comm.rank].copy()
        y = module.transform(mine, plan)
        assert np.array_equal(mine, local[comm.rank]), "the input has changed"
        plan.free()
        return y

    done = run(asked.P, body)
    return np.array(done.results)[*module.output_place(np.arange(asked.N))], done.trace


def definition(x, direction="forward", norm="backward"):
    """Return the Hartley transform by its definition."""
    N = len(x)
    a = 2 * np.pi / N * (np.outer(np.arange(N), np.arange(N)) % N)
    divided = {
        ("forward", "backward"): 1,
        ("backward", "forward"): 1,
        ("forward", "ortho"): N**0.5,
        ("backward", "ortho"): N**0.5,
    }
    return (np.cos(a) + np.sin(a)) @ x.astype(float) / divided.get((direction, norm), N)


def close(found, wanted, dtype, factor=3):
    n = max(1, len(wanted).bit_length() - 1)
    return found.dtype == dtype and np.linalg.norm(found - wanted) <= factor * n * np.finfo(
        dtype
    ).eps * np.linalg.norm(wanted)


def random_vector(N, dtype="float64", seed=0):
    return np.random.default_rng([N, seed]).standard_normal(N).astype(dtype)
