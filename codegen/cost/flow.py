"""Who sends what to whom: a program as what its ranks compute and what they exchange, in turn.

flow = (part, ..)        part = Works(words) | Sends(words, pairs, elements, least)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codegen.program.protocol import Exchanges, Step, Works
from codegen.program.supersteps import Program

MOST_LISTED = 256
Rows = NDArray[np.int64]
"""Rows of source, target and words."""


@dataclass(frozen=True)
class Sends:
    """Messages between ranks, (from, to) each, with the most and the fewest elements of one."""

    words: str
    pairs: tuple[tuple[int, int], ...]
    elements: int
    least: int


Part = Works | Sends


def flow(program: Program) -> tuple[Part, ...]:
    """Return what the ranks of a program compute and exchange, in turn; raise ValueError for more
    than 256 ranks.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> flow(resolve(make_request("fft", 16, 2, "cyclic", "cyclic")))[1]
    Sends(words='Γ_{2,2,16} T^16_8', pairs=((0, 1), (1, 0)), elements=4, least=4)
    """
    return tuple(part for parts in by_step(program) for part in parts)


def by_step(program: Program) -> tuple[tuple[Part, ...], ...]:
    """Return the same for each superstep; raise ValueError for more than 256 ranks."""
    if program.P > MOST_LISTED:
        raise ValueError(f"P = {program.P}: messages are listed for up to {MOST_LISTED} ranks")
    return tuple(tuple(_parts(step, program)) for step in program.steps)


def volumes(step: Step, program: Program) -> NDArray[np.int64]:
    """Return how many elements each rank sends to each other one in a superstep in which ranks
    exchange, a row for each rank that sends.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> program = resolve(make_request("fft", 16, 2, "cyclic", "cyclic"))
    >>> volumes(program.steps[1], program).tolist()
    [[0, 4], [4, 0]]
    """
    rows = rows_of(step, program)
    sizes = np.zeros((program.P, program.P), dtype=np.int64)
    np.add.at(sizes, (rows[:, 0], rows[:, 1]), rows[:, 2])
    np.fill_diagonal(sizes, 0)
    return sizes


def rows_of(step: Step, program: Program) -> Rows:
    """Return the messages of a step, including what stays on its rank."""
    ranks = np.arange(program.P)[:, None]
    targets, words = step.targets(ranks)
    return np.stack(np.broadcast_arrays(ranks, targets, words), axis=-1).reshape(-1, 3)


def _parts(step: Step, program: Program) -> Iterator[Part]:
    """Yield what a superstep computes and sends."""
    for part in step.in_words:
        yield _sends(part.words, step, program) if isinstance(part, Exchanges) else part


def _sends(words: str, step: Step, program: Program) -> Sends:
    rows = rows_of(step, program)
    others = rows[rows[:, 0] != rows[:, 1]]
    pairs = tuple((k, to) for k, to, _ in others.tolist())
    sizes = others[:, 2].tolist() or [0]
    return Sends(words, pairs, max(sizes), min(sizes))
