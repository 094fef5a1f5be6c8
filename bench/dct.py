"""Cosine and sine transforms: random requests compared with scipy on real ranks, forward and
backward, mpiexec -n 4 python -m bench.dct COUNT [SEED [KERNELS]]; without COUNT the time of a
transform over that of rfft, both of 2^20 elements: mpiexec -n 2 python -m bench.dct.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from timeit import repeat
from typing import Any

import numpy as np
import scipy.fft

import nodewright as nw
from codegen.systems.options import NORMS, NUMBA, NUMPY, REAL

SIZE, REPEATS, MOST = 2**20, 30, 64
LAYOUTS = ("block", "balanced")


def drawn(random: np.random.Generator) -> tuple[str, tuple[int, ...], dict[str, Any]]:
    """Return a random transform: its name, shape and options."""
    count = int(random.integers(1, 4))
    shape = tuple(int(n) for n in random.integers(1, 9 if count > 1 else 200, count))
    axes = tuple(int(axis) for axis in random.permutation(count)[: random.integers(1, count + 1)])
    options = {
        "type": int(random.integers(2, 4)),
        "norm": str(random.choice(NORMS)),
        "dtype": str(random.choice(REAL)),
        "input": str(random.choice(LAYOUTS)),
        "output": str(random.choice(LAYOUTS)),
        "axes": axes,
        "batch": int(random.integers(1, 4)) if random.random() < 0.3 else None,
    }
    return str(random.choice(["dct", "dst"])), shape, options


def by_scipy(name: str, x: Any, options: dict[str, Any]) -> Any:
    """Return what scipy makes of an array in double precision."""
    axes = [axis + (options["batch"] is not None) for axis in options["axes"]]
    function = scipy.fft.dctn if name == "dct" else scipy.fft.dstn
    return function(x.astype(float), options["type"], axes=axes, norm=options["norm"])


def error_of(found: Any, wanted: Any) -> float:
    """Return the largest error, over that of a rounding of the largest element."""
    if not found.size:
        return 0.0
    unit = float(np.finfo(found.dtype).eps) * max(float(np.abs(wanted).max()), 1.0)
    return float(np.abs(found - wanted).max()) / unit


def errors(comm: Any, random: np.random.Generator, kernels: str) -> tuple[str, float]:
    """Return a random request in words, and the worst error of a rank's part in units of rounding,
    forward and backward.
    """
    name, shape, options = drawn(random)
    transform = {"dct": nw.DCT, "dst": nw.DST}[name]
    with transform(comm, shape, kernels=kernels, **options) as made:
        x = random.standard_normal(made.request.whole).astype(options["dtype"])
        wanted = by_scipy(name, x, options)[made.output_slices]
        part = x[made.input_slices]
        y = made.forward(part)
        found = (error_of(y, wanted), error_of(made.backward(y), part))
    return f"{name} {shape} {options}", max(found)


def ratio(comm: Any) -> dict[str, float]:
    """Return the least seconds of transforms, and of dct over rfft."""
    seconds = dict[str, float]()
    for name, kind in (("rfft", nw.RFFT), ("dct", nw.DCT), ("dst", nw.DST)):
        with kind(comm, SIZE, kernels=NUMBA) as transform:
            x = np.random.default_rng(0).standard_normal(transform.local_shape)
            y = transform.forward(x)
            run = partial(transform.forward, x, out=y)
            times = repeat(run, comm.Barrier, repeat=REPEATS, number=1)
            seconds[name] = min(np.max(comm.allgather(times), axis=0).tolist())
    return seconds | {"ratio": seconds["dct"] / seconds["rfft"]}


def main(count: int = 0, seed: int = 0, kernels: str = NUMPY) -> None:
    """Print the ratio, or which of random requests are wrong."""
    from mpi4py import MPI  # noqa: PLC0415  # which starts MPI

    comm, random = MPI.COMM_WORLD, np.random.default_rng(seed)
    if not count:
        found: dict[str, Any] = ratio(comm)
    else:
        several = [errors(comm, random, kernels) for _ in range(count)]
        most = np.max(comm.allgather([error for _, error in several]), axis=0).tolist()
        wrong = [words for (words, _), error in zip(several, most, strict=True) if error > MOST]
        found = {"requests": count, "wrong": wrong, "worst error": max(most)}
    if comm.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
