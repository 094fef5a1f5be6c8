"""Who sends how much to whom in each exchange of a program, computed from its supersteps: so the
messages of programs for any N, and for more ranks than are evaluated, are known without a run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codegen.program.protocol import Step
from codegen.program.supersteps import Program

Rows = NDArray[np.int64]


def messages(program: Program) -> tuple[Rows, ...]:
    """Return the messages of each exchange, as rows of source, target and words.

    In an all-to-all the i-th messages of all ranks go to different ranks.

    >>> from codegen.program.lower import lower
    >>> from codegen.requests import make_request
    >>> messages(lower(make_request("fft", 64, 2, "cyclic", "cyclic")))[0].tolist()
    [[0, 1, 16], [1, 0, 16]]
    """
    found = [rows_of(step, program) for step in program.steps]
    others = (rows[rows[:, 0] != rows[:, 1]] for rows in found)
    return tuple(rows for rows in others if len(rows))


def rows_of(step: Step, program: Program) -> Rows:
    """Return the messages of a step as such rows, what stays on its rank among them."""
    ranks = np.arange(program.P)[:, None]
    targets, words = step.targets(ranks)
    return np.stack(np.broadcast_arrays(ranks, targets, words), axis=-1).reshape(-1, 3)
