"""The comments of supersteps: the factors of the program's equation, as written and in its order.

A diagonal that a move carries along stands with the factors of that move, and is multiplied after
it, when its elements are at their places. A permutation for which data lies as it is to lie has no
step of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from codegen.emit.words import escaped
from codegen.program.protocol import Step
from codegen.program.supersteps import Program
from derive.formula.grammar import Formula, factors_of


@dataclass
class Named:
    """A superstep and the factors that it names, the last first; those of them by which a later
    step multiplies, and those before it for which nothing moves.
    """

    step: Step
    factors: list[Formula] = field(default_factory=list)
    later: list[Formula] = field(default_factory=list)
    still: list[Formula] = field(default_factory=list)
    is_late: bool = False
    """Whether a superstep before it names its twiddles."""
    vector: str = ""
    """That whose layout it begins with, or ends with."""
    before: list[str] = field(default_factory=list)
    """In words, the move that is made first, which has no factors of its own."""

    def takes(self, move: Named, program: Program) -> bool:
        """Take a move without factors before this superstep, if it is one; return whether it is."""
        alone = move.step.is_move and not (move.factors or move.still)
        computes = (self.step.is_local or self.step.stages) and self.factors and not self.is_late
        if alone and computes:
            self.before = [f"{', '.join(_layouts(move.step, program))} first"]
        return bool(self.before)


def named(program: Program, steps: Sequence[Step]) -> list[Named]:
    """Return what each superstep names, and at the end what is left after the last one.

    >>> from codegen.program.lower import lower
    >>> from codegen.requests import make_request
    >>> program = lower(make_request("fft", 16, 2, local="butterflies"))
    >>> [str(factor) for factor in named(program, program.steps)[0].factors]
    ['(I_2 ⊗ P_8)', 'L^16_2']
    """
    found, place = [*map(Named, steps), Named(Step())], len(steps)
    found[0].vector = "x"
    found[-1].vector = "y"
    for factor, owner in _owned(factors_of(program.equation.right), steps):
        place = min(place, len(steps) if owner is None else owner)
        if owner is None:
            found[place].still.append(factor)
            continue
        found[place].factors.append(factor)
        if owner > place:
            found[place].later.append(factor)
            found[owner].is_late = True
    return found


def _owned(factors: Sequence[Formula], steps: Sequence[Step]) -> list[tuple[Formula, int | None]]:
    """Return with each factor the number of the step that carries it out, None where nothing does;
    of equal ones the last is the first that is done.
    """
    left, found = [list(step.factors) for step in steps], list[tuple[Formula, int | None]]()
    for factor in reversed(factors):
        owner = next((i for i, part in enumerate(left) if factor in part), None)
        if owner is not None:
            left[owner].remove(factor)
        found.append((factor, owner))
    return found[::-1]


def text(found: Named, program: Program, below: bool) -> str:
    """Return the comment of a superstep: its factors, the layouts that it moves from and to, and
    what is multiplied `below`.
    """
    words = [*found.before, *_layouts(found.step, program)] + [
        f"{_product(found.later)} below"
    ] * below
    parts = (_product(found.factors), ", ".join(words))
    own = escaped(": ".join(filter(None, parts)))
    return "\n".join(filter(None, (still(found, program), own)))


def _layouts(step: Any, program: Program) -> list[str]:
    """Return in words which layouts a move begins and ends with."""
    if not step.is_move:
        return []
    first = next(each for each in program.steps if each.factors or each.is_move)
    ends = (("from", program.input, first), ("to", program.output, program.steps[-1]))
    return [f"{way} {to.name}" for way, to, end in ends if step is end and to.name != "block"]


def still(found: Named, program: Program) -> str:
    """Return the comment on factors for which nothing moves, as a vector lies so."""
    if not found.still:
        return ""
    name = {"x": program.input.name, "y": program.output.name}.get(found.vector, "block")
    lies = f", as {found.vector} is {name}" if name != "block" else ""
    return escaped(f"{_product(found.still)}: nothing moves{lies}")


def _product(factors: Sequence[Formula]) -> str:
    return " ".join(map(str, factors))
