"""Who sends how much to whom in each exchange of a program, computed from its supersteps: so the
messages of programs for any N, and for more ranks than are evaluated, are known without a run.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.program.digits.steps import Trade
from codegen.program.hartley import ListStage, Unpaired
from codegen.program.reals.untangle import Opposites
from codegen.program.supersteps import Across, AllToAll, Move, Overlap, Program, Rounds, Step
from codegen.reals import reals_of
from derive.papers.hartley_layouts import cyclic_partner
from derive.papers.hartley_lists import exchange

Rows = NDArray[np.int64]


def messages(program: Program) -> tuple[Rows, ...]:
    """Return the messages of each exchange, as rows of source, target and words.

    In an all-to-all the i-th messages of all ranks go to different ranks.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> messages(lower(Spec("fft", 64, 2, "cyclic", "cyclic")))[0].tolist()
    [[0, 1, 16], [1, 0, 16]]
    """
    found = [rows_of(step, program) for step in program.steps]
    others = (rows[rows[:, 0] != rows[:, 1]] for rows in found)
    return tuple(rows for rows in others if len(rows))


def rows_of(step: Step, program: Program) -> Rows:
    """Return the messages of a step as such rows, what stays on its rank among them."""
    ranks = np.arange(program.P)[:, None]
    targets, words = _targets(step, program, ranks)
    return np.stack(np.broadcast_arrays(ranks, targets, words), axis=-1).reshape(-1, 3)


def _targets(step: Step, program: Program, ranks: Rows) -> tuple[Any, Any]:
    """Return the ranks that these send to in a step, and how many words; a rank that sends nothing
    sends to itself.
    """
    match step:
        case Overlap():
            return _targets(step.move, program, ranks)
        case Across():
            return ranks ^ 1 << step.channel, program.M
        case ListStage() if step.s > 1:
            partners = [exchange(rank, step.s).partner for rank in range(program.P)]
            return np.reshape(partners, (-1, 1)), step.sent(ranks).words
        case Unpaired():
            return cyclic_partner(ranks, program.P), step.sent(ranks).words
        case Opposites():
            return step.partners[:, None], step.M
        case Trade():
            b = (step.position(ranks) + np.arange(step.messages)) % step.messages
            words = step.pack.size // step.messages * reals_of(step, program.spec)
            return step.target(ranks * step.messages + b), words
        case Move(exchange=AllToAll(basis)):
            group = reduce(
                lambda sums, e: np.concatenate([sums, sums ^ e]), basis, np.zeros(1, int)
            )
            return ranks ^ group, program.M >> len(basis)
        case Move(exchange=Rounds(gamma, delta)):
            return delta(ranks) ^ gamma(np.arange(1 << gamma.bits)), program.M >> gamma.bits
    return ranks, 0
