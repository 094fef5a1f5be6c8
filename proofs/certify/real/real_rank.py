"""One rank of a real run: `mpiexec -n P python real_rank.py`, in an empty folder; no module of ours
is imported.

Program and inputs are in the folder above, which cannot be written to. The inputs are raw files x0,
x1, .. with the elements of all ranks, one rank after the other, the script is a JSON list, followed
by the shapes of the parts of each rank and the types, "" for DTYPE, of input and output, and each
result is a raw file y<number>.<rank>.
"""

import importlib
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np


def main() -> None:
    """Follow the script: `make` and a plan, `do` with plan, vector and into, `free` and a plan."""
    given = Path.cwd().parent
    sys.path.insert(0, str(given))
    program = importlib.import_module("program")
    # it starts MPI, without which a program can be imported
    comm = importlib.import_module("mpi4py.MPI").COMM_WORLD
    plans: dict[int, Any] = {}
    count = 0
    script, shapes, kinds = json.loads((given / "script").read_text(encoding="utf-8"))
    before, after = (np.dtype(kind or program.DTYPE) for kind in kinds)
    sizes = [math.prod(shape) for shape, _ in shapes]
    shape, shape_after = shapes[comm.rank]
    for word, plan, *rest in script:
        if word == "make":
            plans[plan] = program.plan(comm)
        elif word == "free":
            plans.pop(plan).free()
        else:
            vector, into = rest
            skipped = sum(sizes[: comm.rank]) * before.itemsize
            x = np.fromfile(given / f"x{vector}", before, sizes[comm.rank], offset=skipped)
            out: Any = np.empty(shape_after, after) if into else None
            named = {} if out is None else {"out": out}
            y = program.transform(x.reshape(shape), plans[plan], **named)
            (out if y is None else y).tofile(f"y{count}.{comm.rank}")
            count += 1


if __name__ == "__main__":
    main()
