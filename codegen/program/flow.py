"""Who sends what to whom: a program as what its ranks compute and what they exchange, in turn.

flow = (part, ..)        part = Works(words) | Sends(words, pairs, elements)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from codegen.program.digits.real import Untangle
from codegen.program.digits.steps import Trade, Transform
from codegen.program.hartley import AcrossRanks, HalfSpectra, HartleyStep, ListStage, Rest, Unpaired
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
from derive.formula.grammar import Formula, I
from derive.gf2.bits import span
from derive.papers.hartley_layouts import cyclic_partner
from derive.papers.hartley_lists import exchange as exchange_of

MOST_RANKS = 256
HARTLEY = {
    Rest: "the remaining stages",
    HalfSpectra: "H_M on every rank",
    AcrossRanks: "sums over the ranks",
}
"""What a rank computes in the steps of a Hartley transform."""


@dataclass(frozen=True)
class Works:
    """The work of every rank on its own elements: factors of the formula, or words."""

    words: str


@dataclass(frozen=True)
class Sends:
    """Messages between ranks, (from, to) each, of so many elements at most."""

    words: str
    pairs: tuple[tuple[int, int], ...]
    elements: int


Part = Works | Sends


def flow(program: Program) -> tuple[Part, ...]:
    """Return what the ranks of a program compute and exchange, in turn; raise ValueError for more
    than 256 ranks.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> flow(lower(Spec("fft", 16, 2, "cyclic", "cyclic")))[:2]
    (Works(words='I_2 ⊗ F_8'), Sends(words='Γ_{2,2,16}', pairs=((0, 1), (1, 0)), elements=4))
    """
    return tuple(part for parts in by_step(program) for part in parts)


def by_step(program: Program) -> tuple[tuple[Part, ...], ...]:
    """Return the same for each superstep; raise ValueError for more than 256 ranks."""
    if program.P > MOST_RANKS:
        raise ValueError(
            f"P = {program.P}: who sends to whom is listed for up to {MOST_RANKS} ranks"
        )
    return tuple(tuple(_parts(step, program)) for step in program.steps)


def _parts(step: Step, program: Program) -> Iterator[Part]:
    """Yield what a superstep computes and sends."""
    match step:
        case Move(exchange=exchange):
            yield _moved(step, exchange, program)
        case Local() | Butterflies():
            yield Works(_written(step.factors) or "the identity")
        case Across(channel=channel):
            yield _paired("neighbours", [k ^ 1 << channel for k in range(program.P)], program.M)
            yield Works(_written(step.factors))
        case Overlap(local, move):
            yield Works(_written(local.factors) or "the local transform, overlapped")
            yield _moved(move, move.exchange, program)
        case Transform():
            yield Works(_written((step.factor,)))
        case Trade():
            yield _traded(step, program)
        case Untangle():
            yield _paired("pairs of opposite numbers", step.partners.tolist(), program.M)
            yield Works("the half spectrum")
        case _:
            yield from _hartley(step, program)


def _traded(step: Trade, program: Program) -> Sends:
    """Return the messages of ranks that trade digits."""
    many = step.messages
    z = np.arange(step.P * many)
    ends = zip((z // many).tolist(), step.target(z).tolist(), strict=True)
    pairs = tuple((k, to) for k, to in ends if k != to)
    return Sends("digits of the rank and of the offset", pairs, program.M // many)


def _hartley(step: HartleyStep, program: Program) -> Iterator[Part]:
    """Yield what a superstep of a Hartley transform computes and sends."""
    N, P = program.N, program.P
    match step:
        case ListStage(s=s):
            if s > 1:
                partners = [exchange_of(k, s).partner for k in range(P)]
                lists = "a list" if s == 2 else "one or both lists"
                yield _paired(f"{lists}, before L_{s}", partners, step.relations()[0])
            yield Works(f"L_{s}")
        case Unpaired():
            partners = [cyclic_partner(k, P) for k in range(P)]
            yield _paired("second elements of pairs", partners, N // (2 * P))
        case _:
            yield Works(HARTLEY[type(step)])


def _moved(move: Move, exchange: Exchange | None, program: Program) -> Part:
    words = _written(move.factors) or "a change of layout"
    if exchange is None:
        return Works(words)
    pairs = tuple((k, to) for k in range(program.P) for to in targets(exchange, k) if to != k)
    return Sends(words, pairs, program.M >> exchange.rank_gamma) if pairs else Works(words)


def _paired(words: str, partners: list[int], elements: int) -> Sends:
    pairs = tuple((k, to) for k, to in enumerate(partners) if to != k)
    return Sends(words, pairs, elements)


def targets(exchange: Exchange, k: int) -> list[int]:
    """Return the ranks that rank k sends to, perhaps itself among them.

    >>> targets(AllToAll((2,)), 1)
    [1, 3]
    """
    if isinstance(exchange, AllToAll):
        return [k ^ int(x) for x in span(exchange.basis)]
    return [exchange.gamma(b) ^ exchange.delta(k) for b in range(1 << exchange.rank_gamma)]


def _written(factors: tuple[Formula, ...]) -> str:
    """Return factors but identities as they print, one alone without the parentheses around it."""
    text = " ".join(str(factor) for factor in factors if not isinstance(factor, I))
    whole = len(factors) == 1 and text.startswith("(") and text.endswith(")")
    return text[1:-1] if whole else text
