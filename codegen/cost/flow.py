"""Who sends what to whom: a program as what its ranks compute and what they exchange, in turn.

flow = (part, ..)        part = Works(words) | Sends(words, pairs, elements)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codegen.cost.messages import rows_of
from codegen.program.digits.steps import Trade, Transform, Turn
from codegen.program.digits.tiles import Tiled
from codegen.program.hartley import AcrossRanks, HalfSpectra, HartleyStep, ListStage, Rest, Unpaired
from codegen.program.reals.halves import Halves
from codegen.program.reals.rows import Rows
from codegen.program.reals.untangle import Opposites, Untangle
from codegen.program.supersteps import Across, Butterflies, Local, Move, Overlap, Program, Step
from derive.formula.grammar import Formula, I

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
        raise ValueError(f"P = {program.P}: messages are listed for up to {MOST_RANKS} ranks")
    return tuple(tuple(_parts(step, program)) for step in program.steps)


def volumes(step: Step, program: Program) -> NDArray[np.int64]:
    """Return how many elements each rank sends to each other one in a superstep in which ranks
    exchange, a row for each rank that sends.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> program = lower(Spec("fft", 16, 2, "cyclic", "cyclic"))
    >>> volumes(program.steps[1], program).tolist()
    [[0, 4], [4, 0]]
    """
    rows = rows_of(step.move if isinstance(step, Overlap) else step, program)
    sizes = np.zeros((program.P, program.P), dtype=np.int64)
    np.add.at(sizes, (rows[:, 0], rows[:, 1]), rows[:, 2])
    np.fill_diagonal(sizes, 0)
    return sizes


def _parts(step: Step, program: Program) -> Iterator[Part]:
    """Yield what a superstep computes and sends."""
    match step:
        case Move():
            yield _moved(step, program)
        case Local() | Butterflies():
            yield Works(_written(step.factors) or "the identity")
        case Across():
            yield _sends("neighbours", step, program)
            yield Works(_written(step.factors))
        case Overlap(local, move):
            yield Works(_written(local.factors) or "the local transform, overlapped")
            yield _moved(move, program)
        case Transform(d=1):
            yield Works("twiddles")
        case Transform():
            yield Works(_written((step.factor,)))
        case Tiled(transforms=transforms):
            yield Works(_written(tuple(each.factor for each in transforms)))
        case Rows():
            yield Works(str(step.factor))
        case Turn():
            yield Works("digits of the offset in another order")
        case Trade():
            yield _sends("digits of the rank and of the offset", step, program)
        case Opposites():
            if step.exchanges:
                yield _sends("elements k and N-k", step, program)
            yield Works(_of_opposites(step))
        case _:
            yield from _hartley(step, program)


def _of_opposites(step: Opposites) -> str:
    """Return in words what a rank computes when ranks have exchanged elements k and N-k."""
    match step:
        case Untangle():
            return "the half spectrum"
        case Halves(back=True):
            return "pairs from the halves of a vector"
        case Halves():
            return "the Hartley transform from F of pairs"
    return "the Hartley transform from F"


def _hartley(step: HartleyStep, program: Program) -> Iterator[Part]:
    """Yield what a superstep of a Hartley transform computes and sends."""
    match step:
        case ListStage(s=s):
            if s > 1:
                lists = "a list" if s == 2 else "one or both lists"
                yield _sends(f"{lists}, before L_{s}", step, program)
            yield Works(f"L_{s}")
        case Unpaired():
            yield _sends("second elements of pairs", step, program)
        case _:
            yield Works(HARTLEY[type(step)])


def _moved(move: Move, program: Program) -> Part:
    words = _written(move.factors) or "a change of layout"
    found = _sends(words, move, program)
    return found if found.pairs else Works(words)


def _sends(words: str, step: Step, program: Program) -> Sends:
    rows = rows_of(step, program)
    pairs = ((k, to) for k, to in rows[:, :2].tolist() if k != to)
    return Sends(words, tuple(pairs), int(rows[:, 2].max()))


def _written(factors: tuple[Formula, ...]) -> str:
    """Return factors but identities as they print, one alone without the parentheses around it."""
    text = " ".join(str(factor) for factor in factors if not isinstance(factor, I))
    whole = len(factors) == 1 and text.startswith("(") and text.endswith(")")
    return text[1:-1] if whole else text
