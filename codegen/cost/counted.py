"""Counted cost of a program: supersteps, messages, words and flops, and the BSP time that a machine
would need (equation 3.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add

import numpy as np
from numpy.typing import NDArray

from codegen.cost.flow import rows_of
from codegen.program.supersteps import Program

RANKS_COUNTED = 2**16
"""Up to so many ranks are looked at for the one that sends most; of more ranks, so many drawn at
random.
"""


@dataclass(frozen=True)
class Cost:
    """The most that one rank does: exchanges (communication supersteps), messages and words sent to
    other ranks, flops.

    A word is an element. A complex addition counts 2 flops, a multiplication 6; F_d counts 5 d lg
    d, the radix-2 algorithm.
    """

    exchanges: int
    messages: int
    words: int
    flops: int


@dataclass(frozen=True)
class Machine:
    """A BSP computer: v flop/s, g flops per word sent or received, l flops per synchronization
    (Inda & Bisseling 2000, section 1.2).

    `processors` are (p, g, l) where they are known for several p, as in Table 4.
    """

    name: str
    v: float
    g: float
    l: float
    processors: tuple[tuple[int, float, float], ...] = ()

    def at(self, P: int) -> Machine:
        """Return the machine with g and l for P ranks: those of the largest p <= P, else of the
        least, where they are stated by p.

        >>> Machine("m", 1e9, 1, 1, ((2, 3, 100), (8, 4, 200))).at(4).l
        100
        """
        if not self.processors:
            return self
        _, g, l = max((row for row in self.processors if row[0] <= P), default=min(self.processors))
        return Machine(self.name, self.v, g, l)

    def seconds(self, cost: Cost) -> float:
        """Return (flops + words g + exchanges l) / v."""
        return (cost.flops + cost.words * self.g + cost.exchanges * self.l) / self.v


EXAMPLE_MACHINE = Machine("two cores sharing memory (example)", v=2.0e9, g=8.0, l=2.0e4)
"""Round figures of a small shared-memory machine; `--machine FILE` states your own."""


def count(program: Program) -> Cost:
    """Return the cost of a program. No rank does more flops than rank 0, which has the largest part
    of every axis, or in stages on lists than rank 1.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> count(resolve(make_request("fft", 1024, 4, "cyclic", "cyclic")))
    Cost(exchanges=1, messages=3, words=192, flops=14336)
    """
    ranks = (
        np.arange(program.P)
        if program.P <= RANKS_COUNTED
        else np.random.default_rng(0).integers(program.P, size=RANKS_COUNTED)
    )
    messages, words = sent_by(program, ranks)
    flops = max(sum(step.flops(rank) for step in program.steps) for rank in range(2)[: program.P])
    exchanges = sum(step.exchanges for step in program.steps)
    return Cost(exchanges, int(messages.max()), int(words.max()), flops)


def sent_by(
    program: Program, ranks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many messages and words these ranks send to others.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> [counts.tolist() for counts in sent_by(resolve(make_request("fht", 64, 4)), np.arange(4))]
    [[3, 3, 3, 3], [24, 32, 24, 32]]
    """
    messages, words = np.zeros_like(ranks), np.zeros_like(ranks)
    for step in program.steps:
        sent = step.sent(ranks)
        messages, words = messages + sent.messages, words + sent.words
    return messages, words


@dataclass(frozen=True)
class Superstep:
    """What each rank computes, and then sends to others: flops, messages and words by rank."""

    flops: tuple[int, ...]
    messages: tuple[int, ...]
    words: tuple[int, ...]


def supersteps(program: Program) -> tuple[Superstep, ...]:
    """Return what the ranks compute before each exchange, and send in it; the last sends nothing.

    A step that exchanges and computes, such as Across, computes after its exchange, but for an
    Overlap, which computes before it.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> cyclic = make_request("fft", 1024, 4, "cyclic", "cyclic")
    >>> [step.flops[0] for step in supersteps(resolve(cyclic))]
    [10240, 4096]
    """
    ranks, found, flops = np.arange(program.P), list[Superstep](), [0] * program.P
    for step in program.steps:
        computed = [step.flops(rank) for rank in range(program.P)]
        messages, words = step.sent(ranks)
        if step.computes_first:
            flops, computed = [*map(add, flops, computed)], [0] * program.P
        if messages.any():
            found.append(Superstep(tuple(flops), tuple(messages.tolist()), tuple(words.tolist())))
            flops = [0] * program.P
        flops = [*map(add, flops, computed)]
    nothing = (0,) * program.P
    return (*found, Superstep(tuple(flops), nothing, nothing))


def relations(program: Program) -> tuple[int, ...]:
    """Return h of the h-relation of every exchange, in order: the most words that one rank sends,
    or receives, in it.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> [relations(resolve(make_request(system, 64, 4))) for system in ("fft", "fht")]
    [(12, 12, 12), (8, 8, 16)]
    >>> uneven = make_request("fft", 100, 3, "balanced,whole", "block,whole", shape=(10, 10))
    >>> relations(resolve(uneven))
    (28, 24)
    """
    found = list[int]()
    for step in program.steps:
        if step.exchanges:
            source, target, words = rows_of(step, program).T
            moved = np.where(source == target, 0, words)
            ways = (np.bincount(end, moved, program.P).max() for end in (source, target))
            found.append(int(max(ways)))
    return tuple(found)
