"""Random requests for transforms in unequal parts, each compared with numpy on real ranks, forward
and backward: mpiexec -n 6 python -m bench.unequal [COUNT [SEED [KERNELS]]].
"""

from __future__ import annotations

import json
import sys
from math import prod
from typing import Any

import numpy as np

import nodewright as nw
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.options import COMPLEX, DIRECTIONS, NORMS, NUMPY, REAL
from codegen.systems.record import SPECTRUM, Request

LONGEST, MOST_RANKS = 8, 6


def stated(system: str, shape: tuple[int, ...], P: int, **options: Any) -> Request:
    """Return a request for an array, with all that is chosen."""
    N = prod(shape) * max(options.get("batch", 0), 1)
    return resolve(make_request(system, N, P, shape=shape, **options)).request


def drawn(
    random: np.random.Generator, most: int = LONGEST, ranks: int = MOST_RANKS, kernels: str = NUMPY
) -> Request:
    """Return a random request that a program of unequal parts answers."""
    while True:
        try:
            found = _drawn(random, most, ranks, kernels)
        except ValueError:  # no axis may be whole, or one alone is prime
            continue
        if found.unequal:
            return found


def _drawn(random: np.random.Generator, most: int, ranks: int, kernels: str) -> Request:
    count = int(random.integers(1, 5))
    longest = most if count > 1 else most**2
    shape = tuple(int(n) for n in random.integers(1, longest + 1, count))
    system = str(random.choice(["fft", "rfft"]))
    axes = random.permutation(count)[: random.integers(1, count + 1)]
    options = {
        "kernels": kernels,
        "input": _names(random, count),
        "output": _names(random, count),
        "axes": ",".join(map(str, axes)) if random.random() < 0.5 else "",
        "batch": int(random.integers(0, 4)),
        "direction": str(random.choice(DIRECTIONS)),
        "norm": str(random.choice(NORMS)),
        "dtype": str(random.choice(COMPLEX if system == "fft" else REAL)),
    }
    if system == "rfft" and count == 1:
        options["result"] = SPECTRUM
    return stated(system, shape, int(random.integers(1, ranks + 1)), **options)


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
    if request.direction == DIRECTIONS[0]:
        return (np.fft.rfftn if real else np.fft.fftn)(x, axes=axes, norm=norm)
    if not real:
        return np.fft.ifftn(x, axes=axes, norm=norm)
    return np.fft.irfftn(x, [request.files[1][axis] for axis in axes], axes, norm=norm)


def error_of(request: Request, found: Any, wanted: Any) -> float:
    """Return the largest error in units of the rounding of a type."""
    if not found.size:
        return 0.0
    unit = float(np.finfo(request.dtype).eps) * max(float(np.abs(wanted).max()), 1.0)
    return float(np.abs(found - wanted).max()) / unit


def errors(comm: Any, request: Request, random: np.random.Generator) -> tuple[float, float]:
    """Return the errors of a rank's part forward and backward, in units of rounding."""
    names = ("norm", "dtype", "axes", "input", "output", "kernels")
    words = {name: getattr(request, name) for name in names}
    if request.result == SPECTRUM:
        words["result"] = SPECTRUM
    kind = nw.RFFT if request.record.real else nw.FFT
    stated = {"grid": request.grid, "batch": request.batch or None}
    with kind(comm, request.shape, **stated, **words) as transform:
        x = given(transform.request, random)
        wanted = by_numpy(transform.request, x)
        part, made = transform.input_slices, transform.output_slices
        y = transform.forward(x[part])
        back = transform.backward(y)
        return error_of(request, y, wanted[made]), error_of(request, back, x[part])


def main(count: int = 300, seed: int = 0, kernels: str = NUMPY) -> None:
    """Compare `count` random requests with numpy and print the result on rank 0."""
    from mpi4py import MPI  # noqa: PLC0415  # which starts MPI

    world, random = MPI.COMM_WORLD, np.random.default_rng(seed)
    worst, wrong = 0.0, list[str]()
    for _ in range(count):
        request = drawn(random, ranks=world.size, kernels=kernels)
        request = stated_forward(request)
        here = world.rank < request.P
        comm = world.Split(int(here), world.rank)
        found = errors(comm, request, np.random.default_rng(seed)) if here else (0.0, 0.0)
        comm.Free()
        most = max(world.allgather(max(found)))
        worst = max(worst, most)
        wrong += [command(request)] * (most > 64)
    if world.rank == 0:
        print(json.dumps({"requests": count, "wrong": wrong, "worst error": worst}))


def stated_forward(request: Request) -> Request:
    """Return the same request forward, whose way back is that of the transform."""
    if request.direction == DIRECTIONS[0]:
        return request
    options = {
        name: getattr(request, name)
        for name in ("input", "output", "axes", "batch", "norm", "dtype", "shape", "P", "kernels")
    }
    if request.result == SPECTRUM:
        options["result"] = SPECTRUM
    ends = {"input": request.output, "output": request.input}
    return stated(request.system, **options | ends)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
