"""Prints the peak memory of each rank of a program that it runs, in bytes: mpiexec -n P python bench/peak.py PROGRAM [IN.npy OUT.npy]."""

from __future__ import annotations

import importlib.util
import json
import resource
import sys

import numpy as np
from mpi4py import MPI


def peak() -> int:
    """Return the largest resident set so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(path: str, *files: str) -> None:
    """Run a transform, or a whole file, and print the peaks."""
    comm = MPI.COMM_WORLD
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None and spec.loader is not None, path
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    np.fft.fft(np.ones(16))
    before = peak()
    if files:
        program.run(comm, *files)
    else:
        x, y = np.ones(program.M, program.DTYPE), np.empty(program.M, program.DTYPE)
        plan = program.plan(comm)
        program.transform(x, plan, out=y)
        plan.free()
    found = comm.gather(peak() - before)
    if comm.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
