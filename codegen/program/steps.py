"""From a product of factors and two layouts to supersteps: neighbouring permutations are composed,
each move is factored once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from codegen.program import moves as move
from codegen.program.bits.bit_transforms import Butterflies
from codegen.program.digits.move_plans import planned
from codegen.program.digits.steps import Diagonal, Transform
from codegen.program.factors import (
    channel_of,
    continued,
    finished,
    local_of,
    moved,
    stage_of,
    twiddle_of,
)
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across, OfHalves
from derive.digits.radices import DigitPermutation
from derive.formula.grammar import Formula, factors_of
from derive.formula.layout import Layout
from derive.formula.permutations import affine, is_permutation
from derive.formula.transforms import W
from derive.gf2.bits import Affine


def steps_of(
    formula: Formula,
    input: Layout,
    output: Layout,
    exchange: str = "alltoall",
    across: bool = False,
) -> tuple[Step, ...]:
    """Return the supersteps of a product of permutations, twiddle diagonals and local transforms I
    ⊗ F_d ⊗ I_c.

    A diagonal is applied where its data is used: before the next local transform, after the move to
    it; one that belongs to the butterflies before it stays with them. F_2 may join two ranks if
    `across` says so. Raises ValueError for a factor that is none of these, or whose transform
    crosses ranks.

    >>> from derive.formula.layout import block
    >>> from derive.papers.bsp import group_cyclic
    >>> len(steps_of(group_cyclic(16, 2).right, block(16, 2), block(16, 2)))
    5
    """
    address = input.address.inverse()
    reader = _Reader(input.m, input.p, exchange, across, address)
    for factor in reversed(factors_of(formula)):
        reader.read(factor)
    reader.permute(output.address)
    reader.flush()
    return tuple(reader.steps)


@dataclass
class _Reader:
    """The steps of the factors that have been read, and what waits for the next computation:
    `address` maps storage to the present coordinates.
    """

    m: int
    p: int
    exchange: str
    across: bool
    address: Affine
    twiddle: Diagonal | None = None
    coordinates: Affine | None = None
    """The map from the coordinates of the twiddle to the present ones."""
    moves: tuple[Formula, ...] = ()
    computes: tuple[Formula, ...] = ()
    steps: list[Step] = field(default_factory=list)

    def read(self, factor: Formula) -> None:
        """Take the next factor."""
        if is_permutation(factor):
            self.permute(affine(factor), factor)
        elif (twiddle := twiddle_of(factor)) is not None:
            self._twist(twiddle, factor)
        elif self.across and (channel := channel_of(factor, self.m)) is not None:
            diagonal, computes = self._diagonal, (factor, *self.computes)
            self.twiddle = None
            self.flush()
            self.steps.append(Across(1 << self.m, diagonal, channel, computes))
        elif (stage := stage_of(factor, 1 << self.m)) is not None:
            self._continue(stage)
        else:
            self.computes = (factor, *self.computes)
            self.flush(*local_of(factor, 1 << self.m))

    def permute(self, map: Affine, *factor: Formula) -> None:
        """Compose a permutation with those that wait; a twiddle that waits goes along."""
        self.address = map @ self.address
        if factor:
            self.moves, self.computes = (*factor, *self.computes, *self.moves), ()
        if self.coordinates:
            self.coordinates = map @ self.coordinates

    def flush(self, copies: int = 1, d: int = 1, c: int = 0) -> None:
        """Append what waits: a move, then I_copies ⊗ F_d ⊗ I_c with its twiddles."""
        if not self.stays:
            self.steps.append(self._move())
        if self.twiddle or d > 1:
            kind = OfHalves if any(isinstance(each, W) for each in self.computes) else Transform
            c = c or 1 << self.m
            self.steps.append(kind(self._diagonal, copies, d, c, factors=self.computes))
        self.address = Affine.identity(self.m + self.p)
        self.twiddle = self.coordinates = None
        self.moves = self.computes = ()

    @property
    def _diagonal(self) -> Diagonal | None:
        """The twiddle that waits, in the present coordinates."""
        back = self.coordinates.inverse() if self.coordinates else self.address
        return moved(self.twiddle, back)

    def _move(self) -> Step:
        """Return the move of what waits, by digits where its map is a permutation of bits."""
        try:
            address = DigitPermutation.of_bits(self.address)
        except ValueError:
            step = move.plan(self.address, self.p, self.exchange)
            return replace(step, factors=self.moves)
        return replace(planned(address, 1 << self.p), factors=self.moves)

    @property
    def stays(self) -> bool:
        """Whether every element is where it has to be."""
        return self.address == Affine.identity(self.m + self.p)

    def _twist(self, twiddle: Diagonal, factor: Formula) -> None:
        """Let a diagonal wait, or give it to the butterflies before it."""
        at_once = self.steps and self.twiddle is None and self.stays
        if at_once and (done := finished(self.steps[-1], twiddle, factor)):
            self.steps[-1] = done
            return
        if self.twiddle:
            self.flush()
        self.twiddle, self.computes = twiddle, (factor,)
        self.coordinates = Affine.identity(self.m + self.p)

    def _continue(self, stage: Butterflies) -> None:
        """Append a stage, to the stages before it where nothing stands between."""
        begins = len(self.steps)
        self.flush()
        longer = (
            continued(self.steps[-1], stage) if self.steps and begins == len(self.steps) else None
        )
        self.steps[-1 if longer else len(self.steps) :] = [longer or stage]
