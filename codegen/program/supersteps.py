"""The grammar of node programs: what P ranks do, as frozen data that decides nothing.

    program  = Program(request, equation, input, output, steps)
    step     = Move(address, pack, exchange, unpack)                                       bits/ has this
             | ListStage(N, P, s, ..) | Rest(N, P, back) | HalfSpectra(N, P) | AcrossRanks(N, P) | Unpaired(N, P)        hartley_program.py has these
             | Transform(diagonal, copies, d, c, ..) | Trade(pack, exchange, unpack) | Turn(pack, P)        digit_supersteps.py has these
             | Butterflies(M, first, last, b, u, w, ..) | OfHalves(diagonal, 1, 2, c, ..) | Across(M, diagonal, channel, ..)     stages/ has these
             | Overlap(transform, trade) | Tiled(before, transforms, after, radices, loops)         stages/overlaps.py, digits/transform_tiles.py have these
             | Untangle(M, P, ..) | Halves(M, P, ..) | Reflect(M, P, arrays, ..) | Rows(M, n, ..)     reals/ has these
             | AlongAxis(before, axis, n, ..) | PartTrade(before, divided, whole, ..) | IndexTrade(before, after, ..)   ragged/ has these
             | Twiddles(before, n1, n2, ..) | Chirp(before, ..) | Filter(before, N)

All steps have the methods of `codegen.program.protocol.Step`. A storage address z = s·M + o has the
rank s above the offset o.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass

from codegen.program.digits.transformed import Numbers
from codegen.program.protocol import ELEMENT, Exchange, Moving, Step, Unit
from codegen.program.reals.halves import Halves
from codegen.systems.record import Request
from derive.formula.grammar import Equation, Formula, factors_of
from derive.formula.placement import Placement

Factors = tuple[Formula, ...]


@dataclass(frozen=True)
class Program:
    """The supersteps that answer a request: they compute `equation` on data that lies as `input`
    says, with a result that lies as `output` says.
    """

    request: Request
    equation: Equation
    input: Placement
    output: Placement
    steps: tuple[Step, ...]
    numbers: Numbers | None = None
    """What its transforms are of, by digits."""
    lemmas: tuple[Equation, ...] = ()
    """What its equation assumes, and the equations of transforms in it."""

    @property
    def N(self) -> int:  # the papers' letter
        """The number of elements."""
        return self.request.N

    @property
    def P(self) -> int:  # the papers' letter
        """The number of ranks."""
        return self.request.P

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.request.M

    @property
    def exchanges(self) -> list[Exchange]:
        moves = (step for step in self.steps if isinstance(step, Moving))
        return [step.exchange for step in moves if step.exchange]

    @property
    def G(self) -> int:  # as programs call it
        """The number of numbers of a rank that transforms are of."""
        return self.numbers.of_rank if self.numbers else self.M

    @property
    def unit(self) -> Unit:
        """What its transforms are of."""
        return self.numbers.unit if self.numbers else ELEMENT

    @property
    def in_lists(self) -> bool:
        """Whether the real elements of a rank are two lists."""
        return any(step.in_lists for step in self.steps)

    @property
    def in_pairs(self) -> bool:
        """Whether its real elements are complex numbers, or parts of them, within it."""
        return self.unit != ELEMENT

    @property
    def is_shaped(self) -> bool:
        """Whether files and parts of ranks are arrays of axes, or of a batch."""
        request = self.request
        several = len(request.shape) > 1 or request.batch > 0 or request.unequal
        return several or (request.record.is_hartley and bool(request.shape))

    @property
    def compiles(self) -> bool:
        """Whether local Fourier transforms are compiled as they stand."""
        request = self.request
        return request.backend.is_whole and (request.record.compiles or self.in_pairs)

    @property
    def still(self) -> tuple[Factors, Factors]:
        """The factors of its equation before all steps and after them, for which nothing moves as
        elements lie so.

        >>> from codegen.program.resolve import resolve
        >>> from codegen.requests import make_request
        >>> ends = "bit-reversed", "scrambled"
        >>> first, last = resolve(make_request("hypercube-fft", 256, 4, *ends)).still
        >>> [str(factor) for factor in (*first, *last)]
        ['Π_{Q2^-1}']
        """
        if self.numbers:
            return self.numbers.first, self.numbers.last
        done = tuple(factor for step in reversed(self.steps) for factor in step.factors)
        if self.steps and not done:
            return (), ()  # all steps together are the transform
        whole, count = factors_of(self.equation.right), len(done)
        begins = reversed(range(len(whole) - count + 1))
        at = next(i for i in begins if whole[i : i + count] == done)
        return whole[at + count :], whole[:at]

    @property
    def halves(self) -> Halves | None:
        """The step between a vector and its pairs, if there is one."""
        return next((step for step in self.steps if isinstance(step, Halves)), None)
