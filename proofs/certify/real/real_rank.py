"""One rank of a real run: `mpiexec -n P python real_rank.py`, in an empty folder; no module of ours
is imported.

Program and inputs are in the folder above, which cannot be written to. The inputs are raw files x0,
x1, .. with the elements of all ranks, the script is a JSON list, and each result is a raw file
y<number>.<rank>.
"""

import importlib
import json
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
    for word, plan, *rest in json.loads((given / "script").read_text(encoding="utf-8")):
        if word == "make":
            plans[plan] = program.plan(comm)
        elif word == "free":
            plans.pop(plan).free()
        else:
            vector, into = rest
            whole = np.fromfile(given / f"x{vector}", program.DTYPE).reshape(comm.size, -1)
            x = whole[comm.rank].copy()
            shape = getattr(program, "LOCAL_OUTPUT", x.shape)
            x = x.reshape(getattr(program, "LOCAL_INPUT", x.shape))
            out = {"out": np.empty(shape, x.dtype)} if into else {}
            program.transform(x, plans[plan], **out).tofile(f"y{count}.{comm.rank}")
            count += 1


if __name__ == "__main__":
    main()
