"""Using a program on simulated ranks: for one transform, or for several that share plans."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from codegen.mpi.buffers import overlap, poison, same
from codegen.mpi.ranks import Run
from codegen.mpi.simulate import Comm, during, run
from proofs import fftw
from proofs.blame import Wrong, blaming
from proofs.declaration import Declaration
from proofs.lanes import Compiler
from proofs.sandbox import Arrays, Text

Program = Mapping[str, Any]
Use = Callable[[Program, Comm, Sequence[Any], str], list[Any]]
LARGE = 2**16
"""From this N on the arrays of a run are many times the objects."""
TRANSFORM = "transform"
"""What the trace calls the time between plan and free."""
TURNS = (0, 1, 0, 1)
"""Which of two vectors each transform of `in_turns` is given."""
IN_TURNS = "four transforms: by one plan, by another, by that again at once into an array of the caller's, by the first when the other is freed"


def simulated(
    text: Text, declaration: Declaration, arrays: Arrays | None, data: Sequence[Any], use: Use, name: str, compiler: Compiler | None = None
) -> Run:
    """Run the program on all ranks with these vectors, of which data[i][rank] is a rank's part; its kernels compiled, if there is a compiler.

    Raises Wrong, of `name` or of messages, where it fails.
    """
    if declaration.N >= LARGE:
        gc.collect()  # what the last run leaves in cycles is as large as its arrays
    with blaming(text, name):
        as_it_is = arrays is None and fftw.is_installed()
        return run(declaration.P, lambda comm: use(text.load(arrays, compiler, as_it_is), comm, [vector[comm.rank] for vector in data], name))


def once(program: Program, comm: Comm, data: Sequence[Any], name: str) -> list[Any]:
    """Return the transform of the first vector."""
    before = [x.copy() for x in data]
    plan = program["plan"](comm)
    during(comm, TRANSFORM)
    results = [program["transform"](data[0], plan)]
    during(comm, "free")
    plan.free()
    _well_formed(data, before, results, name)
    return results


def in_turns(program: Program, comm: Comm, data: Sequence[Any], name: str) -> list[Any]:
    """Return the transforms of two vectors, given in TURNS to two plans."""
    plan, transform = program["plan"], program["transform"]
    before = [x.copy() for x in data]
    x, z = data
    out = x.copy()
    poison(out)
    first, second = plan(comm), plan(comm)
    during(comm, TRANSFORM)
    results = [transform(x, first), transform(z, second)]
    if transform(x, second, out=out) is not out:
        raise Wrong(name, "transform(x, plan, out=y) does not return y")
    during(comm, "free")
    second.free()
    during(comm, TRANSFORM)
    results += [out, transform(z, first)]
    during(comm, "free")
    first.free()
    _well_formed(data, before, results, name)
    return results


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
