"""Random requests for programs whose ranks have unequal parts, and what numpy makes of them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.record import Request
from tests.support.programs import module_of
from tests.support.worlds import run

COMPLEX, REAL = ("complex128", "complex64"), ("float64", "float32")


def stated(system: str, shape: tuple[int, ...], P: int, **options: Any) -> Request:
    """Return a request for an array."""
    N = prod(shape) * max(options.get("batch", 0), 1)
    return resolve(make_request(system, N, P, shape=shape, **options)).request


def drawn(random: np.random.Generator, most: int = 8, most_ranks: int = 6) -> Request:
    """Return a random request that a program answers."""
    while True:
        try:
            return _drawn(random, most, most_ranks)
        except ValueError:  # of all axes none may be whole
            continue


def _drawn(random: np.random.Generator, most: int, most_ranks: int) -> Request:
    count = int(random.integers(1, 5))
    shape = tuple(int(n) for n in random.integers(1, most + 1, count))
    batch = int(random.integers(0, 4)) if count > 1 else int(random.integers(1, 4))
    system = str(random.choice(["fft", "rfft"]))
    axes = random.permutation(count)[: random.integers(1, count + 1)]
    found = {
        "input": _names(random, count),
        "output": _names(random, count),
        "axes": ",".join(map(str, axes)) if random.random() < 0.5 else "",
        "batch": batch,
        "direction": str(random.choice(["forward", "backward"])),
        "norm": str(random.choice(["backward", "ortho", "forward"])),
        "dtype": str(random.choice(COMPLEX if system == "fft" else REAL)),
    }
    return stated(system, shape, int(random.integers(1, most_ranks + 1)), **found)


def _names(random: np.random.Generator, count: int) -> str:
    names = random.choice(["block", "balanced", "whole"], count)
    return ",".join(names) if random.random() < 0.6 else str(random.choice(["block", "balanced"]))


def axes_of(request: Request) -> tuple[int, ...]:
    """Return the axes of the whole array that a request transforms."""
    return tuple(axis + (request.batch > 0) for axis in request.transformed)


def given(request: Request, random: np.random.Generator) -> Any:
    """Return a random array for a request."""
    x = random.standard_normal(request.whole)
    if np.dtype(request.types[0]).kind == "c":
        x = x + 1j * random.standard_normal(request.whole)
    return x.astype(request.types[0])


def by_numpy(request: Request, x: Any) -> Any:
    """Return what numpy makes of an array in double precision."""
    axes, norm, real = axes_of(request), request.norm, request.record.real
    x = x.astype(complex if np.iscomplexobj(x) else float)
    if request.direction == "forward":
        return (np.fft.rfftn if real else np.fft.fftn)(x, axes=axes, norm=norm)
    if not real:
        return np.fft.ifftn(x, axes=axes, norm=norm)
    return np.fft.irfftn(x, [request.files[1][axis] for axis in axes], axes, norm=norm)


def on_ranks(request: Request, x: Any) -> Any:
    """Return what the program of a request makes of an array on ranks in CPython."""
    program, found = module_of(emit(resolve(request))), np.empty(request.files[1], request.types[1])

    def body(comm: Any) -> None:
        plan, rank = program.plan(comm), comm.rank
        part = x[program.slices(program.INPUT_LAYOUT, rank)]
        before = part.copy()
        y = program.transform(part, plan)
        assert (part == before).all() and y.shape == program.local_output_shape(rank)
        assert (program.transform(part, plan) == y).all()
        found[program.slices(program.OUTPUT_LAYOUT, rank)] = y
        o = np.arange(y.size)
        assert all((program.output_place(program.output_index(rank, o))[0] == rank).tolist())
        assert (program.output_place(program.output_index(rank, o))[1] == o).all()
        plan.free()

    run(request.P, body)
    return found
