"""Using a program on simulated ranks: for one transform, or for several that share plans."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from codegen.mpi.accidents import under
from codegen.mpi.buffers import overlap, poison, same
from codegen.mpi.ranks import Run
from codegen.mpi.simulate import Comm, during, run
from codegen.mpi.trace import Trace
from proofs import fftw
from proofs.blame import Wrong, blaming
from proofs.declaration import Declaration
from proofs.lanes import Compiler
from proofs.numpy_stand_in import Arrays
from proofs.sandbox import Text

Program = Mapping[str, Any]
Use = Callable[[Program, Comm, Sequence[Any], str], list[Any]]
LARGE = 2**16
"""From this N on the arrays of a run are many times the objects."""
TRANSFORM = "transform"
"""What the trace calls the time between plan and free."""
TURNS = (0, 1, 0, 1, 0, 1, 0, 1)
"""Which of two vectors each transform of `in_turns`, and then of `in_succession`, is given."""
IN_TURNS = (
    "four transforms: by one plan, by another, by that again at once into an array of the caller's, by the first when the other is freed; "
    "and four: by one plan, by another when the first is freed, by one made meanwhile when that is freed, by one made when all are freed"
)


def simulated(
    text: Text, declaration: Declaration, arrays: Arrays | None, data: Sequence[Any], use: Use, name: str, compiler: Compiler | None = None
) -> Run:
    """Run the program on all ranks with these vectors, of which data[i][rank] is a rank's part; its kernels compiled, if there is a compiler.

    What is used `in_turns` is used in succession, too, in a run of its own. Raises Wrong, of `name` or of messages, where it fails.
    """
    if use is in_turns:
        runs = [_simulated(text, declaration, arrays, data, each, name, compiler) for each in (in_turns, in_succession)]
        results = tuple(one + other for one, other in zip(*(run.results for run in runs), strict=True))
        trace = Trace(tuple(operation for run in runs for operation in run.trace.operations))
        return Run(results, trace, runs[0].leaks + runs[1].leaks, max(run.schedules for run in runs))
    return _simulated(text, declaration, arrays, data, use, name, compiler)


def _simulated(
    text: Text, declaration: Declaration, arrays: Arrays | None, data: Sequence[Any], use: Use, name: str, compiler: Compiler | None
) -> Run:
    if declaration.N >= LARGE:
        gc.collect()  # what the last run leaves in cycles is as large as its arrays
    with blaming(text, name), under(_accident(use, arrays)):
        as_it_is = arrays is None and fftw.is_installed()
        return run(declaration.P, lambda comm: use(text.load(arrays, compiler, as_it_is), comm, [vector[comm.rank] for vector in data], name))


def _accident(use: Use, arrays: Arrays | None) -> int:
    """Return under which accident a use is run: each of several under another one, and ordinary data that nobody has written is no number."""
    if use is in_succession:
        return 1
    return 2 if use is in_turns and arrays is not None else 0


def once(program: Program, comm: Comm, data: Sequence[Any], name: str) -> list[Any]:
    """Return the transform of the first vector."""
    before, state = [x.copy() for x in data], np.geterr()
    plan = program["plan"](comm)
    during(comm, TRANSFORM)
    results = [program["transform"](data[0], plan)]
    during(comm, "free")
    plan.free()
    _well_formed(data, before, results, name)
    _unchanged(state, name)
    return results


def in_turns(program: Program, comm: Comm, data: Sequence[Any], name: str) -> list[Any]:
    """Return four transforms of two vectors, given in turn to two plans."""
    plan, transform = program["plan"], program["transform"]
    before, state = [x.copy() for x in data], np.geterr()
    x, z = data
    out = x.copy()
    poison(out)
    first, second = plan(comm), plan(comm)
    held = x.copy()  # one array, which holds one vector and then the other
    results = [_one(comm, transform, held, first), _one(comm, transform, z, second)]
    during(comm, TRANSFORM)
    if transform(x, second, out=out) is not out:
        raise Wrong(name, "transform(x, plan, out=y) does not return y")
    _free(comm, second)
    held[...] = z
    results += [out, _one(comm, transform, held, first)]
    _free(comm, first)
    _well_formed([*data, held], [*before, z], results, name)
    _unchanged(state, name)
    return results


def in_succession(program: Program, comm: Comm, data: Sequence[Any], name: str) -> list[Any]:
    """Return four transforms of two vectors by four plans, each used when those before it are freed."""
    plan, transform = program["plan"], program["transform"]
    before, state = [x.copy() for x in data], np.geterr()
    x, z = data
    first, second = plan(comm), plan(comm)
    results = [_one(comm, transform, x, first)]
    _free(comm, first)
    results.append(_one(comm, transform, z, second))
    third = plan(comm)
    _free(comm, second)
    results.append(_one(comm, transform, x, third))
    _free(comm, third)
    fourth = plan(comm)
    results.append(_one(comm, transform, z, fourth))
    _free(comm, fourth)
    _well_formed(data, before, results, name)
    _unchanged(state, name)
    return results


def _one(comm: Comm, transform: Callable[..., Any], x: Any, plan: Any) -> Any:
    during(comm, TRANSFORM)
    y = transform(x, plan)
    during(comm, "plan")
    return y


def _free(comm: Comm, plan: Any) -> None:
    during(comm, "free")
    plan.free()
    during(comm, "plan")


def _unchanged(state: Any, name: str) -> None:
    if np.geterr() != state:
        raise Wrong(name, f"numpy's handling of errors is {np.geterr()} afterwards, and was {state}: a transform changes nothing but its result")


def _well_formed(data: Sequence[Any], before: Sequence[Any], results: Sequence[Any], name: str) -> None:
    """Raise Wrong unless every result is an array of its own like the input, which is left as it was."""
    x = data[0]
    for y in results:
        if type(y) is not type(x) or (y.shape, y.dtype) != (x.shape, x.dtype):
            raise Wrong(name, f"transform returns {_described(y)}, not the {x.size} elements of {x.dtype} of a rank")
    if not all(map(same, data, before)):
        raise Wrong(name, "transform changes its input, which is to be left as it was")
    if any(overlap(y, x) for y in results for x in data) or any(overlap(one, other) for one, other in combinations(results, 2)):
        raise Wrong(name, "transform returns an array that is also another one's: the result is a new array")


def _described(value: Any) -> str:
    """Return what a program returned, which may be anything, in words."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else f"an array of shape {shape} of {dtype}"
