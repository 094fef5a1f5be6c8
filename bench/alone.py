"""The program for one rank beside pyfftw (FFTW_MEASURE), each called with the arrays of the caller,
out of place, on one core.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from statistics import geometric_mean

import numpy as np
import pyfftw

from bench.common import best, table
from bench.kernel import Alone, Kernel, repeated, vector

WANTED = 0.7
"""The most in the geometric mean."""


def against_fftw(sizes: Sequence[int], rounds: int) -> None:
    """Print microseconds of one transform of 2^k complex numbers, and the ratio to pyfftw's."""
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        for k in sizes:
            kernel = Kernel(k, "complex128", folder)
            program, plan = kernel.program, kernel.program.plan(Alone())
            x, y, z = (pyfftw.empty_aligned(1 << k, "complex128", n=64) for _ in range(3))
            fftw = pyfftw.FFTW(x, z, flags=("FFTW_MEASURE",), threads=1)
            x[:] = vector(k)
            calls = [
                repeated(lambda run=program.transform, x=x, plan=plan, y=y: run(x, plan, out=y)),
                repeated(lambda f=fftw, x=x, z=z: f(x, z)),
            ]
            ours, theirs = (
                seconds / count
                for seconds, (_, count) in zip(
                    best(rounds, *[loop for loop, _ in calls]), calls, strict=True
                )
            )
            if not np.allclose(y, z):
                raise RuntimeError(
                    f"P = 1 and pyfftw differ at 2^{k}: what is timed is no transform"
                )
            ratios.append(ours / theirs)
            rows.append((f"2^{k}", ours * 1e6, theirs * 1e6, ratios[-1]))
            plan.free()
    head = ("N", "program, P = 1, us", "pyfftw, us", "ratio")
    table(
        "One rank on one core, complex128; the codelets of pyfftw's wheel are for SSE2 and AVX",
        head,
        [*rows, ("geometric mean", "", "", geometric_mean(ratios))],
    )
    print(f"\nwanted: at most {WANTED} in the mean")
