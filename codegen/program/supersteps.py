"""The grammar of node programs: what P ranks do, as frozen data that decides nothing.

    program  = Program(spec, equation, input, output, steps)
    step     = Move(pack, exchange, unpack) | Local(twiddle, copies, d, c, after, reverses, parts, messages)
             | Butterflies(first, last, b, u, w, reverses) | Across(twiddle, channel, after) | Overlap(local, move)
             | ListStage(s, back, ahead) | Rest(back) | HalfSpectra | AcrossRanks | Unpaired                        hartley.py has these
             | Transform(diagonal, copies, d, c, axis) | Trade(pack, P, stay, leave, enter, unpack) | Turn(order, P)          digits/steps.py has these
             | Tiled(before, transforms, after, radices, loops)                   digits/tiles.py has these
             | Untangle(M, P, back) | Halves(M, P, back) | Reflect(M, P, arrays, ..) | Rows(M, n)     reals/ has these
    exchange = AllToAll(basis) | Rounds(gamma, delta) | None
    twiddle  = Twiddle(order, i, j) | None

A storage address z = s·M + o has the rank s in its top p bits, the offset o in its low m bits.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass

from codegen.program.digits.steps import Trade, Transform, Turn
from codegen.program.digits.tiles import Tiled
from codegen.program.hartley import HartleyStep
from codegen.program.reals.halves import Halves
from codegen.program.reals.reflect import Reflect
from codegen.program.reals.rows import Rows
from codegen.program.reals.untangle import Untangle
from codegen.spec import Spec
from derive.formula.grammar import Equation, Formula
from derive.formula.placement import Placement
from derive.gf2.bits import Affine


@dataclass(frozen=True)
class AllToAll:
    """Ranks that differ by elements of span(basis) form a group, ordered by rank; every two of them
    exchange a message.

    `basis` is in reduced column echelon form, so that a rank's position in its group is read off
    its leading bits.
    """

    basis: tuple[int, ...]

    @property
    def rank_gamma(self) -> int:
        """lg of the number of messages that a rank sends, one of them to itself."""
        return len(self.basis)

    def position(self, p: int) -> Affine:
        """Return the map from a rank, of p bits, to its position in its group.

        >>> AllToAll((2,)).position(2).columns
        (0, 1)
        """
        leads = [e.bit_length() - 1 for e in self.basis]
        return Affine(
            tuple(1 << leads.index(k) if k in leads else 0 for k in range(p)), len(self.basis)
        )

    @property
    def ranks(self) -> int:
        """The bits of the largest rank difference in a group."""
        return max((e.bit_length() for e in self.basis), default=0)


@dataclass(frozen=True)
class Rounds:
    """In round b rank k sends to gamma b + delta k and receives from delta^-1 (k + gamma b) (Cormen
    1997, equations 4 and 5).

    `delta` carries the processor bits of the complement.
    """

    gamma: Affine
    delta: Affine

    @property
    def rank_gamma(self) -> int:
        """lg of the number of rounds."""
        return self.gamma.bits


Exchange = AllToAll | Rounds


@dataclass(frozen=True)
class Move:
    """The permutation `address` of storage addresses: rearrange locally, exchange equal messages,
    rearrange locally.

    `pack` and `unpack` map (offset, rank) to the new offset: n bits to m bits. Message b is the
    b-th part of the packed elements. `factors` are those of the formula that it carries out, beside
    a change of layout. If that is to a layout without a name, `ranks` are its rank bits, the lowest
    first, as sums of bits of the index.
    """

    address: Affine
    pack: Affine
    exchange: Exchange | None
    unpack: Affine
    factors: tuple[Formula, ...] = ()
    ranks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Twiddle:
    """The diagonal w_order^(i(z) j(z)) at storage address z."""

    order: int
    i: Affine
    j: Affine


@dataclass(frozen=True)
class Local:
    """L^M_parts (I_copies ⊗ F_d ⊗ I_c) on every rank's M = copies·d·c elements, with a diagonal
    before or `after` the transform if there is one; `factors` as for a move.

    Where it `reverses`, I_copies ⊗ P_d ⊗ I_c comes before all. It reads so many `messages` where
    they lie.
    """

    twiddle: Twiddle | None
    copies: int
    d: int
    c: int
    factors: tuple[Formula, ...] = ()
    after: bool = False
    reverses: bool = False
    parts: int = 1
    messages: int = 1

    @property
    def is_butterfly(self) -> bool:
        """Whether it is a stage of simplified butterflies between the halves of a rank's elements,
        its twiddles on the second half.
        """
        if self.twiddle is None or (self.copies, self.d) != (1, 2):
            return False
        top = self.c.bit_length() - 1
        return self.twiddle.i.c == 0 and all(
            column == (bit == top) for bit, column in enumerate(self.twiddle.i.columns)
        )


@dataclass(frozen=True)
class Butterflies:
    """A_last^α .. A_{2 first}^α A_first^α on blocks of b elements, α = (s mod u + u (i mod w))/(u
    w) for block i of rank s (Algorithm 3.2).

    Stage A_k^α is I ⊗ B_k^α, first <= k <= last <= b. `factors` as for a move. Where it `reverses`,
    P_M of every rank's M elements comes before all.
    """

    first: int
    last: int
    b: int
    u: int
    w: int
    factors: tuple[Formula, ...] = ()
    reverses: bool = False

    @property
    def stages(self) -> tuple[int, ...]:
        """The sizes k of its butterflies."""
        return tuple(self.first << i for i in range((self.last // self.first).bit_length()))


@dataclass(frozen=True)
class Across:
    """F_2 on bit `channel` of the rank: neighbours exchange all that they hold, and add or
    subtract. A diagonal as for Local.

    Its twiddles stand where that bit is 1, so that only those ranks multiply.
    """

    twiddle: Twiddle | None
    channel: int
    factors: tuple[Formula, ...] = ()
    after: bool = False


@dataclass(frozen=True)
class Overlap:
    """A Local and the move after it, the Local split by messages: what other ranks get is computed
    first and sent while the rest is computed.

    `codegen.program.overlap` makes these where the split is legal, and says where that is.
    """

    local: Local
    move: Move


Step = (
    Move
    | Local
    | Butterflies
    | Across
    | Overlap
    | HartleyStep
    | Transform
    | Trade
    | Turn
    | Tiled
    | Untangle
    | Halves
    | Reflect
    | Rows
)


@dataclass(frozen=True)
class Program:
    """The supersteps that answer a request: they compute `equation` on data that lies as `input`
    says, with a result that lies as `output` says.
    """

    spec: Spec
    equation: Equation
    input: Placement
    output: Placement
    steps: tuple[Step, ...]

    @property
    def N(self) -> int:  # the papers' letter
        """The number of elements."""
        return self.spec.N

    @property
    def P(self) -> int:  # the papers' letter
        """The number of ranks."""
        return self.spec.P

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.spec.M

    @property
    def computations(self) -> tuple[Local | Across, ...]:
        """The steps that compute, those of overlaps included."""
        return tuple(
            step.local if isinstance(step, Overlap) else step
            for step in self.steps
            if isinstance(step, Local | Across | Overlap)
        )
