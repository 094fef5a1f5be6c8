"""Prints the peak memory of each rank of a program that it runs, in bytes: mpiexec -n P python
bench/peak.py PROGRAM [IN.npy OUT.npy].

It is the largest resident set, and what is resident after two transforms with memory of all ranks
divided among those that have touched it (Linux's proportional set): a resident set has what a rank
reads in another's part of a window as well.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI


def peak() -> int:
    """Return the largest resident set so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def share() -> int:
    """Return the proportional set now, in bytes; the resident set where the system does not
    tell.
    """
    rollup = Path("/proc/self/smaps_rollup")
    lines = rollup.read_text(encoding="ascii").splitlines() if rollup.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), peak())


def main(path: str, *files: str) -> None:
    """Run a transform, or a whole file, and print the peaks."""
    comm = MPI.COMM_WORLD
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None and spec.loader is not None, path
    program = importlib.util.module_from_spec(spec)
    sys.modules["program"] = program  # numba asks for it
    spec.loader.exec_module(program)
    np.fft.fft(np.ones(16))
    before, shared = peak(), share()
    if files:
        program.run(comm, *files)
    else:
        x, y = np.ones(program.M, program.DTYPE), np.empty(program.M, program.DTYPE)
        plan = program.plan(comm)
        for _ in range(2):  # the halves of a window take turns
            program.transform(x, plan, out=y)
        shared = share() - shared
        plan.free()
    found = comm.gather((peak() - before, 0 if files else shared))
    if comm.rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
