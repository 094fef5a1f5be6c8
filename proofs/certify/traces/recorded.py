"""The messages of one transform, exchange by exchange, as the evaluated ranks of a certificate send
them.

They are compared with those counted from the factorization, so that each belongs to one exchange.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from codegen.cost.counted import Superstep, supersteps
from codegen.systems.exchanges import EXCHANGES, WAYS
from derive.files import read_text
from proofs.certify.checks.cost_check import forms
from proofs.certify.checks.nodes import of_size
from proofs.certify.declaration import Declaration
from proofs.certify.declared_constants import check_reach
from proofs.certify.evaluation.evaluated_source import LARGEST_TEXT, Text
from proofs.certify.evaluation.evaluation import Evaluation, declaration_of
from proofs.certify.failures import Wrong

MOST_MESSAGES = 2**21
"""So many messages are recorded at most: as a text of GOAL a fifth of a gigabyte."""


@dataclass(frozen=True)
class Exchange:
    """Flops of each rank before an exchange, and its messages: rows of source, target, words."""

    flops: tuple[int, ...]
    messages: NDArray[np.int64]


@dataclass(frozen=True)
class Recorded:
    """What the ranks of one transform do, exchange by exchange; the last has no messages."""

    declaration: Declaration
    exchanges: tuple[Exchange, ...]


def recorded(path: Path) -> Recorded:
    """Return the messages of one transform of a program, and the flops counted between them.

    Raises ValueError where the file is no node program, has too many elements, ranks or messages,
    exchanges by shared memory, or sends what is not counted from its factorization; NotModelled
    where it uses what the language does not have, Wrong where it fails on them, OSError where
    it cannot be read. Elements that are sent as bytes are counted as elements, and where ranks
    find out on which nodes they are, the messages are those between nodes of one rank.
    """
    evaluation = Evaluation(Text.read(path.name, read_text(path, LARGEST_TEXT)))
    d, _ = declaration_of(evaluation)
    check_reach(d, False)
    if WAYS[d.exchange].of_nodes:
        evaluation.nodes, d = of_size(1, d.P), replace(d, exchange=EXCHANGES[0])
    if WAYS[d.exchange].shares:
        raise ValueError(
            f"{path} states EXCHANGE = {d.exchange!r}: its ranks exchange by shared memory, and a"
            " trace is of messages"
        )
    counted = [supersteps(program) for program in forms(d)]
    most = max(sum(sum(step.messages) for step in steps) for steps in counted)
    if most > MOST_MESSAGES:
        raise ValueError(f"{path} sends {most} messages: a trace has {MOST_MESSAGES} at most")
    found = evaluation.messages(d)
    if len(found) > most:
        words = f"the ranks send {len(found)} messages, more than the {most} counted"
        raise Wrong("messages", words)
    messages = np.array(found, np.int64).reshape(-1, 3)
    for steps, size in product(counted, (1, d.dtype.itemsize)):
        whole = not (messages[:, 2] % size).any()
        if whole and (parts := parted(messages // (1, 1, size), steps)) is not None:
            return Recorded(d, parts)
    raise ValueError(f"{path} sends other messages than those counted from its factorization")


def parted(
    messages: NDArray[np.int64], steps: tuple[Superstep, ...]
) -> tuple[Exchange, ...] | None:
    """Return the messages of each superstep; None where a rank sends more or less than is counted.

    The first messages of a rank belong to the first superstep in which it sends, and so on.

    >>> step = Superstep((8, 8), (1, 1), (4, 4))
    >>> parted(np.array([[0, 1, 4], [1, 0, 4]]), (step,))[0].messages.tolist()
    [[0, 1, 4], [1, 0, 4]]
    >>> parted(np.array([[0, 1, 4], [1, 0, 3]]), (step,)) is None
    True
    """
    P = len(steps[0].messages)
    rows = messages[np.argsort(messages[:, 0], kind="stable")]
    counts = np.array([step.messages for step in steps]).T
    if not np.array_equal(np.bincount(rows[:, 0], minlength=P), counts.sum(axis=1)):
        return None
    of_step = np.repeat(np.tile(np.arange(len(steps)), P), counts.ravel())
    found = tuple(Exchange(step.flops, rows[of_step == i]) for i, step in enumerate(steps))
    for exchange, step in zip(found, steps, strict=True):
        words = np.bincount(exchange.messages[:, 0], exchange.messages[:, 2], P)
        if words.tolist() != list(step.words):
            return None
    return found
