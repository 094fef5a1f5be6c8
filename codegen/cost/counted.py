"""Counted cost of a program: supersteps, messages, words and flops, and the BSP time that a machine
would need (equation 3.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.program.digits.steps import Trade, Transform
from codegen.program.digits.tiles import Tiled
from codegen.program.hartley import Computation, ListStage, Unpaired
from codegen.program.reals.rows import Rows
from codegen.program.reals.untangle import Opposites
from codegen.program.supersteps import (
    Across,
    AllToAll,
    Butterflies,
    Exchange,
    Local,
    Move,
    Overlap,
    Program,
    Step,
)
from codegen.reals import reals_of
from derive.formula.permutations import lg
from derive.gf2.bits import column_echelon

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
    """Return the cost of a program.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> count(lower(Spec("fft", 1024, 4, "cyclic", "cyclic")))
    Cost(exchanges=1, messages=3, words=192, flops=14336)
    """
    ranks = (
        np.arange(program.P)
        if program.P <= RANKS_COUNTED
        else np.random.default_rng(0).integers(program.P, size=RANKS_COUNTED)
    )
    messages, words = sent_by(program, ranks)
    flops = max(sum(_flops(step, program, rank) for step in program.steps) for rank in (0, 1))
    return Cost(len(relations(program)), int(messages.max()), int(words.max()), flops)


def sent_by(
    program: Program, ranks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many messages and words these ranks send to others.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> [counts.tolist() for counts in sent_by(lower(Spec("fht", 64, 4)), np.arange(4))]
    [[3, 3, 3, 3], [24, 32, 24, 32]]
    """
    messages, words = np.zeros_like(ranks), np.zeros_like(ranks)
    for step in program.steps:
        messages_now, words_now = _sent(step, program, ranks)
        messages, words = messages + messages_now, words + words_now
    return messages, words


def _sent(step: Step, program: Program, ranks: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return how many messages and words these ranks send to others in a step."""
    if isinstance(step, ListStage | Unpaired):
        sent = step.sent(ranks)
        return sent.messages, sent.words
    if isinstance(step, Opposites):
        return step.sent_by(ranks)
    if isinstance(step, Trade):
        messages, words = step.sent_by(ranks)
        return messages, words * reals_of(step, program.spec)
    if isinstance(step, Across):
        return np.ones_like(ranks), np.full_like(ranks, program.M)
    if (move := _move(step)) and move.exchange:
        each = messages_sent(move.exchange, ranks)
        return each, each * (program.M >> move.exchange.rank_gamma)
    return np.zeros_like(ranks), np.zeros_like(ranks)


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

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> [step.flops[0] for step in supersteps(lower(Spec("fft", 1024, 4, "cyclic", "cyclic")))]
    [10240, 4096]
    """
    ranks, found, flops = np.arange(program.P), list[Superstep](), [0] * program.P
    for step in program.steps:
        computed = [_flops(step, program, rank) for rank in range(program.P)]
        messages, words = _sent(step, program, ranks)
        if isinstance(step, Overlap):
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

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> relations(lower(Spec("fft", 64, 4))), relations(lower(Spec("fht", 64, 4)))
    ((12, 12, 12), (8, 8, 16))
    """
    ranks, found = np.arange(min(program.P, RANKS_COUNTED)), list[int]()
    for step in program.steps:
        if isinstance(step, ListStage | Unpaired):
            found += step.relations()
        elif _exchanges(step):
            found.append(int(_sent(step, program, ranks)[1].max()))
    return tuple(found)


def _exchanges(step: Step) -> bool:
    """Return whether ranks exchange in a step, but for those of lists and of pairs."""
    if isinstance(step, Opposites):
        return step.exchanges
    move = _move(step)
    return isinstance(step, Across | Trade) or bool(move and move.exchange)


def _move(step: Step) -> Move | None:
    return step if isinstance(step, Move) else step.move if isinstance(step, Overlap) else None


def messages_sent(exchange: Exchange | None, k: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many messages ranks k send to other ranks: all of 2^rank(gamma), but for one where
    a rank is its own target.

    >>> messages_sent(AllToAll((1, 2)), np.arange(4)).tolist()
    [3, 3, 3, 3]
    """
    if exchange is None:
        return np.zeros_like(k)
    if isinstance(exchange, AllToAll):
        return np.full_like(k, (1 << len(exchange.basis)) - 1)
    own = _solvable(exchange.gamma.columns, exchange.delta(k) ^ k)
    return (1 << exchange.rank_gamma) - own.astype(np.int64)


def _solvable(columns: tuple[int, ...], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which values are sums of the columns."""
    for e in reversed(column_echelon(columns)[0]):
        values = np.minimum(values, values ^ e)
    return values == 0


def _flops(step: Step, program: Program, rank: int) -> int:
    """Return the flops of the rank that has most, which is 0 or 1 in a Hartley transform: of
    Across, one that multiplies; of a scheme's butterflies, 3 M for M/2 products and 2 M.

    Generalized butterflies take 34 flops for four elements and two stages, 10 for two and one (Inda
    & Bisseling 2000, (3.1)). Elsewhere twiddles count 6 M, ones that are 1 included.
    """
    M = program.M
    match step:
        case Overlap(local):
            return _flops(local, program, rank)
        case Across():
            return 2 * M + (6 * M if step.twiddle else 0)
        case Local():
            twiddles = 6 * M if step.twiddle else 0
            return (
                5 * M
                if program.spec.scheme and step.is_butterfly
                else 5 * M * lg(step.d) + twiddles
            )
        case Butterflies():
            return 17 * M // 2 * (len(step.stages) // 2) + 5 * M * (len(step.stages) % 2)
        case Transform() | Tiled() | Opposites() | Rows():
            return step.flops
        case _ if isinstance(step, Computation):
            return step.flops(min(rank, program.P - 1))
    return 0
