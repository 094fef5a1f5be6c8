"""The memory of a hypercube FFT beside its input and output: Table 1 of Aykanat & Dervis, and what
changes of layout need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.program.supersteps import Program


@dataclass(frozen=True)
class Room:
    """Elements of a rank's arrays: `work`, `extra`, and the twiddles of all its stages, the most of
    any rank.
    """

    work: int
    extra: int
    twiddles: int


BUFFERS = {"1": (0, 0), "2": (2, 0), "3": (0, 0), "4": (1, 0), "5": (2, 1), "5r": (2, 0)}
"""Send and receive buffers of each scheme in half blocks of M/2 elements, as (work, extra): their
sum is its row in Table 1.
"""


def buffers(scheme: str, M: int, P: int) -> int:
    """Return the elements of the send and receive buffers of a scheme: "local storage overhead" in
    Table 1, which has no 5r.

    >>> [buffers(scheme, 256, 4) for scheme in BUFFERS]
    [0, 256, 0, 128, 384, 256]
    """
    return sum(BUFFERS[scheme]) * M // 2 if P > 1 else 0


def room(program: Program) -> Room:
    """Return the arrays of a hypercube FFT. From bit-reversed to scrambled, or back, they are the
    buffers of its scheme.

    Other layouts need one work array of M elements, in which the buffers find room as well: nowhere
    is it more than 3 M/2.

    >>> from codegen.program.lower import lower
    >>> from codegen.requests import make_request
    >>> room(lower(make_request("hypercube-fft", 1024, 4, "bit-reversed", "scrambled", scheme="4")))
    Room(work=128, extra=0, twiddles=384)
    """
    M, P, steps = program.M, program.P, program.steps
    before = _passes(steps[0]) if steps else 0
    after = _passes(steps[-1]) if len(steps) > 1 else 0
    work, extra = (half * M // 2 if P > 1 else 0 for half in BUFFERS[program.request.scheme])
    return Room(
        max(work, M if after or before > 1 else 0),
        extra,
        sum(step.is_twiddled for step in program.steps) * twiddles_of_a_stage(program),
    )


def _passes(step: Any) -> int:
    """Return how often a change of layout writes all elements to another array."""
    if not step.is_move:
        return 0
    orders = (step.pack, step.unpack) if step.exchanges else (step.order,)
    return step.exchanges + sum(len(order.radices) > 1 for order in orders)


def twiddles_of_a_stage(program: Program) -> int:
    """Return the entries of a table: M/2, or in Prog. 2 for P = 2 all M of the second rank.

    The second half of the twiddles of Prog. 2 is the first, turned; so (d+1) M/2 entries are enough
    for every P.
    """
    return (
        program.M
        if program.request.scheme == "2" and (program.P == 2 or program.M == 1)
        else program.M // 2
    )
